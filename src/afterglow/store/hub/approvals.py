"""Who brought an item and who approved it, as the database itself sees it; and nothing active without a person.

A member's change to an item is a reviewer's: row-level security lets in no other. The merger may make active what a
reviewer has decided in exactly these words, or what rests on sessions of two people, unless it is risky. It cannot
invent either: decisions and contributions are rows that it may only read, and a person's mark is the database's.
"""

from __future__ import annotations

from afterglow.store.hub.layout import Layout

# Texts of members may be anything: what is no JSON says nothing.
READING = """
CREATE FUNCTION as_json(body text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE SET search_path = afterglow, pg_temp AS $$
BEGIN
  RETURN body::jsonb;
EXCEPTION WHEN data_exception OR invalid_text_representation THEN
  RETURN NULL;
END $$;
CREATE FUNCTION texts_of(list text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE SET search_path = afterglow, pg_temp AS $$
DECLARE
  listed jsonb := as_json(list);
BEGIN
  IF jsonb_typeof(listed) = 'array' THEN RETURN ARRAY(SELECT jsonb_array_elements_text(listed)); END IF;
  RETURN ARRAY[]::text[];
END $$;
-- For each item that is saved, so its plan is to be kept: plpgsql does.
CREATE FUNCTION first_bringer(item items) RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = afterglow, pg_temp AS $$
DECLARE
  named text[] := texts_of(item.topics);
BEGIN
  RETURN (SELECT c.person FROM findings f JOIN contributions c
    ON c.org = f.org AND c.person = f.person AND c.machine = f.machine AND c.kind = f.kind AND c.key = f.key
    WHERE f.org = item.org AND f.kind <> 'decision' AND f.topic = ANY (named) ORDER BY c.time, c.person LIMIT 1);
END $$;
CREATE FUNCTION deciding_reviewer(item items) RETURNS bigint LANGUAGE sql STABLE
SET search_path = afterglow, pg_temp AS $$
  SELECT f.person FROM findings f
  WHERE f.org = item.org AND f.kind = 'decision' AND f.mark = item.approved AND item.approved <> ''
    AND f.repo = item.repo AND reviews_there(item.org, f.person, item.repo)
    AND f.topic = ANY (texts_of(item.topics))
  ORDER BY f.person LIMIT 1
$$;
CREATE FUNCTION people_behind(item items) RETURNS bigint LANGUAGE sql STABLE SET search_path = afterglow, pg_temp AS $$
  SELECT count(DISTINCT p.id) FROM evidence e JOIN people p ON p.org = e.org AND p.mark = e.author
  WHERE e.org = item.org AND e.item = item.n AND EXISTS (
    SELECT FROM contributions c WHERE c.org = p.org AND c.person = p.id AND c.withdrawn = 0
      AND c.kind IN ('session', 'lesson'))
$$;
"""

# With the organisation named, since these run as the owner: no setting of the caller leads them elsewhere.
RIGHTS = """
CREATE FUNCTION reviews_there(of_org bigint, who bigint, repo text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = afterglow, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM people p JOIN grants g ON g.org = p.org AND (g.person = p.id OR g.team IN (
      SELECT m.team FROM team_members m WHERE m.org = p.org AND m.person = p.id))
    WHERE p.org = of_org AND p.id = who AND p.left_at IS NULL AND g.allows = 'review'
      AND CASE WHEN repo = '' THEN g.pattern = '*' ELSE covers(g.pattern, repo) END)
$$;
"""

JUDGING = """
CREATE FUNCTION note_people() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = afterglow, pg_temp AS $$
DECLARE
  who bigint := CASE WHEN is_merger() THEN NULL ELSE me() END;
  is_new boolean := TG_OP = 'INSERT';
  same_words boolean := false;
BEGIN
  IF who IS NULL AND NOT is_merger() THEN RETURN NEW; END IF;
  IF is_new THEN
    NEW.brought_by := CASE WHEN is_merger() THEN first_bringer(NEW) ELSE who END;
  ELSE
    NEW.brought_by := coalesce(OLD.brought_by, CASE WHEN is_merger() THEN first_bringer(NEW) END);
    same_words := (OLD.repo, OLD.fact, OLD.situation, OLD.remedy, OLD.approved)
      = (NEW.repo, NEW.fact, NEW.situation, NEW.remedy, NEW.approved);
  END IF;
  NEW.approved_by := CASE
    WHEN is_merger() AND same_words AND OLD.approved_by IS NOT NULL THEN OLD.approved_by
    WHEN is_merger() THEN CASE WHEN NEW.approved <> '' THEN deciding_reviewer(NEW) END
    WHEN NEW.status = 'active' AND (is_new OR OLD.status <> 'active' OR NOT same_words) THEN who
    WHEN NEW.status <> 'active' AND NEW.approved IN ('', 'withdrawn') THEN NULL
    WHEN same_words THEN OLD.approved_by
    ELSE who END;
  RETURN NEW;
END $$;
CREATE TRIGGER note_people BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION note_people();
CREATE FUNCTION judge_item(in_org bigint, number bigint) RETURNS void LANGUAGE plpgsql
SET search_path = afterglow, pg_temp AS $$
DECLARE
  item items;
BEGIN
  SELECT * INTO item FROM items WHERE org = in_org AND n = number;
  IF NOT FOUND OR item.status <> 'active' OR item.approved_by IS NOT NULL THEN RETURN; END IF;
  IF item.risk <> '' THEN
    RAISE EXCEPTION 'what is risky becomes active by a reviewer alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF people_behind(item) < 2 THEN
    RAISE EXCEPTION 'an item becomes active by a reviewer, or by sessions of two people'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
CREATE FUNCTION judge_changed_item() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF is_merger() THEN PERFORM judge_item(NEW.org, NEW.n); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION judge_item_of_evidence() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF is_merger() THEN PERFORM judge_item(OLD.org, OLD.item); END IF;
  RETURN NULL;
END $$;
-- At the end of a transaction: the evidence of an item is written after it.
CREATE CONSTRAINT TRIGGER judge_item AFTER INSERT OR UPDATE ON items DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION judge_changed_item();
CREATE CONSTRAINT TRIGGER judge_item AFTER UPDATE OR DELETE ON evidence DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION judge_item_of_evidence();
"""

# Of what was done the words may go with what is forgotten; nothing else of it changes.
PAST = """
REVOKE UPDATE ON history, decided_items, decisions FROM {app};
GRANT UPDATE (before, after) ON history, decided_items TO {app};
GRANT UPDATE (undone_by) ON decisions TO {app};
CREATE FUNCTION only_blanks() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF me() IS NOT NULL AND NOT is_merger() AND (NEW.before NOT IN ('', OLD.before) OR NEW.after NOT IN ('', OLD.after)) THEN
    RAISE EXCEPTION 'what was done stays as it was' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER only_blanks BEFORE UPDATE ON history FOR EACH ROW EXECUTE FUNCTION only_blanks();
CREATE TRIGGER only_blanks BEFORE UPDATE ON decided_items FOR EACH ROW EXECUTE FUNCTION only_blanks();
"""


def approvals(layout: Layout) -> None:
    """After the tables of knowledge and of contributions."""
    for statements in (RIGHTS, READING, JUDGING, PAST):
        layout.run(statements)
