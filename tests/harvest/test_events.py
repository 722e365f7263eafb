"""Which calls are events, what their lines are, and what followed: on small transcripts, raw, before redaction."""

from __future__ import annotations

from collections import Counter

import pytest

from afterglow.harvest.endings import helping_changes
from afterglow.harvest.events import claims
from afterglow.harvest.events.keys import keyed
from afterglow.harvest.events.redaction import redacted
from afterglow.harvest.events.session_events import MAX_EVENTS, events_of, joined
from afterglow.records.problems import SessionEvents
from afterglow.text.redact import Redactor
from trails import trail_of, unnoted
from writing import Transcript


def events(transcript: Transcript) -> tuple:
    return events_of(trail_of(transcript)).events


def only(transcript: Transcript):
    (event,) = events(transcript)
    return event


def start(number: int = 1) -> Transcript:
    return Transcript(number).user("please look after the harbour lights")


def test_a_failed_call_is_an_event_with_its_place_and_line():
    event = only(
        start().run("lampctl ignite", "Exit code 2\nlampctl: wick is wet", error=True)
    )
    assert (event.kind, event.line, event.result_line) == ("failed", 2, 3)
    assert [line.text for line in event.lines] == ["lampctl: wick is wet"]
    assert event.command == "lampctl ignite"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("make lights 2>&1 | tail -5", "lens.c:4:2: error: unknown type name 'prism'"),
        ("python -m beacon; echo finished", "ModuleNotFoundError: No module named 'beacon'\nfinished"),
        ("ls buoys/*.txt 2>/dev/null | head", "(eval):1: no matches found: buoys/*.txt"),
        ("for f in a b; do lampctl $f; done", "zsh:1: command not found: lampctl"),
        ("cat -A notes.txt | head", "cat: illegal option -- A"),
        ("gh api repos/a/b/comments/1 | jq .body", "gh: Not Found (HTTP 404)"),
        ("npm test -- --grep harbour 2>&1 | tail -3", "No tests found, exiting with code 0"),
    ],
)  # fmt: skip
def test_what_the_output_says_counts_where_the_exit_code_hides_it(command, output):
    event = only(start().run(command, output))
    assert event.kind == "hidden"
    assert event.lines[0].text in output


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat errors.log | tail -2", "2026-01-01 error: lamp out\nfatal flaw in the lens"),
        ("grep -rn 'error:' src | head", "src/lens.c:9:  log(\"error: %s\")"),
        ("git log --oneline | head", "abc1234 Fix error: lamp stays dark"),
        ("make test 2>&1 | tail -1", "0 errors, 12 passed"),
        ("make lights", "lens polished"),
    ],
)  # fmt: skip
def test_text_about_errors_is_no_event(command, output):
    assert events(start().run(command, output)) == ()


def test_an_answer_by_exit_code_is_no_event():
    assert (
        events(start().run("grep -rn harbour src", "Exit code 1\n", error=True)) == ()
    )


def test_a_chain_that_ended_before_its_search_did_not_answer():
    line = "cd docker && docker compose ps lamp && docker compose logs lamp | grep wick"
    said = "Exit code 1\nno configuration file provided: not found"
    event = only(start().run(line, said, error=True))
    assert event.lines[0].text == "no configuration file provided: not found"
    assert not any(key.startswith(("program", "absent")) for key in keyed(event).keys)
    searched = "Exit code 1\nlamp   running   2 hours"
    assert events(start().run(line, searched, error=True)) == ()


def test_what_ran_elsewhere_names_the_machine():
    there = start().run(
        'ssh keeper@10.1.2.3 "cd /srv/lamp && cat wick.yml"',
        "Exit code 1\ncat: wick.yml: No such file or directory",
        error=True,
    )
    event = only(there)
    assert event.host == "ssh keeper@10.1.2.3"
    assert "host ssh keeper@<address>" in keyed(event).keys
    here = start(2).run("cat wick.yml", "Exit code 1\ncat: wick.yml: No", error=True)
    assert only(here).host == ""


def test_cancelled_siblings_are_no_events():
    text = "<tool_use_error>Sibling tool call errored</tool_use_error>"
    assert events(start().run("make lights", text, error=True)) == ()


def test_failed_checks_of_ci_are_events_though_asking_went_well():
    output = "lint\tfail\t12s\thttps://ci\nbuild\tpass\t1m\thttps://ci"
    event = only(start().run("gh pr checks 7", output))
    assert (event.kind, event.lines[0].text) == ("ci", "lint: fail")


def test_a_log_of_ci_is_read_behind_its_prefix():
    output = (
        "lint\tstep\t2026-02-01T10:00:00.1Z ##[error]Error: lens.ts is not formatted"
    )
    event = only(start().run("gh run view 12 --log-failed", output))
    assert event.lines[0].text == "Error: lens.ts is not formatted"


def test_asking_for_a_log_and_getting_a_sentence_is_an_event():
    output = "run 12 is still in progress; logs will be available when it is complete"
    assert only(start().run("gh run view 12 --log", output)).kind == "ci"


def test_a_refusal_holds_the_words_of_the_person():
    text = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nask the harbour master first"
    )
    event = only(start().run("git push --force", text, error=True))
    assert (event.kind, event.person) == ("refused", "ask the harbour master first")


def test_what_a_person_puts_right_stands_with_the_action_before():
    transcript = (
        start()
        .run("git commit -m lamps", "[main 1] lamps")
        .user(
            "never commit lamps directly to the main branch, use a branch per harbour"
        )
        .reply("Understood, I will use branches.")
    )
    event = only(transcript)
    assert (event.kind, event.command) == ("person", "git commit -m lamps")
    assert "branch per harbour" in event.person
    assert "branches" in event.because


