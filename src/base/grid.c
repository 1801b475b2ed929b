#include "base/grid.h"

enum { BETWEEN = 2 /* blanks between columns */ };

struct cas_grid_column {
  char *heading, **cell;
  int cells, width; /* width 0: no row has a text */
};

int cas_grid_add(cas_grid *g, const char *heading) {
  const bool room = cas_owned_resize(&g->column, g->columns + 1, sizeof *g->column);
  char *copy = room ? strdup(heading) : NULL;
  g->failed |= !copy;
  if (!copy)
    return -1;
  g->column[g->columns] = (struct cas_grid_column){.heading = copy};
  return g->columns++;
}

void cas_grid_put(cas_grid *g, int column, int row, const char *text) {
  if (g->failed)
    return;
  struct cas_grid_column *c = &g->column[column];
  const int n = (int)strlen(text), heading = (int)strlen(c->heading);
  g->rows = row >= g->rows ? row + 1 : g->rows;
  if (n == 0)
    return;
  g->failed = c->cells <= row && !cas_owned_resize(&c->cell, row + 1, sizeof *c->cell);
  while (c->cells <= row && !g->failed)
    c->cell[c->cells++] = NULL;
  g->failed = g->failed || !(c->cell[row] = strdup(text));
  c->width = n > c->width ? n : c->width;
  c->width = heading > c->width ? heading : c->width;
}

static const char *text_of(const struct cas_grid_column *c, int row) {
  return row < 0 ? c->heading : row < c->cells && c->cell[row] ? c->cell[row] : "";
}

static void print_row(FILE *f, const cas_grid *g, int row, int indent, int from, int to) {
  bool any = false;
  for (int k = from; k < to && !any; k++)
    any = g->column[k].width > 0 && text_of(&g->column[k], row)[0] != '\0';
  int blanks = indent;
  for (int k = 0; any && k < to; k = k == 0 && from > 0 ? from : k + 1) {
    const struct cas_grid_column *c = &g->column[k];
    const char *text = text_of(c, row)[0] ? text_of(c, row) : "-";
    if (c->width == 0)
      continue;
    fprintf(f, "%*s%s", blanks, "", text);
    blanks = c->width + BETWEEN - (int)strlen(text);
  }
  if (any)
    fputc('\n', f);
}

void cas_grid_print(FILE *f, const cas_grid *g, int indent, int last) {
  for (int from = g->columns > 1, to = from; from < g->columns; from = to) {
    int width = indent + (from ? g->column[0].width : 0);
    do {
      const int more = g->column[to].width;
      width += more ? more + BETWEEN : 0;
      to++;
    } while (to < g->columns && width + g->column[to].width + BETWEEN <= last);
    for (int row = -1; row < g->rows; row++)
      print_row(f, g, row, indent, from, to);
  }
}

void cas_grid_free(cas_grid *g) {
  for (int k = 0; k < g->columns; k++) {
    for (int row = 0; row < g->column[k].cells; row++)
      free(g->column[k].cell[row]);
    free(g->column[k].cell);
    free(g->column[k].heading);
  }
  free(g->column);
  *g = (cas_grid){0};
}
