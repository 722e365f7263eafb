"""Finding a hub's items by words: an index in the database of the words that `text.words` makes, asked as its owner.

PostgreSQL does not use such an index below row-level security: its operators might tell of rows that are hidden. So it
is asked by a function that runs as the owner of the tables and says itself what whoever asks may read: rows of their
organisation and repositories, nothing else. Words in the index begin with the number of the organisation, so that one
does not look among another's.
"""

from __future__ import annotations

WORD_INDEX = """
CREATE FUNCTION words_of(org bigint, words text, scope text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(string_to_array(
    org::text || ':' || replace(words || ' ' || scope, ' ', ' ' || org::text || ':'), ' '))
$$;
CREATE INDEX texts_words ON texts USING gin (words_of(org, words, scope));
CREATE FUNCTION found_by_words(question text, most integer) RETURNS TABLE (item bigint, words text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = afterglow, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE mine bigint := asking_org(); repos text[] := my_repos('read'); is_member boolean := me() IS NOT NULL;
BEGIN
  RETURN QUERY SELECT t.rowid, t.words FROM texts t
    WHERE words_of(t.org, t.words, t.scope) @@ question::tsquery AND t.org = mine
      AND (NOT is_member OR t.item_repo = ANY (repos))
    LIMIT most;
END $$;
"""
