"""Which lines of an output claim that something went wrong.

Nothing here knows a project or a tool. What counts as a claim is the way programs talk: `name: message`, a label such as
`error:`, an exception, a place and what is wrong there, a count, the messages of the system library. Whether a claim
means anything is not decided here: lines that good runs print too are taken out later, by `problems`.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import islice

from afterglow.harvest.events.claim_stems import lines_with_stems
from afterglow.records.problems import TellingLine
from afterglow.text.clip import uncoloured
from afterglow.text.fingerprint import is_noise, is_vague, reduced

# Characters at each end of an output that are read. What matters stands at an end in nearly all outputs; reading whole
# ones of failed runs finds it in the middle as well, and these are few.
MAX_END_CHARACTERS = 3_000
MAX_FAILED_CHARACTERS = 60_000
MAX_LINE_CHARACTERS = 400  # of a line that is a message and not a document
MAX_CLAIMS = 10  # of one output: the next dozen says the same about other files
MAX_KEY_CHARACTERS = 70  # of a reduced line: what follows are values

MAX_LINES_TO_DETAIL = 4  # below a line that ends in a colon, in which its details stand
MAX_LINES_SAID_FIRST = 2  # by a tool, before what it was given
MAX_DETAILS = 2  # lines below one that ends in a colon: the first say what is meant
LINE_END = "⏎"  # stands for the end of a line where a text is kept on one

MESSAGE, REPORT, WORD, PLAIN = 3, 2, 1, 0

# What the system library says, in small letters.
_SYSTEM = tuple(sorted({os.strerror(code).lower() for code in errno.errorcode}))
_LABEL = re.compile(
    r"(?:thread .{1,80} panicked at)|[^\w(]{0,4}(?:\[[\w:./ -]{1,40}\]\s*)?(?:[\w@./-]{1,40}:\s+|[a-z]{2,8} )?"
    r"(?:(?:fatal|panic|error|failed|failure|exception|aborted|ERR!)\s*(?:[:!\[]|$)|(?:ERROR|Error|FAIL|FAILED)\b(?![\w/.]*=))"
)
_EXCEPTION = re.compile(
    r"(?:Traceback \(most recent|\s?ERR_[A-Z_]{3,60}\b"
    r"|(?:[\w.]{0,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Panic)\b(?: \[\w+\])?(?::|$))"
)
_SHELL = re.compile(
    r"(?:\(eval\)|/?(?:usr/)?(?:bin/)?-?(?:ba|z|da|k|fi)?sh)(?:: line \d+|:\d+)?:"
)
# How a message of a shell, or of git, begins.
_SPEAKERS = ("fatal: ", "(eval)", "/", "-", "sh", "bash", "zsh", "dash", "ksh", "fish")
# How a sentence about a failure begins.
_ONSET = re.compile(
    r"(?:invalid|unknown|unable to|cannot|can't|could not|couldn't|failed to|missing|unexpected|unsupported|illegal)\b"
    r"|no (?:such )?\w+ (?:\w+ ){0,2}(?:found|reported|available|matching|matched|specified|provided)\b",
)
_PLACED = re.compile(
    r"(?:[ ]*-->\s*)?[\w@./\\-]{1,200}\.\w{1,6}(?::\d+(?::\d+)?:? |\(\d+,\d+\): )\S"
)
_LEVELLED = re.compile(r"\s+\d+:\d+\s+error\s+\S|(?:: | - )error\b[ :\[]")
_COUNT = re.compile(
    r"(?<![\w./#:-])[1-9]\d{0,5}\s+(?:[a-z]+\s+)?(?:errors?|fail(?:ed|ing|ures?)?|problems?|issues?)\b",
)
# What a program prints of its own flags, when it did not understand one.
_HELP_OF_FLAG = re.compile(r"\s*(?:-\w,? +)?--?\w[\w-]*(?:[ =][<\[\w|.>\]-]+)? {2,}\S")
_NO_ERRORS = re.compile(r"[(\s]0 errors?\b")  # `3 problems (0 errors, 3 warnings)`
_EXIT = re.compile(
    r"\bexit(?:ed)?(?: with)?(?:[ _]?code| status)?[\"']?\s?[:= ]\s?(?!0\b)\d{1,3}\b|\brc\s?=\s?[1-9]",
)
_HTTP = re.compile(
    r"\bhttp(?:/[\d.]+)? ?[45]\d\d\b|\bstatus(?: ?code)?\W{1,3}[45]\d\d\b",
)
_USAGE = re.compile(
    r"\b(?:unknown|unrecogni[sz]ed|invalid|unexpected|unsupported|illegal|no such|missing|ambiguous|accepts)\b.{0,24}"
    r"\b(?:flag|option|argument|arg\(s\)|command|subcommand|field|parameter|shorthand|value|key|script)\b",
)
_FAILED = re.compile(
    r"! \[(?:remote )?rejected\]|[-=✗✖×❌]{0,4}\s*(?:FAIL(?:ED)?|✗|✖|×|❌)(?=[\s:(]|$)"
)
_NOTHING = re.compile(
    r"\W{0,3}(?:no|0|zero) (?:\w+ )?(?:tests?|specs?|suites?|examples?)\b",
    re.IGNORECASE,
)
_WORDS = re.compile(  # not as parts of names: `gix-error`
    r"(?<![\w./-])(?:errors?|fail(?:ed|s|ure)?|not found|cannot|can't|could not|couldn't|unable|undefined|denied"
    r"|refused|invalid"
    r"|unknown|unexpected|missing|timed out|conflicts?|not permitted|does not|doesn't|did not|rejected|must|forbidden"
    r"|unauthorized|not supported|no such|nothing to)(?![\w/-]|\.\w)",
)
_DENIED = re.compile(
    r"\b(?:0|no|without|zero) (?:\w+ ){0,2}(?:errors?|failures?|failed|problems?|issues?)\b",
)
# Where a thread ended: why, the next line says.
_PANIC = re.compile(r"thread .{1,120} panicked at \S+:$")
# What the runner of tests, builds or tasks says at the end: that one failed, not which test or why.
_VERDICT = re.compile(
    r"(?:--- |\W{0,3})?FAIL(?:ED|URE)?\W*$|FAIL\s+[\w./@-]+\s+(?:\[build failed\]|\(?\d[\d.]*m?s\)?)$"
    r"|error: failed to push some refs\b|test result: FAILED|make(?:\[\d+\])?: \*\*\*|(?:.{0,40}\berror: )?could not compile "
    r"|(?:.{0,40}\W)?(?:tests?|build|task|script|command|job|step|process|compilation|recipe|suite)s?"
    r"(?: [`\"'][^`\"'\n]{1,80}[`\"'])? (?:has |have )?(?:failed|exited|returned|terminated)\b"
)
_FAILED_TEST = re.compile(
    r"--- FAIL: \S|FAILED \S+::\S|test \S+ \.\.\. FAILED|(?:\d+\) )?[✗✖×●❌] \S|not ok \d+ "
)
# The name of the test that a line says has failed, as the runners of several languages write it.
_NAMED_TEST = re.compile(
    r"thread '(?P<thread>[\w:]+::\w+)' .{0,20}panicked|test (?P<test>\S+::\S+) \.\.\. FAILED"
    r"|(?P<rust>\w+(?:::\w+)+) --- FAILED|--- FAIL: (?P<go>\w\S+)|FAILED (?P<py>\S+::[\w.]+)"
    r"|\(fail\) (?P<bun>.+ > .+?)(?: \[[\d.]+\w+\])?$|(?:●|FAIL\s+\S+ >) (?P<js>.+ [›>] .+?)(?: \(?[\d.]+ ?m?s\)?)?$"
)
_CI_PREFIX = re.compile(
    r"^(?:\d{1,6}[-:](?=\d{4}-\d\d|[^\t\n]{0,100}\t))?"
    r"(?:[^\t\n]{0,100}\t[^\t\n]{0,100}\t)?\ufeff?(?:\d{4}-\d\d-\d\dT[\d:.]+Z )?(?:##\[error\])?"
)
# What stands before each line of a log of several jobs: the name of the job comes first.
_CI_JOB = re.compile(
    r"^(?:\d{1,6}[-:])?([^\t\n]{1,100})\t[^\t\n]{0,100}\t\ufeff?\d{4}-"
)
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:")
_CI_CHECK = re.compile(r"^([^\t\n]{1,100})\tfail\t")
_CARETS = re.compile(r"\^\[\[[\d;]*[A-Za-z]")  # a colour as logs write it
_TAG = re.compile(r"</?(?:tool_use_error|error|output|returncode|stderr|stdout)>")
_QUOTED = re.compile(r"'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|‘[^’\n]{1,80}’")
_NAMES = re.compile(r"<path>/[\w.-]+|\b[\w-]+\.[a-z]{1,5}\b|\b\w+(?:[A-Z]\w*){2,}\b")
_VARYING = re.compile(r"[^\s]*[*?/=<>\\][^\s]*")
_ASKED_OF_SYSTEM = re.compile(
    rf"^([\w.-]+:) .{{1,120}}?: ({'|'.join(_SYSTEM)})", re.IGNORECASE
)
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_EXCERPT = re.compile(
    r"\s*(?:\d+\s*)?\|"
)  # source that a compiler shows below a message


def says_something(text: str) -> bool:
    """Whether anything stands in an output beside how the call was run and that it ended."""
    lines = filter(None, (line.strip() for line in text[:2000].splitlines()))
    return any(not is_noise(line) for line in lines)


def ends_of(text: str, *, whole: bool = False) -> str:
    """The text of an output that is read."""
    limit = MAX_FAILED_CHARACTERS // 2 if whole else MAX_END_CHARACTERS
    if len(text) > 2 * limit:
        text = f"{text[:limit]}\n{text[-limit:]}"
    return uncoloured(text)


@lru_cache(maxsize=8192)
def strength_of(line: str) -> int:
    """How plainly a line says that something went wrong; see `TellingLine`."""
    small = line.lower()
    if _HELP_OF_FLAG.match(line):
        return PLAIN
    if _LABEL.match(line) or _EXCEPTION.match(line) or _SHELL.match(line):
        return WORD if _DENIED.search(small) else MESSAGE
    if _ONSET.match(small) or _is_of_system(small) or _USAGE.search(small):
        return MESSAGE
    if _is_report(line, small):
        return REPORT
    return WORD if _WORDS.search(small) and not _DENIED.search(small) else PLAIN


def _is_of_system(small: str) -> bool:
    """`x: No such file or directory`, `(Permission denied)`, `command not found: x`."""
    if "command not found" in small or "not found: " in small:
        return True
    if ":" not in small and "(" not in small:
        return False
    messages = filter(small.__contains__, _SYSTEM)
    places = ((small.find(words), words) for words in messages)
    return any(
        small[max(at - 2, 0) : at].strip()[-1:] in {":", "("}
        or small[at + len(words) :].startswith(": ")
        for at, words in places
    )


def _is_report(line: str, small: str) -> bool:
    if _NO_ERRORS.search(small):
        return False
    if _PLACED.match(line) or _LEVELLED.search(line) or _FAILED.match(line):
        return True
    if ("exit" in small or "rc" in small) and _EXIT.search(small):
        return True
    if ("http" in small or "status" in small) and _HTTP.search(small):
        return True
    return _COUNT.search(small) is not None and not _DENIED.search(small)


def says_nothing_was_checked(line: str) -> bool:
    """`No tests found`: a check that ended well because there was nothing to check."""
    return _NOTHING.match(line) is not None


def claims(text: str, program: str, least: int) -> list[TellingLine]:
    """The lines of an output that claim at least so much, each kind once, the plainest first."""
    by_hash: dict[int, TellingLine] = {}
    raw_lines = text.splitlines()
    may_hint = least < REPORT
    for place, raw in enumerate(raw_lines) if may_hint else lines_with_stems(raw_lines):
        line = _line(raw)
        if not line or (strength := strength_of(line)) < least:
            continue
        good = good_hash(program, line)
        if good not in by_hash:
            below = raw_lines[place + 1 : place + 1 + MAX_LINES_TO_DETAIL]
            whole = _with_details(line, below)
            by_hash[good] = TellingLine(whole, good, strength)
        if len(by_hash) >= 3 * MAX_CLAIMS:
            break
    return sorted(by_hash.values(), key=_plainness)[:MAX_CLAIMS]


def _with_details(line: str, below: list[str]) -> str:
    """A line that ends in a colon says what it means in the next ones."""
    if not line.endswith(":"):
        return line
    details = list(filter(None, map(_line, below)))
    is_list = [detail for detail in details[1:] if detail[:2] == details[0][:2]]
    details = [details[0], *is_list][:MAX_DETAILS] if details else []
    return "\n".join([line, *map(str.strip, details)])


def _plainness(claim: TellingLine) -> tuple[bool, bool, bool, int]:
    text = claim.text
    return _is_frame(text), is_verdict(text), is_summary(text), -claim.strength


def names_test(line: str) -> bool:
    """Whether a line names a test that failed."""
    return _FAILED_TEST.match(line.strip()) is not None


def failed_test(line: str) -> str:
    """The name of the test that failed by this line; empty where it names none."""
    match = _NAMED_TEST.match(line.strip())
    return next(filter(None, match.groups()), "").strip() if match else ""


@lru_cache(maxsize=8192)
def is_verdict(line: str) -> bool:
    """Says that tests, a build or a task failed, but neither which test nor why: `FAIL dock/lens [build failed]`."""
    text = line.strip()
    return names_check(text) or _VERDICT.match(text) is not None


@lru_cache(maxsize=8192)
def is_summary(line: str) -> bool:
    """Says that something failed, how much, or with which exit code, but not what: `ERROR task failed`, `2 issues:`."""
    return _is_frame(line) or not is_telling(coarse(line.strip()))


def _is_frame(line: str) -> bool:
    text = line.strip()
    small = text.lower()
    if is_vague(text) or _COUNT.search(small) or _EXIT.search(small):
        return True
    return text.startswith("Traceback (most recent") or _PANIC.match(text) is not None


def own_messages(text: str, programs: Collection[str]) -> list[TellingLine]:
    """Of an output that shows somebody's text, what the programs of the line say themselves: `ls: x: No such file`."""
    starts = tuple(f"{name}:" for name in programs if name)
    messages: dict[str, TellingLine] = {}
    beginnings = (*starts, *_SPEAKERS)
    spoken = (
        raw for raw in text.splitlines() if raw.lstrip("<").startswith(beginnings)
    )
    for line in filter(None, map(_line, spoken)):
        is_named = line.startswith(starts)
        is_of_git = line.startswith("fatal: ") and "git" in programs
        if (
            is_named
            or is_of_git
            or (_SHELL.match(line) and strength_of(line) == MESSAGE)
        ):
            messages.setdefault(coarse(line), TellingLine(line, 0, MESSAGE))
    return list(messages.values())[:MAX_CLAIMS]