def test_calls_made_at_once_that_fail_alike_are_one_event():
    transcript = start()
    for number in range(3):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
        content = [{**use, "input": {"file_path": f"/x/{number}.txt"}}]
        message = {"id": "one message", "role": "assistant", "content": content}
        transcript._line(type="assistant", message=message)
    for number in range(3):
        transcript.asked = f"t{number}"
        transcript.answer("EIO: lens cracked", error=True)
    event = only(transcript)
    assert (event.line, event.batch) == (2, (3, 4))


def test_a_call_is_known_by_its_id_in_a_fork_but_not_by_a_number():
    def call_of(number: int, id: str) -> int:
        transcript = start(number).ask("Bash", command="lampctl")
        transcript.lines = [
            line.replace('"t1"', f'"{id}"') for line in transcript.lines
        ]
        transcript.asked = id
        return only(transcript.answer("Exit code 1\nlampctl: no", error=True)).call

    unique = "toolu_01ABCDEFGHJKLMN"
    assert call_of(1, unique) == call_of(2, unique)
    assert call_of(1, "call_1") != call_of(2, "call_1")


def test_what_followed_is_told_until_the_goal_is_reached():
    transcript = (
        start()
        .run("lampctl ignite --all", "Exit code 1\nunknown flag: --all", error=True)
        .reply("The flag does not exist here. I try each lamp.")
        .run("lampctl ignite --every", "Exit code 1\nunknown flag: --every", error=True)
        .run("lampctl ignite north south", "2 lamps lit")
        .reply("Lit.")
    )
    first, second = events(transcript)
    assert first.remedy.command == "lampctl ignite north south"
    assert first.remedy.printed == "2 lamps lit"
    assert (first.calls, second.calls) == (2, 1)
    assert [call.command for call in first.tried] == ["lampctl ignite --every"]
    assert "does not exist here" in first.because


@pytest.mark.parametrize(
    ("output", "is_reached"),
    [
        ("3 buoys lit", True),
        ("lampctl: error: wick is wet", False),
        ("", False),
        # Of many lines some are not read, or were not kept.
        ("buoy 1 of the outer harbour is lit\n" * 60, False),
    ],
)
def test_where_nobody_noted_how_calls_ended_a_few_good_lines_reach_the_goal(
    output, is_reached
):
    session = start().run("lampctl --all", "lampctl: error: unknown option --all")
    session.run("lampctl --each", output)
    event = events_of(unnoted(trail_of(session))).events[0]
    assert (event.remedy is not None) == is_reached


def test_another_way_to_the_same_object_reaches_the_goal():
    transcript = (
        start()
        .run(
            "gh run view --job 8123456 --log",
            "Exit code 1\njob 8123456 is still running",
            error=True,
        )
        .run("gh run list", "12  lamps  in_progress")
        .run(
            "gh api repos/a/b/actions/jobs/8123456/logs",
            "2026-02-01T10:00:00.1Z lens polished",
        )
    )
    (event,) = [event for event in events(transcript) if event.kind == "failed"]
    assert event.remedy.command.startswith("gh api")


def test_a_command_too_long_to_be_read_is_no_remedy_cut_in_the_middle():
    long_call = "lampctl ignite " + " ".join(f"lamp-{number}" for number in range(300))
    transcript = (
        start()
        .run("lampctl ignite", "Exit code 1\nlampctl: name a lamp", error=True)
        .run(long_call, "lit")
    )
    remedy = only(transcript).remedy
    assert remedy is not None
    assert remedy.command == ""


def test_an_edit_that_missed_by_white_space_says_so():
    transcript = start()
    transcript.ask("Read", file_path="/x/a.go")
    transcript.answer("     1→\t\tlamp()\n     2→\t\tlens()")
    transcript.ask(
        "Edit",
        file_path="/x/a.go",
        old_string="\tlamp()\n\tlens()",
        new_string="\tbuoy()",
    )
    transcript.answer(
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        error=True,
    )
    transcript.ask(
        "Edit",
        file_path="/x/a.go",
        old_string="\t\tlamp()\n\t\tlens()",
        new_string="\t\tbuoy()",
    )
    transcript.answer("The file has been updated")
    assert "white space" in only(transcript).state


def test_the_directory_is_where_the_shell_stood():
    transcript = (
        start()
        .run("cd dock && ls", "lamps")
        .run("lampctl ignite", "Exit code 1\nlampctl: no lamp here", error=True)
    )
    assert only(transcript).directory == "dock"


def test_good_runs_are_kept_as_hashes_only():
    session = events_of(
        trail_of(start().run("make lights", "error: 3 wicks are old (ignored)\nlit"))
    )
    assert session.events == ()
    assert session.good == (
        claims.good_hash("make lights", "error: 3 wicks are old (ignored)"),
    )


def test_a_check_that_checked_nothing_does_not_vouch_for_itself():
    session = events_of(
        trail_of(start().run("npx jest lamps", "No tests found, exiting"))
    )
    (event,) = session.events
    assert event.lines[0].good not in session.good


def test_checks_are_counted_by_whether_they_print():
    transcript = start().run("npm run lint", "clean").run("npm run lint", "")
    assert events_of(trail_of(transcript)).printing == {"npm run lint": (1, 1)}


def test_a_session_gives_a_bounded_number_of_events():
    transcript = start()
    for number in range(MAX_EVENTS + 20):
        transcript.run(
            f"lampctl {number}", f"Exit code 1\nlampctl: wick {number}", error=True
        )
    assert len(events(transcript)) == MAX_EVENTS


