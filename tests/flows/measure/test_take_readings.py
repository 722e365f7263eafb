"""measure end to end: from sessions, items and the ledger to readings, snapshots, the dashboard and the page."""

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace
from tests.measure.measuring import delivery, given

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.harvest import harvest
from afterglow.flows.measure import measure, outline, save
from afterglow.flows.read import scan
from afterglow.measure.page import page
from afterglow.measure.reading_text import sparkline
from afterglow.records.selection import Selection, below
from afterglow.store.catalog import Catalog
from afterglow.store.ledger import Ledger
from afterglow.store.measure_cache import NAME, glances
from afterglow.text.word_marks import words_mark
from keeping import DAY, NOW, item, keep
from writing import Transcript, ordinary


@pytest.fixture
def config(tmp_path):
    """Three sessions of harbor; the second and third repeat the error of the first."""
    for number in range(3):
        ordinary(number, start=2000 * number).save(tmp_path / "sessions")
    settings = Config(home=tmp_path / "kept", user_home=tmp_path)
    scan(settings, [tmp_path / "sessions"])
    return settings


def named(found, name):
    (one,) = [one for one in found.readings if one.name == name]
    return one


def test_a_first_run_without_items_or_deliveries_measures_what_it_can(config):
    found = measure(config)
    assert (found.sessions, found.items, found.deliveries) == (3, 0, 0)
    assert named(found, "error recurrence").value == pytest.approx(2 / 3)
    assert named(found, "error rate").value == pytest.approx(1 / 3)
    assert named(found, "first-try success").value == pytest.approx(1 / 2)
    assert "no active items yet" in named(found, "velocity").reason
    assert "no context has been delivered yet" in named(found, "hit rate").reason
    assert not config.knowledge.exists() and not config.ledger.exists()


def test_items_and_deliveries_are_read_where_there_are_any(config):
    keep(
        config,
        item(1, domain="build"),
        item(2, status="candidate"),
        item(3, repo="mole"),
    )
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery(1, 1, given(used=True)))
    found = measure(config)
    assert (found.items, found.deliveries, named(found, "hit rate").value) == (
        2,
        1,
        1.0,
    )
    assert measure(config, Selection(repo="harbor")).items == 1
    assert measure(config, Selection(repo="mole")).deliveries == 0


def test_filters_choose_sessions_and_recurrence_still_looks_back(config):
    with Catalog(config.catalog) as catalog:
        last = glances(catalog)[-1]
    found = measure(config, Selection(since=last.start))
    assert (found.sessions, named(found, "error recurrence").value) == (1, 1.0)
    assert measure(config, Selection(agent="codex")).sessions == 0
    assert found.selection == {"since": found.last_day}


def test_until_leaves_out_what_came_later(config):
    with Catalog(config.catalog) as catalog:
        last = max(glance.end for glance in glances(catalog))
    assert measure(config, Selection(until=last)).sessions == 2
    assert measure(config, Selection(until=last + 1)).sessions == 3


def test_who_only_looks_settles_nothing(config):
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery(1, 400, given(), state="waiting"))
    before = config.ledger.read_bytes()
    measure(config, settle=False)
    assert config.ledger.read_bytes() == before


def test_the_outline_says_what_can_be_chosen(config):
    assert outline(config).sessions == 3
    assert outline(config).repos == ("harbor",)
    assert outline(config).agents == ("claude-code",)


def test_what_is_remembered_is_what_the_rows_say_and_a_scan_forgets_it(
    config, tmp_path
):
    with Catalog(config.catalog) as catalog:
        first = glances(catalog)
        assert catalog.fact(NAME) and glances(catalog) == first
    Transcript(9, start=9000).user("go on").run("ls").reply("Done.").save(
        tmp_path / "sessions"
    )
    scan(config, [tmp_path / "sessions"])
    with Catalog(config.catalog) as catalog:
        assert not catalog.fact(NAME) and len(glances(catalog)) == 4


def test_an_unchanged_scan_does_not_forget_it(config, tmp_path):
    measure(config)
    scan(config, [tmp_path / "sessions"])
    scan(config, [tmp_path / "sessions"])
    with Catalog(config.catalog) as catalog:
        assert catalog.fact(NAME)


def test_a_second_snapshot_of_a_day_replaces_the_first_and_later_days_show_the_change(
    config,
):
    for _ in range(2):
        path = save(config, measure(config, now=NOW))
    assert [one.name for one in path.parent.glob("*.json")] == ["2026-11-18.json"]
    assert measure(config, now=NOW).readings[0].past == ()
    found = named(measure(config, now=NOW + DAY), "error rate")
    assert [(past.day, past.value) for past in found.past] == [
        ("2026-11-18", found.value)
    ]
    saved = json.loads(path.read_text())
    assert {one["name"] for one in saved["readings"]} >= {"velocity", "hit rate"}


