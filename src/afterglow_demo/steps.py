"""Ordinary work: the calls that teach nothing in particular, with their ordinary failures.

A call fails with probability `FAILURE`, the same for every tool, every place in a session and every length of it: the
simulation makes no claim about when agents err. Planted problems come on top.
"""

from __future__ import annotations

from msgspec.structs import replace

from afterglow_demo.filler import quote
from afterglow_demo.lessons import works
from afterglow_demo.story import Act, Story
from afterglow_demo.world import NOUNS

FAILURE = 0.035
RETRY = 0.6  # of ordinary failures are tried again at once, and then work
BATCH = 0.12  # of turns make several calls at once
SIBLING = 0.3  # of the calls behind a failed one in a batch are cancelled (Claude Code)
NO_MATCH, MASKED = (
    0.05,
    0.02,
)  # of shell commands: an exit code that is an answer; a failure hidden by a pipe

_WEIGHTS = {
    "code": {"shell": 62, "read": 15, "edit": 15, "search": 8},
    "file": {"read": 40, "edit": 30, "search": 15, "write": 5, "shell": 10},
    "research": {"web": 35, "fetch": 35, "read": 15, "shell": 15},
    "mixed": {
        "shell": 34,
        "read": 22,
        "edit": 14,
        "search": 10,
        "fetch": 10,
        "web": 10,
    },
}
_PLAIN = (
    "git status --short",
    "git diff --stat",
    "git log --oneline -5",
    "ls -la",
    "date -u",
)
_FAILURES = {
    "shell": "check of {noun} ended early: got 3, want 4",
    "read": "File does not exist.",
    "edit": "String to replace not found in file.",
    "search": "Path does not exist",
    "write": "File has not been read yet. Read it first before writing to it.",
    "fetch": "Request failed with status code 404",
    "web": "The search service is not available",
}


def work(story: Story) -> None:
    """One turn of ordinary work, and what its failures lead to."""
    rng = story.rng
    count = rng.choice((2, 2, 3)) if rng.random() < BATCH else 1
    acts = [_act(story) for _ in range(count)]
    for place, act in enumerate(acts):
        if rng.random() < FAILURE:
            acts[place] = _fail(story, act)
            if story.plan.agent == "claude-code":
                acts[place + 1 :] = [
                    _cancel(story, later) for later in acts[place + 1 :]
                ]
            break
    story.reply(*acts)
    for act in acts:
        if act.end == "failed" and rng.random() < RETRY:
            _again(story, act)


def _act(story: Story) -> Act:
    weights = _WEIGHTS[story.plan.task]
    verb = story.rng.choices(tuple(weights), tuple(weights.values()))[0]
    return make(story, verb)


def make(story: Story, verb: str) -> Act:
    """A call of this kind that works."""
    rng, repo = story.rng, story.plan.repo
    noun, file = (
        rng.choice(NOUNS),
        rng.choice(repo.files if repo else ("notes.md", "todo.txt")),
    )
    if verb == "shell":
        return _shell(story, noun)
    target = {
        "search": f"{noun}_{rng.choice(NOUNS)}",
        "fetch": f"https://docs.{noun}.invalid/{rng.randint(1, 40)}",
        "web": f"{noun} {rng.choice(NOUNS)} limits",
    }.get(verb, f"{story.plan.cwd}/{file}")
    kind = {"search": "listing", "web": "page", "fetch": "page"}.get(verb, "code")
    result = (
        quote(f"The file {target} has been updated.")
        if verb in {"edit", "write"}
        else story.result(kind)
    )
    detail = story.filler("code", 400) if verb in {"edit", "write"} else quote("")
    return Act(
        verb=verb, target=target, result=result, detail=detail, took=0.1 + rng.random()
    )


def _shell(story: Story, noun: str) -> Act:
    rng, repo = story.rng, story.plan.repo
    draw = rng.random()
    if draw < NO_MATCH and story.plan.agent in {"claude-code", "codex", "hermes"}:
        return Act(
            verb="shell", target=f"grep -rn {noun}_{rng.choice(NOUNS)} .", code=1
        )
    if repo is None or draw > 0.55:
        return story.shell(rng.choice(_PLAIN))
    command = rng.choice(repo.commands)
    if draw < NO_MATCH + MASKED and story.plan.agent in {"claude-code", "codex"}:
        return story.shell(
            f"{command} 2>&1 | tail -20",
            f"--- FAIL: Test{noun.title()} (0.00s)",
            masked=True,
        )
    story.note(works(repo, command))
    return story.shell(command, f"{noun}: all checks passed")


def _fail(story: Story, act: Act) -> Act:
    text = _FAILURES[act.verb].format(noun=story.rng.choice(NOUNS))
    if act.verb == "shell":
        return story.shell(act.target.split(" 2>&1")[0], text, code=2)
    return replace(act, result=quote(text), end="failed")


def _cancel(story: Story, act: Act) -> Act:
    return (
        replace(act, end="cancelled", code=0, masked=False)
        if story.rng.random() < SIBLING
        else act
    )


def _again(story: Story, act: Act) -> None:
    """Look, put it right, and do the same again."""
    story.reply(make(story, "edit" if act.verb == "shell" else "read"))
    if act.verb == "shell":
        story.reply(story.shell(act.target, "all checks passed"))
    else:
        story.reply(make(story, act.verb))
