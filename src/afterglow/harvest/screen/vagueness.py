"""Junk is worse than silence: a sentence must name something that somebody who was not there can find again."""

from __future__ import annotations

import re

SHORTEST = 12  # characters
WORDS = 3  # telling words that make up for a name

# A command, path, flag, identifier, setting, quoted message, status code, address, or a name inside the sentence.
_NAMED = re.compile(
    r"`[^`\n]*[A-Za-z][^`\n]{1,}`"
    r"|(?<![\w-])--?[A-Za-z][\w-]*"
    r"|(?<![\w/])(?:~|\.{0,2})/[\w.@-]+|\b[\w.@-]+/[\w.@/-]+"
    r"|\b[\w-]+\.(?!g\b|e\b)[A-Za-z][A-Za-z0-9]{0,9}\b"
    r"|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b\w+_\w+|\b\w+::\w+|\b\w+\(\)"
    r"|\b[A-Z][A-Z0-9]{1,}\b|\b\w+=\S|\b[A-Za-z]+\d[\w.]*|\b\d+\.\d+"
    r"|\b(?:[1-5]\d\d|exit (?:code )?\d+|port \d+)\b"
    r"|[\"“'‘][^\"”'’\n]{8,}[\"”'’]"
    r"|(?<=[a-z,;:)] )[A-Z][a-z]{2,}\b"
)
# Code that holds backticks stands between two; two with nothing between them are a hole in the sentence.
_DOUBLE_CODE = re.compile(r"(?<!`)``(?!`).+?(?<!`)``(?!`)")
_NO_CODE = re.compile(r"(?<!`)``(?!`)")
# What people say when nothing was learned: the whole remedy is to have another go.
_EMPTY = re.compile(
    r"\b(?:try|run|do) (?:it |this |that )?again\b|\bfix (?:it|the (?:errors?|issues?|problems?|bugs?|tests?"
    r"|code))\b(?!.*\b(?:by|with|using)\b)"
    r"|\b(?:it|this|that|everything) (?:now )?(?:works|worked|is fixed|was fixed|passes)\b|\bcheck (?:the |your "
    r")?(?:errors?|logs?|quoting|arguments|syntax|flags)\b"
    r"|\b(?:can|could|may|might) be an? (?:problem|issue)\b|\bbe careful\b|\bmake sure (?:it|everything|that it) "
    r"works\b|\bis buggy\b|\bneeds? valid \w+\b",
    re.IGNORECASE,
)
# Things of the craft that need no name of their own: "never push to main" says enough.
_CRAFT = re.compile(
    r"\b(?:commit|push|rebas|merg|branch|squash|test|lint|format|deploy|releas|publish|typ(?:e|es|ed|ing)\b|mock"
    r"|review|thread"
    r"|pull request|migrat|changelog|doc(?:s|umentation)\b|dependenc|flag|log(?:s|ging)?\b|comment|schema|cache"
    r"|secret|config"
    r"|fixture|snapshot|indent|tabs\b|import|interface|endpoint|database|staging|production)\w*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][a-z'-]{2,}")
_HOLLOW = frozenset(
    """about after again all also always and any are ask asked because been before being but can cannot change check
    code command commands could did does doesn't doing don't done each else error errors every everything fail failed
    failing fails file files first fix fixed fixes for from get gets give good got had has have here how into instead is
    isn't issue issues it's its just keep know last let's like look made make makes making may maybe more most must need
    needed needs never new next not nothing now off old one only other our out over please problem problems repo result
    run running runs same say see set should showed since some something sometimes still such sure take task than that
    the their them then there these they thing things this those time times tool tools too tries try trying unless until
    use used user uses using very was way were what when where which while who will with without work worked working
    works would wrong you your""".split()
)


def is_hollow(word: str) -> bool:
    """Whether a small word says nothing by itself."""
    return len(word) < WORDS or word in _HOLLOW


def vague(fact: str) -> str:
    """Why a sentence is of no use to somebody who was not there; empty when it names something."""
    if len(fact.strip()) < SHORTEST:
        return "too short to say anything"
    if _NO_CODE.search(_DOUBLE_CODE.sub("", fact)):
        return "names an empty command"
    names = set(_NAMED.findall(fact))
    telling = set(_WORD.findall(_NAMED.sub(" ", fact).lower())) - _HOLLOW
    if _EMPTY.search(fact) and len(names) + len(telling) < 2 * WORDS:
        return "its remedy is to try again"
    if names or len(telling) >= WORDS:
        return ""
    if _CRAFT.search(fact) and fact.count(" ") >= WORDS - 1:
        return ""
    return "names no command, path, setting, message or other thing"
