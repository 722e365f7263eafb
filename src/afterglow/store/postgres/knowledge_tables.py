"""The knowledge store's tables in a hub's database: those of `knowledge_schema`, with the organisation in front.

Whose row it is decides the repository of its item. Tables beside `items` have that as `item_repo`, set by the database,
so that each policy looks at its own row alone. What people may do: read items of the repositories they may read, write
those they review. Evidence from a repository that somebody may not read is hidden from them in every item. The merger
does what it has to within its organisation. Texts are compared by their bytes, as SQLite does it.
"""

from __future__ import annotations

from afterglow.records.knowledge import NOWHERE
from afterglow.records.situation_costs import COSTS, TAG_COSTS
from afterglow.store.hub.layout import NOBODY, Layout, in_my_repos
from afterglow.store.postgres.knowledge_word_index import (
    FUNCTIONS,
    word_index,
    word_search,
)

# How far a change may be ahead of the database's clock, in microseconds: a day, for a hub whose clock is wrong.
AHEAD = 86_400_000_000

_TEXT = 'text COLLATE "C" NOT NULL'
_ORG = "org bigint NOT NULL DEFAULT afterglow.my_org()"

_BY_TAG = " ".join(
    f"""WHEN strpos(tags, '"{tag}"') > 0 THEN {cost}::float8"""
    for tag, cost in TAG_COSTS.items()
)
_BY_CATEGORY = " ".join(
    f"WHEN '{category}' THEN {cost}::float8" for category, cost in COSTS.items()
)
_COST = (
    f"CASE {_BY_TAG} ELSE greatest(cost, CASE category {_BY_CATEGORY} ELSE 0 END) END"
)

TABLES = f"""
CREATE SEQUENCE item_numbers;
CREATE TABLE items (
  {_ORG}, n bigint NOT NULL, id {_TEXT} CHECK (id <> ''), fact {_TEXT}, category {_TEXT}, status {_TEXT},
  reason {_TEXT}, domain {_TEXT}, repo {_TEXT}, agent {_TEXT}, confidence float8 NOT NULL, tags {_TEXT},
  source_count bigint NOT NULL, times bigint NOT NULL, worked bigint NOT NULL, against bigint NOT NULL,
  first_seen float8, last_confirmed float8, expires float8, related {_TEXT}, situation {_TEXT}, remedy {_TEXT},
  fingerprints {_TEXT}, cost float8 NOT NULL, trust {_TEXT}, miner {_TEXT}, topics {_TEXT}, "key" {_TEXT},
  value {_TEXT}, superseded_by {_TEXT}, decided integer NOT NULL, edited integer NOT NULL, risk {_TEXT},
  approved {_TEXT}, noted float8 NOT NULL, change bigint NOT NULL,
  worth float8 GENERATED ALWAYS AS (greatest(source_count, 1) * ({_COST}) * confidence) STORED,
  brought_by bigint, approved_by bigint,
  PRIMARY KEY (org, n), UNIQUE (org, id)
);
CREATE INDEX items_strongest ON items (org, confidence DESC, source_count DESC, id);
CREATE INDEX items_place ON items (org, repo, status, confidence DESC, source_count DESC, id);
CREATE INDEX items_waiting ON items (org, status, worth DESC, id);
CREATE INDEX items_change ON items (org, change);
CREATE INDEX items_key ON items (org, "key") WHERE "key" <> '';
CREATE INDEX items_superseded ON items (org, superseded_by) WHERE superseded_by <> '';
CREATE INDEX items_of_miner ON items (org, repo, miner, category);
CREATE INDEX items_edited ON items (org, repo) WHERE edited <> 0;
CREATE INDEX items_decided ON items (org, status) WHERE decided <> 0;
CREATE TABLE labels (
  {_ORG}, kind {_TEXT}, word {_TEXT}, item bigint NOT NULL, item_repo {_TEXT},
  PRIMARY KEY (org, kind, word, item), FOREIGN KEY (org, item) REFERENCES items (org, n)
);
CREATE TABLE evidence (
  {_ORG}, item bigint NOT NULL, session {_TEXT}, line bigint NOT NULL, part {_TEXT}, start bigint NOT NULL, hash {_TEXT},
  place bigint NOT NULL, agent {_TEXT}, length bigint NOT NULL, quote {_TEXT}, trust {_TEXT}, repo {_TEXT},
  author {_TEXT}, time float8, item_repo {_TEXT},
  PRIMARY KEY (org, item, session, line, part, start, hash), FOREIGN KEY (org, item) REFERENCES items (org, n)
);
CREATE INDEX evidence_session ON evidence (org, session);
CREATE TABLE history (
  {_ORG}, n bigint GENERATED ALWAYS AS IDENTITY, item {_TEXT}, time float8 NOT NULL, "by" {_TEXT}, what {_TEXT},
  before {_TEXT}, after {_TEXT}, person bigint DEFAULT afterglow.me(), item_repo {_TEXT}, PRIMARY KEY (org, n)
);
CREATE INDEX history_item ON history (org, item);
CREATE TABLE tombstones (
  {_ORG}, item {_TEXT}, n bigint NOT NULL, change bigint NOT NULL, topics {_TEXT}, fact {_TEXT}, why {_TEXT},
  "by" {_TEXT}, time float8 NOT NULL, item_repo {_TEXT}, PRIMARY KEY (org, item)
);
CREATE TABLE buried ({_ORG}, name {_TEXT}, item {_TEXT}, item_repo {_TEXT}, PRIMARY KEY (org, name, item));
CREATE TABLE facts (
  {_ORG}, name {_TEXT}, value {_TEXT}, repo {_TEXT} GENERATED ALWAYS AS (CASE
    WHEN starts_with(name, 'packages of ') THEN substr(name, 13) WHEN starts_with(name, 'noise of ') THEN substr(name, 10)
    WHEN name = 'sessions by repo' THEN '{NOWHERE}' ELSE '' END) STORED,
  PRIMARY KEY (org, name)
);
CREATE TABLE decisions (
  {_ORG}, n bigint GENERATED ALWAYS AS IDENTITY, time float8 NOT NULL, "by" {_TEXT}, what {_TEXT},
  undoes bigint NOT NULL, undone_by bigint NOT NULL, person bigint DEFAULT afterglow.me(), PRIMARY KEY (org, n)
);
CREATE INDEX decisions_time ON decisions (org, time);
CREATE TABLE decided_items (
  {_ORG}, decision bigint NOT NULL, item {_TEXT}, place bigint NOT NULL, named integer NOT NULL, before {_TEXT},
  after {_TEXT}, item_repo {_TEXT}, PRIMARY KEY (org, decision, item),
  FOREIGN KEY (org, decision) REFERENCES decisions (org, n)
);
CREATE INDEX decided_items_item ON decided_items (org, item);
-- `rowid`, as SQLite names it: so the statements are the same.
CREATE TABLE texts (
  {_ORG}, rowid bigint NOT NULL, words {_TEXT}, scope {_TEXT}, item_repo {_TEXT},
  PRIMARY KEY (org, rowid), FOREIGN KEY (org, rowid) REFERENCES items (org, n)
);
"""

