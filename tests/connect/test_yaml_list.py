"""One name in a YAML list, changed as text."""

import re

import pytest

from afterglow.connect.yaml_list import disabled, enabled, names
from afterglow.errors import Unsupported

SHAPES = {
    "nothing": ("", "plugins:\n  enabled:\n    - us\n"),
    "other keys": ("model: x\n", "model: x\nplugins:\n  enabled:\n    - us\n"),
    "no line end": ("model: x", "model: x\nplugins:\n  enabled:\n    - us\n"),
    "a list": (
        "plugins:\n  enabled:\n    - a  # mine\n  disabled: []\nz: 1\n",
        "plugins:\n  enabled:\n    - a  # mine\n    - us\n  disabled: []\nz: 1\n",
    ),
    "dashes at the key": (
        "plugins:\n  enabled:\n  - a\n  x: 1\n",
        "plugins:\n  enabled:\n  - a\n  - us\n  x: 1\n",
    ),
    "last line without end": (
        "plugins:\n  enabled:\n    - a",
        "plugins:\n  enabled:\n    - a\n    - us\n",
    ),
    "on one line": (
        "plugins:\n  enabled: [a, b]  # c\n",
        "plugins:\n  enabled: [a, b, us]  # c\n",
    ),
    "empty": ("plugins:\n  enabled: []\n", "plugins:\n  enabled: [us]\n"),
    "key without value": (
        "plugins:\n  enabled:\n  x: 1\n",
        "plugins:\n  enabled: [us]\n  x: 1\n",
    ),
    "null": ("plugins:\n  enabled: null\n", "plugins:\n  enabled: [us]\n"),
    "no list": (
        "plugins:\n    x: 1\n",
        "plugins:\n    enabled:\n      - us\n    x: 1\n",
    ),
    "braces": ("plugins: {enabled: [a]}\n", "plugins: {enabled: [a, us]}\n"),
    "braces without": (
        "plugins: {entries: {a: {b: false}}}\n",
        "plugins: {enabled: [us], entries: {a: {b: false}}}\n",
    ),
    "empty braces": ("plugins: {}  # none\n", "plugins: {enabled: [us]}  # none\n"),
    "no value": ("plugins:\nz: 1\n", "plugins: {enabled: [us]}\nz: 1\n"),
    "comments": (
        "# top\nplugins:\n  # which\n  enabled:\n    # list\n    - 'a'\n# end\nz: 1\n",
        "# top\nplugins:\n  # which\n  enabled:\n    # list\n    - 'a'\n    - us\n# end\nz: 1\n",
    ),
    "other line ends": (
        "plugins:\r\n  enabled:\r\n    - a\r\n",
        "plugins:\r\n  enabled:\r\n    - a\r\n    - us\r\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), SHAPES.values(), ids=SHAPES)
def test_the_name_is_added_and_all_else_stays(before, after):
    assert enabled(before, "us") == after
    assert enabled(after, "us") == after


@pytest.mark.parametrize(("before", "after"), SHAPES.values(), ids=SHAPES)
def test_the_name_can_be_taken_out_again(before, after):
    left = disabled(after, "us")
    assert "us" not in left.replace("\n", " ").split() and "us]" not in left
    assert disabled(left, "us") == left
    if re.search(r"[- \[']a\b", before) and "entries" not in before:
        assert left in (before, before + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "{plugins: {enabled: [a]}}\n",
        "plugins: &x\n  enabled: [a]\n",
        "plugins: *x\n",
        "plugins:\n  enabled: [a,\n    b]\n",
        "plugins:\n  enabled: *x\n",
        "plugins:\n  enabled:\n    a: 1\n",
        "plugins:\n\tenabled: [a]\n",
        "plugins:\n- a\n",
        "plugins: {}\nplugins: {}\n",
        "a: 1\n---\nb: 2\n",
        "plugins: {enabled: *x}\n",
        'plugins: {enabled: ["a"], note: "}{#"}\n',
    ],
)
def test_a_shape_that_is_not_understood_is_refused(text):
    with pytest.raises(Unsupported):
        enabled(text, "us")


def test_names_are_found_in_any_list():
    assert names(
        "plugins:\n  enabled: []\n  disabled:\n    - us # no\n", "disabled"
    ) == ("us",)
    assert names("x: 1\n", "disabled") == ()
