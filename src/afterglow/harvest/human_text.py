"""Tells what somebody wrote from what a program says: a tool may print sentences that are not its own."""

from __future__ import annotations

import re

LONG = 14  # words from which a message would have to say something of machines
MACHINE = 7  # of so many words, one speaks of machines when a program is talking
LOOKED_AT = 600  # characters

_LABEL = re.compile(
    r"^\W*(?:(?:exit code|exit)\s+\d+\s+)?(?:[\w.*\[\]/-]+:\s+(?:\*{3}\s*)?){0,3}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CODE = re.compile(
    r"[/\\_=<>{}\[\]|@#$%^~]|::|\b\w+\.\w+\b|\w\(|\b[a-z]+[A-Z]|--\w|\w:\w|\b0x|`"
)
_TO_AGENTS = re.compile(
    r"\b(?:SYSTEM|ASSISTANT|DEVELOPER|ADMIN(?:ISTRATOR)?|OPERATOR)(?: \w+)?\s?:\s|[<\[](?i:system|assistant)[>\]]"
    r"|\b(?i:agents?|assistants?|ais?|llms?|bots?|claude|copilot|codex)"
    r" (?i:must|should|shall|may|can now|have to|need to|are to|is to|always|never)\b"
    r"|\b(?i:ignore|disregard|forget) (?i:all|any|the|your|previous|prior)\b"
)
_TERMS = frozenset(
    """abort aborted access account address agent api app application archive argument arguments array assertion
    assigned attempt attempted attempting auth authentication available backend base binary block boolean branch
    branches broken browser buffer bug build built byte bytes cache call called can't cannot case cast
    certificate changed changes channel char check checked checkout class cli client code column command
    commands commit commits compile compiled compiler complete component config configuration configure
    configured conflict conflicts connect connection connections container content copy core could couldn't
    create created current data database date default defined delete denied dependencies dependency deploy
    deprecated destination detected device diff directory disable disabled disk docker document does doesn't
    domain download driver duplicate edit editor element empty enable enabled endpoint engine entry environment
    error errors exceeded exception execute execution exist exists exit exited expected export extension failed
    failing fails failure fatal fetch field file filename files find flag flags folder format found function
    generate generated git group handle handler hash header help hint hook hooks host http https ignored import
    imported imports index init initialize input install installation installed instance integer interface
    internal invalid issue item job json kernel key keys label latest library limit line lines link linker lint
    linter list load loaded local locked log login logs loop machine main matches memory merge message method
    migration missing mode model modified module modules mount name namespace network nil node not null number
    object operation option options output package packages page parameter parameters parent parse parser passed
    password patch path permission permissions pipeline platform plugin pointer policy pool port process
    processes program project prompt property protocol provided provider proxy pull push query queue quota range
    rate read rebase record recursive redirect ref reference refs refused register registry reject rejected
    release remote remove request requested requests require required requires reset resolve resource response
    restart result results return returned returns revision role root rule run running runs runtime schema scope
    script search secret section server service session set settings setup shell size socket source spec
    specified stack stage staged stash status stderr stdin stdout stop stopped storage string subcommand support
    supported symbol sync syntax system table tag target task template terminal test tests text thread timed
    timeout timestamp token tokens tool tree type types unable undefined unexpected unexported uninitialized
    unknown unresolved unset unsupported unused update updated upload url usage use user username using utf
    valid validate validation value values variable variables version versions volume warning warnings workflow
    working workspace write zone""".split()
)


def is_term(word: str) -> bool:
    """Whether a small word is one that programs use."""
    return word in _TERMS


def speaks_to_agents(text: str) -> bool:
    """Whether a message takes on a role, or says what agents are to do: no program says that of its own."""
    return bool(_TO_AGENTS.search(text[:LOOKED_AT]))


def is_prose(text: str) -> bool:
    """Whether a program's output reads like somebody's sentences: long, without code, hardly a word of machines."""
    text = _LABEL.sub("", text[:LOOKED_AT])
    words = _WORD.findall(text.lower())
    if len(words) < LONG or len(_CODE.findall(text)) * MACHINE > len(words):
        return False
    return sum(word in _TERMS for word in words) * MACHINE < len(words) and sum(
        map(len, words)
    ) > 0.6 * len(text)
