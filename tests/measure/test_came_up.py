"""What came up in a session, held against pieces of what it could have been told."""

from __future__ import annotations

from afterglow.measure.research.came_up import (
    CameUp,
    Known,
    Mishap,
    Saying,
    in_view,
    joined,
)
from afterglow.measure.research.material import commands_of
from afterglow.measure.research.pieces import cut_to, of_part, pieces_of, tokens_of
from afterglow.records.knowledge import KnowledgeItem
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
)

NOTHING_KNOWN = Known({}, {})
SEED = SessionSeed(
    system_context="Tests run with `go test -race ./...`.",
    tool_examples=(
        ToolCallExample("Bash", '{"command": "make lint"}', "0 issues."),
        ToolCallExample(
            "Read", '{"file_path": "<repo>/dock/agent.go"}', "package dock"
        ),
    ),
    recovery_patterns=(
        RecoveryPattern("unknown flag: --stat", "`gh pr diff --name-only`"),
    ),
    user_patterns=UserPatterns(conventions=("Never touch the vendor folder",)),
    context_markers=ContextMarkers(files=("go.mod",), commands=("npm run build",)),
)


def view(session: CameUp, *parts: str, known: Known = NOTHING_KNOWN):
    return in_view(session, of_part(pieces_of(SEED), *parts), known)


def test_each_part_shows_its_own_commands():
    session = CameUp(
        commands=commands_of("go test -race ./dock")
        | commands_of("make lint")
        | commands_of("gh pr diff 7 --name-only")
        | commands_of("npm run build")
    )
    assert len(session.commands) == 4
    for part in ("context", "examples", "patterns", "markers"):
        assert len(view(session, part)["commands"]) == 1, part


def test_commands_that_any_agent_knows_are_not_counted():
    assert commands_of("ls -la && cat README.md") == frozenset()


def test_files_are_named_by_their_path_from_the_top():
    session = CameUp(files=frozenset({"dock/agent.go", "go.mod", "agent.go"}))
    assert view(session, "examples")["files"] == {"dock/agent.go"}
    assert view(session, "markers")["files"] == {"go.mod"}


def test_a_remedy_is_in_view_by_the_error_by_a_lesson_or_by_the_call_that_solved_it():
    by_error = Mishap("unknown flag: --stat")
    by_call = Mishap("make: no rule", commands_of("make lint"))
    by_lesson = Mishap("race detected")
    session = CameUp(failures=(by_error, by_call, by_lesson, Mishap("no disk")))
    lesson = KnowledgeItem(
        id="k1",
        fact="f",
        category="pitfall",
        remedy="Tests run with `go test -race ./...`.",
    )
    known = Known({"race detected": [lesson]}, {})
    assert view(session, "patterns")["failures"] == {"unknown flag: --stat"}
    assert view(session, "examples")["failures"] == {"make: no rule"}
    assert view(session, "context", known=known)["failures"] == {"race detected"}


def test_a_lesson_that_stands_nowhere_is_not_in_view():
    lesson = KnowledgeItem(id="k1", fact="f", category="pitfall", remedy="do less")
    session = CameUp(failures=(Mishap("no disk"),))
    known = Known({"no disk": [lesson]}, {})
    assert view(session, "context", "patterns", known=known)["failures"] == frozenset()


def test_what_a_person_says_again_is_known_by_its_words():
    session = CameUp(
        corrections=(
            Saying("rule|1", "never touch the vendor folder"),
            Saying("rule|2", "write the notes in French"),
        )
    )
    assert view(session, "patterns")["corrections"] == {"rule|1"}


def test_views_add_up():
    session = CameUp(files=frozenset({"dock/agent.go", "go.mod"}))
    both = joined(view(session, "examples"), view(session, "markers"))
    assert both == view(session, "examples", "markers")


def test_a_placebo_is_cut_to_the_size_of_ones_own():
    pieces = pieces_of(SEED)
    for tokens in range(0, tokens_of(pieces) + 5, 7):
        assert tokens_of(cut_to(pieces, tokens)) <= tokens
    assert cut_to(pieces, tokens_of(pieces)) == pieces
