"""The work on one session or one source, on its own: whatever goes wrong in it costs that session, and is told.

Transcripts are other people's files and miners may be other people's code: no list of errors covers what they meet.
So this is the one place that catches them all. It does not swallow them: they come out as `Stumbled`, which a loop over
many sessions catches by name, counts, and goes on.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath

from afterglow.errors import AfterglowError, Stumbled
from afterglow.text.clip import first_line
from afterglow.text.mask import mask

MAX_REASON_CHARACTERS = 200  # one line of a report; an error may quote a whole result


@contextmanager
def isolated(what: str) -> Iterator[None]:
    """Any error of the block as `Stumbled`, with `what` stumbled and where. Errors that were raised on purpose, and
    those of the file system, have names of their own and pass."""
    try:
        yield
    except (AfterglowError, OSError):
        raise
    except MemoryError as error:
        raise Stumbled(f"{what} stumbled: too large for the memory there is") from error
    except Exception as error:
        raise Stumbled(f"{what} stumbled: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    """What went wrong and in which line of code; the words of an error may be those of a transcript."""
    message = first_line(str(error), MAX_REASON_CHARACTERS)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(PurePath(frame.filename).parts[-2:])
    return f"{type(error).__name__}: {mask(message)} ({place}:{frame.lineno})"
