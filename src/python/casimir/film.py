"""Films: a picture at every record, drawn by several processes at once and encoded by ffmpeg."""

import multiprocessing
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

from .drawing import Drawing
from .errors import Failed, Interrupted, Refused

MOST_FRAMES, DPI = 1500, 200
PATIENCE = float(os.environ.get("CASIMIR_PATIENCE", 60))  # seconds that ffmpeg may take for a frame


class Painter:
    """Draws frames in a figure whose parts stay where the first frame has them."""

    def __init__(self, file, request, shared, times):
        self.drawing = Drawing([file], request, film=True)
        self.request, self.shared, self.times = request, shared, times
        request.remark = lambda text: None
        request.view = request.view or shared.get("view")
        self.places = None

    def frame(self, i):
        """The pixels [rows, columns, 4] of the frame of record i."""
        t = float(self.times[i])
        self.request.frame = {**self.shared, "from": t - self.shared.get("tail", 0)}
        self.request.at, self.drawing.sources[0].until = [t], t
        figure = self.drawing.figure()
        figure.set_dpi(DPI)
        if self.places is None:
            figure.canvas.draw()
            self.places = [axes.get_position() for axes in figure.axes]
        figure.set_layout_engine("none")
        for axes, place in zip(figure.axes, self.places):
            axes.set_position(place)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).copy()


def _begin(*arguments):
    """Of a process that paints frames."""
    global paint
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    paint = Painter(*arguments).frame


def _paint(i):
    return paint(i)


class Encoder:
    """ffmpeg, which reads frames; one that does not read them for a minute is ended."""

    def __init__(self, into, size, rate):
        rows, columns = size
        self.messages = tempfile.TemporaryFile()
        command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{columns}x{rows}", "-framerate",
                   str(rate), "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-c:v", "libx264", "-pix_fmt", "yuv420p",
                   "-crf", "18", "-movflags", "+faststart", "-f", "mp4", f"file:{into}"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=self.messages, stderr=self.messages)
        self.asked_at = None  # when it was given what it has not taken yet
        os.set_blocking(self.process.stdin.fileno(), False)

    def _failed(self, reason="no reason given"):
        self.abandon()
        self.messages.seek(0)
        said = " ".join(self.messages.read().decode("utf-8", "replace").split())[-500:]
        return Failed(f"ffmpeg did not make the film: {said or reason}")

    def add(self, pixels):
        left = memoryview(pixels.tobytes())
        pipe = self.process.stdin.fileno()
        self.asked_at = time.monotonic()
        while left:
            if not select.select([], [pipe], [], PATIENCE)[1]:
                raise self._failed(f"it took no frame for {PATIENCE:g} s and was ended")
            try:
                left = left[os.write(pipe, left):]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                raise self._failed() from None
        self.asked_at = None

    def end(self):
        self.asked_at = time.monotonic()
        self.process.stdin.close()
        try:
            if self.process.wait(10 * PATIENCE):
                raise self._failed()
        except subprocess.TimeoutExpired:
            raise self._failed(f"it did not end within {10 * PATIENCE:g} s") from None

    def stalled(self):
        """What an interruption says of it, where it keeps others waiting."""
        seconds = time.monotonic() - self.asked_at if self.asked_at else 0
        return f", while ffmpeg took nothing for {seconds:.0f} s" if seconds > 1 else ""

    def abandon(self):
        self.process.kill()
        self.process.wait()


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


def _check_frames(names):
    """Refuses to replace what is no picture."""
    for name in filter(os.path.exists, names):
        with open(name, "rb") as f:
            if f.read(8) not in (b"", b"\x89PNG\r\n\x1a\n"):
                raise Refused(f"{name}: is no PNG picture, and only such files are replaced: remove it, or choose another --frames")


def _keep(name, pixels):
    from PIL import Image

    temporary = f"{name}.{os.getpid()}.tmp"  # several commands may draw the same frames at once
    Image.fromarray(pixels).convert("RGB").save(temporary, format="png")
    os.replace(temporary, name)


def make(file, request, into, name, directory):
    """A film into a file (None: none), and frames into a directory (None: not kept)."""
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
    records = range(0, len(times), stride)
    names = [os.path.join(directory, f"frame-{i + 1:05}.png") for i in range(len(records))] if directory else []
    _check_frames(names)
    rate, progress, encoder, done, request.remark = request.fps or 25, Progress("frame", len(records)), None, 0, None
    start = multiprocessing.get_context("spawn" if sys.platform == "darwin" else "fork")
    try:
        with start.Pool(min(len(os.sched_getaffinity(0)), 8, len(records)), _begin, (file, request, shared, times)) as painters:
            for done, pixels in enumerate(painters.imap(_paint, records, 2), 1):
                if directory:
                    _keep(names[done - 1], pixels)
                if into and with_ffmpeg:
                    encoder = encoder or Encoder(into, pixels.shape[:2], rate)
                    encoder.add(pixels)
                progress.show(done)
        if encoder:
            encoder.end()
    except (Interrupted, KeyboardInterrupt):
        stalled = encoder.stalled() if encoder else ""
        raise Interrupted(f"interrupted after {done} of {len(records)} frames{stalled}; there is no film") from None
    finally:
        if encoder and encoder.process.poll() is None:
            encoder.abandon()
    if not with_ffmpeg:
        raise Failed(f"ffmpeg was not found on the PATH (Debian: apt-get install ffmpeg); the frames are in {directory}, and where it is "
                     f"installed this makes the film of them: ffmpeg -framerate {rate} -i {directory}/frame-%05d.png -pix_fmt yuv420p "
                     f"{name}")
