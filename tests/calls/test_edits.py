"""What calls changed in files, whatever the tool is called."""

from __future__ import annotations

import json

import pytest

from afterglow.calls import Edit, read

PATCH = "*** Begin Patch\n*** Update File: tide.go\n@@\n func rise() {\n-\tlow()\n+\thigh()\n }\n*** End Patch\n"
SHAPES = {
    "Edit": (
        {"file_path": "tide.go", "old_string": "low", "new_string": "high"},
        Edit("tide.go", "low", "high"),
    ),
    "edit": (
        {"path": "tide.go", "oldText": "low", "newText": "high"},
        Edit("tide.go", "low", "high"),
    ),
    "MultiEdit": (
        {
            "file_path": "tide.go",
            "edits": [{"old_string": "low", "new_string": "high"}],
        },
        Edit("tide.go", "low", "high"),
    ),
    "apply_patch": (
        {"input": PATCH},
        Edit("tide.go", "func rise() {\n\tlow()\n}", "func rise() {\n\thigh()\n}"),
    ),
}


@pytest.mark.parametrize("tool", SHAPES)
def test_old_and_new_text_are_read(tool):
    arguments, expected = SHAPES[tool]
    assert list(read(tool, json.dumps(arguments)).edits) == [expected]


def test_a_call_that_edits_nothing_has_no_edits():
    assert read("Read", '{"file_path": "tide.go"}').edits == ()
    assert read("Edit", "not json").edits == ()
