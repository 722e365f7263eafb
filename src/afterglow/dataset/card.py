"""The data card (README.md) and the manifest of a dataset: what is in it, how it was made safe, what that is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

import msgspec
from msgspec import Struct

from afterglow.dataset.table import Column, Filled

FORMAT = 1
CARD, MANIFEST = "README.md", "manifest.json"
NO_LICENCE = "none chosen: nobody may use it until its owner names one"
_KINDS = {
    "id": "pseudonym", "word": "word", "sequence": "words", "named": "word or pseudonym", "period": "period",
    "whole": "whole number", "number": "number", "yes-no": "true or false", "text": "redacted text",
}  # fmt: skip

_SIMULATED = "**Simulated: these sessions were made by a program. They say nothing about real agents.**"
_HEAD = """
Numbers about finished sessions of AI agents, written by afterglow {version}. {text}

Licence: {licence}
"""
_NO_TEXT = "No text of any session is in it."
_SOME_TEXT = "Text that comes from sessions is in `template_contents` alone, redacted; its owner asked for it."
_NO_FREE_TEXT = """
- No free text: every string is a word of a closed list, a period, or a pseudonym. No titles, paths, names, commands,
  errors or facts."""
_CONTENTS = """
- `template_contents` holds words, redacted: secrets, personal data and home folders by the rules of afterglow; addresses,
  ids of sessions and paths of one machine; the names of every person, owner and repository known to the home it comes
  from, also inside longer names. Orders to agents, risky commands and calls, and what could not be made safe were left
  out. Only templates whose row is in `templates` are in it, so its rows are in that crowd, but **k-anonymity says nothing
  about words**: who knows the work may know it again by what was done. Names and descriptions of templates, addresses and
  a person's style are not told.
- Everything else is no free text: every string is a word of a closed list, a period, or a pseudonym."""
_SAFE = """
## How it was anonymised
{text}
- Sessions, people, repositories, templates, items, experiments, units and errors are pseudonyms: keyed BLAKE2b with a
  random salt of 32 bytes that never leaves its home. Without it nobody can try out names. Once it is deleted, later
  exports cannot be joined with this one.
- Times are weeks (UTC) at most. Rows are in the order of their pseudonyms, not in that of time.
- Numbers are rounded: counts, times, tokens, costs and outcomes to two digits that say something (87 stays, 1,234 is
  1,200), shares to two decimals, confidence to one.
- Models are known by family only. Agents, tools and miners that are in no list are `other`; of a tool only its family
  (code, file, research) is told.
- k-anonymity with k = {k}{people}: of the columns somebody might recognise a row by, no combination stands for fewer
  rows, nor for rows that rest on fewer sessions (for experiments: units).
  Rarer ones tell less (month, year or `any` for a week; `other` for a person, a repository, a model); what was still
  too rare was left behind, and its recoveries and outcomes with it.
- In the end every string was screened for secrets and personal data once more; a single find stops the export.
"""
_LIMITS = """
## What this does not protect from

- k-anonymity counts sessions and units, not people. A crowd may be the work of one person: see *fewest
  people in one*. Who knows that somebody is in a crowd learns what all of its rows have in common.
- Who has the original transcripts, or saw them published, can look for a row with the same numbers. Rounding makes
  that harder, not impossible: *like no other row* counts those whose numbers, taken together, no other row has.
- A pseudonym joins all rows of one person or repository. Who recognises one row knows that the others are theirs too.
- Who has several exports with one salt can compare them: what only one of them has was added or taken away in between.
- This is not differential privacy: no bound is proved on what can be learned by someone who knows everything else.

And what it costs: rare agents, models and repositories are under-represented, so rates over this dataset need not be
those of its home; rates cannot be computed exactly from rounded counts. `outcome` is often a guess: see `outcome_by`.
"""


class About(Struct, frozen=True, kw_only=True):
    """What holds for all tables. `salt` is a pseudonym of the salt: datasets that share it can be joined. `contents`:
    what templates say is in it, in words."""

    version: str
    k: int
    people: int
    licence: str
    salt: str
    simulated: bool = False
    unreadable: int = 0
    contents: bool = False


class File(Struct, frozen=True):
    name: str
    table: str
    rows: int
    suppressed: int
    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True):
    """What lies in a dataset's folder. `card` is the hash of the card."""

    format: int
    about: About
    files: tuple[File, ...]
    card: str


def file_of(name: str, filled: Filled, content: bytes) -> File:
    digest = sha256(content).hexdigest()
    return File(
        name,
        filled.table.name,
        len(filled.rows),
        filled.suppressed,
        len(content),
        digest,
    )


def manifest(about: About, files: Iterable[File], text: str) -> bytes:
    card_hash = sha256(text.encode()).hexdigest()
    whole = Manifest(format=FORMAT, about=about, files=tuple(files), card=card_hash)
    return msgspec.json.format(msgspec.json.encode(whole), indent=2) + b"\n"


def card(about: About, tables: Mapping[str, Filled]) -> str:
    """`tables` are by the name of their file."""
    people = f" and at least {about.people} people" if about.people > 1 else ""
    parts = (
        _SIMULATED if about.simulated else "",
        _HEAD.format(
            version=about.version,
            licence=about.licence or NO_LICENCE,
            text=_SOME_TEXT if about.contents else _NO_TEXT,
        ),
        "\n".join(_contents(tables)),
        f"{about.unreadable} sources could not be read and are in no count."
        if about.unreadable
        else "",
        f"`{MANIFEST}` has the size and the SHA-256 of each file.",
        _SAFE.format(
            k=about.k,
            people=people,
            text=_CONTENTS if about.contents else _NO_FREE_TEXT,
        ),
        "\n".join(_crowds(tables)),
        _LIMITS,
        "\n".join(_fields(tables)),
    )
    return (
        "\n\n".join(
            [
                "# Sessions of AI agents, anonymised",
                *(part.strip() for part in parts if part),
            ]
        )
        + "\n"
    )


def _contents(tables: Mapping[str, Filled]) -> list[str]:
    rows = (
        f"| `{name}` | {len(filled.rows):,} | {filled.suppressed:,} | {filled.table.words} |"
        for name, filled in tables.items()
    )
    return ["| file | rows | left behind | what |", "|---|---:|---:|---|", *rows]


def _crowds(tables: Mapping[str, Filled]) -> list[str]:
    lines = [
        "| file | recognised by | smallest crowd | fewest people in one | tells less (rows) | like no other row |",
        "|---|---|---|---:|---|---:|",
    ]
    for name, filled in tables.items():
        less = (
            ", ".join(
                f"{column} {rows:,}" for column, rows in filled.generalised.items()
            )
            or "–"
        )
        crowd, people = (
            (f"{filled.smallest:,}", filled.fewest) if filled.rows else ("–", "–")
        )
        lines.append(
            f"| `{name}` | {', '.join(filled.table.quasi) or '–'} | {crowd} | {people} | {less} | {filled.alone:,} |"
        )
    return lines


def _fields(tables: Mapping[str, Filled]) -> list[str]:
    lines = ["## Fields", "", "An empty string or no number means: not known.", ""]
    for name, filled in tables.items():
        lines += [
            f"### {name}",
            "",
            filled.table.words,
            "",
            "| field | type | meaning |",
            "|---|---|---|",
        ]
        lines += [
            f"| `{column.name}` | {_KINDS[column.kind]} | {_meaning(column)} |"
            for column in filled.table.columns
        ]
        lines.append("")
    return lines


def _meaning(column: Column) -> str:
    listed = ", ".join(sorted(column.vocabulary))
    return f"{column.words}: {listed}" if listed else column.words
