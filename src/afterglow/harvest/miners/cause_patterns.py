"""How a cause is stated, doubted, confirmed and objected to, and how a question is left open: in English, as data."""

from __future__ import annotations

import re

CAUSE = re.compile(
    r"(?:\broot cause(?: here)?(?:\*\*)?(?: (?:is|was)(?: that)?|:)"
    r"|\bthe (?:real |actual |underlying |main )?(?:problem|issue|bug|culprit|reason|cause) (?:is|was)(?: that)?"
    r"|\b(?:it )?turns out(?: that)?"
    r"|\bfound (?:it|the (?:issue|problem|bug|cause|culprit))[.!:,]"
    r"|\b(?:this|that|it|which) (?:fails|failed|happens|happened) because)(?:\*\*)?:?\s+(?P<what>[^\n]{15,400})",
    re.IGNORECASE,
)
CUT = re.compile(
    r"(?<=[\w)`\"'*])[.!](?=\s|$)|, so (?:it|this|that) (?:was|were)\b|\s[—-]{1,2}\s(?:let|i)\b|[.:] Let me\b",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^(?:\W*the (?:real |actual )?(?:problem|issue|bug|culprit|cause) (?:is|was)(?: that)?\s+|\W*indeed that\s+)",
    re.I,
)
FIXED = re.compile(
    r"\b(?:fixed|(?:fix|that|it|this) works|works now|pass(?:es)? now|resolved|solved)\b",
    re.I,
)
PAST = re.compile(r"\b(?:was|were|had)\b")
DOUBT = re.compile(
    r"\b(?:probably|likely|perhaps|maybe|might|may|could|seems?|seem|appears?|possibly|presumably|suspect|think|whether|"
    r"if|unclear|should|why|how|when i|theory|hypothesis)\b|\?",
    re.IGNORECASE,
)
# What only makes sense to someone who was there.
LOCAL = re.compile(
    r"\b(?:i|i'm|i've|i'd|my|me|we|we're|our|you|your|you're|let me|let's|lines? \d+|line numbers?|above|below|earlier|"
    r"previous(?:ly)?|now|new|current(?:ly)?|here|these|those|different|simpler?|same|twofold|clear|specific|quite|"
    r"both|import(?:s|ed)?|typo|unused|undefined|indent\w*|test (?:expects?|data|case)|or something|"
    r"tests? (?:are|is|was|were|expects?)|combination|following|two|three|one of)\b"
    r"|^\W*(?:in|on|at|with|when|where|finding|specifically|also|exactly|because)\b",
    re.IGNORECASE,
)
# An ordinary red run. Its cause is kept only where it says how something always behaves.
RED = re.compile(
    r"--- FAIL|=== (?:RUN|NAME)|_test\.\w+:\d|\btest_\w+|AssertionError|=== FAILURES|\bFAILED\b|\bassert |^lint: "
    r"|test\S* ERROR"
)
LASTING = re.compile(
    r"\b(?:needs?|requires?|must|only|by default|unless|until|without|ignores?|ignored|respects?|does(?:n't| not)|"
    r"cannot|can't|never|always|not (?:supported|installed|tracked|checked)|generated|absolute|reserved)\b",
    re.IGNORECASE,
)
IDENTIFIER = re.compile(
    r"`[^`\n]{2,80}`|\b\w+_\w+\b|\b[A-Za-z][a-z]+[A-Z]\w+\b|(?<!\w)--?[a-z][\w-]{2,}|\b[\w-]+/[\w./-]+"
    r"|\b[A-Z]{4,}\b|\b[\w-]+\.[a-z]{1,5}\b"
)
WORD = re.compile(r"[A-Za-z][\w.-]*\w|\d{3,}")
DULL = frozenset(
    "is in on it to of at by or an as be no so if do up "
    "the and that this with from for not are was were has have had been its it's into onto only also then than but all "
    "any can cannot does doesn't did didn't will would there their they which when where while because after before "
    "error errors failed fails fail failing exit code command file files test tests line output result issue problem "
    "cause reason bug fixed works work working run running runs use uses used using set sets go get make just still "
    "already missing wrong value name path string type function method call called calls package".split()
)
OBJECTION = re.compile(
    r"\W*(?:no\b|nope|wrong|that(?:'s| is) (?:not|wrong)|not (?:correct|true|right)|still (?:fails|broken|not))",
    re.I,
)
QUESTION = re.compile(
    r"(?:^|(?<=[.!?:]\s)|(?<=\n))((?:Should|Do|Does|Did|Is|Are|Was|What|Which|How|Where|Who|Can|Could|Will|Would|Has|"
    r"Have|Why|When)\b[^.!?\n]{25,250}\?)\s*$"
)
OWN = re.compile(
    r"\b(?:i|me|my|you|your|want|like|shall|prefer|proceed|continue|ready|anything|which (?:option|approach)|sound|"
    r"thoughts|next)\b",
    re.IGNORECASE,
)
