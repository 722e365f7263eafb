"""The newer decision on the same matter replaces the older.

Worked out from the items alone, by the times of the sentences they stand on: in whatever order sessions were mined the
answer is the same, and when the newer one goes the older comes back. Only the newest is told; all stay, and each names
the next one of its chain. A person's word is replaced by a person's word only, and only where it was said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from afterglow.calls import read
from afterglow.harvest import FORMER_MINERS
from afterglow.harvest.confidence import DIRECT, MIN_WITNESSES, TRUSTED
from afterglow.harvest.independence import witnesses
from afterglow.harvest.replaced_items import (
    AGAIN,
    RAISED,
    decision_about,
    is_replaced,
    is_replaced_by_word,
    replacing_writer,
    superseded,
)
from afterglow.harvest.rival_statements import replaces
from afterglow.harvest.statements import Statement, statements
from afterglow.records import lessons, writing
from afterglow.records.knowledge import ONE_SESSION, Evidence, KnowledgeItem

RULES = "rules"  # the miner of what is said to last; a refusal may be of the moment
SPEECH = (RULES, "corrections")  # miners whose items quote what a person said
# Those whose items take part by their words: a lesson can be replaced by a person's word, not the other way round.
DECIDING = (*SPEECH, lessons.MINER, writing.MINER, writing.BY_RULES)


class Utterance(Struct, frozen=True):
    """One statement in its place: when and where it was made."""

    time: float
    session: str
    line: int
    repo: str
    statement: Statement


class Matter(Struct, frozen=True):
    """An item with what it states, oldest first."""

    item: KnowledgeItem
    utterances: tuple[Utterance, ...]

    @property
    def when(self) -> tuple[float, str]:
        return self.item.last_confirmed or 0.0, self.item.id


def is_own_word(miner: str, spans: Iterable[Evidence]) -> bool:
    """Whether all the sentences it quotes are a person's own. The call that they answer adds no words."""
    quoted = [span for span in spans if span.part != "arguments"]
    return miner in SPEECH and bool(quoted) and all(map(_is_spoken, quoted))


def authority(item: KnowledgeItem) -> int:
    """Whose word it is, the weightiest first: a person's, a trusted source's, somebody else's."""
    is_spoken = is_own_word(item.miner, item.evidence)
    if item.edited or is_spoken or item.trust == "user":
        return 0
    return 1 if item.trust in TRUSTED else 2


def may_replace(newer: KnowledgeItem, older: KnowledgeItem) -> bool:
    """Whether the one's word weighs enough, and holds where the other does."""
    if newer.repo not in {"", older.repo} or newer.agent not in {"", older.agent}:
        return False
    is_own = newer.miner == older.miner and authority(older) > 0
    return is_own or authority(newer) <= authority(older)


def resolve(
    items: Iterable[KnowledgeItem], *, deleted: Collection[str] = ()
) -> list[KnowledgeItem]:
    """What decisions do to one another; returns those that change. What was replaced by an item that is neither here
    nor `deleted` stays as it is."""
    by_id = {item.id: item for item in items}
    matters = sorted(map(_matter, filter(_counts, by_id.values())), key=_when)
    replacers = _replacers(matters)
    replacers |= _of_replaced_words(by_id.values(), replacers)
    for item in by_id.values():
        by = by_id.get(item.superseded_by)
        if by is not None and is_replaced_by_word(item) and _holds(by):
            replacers[item.id] = [by.id]
    looked_at = by_id.keys() | set(deleted)
    changed = (
        _with_standing(matter.item, replacers, by_id)
        for matter in matters
        if matter.item.id in replacers
        or not is_replaced(matter.item)
        or matter.item.superseded_by in looked_at
    )
    return [item for item in changed if item != by_id[item.id]]


def says_otherwise(fact: str, fact_before: str) -> bool:
    """Whether two quoted sentences lay down different things, however alike their words are."""
    mine, theirs = _quoted_statements(fact), _quoted_statements(fact_before)
    if not mine or not theirs:
        return False
    return _essence(mine[0]) != _essence(theirs[0])


def _counts(item: KnowledgeItem) -> bool:
    """Whether an item takes part: it holds, waits, or has been replaced."""
    return item.status in {"active", "candidate"} or is_replaced(item)


def _holds(item: KnowledgeItem) -> bool:
    """Active, or replaced by one that is."""
    return item.status == "active" or is_replaced(item)


def _when(matter: Matter) -> tuple[float, str]:
    return matter.when


def _matter(item: KnowledgeItem) -> Matter:
    return Matter(item, tuple(sorted(_utterances(item), key=_place)))


