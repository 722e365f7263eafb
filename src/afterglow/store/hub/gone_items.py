"""Which items a hub has no more, or in another repository, so that machines that pulled them let them go.

The database notes it, whoever takes an item out and however. The number is that of the next change: whoever has pulled up
to the last one has yet to hear of it.
"""

from __future__ import annotations

from afterglow.store.hub.layout import Layout, in_my_repos

TABLE = """
CREATE TABLE gone_items (
  org bigint NOT NULL, id text COLLATE "C" NOT NULL, repo text COLLATE "C" NOT NULL, change bigint NOT NULL,
  PRIMARY KEY (org, id, repo)
);
CREATE INDEX gone_items_change ON gone_items (org, change);
CREATE FUNCTION note_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
BEGIN
  INSERT INTO gone_items (org, id, repo, change)
  SELECT OLD.org, OLD.id, OLD.repo, value::bigint + 1 FROM facts WHERE org = OLD.org AND name = 'change'
  ON CONFLICT (org, id, repo) DO UPDATE SET change = excluded.change;
  RETURN NULL;
END $$;
CREATE TRIGGER note_gone AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION note_gone();
CREATE TRIGGER note_moved AFTER UPDATE OF repo ON items FOR EACH ROW WHEN (OLD.repo <> NEW.repo)
  EXECUTE FUNCTION note_gone();
"""


def gone_item_tables(layout: Layout) -> None:
    """Who may read a repository hears what went from it."""
    layout.run_plain([TABLE])
    layout.secure("gone_items", read=in_my_repos("read"))
