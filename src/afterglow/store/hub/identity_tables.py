"""Who belongs to a hub: organisations, people, teams, what they may do, by which tokens they ask, and what was done.

Organisations are kept apart by the keys as well: whatever refers to a person or a team names the organisation with it.
"""

from __future__ import annotations

from afterglow.store.hub.identity_functions import (
    AUDIT_TRIGGERS,
    FIRST_TURN,
    FUNCTIONS,
    TOKEN_FUNCTIONS,
)
from afterglow.store.hub.layout import EVERYONE, Layout

# The most that a token may ask for, where an admin says nothing else: ten machines of a person that sync at once.
REQUESTS_A_MINUTE = 300
BYTES_A_MINUTE = 50_000_000

TABLES = f"""
CREATE TABLE organisations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE CHECK (name <> ''),
  created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE turns (org bigint PRIMARY KEY REFERENCES organisations (id), taken bigint NOT NULL DEFAULT 0);
CREATE TABLE people (
  org bigint NOT NULL REFERENCES organisations (id), id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (name <> ''), is_admin boolean NOT NULL DEFAULT false,
  joined timestamptz NOT NULL DEFAULT now(), left_at timestamptz,
  mark text NOT NULL GENERATED ALWAYS AS (left(encode(sha256((org || ' ' || id)::bytea), 'hex'), 12)) STORED,
  PRIMARY KEY (org, id), UNIQUE (id), UNIQUE (org, name)
);
CREATE TABLE teams (
  org bigint NOT NULL REFERENCES organisations (id), id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL CHECK (name <> ''), PRIMARY KEY (org, id), UNIQUE (org, name)
);
CREATE TABLE team_members (
  org bigint NOT NULL, team bigint NOT NULL, person bigint NOT NULL, PRIMARY KEY (org, team, person),
  FOREIGN KEY (org, team) REFERENCES teams (org, id) ON DELETE CASCADE,
  FOREIGN KEY (org, person) REFERENCES people (org, id)
);
CREATE TABLE repositories (
  org bigint NOT NULL REFERENCES organisations (id), name text NOT NULL,
  PRIMARY KEY (org, name), CHECK (name NOT IN ('', '(no repository)')), CHECK (strpos(name, '*') = 0)
);
CREATE TABLE grants (
  org bigint NOT NULL REFERENCES organisations (id), id bigint GENERATED ALWAYS AS IDENTITY,
  team bigint, person bigint, pattern text NOT NULL, allows text NOT NULL,
  PRIMARY KEY (org, id), UNIQUE NULLS NOT DISTINCT (org, team, person, pattern),
  FOREIGN KEY (org, team) REFERENCES teams (org, id) ON DELETE CASCADE,
  FOREIGN KEY (org, person) REFERENCES people (org, id),
  CHECK ((team IS NULL) <> (person IS NULL)),
  CHECK (allows IN ('read', 'contribute', 'review')),
  CHECK (pattern NOT IN ('', '(no repository)')), CHECK (strpos(pattern, '*') IN (0, length(pattern)))
);
CREATE TABLE tokens (
  org bigint NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, person bigint NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32), label text NOT NULL DEFAULT '',
  scope text NOT NULL CHECK (scope IN ('read', 'sync', 'review', 'admin')),
  created timestamptz NOT NULL DEFAULT now(), expires timestamptz, revoked timestamptz, last_used timestamptz,
  parent bigint, session boolean NOT NULL DEFAULT false,
  requests_a_minute integer NOT NULL DEFAULT {REQUESTS_A_MINUTE} CHECK (requests_a_minute > 0),
  bytes_a_minute bigint NOT NULL DEFAULT {BYTES_A_MINUTE} CHECK (bytes_a_minute > 0),
  PRIMARY KEY (org, id), FOREIGN KEY (org, person) REFERENCES people (org, id)
);
CREATE INDEX tokens_person ON tokens (org, person);
CREATE INDEX tokens_parent ON tokens (org, parent);
CREATE TABLE audit (
  org bigint NOT NULL REFERENCES organisations (id), n bigint GENERATED ALWAYS AS IDENTITY,
  time timestamptz NOT NULL DEFAULT now(), person bigint, "by" text NOT NULL, what text NOT NULL CHECK (what <> ''),
  about text NOT NULL DEFAULT '', PRIMARY KEY (org, n)
);
CREATE INDEX audit_time ON audit (org, time);
"""

DEFAULTS = """
ALTER TABLE people ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE teams ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE team_members ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE repositories ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE grants ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE tokens ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE tokens ALTER person SET DEFAULT afterglow.me();
ALTER TABLE tokens ALTER parent SET DEFAULT afterglow.making_token();
ALTER TABLE audit ALTER org SET DEFAULT afterglow.my_org();
ALTER TABLE audit ALTER person SET DEFAULT afterglow.me();
ALTER TABLE audit ALTER "by" SET DEFAULT afterglow.asker();
"""