def test_stretches_of_a_session_are_joined():
    first = events_of(trail_of(start().run("npm run lint", "clean")))
    second = events_of(
        trail_of(
            start().run("npm run lint", "").run("x", "Exit code 1\nx: no", error=True)
        )
    )
    whole = joined([first, second])
    assert len(whole.events) == 1 + len(first.events) + sum(
        e.kind == "empty" for e in second.events
    )
    assert whole.printing == {"npm run lint": (1, 1)}
    assert joined([]) == SessionEvents()


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("lens.go:4:2: Error return value is not checked (errcheck)", "rule errcheck"),
        ("src/lens.ts(4,2): error TS2339: Property 'x' does not exist", "code TS2339"),
        ("gh: Not Found (HTTP 404)", "code HTTP 404"),
        ("zsh:1: command not found: lampctl", "program lampctl"),
        ("zsh:1: no matches found: a/*.txt", "line <x> no matches found: <x>"),
    ],
)  # fmt: skip
def test_keys_name_what_stays_the_same(line, key):
    event = only(start().run("lampctl check", f"Exit code 1\n{line}", error=True))
    assert key in keyed(event).keys


def test_keys_of_a_file_that_is_not_there_are_its_name_and_folder():
    transcript = start().ask(
        "Read", file_path="/home/ana/src/harbor/dock/lamps/wick.go"
    )
    transcript.answer("File does not exist.", error=True)
    keys = keyed(only(transcript)).keys
    assert {"file wick.go", "folder dock/lamps"} <= set(keys)


def test_a_summary_is_not_what_events_have_in_common():
    output = (
        "Exit code 1\n[lint] ERROR task failed\nlens.go:3:1: lamp is unused (unused)"
    )
    keys = keyed(only(start().run("lampctl lint", output, error=True))).keys
    assert keys[0] == "rule unused"
    assert not any("task failed" in key for key in keys)


def runs(transcript: Transcript) -> dict[str, tuple[int, int]]:
    forms = events_of(trail_of(transcript)).runs
    return {form: (run.well, run.badly) for form, run in forms.items()}


def test_forms_of_commands_are_counted_by_how_they_ended():
    transcript = start()
    transcript.run("cargo test --lib wick 2>&1 | tail -3", "1 passed")
    transcript.run("cargo test --lib lens", "Exit code 101\nerror: no lib", error=True)
    transcript.run("timeout 9 cargo test lens", "1 passed")
    assert runs(transcript) == {
        "cargo test --lib": (1, 1),
        "tail": (1, 0),
        "timeout cargo test": (1, 0),
    }


def test_of_a_line_that_failed_only_the_one_command_that_can_have_is_blamed():
    transcript = start()
    transcript.run("npm ci && npm test", "Exit code 1\nnpm: no", error=True)
    transcript.run("cd lamps && npm test", "Exit code 1\nnpm: no", error=True)
    assert runs(transcript) == {"npm test": (0, 1)}


def test_a_run_whose_failure_nobody_would_see_is_not_counted():
    transcript = start().run("docker ps 2>/dev/null | head -3", "")
    assert "docker ps" not in runs(transcript)
    assert runs(start().run("docker ps 2>/dev/null", "lamp")) == {"docker ps": (1, 0)}


def test_the_last_good_run_says_when_it_was():
    transcript = start().run("git fetch origin", "ok").run("git fetch origin", "ok")
    assert events_of(trail_of(transcript)).runs["git fetch"].last == 4


def test_runs_of_stretches_add_up():
    parts = [events_of(trail_of(start().run("git fetch", "ok"))) for _ in range(2)]
    assert joined(parts).runs["git fetch"].well == 2


def failing_lint(*lines: str) -> str:
    return "Exit code 1\n" + "\n".join(lines)


def edit(transcript: Transcript, path: str, old: str, new: str) -> Transcript:
    transcript.ask("Edit", file_path=path, old_string=old, new_string=new)
    return transcript.answer("The file has been updated")


def test_what_was_changed_before_the_same_call_passed_is_kept_and_looking_is_not():
    text = failing_lint("dock/lens.go:4:2: oil is unused (unused)")
    transcript = start().run("lampctl lint ./...", text, error=True)
    transcript.run("cat dock/lens.go", "package dock")
    edit(transcript, "/x/dock/lens.go", "var oil = 1\nvar wick = 2", "var wick = 2")
    transcript.run("lampctl lint ./... 2>&1 | tail -3", "0 issues")
    event = only(transcript)
    assert event.remedy.again
    (change,) = event.tried
    assert change.changes
    assert change.worked
    assert "- var oil = 1" in change.command
    assert "wick" not in change.command


def test_a_step_in_the_shell_between_counts_as_a_change():
    transcript = (
        start()
        .run("git commit -m lamps", "Exit code 1\nfatal: lamps.lock exists", error=True)
        .run("rm lamps.lock", "")
        .run("git commit -m lamps", "[main 1] lamps")
    )
    event = only(transcript)
    assert event.remedy.again
    assert [call.command for call in event.tried] == ["rm lamps.lock"]


def test_another_look_is_not_what_was_looked_for():
    transcript = (
        start()
        .run(
            "rg -n 'wick|lens' src tests",
            "Exit code 2\nrg: tests: No such file or directory",
            error=True,
        )
        .run("rg -n 'harbour|quay' src docs", "src/quay.rs:4: harbour")
    )
    event = only(transcript)
    assert event.remedy is None
    assert [call.command for call in event.tried] == ["rg -n 'harbour|quay' src docs"]


