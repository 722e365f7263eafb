"""The index of words in a hub's database, and the function by which it is asked.

PostgreSQL does not use such an index below row-level security: its operators might tell of rows that are hidden. So it
is asked by a function that runs as the owner of the tables and says itself what whoever asks may read: rows of their
organisation and repositories, nothing else; also how common a word is, is counted in those alone. Words in the index
begin with the number of the organisation, so that one does not look among another's.

Common words are the trouble: their lists are long. How common a word is, is guessed from every 256th item, and where all
words of a question are common, what has them is looked for among every 16th first; both have small indexes of their own.
"""

from __future__ import annotations

from msgspec import Struct

from afterglow.store.search import RAREST

WEIGHED = 500  # items that one list gives, at most; more cost more than they tell
PLENTY = 400  # items with rare words: then no others are looked for


class Samples(Struct, frozen=True):
    """Of so many items one is looked at: where words are `common`, to guess how common `words` are, and how many `items`
    there are. More items with a word than `long` are looked for in the sample, which takes a millisecond or two.
    `sure`: fewer in a sample say nothing."""

    common: int = 16
    words: int = 256
    items: int = 1024
    long: int = 20_000
    sure: int = 8


SAMPLES = Samples()
FUNCTIONS = "words_of(bigint, text, text), found_by_words(text[], text, text, integer)"

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


def word_index(of: Samples = SAMPLES) -> str:
    return f"""
-- Not put in place where it is used: what it costs would not be seen, and rows be read instead of the index.
CREATE FUNCTION words_of(org bigint, words text, scope text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$ BEGIN
  RETURN array_to_tsvector(string_to_array(
    org::text || ':' || replace(words || ' ' || scope, ' ', ' ' || org::text || ':'), ' '));
END $$;
CREATE INDEX texts_words ON texts USING gin (words_of(org, words, scope));
CREATE INDEX texts_words_sample ON texts USING gin (words_of(org, words, scope)) WHERE rowid % {of.common} = 0;
CREATE INDEX texts_words_small ON texts USING gin (words_of(org, words, scope)) WHERE rowid % {of.words} = 0;
CREATE INDEX texts_few ON texts (org, item_repo) WHERE rowid % {of.items} = 0;
"""


def word_search(of: Samples = SAMPLES) -> str:
    """Rows of three kinds: 0 how many items there are, then how many have each word, about; 1 items with all words
    (`every`); 2 items with some, those with rare words first, then those with two words that are not common, unless
    there are `enough` with all."""
    return f"""
CREATE FUNCTION found_by_words(asked text[], every text, within text, enough integer)
RETURNS TABLE (kind integer, number bigint, item_words text) LANGUAGE plpgsql STABLE {_AS_OWNER} AS $$
DECLARE {_WHO}; counts bigint[]; times bigint; many integer; word text; wish text; long_list boolean;
BEGIN
  SELECT {of.items} * count(*) INTO times FROM texts t WHERE t.rowid % {of.items} = 0 AND {_MAY_READ};
  IF times < {of.sure * of.items} THEN
    SELECT count(*) INTO times FROM (SELECT FROM texts t WHERE {_MAY_READ} LIMIT {2 * of.sure * of.items}) AS first_ones;
  END IF;
  RETURN QUERY SELECT 0, times, '';
  FOREACH word IN ARRAY asked LOOP
    SELECT {of.words} * count(*) INTO times FROM texts t
      WHERE {_VECTOR} word::tsquery AND t.rowid % {of.words} = 0 AND {_MAY_READ};
    IF times < {of.sure * of.words} THEN
      SELECT {of.common} * count(*) INTO times FROM texts t
        WHERE {_VECTOR} word::tsquery AND t.rowid % {of.common} = 0 AND {_MAY_READ};
    END IF;
    IF times < {of.sure * of.common} THEN
      SELECT count(*) INTO times FROM texts t WHERE {_VECTOR} word::tsquery AND {_MAY_READ};
    END IF;
    counts := counts || times;
    RETURN QUERY SELECT 0, times, '';
  END LOOP;
  IF every <> '' THEN
    IF within = '' AND {of.long} < ALL (counts) THEN
      RETURN QUERY SELECT 1, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} every::tsquery AND t.rowid % {of.common} = 0 AND {_MAY_READ} LIMIT {WEIGHED};
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
    WITH rarest AS (
      SELECT named, has, row_number() OVER (ORDER BY has, named) AS place
      FROM unnest(asked, counts) AS counted (named, has) WHERE has > 0 ORDER BY has LIMIT {RAREST}),
    parts AS (
      SELECT 1 AS rank, named AS part, false AS is_long, has FROM rarest WHERE has <= {WEIGHED}
      UNION ALL SELECT 2, a.named || ' & (' || string_agg(b.named, ' | ') || ')', false, min(a.has)
        FROM rarest a JOIN rarest b ON b.place > a.place
        WHERE a.has > {WEIGHED} AND a.has <= {of.long} GROUP BY a.named
      UNION ALL SELECT CASE WHEN has <= {of.long} THEN 3 ELSE 4 END, named, has > {of.long}, has
        FROM rarest WHERE has > {WEIGHED})
    SELECT '(' || string_agg('(' || part || ')', ' | ') || ')', bool_and(is_long) FROM parts GROUP BY rank ORDER BY rank
  LOOP
    many := 0;
    IF long_list AND within = '' THEN
      RETURN QUERY SELECT 2, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} wish::tsquery AND t.rowid % {of.common} = 0 AND {_MAY_READ} LIMIT {WEIGHED};
      GET DIAGNOSTICS many = ROW_COUNT;
    END IF;
    IF many < enough THEN
      RETURN QUERY SELECT 2, t.rowid, t.words FROM texts t
        WHERE {_VECTOR} (wish || within)::tsquery AND {_MAY_READ} LIMIT {WEIGHED};
      GET DIAGNOSTICS many = ROW_COUNT;
    END IF;
    enough := enough - many;
    EXIT WHEN enough <= 0;
  END LOOP;
END $$;
"""