# What a member may name in a new row or change; all else is the database's to say.
COLUMNS = """
REVOKE INSERT, UPDATE ON people, teams, team_members, grants, repositories, turns, audit FROM {app}, {merge};
GRANT INSERT (name, is_admin) ON people TO {app};
GRANT UPDATE (name, is_admin, left_at) ON people TO {app};
GRANT INSERT (name) ON teams TO {app};
GRANT INSERT (team, person) ON team_members TO {app};
GRANT INSERT (team, person, pattern, allows) ON grants TO {app};
GRANT INSERT (name) ON repositories TO {app}, {merge};
GRANT UPDATE (taken) ON turns TO {app}, {merge};
GRANT INSERT (what, about) ON audit TO {app}, {merge};
REVOKE SELECT, INSERT, UPDATE ON tokens FROM {app};
GRANT SELECT (org, id, person, label, scope, created, expires, revoked, last_used, parent, session,
  requests_a_minute, bytes_a_minute) ON tokens TO {app};
GRANT INSERT (person, hash, label, scope, expires, requests_a_minute, bytes_a_minute) ON tokens TO {app};
GRANT UPDATE (revoked) ON tokens TO {app};
REVOKE SELECT ON organisations FROM {merge};
GRANT SELECT (id) ON organisations TO {merge};
"""

ADMIN = "(SELECT afterglow.is_admin())"
ME = "(SELECT afterglow.me())"
OWN_TOKEN = f"""person = {ME} AND afterglow.own_tokens_up_to(scope)
  AND requests_a_minute <= {REQUESTS_A_MINUTE} AND bytes_a_minute <= {BYTES_A_MINUTE}"""


FOR_BOTH = """asking(), me(), member_org(), my_org(), my_token(), making_token(), asker(), is_admin(), is_merger(),
  level(text), covers(text, text), may(text, text), my_repos(text), my_patterns(text), my_teams(),
  person_may(bigint, text, text)"""
FOR_MEMBERS = "own_tokens_up_to(text), open_session(bytea), note_use()"


def identity_tables(layout: Layout) -> None:
    """Also the functions by which all policies decide."""
    layout.run(TABLES)
    layout.run(FUNCTIONS)
    layout.run(TOKEN_FUNCTIONS)
    layout.run(DEFAULTS)
    _policies(layout)
    layout.run(COLUMNS)
    layout.run(AUDIT_TRIGGERS)
    layout.run(FIRST_TURN)
    layout.let_call(FOR_BOTH, merge=True)
    layout.let_call(FOR_MEMBERS)


def _policies(layout: Layout) -> None:
    # The merger has to know which organisations there are: their numbers, nothing else of them.
    layout.secure(
        "organisations", read=EVERYONE, border="id = (SELECT afterglow.my_org())"
    )
    layout.run(
        "CREATE POLICY merge ON organisations FOR SELECT TO {merge} USING (true)"
    )
    layout.secure("turns", read=EVERYONE, change=EVERYONE, merge="SELECT, UPDATE")
    layout.secure("people", read=EVERYONE, add=ADMIN, change=ADMIN, merge="SELECT")
    layout.secure(
        "teams",
        read=f"{ADMIN} OR id = ANY ((SELECT afterglow.my_teams())::bigint[])",
        add=ADMIN,
        remove=ADMIN,
        merge="SELECT",
    )
    layout.secure(
        "team_members",
        read=f"{ADMIN} OR team = ANY ((SELECT afterglow.my_teams())::bigint[])",
        add=ADMIN,
        remove=ADMIN,
        merge="SELECT",
    )
    layout.secure(
        "grants",
        read=f"{ADMIN} OR person = {ME} OR team = ANY ((SELECT afterglow.my_teams())::bigint[])",
        add=ADMIN,
        remove=ADMIN,
        merge="SELECT",
    )
    layout.secure(
        "repositories",
        read=f"{ADMIN} OR name = ANY ((SELECT afterglow.my_repos('read'))::text[])",
        add=f"{ADMIN} OR afterglow.may('contribute', name)",
        merge="SELECT, INSERT",
    )
    layout.secure(
        "tokens",
        read=f"{ADMIN} OR person = {ME}",
        add=f"{ADMIN} OR ({OWN_TOKEN})",
        change=f"{ADMIN} OR person = {ME}",
    )
    layout.secure("audit", read=ADMIN, add=f"person = {ME}", merge="INSERT")
