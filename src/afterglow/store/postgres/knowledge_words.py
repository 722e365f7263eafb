"""Finding a hub's items by words: an index in the database of the words that `text.words` makes, asked as its owner.

PostgreSQL does not use such an index below row-level security: its operators might tell of rows that are hidden. So it
is asked by functions that run as the owner of the tables and say themselves what whoever asks may read: rows of their
organisation and repositories, nothing else. Words in the index begin with the number of the organisation, so that one
does not look among another's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log

from afterglow.store.databases import Database
from afterglow.store.search import ENOUGH, RAREST, Asked, Ranked, Scope, score

WORD_INDEX = """
CREATE FUNCTION words_of(org bigint, words text, scope text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(string_to_array(
    org::text || ':' || replace(words || ' ' || scope, ' ', ' ' || org::text || ':'), ' '))
$$;
CREATE INDEX texts_words ON texts USING gin (words_of(org, words, scope));
CREATE FUNCTION found_by_words(question text, most integer) RETURNS TABLE (item bigint, item_words text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = afterglow, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE mine bigint := asking_org(); repos text[] := my_repos('read'); is_member boolean := me() IS NOT NULL;
BEGIN
  RETURN QUERY SELECT t.rowid, t.words FROM texts t
    WHERE words_of(t.org, t.words, t.scope) @@ question::tsquery AND t.org = mine
      AND (NOT is_member OR t.item_repo = ANY (repos))
    LIMIT most;
END $$;
CREATE FUNCTION times_of_words(asked text[], most integer) RETURNS TABLE (word text, times bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
  SELECT asked_word, (SELECT count(*) FROM found_by_words(asked_word, most)) FROM unnest(asked) asked_word
$$;
"""
WORD_FUNCTIONS = (
    "words_of(bigint, text, text), found_by_words(text, integer), "
    "times_of_words(text[], integer)"
)


class HubWords:
    """The index of an organisation."""

    narrow = True

    def __init__(self, db: Database, org: int) -> None:
        self._db = db
        self._org = org
        self._weights: dict[str, float] = {}

    def find(self, question: Asked, every: bool, scope: Scope, most: int) -> Ranked:
        if any(not marks for marks in scope):
            return []
        rarest = self._rarest(question.words)
        if not rarest:
            return []
        wish = self._all_of(question) if every else self._any_of(rarest)
        within = "".join(f" & ({self._any_of(marks)})" for marks in scope)
        query = "SELECT item, item_words FROM found_by_words(?, ?)"
        rows = self._db.execute(query, [f"({wish}){within}", ENOUGH])
        weights = {word: self._weights[word] for word in rarest}
        ranked = ((n, score(text.split(" "), weights)) for n, text in rows)
        return sorted(ranked, key=lambda scored: -scored[1])[:most]

    def _rarest(self, words: Sequence[str]) -> list[str]:
        """Those that are there, the rarest first."""
        unweighed = [word for word in words[: 3 * RAREST] if word not in self._weights]
        if unweighed:
            self._weigh(unweighed)
        present = [word for word in words[: 3 * RAREST] if self._weights[word]]
        return sorted(present, key=lambda word: -self._weights[word])[:RAREST]

    def _weigh(self, words: Sequence[str]) -> None:
        query = "SELECT times FROM times_of_words(?::text[], ?)"
        rows = self._db.execute(query, [[self._mark(word) for word in words], ENOUGH])
        items = self._db.execute("SELECT count(*) FROM texts").fetchone()[0]
        for word, (have,) in zip(words, rows, strict=True):
            self._weights[word] = (
                log(1 + (items - have + 0.5) / (have + 0.5)) if have else 0.0
            )

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
