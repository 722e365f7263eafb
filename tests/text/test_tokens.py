"""Counting tokens: the estimate stays above the exact count, any text will do, and nothing goes to the network."""

from __future__ import annotations

import base64
import random
import subprocess
import sys

import pytest
from bench.tongues import LANGUAGES, SHAPES

from afterglow.errors import UsageError
from afterglow.text import token_prices, tokens
from afterglow.text.tokens import counter, estimate

PAGE = "".join(SHAPES.values())
O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"  # what tiktoken calls the file


def contexts(seed: int = 1) -> list[str]:
    """Bullets out of the words of every shape and language, of 200 to 8,000 characters."""
    dice = random.Random(seed)
    found = []
    for text in (*SHAPES.values(), *LANGUAGES.values(), PAGE):
        words = text.split(" ")
        for size in (200, 700, 2500, 8000):
            lines = [
                "- " + " ".join(dice.choices(words, k=12))
                for _ in range(size // 40 + 2)
            ]
            found.append("\n".join(lines)[:size])
            found.append((SHAPES["prose"] + "\n".join(lines))[:size])
    return found


@pytest.fixture(scope="module")
def exact():
    pytest.importorskip("splintr", reason="the exact tokenizer is not installed")
    return counter("splintr")


def test_the_estimate_is_never_below_the_exact_count(exact):
    assert [text for text in contexts() if estimate(text) < exact.count(text)] == []


def test_the_estimate_is_close_for_what_we_render(exact):
    over = [
        estimate(text) / exact.count(text) - 1
        for text in (PAGE, SHAPES["prose"] * 5, PAGE[::-1])
    ]
    assert max(over) < 0.2
    assert estimate(PAGE) / exact.count(PAGE) < 1.12


def test_special_tokens_in_a_text_are_ordinary_text(exact):
    assert exact.count("<|endoftext|>") > 1


def test_common_words_are_a_token_each_and_the_margin_shrinks_with_length():
    sentence = "the tests need the database before they can run\n"
    short, long = estimate(sentence), estimate(sentence * 50)
    assert 10 <= short <= 14
    assert 500 <= long < 50 * short


def test_rare_words_and_keys_cost_more_than_common_words_of_that_length():
    assert estimate("gqzvwxkj " * 20) > 2 * estimate("database " * 20)
    assert estimate("qL8xZ0tWv3NnRk5uYb1cHd7e") > 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800",
        "a\udfff\ud83d b",
        "\0" * 50,
        "\r\n \r",
        "a",
        "A" * 5000,
        " " * 5000,
        "👩‍💻" * 9,
        "\U0010ffff",
        "ﷺ",
    ],
)
def test_any_text_has_a_count(text):
    assert 0 <= estimate(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert (estimate(text) == 0) == (text == "")


@pytest.mark.parametrize(
    "part", ["a", "Ab", "é", "字", "(", " \n", "éA", "x ", "'s", "1", "\x1b["]
)
def test_a_megabyte_of_anything_is_counted(part):
    assert estimate(part * (1_000_000 // len(part))) > 0


def test_the_same_text_has_the_same_count_in_another_process():
    code = "import sys;from afterglow.text.tokens import estimate;print(estimate(sys.stdin.read()))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=PAGE,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) == estimate(PAGE)


def test_prices_remembered_do_not_pile_up():
    dice = random.Random(3)
    for _ in range(15):
        estimate(" ".join("".join(dice.choices("bcdfghjk", k=7)) for _ in range(5000)))
    assert len(token_prices._prices()) <= token_prices.REMEMBERED


def test_the_table_is_small():
    assert token_prices.TABLE.stat().st_size < 20_000


def test_importing_loads_no_tokenizer_and_no_table():
    code = "import sys,afterglow.text.tokens;print({'splintr','tiktoken','afterglow.text.token_prices'}&set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "set()"


def test_the_best_counter_is_chosen_and_count_uses_it():
    best = counter()
    assert best.NAME in {"splintr", "tiktoken", "estimate"}
    assert tokens.count(PAGE) == best.count(PAGE) <= estimate(PAGE)
    assert counter("estimate").count(PAGE) == estimate(PAGE)


def test_a_counter_that_does_not_exist_says_which_do():
    with pytest.raises(UsageError, match="auto, splintr, tiktoken, estimate"):
        counter("words")


def test_tiktoken_without_its_table_is_refused_not_downloaded(tmp_path):
    with pytest.raises(UsageError, match="use estimate"):
        counter("tiktoken", tables=tmp_path)


def test_tiktoken_reads_the_table_on_disk(tmp_path):
    pytest.importorskip("tiktoken")
    ranks = [bytes([i]) for i in range(256)] + [b"th", b"the"]
    rows = [base64.b64encode(token) + b" %d" % rank for rank, token in enumerate(ranks)]
    (tmp_path / O200K).write_bytes(b"\n".join(rows))
    assert counter("tiktoken", tables=tmp_path).count("the\ud800") == 4