# Those that set `item_repo` look as whoever writes: who does not see an item hangs nothing on it and moves nothing to it.
# Where an item moves, all that belongs to it moves along.
TRIGGERS = f"""
CREATE FUNCTION note_repo_by_number() RETURNS trigger LANGUAGE plpgsql SET search_path = afterglow, pg_temp AS $$ BEGIN
  NEW.item_repo := (SELECT repo FROM items WHERE org = NEW.org AND n = NEW.item);
  RETURN NEW;
END $$;
CREATE FUNCTION note_repo_of_text() RETURNS trigger LANGUAGE plpgsql SET search_path = afterglow, pg_temp AS $$ BEGIN
  NEW.item_repo := (SELECT repo FROM items WHERE org = NEW.org AND n = NEW.rowid);
  RETURN NEW;
END $$;
CREATE FUNCTION note_repo_by_id() RETURNS trigger LANGUAGE plpgsql SET search_path = afterglow, pg_temp AS $$ BEGIN
  NEW.item_repo := coalesce((SELECT repo FROM items WHERE org = NEW.org AND id = NEW.item),
    (SELECT item_repo FROM tombstones WHERE org = NEW.org AND item = NEW.item), '{NOWHERE}');
  RETURN NEW;
END $$;
CREATE TRIGGER note_repo BEFORE INSERT OR UPDATE ON labels FOR EACH ROW EXECUTE FUNCTION note_repo_by_number();
CREATE TRIGGER note_repo BEFORE INSERT OR UPDATE ON evidence FOR EACH ROW EXECUTE FUNCTION note_repo_by_number();
CREATE TRIGGER note_repo BEFORE INSERT OR UPDATE ON texts FOR EACH ROW EXECUTE FUNCTION note_repo_of_text();
CREATE TRIGGER note_repo BEFORE INSERT ON history FOR EACH ROW EXECUTE FUNCTION note_repo_by_id();
CREATE TRIGGER note_repo BEFORE INSERT ON tombstones FOR EACH ROW EXECUTE FUNCTION note_repo_by_id();
CREATE TRIGGER note_repo BEFORE INSERT ON buried FOR EACH ROW EXECUTE FUNCTION note_repo_by_id();
CREATE TRIGGER note_repo BEFORE INSERT ON decided_items FOR EACH ROW EXECUTE FUNCTION note_repo_by_id();
CREATE FUNCTION move_along() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
BEGIN
  UPDATE labels SET item_repo = NEW.repo WHERE org = NEW.org AND item = NEW.n AND (kind, word) IN (
    SELECT 'topic', json_array_elements_text(OLD.topics::json) UNION
    SELECT 'fingerprint', json_array_elements_text(OLD.fingerprints::json) UNION
    SELECT 'tag', json_array_elements_text(OLD.tags::json));
  UPDATE evidence SET item_repo = NEW.repo WHERE org = NEW.org AND item = NEW.n;
  UPDATE texts SET item_repo = NEW.repo WHERE org = NEW.org AND rowid = NEW.n;
  UPDATE history SET item_repo = NEW.repo WHERE org = NEW.org AND item = NEW.id;
  UPDATE tombstones SET item_repo = NEW.repo WHERE org = NEW.org AND item = NEW.id;
  UPDATE decided_items SET item_repo = NEW.repo WHERE org = NEW.org AND item = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER move_along AFTER UPDATE OF repo ON items FOR EACH ROW WHEN (OLD.repo <> NEW.repo)
  EXECUTE FUNCTION move_along();
"""

