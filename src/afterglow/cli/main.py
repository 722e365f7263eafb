"""`afterglow`: parses, calls one flow, shows the result. A command's module is imported when it is used."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path

import click

from afterglow import __version__
from afterglow.cli.old_spellings import MOVED, moved, respelled
from afterglow.cli.paging import page_output
from afterglow.errors import AfterglowError
from afterglow.show.screen import use_colour
from afterglow.text.clip import printable

# A command makes many objects and few cycles: looking for cycles every 700 objects takes a tenth of its time.
OBJECTS_BETWEEN_COLLECTIONS = 100_000

# name -> module and function, and the line `afterglow --help` shows (so that help imports no command).
COMMANDS = {
    "start": (
        "afterglow.cli.start:start",
        "The way in: what your sessions hold, in a minute.",
    ),
    "scan": ("afterglow.cli.scan:scan", "Find agents' sessions and catalogue them."),
    "sessions": (
        "afterglow.cli.sessions:sessions",
        "List sessions, or show one as a readable transcript.",
    ),
    "repo": (
        "afterglow.cli.repo:repo",
        "Which folders are which repository; trust one that is new.",
    ),
    "profile": (
        "afterglow.cli.profile:profile",
        "Where the agents fail: rates with intervals, tables, a page with figures.",
    ),
    "sample": ("afterglow.cli.sample:sample", "Rank the sessions worth learning from."),
    "harvest": (
        "afterglow.cli.harvest:harvest",
        "Turn finished sessions into knowledge worth keeping.",
    ),
    "problems": (
        "afterglow.cli.problems:problems",
        "What keeps happening, by what it costs; one dossier on demand.",
    ),
    "write": (
        "afterglow.cli.write:write",
        "Have a model write the lessons rules cannot read, within a cap.",
    ),
    "windows": (
        "afterglow.cli.windows:windows",
        "Stretches of sessions for an agent that writes lessons itself.",
    ),
    "remember": (
        "afterglow.cli.remember:remember",
        "Keep lessons a model wrote, checked against the lines they cite.",
    ),
    "knowledge": (
        "afterglow.cli.knowledge:knowledge",
        "Read, search, trace and review what sessions taught.",
    ),
    "forget": (
        "afterglow.cli.forget:forget",
        "Forget sessions with all that came of them.",
    ),
    "private": (
        "afterglow.cli.private:private",
        "Keep sessions in a folder to yourself: nothing told, nothing kept.",
    ),
    "bootstrap": (
        "afterglow.cli.bootstrap:bootstrap",
        "The short context a new session should start with.",
    ),
    "warm": (
        "afterglow.cli.warm:warm",
        "Templates of what made sessions good, to start new ones with.",
    ),
    "replay": (
        "afterglow.cli.replay:replay",
        "On your own history: which repeated errors would have been told of in time?",
    ),
    "measure": (
        "afterglow.cli.measure:measure",
        "Is it working? Growth, use, repeated errors: readings with intervals and trend.",
    ),
    "serve": (
        "afterglow.cli.serve:serve",
        "Pages in your browser: see, review, decide.",
    ),
    "join": (
        "afterglow.cli.team:join",
        "Join your team's hub: learn from one another's sessions.",
    ),
    "sync": (
        "afterglow.cli.team:sync",
        "Send the hub what is new, and get what the team knows.",
    ),
    "leave": (
        "afterglow.cli.team:leave",
        "Leave the hub; your own knowledge stays as it is.",
    ),
    "connect": (
        "afterglow.cli.connect:connect",
        "Have agents start with what was learned, and learn from them as they end.",
    ),
    "disconnect": (
        "afterglow.cli.connect:disconnect",
        "Put agents' files back as they were.",
    ),
    "config": (
        "afterglow.cli.settings:settings",
        "Your settings: what each means, what is set, and setting it.",
    ),
    "context": (
        "afterglow.cli.context:context",
        "Keep this repository's context in a file agents read.",
    ),
    "doctor": (
        "afterglow.cli.doctor:doctor",
        "What is found, connected, delivered; what to do next.",
    ),
    "backup": (
        "afterglow.cli.backup:backup",
        "All that is kept in one file, checked.",
    ),
    "restore": (
        "afterglow.cli.backup:restore",
        "Put the home back as a backup has it.",
    ),
    "status": (
        "afterglow.cli.status:status",
        "One line: what was told last, whether it was used, what waits.",
    ),
    "hub": (
        "afterglow.cli.hub:hub",
        "A team's hub: make it, look after people and rights, back it up.",
    ),
    "mcp": ("afterglow.cli.mcp:mcp", "Serve what is known to agents that speak MCP."),
    "memory": (
        "afterglow.cli.memory:memory",
        "Your own preferences across sessions, kept where you choose.",
    ),
    "experiment": (
        "afterglow.cli.experiment:experiment",
        "Does it help? An experiment on your own sessions: plan, look any time, report.",
    ),
    "research": (
        "afterglow.cli.research:research",
        "What makes a session warm? Questions answered on your own history.",
    ),
    "dataset": (
        "afterglow.cli.dataset:dataset",
        "Share numbers about sessions, without telling who or where.",
    ),
    "completion": (
        "afterglow.cli.completion:completion",
        "Have your shell complete commands and options.",
    ),
    "demo": ("afterglow.cli.demo:demo", "Run the whole loop on a simulated fleet."),
}
# Says what is wrong and changes nothing: every other command closes the home to others first.
LOOKS_ONLY = frozenset({"doctor"})
HIDDEN = {"queue": "afterglow.cli.queue:queue"}  # for scripts and in need


class Contents(click.Group):
    """The commands, loaded on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        place = COMMANDS[name][0] if name in COMMANDS else HIDDEN.get(name)
        if place is None:
            return None
        module, function = place.split(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An old spelling is understood, and the new one told; for a misspelt name the nearest is."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(_no_such(args[0]), ctx)
        name, command, words = super().resolve_command(ctx, args)
        if option := moved(name or "", words):
            name = MOVED[option]
            command = self.get_command(ctx, name)
            assert command is not None
            words = respelled(option, words, command)
            if not ctx.resilient_parsing:  # as when a shell completes a line
                hint = f"afterglow: `harvest {option}` is now `afterglow {name}`"
                click.echo(hint, err=True)
        return name, command, words

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=Contents,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", prog_name="afterglow")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Reads finished agent sessions, keeps what they taught, and proves whether that helped.

    `afterglow` alone is the way in: it shows what your sessions hold and asks before it connects anything.
    """
    from afterglow import config  # help and version need none

    colour = config.colour(sys.stdout)
    use_colour(colour)
    ctx.color = None if colour else False  # None: click looks at each stream itself
    end = page_output(ctx.invoked_subcommand or "", config.pager())
    if end is not None:
        ctx.color = colour
        ctx.call_on_close(end)
    if ctx.invoked_subcommand not in LOOKS_ONLY:
        _close_home(*config.homes())
    if ctx.invoked_subcommand is None:
        from afterglow.cli.start import welcome

        welcome()


def _no_such(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=1)
    guess = f"did you mean {near[0]}?" if near else "`afterglow --help` lists them"
    return f"there is no command {name!r}; {guess}"


def _close_home(home: Path, user_home: Path) -> None:
    """A home that was made by an older version, copied or unpacked may be open to others."""
    from afterglow.folders import close_to_others, is_ours_alone

    if is_ours_alone(home, user_home):
        close_to_others(home)


def _plain(message: str) -> str:
    """click's names of kinds of numbers, as people call them."""
    return message.replace("a valid integer range", "a whole number").replace(
        "a valid float range", "a number"
    )


def main() -> None:
    for stream in (
        sys.stdout,
        sys.stderr,
    ):  # a terminal that cannot show a character shows another
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    code = run(cli)
    gc.freeze()  # else all that was read is looked through for cycles once more
    sys.exit(code)


def run(
    command: click.Command, words: Sequence[str] | None = None, name: str | None = None
) -> int:
    """Runs a command with the words of the program, or other ones; shows its errors; returns its exit code."""
    try:
        code = command.main(words, name, standalone_mode=False)
        sys.stdout.flush()
    except AfterglowError as error:
        message = "\n".join(
            map(printable, str(error).split("\n"))
        )  # it may quote what a file or server said
        click.echo(f"afterglow: {message}", err=True)
        code = error.exit_code
    except click.ClickException as error:
        error.message = _plain(error.message)  # type: ignore[misc]  # it is shown below
        error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("afterglow: interrupted", err=True)
        code = 130
    except BrokenPipeError:  # the reader of our output left, as `head` does
        sys.stderr.close()
        code = 0
    except UnicodeEncodeError:
        click.echo("afterglow: a word that is not UTF-8 cannot be looked for", err=True)
        code = 2
    except OSError as error:  # a full disk, a folder that is not there
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"afterglow: {place}{error.strerror or error}", err=True)
        code = 1
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    main()
