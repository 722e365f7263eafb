"""Sessions that run early against the others: planted effects are found, confounders are not taken for effects."""

import random

from afterglow.measure.research.code_first import (
    Began,
    alike,
    any_session,
    by_first_call,
    by_repo,
    compare,
    error_rate,
    error_rate_for_its_mix,
    same_repo,
    session_before,
    trends,
)
from afterglow.measure.research.code_first_answer import code_first_answer
from afterglow.records.research import SessionCourse


def began(
    early: bool,
    rate: float,
    seed: int,
    *,
    repo: str = "harbor",
    calls: int = 40,
    rest: str = "l",
    **fields,
) -> Began:
    dealer = random.Random(seed)
    start = "lr" + "l" * 8 if early else "l" * 10
    kinds = start + (rest * calls)[:calls]
    outcomes = "o" * 10 + "".join(
        "f" if dealer.random() < rate else "o" for _ in range(calls)
    )
    return Began(SessionCourse(outcomes, kinds, words=12), repo, "codex", **fields)


def history(gap: float, sessions: int = 60) -> list[Began]:
    return [
        began(bool(number % 2), 0.3 - gap * (number % 2), number)
        for number in range(sessions)
    ]


def test_a_planted_effect_is_found_and_shuffled_starts_do_not_give_it():
    compared = compare(history(gap=0.2), error_rate())
    assert compared.difference.sign == -1
    assert compared.shuffled.p < 0.01
    answer = code_first_answer(history(gap=0.2), ())
    assert answer.enough and "fail less often afterwards than" in answer.answer


def test_no_effect_is_said_plainly():
    answer = code_first_answer(history(gap=0.0), ())
    assert "do not clearly fail less or more often afterwards than" in answer.answer
    assert answer.figures[0].panels[0].rows[-1][0] == "shuffled starts"


def test_a_repository_where_all_run_early_and_much_fails_is_no_effect():
    sessions = [
        began(number % 10 < share, rate, 100 * place + number, repo=repo)
        for place, (repo, rate, share) in enumerate(
            [("harbor", 0.1, 2), ("pier", 0.5, 8)]
        )
        for number in range(40)
    ]
    assert compare(sessions, error_rate(), any_session).difference.sign == 1
    assert compare(sessions, error_rate(), same_repo).difference.sign == 0
    rows = by_repo(sessions)
    assert {repo for repo, _ in rows} == {"harbor", "pier"}


def test_running_more_later_is_no_effect_once_the_mix_is_the_same():
    """Who ran early goes on running, and runs fail: but no more often than other people's runs."""
    sessions = []
    for number in range(80):
        early = bool(number % 2)
        rest = "rrrl" if early else "rlll"
        dealer = random.Random(number)
        kinds = ("lr" + "l" * 8 if early else "l" * 10) + rest * 10
        outcomes = "".join(
            "f" if dealer.random() < (0.4 if kind == "r" else 0.02) else "o"
            for kind in kinds
        )
        sessions.append(Began(SessionCourse(outcomes, kinds), "harbor", "codex"))
    assert compare(sessions, error_rate()).difference.sign == 1
    assert compare(sessions, error_rate_for_its_mix(sessions)).difference.sign == 0


def test_only_what_comes_behind_the_start_counts():
    sessions = [
        Began(
            SessionCourse("f" * 10 + "o" * 20, "r" * 10 + "l" * 20), "harbor", "codex"
        ),
        Began(SessionCourse("o" * 30, "l" * 30), "harbor", "codex"),
    ] * 10
    assert compare(sessions, error_rate()).difference.value == 0


def test_the_session_before_shows_when_the_groups_are_of_another_kind():
    sessions = [
        began(bool(number % 2), 0.2, number, before=0.4 if number % 2 else 0.1)
        for number in range(40)
    ]
    compared = compare(sessions, session_before).difference
    assert compared.sign is not None and compared.value > 0.25
    answer = code_first_answer(sessions, ())
    assert any(
        "differ in more than how they begin" in words for words in answer.findings
    )


def test_talking_first_is_a_way_to_begin_and_short_sessions_are_left_out():
    talking = Began(SessionCourse("o" * 30, "l" * 30, talked=True), "harbor", "codex")
    too_short = Began(SessionCourse("o" * 12, "r" * 12), "harbor", "codex")
    rows = {name: sessions for name, sessions, _ in by_first_call([talking, too_short])}
    assert rows["talks"] == 1 and rows["runs"] == 0


def test_trends_stand_apart_by_agent_where_there_are_several():
    improving = SessionCourse("f" * 10 + "o" * 30, "r" * 40)
    sessions = [
        Began(improving, "harbor", agent, early_kind="code", early_calls=10)
        for agent in ("codex", "hermes")
        for _ in range(6)
    ]
    rows = trends(sessions)
    assert [(row.kind, row.agent) for row in rows] == [
        ("code", "all"), ("code", "codex"), ("code", "hermes"),
    ]  # fmt: skip
    assert rows[0].halves.value < 0 and rows[0].behind.value == 0
    assert len(trends(sessions[:6])) == 1


def test_sessions_alike_have_the_same_repository_agent_and_request():
    short, long_ = (
        Began(SessionCourse("", "", words=words), "harbor", "codex")
        for words in (5, 500)
    )
    assert alike(short) != alike(long_)
    assert alike(short) != alike(short._replace(repo="pier"))


def test_too_few_sessions_are_said_to_be_too_few():
    answer = code_first_answer(history(gap=0.2, sessions=4), ())
    assert not answer.enough and answer.answer.startswith("Too few sessions")
    assert code_first_answer([], ()).tables == ()