def _place(utterance: Utterance) -> tuple[float, bool, int]:
    """What is written comes before what was said at that moment. Sessions have other names at a hub."""
    return utterance.time, bool(utterance.session), utterance.line


def _utterances(item: KnowledgeItem) -> Iterator[Utterance]:
    """What was said, span by span; or what the item says, where a person wrote it or its words are nobody's."""
    if item.edited or (item.miner in DECIDING and item.miner not in SPEECH):
        yield from _written(item)
    elif item.miner in SPEECH:
        spans = list(filter(_is_spoken, item.evidence))
        for span in spans:
            yield from _spoken(span, item.evidence)
        if item.decided and _is_confirmed_since(item, spans):
            yield from _written(item)


def _is_confirmed_since(item: KnowledgeItem, spans: Iterable[Evidence]) -> bool:
    latest = max((span.time or 0.0 for span in spans), default=0.0)
    return (item.last_confirmed or 0.0) > latest


def _spoken(span: Evidence, spans: Iterable[Evidence]) -> Iterator[Utterance]:
    before = _programs_before(span, spans)
    for statement in _statements(span.quote):
        yield Utterance(
            span.time or 0.0,
            span.session,
            span.line,
            span.repo,
            replace(statement, before=before),
        )


def _written(item: KnowledgeItem) -> Iterator[Utterance]:
    """What an item says by itself, as of its last confirmation."""
    for statement in _statements((item.remedy or item.fact).strip('"')):
        yield Utterance(item.last_confirmed or 0.0, "", 0, item.repo, statement)


def _is_spoken(span: Evidence) -> bool:
    return span.trust == "user"


@lru_cache(maxsize=4096)
def _statements(text: str) -> list[Statement]:
    return statements(text)


def _programs_before(span: Evidence, spans: Iterable[Evidence]) -> frozenset[str]:
    """The programs of the call that the words were an answer to, where the evidence points at it."""
    calls = [
        call
        for call in spans
        if call.session == span.session
        and call.part == "arguments"
        and call.line < span.line
    ]
    if not calls:
        return frozenset()
    latest = max(calls, key=lambda call: call.line)
    return _programs(latest.quote)


@lru_cache(maxsize=1024)
def _programs(arguments: str) -> frozenset[str]:
    return frozenset(command.program for command in read("Bash", arguments).commands)


def _replacers(matters: list[Matter]) -> dict[str, list[str]]:
    """Item -> what replaces it, the oldest first. A candidate does not need to be replaced, and replaces as soon as it
    stands against one that holds: then it is what a person said last."""
    replacers: dict[str, list[str]] = defaultdict(list)
    holding = {
        matter.item.id for matter in matters if matter.item.status != "candidate"
    }
    earlier: list[Matter] = []
    index: dict[str, list[int]] = defaultdict(list)
    for matter in matters:
        for older in _near(matter, earlier, index):
            held = older.item.id in holding or _had_overruled(older, matter, holding)
            if held and _overrules(matter, older):
                replacers[older.item.id].append(matter.item.id)
                holding.add(matter.item.id)
        for word in _index_words(matter):
            index[word].append(len(earlier))
        earlier.append(matter)
    return replacers


