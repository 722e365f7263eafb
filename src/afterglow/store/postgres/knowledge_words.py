"""Finding a hub's items by words: an index in the database of the words that `text.words` makes, asked as its owner.

PostgreSQL does not use such an index below row-level security: its operators might tell of rows that are hidden. So it
is asked by functions that run as the owner of the tables and say themselves what whoever asks may read: rows of their
organisation and repositories, nothing else; also how common a word is, is counted in those alone. Words in the index
begin with the number of the organisation, so that one does not look among another's.

Common words are the trouble: their lists are long. How common a word is, is guessed from every 256th item, and where all
words of a question are common, what has them is looked for among every 16th first; both have small indexes of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import Any

from msgspec import Struct

from afterglow.store.databases import Database
from afterglow.store.knowledge_rows import mark_of, sure_marks
from afterglow.store.search import RAREST, Asked, Ranked, Scope, score

SAMPLE = 16  # items of which one is looked at where a word is common
SMALL_SAMPLE = 256  # items of which one is looked at to guess how common a word is
FEW = 1024  # items of which one is counted to guess how many there are
SURE = 8  # in a sample: fewer say nothing
LONG = 20_000  # items with a word: more are looked for in the sample, which takes a millisecond or two
WEIGHED = 500  # items that one list gives, at most; more cost more than they tell
PLENTY = 100  # items with rare words: then no others are looked for
# Filters that most items fit, so that looking by them costs more than it saves.
_COMMON = {mark_of("status", "active"), sure_marks(0.5)[0]}

_VECTOR = "words_of(t.org, t.words, t.scope) @@"
_MAY_READ = "t.org = mine AND (merging OR t.item_repo IN (SELECT unnest(repos)))"
# Worked out once: in a condition it would be for every row.
_WHO = (
    "mine bigint := asking_org(); repos text[] := my_repos('read'); "
    "merging boolean := is_merger()"
)
_AS_OWNER = (
    "SECURITY DEFINER SET search_path = afterglow, pg_temp "
    "SET plan_cache_mode = force_generic_plan SET jit = off "
    "SET max_parallel_workers_per_gather = 0"
)

WORD_INDEX = f"""
-- Not put in place where it is used: what it costs would not be seen, and rows be read instead of the index.
CREATE FUNCTION words_of(org bigint, words text, scope text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$ BEGIN
  RETURN array_to_tsvector(string_to_array(
    org::text || ':' || replace(words || ' ' || scope, ' ', ' ' || org::text || ':'), ' '));
END $$;
CREATE INDEX texts_words ON texts USING gin (words_of(org, words, scope));
CREATE INDEX texts_words_sample ON texts USING gin (words_of(org, words, scope)) WHERE rowid % {SAMPLE} = 0;
CREATE INDEX texts_words_small ON texts USING gin (words_of(org, words, scope)) WHERE rowid % {SMALL_SAMPLE} = 0;
CREATE INDEX texts_few ON texts (org, item_repo) WHERE rowid % {FEW} = 0;
-- Rows of three kinds: 0 how many items there are, then how many have each word, about; 1 items with all words (`every`);
-- 2 items with some, those with rare words first, unless there are `enough` with all.
CREATE FUNCTION found_by_words(asked text[], every text, within text, enough integer)
RETURNS TABLE (kind integer, number bigint, item_words text) LANGUAGE plpgsql STABLE {_AS_OWNER} AS $$
DECLARE {_WHO}; counts bigint[]; times bigint; many integer; word text; wish text; long_list boolean;
BEGIN
  SELECT {FEW} * count(*) INTO times FROM texts t WHERE t.rowid % {FEW} = 0 AND {_MAY_READ};
  IF times < {SURE * FEW} THEN
    SELECT count(*) INTO times FROM (SELECT FROM texts t WHERE {_MAY_READ} LIMIT {2 * SURE * FEW}) AS first_ones;
  END IF;
  RETURN QUERY SELECT 0, times, '';
  FOREACH word IN ARRAY asked LOOP
    SELECT {SMALL_SAMPLE} * count(*) INTO times FROM texts t
      WHERE {_VECTOR} word::tsquery AND t.rowid % {SMALL_SAMPLE} = 0 AND {_MAY_READ};
    IF times < {SURE * SMALL_SAMPLE} THEN
      SELECT {SAMPLE} * count(*) INTO times FROM texts t
        WHERE {_VECTOR} word::tsquery AND t.rowid % {SAMPLE} = 0 AND {_MAY_READ};
    END IF;
    IF times < {SURE * SAMPLE} THEN
      SELECT count(*) INTO times FROM texts t WHERE {_VECTOR} word::tsquery AND {_MAY_READ};
    END IF;
    counts := counts || times;
    RETURN QUERY SELECT 0, times, '';
  END LOOP;
  IF every <> '' THEN
    IF within = '' AND {LONG} < ALL (counts) THEN
      RETURN QUERY SELECT 1, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} every::tsquery AND t.rowid % {SAMPLE} = 0 AND {_MAY_READ} LIMIT {WEIGHED};
      GET DIAGNOSTICS many = ROW_COUNT;
      IF many >= enough THEN RETURN; END IF;
    END IF;
    RETURN QUERY SELECT 1, t.rowid, t.words FROM texts t
      WHERE {_VECTOR} (every || within)::tsquery AND {_MAY_READ} LIMIT {WEIGHED};
    GET DIAGNOSTICS many = ROW_COUNT;
    IF many >= enough THEN RETURN; END IF;
  END IF;
  enough := {PLENTY};
  FOR wish, long_list IN
    SELECT '(' || string_agg(named, ' | ') || ')', bool_and(has > {LONG}) FROM (
      SELECT named, has FROM unnest(asked, counts) AS counted (named, has) WHERE has > 0 ORDER BY has LIMIT {RAREST}
    ) AS rarest GROUP BY has > {WEIGHED}, has > {LONG} ORDER BY min(has)
  LOOP
    IF long_list AND within = '' THEN
      RETURN QUERY SELECT 2, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} wish::tsquery AND t.rowid % {SAMPLE} = 0 AND {_MAY_READ} LIMIT {WEIGHED};
    ELSE
      RETURN QUERY SELECT 2, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} (wish || within)::tsquery AND {_MAY_READ} LIMIT {WEIGHED};
    END IF;
    GET DIAGNOSTICS many = ROW_COUNT;
    enough := enough - many;
    EXIT WHEN enough <= 0;
  END LOOP;
