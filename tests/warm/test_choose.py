"""The choice of a template: what fits, in which order, and fair turns where nothing is known."""

from afterglow.records.template import ContextMarkers
from afterglow.records.tools import TaskType
from afterglow.store.templates.entries import Glance, Record
from afterglow.warm.choose import NewSession, choose

NOW = 1_790_000_000.0
DAY = 86400.0


def glance(id="a", name="Code review", **fields):
    told = {"tools": ("Bash", "Read"), "updated": NOW, "task_type": TaskType.CODE}
    return Glance(**{"id": id, "name": name, "approved": True, **told, **fields})


def chosen(*templates, task="Review this pull request", **wanted):
    pairs = [one if isinstance(one, tuple) else (one, Record()) for one in templates]
    return choose(pairs, NewSession(task=task, now=NOW, **wanted))


def best(*templates, **wanted):
    found = chosen(*templates, **wanted).best
    return found.id if found else None


def test_the_template_the_task_speaks_of_is_chosen_and_it_says_why():
    found = chosen(glance("a", "Deploy the pier"), glance("b"))
    assert found.best.id == "b" and "'review'" in found.reason
    assert [one.why for one in found.unfit] == ["the task does not speak of it"]


def test_none_is_an_answer():
    assert best(glance(), task="bake a cake") is None
    found = chosen()
    assert found.best is None and "no templates" in found.reason
    assert "does not speak" in chosen(glance(), task="bake a cake").reason


def test_a_verb_that_any_task_has_is_not_enough():
    assert (
        best(
            glance(name="Update dependencies"),
            task="update the release notes for the harbour",
        )
        is None
    )
    assert (
        best(glance(name="Update dependencies"), task="update all dependencies") == "a"
    )


def test_endings_and_joined_names_do_not_matter():
    assert (
        best(glance(name="Reviewing pull_requests"), task="reviews of PullRequests")
        == "a"
    )


def test_markers_count_less_than_names():
    marked = glance("a", "Other", markers=ContextMarkers(commands=("mooring check",)))
    assert best(marked, glance("b", "Mooring"), task="look at the mooring") == "b"
    assert best(marked, task="look at the mooring") == "a"


def test_a_type_that_was_asked_for_leaves_out_other_types_but_not_mixed_work():
    research, mixed = (
        glance("a", task_type=TaskType.RESEARCH),
        glance("b", task_type=TaskType.MIXED),
    )
    assert best(research, mixed, task_type=TaskType.CODE) == "b"
    assert best(mixed, glance("c"), task_type=TaskType.CODE) == "c"


def test_tags_that_were_asked_for_must_be_there_and_more_of_them_are_better():
    one, both = glance("a", "X", tags=("Go",)), glance("b", "Y", tags=("go", "lint"))
    assert best(one, both, task="anything", tags=("go", "lint")) == "b"
    assert best(one, tags=("rust",)) is None


def test_a_template_of_this_repository_and_type_fits_without_a_shared_word():
    here = glance("a", "Habits", repo="otterquay/harbor")
    assert best(here, task="zzz", repo="harbor", task_type=TaskType.CODE) == "a"
    assert best(here, task="zzz", repo="arbor", task_type=TaskType.CODE) is None


def test_a_template_of_this_repository_fits_before_anybody_knows_the_task():
    here, there = glance("a", repo="x/harbor"), glance("b", repo="x/meadow")
    assert best(here, there, task="", repo="x/harbor") == "a"
    assert best(here, there, task="zzz", repo="harbor") == "a"
    assert best(here, there, task="", repo="x/lighthouse") is None
    assert best(here, there, task="") is None


def test_one_of_another_repository_is_not_taken_for_a_word_or_two():
    there = glance("a", "Review of a pull request", repo="x/meadow")
    assert best(there, task="review the pier", repo="x/harbor") is None
    found = chosen(there, task="review the request", repo="x/harbor")
    assert "of another repository" in found.reason
    at_length = "write the review of this pull request"
    assert best(there, task=at_length, repo="x/harbor") == "a"
    assert best(there, task="review the request") == "a"


def test_the_own_repository_goes_before_another():
    assert (
        best(glance("a", repo="x/other"), glance("b", repo="x/harbor"), repo="x/harbor")
        == "b"
    )


def test_a_template_without_any_tool_that_is_there_does_not_fit():
    assert best(glance(), tools=("terminal",)) is None
    assert (
        best(glance("a"), glance("b", tools=("terminal",)), tools=("terminal",)) == "b"
    )
    assert best(glance("a", tools=()), tools=("terminal",)) == "a"
    assert (
        best(glance("a", agent="codex"), glance("b", agent="hermes"), agent="hermes")
        == "b"
    )


def test_what_nobody_approved_is_never_chosen():
    assert best(glance(approved=False)) is None


def test_a_good_record_wins_and_one_lucky_session_does_not_beat_many():
    proven = (glance("a"), Record(uses=20, proved=20, successes=18, failures=2))
    lucky = (glance("b"), Record(uses=1, proved=1, successes=1))
    poor = (glance("c"), Record(uses=9, proved=9, successes=1, failures=8))
    found = chosen(lucky, proven, poor)
    assert [one.id for one in found.ranked] == [
        "a",
        "b",
        "c",
    ] and "20 known outcomes" in found.reason


def test_a_poor_record_lets_an_untried_one_have_its_turn():
    poor = (glance("a"), Record(uses=9, proved=9, successes=1, failures=8))
    assert best(poor, glance("b")) == "b"


def test_without_a_record_the_least_used_of_equals_goes_first_so_all_get_their_turn():
    uses = {"a": 0, "b": 0, "c": 0}
    for _ in range(9):
        uses[best(*((glance(id), Record(uses=n)) for id, n in uses.items()))] += 1
    assert uses == {"a": 3, "b": 3, "c": 3}


def test_exploring_is_among_equals_only():
    better = (glance("a", "Pull request review"), Record(uses=50))
    assert best(better, glance("b", "Review")) == "a"


def test_of_two_the_fresher_is_chosen():
    assert (
        best(glance("a", updated=NOW - 400 * DAY), glance("b", updated=NOW - DAY))
        == "b"
    )


def test_every_part_of_the_score_is_shown():
    (one,) = chosen(glance()).ranked
    assert set(one.why) == {
        "words",
        "type",
        "tags",
        "repo",
        "tools",
        "success",
        "fresh",
    }