def test_a_file_beside_the_missing_one_is_it_only_by_a_like_name():
    def read_then(name: str):
        transcript = start().ask("Read", file_path="/x/dock/cleanup_test.go")
        transcript.answer("File does not exist.", error=True)
        transcript.ask("Read", file_path=f"/x/dock/{name}")
        return only(transcript.answer("package dock"))

    assert read_then("clean_test.go").remedy is not None
    assert read_then("lens_test.go").remedy is None


def test_bodies_and_messages_are_closed_and_the_failing_command_is_whole():
    body = "\n".join(
        f"line {number} of a file that nobody reads" for number in range(40)
    )
    line = f"cat > lamps.txt <<'EOF'\n{body}\nEOF\nlampctl ignite --all --with oil"
    event = only(start().run(line, "Exit code 1\nunknown flag: --all", error=True))
    assert "<<'EOF' … EOF" in event.command
    assert event.command.endswith("lampctl ignite --all --with oil")
    message = "Light all lamps of the harbour before the night comes and ships are lost"
    call = f'git commit -m "{message}"'
    event = only(start().run(call, "Exit code 1\nfatal: no oil", error=True))
    assert event.command == 'git commit -m "Light all lamps …"'


def test_patterns_and_programs_in_quotes_are_not_closed():
    call = "jq '.lamps[] | select(.lit == true and .oil > 4) | {name, place, keeper: .keeper.name}' a.json"
    event = only(start().run(call, "Exit code 5\njq: error: no lamps", error=True))
    assert event.command == call


def test_of_a_long_line_the_command_is_shown_that_the_failure_names():
    names = " ".join(f"buoy-{number}" for number in range(60))
    line = f"quayctl moor {names} && cd dock && oilctl fill --tank 4 && quayctl cast {names}"
    event = only(start().run(line, "Exit code 1\noilctl: no tank 4", error=True))
    assert event.command == "… cd dock && oilctl fill --tank 4"


def test_the_arguments_of_other_tools_are_shown():
    transcript = start().ask("mcp__browser__click", selector="#lamp", button="left")
    event = only(transcript.answer("Error: no such element", error=True))
    assert event.command == "mcp__browser__click selector=#lamp button=left"


def test_files_are_named_from_where_the_session_began():
    transcript = start().ask("Read", file_path="/home/ana/src/harbor/dock/wick.go")
    event = only(transcript.answer("File does not exist.", error=True))
    assert event.command == "Read dock/wick.go"


@pytest.mark.parametrize(
    ("output", "first"),
    [
        ('error: script "test" exited with code 1\nlens.ts: cannot find a lamp', "lens.ts: cannot find a lamp"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'lamp'", "KeyError: 'lamp'"),
        ("Missing generated files:\n  - lens.ts\n  - wick.ts", "Missing generated files:\n- lens.ts\n- wick.ts"),
        ("error[E1]: no lamp\n 4 | let x = lamp; // error: lamp missing", "error[E1]: no lamp"),
    ],
)  # fmt: skip
def test_the_line_that_says_what_is_wrong_comes_before_the_one_that_something_is(
    output, first
):
    event = only(start().run("lampctl check", f"Exit code 1\n{output}", error=True))
    assert event.lines[0].text == first


def test_every_rule_that_a_run_breaks_has_its_line():
    lints = [
        f"lens{number}.go:1:1: lamp {number} is wrong (rule{letter})"
        for letter in "abcd"
        for number in range(8)
    ]
    event = only(start().run("lampctl lint", failing_lint(*lints), error=True))
    for letter in "abcd":
        assert any(line.text.endswith(f"(rule{letter})") for line in event.lines)


FIRST = "lampctl log 7 -m 'LAMP-7: lit'"
OVER = "lampctl log 7 -m 'lit / LAMP-7'"
WORDS = "please put the ticket behind a slash at the end of the message"


def done_over(first: str, then: str, *, output: str = "logged") -> tuple:
    transcript = start().run(first, output).user(WORDS).run(then, "logged")
    (event,) = events(transcript)
    return event.remedy, keyed(event).keys[0].split(" ")[0]


def test_words_after_which_the_work_is_done_over_lay_down_how_it_is_done():
    remedy, manner = done_over(FIRST, OVER)
    assert (remedy.command, remedy.worked, manner) == (OVER, True, "said")


def test_a_file_that_is_written_again_is_done_over():
    first = "printf 'lit' >> NOTES.md && cat NOTES.md"
    then = "mkdir -p logbook && printf 'lit' > logbook/pier.md && printf '' > NOTES.md"
    remedy, manner = done_over(first, then)
    assert (remedy.command, manner) == (then, "said")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (FIRST, FIRST),  # the same again
        (FIRST, "lampctl list"),  # another sub-command
        (FIRST, "buoyctl log 7"),
        ("cat lamps.txt", "cat buoys.txt"),  # who looks, looks at something else
    ],
)
def test_what_comes_next_is_not_done_over(first, then):
    assert done_over(first, then) == (None, "asked")


def test_what_a_person_merely_asks_for_is_an_event_and_agreement_is_none():
    transcript = (
        start()
        .run("lampctl ignite", "lit")
        .user("yes, go on")
        .reply("Going on.")
        .user("can you add tests for the lamps?")
    )
    assert keyed(only(transcript)).keys[0].startswith("asked ")


def test_a_person_s_words_stand_with_a_failure_if_they_are_about_it_or_it_passed_then():
    def words(text: str, then: str) -> str:
        transcript = start()
        transcript.run(
            "lampctl ignite", "Exit code 1\nlampctl: wick is wet", error=True
        )
        transcript.reply("Hm.").user(text).run(then, "lit")
        return next(e for e in events(transcript) if e.kind == "failed").person

    assert words("dry the wick first", "lampctl ignite --dry") == "dry the wick first"
    assert words("done, its open now", "lampctl ignite") == "done, its open now"
    assert words("also tell the harbour master", "lampctl ignite --dry") == ""


