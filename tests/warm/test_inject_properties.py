"""Whatever is in a template and whatever was said before: the list is valid, within budget, and the input unchanged."""

import json
from copy import deepcopy

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterglow.context.render import MARK
from afterglow.records.template import (
    ContextMarkers,
    RecoveryPattern,
    SessionSeed,
    ToolCallExample,
    UserPatterns,
    WarmTemplate,
)
from afterglow.text import tokens
from afterglow.warm.inject import WarmSessionBootstrapper, check

characters = st.characters(
    codec=None, exclude_categories=()
)  # all of them: controls and half characters too
odd = st.text(characters, max_size=30)
texts = odd | st.sampled_from(
    [
        "",
        " ",
        "\n",
        "go test ./tide",
        "\x00json:{}",
        "\x1b[31mred",
        "ag-0123456789",
        "\ud83d",
    ]
)
long = texts | st.builds(lambda text, n: text * n, texts, st.integers(1, 3000))
some = st.lists(texts, max_size=12).map(tuple)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.dictionaries(texts, inner),
    max_leaves=5,
)
written = (
    st.dictionaries(texts, values, max_size=4).map(json.dumps) | texts | st.just("{}")
)
names = (
    st.sampled_from(
        [
            "Bash",
            "terminal",
            "mcp__files__read",
            "container.exec",
            "a b",
            "n" * 65,
            "n" * 129,
        ]
    )
    | texts
)
calls = st.builds(
    ToolCallExample,
    tool_name=names,
    arguments=written,
    result=long,
    success=st.booleans(),
    support=st.integers(0, 9),
)
seeds = st.builds(
    SessionSeed,
    system_context=long,
    tool_examples=st.lists(calls, max_size=25).map(tuple),
    recovery_patterns=st.lists(
        st.builds(RecoveryPattern, texts, long, tool=names), max_size=12
    ).map(tuple),
    user_patterns=st.builds(UserPatterns, texts, texts, texts, some, some),
    context_markers=st.builds(ContextMarkers, some, some, some, some),
)
templates = st.builds(
    WarmTemplate, id=texts, name=long, seed=seeds, repo=texts, approved=st.just(True)
)
sayable = st.text(min_size=1, max_size=20).filter(
    str.strip
)  # no half characters: these were sent once
messages = texts.filter(str.strip)
targets = st.none() | st.sets(names, max_size=3)
budgets = st.integers(-1, 400) | st.just(3000)

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "Bash", "arguments": "{}"},
}
DONE = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": ""},
]
BLOCKS = [
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": ""}],
    },
]


@st.composite
def conversations(draw, format):
    """A valid one, of any length, that may end with anybody's turn."""
    said = [
        {"role": "system", "content": draw(sayable)}
        for _ in range(draw(st.integers(0, 2)))
    ]
    for n in range(draw(st.integers(0, 3))):
        said.append({"role": "user", "content": draw(sayable)})
        if n == 0 and draw(st.booleans()):
            said += deepcopy(BLOCKS if format == "anthropic" else DONE)
        said.append({"role": "assistant", "content": draw(sayable)})
    if draw(st.booleans()):
        said.append({"role": "user", "content": draw(sayable)})
    return said


def holds(format, template, message, so_far, tools, budget, count):
    before = deepcopy(so_far)
    got = WarmSessionBootstrapper(budget=budget, count=count).bootstrap(
        template, message, messages=so_far, tools=tools, format=format
    )
    assert so_far == before
    assert check(got.messages, format, got.system) == []
    assert got.tokens <= max(budget, 0)
    everything = json.dumps([got.messages, got.system])
    assert bool(got.id) == (got.tokens > 0)
    assert not got.id or got.id in MARK.findall(everything)
    shown = everything.count(f'"{got.id}-') // 2 if got.id else 0
    left = sum(" call " in one for one in got.left_out)
    assert shown <= len(template.seed.tool_examples) <= shown + left
    if got.session:
        assert got.session["messages"] == got.messages[:-1]


thorough = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@thorough
@given(templates, messages, conversations("openai"), targets, budgets)
def test_whatever_goes_in_an_openai_list_is_valid(
    template, message, so_far, tools, budget
):
    holds("openai", template, message, so_far, tools, budget, tokens.count)


@thorough
@given(templates, messages, conversations("anthropic"), targets, budgets)
def test_whatever_goes_in_an_anthropic_list_is_valid(
    template, message, so_far, tools, budget
):
    holds("anthropic", template, message, so_far, tools, budget, tokens.count)


@thorough
@given(templates, messages, conversations("hermes"), targets, budgets)
def test_whatever_goes_in_a_hermes_session_is_valid(
    template, message, so_far, tools, budget
):
    holds("hermes", template, message, so_far, tools, budget, tokens.count)


@thorough
@given(
    templates, st.sampled_from(["openai", "anthropic", "hermes"]), st.integers(0, 2000)
)
def test_the_budget_holds_for_any_counter(template, format, budget):
    holds(format, template, "go", [], None, budget, len)
