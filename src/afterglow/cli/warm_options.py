"""Options that several `afterglow warm` commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

import click
from msgspec import Struct

from afterglow.cli.options import Finite
from afterglow.config import Config
from afterglow.flows import warm as flow
from afterglow.records.model import Model
from afterglow.records.tools import TaskType
from afterglow.text.numbers import number

F = TypeVar("F", bound=Callable[..., Any])

MAX_BUDGET = 1_000_000  # tokens: what the largest context windows hold
MAX_EXAMPLES = 50  # of one template: more no session is given

as_json = click.option("--json", "json", is_flag=True, help="Print it as JSON.")
max_examples = click.option(
    "--max-examples",
    type=click.IntRange(1, MAX_EXAMPLES),
    default=flow.EXAMPLES,
    show_default=True,
)
one_or_more = click.argument("ids", nargs=-1, required=True, metavar="ID...")


def task_type(help: str) -> Callable[[F], F]:
    choices = click.Choice([kind.value for kind in TaskType])
    return click.option(
        "--type", "task_type", type=choices, callback=_as_task_type, help=help
    )


def _as_task_type(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> TaskType | None:
    return None if value is None else TaskType(value)


def tags(help: str) -> Callable[[F], F]:
    return click.option("--tags", "--tag", multiple=True, metavar="A,B", help=help)


def tools(help: str) -> Callable[[F], F]:
    return click.option("--tools", metavar="A,B", callback=_split, help=help)


def _split(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[str] | None:
    if value is None:
        return None
    return [tool.strip() for tool in value.split(",") if tool.strip()]


def budget(default: int, help: str) -> Callable[[F], F]:
    return click.option(
        "--budget",
        type=click.IntRange(1, MAX_BUDGET),
        default=default,
        show_default=True,
        help=help,
    )


class ModelOptions(Struct, frozen=True):
    """Which model to ask and what it may cost, as typed. `name` is empty for the model of config.toml, None where no
    model is named."""

    name: str | None = None
    base_url: str = ""
    max_tokens: int | None = None
    max_cost: float | None = None

    @contextmanager
    def opened(self, settings: Config) -> Iterator[Model]:
        """The model that is to be asked. What it took is said on stderr."""
        from afterglow.flows.model_client import model_of

        with model_of(
            settings,
            name=self.name or "",
            base_url=self.base_url,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
        ) as model:
            yield model
            used = model.spent.usage
            price = f", {model.spent.cost:.4g}" if model.spent.cost else ""
            click.echo(
                f"asked {model.name}: {number(used.input)} tokens in, {number(used.output)} out{price}",
                err=True,
            )


def model_options(when: str) -> Callable[[F], F]:
    """The options that name a model and cap what it may cost. The command gets them as one `asked_model`."""
    options = (
        click.option(
            "--model",
            metavar="NAME",
            is_flag=False,
            flag_value="",
            help=f"{when}: this model; that of config.toml if not said.",
        ),
        click.option(
            "--base-url",
            metavar="URL",
            default="",
            help="Where it answers, as OpenAI's API does.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(0),
            help="The most tokens to use, in and out.",
        ),
        click.option("--max-cost", type=Finite(0), help="The most money to spend."),
    )

    def wrap(command: F) -> F:
        @wraps(command)
        def asking(
            *,
            model: str | None,
            base_url: str,
            max_tokens: int | None,
            max_cost: float | None,
            **arguments: Any,
        ) -> Any:
            asked_model = ModelOptions(model, base_url, max_tokens, max_cost)
            return command(asked_model=asked_model, **arguments)

        for option in reversed(options):
            asking = option(asking)
        return cast(F, asking)

    return wrap
