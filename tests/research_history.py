"""An invented history for the questions: two repositories whose sessions meet the same things day after day."""

from __future__ import annotations

from pathlib import Path

from afterglow.config import Config
from afterglow.flows.read import scan
from writing import Transcript

DAY = 24 * 60  # the clock of a transcript counts minutes
HARBOR, LIGHTHOUSE = "/home/ana/src/harbor", "/home/ana/src/lighthouse"


def harbor_day(number: int) -> Transcript:
    """`gh pr diff --stat` fails and `--name-only` works; the tests run with one command; one file is read."""
    return (
        Transcript(number, start=number * DAY, cwd=HARBOR)
        .user("what changed in the pull request?")
        .run(
            f"gh pr diff {40 + number} --stat",
            "Exit code 1\nunknown flag: --stat",
            error=True,
        )
        .run(f"gh pr diff {40 + number} --name-only", "dock/agent.go")
        .ask("Read", file_path=f"{HARBOR}/dock/agent.go")
        .answer("package dock")
        .run("go test -race ./dock/...", "ok  	harbor/dock	0.21s")
        .run("make lint", "0 issues.")
        .run(f"go vet ./dock/{number}", "ok")
        .reply("One file changed.")
    )


def calm_day(number: int) -> Transcript:
    """A day of harbor without a failure."""
    return (
        Transcript(number, start=number * DAY, cwd=HARBOR)
        .user("is all well?")
        .ask("Read", file_path=f"{HARBOR}/dock/agent.go")
        .answer("package dock")
        .run("make lint", "0 issues.")
        .run("make test", "ok")
        .run("make build", "built")
        .run(f"go vet ./dock/{number}", "ok")
        .reply("All is well.")
    )


def lighthouse_day(number: int) -> Transcript:
    """Another language, another way to test, and no failure."""
    return (
        Transcript(100 + number, start=number * DAY + 300, cwd=LIGHTHOUSE)
        .user("does the lamp still turn?")
        .run("npm run lamp -- --check", "turning")
        .ask("Read", file_path=f"{LIGHTHOUSE}/src/lamp.ts")
        .answer("export const lamp = 1")
        .run("npx vitest run", "1 passed")
        .run("npx tsc --noEmit", "no errors here")
        .run("npm run build", "built")
        .reply("It turns.")
    )


def history(home: Path, days: int = 9, *, lighthouse: bool = True) -> Config:
    """Scanned; nothing is harvested, as questions read for themselves."""
    config = Config(home=home / "kept", user_home=home / "home")
    folder = home / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, days + 1):
        harbor_day(number).save(folder)
        if lighthouse:
            lighthouse_day(number).save(folder)
    scan(config, [folder], jobs=1)
    return config
