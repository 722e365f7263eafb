"""What the sessions of the simulated team can teach. Data only: a new lesson is a new row.

`repo` is empty where something holds everywhere. `chance` is how likely a session that could run into it does.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from afterglow_demo.truth import PlantTruth
from afterglow_demo.world import ORG, REPOS, Repo


class Pitfall(Struct, frozen=True):
    """A command fails with `message` until `steps` were taken or it is put right; then `fixed` prints `output`."""

    id: str
    repo: str
    lesson: str
    command: str
    message: str
    fixed: str
    output: str
    remedy: tuple[str, ...]
    code: int = 1
    steps: tuple[tuple[str, str], ...] = ()
    cause: str = ""
    theory: str = ""  # a first guess at the cause that is wrong
    kind: str = "pitfall"
    chance: float = 0.16


class Preference(Struct, frozen=True):
    """A person says how they want it: refusing a call with a reason, or correcting what was done."""

    id: str
    repo: str
    lesson: str
    command: str
    words: str
    remedy: tuple[str, ...]
    refused: bool
    chance: float = 0.10


class Location(Struct, frozen=True):
    """Something is not where one would look for it."""

    id: str
    repo: str
    lesson: str
    wrong: str
    right: str
    chance: float = 0.12


class Explanation(Struct, frozen=True):
    """A call fails, and a person says why and what helps, in words that ask for nothing; the work goes on elsewhere. No
    recovery, no correction, no stated rule: whoever wants to learn it has to read. `words` are ways to put it."""

    id: str
    repo: str
    lesson: str
    command: str
    message: str
    words: tuple[str, str]
    remedy: tuple[str, ...]
    chance: float = 0.25


class Rule(Struct, frozen=True):
    """A rule people state, and the one that replaced it two thirds through the fleet's history."""

    id: str
    repo: str
    before: str
    after: str
    remedy: tuple[str, str]
    chance: float = 0.10


