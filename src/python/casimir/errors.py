"""What ends a command: each with the exit status that casimir's own commands have for it."""

import errno
import os

FEW_FILES = (errno.EMFILE, errno.ENFILE)


def lacks_files(reason):
    """Whether the reason, or what led to it, is that no more files can be opened. Libraries say it by words alone."""
    while reason is not None:
        if getattr(reason, "errno", None) in FEW_FILES or any(os.strerror(n) in str(reason) for n in FEW_FILES):
            return True
        reason = reason.__cause__ or reason.__context__
    return False


class Refused(ValueError):
    """What was asked for, or what a file holds, cannot be drawn."""

    status = 2


class Failed(RuntimeError):
    """A program that is needed is missing, or does not do its part."""

    status = 5


class Interrupted(RuntimeError):
    status = 75
