"""The tables beside this module: what commands do (`acts.toml`), what settings do (`settings.toml`), what words tell
(`words.toml`), what programs have in common (`groups.toml`), which parts of commands are harmless (`parts.toml`). Read
once, when the first lesson is judged."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from afterglow.harvest.risk.kinds import Kind

Patterns = tuple[tuple[Kind, re.Pattern[str]], ...]


class Act(Struct, frozen=True, forbid_unknown_fields=True):
    """A row of `acts.toml`, as it stands."""

    kind: Kind
    programs: str = ""
    tasks: str = ""
    flags: str = ""
    without: str = ""
    words: str = ""


class Setting(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    pattern: str


class Variable(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    names: str
    harmless: str = ""


class _Acts(Struct):
    act: list[Act]


class _Settings(Struct, forbid_unknown_fields=True):
    setting: list[Setting]
    variable: list[Variable]
    file: list[Setting]
    code: list[Setting]


class ReadAct(Struct, frozen=True):
    """An act, ready to be held against a command; an empty column asks nothing."""

    kind: Kind
    tasks: tuple[tuple[str, ...], ...]
    flags: frozenset[str]
    without: frozenset[str]
    words: re.Pattern[str] | None


class ReadVariable(Struct, frozen=True):
    kind: Kind
    harmless: re.Pattern[str] | None


@cache
def acts_of_programs() -> dict[str, tuple[ReadAct, ...]]:
    """Program -> its acts; those of every program stand under the empty name."""
    rows = msgspec.toml.decode(_text("acts.toml"), type=_Acts).act
    by_program: dict[str, list[ReadAct]] = {}
    for row in rows:
        act = ReadAct(
            kind=row.kind,
            tasks=tuple(tuple(task.split()) for task in row.tasks.split(",") if task),
            flags=frozenset(row.flags.split()),
            without=frozenset(row.without.split()),
            words=re.compile(row.words) if row.words else None,
        )
        for name in row.programs.split() or [""]:
            by_program.setdefault(name, []).append(act)
    return {name: tuple(acts) for name, acts in by_program.items()}


@cache
def settings() -> Patterns:
    """What settings in a text do."""
    return _patterns(_settings().setting)


@cache
def files_that_decide() -> Patterns:
    return _patterns(_settings().file)


@cache
def calls_in_code() -> Patterns:
    """What code in a string does."""
    return _patterns(_settings().code)


def _patterns(rows: list[Setting]) -> Patterns:
    return tuple((row.kind, re.compile(row.pattern, re.IGNORECASE)) for row in rows)


@cache
def variables() -> dict[str, ReadVariable]:
    return {
        name: ReadVariable(row.kind, re.compile(row.harmless) if row.harmless else None)
        for row in _settings().variable
        for name in row.names.split()
    }


@cache
def _settings() -> _Settings:
    return msgspec.toml.decode(_text("settings.toml"), type=_Settings)


def _text(name: str) -> bytes:
    return (files("afterglow.harvest.risk") / name).read_bytes()


# A flag says in its name that a safeguard is left out: `--no-verify-ssl`, `--skip-signature-check`, `--trust-all`.
FLAG_AGAINST_SAFEGUARD = re.compile(
    r"--(?:no|skip|disable|without|ignore|bypass|allow|trust|accept|insecure|unsafe|dangerous\w*|suppress|omit|relax)"
    r"(?:-[\w-]*)?-?(?:verif\w*|checks?|checking|valid\w*|sign\w*|sigs?|certs?|certificates?|ssl|tls|auth(?!or)\w*|sandbox\w*"
    r"|hooks?|tests?|lint\w*|audit\w*|scan\w*|secur\w*|gpg|integrity|host-?keys?|permissions?|approv\w*|reviews?|confirm\w*"
    r"|protect\w*|polic\w+|root|untrusted|unsigned|unsafe|insecure|anonymous)$|--(?:trust|accept|allow)-(?:all|any)(?:-\w+)*$"
)


class _Groups(Struct, forbid_unknown_fields=True):
    programs: dict[str, str]
    well_known: dict[str, str]


@cache
def group(name: str) -> frozenset[str]:
    """The programs of one group."""
    return frozenset(_groups().programs[name].split())


@cache
def well_known(ecosystem: str) -> frozenset[str]:
    """Tools that everybody knows by name."""
    names = _groups().well_known
    return frozenset([*names[ecosystem].split(), *names["any"].split()])


@cache
def _groups() -> _Groups:
    return msgspec.toml.decode(_text("groups.toml"), type=_Groups)


class _Parts(Struct, forbid_unknown_fields=True):
    flags: dict[str, str]
    names: dict[Kind, str]
    variables: dict[str, str]
    acts: dict[str, str]


@cache
def harmless_flag_words() -> frozenset[str]:
    """Words of flags that say how much is printed, what is selected, how something is built."""
    return frozenset(" ".join(_parts().flags.values()).split())


@cache
def telling_names() -> dict[str, Kind]:
    """Words of flags and of variables -> what their value does, whichever program takes it."""
    return {
        word: kind for kind, words in _parts().names.items() for word in words.split()
    }


@cache
def variable_names(which: str) -> frozenset[str]:
    return frozenset(_parts().variables[which].split())


@cache
def act_words(which: str) -> frozenset[str]:
    return frozenset(_parts().acts.get(which, "").split())


@cache
def _parts() -> _Parts:
    return msgspec.toml.decode(_text("parts.toml"), type=_Parts)
