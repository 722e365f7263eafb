"""What `afterglow write` shows people: what would be sent, and what became of the answers."""

from __future__ import annotations

from afterglow.records.model import Spent
from afterglow.records.writing import AnswerOutcome, WritePlan, WriterReport
from afterglow.show.tables import paragraph
from afterglow.text.clip import clip
from afterglow.text.numbers import count, number

MAX_LINE_CHARACTERS = 300  # of a lesson: its remedy is never cut
MAX_WHAT_CHARACTERS = 80

# What became of answers, as it is told: what sessions will be told first.
HEADINGS = {
    "active": "Written, and told from now on",
    "candidate": "Written, and waiting",
    "refused": "Refused",
    "wrong": "Found wrong, and not told any more",
    "holds": "Known already, and right",
    "merge": "The same as another problem",
    "nothing": "Nothing to tell",
}
WITH_LINES = ("active", "candidate", "refused", "wrong")


def plan(outline: WritePlan) -> str:
    """What would be sent, in a few lines."""
    if not outline.problems:
        return f"Nothing would be sent: {outline.reason}."
    return "\n".join([*_size(outline), "", "--full prints every word of it."])


def every_word(outline: WritePlan) -> str:
    """What would be sent, to the letter."""
    if not outline.problems:
        return f"Nothing would be sent: {outline.reason}."
    lines = [*_size(outline), "", "─── with every question: the prompt"]
    lines.append(outline.messages[0][0].content)
    for at, messages in enumerate(outline.messages, 1):
        lines.append(f"─── question {at}")
        lines += [message.content for message in messages[1:]]
    return "\n".join(lines)


def _size(outline: WritePlan) -> list[str]:
    questions = count(len(outline.messages), "question")
    cost = "" if outline.cost is None else f", {outline.cost:.2f} in money"
    more = f" {outline.remaining} more wait." if outline.remaining else ""
    return [
        f"To {outline.by}, with the prompt {outline.prompt}: the dossiers of "
        f"{count(outline.problems, 'problem')} in {questions}, at most "
        f"{number(outline.input)} tokens in and {number(outline.output)} out{cost}.{more}"
    ]


def report(report: WriterReport) -> str:
    """What became of each answer, what it cost, and what to do next."""
    lines: list[str] = []
    for outcome, heading in HEADINGS.items():
        listed = [each for each in report.outcomes if each.outcome == outcome]
        if listed and outcome in WITH_LINES:
            lines += [f"{heading} ({len(listed)}):", *map(_line, listed), ""]
    rest = [
        f"{heading.lower()}: {report.counts[outcome]}"
        for outcome, heading in HEADINGS.items()
        if outcome not in WITH_LINES and outcome in report.counts
    ]
    if rest:
        lines += [f"{'; '.join(rest)[0].upper()}{'; '.join(rest)[1:]}.", ""]
    lines += [*_troubles(report), _summary(report)]
    return "\n".join(lines)


def handed_in(report: WriterReport) -> str:
    """What became of answers that nobody was asked for, and what to do next."""
    lines: list[str] = []
    for outcome, heading in HEADINGS.items():
        listed = [each for each in report.outcomes if each.outcome == outcome]
        if listed:
            lines += [f"{heading}:", *map(_line, listed)]
    waiting = [each.item for each in report.outcomes if each.outcome == "candidate"]
    if waiting:
        lines.append(f"`afterglow knowledge approve {waiting[0]}` tells it at once.")
    return "\n".join(lines) or "There is no answer in it."


def _line(each: AnswerOutcome) -> str:
    body = each.line or clip(each.what, MAX_WHAT_CHARACTERS)
    name = f"{each.item} " if each.item else ""
    reason = f" ({each.reason})" if each.reason else ""
    return paragraph(f"{name}{body}{reason}", "  ")


def _troubles(report: WriterReport) -> list[str]:
    lines = []
    if report.failures:
        kinds = ", ".join(
            f"{number} {kind}" for kind, number in report.failures.items()
        )
        lines.append(f"Not answered: {kinds}.")
    if report.stopped:
        lines.append(f"Stopped early: {report.stopped}")
    return lines


def _summary(report: WriterReport) -> str:
    if not report.problems:
        return f"Nothing to ask: {report.reason or 'no problem waits'}."
    answered = (
        f"{report.by} answered {report.answered} of {count(report.problems, 'problem')}"
    )
    rest = f"; {report.remaining} still wait" if report.remaining else ""
    return f"{answered}, {_spent(report.spent)}{rest}."


def _spent(spent: Spent) -> str:
    usage = spent.usage
    about = "about " if usage.estimated else ""
    text = f"{about}{number(usage.input)} tokens in and {number(usage.output)} out"
    return text if not spent.cost else f"{text}, {spent.cost:.2f} in money"
