"""Going through the review queue on a terminal: an item at a time, a key each, the same keys as on the page."""

from __future__ import annotations

from collections.abc import Callable

import click

from afterglow.cli.show import review as shown
from afterglow.cli.show.evidence import explanation
from afterglow.cli.show.items import COLOURS
from afterglow.config import Config
from afterglow.errors import AfterglowError
from afterglow.flows import knowledge as flow
from afterglow.flows.knowledge import ReviewQueue, WaitingItem
from afterglow.show.tables import paragraph
from afterglow.text.clip import printable
from afterglow.text.numbers import count

NOT_USEFUL = "not useful"  # why, where nobody says it
MAX_PLACES = 3  # transcript lines of an item that are shown at once
KEYS = {
    "j": "next", "k": "before", "a": "approve", "r": "reject", "e": "edit its words", "s": "say where it holds",
    "u": "undo", "x": "mark for deciding together", "Enter": "its transcript lines", "?": "keys", "q": "end",
}  # fmt: skip

Ask = Callable[[str, str], str]  # a question and the answer to an empty line


def go_through(
    config: Config,
    queue: ReviewQueue,
    *,
    read_key: Callable[[], str] = click.getchar,
    ask: Ask = lambda words, default: str(click.prompt(words, default=default)),
) -> None:
    """Until the person ends it or nothing is left."""
    reviewing = Reviewing(config, queue.items, ask, read_key)
    click.echo(f"{shown.progress(queue)}. ? shows the keys.")
    while reviewing.items:
        reviewing.show()
        key = read_key()
        if key in ("q", "\x03", "\x04", ""):
            break
        try:
            reviewing.press(key)
        except AfterglowError as error:
            click.echo(click.style(printable(str(error)), fg="red"))
            reviewing.refresh()
    click.echo(reviewing.summary())


class Reviewing:
    """Where a person is in the queue, what they marked, and what they decided so far."""

    def __init__(
        self,
        config: Config,
        items: list[WaitingItem],
        ask: Ask,
        read_key: Callable[[], str],
    ) -> None:
        self.config, self.items = config, list(items)
        self.ask, self.read_key = ask, read_key
        self.place = 0
        self.marked: set[str] = set()
        self.decided: dict[int, list[WaitingItem]] = {}

    @property
    def current(self) -> WaitingItem:
        return self.items[self.place]

    def press(self, key: str) -> None:
        steps: dict[str, Callable[[], None]] = {
            "j": lambda: self.step(1),
            "k": lambda: self.step(-1),
            "a": self.approve,
            "r": self.reject,
            "e": self.edit,
            "s": self.scope,
            "u": self.undo,
            "x": self.mark,
            "\r": self.explain,
            "\n": self.explain,
            "?": self.help,
        }
        steps.get(key, self.help)()

    def show(self) -> None:
        waiting = self.current
        item = waiting.item
        mark = "marked  " if item.id in self.marked else ""
        status = click.style(item.status, fg=COLOURS.get(item.status))
        place = f"{self.place + 1} of {len(self.items)}"
        head = f"{place}  {mark}{item.id}  {status}  {shown.place_of(item)}"
        click.echo(f"\n{head}\n{paragraph(printable(item.fact))}")
        for line in (
            waiting.worth_words,
            item.reason,
            item.risk and f"risk: {item.risk}",
        ):
            if line:
                click.echo(paragraph(printable(line), "  "))
        similar = flow.review_item(self.config, item.id).similar
        if similar:
            click.echo(f"  {count(len(similar), 'item')} nearly the same:")
        for twin in (each.item for each in similar):
            words = f"{twin.id}  {twin.status}  {twin.fact}"
            click.echo(paragraph(printable(words), "    "))

    def step(self, by: int) -> None:
        self.place = min(max(self.place + by, 0), len(self.items) - 1)

    def chosen(self) -> list[WaitingItem]:
        """What is marked, or the one that is shown."""
        marked = [each for each in self.items if each.item.id in self.marked]
        return marked or [self.current]

    def approve(self) -> None:
        chosen = self.chosen()
        risky = [each.item for each in chosen if each.is_risky]
        for item in risky:
            click.echo(f"risky: {printable(item.risk)}\n  {printable(item.fact)}")
            click.echo("y tells agents exactly this; any other key leaves it")
            if self.read_key() != "y":
                return
        is_held = any(each.item.status == "quarantined" for each in chosen)
        decisions = flow.approve(
            self.config,
            [each.item.id for each in chosen],
            risky=bool(risky),
            even_quarantined=is_held,
            expected=_marks(chosen),
        )
        self._settle("approved", chosen, decisions)

    def reject(self) -> None:
        chosen = self.chosen()
        why = self.ask("why", NOT_USEFUL)
        decisions = flow.reject(
            self.config,
            [each.item.id for each in chosen],
            why=why,
            expected=_marks(chosen),
        )
        self._settle("rejected", chosen, decisions)

    def edit(self) -> None:
        item = self.current.item
        marks = _marks([self.current])
        if item.situation and item.remedy:
            situation = self.ask("situation", item.situation)
            remedy = self.ask("remedy", item.remedy)
            flow.edit(
                self.config,
                item.id,
                situation=situation,
                remedy=remedy,
                expected=marks,
            )
        else:
            fact = self.ask("fact", item.fact)
            flow.edit(self.config, item.id, fact=fact, expected=marks)
        self.refresh()

    def scope(self) -> None:
        chosen = self.chosen()
        repo = self.ask("repository, or everywhere", self.current.item.repo)
        everywhere = repo.strip() in ("", "everywhere")
        flow.rescope(
            self.config,
            [each.item.id for each in chosen],
            repo="" if everywhere else repo,
            everywhere=everywhere,
            expected=_marks(chosen),
        )
        self.refresh()

    def undo(self) -> None:
        """The last decision, whoever took it."""
        (undone,) = flow.undo(self.config)
        back = self.decided.pop(undone.decision.number, [])
        self.items[self.place : self.place] = back
        click.echo(f"undone: {undone.decision.what}")
        self.refresh()

    def mark(self) -> None:
        self.marked ^= {self.current.item.id}
        self.step(1)

    def explain(self) -> None:
        id = self.current.item.id
        click.echo(explanation(flow.explain(self.config, id, limit=MAX_PLACES)))

    def help(self) -> None:
        click.echo("  ".join(f"{key} {words}" for key, words in KEYS.items()))

    def refresh(self) -> None:
        """As they are now; what no longer waits stays where it was decided."""
        ids = [each.item.id for each in self.items]
        self.items = flow.still_waiting(self.config, ids)
        self.place = min(self.place, max(len(self.items) - 1, 0))

    def _settle(
        self, verb: str, chosen: list[WaitingItem], decisions: list[flow.Decision]
    ) -> None:
        ids = {each.item.id for each in chosen}
        self.decided[decisions[0].number] = chosen
        self.items = [each for each in self.items if each.item.id not in ids]
        self.marked.clear()
        self.place = min(self.place, max(len(self.items) - 1, 0))
        click.echo(f"{verb}: {', '.join(sorted(ids))}; u undoes it")

    def summary(self) -> str:
        total = sum(map(len, self.decided.values()))
        remaining = (
            f"{count(len(self.items), 'item')} left here"
            if self.items
            else "nothing left here"
        )
        return f"{count(total, 'item')} decided, {remaining}. `afterglow knowledge decisions` lists what was."


def _marks(chosen: list[WaitingItem]) -> dict[str, str]:
    return {each.item.id: each.mark for each in chosen}
