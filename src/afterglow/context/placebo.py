"""The placebo: a context as long as the real one and of its look, that teaches nothing.

Its lines are small facts of the shell, worked out here: true on every system, known to every model, of no use to any
task, and harmless if somebody runs them. Lessons of other repositories would not do: they may help (much holds
everywhere), they may harm (a remedy for something else gets followed), they would carry what one repository taught into
another, and whoever has one repository has none. Invented lessons would be lies about this one.

A placebo follows from its id, its time and its length alone, so the same can be made again.
"""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import blake2b
from itertools import product

from afterglow.context import render
from afterglow.records.context import Context, ContextLine, Hint, Need
from afterglow.records.knowledge import KnowledgeItem
from afterglow.text.basis import of_sessions
from afterglow.text.tokens import estimate

DAY = 86400.0
MOST_SESSIONS = 5  # that a line rests on, or seems to
DAYS = 14  # lines are dated within so many days before the context
MOST = 2000  # facts
FACT = 28  # tokens of one, about
CLOSE = 0.03  # of the length that is asked for
MAX_FACTS_OF_A_LINE = 3  # a hint has at most 60 tokens

_WORDS = """
amber anchor apple autumn basil birch blanket bottle bridge butter candle canyon carpet castle cedar cherry circle
clover cobalt copper coral cotton cradle crystal daisy desert dolphin feather fiddle forest garden ginger glacier
granite hazel helmet honey island ivory jasmine kettle ladder lantern lemon linen maple marble meadow mirror mountain
needle nutmeg ocean olive orchard paper pebble pepper pillow planet pocket pumpkin quartz ribbon river saddle saffron
salmon sandal silver spruce summer table thunder timber tulip valley velvet violet walnut willow window winter
""".split()

_FACTS = (
    "`echo {word}` → {word}",
    "`printf '%x' {number}` → {number:x}",
    "the length of {word} → {letters} letters",
    "`basename /{other}/{word}.txt` → {word}.txt",
    "{number} plus 17 → `echo $(({number} + 17))` prints {more}",
    "{word} in capital letters → `echo {word} | tr a-z A-Z` prints {capitals}",
    "{word} and {other} with a dash between them → `printf '%s-%s' {word} {other}`",
    "the folder of `/{other}/{word}.txt` → `dirname /{other}/{word}.txt` prints /{other}",
    "{number} with zeros in front, five digits in all → `printf '%05d' {number}` prints {number:05d}",
    "three numbers from {number} on → `seq {number} {third}` prints each of them on a line of its own",
    "a file with the mode {mode} → `ls -l` shows {rights} for its owner, its group and all others",
    "whether {word} comes before {other} → `printf '%s\\n' {word} {other} | sort | head -n 1` prints {first}, "
    "the first of both in the order of the alphabet",
)
_BITS, _RIGHTS = range(8, -1, -1), "rwxrwxrwx"


def placebo(id: str, repo: str, *, tokens: int, now: float) -> Context:
    """One of about `tokens` tokens, as estimated, and never more; that is its budget. Empty for 0. Few looks, for each
    takes its time: as many facts as fit, and where that is not close enough, the last of them, or one more, of every
    kind."""
    best = _context(id, repo, tokens, now, 0)
    low, high, guess = 0, MOST if tokens else 0, tokens // FACT
    while low < high:
        guess = min(max(guess, low + 1), high)
        look = _context(id, repo, tokens, now, guess)
        best = min(best, look, key=_off)
        if _off(best) <= CLOSE:
            return best
        low, high = (guess, high) if look.tokens <= tokens else (low, guess - 1)
        guess = round(guess * tokens / look.tokens)
    for facts, kind in product((low, low + 1), range(len(_FACTS)) if tokens else ()):
        best = min(best, _context(id, repo, tokens, now, facts, kind), key=_off)
    return best


def _off(context: Context) -> float:
    """The share of its budget that is left; a context over its budget is no choice at all."""
    left_over = context.budget - context.tokens
    return left_over / max(context.budget, 1) if left_over >= 0 else math.inf