def test_what_a_person_answers_to_a_failure_they_were_told_of_stands_with_it():
    def words(message: str) -> str:
        transcript = start()
        transcript.run(
            "lampctl ignite", "Exit code 1\nlampctl: wick is wet", error=True
        )
        transcript.run("ls dock", "quay")
        transcript.reply(message).user("try the one in the shed")
        return next(e for e in events(transcript) if e.kind == "failed").person

    assert words("The wick is wet, I cannot go on.") == "try the one in the shed"
    assert words("All good.") == ""


def test_a_person_s_words_have_their_line_and_lead_to_the_change_that_names_what_they_named():
    failed = "Exit code 1\nlampctl: wick is wet"
    transcript = start().run("lampctl ignite", failed, error=True).reply("Hm.")
    transcript.user("dry the wick first, it hangs at dock7, look there")
    for name in ("quay", "dock7", "north"):
        transcript.run(f"sed -i s/a/b/ {name}.toml", "")
    transcript.run("lampctl ignite", "lit")
    event = next(each for each in events(transcript) if each.kind == "failed")
    assert event.person_line == 5
    (change,) = helping_changes("line wick", event)
    assert "dock7" in change.command


def test_what_a_call_was_refused_by_name_is_known_in_the_later_call_that_got_it():
    refused = 'Exit code 1\nUnknown field: "tideTables"'
    transcript = start().run("lampctl view --json tideTables,moon", refused, error=True)
    transcript.run("lampctl view --json moon", "full").run("ls", "dock")
    transcript.run("tidectl query '{ quay { tideTables } }'", "high at nine")
    event = only(transcript)
    assert event.remedy.command == "lampctl view --json moon"
    (got,) = [call for call in event.tried if call.got]
    assert (got.got, got.command) == ("tideTables", "tidectl query '{ quay { tideTables } }'")  # fmt: skip


def test_what_the_same_call_got_without_the_refused_name_got_nothing_of_it():
    refused = 'Exit code 1\nUnknown field: "tideTables"'
    transcript = start().run("lampctl view --json tideTables", refused, error=True)
    transcript.run("lampctl view --json moon", "full").run("ls tideTables", "x")
    assert [call.got for call in only(transcript).tried] in ([], ["tideTables"])
    none = start().run("lampctl view --json moon", "Exit code 1\nno moon", error=True)
    assert not any(call.got for call in only(none.run("ls moon", "x")).tried)


def test_a_script_that_reads_the_file_which_a_tool_could_not_read_reaches_its_goal():
    too_large = "File content (90000 tokens) exceeds maximum allowed tokens (25000)."
    transcript = start().ask("Read", file_path="/harbor/tides.json")
    transcript.answer(too_large, error=True)
    transcript.run(
        "python3 -c \"print(open('/harbor/tides.json').read()[:9])\"", "high"
    )
    assert "python3" in only(transcript).remedy.command


@pytest.mark.parametrize(
    ("failing", "working"),
    [
        ("gh api repos/a/b?ref=main", "gh api 'repos/a/b?ref=main'"),
        ("rtk lampctl ignite north", "lampctl ignite north"),
        ("lampctl ignite north", "cd dock && lampctl ignite north"),
        ("lampctl ignite north", "OIL=1 lampctl ignite north"),
    ],
)  # fmt: skip
def test_a_quote_a_wrapper_or_a_directory_makes_another_call(failing, working):
    text = "Exit code 1\nlampctl: the wick is wet"
    remedy = only(start().run(failing, text, error=True).run(working, "lit")).remedy
    assert not remedy.again
    assert remedy.command == working


def test_the_same_program_on_something_else_has_another_goal():
    text = "Exit code 1\nrm: quay.lock: No such file or directory"
    failing = start().run("rm quay.lock", text, error=True)
    assert only(failing.run("rm lens.png wick.png", "")).remedy is None
    failing = start().run("rm quay.lock lens.png", text, error=True)
    assert only(failing.run("rm lens.png", "")).remedy is not None


def test_forms_of_commands_are_redacted_like_everything_else():
    token = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    transcript = start().run(f"lampctl {token.lower()}", "ok")
    transcript.run(f"lampctl --key {token}", "ok")
    trail = trail_of(transcript)
    clean = redacted(events_of(trail), trail, Redactor(), Counter())
    assert clean.runs["lampctl --key"].well == 1
    assert not any(token in form for form in clean.runs)


def test_each_report_of_a_linter_has_the_edit_that_answered_it():
    """At the reported file, nearest to the line that the report shows, whatever else was edited for the same run."""
    text = failing_lint(
        "dock/lens.go:4:2: Error return value is not checked (errcheck)",
        "\tlamp.Light(oil)",
        "\t^",
        "dock/lens.go:9:5: string `north` has 3 occurrences, make it a constant (goconst)",
        '\tbuoy := "north"',
        "\t^",
    )
    transcript = start().run("lampctl lint ./...", text, error=True)
    edit(transcript, "/x/dock/lens.go", '\tbuoy := "north"', "\tbuoy := north")
    edit(transcript, "/x/dock/lens.go", "\tlamp.Light(oil)", "\t_ = lamp.Light(oil)")
    edit(transcript, "/x/dock/pier.go", "\tlamp.Light(oil)", "\tlamp.Quench(oil)")
    transcript.run("lampctl lint ./...", "0 issues")
    event = only(transcript)
    mends = {rule: call.command for call in event.tried for rule in call.mends}
    assert "+ _ = lamp.Light(oil)" in mends["errcheck"]
    assert "+ buoy := north" in mends["goconst"]
    for rule, code in (("errcheck", "Light"), ("goconst", "buoy")):
        (change,) = helping_changes(f"rule {rule}", event)
        assert code in change.command


