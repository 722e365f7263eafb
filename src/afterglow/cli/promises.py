"""What a command that reads sessions forgot by itself, because `[privacy]` says so."""

from __future__ import annotations

import click

from afterglow.records.forgetting import Forgetting
from afterglow.text.numbers import count


def tell_promises(report: Forgetting) -> None:
    """On standard error: what a script reads is the result alone."""
    if report.sessions:
        number = count(len(report.sessions), "session")
        text = f"afterglow: {number} forgotten, kept for as long as [privacy] says"
        click.echo(text, err=True)
