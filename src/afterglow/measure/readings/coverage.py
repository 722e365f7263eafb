"""How much of the work knowledge reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import NO_ITEMS, NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share
from afterglow.text.numbers import number

COVERED_ITEMS = 10  # in a domain: a handful may all stem from one bad day


def read(material: Material) -> Iterator[Reading]:
    yield _domains(material)
    yield _repositories(material)


def _domains(material: Material) -> Reading:
    domains = Counter(item.domain for item in material.items)
    unnamed = domains.pop("", 0)
    covered = sum(items >= COVERED_ITEMS for items in domains.values())
    return Reading(
        name="coverage",
        unit="domains",
        better="higher",
        nature="counted",
        meaning=f"domains with {COVERED_ITEMS} items or more",
        definition=f"Domains (lint, git, deploy, ...) with {COVERED_ITEMS} or more active items; n is all domains with any.",
        of="domains",
        value=float(covered) if material.items else None,
        n=len(domains),
        reason="" if material.items else NO_ITEMS,
        detail=f"{number(unnamed)} items have no domain" if unnamed else "",
    )


def _repositories(material: Material) -> Reading:
    repos = {session.repo for session in material.sessions if session.repo}
    taught = {item.repo for item in material.items if item.repo}
    estimate, reason = {}, NO_ITEMS
    if material.items:
        estimate = share((int(repo in taught), 1) for repo in repos)
        reason = "" if repos else NO_SESSIONS
    return Reading(
        name="repos covered",
        unit="share",
        better="higher",
        nature="counted",
        meaning="repos with an item of their own",
        definition="Of the repos with sessions, those with at least one active item of their own.",
        of="repos",
        reason=reason,
        **estimate,
    )