def is_stamped(text: str) -> bool:
    """Whether lines begin with points in time, as those of a log do."""
    return _STAMP.search(text) is not None


def ci_claims(text: str) -> list[TellingLine]:
    """What a log or a list of checks from elsewhere says went wrong."""
    messages: dict[str, TellingLine] = {}
    checks: dict[str, TellingLine] = {}
    for raw in uncoloured(text).splitlines():
        if check := _CI_CHECK.match(raw):
            checks.setdefault(check[1], failed_check(check[1]))
            continue
        line = _CARETS.sub("", _CI_PREFIX.sub("", raw, count=1)).strip()
        if line and len(line) <= MAX_LINE_CHARACTERS and _is_ci_failure(line):
            messages.setdefault(coarse(line), TellingLine(line, 0, MESSAGE))
            if job := _CI_JOB.match(raw):
                checks.setdefault(job[1], failed_check(job[1]))
        if len(messages) + len(checks) >= 2 * MAX_CLAIMS:
            break
    reasons, failed = list(messages.values()), list(checks.values())
    return [*reasons[:1], *failed[:1], *reasons[1:], *failed[1:]][:MAX_CLAIMS]


def failed_check(name: str) -> TellingLine:
    """That a check failed: which one, but not why."""
    return TellingLine(f"{name}: fail", 0, REPORT)


