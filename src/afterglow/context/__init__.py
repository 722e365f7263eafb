"""Items -> the context a new session starts with. Pure: what is known and what is needed come in as values.

Short is a feature. Items are taken by what they are worth per token, strongest first, each further one on a topic
counting less; the context ends where the next item would not be worth its place, however much budget is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from itertools import chain

from msgspec.structs import asdict, replace

from afterglow.context import render
from afterglow.context.left_out_words import counted_reasons
from afterglow.context.same_telling import (
    explained_by_any,
    explanation_of,
    said_in_words,
    says_the_same,
)
from afterglow.context.worth import DAY, Worth, spoken_in, worth
from afterglow.records.context import Context, ContextLine, LeftOut, Need, Why
from afterglow.records.knowledge import (
    FOLDERLESS_AGENTS,
    LINT,
    KnowledgeItem,
    may_be_told,
)
from afterglow.records.settings import START_TOKENS

BUDGET = START_TOKENS  # the same for whoever asks by hand
CONFIDENCE = 0.7  # an item must be surer than this
LEAST = 0.02  # expected calls saved, below which an item only makes the context longer
AGAIN = 0.75  # what each further item on one topic counts
TELLING = 20  # letters of a remedy that nobody needs to read twice
LETTERS = 6  # a token has fewer letters than that on the whole
NEAR = 40  # how far down the ranking another topic may be taken from
MAX_FILLING = 12  # lines that are tried for the room that is left
LENGTH = (
    0.75  # how much the length of a line counts against it: 0 not at all, 1 in full
)


_Fitting = tuple[
    float, KnowledgeItem, Worth, str
]  # rank, item, what it is worth, its line


def choose(
    items: Iterable[KnowledgeItem],
    need: Need,
    *,
    count: Callable[[str], int],
    budget: int = BUDGET,
    min_confidence: float = CONFIDENCE,
    least: float = LEAST,
    check: Callable[[KnowledgeItem], str] = lambda item: "",
    said_by: Callable[[KnowledgeItem], str] = lambda item: "",
    id: str = "",
) -> Context:
    """The context for a session, and why each item that is known is not in it. `check` says why an item does not hold
    here and now, if it does not; `said_by` what the agent reads anyway that says the same. Never over budget."""
    spoken = spoken_in(need.task)
    left_out: list[LeftOut] = []
    fitting: list[_Fitting] = []
    fit: list[KnowledgeItem] = []
    for item in items:
        why, detail = unfit(item, need, min_confidence)
        if why is None:
            fit.append(item)
        else:
            left_out.append(LeftOut(item.id, why, detail))
    explained = explained_by_any(fit)
    for item in fit:
        if said_better := explanation_of(item, explained):
            left_out.append(LeftOut(item.id, "similar", said_better))
            continue
        value = worth(item, need, spoken)
        if value.calls < least:
            left_out.append(LeftOut(item.id, "worth", f"{value.calls:.3f} calls"))
            continue
        line = render.line(item, need.sessions)
        rank = value.weight / len(line) ** LENGTH
        fitting.append((rank, item, value, line))
    id = id or _id(need)
    ordered = _ordered(fitting, left_out, budget, least, check, said_by)
    lines = _fitted(
        ordered, budget, lambda chosen: count(render.text(id, need.repo, chosen))
    )
    fitted_ids = {choice.item for choice in lines}
    left_out += [
        LeftOut(choice.item, "budget")
        for choice in ordered
        if choice.item not in fitted_ids
    ]
    body = render.text(id, need.repo, lines)
    tokens = count(body) if body else 0
    lines = tuple(
        replace(line_shown, tokens=round(tokens * len(line_shown.line) / len(body)))
        for line_shown in lines
    )
    reason = _reason(lines, left_out, tokens, budget)
    return Context(
        id=id,
        text=body,
        tokens=tokens,
        budget=budget,
        shown=lines,
        left_out=tuple(left_out),
        reason=reason,
    )


def unfit(
    item: KnowledgeItem, need: Need, min_confidence: float
) -> tuple[Why | None, str]:
    """Why an item must not be shown to a session, whatever it is worth."""
    if _is_out_of_scope(item, need):
        return "scope", item.repo or item.agent
    if not may_be_told(item):
        return "status", item.status if item.status != "active" else "risky"
    if item.confidence <= min_confidence and not item.decided:
        return "confidence", f"{item.confidence:.2f}"
    if item.expires is not None and item.expires < need.now:
        return "stale", f"{(need.now - item.expires) / DAY:.0f} days past its date"
    if LINT in item.tags:
        return "moment", "told where the linter reports"
    return None, ""


def _is_out_of_scope(item: KnowledgeItem, need: Need) -> bool:
    """Of another repository, or of another agent where both are known. What no repository shows is its agent's alone."""
    if item.repo and item.repo != need.repo:
        return True
    if not item.repo and item.agent in FOLDERLESS_AGENTS:
        return item.agent != need.agent
    if not item.agent or not need.agent:
        return False
    return item.agent != need.agent