def disguised(context: Context, need: Need) -> tuple[Context, list[KnowledgeItem]]:
    """The placebo that stands in for a context, and what the ledger is to know of its lines: nothing that could be
    looked for in calls."""
    sham = placebo(
        context.id,
        need.repo,
        tokens=estimate(context.text) if context.text else 0,
        now=need.now,
    )
    return sham, [_nothing(line.item) for line in sham.shown]


def _nothing(item: str) -> KnowledgeItem:
    return KnowledgeItem(id=item, fact="", category="fact", confidence=0.0)


def disguised_hint(hint: Hint, seed: str) -> tuple[Hint, list[KnowledgeItem]]:
    """The line that stands in for a hint: facts of about its length and no remedy; and what the ledger is to know of
    it. It has the hint's topics, so that it is said as often. The same `seed` gives the same line."""
    length = estimate(hint.text)
    text = ""
    for place in range(MAX_FACTS_OF_A_LINE):
        facts = [_fact(f"{seed} {place}", kind) for kind in range(len(_FACTS))]
        lines = [f"{text}; {fact}" if text else fact for fact in facts]
        fitting = [line for line in lines if estimate(line) <= length]
        if not fitting:
            break
        text = max(fitting, key=estimate)
    text = text or _fact(seed, 0)
    item = _item(seed, 0) if hint.item else ""
    sham = Hint(text, estimate(text), hint.topics, item)
    return sham, [_nothing(item)] if item else []


def is_placebo(id: str, items: tuple[str, ...]) -> bool:
    """Whether these are the lines of the placebo with that id."""
    return items[:1] == (_item(id, 0),)


def _context(
    id: str, repo: str, budget: int, now: float, facts: int, last: int | None = None
) -> Context:
    """So many facts, one or two on a line; the last one is of the kind asked for."""
    lines: list[ContextLine] = []
    facts_used = 0
    while facts_used < facts:
        item = _item(id, len(lines))
        several = min(1 + _draw(item, "several") % 2, facts - facts_used)
        kinds = [
            last if number == facts - 1 else None
            for number in range(facts_used, facts_used + several)
        ]
        body = "; ".join(
            _fact(f"{id} {facts_used + place}", kind)
            for place, kind in enumerate(kinds)
        )
        confirmed = now - DAY * (1 + _draw(item, "day") % DAYS)
        rests_on = of_sessions(2 + _draw(item, "sessions") % MOST_SESSIONS)
        end = render.brackets(item, rests_on, confirmed)
        lines.append(ContextLine(item, f"- {body} {end}", 0.0, {}))
        facts_used += several
    text = render.text(id, repo, tuple(lines))
    tokens = estimate(text) if text else 0
    return Context(
        id=id,
        text=text,
        tokens=tokens,
        budget=budget,
        shown=tuple(lines),
        reason=f"{tokens} tokens",
    )


@lru_cache(maxsize=4096)
def _fact(seed: str, kind: int | None = None) -> str:
    """A fact; of the kind that the seed says unless another is asked for."""
    number, mode = _draw(seed, "number") % 900 + 100, _draw(seed, "mode") % 512
    word, second_word = (
        _WORDS[_draw(seed, what) % len(_WORDS)] for what in ("word", "other")
    )
    return _FACTS[_draw(seed, "kind") % len(_FACTS) if kind is None else kind].format(
        word=word,
        other=second_word,
        capitals=word.upper(),
        letters=len(word),
        first=min(word, second_word),
        number=number,
        more=number + 17,
        third=number + 2,
        mode=f"{mode:03o}",
        rights="".join(
            letter if mode >> place & 1 else "-"
            for place, letter in zip(_BITS, _RIGHTS, strict=True)
        ),
    )


def _item(id: str, number: int) -> str:
    """Looks like the id of an item, and is none."""
    return "k" + blake2b(f"{id} line {number}".encode(), digest_size=5).hexdigest()


def _draw(seed: str, what: str) -> int:
    return int.from_bytes(
        blake2b(f"{seed} {what}".encode(), digest_size=6).digest(), "big"
    )
