"""Reference pages, made from the code as the guide is built: commands, the Python API, settings, exit codes. So they are
never older than what they describe."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib.resources import files as files_of
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import afterglow.errors
from afterglow.api import Afterglow, Experiment, KnowledgeView, RunningSession
from afterglow.cli.main import COMMANDS, cli
from afterglow.config import Config
from afterglow.flows.settings import view_settings
from afterglow.show.html import style_sheet

ROOT = Path(__file__).parents[2]
BENCH = "bench.md"

_OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)#]+)(#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Decisions are listed by themselves, the newest first."""
    decisions = sorted((ROOT / "docs" / "design").glob("*.md"), reverse=True)
    pages = [f"design/{path.name}" for path in decisions]
    config.nav = [*(config.nav or []), {"Decisions": pages}]
    return config


def on_page_markdown(
    markdown: str, page: Page, config: MkDocsConfig, files: Files
) -> str:
    """Links to files that are no pages are words; those to the benchmarks lead to their page."""
    depth = page.file.src_uri.count("/")

    def led(match: re.Match[str]) -> str:
        words, up, path, place = match[1], match[2], match[3], match[4] or ""
        if len(up) // 3 <= depth:
            return match[0]
        if path == "bench/README.md":
            return f"[{words}]({'../' * depth}{BENCH}{place})"
        return f"{words} (`{path}`)"

    return _OUTSIDE.sub(led, markdown)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, and the look that reports, pages and guide share."""
    pages = {
        "reference/commands.md": "\n".join(_commands()),
        "reference/api.md": "\n".join(_api()),
        "reference/settings.md": "\n".join(_settings()),
        "reference/errors.md": "\n".join(_errors()),
        BENCH: _benchmarks(),
        "pages.css": style_sheet(),
        "site.css": files_of("afterglow.web").joinpath("static/site.css").read_text(),
    }
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def _benchmarks() -> str:
    """Its links to files beside it are words here."""
    text = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\(\.\./docs/", "](", text)
    return re.sub(
        r"\[([^\]]+)\]\((?!https?:|#)([\w/]+/README\.md)\)", r"\1 (`bench/\2`)", text
    )


def _commands() -> Iterator[str]:
    yield "# Commands\n\nEvery command with its options, as `--help` says it.\n"
    context = click.Context(cli, info_name="afterglow")
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        yield from _command(command, context, name, 2)


def _command(
    command: click.Command, parent: click.Context, name: str, level: int
) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    yield f"\n{'#' * level} {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            inner = command.get_command(context, child)
            if inner is not None and not inner.hidden:
                yield from _command(inner, context, child, 3)


def _api() -> Iterator[str]:
    yield "# Python API\n\n`from afterglow import Afterglow`. The guide with an example is [here](../api.md).\n"
    for kind in (Afterglow, RunningSession, KnowledgeView, Experiment):
        yield f"\n## {kind.__name__}\n\n{inspect.getdoc(kind)}\n"
        for name, member in vars(kind).items():
            if name.startswith("_"):
                continue
            yield from _member(name, member)


def _member(name: str, member: Any) -> Iterator[str]:
    if isinstance(member, property):
        yield f"\n### .{name}\n\n{inspect.getdoc(member) or ''}\n"
    elif inspect.isfunction(member):
        signature = str(inspect.signature(member)).replace("'", "")
        yield f"\n### .{name}\n\n```text\n{name}{signature}\n```\n\n{inspect.getdoc(member)}\n"


def _settings() -> Iterator[str]:
    yield "# Settings\n\n`config.toml` in the home; the guide is [here](../config.md).\n"
    nobody = Config(home=Path("nowhere"), user_home=Path("nowhere"))
    for table in view_settings(nobody).tables:
        yield f"\n## [{table.name}] {table.title}\n\n| key | meaning | unless said |\n|---|---|---|"
        for setting in table.settings:
            default = "–" if setting.default in ("", None, ()) else setting.default
            yield f"| `{setting.name}` | {setting.meaning} | {default} |"


def _errors() -> Iterator[str]:
    yield "# Exit codes\n\n| code | error | |\n|---|---|---|\n| 0 | | all is well |"
    kinds = [
        kind
        for _, kind in inspect.getmembers(afterglow.errors, inspect.isclass)
        if issubclass(kind, afterglow.errors.AfterglowError)
    ]
    meanings = _meanings()
    for kind in sorted(kinds, key=lambda kind: (kind.exit_code, kind.__name__)):
        words = meanings.get(kind.__name__, "")
        yield f"| {kind.exit_code} | `{kind.__name__}` | {words} |"
    yield "| 130 | | interrupted; what was finished is kept |"


def _meanings() -> dict[str, str]:
    """From the tree in the module's own words."""
    meanings = {}
    for line in (afterglow.errors.__doc__ or "").splitlines():
        name, exit, words = line.lstrip(" │├└─").partition("exit ")
        if exit:
            meanings[name.strip()] = words[1:].strip()
    return meanings
