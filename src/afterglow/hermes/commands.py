"""`hermes warm ...`, `hermes afterglow ...` and `/warm`: the words go to our own commands, which parse, run and show
them. There, `--model hermes` is the model of Hermes itself."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

PROGRAM, WHOLE = "hermes warm", "hermes afterglow"
USAGE = "/warm list, /warm select TASK, /warm status"


def prepare(parser: ArgumentParser, run: Callable[[Namespace], None]) -> None:
    """All words are ours; so is the help."""
    parser.add_argument("words", nargs=REMAINDER, help="as for `afterglow`")

    def show(file: Any = None) -> None:
        run(Namespace(words=["--help"]))

    parser.print_help = show  # type: ignore[method-assign]


def warm(ctx: Any, args: Namespace) -> None:
    """Ends the program with the command's exit code: Hermes has no other use for a handler's answer."""
    from afterglow.cli.main import run as command
    from afterglow.cli.warm import warm
    from afterglow.hermes.warm_start import start

    _offer(ctx)
    group = type(warm)("warm", {**warm.commands, "start": start}, help=warm.help)
    sys.exit(command(group, args.words or ["--help"], PROGRAM))


def everything(ctx: Any, args: Namespace) -> None:
    """Every command of `afterglow`."""
    from afterglow.cli.main import cli
    from afterglow.cli.main import run as command

    _offer(ctx)
    sys.exit(command(cli, args.words or ["--help"], WHOLE))


def _offer(ctx: Any) -> None:
    """Hermes' own model is one that can be named, where Hermes lets plugins ask it."""
    if not hasattr(ctx, "llm"):
        return
    from afterglow.flows.model_client import OFFERED
    from afterglow.hermes.model import NAME, Hosted

    OFFERED[NAME] = lambda: Hosted(ctx.llm)


def slash(raw: str = "") -> str:
    """What is said in a session: plain text, as chats show it too."""
    from click import unstyle

    verb, _, rest = raw.strip().partition(" ")
    words = rest.strip()
    if verb in ("", "list"):
        return unstyle(_list())
    if verb == "select" and words:
        return unstyle(_select(words))
    if verb == "status":
        return unstyle(_status())
    return f"There are: {USAGE}. Everything else: {PROGRAM} --help"


def _list() -> str:
    from afterglow import config
    from afterglow.cli.show.templates import listing
    from afterglow.flows.warm import list_templates

    return listing(list_templates(config.load()))


def _select(task: str) -> str:
    from afterglow import config
    from afterglow.cli.show.templates import choice
    from afterglow.flows.session import repo_of
    from afterglow.flows.warm import Target, select
    from afterglow.hermes.session_events import AGENT, folder

    settings = config.load()
    target = Target(repo=repo_of(folder(), settings), agent=AGENT)
    return choice(*select(settings, task, target))


def _status() -> str:
    from afterglow import config
    from afterglow.cli.status import status_line
    from afterglow.flows.doctor import status

    return status_line(status(config.load()))
