"""Finding a hub's items by words: an index in the database of the words that `text.words` makes, asked as its owner.

PostgreSQL does not use such an index below row-level security: its operators might tell of rows that are hidden. So it
is asked by functions that run as the owner of the tables and say themselves what whoever asks may read: rows of their
organisation and repositories, nothing else; also how common a word is, is counted in those alone. Words in the index
begin with the number of the organisation, so that one does not look among another's.

Common words are the trouble: their lists are long. How common a word is, is guessed from every 256th item, and what has
one common word is looked for among every 16th; both have small indexes of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from afterglow.store.databases import Database
from afterglow.store.knowledge_rows import mark_of, sure_marks
from afterglow.store.search import RAREST, Asked, Ranked, Scope, score

SAMPLE = 16  # items of which one is looked at where a word is common
SMALL_SAMPLE = 256  # items of which one is looked at to guess how common a word is
FEW = 1024  # items of which one is counted to guess how many there are
SURE = 8  # in a sample: fewer say nothing
LONG = 20_000  # items with a word: more are looked for in the sample, which takes a millisecond or two
WEIGHED = (
    1000  # items that one list gives, at most; more of them cost more than they tell
)
PLENTY = 300  # items with rare words: then no others are looked for
# Filters that most items fit, so that looking by them costs more than it saves.
_COMMON = {mark_of("status", "active"), *sure_marks(0.0)}

_VECTOR = "words_of(t.org, t.words, t.scope) @@"
_MAY_READ = "t.org = mine AND (merging OR t.item_repo = ANY (repos))"
# Worked out once: in a condition it would be for every row.
_WHO = (
    "mine bigint := asking_org(); repos text[] := my_repos('read'); "
    "merging boolean := is_merger()"
)
_AS_OWNER = (
    "SECURITY DEFINER SET search_path = afterglow, pg_temp "
    "SET plan_cache_mode = force_custom_plan SET jit = off "
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
CREATE FUNCTION found_by_words(question text, most integer, sampled boolean)
RETURNS TABLE (item bigint, item_words text) LANGUAGE plpgsql STABLE {_AS_OWNER} AS $$
DECLARE {_WHO};
BEGIN
  IF sampled THEN
    RETURN QUERY SELECT t.rowid, t.words FROM texts t
      WHERE {_VECTOR} question::tsquery AND t.rowid % {SAMPLE} = 0 AND {_MAY_READ} LIMIT most;
  ELSE
    RETURN QUERY SELECT t.rowid, t.words FROM texts t
      WHERE {_VECTOR} question::tsquery AND {_MAY_READ} LIMIT most;
  END IF;
END $$;
-- How many items there are, then how many have each of the words, about.
CREATE FUNCTION times_of_words(asked text[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE {_AS_OWNER} AS $$
DECLARE {_WHO}; times bigint; word text;
BEGIN
  SELECT {FEW} * count(*) INTO times FROM texts t WHERE t.rowid % {FEW} = 0 AND {_MAY_READ};
  IF times < {SURE * FEW} THEN
    SELECT count(*) INTO times FROM (SELECT FROM texts t WHERE {_MAY_READ} LIMIT {2 * SURE * FEW}) AS first_ones;
  END IF;
  RETURN NEXT times;
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
    RETURN NEXT times;
  END LOOP;
END $$;
"""
WORD_FUNCTIONS = (
    "words_of(bigint, text, text), found_by_words(text, integer, boolean), "
    "times_of_words(text[])"
)


class HubWords:
    """The index of an organisation, for one question."""

    narrow = True  # in scope its lists are shorter

    def __init__(self, db: Database, org: int) -> None:
        self._db = db
        self._org = org
        self._items = 0
        self._times: dict[str, int] = {}

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        rarest = self._rarest(question.words)
        if not rarest or any(not marks for marks in scope):
            return []
        lists = [marks for marks in scope if not _COMMON.intersection(marks)]
        within = "".join(f" & ({self._any_of(marks)})" for marks in lists)
        if every:
            is_long = len(question.words) == 1 and self._times[rarest[0]] > LONG
            groups = [(self._all_of(question), is_long)]
        else:
            groups = [
                (self._any_of(words), long) for words, long in self._groups(rarest)
            ]
        texts: dict[int, str] = {}
        for wish, is_long in groups:
            texts |= self._texts(f"({wish}){within}", sampled=is_long and not within)
            if len(texts) >= PLENTY:
                break
        weights = {word: self._weight(word) for word in rarest}
        ranked = [(n, score(text.split(" "), weights)) for n, text in texts.items()]
        return sorted(ranked, key=lambda scored: -scored[1])[:most]

    def _texts(self, question: str, *, sampled: bool) -> dict[int, str]:
        query = "SELECT item, item_words FROM found_by_words(?, ?, ?::boolean)"
        return dict(self._db.execute(query, [question, WEIGHED, str(sampled)]))

    def _groups(self, rarest: Sequence[str]) -> list[tuple[list[str], bool]]:
        """Words to ask for together, the rarest first; whether what has them is a long list."""
        few = [word for word in rarest if self._times[word] <= WEIGHED]
        more = [word for word in rarest if WEIGHED < self._times[word] <= LONG]
        many = [word for word in rarest if self._times[word] > LONG]
        groups = [(few, False), (more, False), (many, True)]
        return [(words, is_long) for words, is_long in groups if words]

    def _rarest(self, words: Sequence[str]) -> list[str]:
        """Those that are there, the rarest first."""
        asked = words[: 3 * RAREST]
        if new_words := [word for word in asked if word not in self._times]:
            self._count(new_words)
        present = [word for word in asked if self._times[word]]
        return sorted(present, key=lambda word: self._times[word])[:RAREST]

    def _count(self, words: Sequence[str]) -> None:
        query = "SELECT times_of_words(?::text[])"
        rows = self._db.execute(query, [[self._mark(word) for word in words]])
        self._items, *times = [number for (number,) in rows]
        self._times |= dict(zip(words, times, strict=True))

    def _weight(self, word: str) -> float:
        """How much a word tells, by BM25; times are guesses, so there may seem to be more than items."""
        have = min(self._times[word], self._items)
        return log(1 + (self._items - have + 0.5) / (have + 0.5))

    def _all_of(self, question: Asked) -> str:
        parts = []
        for name in question.names:
            part = " & ".join(self._mark(piece.stem) for piece in name.pieces)
            if name.joined:
                part = f"({part}) | {self._mark(name.joined.stem)}"
            parts.append(f"({part})")
        return " & ".join(parts)

    def _any_of(self, words: Iterable[str]) -> str:
        return " | ".join(map(self._mark, words))

    def _mark(self, word: str) -> str:
        """As it stands in the index, and quoted as a question there wants it."""
        quoted = word.replace("\\", "\\\\").replace("'", "''")
        return f"'{self._org}:{quoted}'"