@pytest.mark.parametrize(
    ("telling", "verdict"),
    [
        ("--- FAIL: TestLamp (0.01s)", "FAIL\tharbor/dock\t0.4s"),
        ("dock/lens.go:4:2: undefined: prism", "FAIL\tharbor/dock [build failed]"),
        ("test dock::lens::burns ... FAILED", "error: test failed, to rerun pass `--lib`"),
        ("FAILED tests/test_lens.py::test_burns", "make: *** [test] Error 1"),
        ("lens.ts(4,2): error TS2304: Cannot find name 'prism'.", 'error: script "test" exited with code 1'),
    ],
)  # fmt: skip
def test_failing_tests_and_errors_of_compilers_come_before_the_verdict(
    telling, verdict
):
    output = f"Exit code 1\n{verdict}\n{telling}\n{verdict}"
    event = only(start().run("lampctl test", output, error=True))
    assert event.lines[0].text == telling
    assert not claims.is_verdict(telling)
    assert claims.is_verdict(verdict)


def test_how_good_runs_begin_and_end_is_remembered():
    banner = "lamps of the harbour, second edition"
    good = events_of(trail_of(start().run("make lights", f"{banner}\nlit"))).good
    assert claims.good_hash("make lights", banner) in good


CHECKS = "lint\tfail\t12s\thttps://ci/runs/1/job/8123456\nbuild\tpass\t1m\thttps://ci"


@pytest.mark.parametrize(
    ("command", "log"),
    [
        (
            "gh run view 12 --log-failed",
            "lint\tRun lampctl\t2026-01-01T10:00:00.1Z error: the wick is too long",
        ),
        (
            "gh api repos/a/b/actions/jobs/8123456/logs",
            "2026-01-01T10:00:00.1Z error: the wick is too long",
        ),
    ],
)
def test_a_check_and_its_log_know_what_the_other_says(command, log):
    checks, read_log = events(
        start().run("gh pr checks 7", CHECKS).run(command, f"{log}\n{log}")
    )
    assert [line.text for line in checks.lines] == [
        "lint: fail",
        "error: the wick is too long",
    ]
    assert [line.text for line in read_log.lines] == [
        "error: the wick is too long",
        "lint: fail",
    ]
    assert set(keyed(checks).keys) & set(keyed(read_log).keys)


def test_a_log_that_was_read_after_the_checks_passed_is_another_matter():
    first, *_ = events(
        start()
        .run("gh pr checks 7", CHECKS)
        .run("gh pr checks 7", CHECKS.replace("fail", "pass"))
        .run("gh run view 13 --log-failed", "lint\tx\t2026-01-01T10:00:00Z error: oil")
    )
    assert [line.text for line in first.lines] == ["lint: fail"]


def test_a_search_ends_where_its_pattern_is_found_elsewhere():
    def search(transcript: Transcript, path: str, result: str, **fields) -> Transcript:
        transcript.ask("Grep", pattern="wick", path=path)
        return transcript.answer(result, **fields)

    absent = "<tool_use_error>Path does not exist: dock/lamps</tool_use_error>"
    transcript = search(start(), "dock/lamps", absent, error=True)
    event = only(search(transcript, "dock", "dock/lens.go"))
    assert event.remedy is not None
    assert event.remedy.command == "Grep dock pattern=wick"


def test_where_a_look_was_in_vain_the_next_one_beside_it_is_shown_and_no_other_work():
    transcript = start().ask("Read", file_path="/harbor/dock/lamps.go")
    transcript.answer(
        "<tool_use_error>File does not exist.</tool_use_error>", error=True
    )
    transcript.ask("Read", file_path="/harbor/dock/lens.go").answer("package dock")
    transcript.ask(
        "Edit", file_path="/harbor/quay/wick.go", old_string="a", new_string="b"
    ).answer("The file /harbor/quay/wick.go has been updated.")
    event = only(transcript)
    assert [call.command for call in event.tried] == ["Read /harbor/dock/lens.go"]


def test_what_a_tool_was_given_is_not_what_it_says():
    said = "Found 2 matches of the string, but replace_all is false."
    given = (
        'String: \tif lit {\n\tx\n\ty\n\treturn fmt.Errorf("failed to light: %w", err)'
    )
    transcript = start().ask("Edit", file_path="a.go", old_string="x", new_string="y")
    event = only(transcript.answer(f"{said}\n{given}", error=True))
    assert [line.text for line in event.lines] == [said]


def test_with_an_edit_what_hands_it_on_is_no_change_of_its_own():
    transcript = start().run("lampctl lint", "Exit code 1\nlens: oil", error=True)
    transcript.ask("Edit", file_path="lens.go", old_string="a", new_string="b")
    transcript.answer("The file lens.go has been updated.")
    transcript.run("git add lens.go && git commit -m oil", "1 file changed")
    event = only(transcript.run("lampctl lint", "clean"))
    assert [call.tool for call in event.tried] == ["Edit"]
    alone = start().run("git rebase main", "Exit code 1\nerror: dirty", error=True)
    alone.run("git commit -am oil", "1 file changed")
    event = only(alone.run("git rebase main", "Rebased."))
    assert [call.command for call in event.tried] == ["git commit -am oil"]


