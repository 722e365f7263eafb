"""The functions by which a hub's policies decide who asks and what they may.

Those that read tokens and grants run as the owner of the tables (SECURITY DEFINER) with a fixed search path, take
nothing from the caller but values, and answer only about the caller. Who asks is proved by the token in the setting
`afterglow.token`; a setting anybody can write names no one.
"""

from __future__ import annotations

SESSION_HOURS = 12  # a day's work in a browser; then the token is pasted again

# `asking` is the one place where a token becomes a person. Every policy asks these, so they are in plpgsql, which keeps
# its plans, and the rules without tables are expressions (RETURN) that are put in place.
FUNCTIONS = """
CREATE FUNCTION asking(OUT person bigint, OUT name text, OUT org bigint, OUT org_name text, OUT admin boolean,
  OUT scope text, OUT token bigint, OUT expires timestamptz, OUT requests_a_minute integer, OUT bytes_a_minute bigint)
RETURNS SETOF record LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
SET search_path = afterglow, pg_temp AS $$ BEGIN
  RETURN QUERY SELECT p.id, p.name, p.org, o.name, p.is_admin AND t.scope = 'admin', t.scope, t.id, t.expires,
    t.requests_a_minute, t.bytes_a_minute
  FROM tokens t JOIN people p ON p.org = t.org AND p.id = t.person JOIN organisations o ON o.id = t.org
  WHERE t.hash = sha256(convert_to(current_setting('afterglow.token', true), 'UTF8'))
    AND t.revoked IS NULL AND (t.expires IS NULL OR t.expires > now()) AND p.left_at IS NULL;
END $$;
CREATE FUNCTION me() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN RETURN (SELECT person FROM asking()); END $$;
CREATE FUNCTION member_org() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN RETURN (SELECT org FROM asking()); END $$;
CREATE FUNCTION my_token() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN RETURN (SELECT token FROM asking()); END $$;
-- What is made in a browser goes with the token that the browser was opened with, not with the browser.
CREATE FUNCTION making_token() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  SELECT CASE WHEN t.session THEN t.parent ELSE t.id END FROM asking() a JOIN tokens t ON t.org = a.org AND t.id = a.token
$$;
CREATE FUNCTION is_admin() RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN RETURN coalesce((SELECT admin FROM asking()), false); END $$;
CREATE FUNCTION my_teams() RETURNS bigint[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  RETURN array(SELECT m.team FROM asking() a JOIN team_members m ON m.org = a.org AND m.person = a.person);
END $$;
-- The setting counts where the hub works for an organisation: as merger or owner, never in a session of the app.
CREATE FUNCTION my_org() RETURNS bigint LANGUAGE plpgsql STABLE
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF current_user IN ({merge_name}, {owner_name}) AND session_user <> {app_name} THEN
    RETURN nullif(nullif(current_setting('afterglow.org', true), ''), '0')::bigint;
  END IF;
  RETURN member_org();
END $$;
-- In a function of the owner the merger is known by its session.
CREATE FUNCTION is_merger() RETURNS boolean LANGUAGE sql STABLE
  RETURN {merge_name} IN (current_user, session_user);
CREATE FUNCTION asker() RETURNS text LANGUAGE sql STABLE
SET search_path = afterglow, pg_temp AS $$
  SELECT coalesce((SELECT name FROM asking()),
    CASE WHEN session_user = {merge_name} THEN 'merging' ELSE 'database role ' || session_user END)
$$;
CREATE FUNCTION level("right" text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN CASE "right" WHEN 'read' THEN 1 WHEN 'contribute' THEN 2 WHEN 'sync' THEN 2 WHEN 'review' THEN 3
    WHEN 'admin' THEN 4 END;
CREATE FUNCTION covers(pattern text, repo text) RETURNS boolean LANGUAGE sql IMMUTABLE
  RETURN repo NOT IN ('', '(no repository)') AND strpos(repo, '*') = 0
    AND (pattern = repo OR right(pattern, 1) = '*' AND starts_with(repo, left(pattern, -1)));
-- Patterns in which somebody has at least a right; a token that is for less takes away what it is not for.
CREATE FUNCTION my_patterns("right" text) RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
DECLARE teams bigint[] := my_teams();
BEGIN
  RETURN array(SELECT g.pattern FROM asking() a JOIN grants g ON g.org = a.org
    WHERE (g.person = a.person OR g.team = ANY (teams))
      AND level(g.allows) >= level("right") AND level(a.scope) >= level("right"));
END $$;
-- The scope '' is what holds everywhere: read by every member, contributed to by who contributes anywhere, reviewed by
-- who reviews everything. The merger works on all of its organisation, also on what belongs to no repository.
CREATE FUNCTION may("right" text, repo text) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
DECLARE patterns text[];
BEGIN
  IF is_merger() THEN RETURN my_org() IS NOT NULL; END IF;
  IF repo IS NULL OR me() IS NULL OR "right" NOT IN ('read', 'contribute', 'review') THEN RETURN false; END IF;
  IF repo = '' AND "right" = 'read' THEN RETURN true; END IF;
  patterns := my_patterns("right");
  IF repo <> '' THEN RETURN EXISTS (SELECT FROM unnest(patterns) pattern WHERE covers(pattern, repo)); END IF;
  RETURN coalesce(CASE "right" WHEN 'contribute' THEN cardinality(patterns) > 0 ELSE '*' = ANY (patterns) END, false);
END $$;
CREATE FUNCTION my_repos("right" text) RETURNS text[] LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
DECLARE mine bigint := my_org(); patterns text[]; wide text[]; names text[];
BEGIN
  IF is_merger() THEN
    RETURN array(SELECT r.name FROM repositories r WHERE r.org = mine) || ARRAY['', '(no repository)'];
  END IF;
  patterns := my_patterns("right");
  wide := array(SELECT pattern FROM unnest(patterns) pattern WHERE right(pattern, 1) = '*');
  names := array(SELECT r.name FROM repositories r WHERE r.org = mine
    AND (r.name = ANY (patterns) OR EXISTS (SELECT FROM unnest(wide) pattern WHERE covers(pattern, r.name))));
  RETURN CASE WHEN may("right", '') THEN names || ARRAY[''] ELSE names END;
END $$;
-- What somebody else may: for the merger, which sees the grants of its organisation, and for admins.
CREATE FUNCTION person_may(who bigint, "right" text, repo text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = afterglow, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM people p JOIN grants g ON g.org = p.org AND (g.person = p.id OR g.team IN (
      SELECT m.team FROM team_members m WHERE m.org = p.org AND m.person = p.id))
    WHERE p.org = my_org() AND p.id = who AND p.left_at IS NULL AND level(g.allows) >= level("right")
      AND CASE WHEN repo = '' THEN "right" <> 'review' OR g.pattern = '*' ELSE covers(g.pattern, repo) END)
$$;
"""

