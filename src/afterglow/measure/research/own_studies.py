"""What came of the user's own studies of the same question, beside what would have been in view."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from afterglow.records.profile_report import Rate
from afterglow.records.research import ResearchTable
from afterglow.text.numbers import percent


class StudyArm(Struct, frozen=True, kw_only=True):
    """One arm of a study: its runs that succeeded."""

    plan: str
    arm: str
    runs: Rate


def study_tables(arms: Sequence[StudyArm]) -> list[ResearchTable]:
    """None where no study asked the question."""
    if not arms:
        return []
    rows = tuple((f"{arm.plan}: {arm.arm}", arm.runs.n, arm.runs) for arm in arms)
    table = ResearchTable(
        title="In your own studies: runs that succeeded",
        heads=("study and arm", "runs", "succeeded"),
        rows=rows,
        about="By arm; intervals respect families of tasks. `experiment analyse` compares them.",
    )
    return [table]


def study_sentences(arms: Sequence[StudyArm]) -> list[str]:
    """What runs came to, by study."""
    sentences = []
    for plan in dict.fromkeys(arm.plan for arm in arms):
        shares = (
            f"{arm.arm} {percent(arm.runs.value)}" for arm in arms if arm.plan == plan
        )
        sentences.append(
            f"Runs that succeeded in your study {plan}: {', '.join(shares)}."
        )
    return sentences


def study_to_run(arms: Sequence[StudyArm], suggested_arms: str) -> str:
    """How to try it, where nobody has."""
    if arms:
        return ""
    return (
        f"No study of yours has asked this yet: `experiment new NAME --arms {suggested_arms}` plans one, `experiment run` "
        "runs it, and what came of it then stands beside these numbers."
    )