PITFALLS = (
    Pitfall(
        "harbor-generate", "harbor",
        "In harbor run `mise run generate` before `go test ./...`; without it mooringTable is undefined.",
        "go test ./...", "# otterquay/harbor/dock\ndock/agent.go:12:9: undefined: mooringTable",
        "go test ./...", "ok  \totterquay/harbor/dock\t0.412s",
        ("mise run generate",), steps=(("mise run generate", "generated dock/mooring_table.go"),),
        cause="mooring_table.go is generated and not checked in, so a fresh checkout lacks it",
        theory="the build cache is stale and hides mooringTable",
    ),
    Pitfall(
        "harbor-tags", "harbor",
        "harbor's integration tests need -tags=integration; without it Go excludes all files of the package.",
        "go test ./dock/integration -run TestTide",
        "package otterquay/harbor/dock/integration: build constraints exclude all Go files in dock/integration",
        "go test -tags=integration ./dock/integration -run TestTide", "ok  \totterquay/harbor/dock/integration\t2.118s",
        ("-tags=integration",), cause="the integration files carry a build constraint",
    ),
    Pitfall(
        "tidewatch-uv", "tidewatch",
        "tidewatch's tests run with `uv run pytest -q`; plain pytest does not find the package.",
        "pytest -q", "ModuleNotFoundError: No module named 'tidewatch'",
        "uv run pytest -q", "48 passed in 3.02s", ("uv run",), code=2,
        cause="the package is installed only in the environment uv keeps",
        theory="PYTHONPATH is missing src",
    ),
    Pitfall(
        "tidewatch-db", "tidewatch",
        "tidewatch migrations need the tide-db container: `docker compose up -d tide-db`, then `alembic upgrade head`.",
        "uv run alembic upgrade head",
        'sqlalchemy.exc.OperationalError: connection to server at "localhost", port 5433 refused',
        "uv run alembic upgrade head", "INFO  [alembic.runtime.migration] Running upgrade 41 -> 42, tide index",
        ("docker compose up", "tide-db"), steps=(("docker compose up -d tide-db", "Container tide-db  Started"),),
        cause="nothing listens on port 5433 until the tide-db container runs",
    ),
    Pitfall(
        "web-pnpm", "gullnest-web",
        "gullnest-web is a pnpm workspace: `npm install` cannot resolve workspace:*, use `pnpm install`.",
        "npm install", 'npm warn config\nUnsupported URL Type "workspace:": workspace:*',
        "pnpm install", "Done in 4.1s using pnpm", ("pnpm install",),
    ),
    Pitfall(
        "web-tokens", "gullnest-web",
        "In gullnest-web build the tokens package first (`pnpm build:tokens`), else @gullnest/tokens cannot be found.",
        "pnpm test", "Cannot find module '@gullnest/tokens' imported from src/lib/tokens.ts",
        "pnpm test", "Test Files  31 passed (31)", ("pnpm build:tokens",),
        steps=(("pnpm build:tokens", "dist/index.js  4.2 kB"),),
        cause="packages/tokens is compiled, and its dist folder is ignored by git",
        theory="the lock file is out of date",
    ),
    Pitfall(
        "infra-init", "ballast-infra",
        "ballast-infra needs `terraform init -backend-config=envs/dev.hcl` before `terraform plan`.",
        "terraform plan", "Error: Backend initialization required, please run \"terraform init\"",
        "terraform plan", "Plan: 2 to add, 1 to change, 0 to destroy.", ("terraform init", "-backend-config"),
        steps=(("terraform init -backend-config=envs/dev.hcl", "Terraform has been successfully initialized!"),),
    ),
    Pitfall(
        "infra-context", "ballast-infra",
        "Pass `--context ballast-dev` to kubectl in ballast-infra; the default context has no such namespace.",
        "kubectl -n tide get pods", 'Error from server (NotFound): namespaces "tide" not found',
        "kubectl --context ballast-dev -n tide get pods", "NAME  READY  STATUS\ntide-7  1/1  Running",
        ("--context ballast-dev",),
    ),
    Pitfall(
        "protected-main", "",
        "Direct pushes to main are refused (HTTP 405, protected branch): push a branch and open a pull request.",
        "git push origin main", "remote: error: GH006: Protected branch update failed for refs/heads/main. (HTTP 405)",
        "git push -u origin HEAD:fix/from-main", "branch 'fix/from-main' set up to track 'origin/fix/from-main'.",
        ("branch", "pull request"), cause="main is a protected branch", theory="the access token has expired",
    ),
    Pitfall(
        "pr-diff-stat", "", "`gh pr diff` has no --stat; use --name-only.",
        "gh pr diff 41 --stat", "unknown flag: --stat", "gh pr diff 41 --name-only", "dock/agent.go",
        ("--name-only",), kind="quirk", chance=0.06,
    ),
    Pitfall(
        "jq-alternative", "", "In jq objects parenthesise alternatives: {id: (.a // .b)}.",
        "curl -s http://localhost:8080/berths | jq '{id: .berth // .dock}'",
        "jq: 1 compile error: syntax error, unexpected //",
        "curl -s http://localhost:8080/berths | jq '{id: (.berth // .dock)}'", '{"id": 7}', ("(.berth // .dock)",),
        code=3, kind="quirk", chance=0.06,
    ),
    Pitfall(
        "api-query-quotes", "", "Quote API paths that contain `?`; zsh takes them as a pattern.",
        "gh api repos/otterquay/harbor/pulls?per_page=100",
        "zsh: no matches found: repos/otterquay/harbor/pulls?per_page=100",
        "gh api 'repos/otterquay/harbor/pulls?per_page=100'", '[{"number": 41}]', ("'",), kind="quirk", chance=0.06,
    ),
)  # fmt: skip
PREFERENCES = (
    Preference(
        "no-commit", "", "Do not commit unless asked.", "git commit -am 'Tidy up'",
        "no, I did not ask you to commit anything. I do that myself", ("commit",), refused=True,
    ),
    Preference(
        "no-force", "", "Never force push; open a pull request instead.", "git push --force",
        "never force push here, open a PR instead", ("force",), refused=True, chance=0.05,
    ),
    Preference(
        "infra-make", "ballast-infra", "Use the Makefile targets in ballast-infra instead of calling terraform apply.",
        "terraform apply -auto-approve", "don't apply by hand, use make apply ENV=dev so that the lock is taken",
        ("make apply",), refused=True,
    ),
    Preference(
        "harbor-tests", "harbor", "In harbor run the tests with `mise run test:ci`, not with go test.",
        "go test ./dock/...", "no, use mise run test:ci, that is what CI does", ("mise run test:ci",), refused=False,
    ),
    Preference(
        "web-no-any", "gullnest-web", "No `any` in gullnest-web: give things a real type.", "pnpm typecheck",
        "that is not correct, we don't use any here. give it a real type", ("any", "type"), refused=False,
    ),
    Preference(
        "tidewatch-logging", "tidewatch", "tidewatch logs through structlog, never with print.", "uv run ruff check .",
        "don't use print, we have structlog for that", ("structlog",), refused=False,
    ),
)  # fmt: skip
LOCATIONS = (
    Location(
        "harbor-agents",
        "harbor",
        "harbor keeps its agents in internal/agents/, not in cmd/harbor/agents.",
        "cmd/harbor/agents/agents.go",
        "internal/agents/agents.go",
    ),
    Location(
        "tidewatch-settings",
        "tidewatch",
        "tidewatch settings are a package: src/tidewatch/settings/base.py.",
        "src/tidewatch/settings.py",
        "src/tidewatch/settings/base.py",
    ),
    Location(
        "infra-runbook",
        "ballast-infra",
        "The runbook of ballast-infra is docs/runbook.md.",
        "RUNBOOK.md",
        "docs/runbook.md",
    ),
)
RULES = (
    Rule(
        "berth-numbering",
        "harbor",
        "from now on berth folders are numbered from 1, please keep to that",
        "we changed it: berth folders are numbered from 0 now, not from 1",
        ("from 1", "from 0"),
    ),
    Rule(
        "telemetry-default",
        "tidewatch",
        "remember: telemetry is on by default in tidewatch",
        "telemetry is now off by default in tidewatch, we turned that around",
        ("on by default", "off by default"),
    ),
)
EXPLANATIONS = (
    Explanation(
        "harbor-stale-revision", "harbor",
        "The quay scanner rewrites berth revisions, hence 409 on sync; `harbor sync --pin-revision` gets past it.",
        "go run ./cmd/harbor sync --berths", "sync: berth 14 refused upstream: 409 stale revision",
        ("that 409 comes up because the quay scanner rewrites berth revisions; harbor sync --pin-revision gets past it",
         "berth revisions go stale (409) because the quay scanner rewrites them; with harbor sync --pin-revision it "
         "goes through"),
        ("--pin-revision",),
    ),
    Explanation(
        "tidewatch-gap", "tidewatch",
        "The north gauge reboots at 02:10 and leaves a gap; replay it with --skip-gaps.",
        "uv run tidewatch replay --feed north", "ReplayError: feed north has a gap at 02:10",
        ("feed north has that gap because the north gauge reboots at 02:10; operators replay it with --skip-gaps",
         "the gap at 02:10 is there because the north gauge reboots then; operators replay such a feed with "
         "--skip-gaps"),
        ("--skip-gaps",),
    ),
    Explanation(
        "web-tile-port", "gullnest-web",
        "The tile server answers 403 to every port but 4310: `pnpm preview --port 4310`.",
        "pnpm preview", "preview: 12 map tiles failed to load: status 403",
        ("map tiles come back with 403 because the tile server knows port 4310 only; pnpm preview --port 4310 shows "
         "them",
         "403 on the map tiles, that is because the tile server knows port 4310 only; they load under pnpm preview "
         "--port 4310"),
        ("--port 4310",),
    ),
    Explanation(
        "infra-sleeping-queue", "ballast-infra",
        "The dev queue sleeps after an hour, then the probe times out; `make wake ENV=dev` brings it back.",
        "make smoke ENV=dev", "smoke: queue probe timed out after 30s",
        ("the queue probe timed out because the dev queue sleeps after an hour; make wake ENV=dev brings it back",
         "the dev queue sleeps after an hour, the queue probe timed out because of that; make wake ENV=dev brings it "
         "back"),
        ("make wake ENV=dev",),
    ),
)  # fmt: skip
QUESTIONS = (
    (
        "retry-limit",
        "tidewatch",
        "Should the retry limit count per feed or for all feeds together?",
    ),
    (
        "map-tiles",
        "gullnest-web",
        "Do we keep the old map tiles for users on slow connections?",
    ),
)
SWITCH = 2 / 3  # of the fleet's history, after which the newer rules hold