# An organisation begins with an identity and no change. Changes only grow: what machines have pulled stays pulled.
FACTS = f"""
CREATE FUNCTION first_facts() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
BEGIN
  INSERT INTO facts (org, name, value)
  VALUES (NEW.id, 'identity', replace(gen_random_uuid()::text, '-', '')), (NEW.id, 'change', '0');
  RETURN NULL;
END $$;
CREATE TRIGGER first_facts AFTER INSERT ON organisations FOR EACH ROW EXECUTE FUNCTION first_facts();
INSERT INTO facts (org, name, value)
  SELECT id, 'identity', replace(gen_random_uuid()::text, '-', '') FROM organisations
  UNION ALL SELECT id, 'change', '0' FROM organisations;
CREATE FUNCTION asking_org() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
  SELECT coalesce(member_org(), my_org())
$$;
CREATE FUNCTION note_change(number bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF me() IS NOT NULL AND cardinality(my_repos('review')) = 0 THEN
    RAISE EXCEPTION 'only who reviews may change items' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE facts SET value = number::text WHERE org = asking_org() AND name = 'change' AND value::bigint < number
    AND number <= greatest(value::bigint + 1, extract(epoch FROM clock_timestamp()) * 1000000 + {AHEAD});
  IF NOT FOUND THEN
    RAISE EXCEPTION 'this is not the number of a next change' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
"""

EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"
_OWN = "person IS NOT DISTINCT FROM (SELECT afterglow.me())"


def knowledge_tables(layout: Layout) -> None:
    layout.run_plain([TABLES, TRIGGERS, FACTS, word_index(), word_search()])
    _policies(layout)
    layout.run("GRANT USAGE ON SEQUENCE item_numbers TO {app}, {merge}")
    layout.let_call("note_change(bigint), asking_org()", merge=True)
    layout.let_call(FUNCTIONS, merge=True)


def _policies(layout: Layout) -> None:
    read, review = in_my_repos("read"), in_my_repos("review")
    of_item, of_reviewed = f"item_{read}", f"item_{review}"
    layout.secure(
        "items", read=read, add=review, change=review, remove=review, merge=EVERYTHING
    )
    for table in ("labels", "texts"):
        layout.secure(
            table,
            read=of_item,
            add=of_reviewed,
            change=of_reviewed,
            remove=of_reviewed,
            merge=EVERYTHING,
        )
    layout.secure(
        "evidence",
        read=f"{of_item} AND {read}",
        add=of_reviewed,
        change=of_reviewed,
        remove=of_reviewed,
        merge=EVERYTHING,
    )
    # What was done stays; of what was deleted the words go.
    layout.secure(
        "history",
        read=of_item,
        add=f"{of_reviewed} AND {_OWN}",
        change=of_reviewed,
        remove=NOBODY,
        merge=EVERYTHING,
    )
    for table in ("tombstones", "buried"):
        layout.secure(
            table, read=of_item, add=of_reviewed, remove=of_reviewed, merge=EVERYTHING
        )
    layout.secure("facts", read=read, merge=EVERYTHING)
    touched = (
        "EXISTS (SELECT FROM afterglow.decided_items d "
        "WHERE d.org = decisions.org AND d.decision = decisions.n"
    )
    layout.secure(
        "decided_items",
        read=of_item,
        add=of_reviewed,
        change=of_reviewed,
        merge=EVERYTHING,
    )
    reviews = "cardinality((SELECT afterglow.my_repos('review'))::text[]) > 0"
    layout.secure(
        "decisions",
        read=f"person = (SELECT afterglow.me()) OR {touched})",
        add=f"{_OWN} AND {reviews}",
        change=f"{touched} AND d.{of_reviewed})",
        merge=EVERYTHING,
    )