def test_the_dashboard_shows_the_trend_and_plots_that_are_there(config):
    save(config, measure(config, now=NOW))
    save(config, measure(config, now=NOW + DAY))
    folder = config.home / "metrics"
    text = (folder / "dashboard.md").read_text()
    assert (
        "same since 11-18" in text
        and "observational" in text
        and "no proof of cause" in text
    )
    shown = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert all((folder / name).read_text().startswith("<svg") for name in shown)


def test_a_snapshot_of_a_part_is_refused(config):
    with pytest.raises(UsageError, match="leave out --repo"):
        save(config, measure(config, Selection(repo="harbor")))


def test_a_damaged_snapshot_is_named_and_not_fatal(config):
    path = save(config, measure(config, now=NOW))
    path.write_text("{")
    found = measure(config, now=NOW + DAY)
    assert found.readings[0].past == () and str(path) in found.troubles[0]


def test_the_page_opens_offline_and_its_tags_close(config):
    keep(config, *(item(n, domain="build") for n in range(12)))
    html = page(measure(config), simulated=True)
    assert not re.search(r"https?://|<script|src=|href=|@import|url\(", html)
    assert (
        "observational" in html
        and "Simulated" in html
        and "no context has been delivered yet" in html
    )
    open_ = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag not in {"meta", "br", "wbr"}:
                open_.append(tag)

        def handle_endtag(self, tag):
            assert open_.pop() == tag

    Tags().feed(html)
    assert open_ == []


def test_a_sparkline_needs_a_course():
    assert sparkline([]) == sparkline([1]) == sparkline([2, 2]) == ""
    assert sparkline([0, 3, 7]) == "▁▄█"


LINE = "on 1 Oct the same error; `gh pr diff 7 --name-only` worked"
FLAG = "Exit code 1\nerror: unknown flag: --stat"


def diff_session(number: int, told: bool) -> Transcript:
    """A session that wants to know what changed: told what worked before, or left to find out."""
    story = Transcript(number, start=number * 300).user("what changed?")
    story.run("gh pr diff 7 --stat", FLAG, error=True)
    if told:
        hook = {"type": "hook_additional_context", "content": [LINE]}
        story._line(type="attachment", attachment=hook)
    else:
        story.run("gh pr diff 7 --stat -R harbor", FLAG, error=True)
        story.run("gh help pr diff", "see --name-only")
    return story.run("gh pr diff 7 --name-only", "dock/agent.go").reply("One file.")


def test_each_moment_is_set_against_untold_repeats_of_the_same_problem(tmp_path):
    config = Config(home=tmp_path / "kept", user_home=tmp_path)
    remedy = given(
        situation="`gh pr diff <n> --stat` fails", remedy="`gh pr diff <n> --name-only`"
    )
    with Ledger(config.ledger) as ledger:
        for number in range(16):
            story = diff_session(number, told=number % 2 == 1)
            story.save(tmp_path / "sessions")
            if number % 2 == 0:
                continue
            time = datetime.fromisoformat(json.loads(story.lines[0])["timestamp"])
            hint = delivery(number, 0, remedy, when="failure", state="waiting")
            marks = {"session": story.id, "words": words_mark(LINE)}
            ledger.add(replace(hint, time=time.timestamp() + 60, **marks))
    harvest(config, below(tmp_path / "sessions"))
    later = datetime(2026, 10, 6, tzinfo=UTC).timestamp()
    measured = measure(config, now=later)
    (moment,) = measured.moments
    assert (moment.when, moment.deliveries, moment.proved) == ("failure", 8, 8)
    assert (moment.used, moment.ignored, moment.solved) == (8, 0, 8)
    assert moment.calls is not None
    assert moment.untold is not None
    assert (moment.calls.value, moment.calls.n) == (1.0, 8)
    assert (moment.untold.value, moment.untold.n) == (3.0, 7)
    assert moment.verdict == "fewer calls"
    assert "By the moment" in page(measured)
    assert "untold repeats" in (save(config, measured).parent / "dashboard.md").read_text()  # fmt: skip
    assert measure(config, Selection(repo="mole"), now=later).moments == ()


def test_a_context_told_again_is_no_second_delivery_of_its_items(config):
    with Ledger(config.ledger) as ledger:
        ledger.add(delivery(1, 1, given(used=True)))
        repeat = delivery(1, 1, given(used=False), when="compaction")
        ledger.add(replace(repeat, id=f"{repeat.id}@compaction"))
    measured = measure(config)
    assert (measured.deliveries, named(measured, "hit rate").n) == (1, 1)
    assert [moment.when for moment in measured.moments] == ["start", "compaction"]
