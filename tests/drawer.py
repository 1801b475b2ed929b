"""A Python that draws for `casimir plot`, named by CASIMIR_PYTHON: it asks another one, which has the modules of figures and forks,
as their import takes longer than most figures.
drawer serve: until it is ended, or what started it has ended. drawer DIRECTORY COMMAND ..: the drawing itself. Both are one file.
Limits of files are handed on and signals are not, and all drawings have one seed of hashes."""
import contextlib
import fcntl
import marshal
import os
import resource
import socket
import sys

LIMITS = resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE


def connected(how, name="drawer.socket"):
    """A socket beside this file, whose path may be longer than names of sockets."""
    s, folder = socket.socket(socket.AF_UNIX), os.open(os.path.dirname(os.path.abspath(sys.argv[0])), os.O_RDONLY)
    getattr(s, how)(f"/proc/self/fd/{folder}/{name}")
    os.close(folder)
    return s


def ask(*arguments):
    s, mask = connected("connect"), os.umask(0)
    socket.send_fds(s, [b"+"], [0, 1, 2])
    s.sendall(marshal.dumps((os.getcwd(), mask, [*map(resource.getrlimit, LIMITS)], dict(os.environ), arguments)))
    s.shutdown(socket.SHUT_WR)
    sys.exit(ord(s.recv(1) or b"\1"))


def draw(s):
    """What Python does with a directory and its arguments."""
    import runpy

    fds = socket.recv_fds(s, 1, 3)[1]
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    folder, mask, limits, environment, arguments = marshal.load(s.makefile("rb"))
    os.chdir(folder)
    os.umask(mask)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[:] = arguments
    for limit, values in zip(LIMITS, limits):
        resource.setrlimit(limit, values)
    runpy.run_path(arguments[0], run_name="__main__")


def serve():
    import gc
    import importlib
    import select
    import signal

    sys.path.insert(0, os.path.join(os.path.dirname(os.environ["CASIMIR"]), "share", "casimir", "python"))
    for name in "casimir.command", *(f"casimir.looks.{of}" for of in ("maps", "means", "motion", "orders", "sheet")), "matplotlib.mathtext", *(
            f"matplotlib.backends.backend_{of}" for of in ("agg", "pdf", "ps", "svg")):
        importlib.import_module(name)
    sys.modules["matplotlib.mathtext"].MathTextParser("path").parse("$x^2$")  # whose grammar takes its time, once
    gc.freeze()
    end, s = os.pidfd_open(os.getppid()), connected("bind", "drawer.new")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    s.listen(64)
    os.rename("drawer.new", "drawer.socket")  # of which nobody is refused
    while end not in select.select([end, s], [], [])[0]:
        one = socket.socket(fileno=fcntl.fcntl(s.accept()[0], fcntl.F_DUPFD_CLOEXEC, 200))
        if os.fork() == 0:
            gc.disable()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(end), s.close()
            status = 1
            try:
                draw(one)
            except SystemExit as reason:
                status = int(reason.code or 0)
            except BaseException:
                sys.excepthook(*sys.exc_info())
            sys.stdout.flush(), sys.stderr.flush()
            one.send(bytes([status]))
            os._exit(0)
        one.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else ask(*sys.argv[1:])
