"""dataset: what a home could share, and sharing it. Nothing is written before everything has been screened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from afterglow import __version__
from afterglow.config import Config
from afterglow.dataset import CONTENTS, TABLES, build
from afterglow.dataset.card import CARD, MANIFEST, About, File, card, file_of, manifest
from afterglow.dataset.encode import Format, encode, require
from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.screen import screen, screened_licence
from afterglow.dataset.table import Filled, Material, SharedContents
from afterglow.errors import NotFound, UnreadableSource, UsageError
from afterglow.experiment.outcomes import EXCLUSIONS, OUTCOMES
from afterglow.flows.dataset.files import check_free, put_folder, salt
from afterglow.flows.dataset.template_words import shared_contents
from afterglow.flows.experiment import BEFORE
from afterglow.flows.redactor import redactor_of
from afterglow.harvest.trail import author_of
from afterglow.records.catalog import Entry, state
from afterglow.records.experiment import Plan, Trial
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import WarmTemplate
from afterglow.store.catalog import Catalog
from afterglow.store.experiments import Experiments
from afterglow.store.knowledge import Knowledge
from afterglow.store.templates.folder import Templates

K = 5  # what statistical offices take: smaller cells are guessed too easily
LEAST = 2  # below it there is no crowd


class Dataset(Struct, frozen=True):
    """Tables as they would leave, by name, and what holds for all of them."""

    about: About
    tables: dict[str, Filled]

    @property
    def rows(self) -> int:
        return sum(len(filled.rows) for filled in self.tables.values())


def prepare(
    config: Config,
    *,
    tables: Sequence[str] = (),
    k: int = K,
    people: int = 1,
    licence: str = "",
    simulated: bool = False,
    contents: bool = False,
    now: float | None = None,
    make_salt: bool = False,
) -> Dataset:
    """The tables asked for (all, if none), hidden in crowds of `k` and screened; with `contents`, what templates say as
    well. Writes nothing, unless a salt is to be made and kept; without one, pseudonyms are those of this one call."""
    _check_tables(tables, contents)
    if k < LEAST or people < 1:
        raise UsageError(
            f"k is {LEAST} or more, and the people in a crowd are 1 or more"
        )
    material, unreadable = _material(config, time.time() if now is None else now)
    if material.empty:
        raise NotFound("there is nothing to share yet; `afterglow scan` finds sessions")
    if contents:
        material = replace(material, contents=_contents(config, material))
        tables = [*tables, CONTENTS] if tables else ()
    key = salt(config.home, make=make_salt)
    chosen = _chosen(build(material, key, k=k, people=people), tables)
    redactor = redactor_of(config)
    licence = screened_licence(licence, redactor)
    for filled in chosen.values():
        screen(filled, redactor)
    about = About(
        version=__version__,
        k=k,
        people=people,
        licence=licence,
        salt=Pseudonyms(key).of("salt", "dataset"),
        simulated=simulated,
        unreadable=unreadable,
        contents=contents,
    )
    return Dataset(about, chosen)


def _check_tables(tables: Sequence[str], contents: bool) -> None:
    if CONTENTS in tables and not contents:
        raise UsageError(f"{CONTENTS} holds words: it needs --template-contents")
    wrong = [name for name in tables if name not in TABLES and name != CONTENTS]
    if wrong:
        raise UsageError(f"no table {', '.join(wrong)}; there are {', '.join(TABLES)}")


def _contents(config: Config, material: Material) -> tuple[SharedContents, ...]:
    contents = shared_contents(config, material.templates, material.entries)
    if not contents:
        raise NotFound(
            "there are no templates whose contents could be shared; `afterglow warm auto` makes some"
        )
    return contents


def _chosen(built: dict[str, Filled], tables: Sequence[str]) -> dict[str, Filled]:
    """The tables asked for; if none, those that hold something."""
    filled_names = {
        name for name, filled in built.items() if filled.rows or filled.suppressed
    }
    chosen = {
        name: filled
        for name, filled in built.items()
        if name in (tables or filled_names)
    }
    if filled_names.isdisjoint(chosen):
        raise NotFound(
            f"there is nothing of {', '.join(tables)} to share yet; "
            f"there is {', '.join(sorted(filled_names))}"
        )
    return chosen


def export(
    config: Config,
    output: Path,
    *,
    format: Format = "csv",
    tables: Sequence[str] = (),
    k: int = K,
    people: int = 1,
    licence: str = "",
    simulated: bool = False,
    force: bool = False,
    contents: bool = False,
    now: float | None = None,
) -> tuple[Dataset, tuple[File, ...]]:
    """Writes the dataset as a folder: a file a table, the data card, the manifest."""
    require(format)
    check_free(output, force=force)
    dataset = prepare(
        config,
        tables=tables,
        k=k,
        people=people,
        licence=licence,
        simulated=simulated,
        contents=contents,
        now=now,
        make_salt=True,
    )
    if not dataset.rows:
        raise NotFound(
            f"nothing would be left: every row is one of fewer than {k}; --dry-run shows it"
        )
    named = {f"{name}.{format}": filled for name, filled in dataset.tables.items()}
    encoded = {name: encode(filled, format) for name, filled in named.items()}
    files = tuple(
        file_of(name, named[name], content) for name, content in encoded.items()
    )
    text = card(dataset.about, named)
    encoded[CARD] = text.encode()
    encoded[MANIFEST] = manifest(dataset.about, files, text)
    put_folder(output, encoded, force=force)
    return dataset, files


def _material(config: Config, now: float) -> tuple[Material, int]:
    """What there is, and how much of it could not be read. Stores that are not there are not made."""
    entries = [
        entry
        for entry in _entries(config)
        if entry.origin == "main" and state(entry, now) != "active"
    ]
    templates, unreadable = _templates(config)
    plans, trials = _experiments(config)
    material = Material(
        entries=tuple(entries),
        items=tuple(_items(config)),
        templates=tuple(templates),
        trials=tuple(trials),
        outcomes=frozenset(OUTCOMES) | {BEFORE},
        exclusions=frozenset(EXCLUSIONS),
        simulated=frozenset(plan.name for plan in plans if plan.simulated),
        authors={entry.id: author_of(entry.cwd) for entry in entries},
    )
    return material, unreadable


def _entries(config: Config) -> list[Entry]:
    if not config.catalog.exists():
        return []
    with Catalog(config.catalog) as catalog:
        return catalog.entries(profiles=True)


def _items(config: Config) -> list[KnowledgeItem]:
    if not config.knowledge.exists():
        return []
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items(evidence=True)


def _templates(config: Config) -> tuple[list[WarmTemplate], int]:
    folder = Templates(config.templates)
    templates, unreadable = [], 0
    for id in folder.ids():
        try:
            templates.append(folder.get(id))
        except (UnreadableSource, NotFound):  # damaged, or deleted meanwhile
            unreadable += 1
    return templates, unreadable


def _experiments(config: Config) -> tuple[list[Plan], list[Trial]]:
    """As they were recorded: reading them for a dataset records nothing new."""
    if not config.experiments.exists():
        return [], []
    with Experiments(config.experiments) as experiments:
        plans = experiments.plans()
        return plans, [
            trial for plan in plans for trial in experiments.trials(plan.name)
        ]