def _of_replaced_words(
    items: Iterable[KnowledgeItem], replacers: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """Lessons that were written of nothing but sentences that have been replaced: they go with them."""
    items = list(items)
    rules: dict[tuple[str, int], str] = {}
    for item in items:
        if item.miner == RULES:
            rules |= dict.fromkeys(_places(item), item.id)
    lessons = (item for item in items if item.miner in DECIDING[len(SPEECH) :])
    gone_with: dict[str, list[str]] = {}
    for item in lessons:
        sources = {rules.get(place, "") for place in _quoted_places(item)}
        is_replaced_too = bool(sources) and all(id in replacers for id in sources)
        if is_replaced_too and not item.decided and not item.edited:
            gone_with[item.id] = replacers[max(sources)]
    return gone_with


def _places(item: KnowledgeItem) -> set[tuple[str, int]]:
    """Where a person said what an item stands on."""
    return {(span.session, span.line) for span in item.evidence if _is_spoken(span)}


def _quoted_places(item: KnowledgeItem) -> set[tuple[str, int]]:
    """Of these the ones whose words it repeats, if it does."""
    quoted = [span for span in item.evidence if span.quote in item.remedy]
    return _places(replace(item, evidence=tuple(quoted))) or _places(item)


def _near(
    matter: Matter, earlier: list[Matter], index: Mapping[str, list[int]]
) -> list[Matter]:
    """Those before it that share a word, a key or a use."""
    places = {place for word in _index_words(matter) for place in index.get(word, ())}
    return [earlier[place] for place in sorted(places)]


def _index_words(matter: Matter) -> set[str]:
    words = {f"key {matter.item.key}"} if matter.item.key else set()
    for utterance in matter.utterances:
        words |= utterance.statement.words | utterance.statement.dropped
        if utterance.statement.light:
            words.add("use")
    return words


def _overrules(newer: Matter, older: Matter) -> bool:
    if authority(newer.item) > authority(older.item):
        return False
    return _by_key(newer.item, older.item) or _by_words(newer, older)


def _by_key(newer: KnowledgeItem, older: KnowledgeItem) -> bool:
    """A miner says that the two answer one question, and otherwise. What a person decided stays."""
    if not newer.key or newer.key != older.key or newer.value == older.value:
        return False
    return (
        newer.repo == older.repo and newer.status != "candidate" and not older.decided
    )


def _by_words(newer: Matter, older: Matter) -> bool:
    """In every repository where the older was said, the newer was said later and puts it out of force."""
    is_lasting = newer.item.edited or newer.item.miner == RULES
    if not is_lasting or newer.item.agent not in {"", older.item.agent}:
        return False
    if older.item.decided and newer.item.status == "candidate":
        return False
    if not newer.utterances or not older.utterances:
        return False
    repos = {utterance.repo for utterance in older.utterances}
    return all(
        _overrules_in(_in_repo(newer, repo), _in_repo(older, repo)) for repo in repos
    )


def _in_repo(matter: Matter, repo: str) -> list[Utterance]:
    return [utterance for utterance in matter.utterances if utterance.repo == repo]


def _overrules_in(newer: list[Utterance], older: list[Utterance]) -> bool:
    """The newest word counts; and who was overruled and says the same again overrules in turn."""
    if not newer or not older or _place(newer[-1]) <= _place(older[-1]):
        return False
    last = older[-1]
    later = [item for item in newer if _place(item) > _place(last)]
    if any(replaces(item.statement, last.statement) for item in later):
        return True
    return _answers(older, newer)


def _answers(utterances: list[Utterance], earlier: list[Utterance]) -> bool:
    """Whether one of them put one out of force that had been said before it."""
    return any(
        _place(before) < _place(item) and replaces(item.statement, before.statement)
        for item in utterances
        for before in earlier
    )


def _had_overruled(older: Matter, newer: Matter, holding: Collection[str]) -> bool:
    """Whether a candidate stood against what is said again now: it held in between."""
    if newer.item.id not in holding or older.item.miner != RULES:
        return False
    repos = {utterance.repo for utterance in older.utterances}
    return any(_answers(_in_repo(older, repo), _in_repo(newer, repo)) for repo in repos)


def _with_standing(
    item: KnowledgeItem,
    replacers: Mapping[str, list[str]],
    by_id: Mapping[str, KnowledgeItem],
) -> KnowledgeItem:
    """The item with the status that the others leave it."""
    if item.id in replacers:
        by = by_id[replacers[item.id][0]]
        who = replacing_writer(item) if _is_word_of(item, by) else ""
        return superseded(item, by, who=who)
    if is_replaced(item) and item.miner in FORMER_MINERS:
        return item  # nothing looks for it any more
    if is_replaced(item):
        return _holding_again(item)
    if item.status == "candidate":
        replaced = sorted(id for id, ids in replacers.items() if item.id in ids)
        if replaced:
            reason = f"{RAISED}{', '.join(replaced)}"
            sure = max(item.confidence, DIRECT)
            return replace(item, status="active", reason=reason, confidence=sure)
    return item


def _holding_again(item: KnowledgeItem) -> KnowledgeItem:
    """What is no longer replaced: as sure as what it rests on, no surer."""
    is_of_person = item.decided or item.edited or is_own_word(item.miner, item.evidence)
    if not is_of_person and witnesses(item.evidence) < MIN_WITNESSES:
        return replace(item, status="candidate", superseded_by="", reason=ONE_SESSION)
    again = f"{AGAIN}{item.superseded_by} no longer replaces it"
    reason = decision_about(item) or again
    return replace(item, status="active", superseded_by="", reason=reason)


def _is_word_of(item: KnowledgeItem, by: KnowledgeItem) -> bool:
    return is_replaced_by_word(item) and item.superseded_by == by.id


def _quoted_statements(fact: str) -> list[Statement]:
    _, _, quoted = fact.partition('"')
    return statements(quoted.rpartition('"')[0]) if quoted else []


def _essence(statement: Statement) -> object:
    return statement.stance, statement.words, statement.conditions, statement.dropped