@pytest.mark.parametrize(
    ("reply", "because"),
    [
        (
            "Let me fix the wick:\nThe wick lies in the rain, so it is wet.",
            "The wick lies in the rain, so it is wet.",
        ),
        ("Let me look at the wick:\nNow let me see.", ""),
        ("```bash\nlampctl dry wick --until 'wick is wet'\n```\nThe wick is wet.", "The wick is wet."),
    ],
)  # fmt: skip
def test_the_sentence_about_a_failure_names_it_and_does_not_announce(reply, because):
    transcript = start().run(
        "lampctl ignite", "Exit code 1\nlampctl: the wick is wet", error=True
    )
    transcript.reply(reply)
    assert only(transcript.run("lampctl ignite", "lit")).because == because


def test_messages_that_begin_alike_share_a_key_of_their_program():
    def alike(output: str) -> set[str]:
        event = only(
            start().run("lampctl ignite", f"Exit code 1\n{output}", error=True)
        )
        return {key for key in keyed(event).keys if key.startswith("alike ")}

    assert alike("Error: unknown flag: --oil") == alike("Error: unknown flag: --wick")
    assert alike("ERROR: lamp check failed: [a b] x") == {
        "alike lampctl: lamp check failed:"
    }
    assert alike("AssertionError: oil") == set()


def test_what_somebody_wrote_for_others_is_closed_whatever_it_quotes():
    body = "- `lamp.Light()` now waits\\n- see `lens.go:4`, `wick.go:9` and `oil.go:1`"
    command = f"gh pr create --title lamps --body $'{body}'"
    event = only(start().run(command, "Exit code 1\ngh: no", error=True))
    assert "wick.go" not in event.command
    assert "--title lamps" in event.command


def test_what_the_linter_says_does_not_end_a_test():
    transcript = start().run("bun run test", "Exit code 1\nerror: oil", error=True)
    transcript.run("bun run lint", "clean")
    first, *_ = events(transcript)
    assert first.remedy is None
    first, *_ = events(transcript.run("bun run test oil.test.ts", "1 pass"))
    assert first.remedy is not None
    assert first.remedy.command == "bun run test oil.test.ts"


def test_a_formatter_between_two_runs_of_a_linter_is_a_step_and_not_the_goal():
    transcript = start().run("bun run lint", "Exit code 1\nerror: oil", error=True)
    transcript.run("bun run format", "1 file formatted").run("bun run lint", "clean")
    event = only(transcript)
    assert event.remedy is not None and event.remedy.again
    assert [call.command for call in event.tried] == ["bun run format"]


def test_a_log_of_what_failed_elsewhere_is_got_and_the_call_that_names_the_job_says_more():
    transcript = start()
    waiting = "Exit code 1\nrun 4711001 is still in progress"
    transcript.run("gh run view 4711001 --job 8822002 --log", waiting, error=True)
    transcript.run("gh run view 4711001 --json status", '{"status":"in_progress"}')
    log = "error: the lamp is out\n##[error]Process completed with exit code 1.\n" * 9
    transcript.run("gh api repos/a/b/actions/jobs/8822002/logs", log)
    event = next(e for e in events(transcript) if "--log" in e.command)
    assert "jobs/8822002/logs" in event.remedy.command


def test_warnings_alone_are_no_failure():
    output = "  9:7  warning  'boat' is never used  no-unused\n✖ 1 problem (0 errors, 1 warning)"
    assert not events(start().run("npm run generate 2>&1 | tail -5", output))


def test_what_a_command_left_running_prints_into_a_file_is_its_own_failure():
    transcript = start().run("pierd serve > /tmp/pier.log 2>&1 &", "")
    look = "sleep 5 && tail -20 /tmp/pier.log"
    transcript.run(look, "Error: Port 4180 is already in use")
    event = only(transcript)
    assert (event.kind, event.command) == ("hidden", look)
    assert "Port 4180" in event.lines[0].text


def test_a_log_that_nothing_of_the_session_writes_is_only_a_text():
    transcript = start().run("pierd check > /tmp/pier.log 2>&1", "")
    assert not events(transcript.run("tail /tmp/pier.log", "Error: Port 4180 in use"))


def test_a_task_that_was_answered_with_nothing_has_failed():
    asked = start().ask("Task", prompt="find the quay")
    event = only(asked.answer("<task_result>\n\n</task_result>"))
    assert (event.kind, event.tool) == ("hidden", "Task")
    again = start().ask("Task", prompt="find the quay")
    assert not events(again.answer("<task_result>\nat the pier\n</task_result>"))


def test_a_file_that_was_written_once_more_is_shown_by_what_changed_in_it():
    transcript = start().ask("Write", file_path="a/plan.md", content="<pier>\n# Oil")
    transcript.answer("written").run("lampctl lint", "Exit code 1\nerror: tag <pier>", error=True)  # fmt: skip
    transcript.ask("Write", file_path="a/plan.md", content="# Oil").answer("written")
    event = only(transcript.run("lampctl lint", "clean"))
    assert "- <pier>" in event.tried[0].command


def test_a_file_that_the_shell_wrote_once_more_is_shown_by_what_changed_in_it():
    body = "\n".join(f"lamp {number} burns in the north tower" for number in range(9))
    transcript = start().run(f"cat > plan.md <<'EOF'\n<pier>\n{body}\nEOF", "")
    transcript.run("lampctl lint", "Exit code 1\nerror: tag <pier>", error=True)
    again = (
        f"cat <<'EOF' > plan.md\n# without the tag\n// and dry\n{body}\nlit\n# oil\nEOF"
    )
    event = only(transcript.run(again, "").run("lampctl lint", "clean"))
    tried = event.tried[0].command
    assert tried.startswith("cat <<'EOF' > plan.md … EOF\n- <pier>\n")
    assert "+ lit" in tried  # a comment says less than what was changed
    assert event.tried[0].trust == "tool"  # nothing came back that others wrote