TOKEN_FUNCTIONS = f"""
-- A token that may only read or sync makes no other; what is made is for no more than what made it.
CREATE FUNCTION own_tokens_up_to(wish text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  SELECT coalesce((SELECT level(scope) >= 3 AND level(wish) <= level(scope) FROM asking()), false)
$$;
-- A browser's session: a token of the same person and scope, and no longer than the one it was opened with.
CREATE FUNCTION open_session(new_hash bytea) RETURNS timestamptz LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  INSERT INTO tokens (org, person, hash, label, scope, expires, parent, session, requests_a_minute, bytes_a_minute)
  SELECT org, person, new_hash, 'browser', scope,
    least(expires, now() + interval '{SESSION_HOURS} hours'), token, true, requests_a_minute, bytes_a_minute
  FROM asking() RETURNING expires
$$;
-- Once a minute is enough to know whether a token is in use.
CREATE FUNCTION note_use() RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  UPDATE tokens SET last_used = now() WHERE id = my_token() AND org = member_org()
    AND (last_used IS NULL OR last_used < now() - interval '1 minute')
$$;
-- What was made with a token goes with it; nothing comes back.
CREATE FUNCTION revoke_made_tokens() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  IF OLD.revoked IS NOT NULL AND NEW.revoked IS DISTINCT FROM OLD.revoked THEN
    RAISE EXCEPTION 'a revoked token stays revoked' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF OLD.revoked IS NULL AND NEW.revoked IS NOT NULL THEN
    UPDATE tokens SET revoked = now() WHERE org = NEW.org AND parent = NEW.id AND revoked IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER revoke_made AFTER UPDATE OF revoked ON tokens FOR EACH ROW EXECUTE FUNCTION revoke_made_tokens();
"""

# Whoever changes who may what, by whatever statement, is written down by the database itself.
AUDIT_TRIGGERS = """
CREATE FUNCTION write_down() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
DECLARE
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) - 'hash' - 'last_used' END;
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN NULL ELSE to_jsonb(OLD) - 'hash' - 'last_used' END;
BEGIN
  IF new_row IS NOT DISTINCT FROM old_row THEN RETURN NULL; END IF;
  INSERT INTO audit (org, person, "by", what, about) VALUES (
    (coalesce(new_row, old_row) ->> 'org')::bigint, me(), asker(),
    TG_TABLE_NAME || CASE TG_OP WHEN 'INSERT' THEN ' added' WHEN 'UPDATE' THEN ' changed' ELSE ' removed' END,
    left((jsonb_strip_nulls(coalesce(new_row, old_row)) - 'org')::text, 2000));
  RETURN NULL;
END $$;
CREATE TRIGGER write_down AFTER INSERT OR UPDATE OR DELETE ON people FOR EACH ROW EXECUTE FUNCTION write_down();
CREATE TRIGGER write_down AFTER INSERT OR DELETE ON teams FOR EACH ROW EXECUTE FUNCTION write_down();
CREATE TRIGGER write_down AFTER INSERT OR DELETE ON team_members FOR EACH ROW EXECUTE FUNCTION write_down();
CREATE TRIGGER write_down AFTER INSERT OR UPDATE OR DELETE ON grants FOR EACH ROW EXECUTE FUNCTION write_down();
CREATE TRIGGER write_down AFTER INSERT OR UPDATE OR DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION write_down();
CREATE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql
SET search_path = afterglow, pg_temp AS $$ BEGIN
  RAISE EXCEPTION 'what was written down stays' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION only_grows();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION only_grows();
"""

# Who writes in an organisation holds its row of `turns`: nobody can reach, and so hold up, another's.
FIRST_TURN = """
CREATE FUNCTION give_turn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$ BEGIN
  INSERT INTO turns (org) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER give_turn AFTER INSERT ON organisations FOR EACH ROW EXECUTE FUNCTION give_turn();
"""
