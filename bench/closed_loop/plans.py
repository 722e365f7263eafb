"""The studies of the loop, each written down before its first run: which arms, on which tasks of every family."""

from __future__ import annotations

from msgspec import Struct

OUTCOMES = ("success", "errors", "calls", "tokens")
MIN_EFFECT = 0.1  # of the share of tasks done: less would not be worth a context


class StudyPlan(Struct, frozen=True, kw_only=True):
    """`numbers` are the tasks of each family that it runs; those before are for learning. `every` fourth family, say,
    takes part, in their order, where there are many arms."""

    name: str
    arms: tuple[str, ...]
    numbers: tuple[int, ...]
    hypothesis: str
    every: int = 1

    def words(self, tasks: int) -> list[str]:
        """The command that writes it down."""
        options = {
            "--arms": ",".join(self.arms),
            "--unit": "task",
            "--design": "paired",
            "--outcomes": ",".join(OUTCOMES),
            "--min-effect": str(MIN_EFFECT),
            "--planned": str(tasks),
            "--hypothesis": self.hypothesis,
        }
        words = [word for option in options.items() for word in option]
        return ["experiment", "new", self.name, *words]


PLANS = (
    StudyPlan(
        name="moments",
        arms=("cold", "start", "failure", "both", "placebo"),
        numbers=(2,),
        hypothesis="Sessions that are told what earlier ones taught, at their start, after a failure or both, do more "
        "tasks than those that are told nothing; as much text without lessons does not help.",
    ),
    StudyPlan(
        name="forms",
        arms=("cold", "context", "template", "both", "placebo"),
        numbers=(3,),
        hypothesis="A context of lessons, a template of calls that worked, and the two together each help; which form "
        "helps more is open.",
    ),
    StudyPlan(
        name="parts",
        arms=(
            "cold",
            "template",
            "template:context",
            "template:examples",
            "template:patterns",
            "template:markers",
        ),
        numbers=(4,),
        every=4,
        hypothesis="Of a template, its context and its examples help; patterns and markers alone do not.",
    ),
    StudyPlan(
        name="sizes",
        arms=("cold", "template:100", "template:150", "template:300", "template"),
        numbers=(5,),
        every=4,
        hypothesis="A template of 300 tokens does as much as the whole one; one of 100 does less.",
    ),
)
