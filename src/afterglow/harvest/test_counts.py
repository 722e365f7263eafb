"""Whether the output of a test run says that tests ran, or that none did: the words that runners count with."""

from __future__ import annotations

import re

MAX_END_CHARACTERS = 4_000  # of a long output: a runner counts at its end

# `No tests found`, `collected 0 items`, `===== no tests ran in 0.1s =====`, `Ran 0 tests`.
_NONE = re.compile(
    r"\b(?:no|0|zero) (?:(?:matching|test) )?(?:tests?|specs?|suites?|examples?|items|files)\b"
    r"(?: (?:were|was|have been))?(?: (?:found|matche[ds]|collected|ran|run|executed|to run)\b|[\s.,!=]*(?:$|in \d))"
    r"|\b(?:collected|ran|found|running) (?:0|no|zero) (?:tests?|specs?|items|examples?)\b",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"(?<![\w./:-])[1-9]\d{0,6} (?:tests? )?"
    r"(?:passed|passing|pass|failed|failing|fail|ok|succeeded|tests?|specs?|examples?)\b"
    r"|^\s*--- (?:PASS|FAIL): |^ok\s+\S+\s+(?:[\d.]+m?s|\(cached\))(?!.*no tests to run)",
    re.IGNORECASE | re.MULTILINE,
)


def says_no_tests(line: str) -> bool:
    """Whether a line says that there was nothing to run."""
    return _NONE.search(line) is not None


def ran_tests(output: str) -> bool:
    """Whether an output counts tests that ran, whatever came of them."""
    return _SOME.search(output[-MAX_END_CHARACTERS:]) is not None
