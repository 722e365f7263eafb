"""Where things are."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from afterglow.harvest.confidence import DIRECT
from afterglow.harvest.events.keys import place_keys
from afterglow.harvest.miners import moved_paths
from afterglow.harvest.trail import Trail
from afterglow.records.knowledge import Finding, Telling
from afterglow.sessions import load
from writing import Transcript

HOME = "/home/ana/src/harbor"
GONE = "<tool_use_error>File does not exist.</tool_use_error>"


def mined(folder, *transcripts: Transcript) -> list[Finding]:
    sessions = [
        session
        for transcript in transcripts
        for session in load(transcript.save(folder))
    ]
    return [
        finding
        for session in sessions
        for finding in moved_paths.mine(Trail(session, "harbor"))
    ]


def told(findings: list[Finding]) -> Telling:
    """As told once a second session has looked for the same."""
    again = [_elsewhere(finding) for finding in findings]
    telling = moved_paths.tell([*findings, *again])
    assert isinstance(telling, Telling), telling
    return telling


def _elsewhere(finding: Finding) -> Finding:
    spans = tuple(
        replace(span, session=f"{span.session} again") for span in finding.evidence
    )
    return replace(finding, evidence=spans)


def read(
    transcript: Transcript, path: str, result: str = "package x", *, error: bool = False
) -> Transcript:
    return transcript.ask("Read", file_path=f"{HOME}/{path}").answer(
        result, error=error
    )


def lookup(number: int, wrong: str, pattern: str, right: str) -> Transcript:
    start = read(Transcript(number), wrong, GONE, error=True)
    return read(start.ask("Glob", pattern=pattern).answer(f"{HOME}/{right}"), right)


def test_a_file_found_elsewhere_under_its_name_is_a_place(tmp_path):
    telling = told(
        mined(
            tmp_path,
            lookup(
                1, "cmd/agents/agents.go", "**/agents.go", "internal/agents/agents.go"
            ),
        )
    )
    assert (
        telling.fact
        == "There is no `cmd/agents/agents.go`: it is `internal/agents/agents.go`."
    )
    assert (telling.key, telling.value) == (
        "place|harbor|cmd/agents/agents.go",
        "internal/agents/agents.go",
    )
    assert telling.directness == moved_paths.SAME_NAME


def test_a_suggestion_that_was_followed_is_the_surest_sign(tmp_path):
    start = read(
        Transcript(1),
        ".lint.yml",
        "<tool_use_error>File does not exist. Did you mean .lint.yaml?",
        error=True,
    )
    telling = told(mined(tmp_path, read(start, ".lint.yaml")))
    assert telling.value == ".lint.yaml" and telling.directness == moved_paths.SUGGESTED


def test_a_similar_name_counts_only_after_a_search(tmp_path):
    findings = mined(
        tmp_path, lookup(1, "src/settings.py", "**/settings/*", "src/settings/base.py")
    )
    assert told(findings).value == "src/settings/base.py"
    unsearched = read(
        read(Transcript(2), "src/settings.py", GONE, error=True), "src/settings/base.py"
    )
    assert mined(tmp_path, unsearched) == []


def test_files_of_one_missing_folder_are_one_item(tmp_path):
    findings = mined(
        tmp_path,
        lookup(1, "cli/commands/resume.go", "**/resume.go", "cli/resume.go"),
        lookup(2, "cli/commands/explain.go", "**/explain.go", "cli/explain.go"),
    )
    assert len({finding.topic for finding in findings}) == 1
    assert (
        told(findings).fact
        == "`explain.go`, `resume.go` are in `cli/`, not in `cli/commands/`."
    )


def test_shell_look_ups_count_too(tmp_path):
    start = Transcript(1).run(
        "cat docs/tide.md",
        "Exit code 1\ncat: docs/tide.md: No such file or directory",
        error=True,
    )
    findings = mined(
        tmp_path,
        start.run("find . -name tide.md", "./handbook/tide.md").run(
            "cat handbook/tide.md"
        ),
    )
    assert told(findings).value == "handbook/tide.md"


@pytest.mark.parametrize(
    "ending",
    [
        lambda t: read(t, "dock/agent.go"),  # it is there after all
        lambda t: t.ask("Write", file_path=f"{HOME}/dock/agent.go", content="x").answer(
            "File created"
        ),
        lambda t: read(t, "quay/berth.go"),  # something else
        lambda t: t.run("cat ./agent.go"),  # the same from another directory
    ],
)
def test_what_was_not_found_elsewhere_is_no_place(tmp_path, ending):
    assert (
        mined(tmp_path, ending(read(Transcript(1), "dock/agent.go", GONE, error=True)))
        == []
    )


def test_one_look_up_in_vain_proves_nothing(tmp_path):
    findings = mined(
        tmp_path, lookup(1, "cmd/tide.go", "**/tide.go", "internal/tide.go")
    )
    telling = moved_paths.tell(findings)
    assert (
        telling.directness < DIRECT
    )  # a candidate, told when somebody looks there again
    unsure = [
        replace(finding, slots={**finding.slots, "directness": "0.65"})
        for finding in findings
    ]
    assert moved_paths.tell(unsure) == "looked for in one session"


def test_what_is_found_elsewhere_each_time_is_in_no_place(tmp_path):
    findings = mined(
        tmp_path,
        lookup(1, "cmd/tide.go", "**/tide.go", "internal/tide.go"),
        lookup(2, "cmd/tide.go", "**/tide.go", "quay/tide.go"),
    )
    assert moved_paths.tell(findings) == "found in another place each time"


def test_paths_in_worktrees_are_told_from_the_root(tmp_path):
    start = read(Transcript(1), ".worktrees/night/cmd/tide.go", GONE, error=True)
    start.ask("Glob", pattern="**/tide.go").answer(
        f"{HOME}/.worktrees/night/dock/tide.go"
    )
    findings = mined(tmp_path, read(start, ".worktrees/night/dock/tide.go"))
    assert told(findings).fact == "There is no `cmd/tide.go`: it is `dock/tide.go`."


def test_a_folder_that_is_a_prefix_of_files_is_told_as_one(tmp_path):
    findings = mined(
        tmp_path,
        lookup(1, "dock/tide_watch", "dock/*.go", "dock/tide_watch_hooks.go"),
        lookup(2, "dock/tide_watch", "dock/*.go", "dock/tide_watch_types.go"),
    )
    assert told(findings).value == "dock/tide_watch*.go"


def test_a_file_that_was_searched_in_is_not_one_that_was_found(tmp_path):
    start = read(Transcript(1), "dock/agent/berth.go", GONE, error=True)
    for pattern in ("Parallel", "Chdir"):
        start.ask("Grep", pattern=pattern, path=f"{HOME}/quay/berth_test.go").answer(
            "18: t.Parallel()"
        )
    assert mined(tmp_path, start) == []


def test_a_test_file_that_is_not_there_may_be_about_to_be_written(tmp_path):
    findings = mined(
        tmp_path,
        lookup(1, "tide/tide_test.go", "**/*_test.go", "dock/tide_state_test.go"),
    )
    assert findings == []


def test_who_looks_into_a_wrong_folder_again_finds_what_is_known_of_it(tmp_path):
    findings = mined(
        tmp_path,
        lookup(1, "cmd/tide.go", "**/tide.go", "internal/tide.go"),
        lookup(2, "cmd/moon.go", "**/moon.go", "internal/moon.go"),
    )
    telling = moved_paths.tell(findings)
    for path in ("cmd/sun.go", "cmd", f"{HOME}/cmd/", f"{HOME}/cmd/sun.go"):
        assert telling.key in place_keys(findings[0].slots["repo"], path)
    assert telling.key not in place_keys(findings[0].slots["repo"], "lib/sun.go")
