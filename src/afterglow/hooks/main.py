"""`afterglow hook EVENT`: reads the event from standard input, answers in the agent's format. Whatever goes wrong, the
answer is valid and the exit code 0; the log says what it was. Options go before the config file's `[hooks]`.

`afterglow hook afterwards` is what hooks start to harvest finished sessions: nobody waits for it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from afterglow.hooks.deadline import EMPTY, Line, answered, end, write
from afterglow.hooks.front import first_deadline, is_call_event, socket_path

if TYPE_CHECKING:
    from afterglow.config import Config
    from afterglow.hooks.event import Dialect
    from afterglow.hooks.listening import Heard

USAGE = b"""usage: afterglow hook EVENT [--agent NAME] [--context start|prompt|never] [--pretool] [--deadline-ms N]
Called by an agent's hooks: answers the event on standard input. `afterglow connect` sets it up.
"""
LASTING = ("pause", "end")  # a session that is over must get into the queue
MAX_EVENT_BYTES = 8 << 20  # a larger one is not looked at
# a harvest after a session may take ten times what the largest so far needed
MAX_HARVEST_BYTES = 1 << 30


def main() -> None:
    words = sys.argv[2:]
    if {"-h", "--help"} & set(words):
        write(USAGE)
    elif words[:1] == ["afterwards"]:
        afterwards()
    else:
        try:
            answered(
                lambda line: work_and_stay(words, line),
                empty=EMPTY,
                seconds=first_deadline(words),
                note=late,
            )
        except Exception:  # not even a process can be started; the agent goes on
            write(EMPTY)
    os._exit(0)  # nothing is left to tidy up, and the agent waits


def end_of(heard: Heard) -> None:
    """Writes what a resident process answered, where something went wrong with it."""
    try:
        end(heard, EMPTY, late)
    except Exception:  # not even a process can be started to note it; the agent goes on
        return


def work_and_stay(words: list[str], line: Line) -> None:
    """One event; then this process, in which all is loaded, stays to answer those of further calls."""
    work(words, line)
    if is_call_event(words):
        stay_for_calls()


def stay_for_calls() -> None:
    from afterglow import config

    path = socket_path()
    try:
        settings = config.load()
        may_stay = settings.hooks.resident_minutes and not settings.private
        if path and may_stay and settings.home.is_dir():
            from afterglow.hooks.resident import stay

            seconds = 60.0 * settings.hooks.resident_minutes
            stay(path, work, lambda: rehearse(settings), seconds)
    except Exception as error:
        note(None, "no process stayed for the next calls", described(error))


def rehearse(settings: Config) -> None:
    """Loads what the answer to a failed call needs; what is wrong with a store, each call will say."""
    from contextlib import suppress

    from afterglow.errors import AfterglowError
    from afterglow.flows.session import rehearse_failure

    with suppress(AfterglowError):
        rehearse_failure(settings)


def work(words: list[str], line: Line) -> None:
    """One event: its answer, then what can wait. What goes wrong is noted when the agent has its answer."""
    _load_msgspec()
    from afterglow import config
    from afterglow.hooks.handlers import after, reply

    settings = None
    try:
        options = parsed(words)
        settings = wished(config.load(), options)
        line.wait(settings.hooks.deadline_ms / 1000)
        dialect = dialect_of(options.get("agent", "claude-code"))
        event = dialect.read(read_event(), options.get("event", ""))
        if event.kind in LASTING:
            line.stay()
        context = reply(settings, dialect, event)
        line.say(dialect.answer(event, context.text) if context else EMPTY)
        if context and context.unnoted:
            note(settings, "context not noted", context.unnoted)
        after(settings, event)
    except Exception as error:
        line.say(EMPTY)
        note(settings, "hook failed", described(error))


def _load_msgspec() -> None:
    """Without typing_extensions, which it looks for, can do without, and which takes as long to load as msgspec."""
    loaded = sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    import msgspec  # noqa: F401

    if loaded is None:
        del sys.modules["typing_extensions"]


def afterwards() -> None:
    """A round at the queue: at the lowest priority (also on disk: Linux derives that from it), in bounded memory and
    time."""
    from afterglow import config

    settings = None
    try:
        settings = config.load()
        from afterglow.flows.harvest import QUEUE_SECONDS, work_off

        _be_modest(2 * QUEUE_SECONDS)
        work_off(settings)
        from afterglow.flows.forget import keep_promises

        keep_promises(settings)
    except Exception as error:
        note(settings, "harvest failed", described(error))


def parsed(words: list[str]) -> dict[str, str]:
    """EVENT and options. What is not known is an error: a misspelt option must not be silently without effect."""
    from afterglow.errors import UsageError

    options: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        name, is_set, value = word.removeprefix("--").partition("=")
        if word == "--pretool":
            options["pretool"] = "yes"
        elif word.startswith("--") and name in {"agent", "context", "deadline-ms"}:
            options[name] = value if is_set else next(rest, "")
        elif not word.startswith("-") and "event" not in options:
            options["event"] = word
        else:
            raise UsageError(
                f"{word!r} is not understood; {USAGE.decode().splitlines()[0]}"
            )
    return options


def wished(settings: Config, options: dict[str, str]) -> Config:
    """The settings, as changed by what the installed command says."""
    from msgspec.structs import replace

    from afterglow.errors import UsageError
    from afterglow.records.settings import CONTEXT

    context = options.get("context", settings.hooks.context)
    deadline = options.get("deadline-ms", str(settings.hooks.deadline_ms))
    if context not in CONTEXT or not deadline.isdecimal():
        raise UsageError(
            f"--context is one of {', '.join(CONTEXT)}; --deadline-ms is a number"
        )
    pretool = settings.hooks.pretool or "pretool" in options
    hooks = replace(
        settings.hooks, context=context, pretool=pretool, deadline_ms=int(deadline)
    )
    return replace(settings, hooks=hooks)


def dialect_of(agent: str) -> Dialect:
    from afterglow.errors import UsageError
    from afterglow.hooks.dialects import DIALECTS

    try:
        dialect: Dialect = DIALECTS.load(agent)
    except KeyError as error:
        raise UsageError(
            f"no agent {agent!r} has hooks; there are {', '.join(DIALECTS.names())}"
        ) from error
    return dialect


def read_event() -> bytes:
    """Standard input, to its end: an agent that is not listened to may stumble."""
    from afterglow.errors import UsageError

    event = bytearray()
    while more := os.read(0, 1 << 20):
        if len(event) <= MAX_EVENT_BYTES:
            event += more
    if len(event) > MAX_EVENT_BYTES:
        raise UsageError(f"the event is larger than {MAX_EVENT_BYTES >> 20} MB")
    return bytes(event)


def late(why: str) -> None:
    """Noted by a process of the one that held the deadline. Where loading alone took too long, it would the next time:
    so this one stays."""
    note(None, why)
    if is_call_event(sys.argv[2:]):
        stay_for_calls()


def note(settings: Config | None, what: str, detail: str = "") -> None:
    """One line in the log, if one can be written."""
    try:
        from afterglow import config
        from afterglow.flows.harvest import log_of

        settings = settings or config.without_file()
        log_of(settings).add(
            what, ": ".join(filter(None, (" ".join(sys.argv[2:]), detail)))
        )
    except Exception:  # there is nobody left to tell
        return


def described(error: Exception) -> str:
    """Of errors that are not ours only the kind and the place: their words may quote a prompt."""
    from afterglow.errors import AfterglowError

    if isinstance(error, AfterglowError):
        return f"{type(error).__name__}: {error}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "an unknown place"
    if trace is not None:
        place = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}"
    return f"{type(error).__name__} in {place}"


def _be_modest(seconds: float) -> None:
    import signal

    if hasattr(os, "nice"):
        os.nice(19)
    if hasattr(signal, "alarm"):
        # a round stops by itself in half that time; this is for one that hangs
        signal.alarm(round(seconds))
    try:
        import resource
    except ImportError:
        return
    if not hasattr(resource, "RLIMIT_DATA"):
        return
    # what is allocated; files that are mapped to be read do not count
    _, hard_limit = resource.getrlimit(resource.RLIMIT_DATA)
    limit = MAX_HARVEST_BYTES
    if hard_limit != resource.RLIM_INFINITY:
        limit = min(limit, hard_limit)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard_limit))
