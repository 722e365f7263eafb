"""What linters print, one test a way of printing it."""

from __future__ import annotations

import pytest

from afterglow.harvest.lint_lines import names_linter, read

PRINTED = {
    "golangci-lint": ("pkg/tide.go:12:3: error is not nil (line 10) but it returns nil (nilerr)", "nilerr", 12),
    "a check of a linter": ("pkg/tide.go:4:9: G306: Expect permissions to be 0600 or less (gosec)", "gosec G306", 4),
    "ruff": ("tide.py:1:8: F401 [*] `os` imported but unused", "F401", 1),
    "ruff in full": ("F401 [*] `os` imported but unused\n --> tide.py:1:8\n  |\n", "F401", 1),
    "mypy": ('tide.py:7: error: Argument 1 to "rise" has incompatible type "str"  [arg-type]', "arg-type", 7),
    "pylint": ("tide.py:3:0: W0611: Unused import os (unused-import)", "unused-import", 3),
    "eslint": ("/src/tide.ts\n  9:7  error  'boat' is never used  no-unused-vars\n", "no-unused-vars", 9),
    "oxlint": ("  x eslint(func-style): Expected an expression.\n    ,-[src/tide.ts:9:7]\n", "func-style", 9),
    "clippy": (
        "warning: unneeded `return` statement\n  --> src/tide.rs:5:5\n   |\n"
        "   = note: `#[warn(clippy::needless_return)]` on by default\n",
        "clippy::needless_return",
        5,
    ),
    "shellcheck": ("In tide.sh line 3:\necho $x\n     ^-- SC2086 (info): Double quote this.\n", "SC2086", 3),
    "tsc": ("src/tide.ts(8,2): error TS2345: Argument of type 'string' is not assignable.", "TS2345", 8),
    "rubocop": ("tide.rb:2:5: C: Style/StringLiterals: Prefer single-quoted strings.", "Style/StringLiterals", 2),
    "biome": ("./src/tide.ts:6:1 lint/style/useConst  FIXABLE\n\n  × Only assigned once.\n", "lint/style/useConst", 6),
}  # fmt: skip


@pytest.mark.parametrize(("text", "rule", "line"), PRINTED.values(), ids=PRINTED)
def test_the_rule_and_the_line_are_read(text, rule, line):
    (lint,) = read(text)
    assert (lint.rule, lint.line) == (rule, line)


def test_the_source_line_above_a_caret_is_kept():
    (lint,) = read("pkg/tide.go:12:3: returns nil (nilerr)\n\t\treturn nil\n\t\t^\n")
    assert lint.excerpt == "return nil"


def test_what_a_test_logs_is_no_report():
    text = "    tide_test.go:12: wrote the log (deletion-only)\n--- FAIL: TestTide (0.1s)\nok  pkg/tide 0.2s\n"
    assert list(read(text)) == []


@pytest.mark.parametrize(
    "line", ["ruff check .", "npm run check-types", "golangci-lint-fix", "go vet ./..."]
)
def test_a_line_names_its_linter_by_the_table_of_programs_or_by_a_task(line):
    assert names_linter(line)


@pytest.mark.parametrize(
    "line", ["pytest -q", "cat src/lint/tide.go", "git checkout main"]
)
def test_other_lines_name_no_linter(line):
    assert not names_linter(line)
