/* Figures of results files: data and values of a picture, drawn by gnuplot through a template. */
#ifndef CAS_PLOT_H
#define CAS_PLOT_H

#include <casimir/results.h>

enum { CAS_PLOT_MOST_TIMES = 8, CAS_PLOT_MOST_RANGES = 8 };

/** Ends of an axis in each panel, or one range for all of them; NaN: as the template has it. */
typedef struct {
  int n;
  double low[CAS_PLOT_MOST_RANGES], high[CAS_PLOT_MOST_RANGES];
} cas_plot_ranges;

/** What a frame of a film has from the film as a whole. */
typedef struct {
  double from;              /* paths are drawn from this time on */
  double greatest;          /* |value| of all maps */
  double greatest_variance; /* of all of those of variances */
} cas_plot_frame;

typedef struct {
  const char *const *files; /* results files, borrowed */
  int n;
  const char *picture;       /* NULL: the first that fits what the files hold */
  const char *template_file; /* NULL: the installed one of the picture */
  /** File whose extension is the format: svg, pdf, eps or png; NULL: files[0] with .svg */
  const char *output;
  const char *data;   /* instead of a figure, what it shows is written here as text; "-" is standard
                         output; NULL: a figure is drawn */
  const char *script; /* instead of a figure, all that gnuplot needs to draw it is written here, or
                         to standard output as "-"; NULL: a figure is drawn */
  char **bytes; /* instead of a file, the figure is put here, with a 0 behind its *size bytes; the
                         caller frees it; NULL: it goes into a file */
  size_t *size;
  const char *map;      /* the observable that maps show; NULL: the vorticity, or else the first */
  const char *show;     /* "x1,hamiltonian": what is drawn; NULL: what the picture chooses */
  const char *contours; /* the observable whose contours are drawn; NULL: none */
  const char *section;  /* "x3=0": points are drawn where this passes that upwards; NULL: lines */
  const char *const *labels; /* [n_labels] of files in legends, borrowed; NULL: their names */
  int n_labels;
  const char *title; /* above the figure; NULL: none */
  double width;      /* of the figure in mm; 0: as wide as the template makes it */
  const double *at;  /* [times] what snapshots show, instead of times of the picture's choice */
  int times;         /* at most CAS_PLOT_MOST_TIMES */
  cas_plot_ranges x, y;
  bool has_view;
  double view[2]; /* degrees of longitude and latitude, from above which spheres are seen */
  const cas_plot_frame *frame; /* the figure is one of a film; NULL: it is not */
  double until;                /* trajectories up to this time; INFINITY: all of them */
  FILE *remarks; /* what else these files offer, and what was left out; NULL: nowhere */
} cas_plot_request;

/** Draws one picture of what the files hold. The figure, or the text, appears complete or not at
    all. */
cas_status cas_plot(const cas_plot_request *q, cas_error *err) CAS_MUST_CHECK;
/** A film of a picture: a frame for every record, or, of very many, for every so many. */
typedef struct {
  const char *output; /* .mp4; NULL: frames alone */
  const char *frames; /* a directory that frames are kept in as PNG; NULL: they are not kept */
  int rate;           /* frames a second */
  bool (*cancelled)(void *context);                                   /* optional */
  void (*progress)(void *context, int64_t frames, int64_t of_frames); /* optional */
  void *context;
} cas_film_request;

/** Draws a film of what q says of figures, but for its output. The film is complete or not there,
    and so is every frame. Fails with CAS_INTERRUPTED where `cancelled` says so. Where there is no
    ffmpeg and frames are kept, they are drawn before it fails. SIGPIPE must be ignored. */
cas_status cas_plot_film(const cas_plot_request *q, const cas_film_request *f,
                         cas_error *err) CAS_MUST_CHECK;
/** Called with each picture's name and its figure as SVG, which it borrows; with NULL instead of
    the figure and the reason where it cannot be drawn. */
typedef void (*cas_plot_receiver)(void *context, const char *name, const char *svg,
                                  const cas_error *err);
/** Every picture of one results file, which is opened once. */
cas_status cas_plot_all(const char *file, cas_plot_receiver receive, void *context,
                        cas_error *err) CAS_MUST_CHECK;
/** Every picture with its summary, a line each. */
void cas_plot_list(FILE *f);

#endif