def names_check(line: str) -> bool:
    """Whether a line says no more than that a check elsewhere failed."""
    return line.endswith(": fail")


def _is_ci_failure(line: str) -> bool:
    is_message = _LABEL.match(line) or _EXCEPTION.match(line) or _FAILED.match(line)
    return bool(is_message or _LEVELLED.search(line)) and not _DENIED.search(
        line.lower()
    )


def first_claim(text: str, program: str) -> list[TellingLine]:
    """What a tool says first: behind it often stands what it was given."""
    lines = list(_lines(text))
    telling = [line for line in lines if not is_summary(line)] or lines
    first = [line for line in telling if line in lines[:MAX_LINES_SAID_FIRST]]
    claim = next((line for line in first if strength_of(line) >= WORD), None)
    for line in [claim] if claim else telling[:1]:
        below = lines[lines.index(line) + 1 :][:MAX_LINES_TO_DETAIL]
        whole = _with_details(line, below)
        return [TellingLine(whole, good_hash(program, line), WORD)]
    return []


def plain_lines(text: str, program: str) -> list[TellingLine]:
    """Where nothing is claimed: the first and the last line that say something."""
    raw_lines = text.splitlines()
    first = islice(_lines_of(raw_lines), 1)
    last = islice(_lines_of(reversed(raw_lines)), 1)
    ends = dict.fromkeys([*first, *last])
    return [TellingLine(line, good_hash(program, line)) for line in ends]


