"""The invented team: who works there, on what, with which agents and models."""

from __future__ import annotations

from msgspec import Struct

ORG = "otterquay"


class Repo(Struct, frozen=True):
    """A repository. `commands` are the ones that work in it; `files` live where they say."""

    name: str
    language: str
    commands: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def full(self) -> str:
        return f"{ORG}/{self.name}"

    @property
    def remote(self) -> str:
        return f"git@git.{ORG}.invalid:{self.full}.git"


class Person(Struct, frozen=True):
    """A developer and where their checkouts and worktrees lie."""

    name: str
    home: str
    source: str
    worktrees: str


PEOPLE = (
    Person(
        "ana",
        "/home/ana",
        "/home/ana/src/{repo}",
        "/home/ana/src/{repo}/.worktrees/{branch}",
    ),
    Person(
        "bo",
        "/Users/bo",
        "/Users/bo/wks/{repo}",
        "/Users/bo/wks/{repo}-worktrees/{branch}",
    ),
)
REPOS = (
    Repo(
        "harbor",
        "go",
        ("mise run test:ci", "mise run lint", "go build ./...", "go vet ./dock/..."),
        (
            "dock/agent.go",
            "dock/berth.go",
            "internal/agents/agents.go",
            "cmd/harbor/main.go",
            "dock/tide_test.go",
        ),
    ),
    Repo(
        "tidewatch",
        "py",
        ("uv run pytest -q", "uv run ruff check .", "uv run mypy src", "make fixtures"),
        (
            "src/tidewatch/feed.py",
            "src/tidewatch/store.py",
            "tests/test_feed.py",
            "src/tidewatch/settings/base.py",
        ),
    ),
    Repo(
        "gullnest-web",
        "ts",
        ("pnpm test", "pnpm lint", "pnpm typecheck", "pnpm build"),
        (
            "src/app/nest.tsx",
            "src/lib/tokens.ts",
            "src/app/map.tsx",
            "packages/tokens/index.ts",
        ),
    ),
    Repo(
        "ballast-infra",
        "tf",
        ("make plan ENV=dev", "make fmt", "tflint --recursive", "make docs"),
        (
            "envs/dev.hcl",
            "modules/cluster/main.tf",
            "modules/queue/main.tf",
            "docs/runbook.md",
        ),
    ),
)
# agent -> share of sessions, models it runs
AGENTS: dict[str, tuple[float, tuple[str, ...]]] = {
    "claude-code": (0.50, ("claude-opus-4-6", "claude-sonnet-4-6", "claude-opus-4-6")),
    "codex": (0.18, ("gpt-5.5", "gpt-5.5-codex")),
    "hermes": (0.18, ("hermes-4-405b", "qwen3-coder-plus", "claude-sonnet-4-6")),
    "gemini-cli": (0.07, ("gemini-2.5-pro", "gemini-3-pro-preview")),
    "openai": (0.07, ("gpt-5.5-mini", "glm-5")),
}
TASKS = (("code", 0.45), ("file", 0.25), ("research", 0.15), ("mixed", 0.15))
BRANCHES = (
    "main",
    "main",
    "main",
    "fix/berth-order",
    "feat/night-mode",
    "chore/bump-deps",
    "feat/retry-queue",
)
REQUESTS = {
    "code": (
        "run the tests and fix what fails",
        "the build is red since this morning, find out why",
        "make the {noun} handler retry twice before it gives up",
        "lint complains about {file}, please clean that up",
        "can you add a test for the empty {noun} case?",
    ),
    "file": (
        "rename the {noun} option everywhere and update {file}",
        "split {file} in two, it has become too long",
        "read {file} and tell me where the {noun} is set",
        "move the {noun} defaults out of {file}",
    ),
    "research": (
        "what is the current recommendation for {noun} limits? look it up",
        "compare two libraries for {noun} parsing and tell me which one to take",
        "find out whether the upstream {noun} bug is fixed",
    ),
    "mixed": (
        "look into the {noun} report from yesterday",
        "prepare the release notes and check that everything is in",
    ),
}
FOLLOW_UPS = (
    "ok, go on", "looks good, next one please", "and what about the {noun}?", "please also check {file}",
    "thanks. can you do the same for the {noun}", "yes", "why did you choose that?",
)  # fmt: skip
NOUNS = ("berth", "tide", "gate", "crane", "manifest", "beacon", "ferry", "ledger")
