"""A test run that ended well because it ran no test, and how the same tests were run after all.

`No tests found, exiting with code 0` looks green: a filter that the runner did not understand, or that its wrapper handed
on as something else. What is told is how sessions reached the tests they had asked for: the program and the flags that
most of them have in common, as most of them wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afterglow.calls import Command, join, kind_of_work, lasting_name
from afterglow.harvest.agreeing_findings import agreement, sessions_by_value
from afterglow.harvest.events.explained import places
from afterglow.harvest.events.failures import Symptom, symptoms
from afterglow.harvest.quotable import report_in
from afterglow.harvest.test_counts import ran_tests, says_no_tests
from afterglow.harvest.trail import Step, Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.text.fingerprint import fingerprint

NAME = "ran-nothing"
VERSION = 2

MIN_SESSIONS = 2  # in which the same way reached the tests
MAX_REACH = 16  # calls behind the empty run in which the tests are reached
MIN_ASKED = 4  # letters by which two runs ask for the same tests
MAX_FORM_CHARACTERS = 80  # of a command in a sentence
PLACEHOLDER = "<name>"
# The two runs stand side by side; below what makes one session enough.
DIRECTNESS = 0.75

_SIGNS = re.compile(r"[^a-z0-9]+")
_FLAG = re.compile(r"(--?[A-Za-z][\w-]*=)(.+)", re.DOTALL)
# What a sentence can repeat of a command: what was asked for is a placeholder in it.
_FORM = re.compile(rf"[\w@./:+=<> &-]{{1,{MAX_FORM_CHARACTERS}}}")


def mine(trail: Trail) -> Iterator[Finding]:
    if not trail.repo:
        return
    for step, symptom in zip(trail.steps, symptoms(trail), strict=True):
        message = _message(step, symptom)
        test = _test(step) if message else None
        if test is None:
            continue
        reached = _reached(trail, step, test)
        if reached is not None:
            yield _finding(trail, step, reached[0], message, (test, reached[1]))


def _message(step: Step, symptom: Symptom | None) -> str:
    """What a run says that ran no test, whatever its exit code."""
    if symptom is None or step.action.kind != "shell":
        return ""
    line = next((item.text for item in symptom.lines if says_no_tests(item.text)), "")
    return "" if line and ran_tests(step.call.result or "") else line


def _test(step: Step) -> Command | None:
    """The only command of a line that runs tests."""
    tests = [item for item in step.action.working if kind_of_work(item) == "test"]
    return tests[0] if len(tests) == 1 else None


def _reached(trail: Trail, step: Step, test: Command) -> tuple[Step, Command] | None:
    """The next run of what was asked for that says how many tests it ran; none where the same call did, or where files
    were edited before: a test may have been written."""
    tests_named = _asked(test)
    for later in trail.steps[step.index + 1 : step.index + 1 + MAX_REACH]:
        if later.edits:
            return None
        if later.action.kind != "shell" or not ran_tests(later.call.result or ""):
            continue
        working = _test(later)
        if working is not None and _is_asked(tests_named, _asked(working)):
            return (later, working) if working.words != test.words else None
    return None


def _asked(test: Command) -> frozenset[str]:
    """The tests that a run names, as both ways of writing them share it."""
    names = (_letters(_value(word)) for word in test.words[_task_end(test) :])
    return frozenset(name for name in names if len(name) >= MIN_ASKED)


def _task_end(test: Command) -> int:
    """Behind program and task: what stands before says in which package, not which tests."""
    tasks = [test.words.index(word) for word in test.subcommand if word in test.words]
    return 1 + max(tasks, default=0)


def _value(word: str) -> str:
    """Of `--pattern=lamps` the value; an option without one names nothing."""
    flag = _FLAG.fullmatch(word)
    if flag:
        return flag[2]
    return "" if word.startswith("-") else word


def _letters(word: str) -> str:
    return _SIGNS.sub("", word.lower())


def _is_asked(tests_named: frozenset[str], later: frozenset[str]) -> bool:
    return any(_is_in(name, later) for name in tests_named)


def _is_in(name: str, tests_named: frozenset[str]) -> bool:
    return any(name in test or test in name for test in tests_named)


def _finding(
    trail: Trail,
    step: Step,
    reached: Step,
    message: str,
    tests: tuple[Command, Command],
) -> Finding:
    failing, working = tests
    tests_named = _asked(failing), _asked(working)
    slots = {
        "fails": _form(failing, tests_named[1]),
        "came": _in_folder(
            _folder(trail, reached, working), _form(working, tests_named[0])
        ),
        "way": lasting_name(working),
        "green": "yes" if step.ok else "",
        "said": message.strip(),
    }
    evidence = (trail.asked(step), trail.got_words(step, message), trail.asked(reached))
    topic = f"{trail.repo}|ran nothing|{lasting_name(failing)}"
    return Finding(
        NAME,
        topic,
        slots,
        evidence,
        fingerprint=fingerprint(step.call.error or message),
        cost=reached.index - step.index,
    )


def _form(test: Command, tests_named: frozenset[str]) -> str:
    """The command with a placeholder for what both runs ask for."""
    wrappers = [wrapper.text for wrapper in test.wrappers if not wrapper.line]
    end = _task_end(test)
    values = (_masked(word, tests_named) for word in test.words[end:])
    return " ".join([*wrappers, *test.words[:end], *values])


def _masked(word: str, tests_named: frozenset[str]) -> str:
    letters = _letters(_value(word))
    if len(letters) < MIN_ASKED or not _is_in(letters, tests_named):
        return word
    flag = _FLAG.fullmatch(word)
    return f"{flag[1]}{PLACEHOLDER}" if flag else PLACEHOLDER


def _folder(trail: Trail, step: Step, test: Command) -> str:
    """Where it ran, from where the session began; empty for there, and for what is of one machine."""
    home = trail.session.cwd
    folder = home
    for directory in (places(trail).get(step.index, ""), test.directory):
        folder = join(folder, directory) if directory else folder
    is_inside = bool(home) and folder.startswith(f"{home}/")
    return folder.removeprefix(f"{home}/") if is_inside else ""


def _in_folder(folder: str, form: str) -> str:
    return f"cd {folder} && {form}" if folder else form


def tell(findings: Sequence[Finding]) -> Telling | str:
    agreed = agreement(findings, "way")
    if agreed is None:
        return "sessions do not agree on how the tests are reached"
    agreeing = agreed.findings
    fails, works = _form_of(agreeing, "fails"), _form_of(agreeing, "came")
    report = report_in(agreeing[-1].slots["said"])
    if not (fails and works and report) or fails == works:
        return "the calls cannot be told in short"
    looks = ", looks green" if all(item.slots["green"] for item in agreeing) else ""
    situation = f"runs no test{looks}: `{fails}`: {report}"
    remedy = f"use `{works}`"
    return Telling(
        f"{situation}: {remedy}.",
        "pitfall",
        situation,
        remedy,
        DIRECTNESS,
        "test",
        ("ran-nothing",),
        rests_on=agreed.places,
        times=len(agreeing),
    )


def _form_of(findings: Sequence[Finding], slot: str) -> str:
    """The shortest form that two sessions wrote, else one did; empty where it asks for nothing, or is too long."""
    counts = sessions_by_value(findings, slot)
    forms = [form for form in counts if PLACEHOLDER in form and _FORM.fullmatch(form)]
    ranked = sorted(
        forms, key=lambda form: (counts[form] < MIN_SESSIONS, len(form), form)
    )
    return ranked[0] if ranked else ""
