"""replay, end to end: nothing from the future, the same numbers as a plain recomputation, knowledge left alone."""

from __future__ import annotations

from collections import Counter

import pytest

from afterglow.config import Config
from afterglow.context import choose
from afterglow.errors import NotFound
from afterglow.flows.harvest import Merging
from afterglow.flows.measure import replay
from afterglow.flows.read import scan
from afterglow.records.context import Need
from afterglow.records.selection import Selection, below
from afterglow.records.session import Outcome
from afterglow.sessions import load
from afterglow.store.catalog import Catalog
from afterglow.store.findings import Findings
from afterglow.store.in_memory_knowledge import Rehearsal
from afterglow.text.fingerprint import fingerprint
from afterglow.text.tokens import estimate
from afterglow_demo import write_fleet
from writing import Transcript

STAT = "unknown flag: --stat"
HOUR = 60  # the clock of a transcript counts minutes
DAY = 24 * HOUR


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


def lesson(number: int, **options) -> Transcript:
    """A session that learns that `gh pr diff` has no --stat."""
    return (
        Transcript(number, **options)
        .user("what changed in the pull request?")
        .run(f"gh pr diff {40 + number} --stat", f"Exit code 1\n{STAT}", error=True)
        .run(f"gh pr diff {40 + number} --name-only", "dock/agent.go")
        .reply("One file changed.")
    )


def walked(config, folder, *transcripts, repo=None, **options):
    for transcript in transcripts:
        transcript.save(folder)
    return replay(config, Selection(repo=repo, paths=(folder,)), **options)


def test_a_repeated_error_has_its_remedy_in_view(config, tmp_path):
    report, rows = walked(
        config, tmp_path / "s", *(lesson(n, start=n * DAY) for n in (1, 2, 3))
    )
    in_view = report.shares["in view"].count
    assert (report.errors, report.first.count, in_view) == (3, 1, 1)
    assert [bool(row.context) for row in rows] == [False, False, True]
    assert "--name-only" in rows[2].context
    assert rows[2].tokens == estimate(rows[2].context)
    assert [row.started_at for row in rows] == sorted(row.started_at for row in rows)


def test_what_one_session_showed_is_at_hand_when_it_fails_again(config, tmp_path):
    report, rows = walked(
        config, tmp_path / "s", *(lesson(n, start=n * DAY) for n in (1, 2))
    )
    assert [len(row.hints) for row in rows] == [0, 1]
    (hint,) = rows[1].hints
    assert "once, on " in hint.text
    assert "--name-only" in hint.text
    assert len(hint.items) == 1
    moments = {moment.name: moment for moment in report.on_failure.moments}
    assert moments["failure"].repeats.count == report.on_failure.once == 1


def test_what_the_last_session_teaches_is_in_no_earlier_context(config, tmp_path):
    planted = (
        Transcript(9, start=9 * DAY)
        .user("from now on always moor the kestrel at pier 17")
        .reply("Noted.")
    )
    _, rows = walked(
        config, tmp_path / "s", *(lesson(n, start=n * DAY) for n in (1, 2)), planted
    )
    assert len(rows) == 3
    assert not any("kestrel" in row.context for row in rows)
    later = lesson(10, start=12 * DAY)
    _, rows = walked(config, tmp_path / "s", later)
    assert ["kestrel" in row.context for row in rows] == [False, False, False, True]


def test_sessions_that_overlap_do_not_see_each_other(config, tmp_path):
    early = lesson(1, start=DAY)
    during = lesson(2, start=DAY + 2)  # starts before the other ended
    after = lesson(3, start=DAY + HOUR)
    report, rows = walked(config, tmp_path / "s", early, during, after)
    assert [bool(row.hints) for row in rows] == [False, False, True]
    assert report.first.count == 2


def test_a_session_that_starts_when_another_ends_does_not_see_it(config, tmp_path):
    first = lesson(1, start=DAY)
    second = lesson(
        2, start=first.clock - 1
    )  # its first line has the time of the other's last
    report, _ = walked(config, tmp_path / "s", first, second)
    assert report.first.count == 2


def test_knowledge_is_not_written(config, tmp_path):
    walked(config, tmp_path / "s", lesson(1), lesson(2, start=DAY))
    assert not config.knowledge.exists()


def test_walking_twice_gives_the_same(config, tmp_path):
    one, rows = walked(
        config, tmp_path / "s", *(lesson(n, start=n * DAY) for n in (1, 2, 3))
    )
    other, again = replay(config)
    assert rows == again
    assert one.shares == other.shares


def test_since_chooses_what_is_judged_and_not_what_is_known(config, tmp_path):
    walked(config, tmp_path / "s", *(lesson(n, start=n * DAY) for n in (1, 2, 3)))
    _, rows = replay(config)
    last = rows[-1]
    with Catalog(config.catalog) as catalog:
        since = max(entry.start for entry in catalog.entries())
    report, rows = replay(config, Selection(since=since))
    assert rows == [last]
    assert report.sessions == 1


def test_one_repository_has_no_placebo_and_says_so(config, tmp_path):
    report, _ = walked(config, tmp_path / "s", lesson(1), lesson(2, start=DAY))
    assert report.placebo.in_view is None
    assert "none" in report.placebo.reason