@pytest.mark.parametrize(
    "line",
    ["</output>", "<shellId: 3 completed with exit code 0>", "Wall time: 4 seconds"],
)
def test_what_the_agent_wraps_around_a_result_is_not_what_a_call_printed(line):
    transcript = start().run("lampctl ignite", "Exit code 1\nwick: wet", error=True)
    transcript.run("lampctl dry wick", f"wick is dry\n{line}")
    event = only(transcript.run("lampctl ignite", f"lit at dusk\n{line}"))
    assert event.remedy.printed == "lit at dusk"


@pytest.mark.parametrize(
    "output",
    [
        'npm error Missing script: "typecheck"',
        'None of the selected packages has a "typecheck" script',
        "error: unknown command 'typecheck'",
    ],
)
def test_where_there_is_no_such_script_another_check_of_that_kind_is_the_goal(output):
    transcript = start().run("pnpm --filter quay typecheck", f"Exit code 1\n{output}", error=True)  # fmt: skip
    event = only(transcript.run("cd apps/quay && npx tsc --noEmit", "done"))
    assert event.remedy is not None and "npx tsc" in event.remedy.command


@pytest.mark.parametrize(
    ("failing", "output", "later", "is_goal"),
    [
        ("python -m pytest tide/test_oil.py", "/usr/bin/python: No module named pytest", "bin/test tide/test_oil.py", True),
        ("oilctl sum tide/oil.csv", "zsh: command not found: oilctl", "wickctl sum tide/oil.csv", True),
        ("oilctl sum tide/oil.csv", "zsh: command not found: oilctl", "rm tide/oil.csv", False),
        ("oilctl sum tide/oil.csv", "zsh: command not found: oilctl", "cat tide/oil.csv", False),
        ("oilctl tally --all", "zsh: command not found: oilctl", "mise x oil -- oilctl tally --all", True),
    ],
)  # fmt: skip
def test_where_nothing_ran_what_another_program_does_with_the_same_is_the_goal(
    failing, output, later, is_goal
):
    transcript = start().run(failing, f"Exit code 1\n{output}", error=True)
    event = only(transcript.run(later, "done"))
    assert (event.remedy is not None) is is_goal


def test_where_the_check_ran_another_program_of_its_kind_is_not_the_goal():
    transcript = start().run("bun run test oil", "Exit code 1\nerror: expected oil", error=True)  # fmt: skip
    first, *_ = events(transcript.run("pytest tests/test_wick.py", "1 passed"))
    assert first.remedy is None


def test_a_number_that_picks_one_of_a_list_asks_for_the_same_thing():
    transcript = start()
    one = "gh api repos/a/b/pulls/7/comments/4711001 --jq .body"
    transcript.run(one, "Exit code 1\ngh: Not Found (HTTP 404)", error=True)
    pick = (
        "gh api repos/a/b/pulls/7/comments --jq '.[] | select(.id == 4711001) | .body'"
    )
    event = only(transcript.run(pick, "the lamp is out"))
    assert event.remedy is not None and "select" in event.remedy.command


def test_a_file_that_was_read_behind_its_end_was_not_read():
    transcript = start().ask("Read", file_path="/src/tide.txt", limit=300)
    transcript.answer("File content exceeds maximum allowed tokens", error=True)
    transcript.ask("Read", file_path="/src/tide.txt", offset=4000)
    warning = "Warning: the file exists but is shorter than the provided offset (4000)."
    transcript.answer(f"<system-reminder>{warning}</system-reminder>")
    assert only(transcript).remedy is None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("thread 'quay::tests::lamps_are_sorted' (4711) panicked at src/lamp.rs:4:1:", "lamps_are_sorted"),
        ("test quay::tests::lamps_are_sorted ... FAILED", "lamps_are_sorted"),
        ("--- FAIL: TestLamps (0.01s)", "TestLamps"),
        ("FAILED tests/test_lamps.py::test_lamps", "test_lamps"),
        ("(fail) lamps > are sorted [1.20ms]", "lamps > are sorted"),
        ("FAIL  src/lamp.test.ts > lamps > are sorted 4ms", "lamps > are sorted"),
        ("thread 'main' panicked at src/lamp.rs:4:1:", ""),
        ("1 passed, 1 failed", ""),
    ],
)  # fmt: skip
def test_a_test_is_known_by_its_name_whatever_writes_it(line, name):
    event = only(start().run("make test", f"Exit code 1\n{line}\nerror: oil", error=True))  # fmt: skip
    named = [key for key in keyed(event).keys if key.startswith("test ")]
    assert named == ([f"test {name}"] if name else [])


def test_an_agent_that_polls_comes_back_to_the_cause_later():
    transcript = start().run("lampctl ignite", "Exit code 1\nlampctl: the wick of quay is wet", error=True)  # fmt: skip
    for _ in range(8):
        transcript.run("sleep 1", "")
    transcript.reply("The wick of the quay is wet since the rain: lampctl needs oil.")
    assert "since the rain" in only(transcript).because
    far = start().run("lampctl ignite", "Exit code 1\nlampctl: the wick of quay is wet", error=True)  # fmt: skip
    for _ in range(8):
        far.run("sleep 1", "")
    assert only(far.reply("The quay is long.")).because == ""


def test_what_a_program_prints_of_its_flags_claims_nothing():
    quiet = "  -q, --quiet       Print errors only, not what failed"
    usage = f"{quiet}\n      --skew=<n>   Go on although some queries may fail"
    output = f"Exit code 1\n{usage}\nError: unknown flag: --short"
    transcript = start().run("lampctl --short", output, error=True)
    event = only(transcript.run("lampctl", "lit"))
    assert [line.text for line in event.lines] == ["Error: unknown flag: --short"]