def catalogue(*, prose: bool = False) -> dict[str, PlantTruth]:
    """Every plant by id, with no sessions yet; with `prose`, also what only words say."""
    rows: dict[str, PlantTruth] = {}

    def add(
        id: str, kind: str, repo: str, lesson: str, sign: str = "", **more: Any
    ) -> None:
        full = f"{ORG}/{repo}" if repo else ""
        rows[id] = PlantTruth(
            id=id,
            kind=kind,
            repo=full,
            lesson=lesson,
            signs=(sign,) if sign else (),
            **more,
        )

    for p in PITFALLS:
        add(p.id, p.kind, p.repo, p.lesson, p.message.splitlines()[-1], remedy=p.remedy)
        if p.cause:
            add(f"{p.id}:cause", "cause", p.repo, p.cause, remedy=p.remedy)
        if p.theory:
            add(f"{p.id}:theory", "cause", p.repo, p.theory, wrong=True)
    for wish in PREFERENCES:
        add(
            wish.id,
            "rejection" if wish.refused else "correction",
            wish.repo,
            wish.lesson,
            wish.words,
            remedy=wish.remedy,
        )
    for place in LOCATIONS:
        add(
            place.id,
            "location",
            place.repo,
            place.lesson,
            place.wrong,
            remedy=(place.right,),
        )
    for r in RULES:
        add(
            f"{r.id}:before",
            "rule",
            r.repo,
            r.before,
            remedy=r.remedy[:1],
            superseded_by=f"{r.id}:after",
        )
        add(f"{r.id}:after", "rule", r.repo, r.after, remedy=r.remedy[1:])
    for name, repo, words in QUESTIONS:
        add(name, "question", repo, words)
    for row in EXPLANATIONS if prose else ():
        add(row.id, "prose", row.repo, row.lesson, row.message, remedy=row.remedy)
    for project in REPOS:
        for command in project.commands:
            fact = f"`{command}` works in {project.name}."
            id = works(project, command)
            add(id, "command", project.name, fact, remedy=(command,))
    return rows


def works(repo: Repo, command: str) -> str:
    """The name of the fact that a command works in a repository."""
    return f"works:{repo.name}:{command}"
