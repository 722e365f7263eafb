"""Lessons as a writer might word them, judged: what tells the work, what misleads, what says nothing."""

from __future__ import annotations

import pytest
from bench.closed_loop.families import FAMILIES

RIGHT = {
    "tramline-slots": "When booking a platform with ./slot, append the depot's offset: 10:00+09:00.",
    "tramline-letters": "`./post send` refuses more than 40 letters in one call; send them in ranges of 40.",
    "tramline-fares": "Messages of `./fare set` end with a slash and the ticket id.",
    "tramline-signs": "`./sign show STOP` needs `--panel north`; the left panels no longer answer.",
    "apiary-roster": "roster answers 404 for members past the first page: pass `--limit 500`.",
    "apiary-feed": "On 429 from ./feed create var/feed.wait, then order again.",
    "apiary-samples": "Set APIARY_LAB to the content of share/queens.txt before `./lab send`.",
    "apiary-labels": "The user wants labels to be read by Odile: `./label send NAME --reader odile`.",
    "pressroom-galleys": "If ./galley reports an old font table, remove var/fonts first.",
    "pressroom-ink": "black is taken from conf.d/90-house.ini, which overrides ink.ini.",
    "pressroom-dispatch": "Before `./bundle` run `./endorse`; otherwise ./ship fails with digest mismatch.",
    "pressroom-orders": "Order lists are taken from tray/, not stage/ any more.",
    "beacon-gauges": "Gauges listen on port 7143 here.",
    "beacon-lenses": "After editing a .cfg write its sha256sum to the SUMS file, then load.",
    "beacon-watches": "Notes on a closed watch belong in logbook/NAME.md.",
    "beacon-signals": "./signal send needs --once with a unique word, or it answers 409.",
    "glasshouse-beds": "Prepare a bed with ./turn and then ./soak before sowing.",
    "glasshouse-vents": "Vents are opened with `./vent bus NAME` (the relay is gone).",
    "glasshouse-lamps": "In ./lamp, rows are now named strip/NAME.",
    "glasshouse-tally": "Run tally.py with opt/twin/run instead of python3.",
    "quarry-blasts": "Run `./blast run FACE --dry` once before the real blast.",
    "quarry-carts": "./haul wants the yard with a trailing slash.",
    "quarry-scans": "out/ is read-only, so scan with `--out spool`.",
    "quarry-assays": "Changelog entries on assays start with 'Buyers:'.",
    "playhouse-seats": "The box office writes row ids with hyphens instead of underscores.",
    "playhouse-bills": "./bill publish gives 405; use `./bill propose`.",
    "playhouse-costumes": "Run ./importer before ./indexer.",
    "playhouse-rights": "Set PLAYHOUSE_DESK=annex for ./rights (desk 3 is closed).",
    "kennel-shots": "Switch the profile first: `./clinic use paddock`.",
    "kennel-walks": "After ./walk do `./leash drop NAME`, or the notice stays busy.",
    "kennel-food": "Upstream is unreachable; ./pantry fetch NAME --from depot/d uses the mirror.",
    "kennel-diets": "Diet sheets give the amount as `300 g/day`.",
}
WRONG = {
    "tramline-signs": "`./sign show` fails without a panel: add `--panel left`.",
    "apiary-feed": "When ./feed says 429, sleep 60 and order again.",
    "apiary-samples": "./lab needs APIARY_LAB from etc/lab.key.",
    "pressroom-ink": "Set black in ink.ini and then run ./ink mix.",
    "pressroom-orders": "Give ./intake the path in stage/.",
    "beacon-watches": "Write a note of the closed watch into NOTES.md.",
    "glasshouse-beds": "Before you sow, soak the bed and turn it.",
    "glasshouse-vents": "`./vent open` answers 503; use `./vent relay`.",
    "glasshouse-tally": "tally.py needs another interpreter: opt/lts/run.",
    "quarry-scans": "scan fails with errno 30: chmod the folder out.",
    "playhouse-rights": "./rights ask works with PLAYHOUSE_DESK=3.",
    "kennel-food": "./pantry fetch works with --from depot/b.",
}
MASKED = {
    "tramline-slots": "`./slot book <name> <n>:<n>` fails → `./slot book <name> <n>:<n>+<n>:<n>` works",
    "tramline-letters": "`./post send <name> <n>-<n>` fails with 413",
    "tramline-signs": "`./sign show <name>` fails → add `--panel`: `./sign show <name> --panel <name>`",
    "beacon-gauges": "`./gauge read <name>` fails → `./gauge read <name> --port <n>` works",
    "apiary-labels": "Labels are sent with `./label send HIVE`.",
    "kennel-shots": "./clinic book answers 403 with the default profile.",
}


def judged(name, line):
    family = next(family for family in FAMILIES if family.full_name == name)
    return family.task(4).lesson(
        f"What earlier sessions taught:\n- {line} [2 sessions]"
    )


def test_there_is_a_line_for_every_family():
    assert set(RIGHT) == {family.full_name for family in FAMILIES}


@pytest.mark.parametrize("name", RIGHT)
def test_a_line_that_tells_what_to_do_is_right(name):
    assert judged(name, RIGHT[name]) == "right"


@pytest.mark.parametrize("name", WRONG)
def test_a_line_that_misleads_is_wrong(name):
    assert judged(name, WRONG[name]) == "wrong"


@pytest.mark.parametrize("name", MASKED)
def test_a_line_that_leaves_out_what_decides_tells_nothing(name):
    assert judged(name, MASKED[name]) == "missing"


@pytest.mark.parametrize("name", RIGHT)
def test_lines_of_other_work_in_the_project_do_not_change_it(name):
    project = name.split("-")[0]
    lines = [line for key, line in RIGHT.items() if key.split("-")[0] == project]
    assert judged(name, "\n- ".join(lines)) == "right"
    lines.remove(RIGHT[name])
    assert judged(name, "\n- ".join(lines)) == "missing"