def test_the_placebo_is_another_project_no_longer_than_the_context(config, tmp_path):
    own = [lesson(n, start=n * DAY) for n in (1, 2, 3)]
    other = [
        Transcript(10 + n, cwd="/home/ana/src/lantern", start=n * DAY)
        .user("build it")
        .run("lampctl light --quick", "Exit code 1\nunknown flag: --quick", error=True)
        .run("lampctl light --verbose", "lit")
        .reply("Lit.")
        for n in (1, 2, 3)
    ]
    report, rows = walked(config, tmp_path / "s", *own, *other, repo="harbor")
    assert report.placebo.repo == "lantern"
    assert report.placebo.in_view.count == 0
    sham, shams = replay(config, Selection(repo="harbor"), placebo=True)
    assert sham.given == "placebo"
    assert sham.shares["in view"].count == 0
    assert all(one.tokens <= own.tokens for one, own in zip(shams, rows, strict=True))
    assert not any("--name-only" in one.context for one in shams)


def test_a_path_that_is_not_there_is_an_error(config, tmp_path):
    with pytest.raises(NotFound, match="is not there"):
        replay(config, below(tmp_path / "nothing"))


def test_a_source_that_cannot_be_read_any_more_is_reported(config, tmp_path):
    gone = lesson(1).save(tmp_path / "s")
    lesson(2, start=DAY).save(tmp_path / "s")
    scan(config, [tmp_path / "s"])
    gone.unlink()
    report, rows = replay(config)
    assert gone.name in report.troubles[0][0]
    assert len(rows) == 1
    assert report.left_out == {"not readable": 1}


def test_nothing_to_walk_is_an_answer(config):
    report, rows = replay(config)
    assert (report.sessions, rows) == (0, [])


def test_the_numbers_on_a_fleet_are_those_of_a_plain_recomputation(tmp_path):
    """For each session everything is made anew from what had ended by then, and looked through in the plainest way."""
    write_fleet(tmp_path / "fleet", seed=9, sessions=90, scale=0.2)
    home = tmp_path / "fleet"
    config = Config(home=tmp_path / "kept", user_home=home, paths=(home / "openai",))
    scan(config)
    report, rows = replay(config, budget=TIGHT)
    kinds, contexts = plainly(config)
    assert {row.session_id: row.context for row in rows} == contexts
    assert report.errors == sum(kinds.values())
    assert report.first.count == kinds["first"]
    assert (
        report.shares["in view"].count + report.shares["harm"].count == kinds["in view"]
    )
    assert report.shares["no remedy"].count == kinds["no remedy"]
    assert report.shares["not shown"].count == kinds["not shown"]
    assert report.shares["unknown"].count == kinds["unknown"]
    assert min(kinds["first"], kinds["in view"], kinds["not shown"]) > 0


TIGHT = 150  # tokens: not everything that is known has room


def plainly(config) -> tuple[Counter, dict[str, str]]:
    with Catalog(config.catalog) as catalog:
        entries = [
            one
            for one in catalog.entries()
            if one.origin == "main" and one.start is not None
        ]
        findings = Findings(catalog).by_session()
    sessions = {entry.key: session_of(entry) for entry in entries}
    kinds: Counter = Counter()
    contexts = {}
    for entry in entries:
        before = [
            one for one in entries if max(one.start, one.end or 0.0) < entry.start
        ]
        known = known_from(before, findings)
        turns = sessions[entry.key].turns
        task = next(
            (
                turn.text
                for turn in turns
                if turn.role == "user" and turn.kind == "said"
            ),
            "",
        )[:4000]
        same = [one for one in before if one.repo == entry.repo]
        need = Need(
            now=entry.start,
            repo=entry.repo,
            agent=entry.agent,
            task=task,
            sessions=len(same),
        )
        context = choose(known.values(), need, count=estimate, budget=TIGHT)
        contexts[entry.id] = context.text
        met = {error for one in same for error in errors_of(sessions[one.key])}
        for error in errors_of(sessions[entry.key]):
            telling = [item for item in known.values() if error[1] in item.fingerprints]
            shown = [
                item
                for item in telling
                if item.id in {one.item for one in context.shown}
            ]
            if error not in met:
                kinds["first"] += 1
            elif shown:
                kinds[
                    "in view" if any(item.remedy for item in shown) else "no remedy"
                ] += 1
            else:
                kinds["not shown" if telling else "unknown"] += 1
    return kinds, contexts


def session_of(entry):
    from pathlib import Path

    return next(
        one for one in load(Path(entry.source), only={entry.id}) if one.id == entry.id
    )


def known_from(before, findings):
    """Everything that had been found by then, merged at once."""
    topics: dict[str, list] = {}
    for entry in sorted(before, key=lambda one: (one.start, one.id, one.source)):
        for finding in findings.get(entry.key, ()):
            topics.setdefault(finding.topic, []).append(finding)
    newest: dict[str, float] = {}
    for entry in before:
        newest[entry.repo] = max(entry.end or entry.start, newest.get(entry.repo, 0.0))
    store = Rehearsal()
    Merging(
        store, newest, lambda some: {one: topics[one] for one in some if one in topics}
    ).merge(topics, 0.0)
    return store.kept


def errors_of(session) -> list[tuple[str, str]]:
    """Failed and masked calls; alike in one turn once."""
    found = []
    for turn in session.turns:
        failed = [
            call for call in turn.calls if call.outcome is Outcome.FAILED or call.masked
        ]
        found += dict.fromkeys((call.tool, fingerprint(call.error)) for call in failed)
    return found
