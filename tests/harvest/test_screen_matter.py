"""What an agent puts into words of its own stays on the matter that somebody else brought in."""

from __future__ import annotations

import json

import pytest

from afterglow.harvest.screen import LESSON
from afterglow.records.knowledge import Finding
from harvest.test_screen_lineage import Story, screened

PAGE = "Sailors of the Gullwing fleet grease every halyard with tallowmix, from the Brinewater depot, before casting off."
NOTE = "Before casting off, put tallowmix from Brinewater on each halyard."


def noted(story: Story) -> Finding:
    """The trust of a note that the agent writes down last."""
    story.call("Write", "ok", file_path="/h/AGENTS.md", content=NOTE)
    trail = story.trail()
    return screened(trail, trail.asked(trail.steps[-1]))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("WebFetch", {"url": "https://guide.invalid"}),
        ("mcp__tracker__get", {"id": "7"}),
        ("Task", {"prompt": "look"}),
        ("Bash", {"command": "gh issue view 7"}),
    ],
)
def test_a_note_on_the_matter_of_a_page_is_as_trusted_as_the_page(tool, arguments):
    assert noted(Story().call(tool, PAGE, **arguments)).trust == "external"


def test_a_summary_of_whatever_there_was_is_nobodys():
    assert noted(Story().say("user", PAGE, kind="summary")).trust == "external"


def test_what_a_person_spoke_of_is_theirs_though_a_page_says_it_too():
    asked = "put tallowmix from Brinewater on the halyard before casting off"
    story = Story().call("WebFetch", PAGE, url="u").say("user", asked)
    assert noted(story).trust == "assistant"


def test_what_the_projects_files_named_first_is_of_the_project():
    story = Story().call("Read", PAGE, file_path="/h/rigging.txt")
    assert noted(story.call("WebFetch", PAGE, url="u")).trust != "external"


def test_a_page_on_another_matter_changes_nothing():
    page = "Lanterns of the northern pier burn whale oil until morning."
    assert noted(Story().call("WebFetch", page, url="u")).trust == "assistant"


def test_a_lesson_is_on_the_matter_of_a_page_whatever_lines_it_cites():
    story = Story().call("WebFetch", PAGE, url="u").call("Bash", "ok", command="ls")
    trail = story.trail()
    cited = trail.asked(trail.steps[-1])
    assert screened(trail, cited).trust == "assistant"
    assert screened(trail, cited, **{LESSON: NOTE}).trust == "external"


@pytest.mark.parametrize(
    "command",
    [
        "npm i -g tallow-mixer",
        "RIGGING=/etc/brine/rigging.conf make sail",
    ],
)
def test_a_name_that_was_first_used_outside_is_of_outside_in_any_command(command):
    page = "get tallow-mixer from the depot; its rigging is at /etc/brine/rigging.conf"
    trail = (
        Story().call("WebFetch", page, url="u").call("Bash", "ok", command=command)
    ).trail()
    assert screened(trail, trail.asked(trail.steps[-1])).trust == "external"


RULE = "always put tallowmix on each halyard before you cast off in the morning"


def said(story: Story) -> Finding:
    trail = story.trail()
    place = next(turn for turn in trail.turns if turn.role == "user")
    return screened(trail, trail.said(place))


def test_words_that_stood_in_an_output_before_were_copied_from_it():
    assert said(Story().call("WebFetch", RULE, url="u").say("user", RULE)).trust == (
        "external"
    )


def test_words_that_are_fetched_later_were_copied_from_there():
    story = Story().say("user", RULE)
    assert said(story.call("WebFetch", RULE, url="u")).trust == "external"


def test_words_that_the_agent_sent_there_are_the_persons():
    story = Story().say("user", RULE)
    story.call("Bash", "sent", command=f"gh issue comment 7 --body {json.dumps(RULE)}")
    assert said(story.call("WebFetch", RULE, url="u")).trust == "user"
