"""What runners say when no test ran, and when some did."""

from __future__ import annotations

import pytest

from afterglow.harvest.test_counts import ran_tests, says_no_tests


@pytest.mark.parametrize(
    "line",
    [
        "No tests found, exiting with code 0",
        "Error: No tests found.",
        "No test files found, exiting with code 1",
        "collected 0 items",
        "============ no tests ran in 0.02s ============",
        "Ran 0 tests across 58 files. [839.00ms]",
        "testing: warning: no tests to run",
        "0 specs",
    ],
)
def test_nothing_ran(line):
    assert says_no_tests(line)
    assert not ran_tests(line)


@pytest.mark.parametrize(
    "line",
    [
        "Tests:       26 passed, 26 total",
        "===== 1 failed, 3 passed in 0.12s =====",
        "Ran 12 tests in 0.004s",
        "  14 passing (32ms)",
        "test result: ok. 3 passed; 0 failed; 0 ignored",
        "--- FAIL: TestTide (0.00s)",
        "ok  \tharbor/pier\t0.31s",
        " 228 pass",
    ],
)
def test_something_ran(line):
    assert ran_tests(line)
    assert not says_no_tests(line)


@pytest.mark.parametrize(
    "line",
    [
        "no tests were harmed by the tide, the harbour master said",
        "we found no test that says so",
        "ok  \tharbor/pier\t0.31s [no tests to run]",
        "v1.2 tests/tide.py:14 passed",
        "0 passed; 0 failed",
    ],
)
def test_neither(line):
    assert not ran_tests(line)
