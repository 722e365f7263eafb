"""Every error afterglow raises on purpose, in one tree.

    AfterglowError            exit 1   something a person can act on
    ├── UsageError            exit 2   the words of the command do not fit
    ├── Refused               exit 2   not by this door: a server that only looks, a form that is not ours
    │   ├── TokenRefused      exit 2   ... the token that should prove who asks is missing, unknown, expired or revoked
    │   └── LimitReached      exit 2   ... not so often or so much at once; `retry_after` seconds would help
    ├── Conflict              exit 8   it changed since the person looked: nothing was done
    ├── NotFound              exit 4   no session, repo or file of that name
    ├── UnreadableSource      exit 3   a file or database could not be read as sessions
    │   ├── BusySource        exit 3   ... just now: another program holds it
    │   └── Stumbled          exit 3   ... because our own code, or a plugin's, failed over it
    ├── StoreError            exit 5   the catalogue or the knowledge store cannot be opened or written
    │   └── Unreachable       exit 5   a service we were told to use does not answer, or does not let us in
    ├── ModelError            exit 7   a language model did not answer, or not what was asked
    │   └── CapReached        exit 7   asking it would cost more than was allowed
    ├── Unsupported           exit 6   what was asked for exists, but not here: the message says where
    └── ConfigError           exit 2   the config file says something we do not understand

The message says what happened and what would work. `status` is the HTTP status a server answers with.
"""


class AfterglowError(Exception):
    exit_code = 1
    status = 500


# Why an agent's wish to have something kept is refused.
PRIVATE_SESSION = (
    "AFTERGLOW_PRIVATE is set: this session is private, and nothing of it is kept"
)


class UsageError(AfterglowError):
    exit_code = 2
    status = 400


class ConfigError(UsageError):
    pass


class Refused(AfterglowError):
    exit_code = 2
    status = 403


class TokenRefused(Refused):
    status = 401


class LimitReached(Refused):
    status = 429

    def __init__(self, message: str = "", *, retry_after: int = 60) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Conflict(AfterglowError):
    exit_code = 8
    status = 409


class UnreadableSource(AfterglowError):
    exit_code = 3
    status = 422


class BusySource(UnreadableSource):
    pass


class Stumbled(UnreadableSource):
    pass


class NotFound(AfterglowError):
    exit_code = 4
    status = 404


class StoreError(AfterglowError):
    exit_code = 5
    status = 503


class Unreachable(StoreError):
    pass


class Unsupported(AfterglowError):
    exit_code = 6
    status = 501


class ModelError(AfterglowError):
    """`kind` is what went wrong in a word or two, to be counted."""

    exit_code = 7
    status = 502

    def __init__(self, message: str = "", *, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class CapReached(ModelError):
    status = 402
