"""Experiments at a hub: their tables, who may see and add rows, and that nothing is changed or taken away.

People of a team run the same plan, each on machines of their own: a plan stands here once for each of them and
repository. What of it is seen by others has a name that ends in a mark of what it says, so that nobody can put another
plan under it. Who leaves, or has a session forgotten, leaves the numbers there, and nothing that says whose they were.
"""

from __future__ import annotations

from afterglow.store.hub.layout import Layout
from afterglow.store.postgres.own_rows import OWN_AND_WRITABLE, OWN_OR_READABLE, OWNER

NOBODY = 0  # the person of rows whose person took them back
FORGOTTEN = "forgotten-"  # how the name of such a unit begins

_TABLES = f"""
CREATE TABLE plans (
  {OWNER},
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, repo text COLLATE "C" NOT NULL DEFAULT '',
  name text COLLATE "C" NOT NULL CHECK (name <> ''), version integer NOT NULL, hash text NOT NULL, plan text NOT NULL,
  substance text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX plans_name ON plans (org, person, repo, name, version) WHERE person <> {NOBODY};
CREATE INDEX plans_by_name ON plans (org, name);
CREATE TABLE assignments (
  {OWNER},
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, repo text COLLATE "C" NOT NULL DEFAULT '',
  experiment text COLLATE "C" NOT NULL, unit text COLLATE "C" NOT NULL CHECK (unit <> ''), arm text NOT NULL,
  time double precision NOT NULL, stratum text COLLATE "C" NOT NULL, delivery text NOT NULL,
  UNIQUE (org, person, n)
);
CREATE UNIQUE INDEX assignments_unit ON assignments (org, person, experiment, unit, arm);
CREATE INDEX assignments_stratum ON assignments (org, experiment, stratum);
CREATE TABLE assigned_deliveries (
  {OWNER}, assignment bigint PRIMARY KEY REFERENCES assignments (n), delivery text NOT NULL
);
CREATE TABLE trials (
  {OWNER},
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, repo text COLLATE "C" NOT NULL DEFAULT '',
  experiment text COLLATE "C" NOT NULL, unit text COLLATE "C" NOT NULL CHECK (unit <> ''), arm text NOT NULL,
  kept double precision NOT NULL, replaces bigint UNIQUE, why text NOT NULL, trial text NOT NULL,
  UNIQUE (org, person, n), FOREIGN KEY (org, person, replaces) REFERENCES trials (org, person, n)
);
CREATE INDEX trials_unit ON trials (org, experiment, unit, arm);
"""

_ONLY_ADDED_TO = """
CREATE FUNCTION only_added_to() RETURNS trigger LANGUAGE plpgsql SET search_path = afterglow, pg_temp AS $$
BEGIN
  -- `take_back_units` acts as the owner.
  IF current_user = {owner_name} THEN RETURN coalesce(NEW, OLD); END IF;
  RAISE EXCEPTION 'experiments are only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
"""

# By these a member is kept from speaking under a name whose plan says something else.
_PLAN_NAMES = """
CREATE FUNCTION plan_is_named_for_what_it_says() RETURNS trigger LANGUAGE plpgsql
SET search_path = afterglow, pg_temp AS $$
DECLARE mark text := left(encode(sha256(convert_to(NEW.substance, 'UTF8')), 'hex'), 8);
BEGIN
  IF NEW.hash <> encode(sha256(convert_to(NEW.plan, 'UTF8')), 'hex') THEN
    RAISE EXCEPTION 'a plan is kept with its own hash' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.plan::jsonb ->> 'name' <> NEW.name THEN
    RAISE EXCEPTION 'a plan is kept under its own name' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.repo <> '' AND (right(NEW.name, 9) <> '-' || mark
    OR NEW.plan::jsonb - ARRAY['name', 'created'] <> NEW.substance::jsonb - ARRAY['name', 'created']) THEN
    RAISE EXCEPTION 'the name of a shared plan says what it is' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER named BEFORE INSERT ON plans FOR EACH ROW EXECUTE FUNCTION plan_is_named_for_what_it_says();
"""

# The numbers stay as they were counted: to take a unit out because of what somebody thinks of it would bend the result.
# The new name is one that only its person can tell, so that the same unit is not counted again should it come back.
_TAKE_BACK = f"""
CREATE FUNCTION nameless(unit text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = afterglow, pg_temp AS $$
  SELECT CASE WHEN starts_with(unit, '{FORGOTTEN}') THEN unit
    ELSE '{FORGOTTEN}' || left(encode(sha256(convert_to(unit, 'UTF8')), 'hex'), 32) END
$$;
CREATE FUNCTION take_back_units(name text, chosen text[]) RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  DELETE FROM assigned_deliveries WHERE assignment IN (
    SELECT n FROM assignments
    WHERE org = member_org() AND person = me() AND experiment = name AND unit = ANY (chosen));
  UPDATE assignments SET person = {NOBODY}, unit = nameless(unit), delivery = ''
  WHERE org = member_org() AND person = me() AND experiment = name AND unit = ANY (chosen);
  UPDATE trials SET person = {NOBODY}, unit = nameless(unit), why = '', trial = (trial::jsonb || jsonb_build_object(
    'unit', nameless(unit),
    'session', CASE WHEN coalesce(trial::jsonb ->> 'session', '') = '' THEN '' ELSE nameless(unit) END))::text
  WHERE org = member_org() AND person = me() AND experiment = name AND unit = ANY (chosen);
$$;
CREATE FUNCTION take_back_plan(chosen text, place text) RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  UPDATE plans SET person = {NOBODY} WHERE org = member_org() AND person = me() AND name = chosen AND repo = place;
$$;
CREATE FUNCTION take_back_experiments() RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = afterglow, pg_temp AS $$
  SELECT take_back_units(experiment, array_agg(DISTINCT unit)) FROM (
    SELECT experiment, unit FROM assignments WHERE org = member_org() AND person = me()
    UNION SELECT experiment, unit FROM trials WHERE org = member_org() AND person = me()) units
  GROUP BY experiment;
  UPDATE plans SET person = {NOBODY} WHERE org = member_org() AND person = me();
$$;
"""


def experiment_tables(layout: Layout) -> None:
    for statements in (_TABLES, _ONLY_ADDED_TO, _PLAN_NAMES, _TAKE_BACK):
        layout.run(statements)
    for table in ("plans", "assignments", "trials"):
        layout.secure(table, read=OWN_OR_READABLE, add=OWN_AND_WRITABLE)
    own_assignment = (
        "EXISTS (SELECT FROM afterglow.assignments WHERE n = assignment AND person"
    )
    layout.secure(
        "assigned_deliveries",
        read="EXISTS (SELECT FROM afterglow.assignments WHERE n = assignment)",
        add=f"{own_assignment} = (SELECT afterglow.me()))",
    )
    for table in ("plans", "assignments", "assigned_deliveries", "trials"):
        layout.run(
            "CREATE TRIGGER only_added_to BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW "
            "EXECUTE FUNCTION only_added_to()",
            table=table,
        )
        layout.run(
            "CREATE TRIGGER never_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT "
            "EXECUTE FUNCTION only_added_to()",
            table=table,
        )
    layout.let_call(
        "only_added_to(), plan_is_named_for_what_it_says(), nameless(text), "
        "take_back_units(text, text[]), take_back_plan(text, text), take_back_experiments()"
    )
