"""Whether the newer decision replaces the older, and only then. `python -m bench.supersession`.

Pairs of invented sessions thirty days apart, each pair in a repository of its own: a person lays something down, and
later says something else. WORKED was at hand while the rules were written. Each of the contacts was written when the
rules were thought to be done, and run once before anybody looked at an answer; what the first run gave is printed
beside what holds now, since the rules learned from the first two. Pairs that must not replace count as much as those
that must.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from afterglow.config import Config
from afterglow.flows.harvest import harvest
from afterglow.harvest.supersession import RULES
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.selection import below
from afterglow.store.knowledge import Knowledge
from writing import Transcript

MINUTES_APART = 30 * 24 * 60
Pair = tuple[str, str]

WORKED_REPLACING: tuple[Pair, ...] = (
    ("always deploy from `main`", "from now on deploy from `release`"),
    ("always use npm to install packages", "we moved to pnpm"),
    ("always start the dev server on port 3000", "use port 8080, not 3000"),
    ("never push to main", "you may push to main again"),
    ("remember: the default branch is `master`", "the default branch is `trunk` now"),
    ("always squash commits before merging", "no need to squash commits before merging any more"),
    ("always use jest for the unit tests", "we no longer use jest"),
    ("always write the docs in German", "from now on write the docs in English"),
    ("never use mocks in the integration tests", "mocks are fine in the integration tests again"),
    ("always use yarn for installs", "we switched from yarn to bun"),
    ("always rebase feature branches onto develop", "always rebase feature branches onto main"),
    ("remember: staging lives at staging.acme.dev", "staging now lives at stage.acme.io"),
)  # fmt: skip
WORKED_STAYING: tuple[Pair, ...] = (
    ("always run `make lint` before a commit", "from now on run `make test` before a commit"),
    ("never push to the release branch", "you may push to the release branch when ci is green"),
    ("always use snake_case in python files", "from now on use camelCase in typescript files"),
    ("always deploy from `stable`", "should we deploy from `edge`?"),
    ("always cut releases from `next`", "maybe we cut releases from `beta` from next month"),
    ("always use poetry for the dependencies", "we moved to ruff"),
    ("never log passwords to stdout", "never log passwords to files"),
    ("always use port 5000 for the dev server", "from now on also use port 5001 for the dev server"),
    ("never force push to develop", "for this release you may force push to develop again"),
    ("always use spaces in rust files", "use tabs, not spaces in makefiles"),
    ("always run the unit tests in parallel", "from now on run the unit tests in docker"),
    ("never tag releases by hand", "ok you can tag releases by hand now"),
)  # fmt: skip

FIRST_CONTACT_REPLACING: tuple[Pair, ...] = (
    (
        "remember: the api docs are published from the gh-pages branch",
        "the api docs are published from the docs branch now, we retired gh-pages",
    ),
    ("always tag me as reviewer on pull requests", "you don't have to tag me as reviewer on pull requests anymore"),
    ("please never run database migrations yourself", "from now on you can run database migrations yourself"),
    ("always use sqlite for the local database", "we switched the local database from sqlite to postgres"),
    ("from now on name feature branches feat/<ticket>", "from now on name feature branches <user>/<ticket>"),
    ("always target node 18", "we dropped node 18, always target node 22"),
    (
        "never edit the generated client by hand",
        "editing the generated client by hand is fine from now on, we stopped generating it",
    ),
    ("always keep functions below 50 lines", "going forward keep functions below 80 lines"),
    ("always format with prettier", "format with biome instead of prettier from now on"),
    ("remember that the nightly build starts at 02:00", "the nightly build starts at 04:30 now"),
    ("always add a changelog entry for every fix", "we no longer add a changelog entry for every fix"),
    ("from now on log in json", "going forward log in plain text, not in json"),
)  # fmt: skip
FIRST_CONTACT_STAYING: tuple[Pair, ...] = (
    ("always use feature flags for new endpoints", "from now on use feature flags for new screens"),
    ("never rename database columns", "you can rename database columns that were added this sprint again"),
    (
        "always use the staging cluster for load tests",
        "is the staging cluster still right for load tests now that we moved to gcp?",
    ),
    ("always write integration tests against a real redis", "from now on write unit tests against the fake redis"),
    ("never merge on red", "never merge on yellow either from now on"),
    ("always pin docker images by digest", "from now on pin github actions by digest as well"),
    ("remember: the frontend runs on port 4200", "the storybook runs on port 6006 now, not 6060"),
    ("always squash before merging into develop", "no need to squash before merging into release branches anymore"),
    ("always use ripgrep for searching", "we moved to typescript 5.6"),
    ("never commit directly to develop", "if the hotfix is urgent you may commit directly to develop again"),
    ("always answer in short sentences", "from now on answer with a code example"),
    ("always bump the minor version for features", "we might go back to bumping the patch version for features"),
)  # fmt: skip

SECOND_CONTACT_REPLACING: tuple[Pair, ...] = (
    ("always send the weekly report to finance@acme.io", "the weekly report goes to ops@acme.io from now on"),
    ("never upgrade react without asking", "you can upgrade react without asking from now on"),
    ("always use tailwind for styling", "we got rid of tailwind, use css modules for styling"),
    ("we always review on gitlab", "we review on github now"),
    ("remember: the production database is called orders", "the production database is called orders_v2 now"),
    ("always wrap errors with fmt.Errorf", "stop wrapping errors with fmt.Errorf from now on"),
    ("from now on all timestamps are in local time", "from now on all timestamps are in UTC"),
    ("always sign commits", "signing commits isn't required anymore"),
    ("always run the e2e suite against staging", "from now on run the e2e suite against preview"),
    ("never skip hooks when committing", "skipping hooks when committing is allowed again"),
    ("always use 4 workers", "from now on use 8 workers"),
    ("always import from @acme/ui", "import from @acme/design instead of @acme/ui going forward"),
)  # fmt: skip
SECOND_CONTACT_STAYING: tuple[Pair, ...] = (
    ("always send the weekly report to finance@acme.io", "from now on send the monthly report to the board"),
    ("never upgrade react without asking", "you can upgrade lodash without asking from now on"),
    ("always use tailwind for styling", "i think we should get rid of tailwind"),
    ("always cache responses for 5 minutes", "from now on cache images for 60 minutes"),
    ("never store tokens in local storage", "never store tokens in cookies from now on"),
    ("always sign commits", "no need to sign this commit again"),
    ("always run the e2e suite against staging", "just for the demo run the e2e suite against preview"),
    ("always read the contributing guide first", "from now on read the security policy first"),
    ("always use 4 workers", "from now on use 4 workers and 2 threads"),
    ("never call the payment api in tests", "calling the weather api in tests is fine again"),
    ("always keep the readme in English", "from now on keep the release notes in French"),
    ("always use pytest fixtures for the database", "from now on use pytest markers for slow tests"),
)  # fmt: skip

THIRD_CONTACT_REPLACING: tuple[Pair, ...] = (
    ("always publish packages from the `release` workflow", "from now on publish packages from the `publish` workflow"),
    ("never delete feature branches after the merge", "you may delete feature branches after the merge again"),
    ("always use `requests` for http calls", "we moved from `requests` to `httpx`"),
    ("remember: secrets live in 1password", "secrets now live in vault"),
    ("always put helper scripts under tools/", "put helper scripts under scripts/ from now on"),
    ("always set the timeout to 30 seconds", "set the timeout to 90 seconds from now on, 30 is too short"),
    ("always ask me before you create a migration", "no need to ask me before you create a migration anymore"),
    ("always use docker for local development", "we use podman now instead of docker for local development"),
    ("never reformat files you did not change", "reformatting files you did not change is ok again"),
    ("always write release notes in German", "from now on write release notes in English, not in German"),
    ("please always open pull requests against develop", "we retired develop, always open pull requests against main"),
    ("remember: the ci runs on ubuntu 22.04", "the ci runs on ubuntu 24.04 now"),
)  # fmt: skip
THIRD_CONTACT_STAYING: tuple[Pair, ...] = (
    ("always publish packages from the `release` workflow", "from now on publish the docs from the `pages` workflow"),
    ("never delete feature branches after the merge", "from now on delete merged tags after a week"),
    ("always use `requests` for http calls", "would it be hard to move from `requests` to `httpx`"),
    ("remember: secrets live in 1password", "test fixtures now live in vault"),
    ("always put helper scripts under tools/", "from now on put helper scripts for ci under .github/"),
    ("always set the timeout to 30 seconds", "from now on set the retry limit to 5"),
    ("always ask me before you create a migration", "no need to ask me before you create a branch anymore"),
    ("always use docker for local development", "we use terraform now for the infrastructure"),
    ("never reformat files you did not change", "never reformat vendored files from now on"),
    ("always write release notes in German", "ana says the release notes are in English now"),
    ("please always open pull requests against develop", "from now on open hotfix pull requests against main"),
    ("always run `npm audit` in ci", "from now on run `npm outdated` in ci"),
)  # fmt: skip


class Outcome(Struct, frozen=True):
    """What became of a pair. `replaced`: the older made place, and the newer is told instead."""

    pair: Pair
    replaced: bool
    told: tuple[str, ...]


def outcomes(pairs: Iterable[Pair]) -> list[Outcome]:
    """All pairs harvested together, each in its repository."""
    pairs = list(pairs)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        for number, pair in enumerate(pairs):
            for session in _sessions(number, pair):
                session.save(home / "sessions")
        config = Config(home=home / "home", user_home=home / "user")
        harvest(config, below(home / "sessions"))
        with Knowledge(config.knowledge) as knowledge:
            items = knowledge.items(miner=RULES, evidence=True)
    return [
        _outcome(pair, [item for item in items if item.repo == _repo(number)])
        for number, pair in enumerate(pairs)
    ]


def _repo(number: int) -> str:
    return f"pair{number}"


def _sessions(number: int, pair: Pair) -> Iterator[Transcript]:
    for later, words in enumerate(pair):
        session = Transcript(
            2 * number + later + 1,
            cwd=f"/home/ana/src/{_repo(number)}",
            start=later * MINUTES_APART,
        )
        yield (
            session.user("have a look at the pipeline")
            .run("ls -la", "README.md")
            .user(words)
            .reply("Understood.")
        )


def _outcome(pair: Pair, items: list[KnowledgeItem]) -> Outcome:
    older = [item for item in items if _quotes(item, pair[0])]
    newer = [item for item in items if _quotes(item, pair[1])]
    is_replaced = bool(older) and all(item.status == "superseded" for item in older)
    is_told = any(item.status == "active" for item in newer)
    told = tuple(item.fact for item in items if item.status == "active")
    return Outcome(pair, is_replaced and is_told, told)


def _quotes(item: KnowledgeItem, words: str) -> bool:
    return any(span.quote in words for span in item.evidence)


def main() -> None:
    for name, replacing, staying, at_first in (
        ("at hand", WORKED_REPLACING, WORKED_STAYING, ""),
        ("first", FIRST_CONTACT_REPLACING, FIRST_CONTACT_STAYING, "7 and 0"),
        ("second", SECOND_CONTACT_REPLACING, SECOND_CONTACT_STAYING, "7 and 0"),
        ("third", THIRD_CONTACT_REPLACING, THIRD_CONTACT_STAYING, "10 and 0"),
    ):
        right = [outcome for outcome in outcomes(replacing) if outcome.replaced]
        wrong = [outcome for outcome in outcomes(staying) if outcome.replaced]
        print(
            f"{name}: replaced {len(right)} of {len(replacing)} that must be, "
            f"{len(wrong)} of {len(staying)} that must not"
            + (f" (when first run: {at_first})" if at_first else "")
        )


if __name__ == "__main__":
    main()