def _lines(text: str) -> Iterator[str]:
    return _lines_of(text.splitlines())


def _lines_of(raw_lines: Iterable[str]) -> Iterator[str]:
    return filter(None, map(_line, raw_lines))


def _line(raw: str) -> str:
    """A line of an output as it is read; empty where it is too long, or says nothing."""
    if not 2 < len(raw) <= 2 * MAX_LINE_CHARACTERS:
        return ""
    line = _TAG.sub("", raw) if "<" in raw else raw
    line = _CARETS.sub("", line) if "^[" in line else line
    line = line.rstrip()
    if not 2 < len(line) <= MAX_LINE_CHARACTERS or not _LETTERS.search(line):
        return ""
    bare = line.strip()
    if is_noise(bare) or _EXCERPT.match(line):
        return ""
    return line if line.startswith("  ") else bare


def good_hash(program: str, line: str) -> int:
    """The same for a line of this program in another run; it cannot be read back."""
    words = f"{program}\0{coarse(line)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(words, digest_size=6).digest(), "big")


@lru_cache(maxsize=8192)
def coarse(line: str) -> str:
    """A line without anything that varies, not even names and quoted words."""
    text = _QUOTED.sub("<x>", reduced(line.strip()))
    if text.count(": ") > 1:
        text = _ASKED_OF_SYSTEM.sub(r"\1 <x>: \2", text)
    text = _VARYING.sub("<x>", _NAMES.sub("<x>", text).lower())
    return " ".join(text.split())[:MAX_KEY_CHARACTERS].strip()


def is_telling(key: str) -> bool:
    """Whether a reduced line still says something: two words that are no shapes."""
    words = _LETTERS.findall(re.sub(r"<\w+>", " ", key))
    return len(words) >= 2
