"""Items -> the context a new session starts with. Pure: what is known and what is needed come in as values.

Short is a feature. Items are taken by what they are worth per token, strongest first, each further one on a topic
counting less; the context ends where the next item would not be worth its place, however much budget is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import blake2b

from msgspec.structs import asdict

from afterglow.bootstrap import render
from afterglow.bootstrap.worth import DAY, Worth, words, worth
from afterglow.records.context import Context, LeftOut, Need, Shown, Why
from afterglow.records.knowledge import KnowledgeItem

BUDGET = 2000  # tokens
CONFIDENCE = 0.7  # an item must be surer than this
LEAST = 0.02  # expected calls saved, below which an item only makes the context longer
AGAIN = 0.75  # what each further item on one topic counts
LENGTH = 0.5  # how much the length of a line counts against it: 0 not at all, 1 in full


def choose(
    items: Iterable[KnowledgeItem],
    need: Need,
    *,
    count: Callable[[str], int],
    budget: int = BUDGET,
    min_confidence: float = CONFIDENCE,
    least: float = LEAST,
    check: Callable[[KnowledgeItem], str] = lambda item: "",
    id: str = "",
) -> Context:
    """The context for a session, and why each item that is known is not in it. `check` says why an item does not hold
    here and now, if it does not. Never over budget."""
    spoken = words([need.task])
    left: list[LeftOut] = []
    fitting: list[tuple[float, KnowledgeItem, Worth, str, int]] = []
    for item in items:
        why, detail = unfit(item, need, min_confidence)
        if why is None:
            value = worth(item, need, spoken)
            line = render.line(item)
            tokens = count(line) + 1
            if value.calls < least:
                left.append(LeftOut(item.id, "worth", f"{value.calls:.3f} calls"))
            else:
                fitting.append((value.calls / tokens**LENGTH, item, value, line, tokens))
        else:
            left.append(LeftOut(item.id, why, detail))
    return _filled(fitting, left, need, count, budget, least, check, id or _id(need))


def unfit(item: KnowledgeItem, need: Need, min_confidence: float) -> tuple[Why | None, str]:
    """Why an item must not be shown to a session, whatever it is worth."""
    if (item.repo and item.repo != need.repo) or (item.agent and need.agent and item.agent != need.agent):
        return "scope", item.repo or item.agent
    if item.status != "active":
        return "status", item.status
    if item.confidence <= min_confidence and not item.decided:
        return "confidence", f"{item.confidence:.2f}"
    if item.expires is not None and item.expires < need.now:
        return "stale", f"{(need.now - item.expires) / DAY:.0f} days past its date"
    return None, ""


def _filled(
    fitting: list[tuple[float, KnowledgeItem, Worth, str, int]],
    left: list[LeftOut],
    need: Need,
    count: Callable[[str], int],
    budget: int,
    least: float,
    check: Callable[[KnowledgeItem], str],
    id: str,
) -> Context:
    room = budget - count(render.head(id, need.repo)) - 1
    shown: list[Shown] = []
    topics: Counter[str] = Counter()
    said: set[str] = set()
    fitting.sort(key=lambda one: (-one[0], one[1].id))
    while fitting:
        at = max(
            range(min(len(fitting), 40)), key=lambda n: (fitting[n][0] * AGAIN ** topics[_topic(fitting[n][1])], -n)
        )
        _, item, value, line, tokens = fitting.pop(at)
        gain = value.calls * AGAIN ** topics[_topic(item)]
        body = line.split(" [k")[0]
        if gain < least:
            left.append(LeftOut(item.id, "worth", f"{gain:.3f} calls, with {topics[_topic(item)]} on the same topic"))
        elif body in said:
            left.append(LeftOut(item.id, "similar"))
        elif tokens > room:
            left.append(LeftOut(item.id, "budget", f"{tokens} tokens"))
        elif failure := check(item):
            left.append(LeftOut(item.id, "check", failure))
        else:
            room -= tokens
            said.add(body)
            topics[_topic(item)] += 1
            shown.append(Shown(item.id, line, tokens, round(gain, 4), asdict(value)))
    chosen = tuple(shown)
    body = render.text(id, need.repo, chosen)
    tokens = count(body) if body else 0
    while chosen and tokens > budget:  # lines counted apart may count less than together
        left.append(LeftOut(chosen[-1].item, "budget", "together"))
        chosen = chosen[:-1]
        body = render.text(id, need.repo, chosen)
        tokens = count(body)
    reason = _reason(chosen, left, tokens, budget)
    return Context(id=id, text=body, tokens=tokens, budget=budget, shown=chosen, left_out=tuple(left), reason=reason)


def _topic(item: KnowledgeItem) -> str:
    return f"{item.miner}|{item.domain}"


def _id(need: Need) -> str:
    return "ag-" + blake2b(repr(need).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def _reason(shown: tuple[Shown, ...], left: list[LeftOut], tokens: int, budget: int) -> str:
    if not shown and not left:
        return "nothing is known yet: `afterglow harvest` reads it out of sessions"
    counts = Counter(one.why for one in left)
    why = ", ".join(f"{number} {name}" for name, number in counts.most_common())
    if not shown:
        return f"nothing that is known is worth showing here ({why})"
    return (
        f"{tokens} of {budget} tokens; left out: {why}" if left else f"{tokens} of {budget} tokens, all that is known"
    )
