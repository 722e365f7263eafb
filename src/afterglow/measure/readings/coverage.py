"""How much of the work knowledge reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from afterglow.measure.readings import NO_ITEMS, NO_SESSIONS, Material
from afterglow.records.reading import Reading
from afterglow.stats.estimates import share
from afterglow.text.numbers import number

COVERED = 10  # items that make a domain covered


def read(material: Material) -> Iterator[Reading]:
    domains = Counter(item.domain for item in material.items if item.domain)
    covered = sum(items >= COVERED for items in domains.values())
    unnamed = sum(not item.domain for item in material.items)
    yield Reading(
        name="coverage",
        unit="domains",
        better="higher",
        nature="counted",
        meaning=f"domains with {COVERED} items or more",
        definition=f"Domains (lint, git, deploy, ...) with {COVERED} or more active items; n is all domains with any.",
        of="domains",
        value=float(covered) if material.items else None,
        n=len(domains),
        reason="" if material.items else NO_ITEMS,
        detail=f"{number(unnamed)} items have no domain" if unnamed else "",
    )
    repos = {one.repo for one in material.sessions if one.repo}
    taught = {item.repo for item in material.items if item.repo}
    found = share((int(repo in taught), 1) for repo in repos) if material.items else {}
    yield Reading(
        name="repos covered",
        unit="share",
        better="higher",
        nature="counted",
        meaning="repos with an item of their own",
        definition="Of the repos with sessions, those with at least one active item of their own.",
        of="repos",
        reason=NO_ITEMS if not material.items else "" if repos else NO_SESSIONS,
        **found,
    )
