"""Answers that were paid for."""

from __future__ import annotations

import os

from msgspec.structs import replace

from afterglow.llm.cache import Cache, mark
from afterglow.records.model import Answer, Ask, Message, TokenUsage

ASK = Ask(
    messages=(Message("user", "how many of the invented boats?"),),
    purpose="test",
    answer_type=int,
)
ANSWER = Answer(
    text="3", data=3, finish="stop", model="m", usage=TokenUsage(5, 1), cost=0.1
)


def test_an_answer_is_found_again_and_the_question_is_not_in_it(tmp_path):
    Cache(tmp_path).put(mark("m", "http://h:80", ASK), ANSWER)
    assert Cache(tmp_path).get(mark("m", "http://h:80", ASK)) == ANSWER
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert b"boats" not in file.read_bytes()


def test_another_question_model_or_server_has_another_mark():
    other = (
        replace(ASK, messages=(Message("system", ASK.messages[0].content),)),
        replace(ASK, answer_type=None),
        replace(ASK, max_tokens=7),
    )
    marks = {
        mark("m", "o", ASK),
        mark("n", "o", ASK),
        mark("m", "p", ASK),
        *(mark("m", "o", one) for one in other),
    }
    assert len(marks) == 6
    assert mark("m", "o", replace(ASK, purpose="another")) == mark("m", "o", ASK)


def test_a_damaged_file_is_no_answer(tmp_path):
    cache, one = Cache(tmp_path), mark("m", "o", ASK)
    cache.put(one, ANSWER)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    for damage in (b"", file.read_bytes()[:-9], b"\xff", b"[]"):
        file.write_bytes(damage)
        assert cache.get(one) is None
    cache.put(one, ANSWER)
    assert cache.get(one) == ANSWER


def test_a_folder_that_cannot_be_written_does_not_cost_the_answer(tmp_path):
    (tmp_path / "cache").write_text("a file stands here")
    cache = Cache(tmp_path / "cache")
    cache.put(mark("m", "o", ASK), ANSWER)
    assert cache.get(mark("m", "o", ASK)) is None


def test_the_longest_unused_answers_go_when_it_grows_too_large(tmp_path):
    cache = Cache(tmp_path, most=2000)
    marks = [mark("m", "o", replace(ASK, max_tokens=n)) for n in range(40)]
    for age, one in enumerate(marks):
        cache.put(one, ANSWER)
        if cache.get(one):
            os.utime(cache._path(one), (age, age))
    found = [cache.get(one) is not None for one in marks]
    assert found == sorted(found) and 3 < sum(found) < 20
    assert (
        sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        <= 2000
    )
