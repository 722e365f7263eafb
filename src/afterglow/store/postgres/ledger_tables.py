"""The ledger at a hub: its tables, and who may see and change their rows.

A member writes their own rows, and reads those of everybody in the repositories they may read. Rows without a
repository, what items said and which sessions were read are of no one else's concern. `delivered_items` repeats what
became of each item, so that counting over years reads no JSON.
"""

from __future__ import annotations

from afterglow.store.hub.layout import Layout
from afterglow.store.postgres.own_rows import (
    OWN,
    OWN_AND_WRITABLE,
    OWN_OF_CONTRIBUTOR,
    OWN_OR_READABLE,
    OWNER,
)

_TABLES = f"""
CREATE TABLE deliveries (
  {OWNER},
  id text COLLATE "C" NOT NULL CHECK (id <> ''), time double precision NOT NULL, "when" text NOT NULL DEFAULT 'start',
  repo text COLLATE "C" NOT NULL, agent text NOT NULL, task text NOT NULL, budget bigint NOT NULL,
  tokens bigint NOT NULL, state text NOT NULL, session text COLLATE "C" NOT NULL, started double precision,
  turn bigint, placebo integer NOT NULL DEFAULT 0, call text NOT NULL DEFAULT '', words text NOT NULL DEFAULT '',
  topics text NOT NULL DEFAULT '[]', followed text NOT NULL DEFAULT 'null', items text NOT NULL,
  PRIMARY KEY (org, person, id)
);
CREATE INDEX deliveries_time ON deliveries (org, time);
CREATE INDEX deliveries_repo ON deliveries (org, repo, time);
CREATE INDEX deliveries_session ON deliveries (org, session, time) WHERE session <> '';
CREATE INDEX deliveries_waiting ON deliveries (org, time) WHERE state = 'waiting';
CREATE TABLE said (
  {OWNER}, mark text COLLATE "C" NOT NULL, words text NOT NULL, PRIMARY KEY (org, person, mark)
);
CREATE TABLE looked (
  {OWNER}, key bigint NOT NULL, "check" bytea NOT NULL, "end" double precision NOT NULL,
  PRIMARY KEY (org, person, key)
);
CREATE TABLE reports (
  {OWNER}, delivery text COLLATE "C" NOT NULL, outcome text NOT NULL, time double precision NOT NULL,
  rating integer CHECK (rating BETWEEN 1 AND 5), note text NOT NULL, PRIMARY KEY (org, person, delivery),
  FOREIGN KEY (org, person, delivery) REFERENCES deliveries (org, person, id)
);
CREATE TABLE unredacted_views (
  {OWNER}, session text COLLATE "C" NOT NULL, time double precision NOT NULL, "by" text NOT NULL,
  first bigint NOT NULL, last bigint NOT NULL
);
CREATE INDEX unredacted_views_session ON unredacted_views (org, person, session);
CREATE TABLE delivered_items (
  {OWNER}, item text COLLATE "C" NOT NULL, delivery text COLLATE "C" NOT NULL, repo text COLLATE "C" NOT NULL,
  time double precision NOT NULL, state text NOT NULL, counted integer NOT NULL, used integer, met integer,
  failed integer, PRIMARY KEY (org, person, item, delivery)
);
CREATE INDEX delivered_items_item ON delivered_items (org, item);
CREATE INDEX delivered_items_repo ON delivered_items (org, repo, time);
CREATE INDEX delivered_items_delivery ON delivered_items (org, person, delivery)
"""

# What was said again after a compaction counts once, and a placebo teaches nothing. Once a statement: a machine's first
# sync brings years.
_LINKS = """
CREATE FUNCTION link_items() RETURNS trigger LANGUAGE plpgsql SET search_path = afterglow, pg_temp AS $$
DECLARE whose record;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    -- A list is looked up in the index; a join is not, as nothing is known of how many there are.
    FOR whose IN SELECT DISTINCT org, person FROM former LOOP
      DELETE FROM delivered_items WHERE org = whose.org AND person = whose.person AND delivery = ANY (
        ARRAY(SELECT id FROM former WHERE org = whose.org AND person = whose.person));
    END LOOP;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO delivered_items (org, person, item, delivery, repo, time, state, counted, used, met, failed)
    SELECT org, person, part ->> 0, id, repo, time, state, (placebo = 0 AND "when" <> 'compaction')::int,
      (part ->> 2)::boolean::int, (part ->> 3)::boolean::int, (part ->> 5)::boolean::int
    FROM latter, jsonb_array_elements(items::jsonb) AS part
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER links_come AFTER INSERT ON deliveries REFERENCING NEW TABLE AS latter
FOR EACH STATEMENT EXECUTE FUNCTION link_items();
CREATE TRIGGER links_change AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS former NEW TABLE AS latter
FOR EACH STATEMENT EXECUTE FUNCTION link_items();
CREATE TRIGGER links_go AFTER DELETE ON deliveries REFERENCING OLD TABLE AS former
FOR EACH STATEMENT EXECUTE FUNCTION link_items();
"""


def ledger_tables(layout: Layout) -> None:
    layout.run(_TABLES)
    layout.run(_LINKS)
    for table in ("deliveries", "delivered_items"):
        layout.secure(
            table,
            read=OWN_OR_READABLE,
            add=OWN_AND_WRITABLE,
            change=OWN_AND_WRITABLE,
            remove=OWN,
            merge="SELECT",
        )
    for table in ("said", "looked", "reports", "unredacted_views"):
        layout.secure(
            table,
            read=OWN,
            add=OWN_OF_CONTRIBUTOR,
            change=OWN_OF_CONTRIBUTOR,
            remove=OWN,
        )
    layout.let_call("link_items()")
