"""Films: a picture at every record, drawn by several processes at once and encoded by ffmpeg."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from .drawing import Drawing
from .errors import Failed, Interrupted, Refused

FRAME = "frame-%05d.png"
MOST_FRAMES, DPI, RATE = 1500, 200, 25
PATIENCE = float(os.environ.get("CASIMIR_PATIENCE", 60))  # seconds that ffmpeg may take for a second of the film, and to begin


class Painter:
    """Draws frames in a figure whose parts stay where the first frame has them."""

    def __init__(self, file, request, shared, times):
        self.drawing = Drawing([file], request, film=True)
        self.request, self.shared, self.times = request, shared, times
        request.remark = lambda text: None
        request.view = request.view or shared.get("view")
        self.places = None

    def frame(self, record, name):
        """Draws a record into a file."""
        t = float(self.times[record])
        self.request.frame = {**self.shared, "from": t - self.shared.get("tail", 0)}
        self.request.at, self.drawing.sources[0].until = [t], t
        figure = self.drawing.figure()
        if self.places is None:
            figure.canvas.draw()
            self.places = [axes.get_position() for axes in figure.axes]
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, self.places):
            axes.set_position(place)
        temporary = f"{name}.{os.getpid()}.tmp"  # several commands may draw the same frames at once
        figure.savefig(temporary, format="png", dpi=DPI)
        os.replace(temporary, name)


def _begin(*arguments):
    """Of a process that paints frames."""
    global paint
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    paint = Painter(*arguments).frame


def _paint(frame):
    paint(*frame)


def _encode(directory, frames, rate, into):
    """The film of the first frames of a directory, by ffmpeg; one that does not end is ended."""
    command = ["ffmpeg", "-loglevel", "error", "-y", "-framerate", str(rate), "-start_number", "1", "-i", FRAME, "-frames:v", str(frames),
               "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18",
               "-movflags", "+faststart", "-f", "mp4", f"file:{os.path.abspath(into)}"]
    patience = PATIENCE * (1 + frames / rate)
    try:
        done = subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=patience)
    except subprocess.TimeoutExpired:
        raise Failed(f"ffmpeg did not make the film: it did not end within {patience:.0f} s and was ended") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-500:]
        raise Failed(f"ffmpeg did not make the film: {said or 'no reason given'}")


class Progress:
    """Standard error: on a terminal one line that counts, otherwise a line every 10% of what takes longer than a second."""

    def __init__(self, what, of):
        self.what, self.of, self.begun, self.tenths = what, of, time.monotonic(), 0

    def show(self, n):
        if sys.stderr.isatty():
            print(f"\rcasimir: {self.what} {n} of {self.of}\033[K", end="\n" if n == self.of else "", file=sys.stderr, flush=True)
        elif 10 * n // self.of > self.tenths and time.monotonic() > self.begun + 1:
            print(f"casimir: {self.what} {n} of {self.of}", file=sys.stderr, flush=True)
        self.tenths = 10 * n // self.of


def make(file, request, into, name, directory):
    """A film into a file (None: none), and frames into a directory (None: one that is removed)."""
    if into and not (name or into).lower().endswith(".mp4"):
        raise Refused(f"--film: found '{name}', must end in .mp4")
    if directory:
        os.makedirs(directory, exist_ok=True)
    with_ffmpeg = not into or shutil.which("ffmpeg") is not None
    if not with_ffmpeg and not directory:
        raise Failed("ffmpeg was not found on the PATH; films need it (Debian: apt-get install ffmpeg)")
    drawing = Drawing([file], request, film=True)
    times, shared = drawing.picture.plan(drawing.sources[0])
    drawing.sources[0].h5.close()
    stride = (len(times) - 1) // MOST_FRAMES + 1
    if stride > 1:
        request.remark(f"every {stride}-th of {len(times)} records is a frame")
    rate, request.remark, done = request.fps or RATE, None, 0
    start = multiprocessing.get_context("spawn" if sys.platform == "darwin" else "fork")
    with contextlib.nullcontext(directory) if directory else tempfile.TemporaryDirectory() as kept:
        frames = [(record, os.path.join(kept, FRAME % i)) for i, record in enumerate(range(0, len(times), stride), 1)]
        for at in (at for _, at in frames if os.path.exists(at)):
            with open(at, "rb") as before:
                if before.read(8) not in (b"", b"\x89PNG\r\n\x1a\n"):
                    raise Refused(f"{at}: is no PNG picture, and only such files are replaced: remove it, or choose "
                                  "another --frames")
        progress, processes = Progress("frame", len(frames)), min(len(os.sched_getaffinity(0)), 8, len(frames))
        try:
            with start.Pool(processes, _begin, (file, request, shared, times)) as painters:
                for done, _ in enumerate(painters.imap(_paint, frames, 2), 1):
                    progress.show(done)
            if into and with_ffmpeg:
                _encode(kept, len(frames), rate, into)
        except (Interrupted, KeyboardInterrupt):
            encoding = ", while ffmpeg made a film of them" if done == len(frames) else ""
            raise Interrupted(f"interrupted after {done} of {len(frames)} frames{encoding}; there is no film") from None
    if not with_ffmpeg:
        raise Failed(f"ffmpeg was not found on the PATH (Debian: apt-get install ffmpeg); the frames are in {directory}, and where it is "
                     f"installed this makes the film of them: ffmpeg -framerate {rate} -i {directory}/{FRAME} -pix_fmt yuv420p {name}")