END $$;
"""
WORD_FUNCTIONS = (
    "words_of(bigint, text, text), found_by_words(text[], text, text, integer)"
)

ALL, SOME = 1, 2  # kinds of rows


class HubWords:
    """The index of an organisation, for one question."""

    narrow = True  # in scope its lists are shorter

    def __init__(self, db: Database, org: int, question: Asked) -> None:
        self._db = db
        self._org = org
        self._words = question.words[: 3 * RAREST]
        is_short = len(question.names) <= RAREST
        self._every = self._all_of(question) if is_short else ""
        self._answers: dict[tuple[str, str], _Answer] = {}

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        if any(not marks for marks in scope):
            return []
        lists = [marks for marks in scope if not _COMMON.intersection(marks)]
        within = "".join(f" & ({self._any_of(marks)})" for marks in lists)
        answer = self._answer(self._every, within, most)
        if not every and len(answer.with_all) >= most:
            answer = self._answer("", within, most)
        texts = answer.with_all if every else answer.with_some
        ranked = [(n, score(text, answer.weights)) for n, text in texts.items()]
        return sorted(ranked, key=lambda scored: -scored[1])[:most]

    def _answer(self, every: str, within: str, most: int) -> _Answer:
        if (every, within) not in self._answers:
            marks = [self._mark(word) for word in self._words]
            query = "SELECT kind, number, item_words FROM found_by_words(?::text[], ?, ?, ?)"
            rows = self._db.execute(query, [marks, every, within, most]).fetchall()
            self._answers[every, within] = _Answer.of(self._words, rows)
        return self._answers[every, within]

    def _all_of(self, question: Asked) -> str:
        parts = []
        for name in question.names:
            part = " & ".join(self._mark(piece.stem) for piece in name.pieces)
            if name.joined:
                part = f"({part}) | {self._mark(name.joined.stem)}"
            parts.append(f"({part})")
        return f"({' & '.join(parts)})"

    def _any_of(self, words: Iterable[str]) -> str:
        return " | ".join(map(self._mark, words))

    def _mark(self, word: str) -> str:
        """As it stands in the index, and quoted as a question there wants it."""
        quoted = word.replace("\\", "\\\\").replace("'", "''")
        return f"'{self._org}:{quoted}'"


class _Answer(Struct, frozen=True):
    """What the function found: how much each word tells, and the words of items by their numbers."""

    weights: dict[str, float]
    with_all: dict[int, str]
    with_some: dict[int, str]

    @classmethod
    def of(cls, words: Sequence[str], rows: Sequence[Any]) -> _Answer:
        items, *times = [number for kind, number, _ in rows if kind == 0]
        return cls(
            weights={
                word: _weight(items, have)
                for word, have in zip(words, times, strict=True)
            },
            with_all={n: text for kind, n, text in rows if kind == ALL},
            with_some={n: text for kind, n, text in rows if kind == SOME},
        )


def _weight(items: int, have: int) -> float:
    """How much a word tells, by BM25; both are guesses, so more may seem to have it than there are."""
    have = min(have, items)
    return log(1 + (items - have + 0.5) / (have + 0.5)) if have else 0.0
