"""`afterglow config`: what is set, what it means, and setting it."""

from __future__ import annotations

from collections.abc import Sized

import click

from afterglow import config
from afterglow.cli.output import print_json
from afterglow.errors import ConfigError, UsageError
from afterglow.flows import settings as flow
from afterglow.flows.settings import ConfigDraft, Setting, SettingsView
from afterglow.show.tables import paragraph
from afterglow.text.clip import printable

as_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")
dry_run = click.option(
    "--dry-run", is_flag=True, help="Show what would be written; change nothing."
)


@click.group("config")
def settings() -> None:
    """Your settings: what each means, what is set, and setting it.

    They stand in config.toml of the home. What you wrote there (comments, order, blank lines) stays as it is; what would
    not be understood is not written.
    """


@settings.command()
@click.argument("name", default="")
@as_json
def show(name: str, as_json: bool) -> None:
    """Every setting with its meaning and its value; one table (`hooks`) or one key (`hooks.budget`) if NAME is said."""
    view = flow.view_settings(config.load_anyway())
    chosen = _chosen(view, name)
    if as_json:
        print_json({"file": view.file.path, "settings": chosen})
        return
    if view.file.problem:
        click.echo(f"afterglow: {printable(view.file.problem)}", err=True)
    click.echo(f"{printable(str(view.file.path))}")
    table = ""
    for setting in chosen:
        if setting.name.partition(".")[0] != table:
            table = setting.name.partition(".")[0]
            click.echo(f"\n{click.style(f'[{table}]', bold=True)}")
        click.echo(_in_words(setting))


@settings.command("set")
@click.argument("key")
@click.argument("values", nargs=-1, required=True)
@click.option("--add", is_flag=True, help="To a list: add these to what is there.")
@click.option("--remove", is_flag=True, help="From a list: take these out.")
@dry_run
@as_json
def set_(
    key: str,
    values: tuple[str, ...],
    add: bool,
    remove: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Set KEY (`table.key`), to several values where it is a list.

    \b
    Examples:
      afterglow config set hooks.budget 400
      afterglow config set privacy.exclude --add ~/clients
      afterglow config set repos.cli acme/cli
    """
    loaded = config.load_anyway()
    setting = flow.view_settings(loaded).setting(key)
    if add and remove:
        raise UsageError("--add or --remove, not both")
    value: object
    if add:
        value = flow.changed_list(setting, add=values)
    elif remove:
        value = flow.changed_list(setting, remove=values)
    else:
        value = flow.typed_value(setting, values)
    _write(loaded, {key: value}, dry_run=dry_run, as_json=as_json)


@settings.command()
@click.argument("key")
@dry_run
@as_json
def unset(key: str, dry_run: bool, as_json: bool) -> None:
    """Take KEY out of the file: what holds by itself holds again."""
    loaded = config.load_anyway()
    flow.view_settings(loaded).setting(key)
    _write(loaded, {key: None}, dry_run=dry_run, as_json=as_json)


@settings.command()
@as_json
def check(as_json: bool) -> None:
    """Whether config.toml is understood; says what is wrong and what would work."""
    file = flow.config_text(config.load_anyway())
    if as_json:
        print_json({"file": file.path, "problem": file.problem})
        if file.problem:
            click.get_current_context().exit(ConfigError.exit_code)
        return
    if file.problem:
        raise ConfigError(file.problem)
    state = "is understood" if file.text else "is not there: every default holds"
    click.echo(f"{printable(str(file.path))} {state}.")


def _chosen(view: SettingsView, name: str) -> list[Setting]:
    tables = {table.name: table.settings for table in view.tables}
    if name in tables:
        return list(tables[name])
    if name:
        return [view.setting(name)]
    return [setting for table in view.tables for setting in table.settings]


def _in_words(setting: Setting) -> str:
    value = flow.written_value(setting).replace("\n", ", ")
    state = value or f"not set: {_default(setting)}"
    if setting.in_force:
        state += f" (in force: {setting.in_force}, by a variable of the environment)"
    name = setting.key or "any name"
    return f"  {name} = {printable(state)}\n{paragraph(setting.meaning, '      ')}"


def _default(setting: Setting) -> str:
    is_empty = isinstance(setting.default, Sized) and not setting.default
    if is_empty or setting.default is None:
        return "nothing"
    return flow.shown_value(setting.default)


def _write(
    loaded: config.Config, values: dict[str, object], *, dry_run: bool, as_json: bool
) -> None:
    if dry_run:
        draft = flow.draft_values(loaded, values)
    else:
        draft = flow.set_values(loaded, values)
    if as_json:
        print_json({"file": draft.path, "diff": draft.diff, "dry_run": dry_run})
    else:
        click.echo(_what_changed(draft, dry_run))


def _what_changed(draft: ConfigDraft, dry_run: bool) -> str:
    if draft.after == draft.before:
        return f"{printable(str(draft.path))} says so already."
    lines = "\n".join(map(printable, draft.diff.split("\n")))
    return f"{lines}\n{'Nothing was written.' if dry_run else 'Written.'}"