def _ordered(
    fitting: list[_Fitting],
    left_out: list[LeftOut],
    budget: int,
    least: float,
    check: Callable[[KnowledgeItem], str],
    said_by: Callable[[KnowledgeItem], str],
) -> list[ContextLine]:
    """The strongest first, each further one on a topic counting less; more than can fit, but not much more."""
    lines: list[ContextLine] = []
    topics: Counter[str] = Counter()
    sayings: dict[str, str] = {}  # what has been said, and by which item
    chosen: list[KnowledgeItem] = []
    length = 0
    fitting.sort(key=lambda ranked: (-ranked[0], ranked[1].id))

    def rank_now(at: int) -> tuple[float, int]:
        rank, item, _, _ = fitting[at]
        return rank * AGAIN ** topics[_topic(item)], -at

    while fitting and length < budget * LETTERS:
        near = range(min(len(fitting), NEAR))
        _, item, value, line = _taken(fitting, max(near, key=rank_now), left_out)
        topic = _topic(item)
        gain = value.calls * AGAIN ** topics[topic]
        if gain < least:
            detail = f"{gain:.3f} calls, with {topics[topic]} on the same topic"
            left_out.append(LeftOut(item.id, "worth", detail))
            continue
        sayings_of_item = _sayings(item, line)
        repeated = _repeated(item, sayings_of_item, chosen, sayings)
        if repeated := repeated or said_by(item):
            left_out.append(LeftOut(item.id, "similar", repeated))
            continue
        if failure := check(item):
            left_out.append(LeftOut(item.id, "check", failure))
            continue
        sayings |= dict.fromkeys(sayings_of_item, item.id)
        chosen.append(item)
        topics[topic] += 1
        length += len(line)
        lines.append(ContextLine(item.id, line, round(gain, 4), asdict(value)))
    left_out += [LeftOut(ranked[1].id, "budget") for ranked in fitting]
    return lines


def _taken(fitting: list[_Fitting], at: int, left_out: list[LeftOut]) -> _Fitting:
    """The one at that place; or a lesson in words that has all it tells, in its stead."""
    chosen = fitting.pop(at)
    better = said_in_words(chosen[1], [ranked[1] for ranked in fitting[:NEAR]])
    if better is None:
        return chosen
    left_out.append(LeftOut(chosen[1].id, "similar", fitting[better][1].id))
    return fitting.pop(better)


def _repeated(
    item: KnowledgeItem,
    sayings_of_item: Iterable[str],
    chosen: Iterable[KnowledgeItem],
    sayings: Mapping[str, str],
) -> str:
    """The id of the line that says the same already, if one does."""
    alike = (earlier.id for earlier in chosen if says_the_same(item, earlier))
    by_words = (sayings[words] for words in sayings_of_item if words in sayings)
    return next(chain(alike, by_words), "")


def _sayings(item: KnowledgeItem, line: str) -> set[str]:
    """What a line says that no other needs to say again. The remedy alone counts only where there is no error: two
    errors may have one remedy."""
    sayings = {line.split(" [k", maxsplit=1)[0]}
    if not item.fingerprints and len(item.remedy) >= TELLING:
        sayings.add(item.remedy)
    return sayings


def _fitted(
    ordered: list[ContextLine],
    budget: int,
    tokens: Callable[[tuple[ContextLine, ...]], int],
) -> tuple[ContextLine, ...]:
    """As many of the strongest as fit, then weaker ones that are short enough for what is left. Counted together: lines
    counted apart may come to less, or to much more."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens(tuple(ordered[:middle])) <= budget:
            low = middle
        else:
            high = middle - 1
    fitted = tuple(ordered[:low])
    for line in ordered[low + 1 : low + 1 + MAX_FILLING]:
        if tokens((*fitted, line)) <= budget:
            fitted = (*fitted, line)
    return fitted


def _topic(item: KnowledgeItem) -> str:
    """What items say more of the same about; one that is of no domain stands for itself."""
    return f"{item.miner}|{item.domain}" if item.domain else item.id


def _id(need: Need) -> str:
    content = repr(need).encode("utf-8", "surrogatepass")
    return "ag-" + blake2b(content, digest_size=5).hexdigest()


def _reason(
    lines: tuple[ContextLine, ...], left_out: list[LeftOut], tokens: int, budget: int
) -> str:
    if not lines and not left_out:
        return "nothing is known yet: `afterglow harvest` reads it out of sessions"
    counts = Counter(omission.why for omission in left_out)
    why = counted_reasons(counts)
    if not lines:
        return f"nothing that is known is worth showing here: {why}"
    if not left_out:
        return f"{tokens} of {budget} tokens, all that is known"
    return f"{tokens} of {budget} tokens; left out: {why}"
