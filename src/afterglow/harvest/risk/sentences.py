"""What a sentence tells to do without a command: an act on an object, both by the table `words.toml`."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from afterglow.harvest.risk.kinds import SOFT, UNKNOWN, Kind, Risk
from afterglow.harvest.risk.told import NEGATION

# Words between an act and its object: "skip all of the slow integration tests".
MAX_BETWEEN = 5
# Words between a "not" and the act it turns round.
MAX_NEGATION_GAP = 3
MAX_SOFT_NEGATION_GAP = 7
MIN_WORDS_OF_A_LANGUAGE = 7  # fewer say nothing about theirs, unless their letters do

MIN_WORDS_OF_A_TELLING_NAME = 4  # `lint-and-test` is a task
MIN_WORDS_OF_A_LONG_NAME = 5  # that say something, whichever they are
_NAME = re.compile(r"(?<![\w/.-])[A-Za-z]\w*(?:[-_]\w+)+(?![\w/.-])")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_JOINED_NAME = re.compile(r"[A-Za-z]\w*(?:[-_:@=+]\w+)+")
# Names by their kind: constants, tools of a service, and numbers that a machine gave.
_NAMED_BY_KIND = re.compile(r"[A-Z0-9_]+|mcp__.*|[0-9a-f-]+")
# Small words that are said to somebody: `test_keys_are_sorted` states what is so, `you-must-not-test` does not.
_GRAMMAR = frozenset(
    "must shall never always please you your we our dont cannot only ever without this these those instead".split()
)

# These begin another thought: what stands behind them is not what is acted on.
_BARRIER = (
    "before|after|when|if|until|so|then|because|while|by|instead|as|that|which|unless|once|where|whose"
    "|bevor|wenn|avant|quand|antes|cuando|si|se"
)
# And these, where the object is a plain word: "remove it from the test".
_NARROW_BARRIER = _BARRIER + "|and|or|from|into|onto|of|in|on|under|und|et|y"
_COPULA = (
    r"(?:\W+(?:is|are|be|being|been|was|were|can|may|should|must|gets?|has|have|to|all|both|safely|simply|just|entirely"
    r"|completely|temporarily|also|ist|sind|wird|werden|kann|können|est|sont|peut|peuvent|es|son|puede|pueden)){0,4}\W+"
)
# An object is the last word of its group where none of these does not follow: a noun would make another of it.
_HEAD = (
    r"(?=\W*$|\W*[^\w\s-]|\W+(?:from|for|in|on|of|and|or|to|with|before|after|when|if|by|as|until|is|are|was|were|be|can|may"
    r"|should|must|off|entirely|altogether|completely|first|there|here|at|too|that|which|so|then|temporarily|now|out"
    r"|again|once|while|because|since|via|locally|here|instead|anyway|und|oder|für|im|in|et|ou|pour|dans|y|o|para|en"
    r"|e|per|nel|и|для|в|CODE)\b)"
)
_LAST = r"(?=\W*$|\W+(?:at all|any ?more|any longer|here|first|before|locally|again|to pass|now|yet)\b)"
_ADVERB = r"(?:\W+(?:ever|need|have|to|just|simply|be|even|actually|really|longer))*"
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SIGNS = ".,;:!?()[]\"'“”‘’"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# Letters, digits and capitals in one long word, or bytes written out.
_BLOB = re.compile(
    r"(?<![\w/.-])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{32,}={0,2}(?![\w/.-])"
    r"|(?:\\x[0-9a-f]{2}){4,}"
)
# Small words by which a language is known: of the languages that the table reads.
_READ = frozenset(
    """the a an to is in it of and or for with not use run on at as be by from this that are you then when if do does no
    before after first instead again only its there here will can may must should has have into out add set see use
    never always always make keep put give take get one all any each every than also too them they we our your
    der die das und ist nicht mit für ein eine den dem im zu auf oder wenn dann statt vor nach wird werden sich bei
    über unter aus von als auch nur noch wie so es er sie wir ihr man muss kann soll vom zum zur ab um durch ohne gegen
    le la les un une et est pas pour dans avec sur des du au ou si avant après ne que qui il faut
    el los las una y es no para en con por del al o que se antes después hay como lo su
    o os as um uma e é não para em com por do da no na ou que antes depois
    il lo gli uno è non per di che con del della prima dopo
    и в не на с для по из что как это или то если перед после""".split()
)
_LATIN_OR_CYRILLIC = re.compile(r"LATIN|CYRILLIC")
_SCRIPTS_READ = re.compile(r"LATIN|CYRILLIC|CJK|HIRAGANA|KATAKANA|HANGUL")


class _Row(Struct, frozen=True, forbid_unknown_fields=True):
    kind: Kind
    acts: str
    objects: str = ""
    negated: bool = False
    head: bool = False
    passive: bool = False
    passives: str = ""
    last: bool = False
    together: bool = False
    phrase: bool = False


class _Table(Struct):
    telling: list[_Row]


class _Telling(Struct, frozen=True):
    """A row as patterns: `acts` finds acts with their objects, `objects` what else must stand in the clause."""

    kind: Kind
    acts: re.Pattern[str]
    objects: re.Pattern[str] | None
    negated: bool


def risk_of_clause(text: str) -> Risk | None:
    """What one clause tells to do that is risky."""
    for row in _tellings():
        for match in row.acts.finditer(text):
            if row.objects is not None and not row.objects.search(text):
                continue
            if row.negated or not _is_told_against(text, match, row.kind):
                return Risk(row.kind, " ".join(match[0].split()))
    return None


def risk_of_form(text: str) -> Risk | None:
    """Text that is disguised, or written so that nobody here can read it."""
    if _INVISIBLE.search(text) or _BLOB.search(text) or _mixes_scripts(text):
        return Risk("disguised", text[:40])
    return None


def name_that_tells(code: str) -> str:
    """A name in some code that is a sentence: `tests-are-optional-here`. Paths are of the repository."""
    names: list[str] = _NAME.findall(code)
    for name in names:
        words = [word.casefold() for word in _PIECE.findall(name)]
        if len(words) >= MIN_WORDS_OF_A_TELLING_NAME and not _GRAMMAR.isdisjoint(words):
            return name
    return ""


def is_long_name(word: str) -> bool:
    """A name of so many words that it may say anything: `mysql-is-old-move-to-gulldb`. Paths are of the repository."""
    if _JOINED_NAME.fullmatch(word) is None or _NAMED_BY_KIND.fullmatch(word):
        return False
    return len(_PIECE.findall(word)) >= MIN_WORDS_OF_A_LONG_NAME


def is_readable(text: str) -> bool:
    """In one of the languages that the table is written in, as far as can be told."""
    tokens = (token.strip(_SIGNS) for token in text.split())
    words = [token for token in tokens if _LETTERS.fullmatch(token)]
    names = [unicodedata.name(word[0], "") for word in words]
    if not all(map(_SCRIPTS_READ.match, names)):
        return False
    lettered = [
        word
        for word, name in zip(words, names, strict=True)
        if _LATIN_OR_CYRILLIC.match(name)
    ]
    plain_words = [word for word in lettered if word.islower()]  # others are names
    if len(lettered) < len(words):
        return True
    is_foreign = any(not word.isascii() for word in plain_words)
    is_telling = len(plain_words) >= MIN_WORDS_OF_A_LANGUAGE or is_foreign
    read_words = {word.casefold() for word in lettered}
    return not is_telling or not _READ.isdisjoint(read_words)


def _mixes_scripts(text: str) -> bool:
    """Letters of two alphabets in one word: they look alike to a reader."""
    for word in _LETTERS.findall(text):
        if word.isascii():
            continue
        scripts = {
            unicodedata.name(letter, "").split(" ")[0]
            for letter in word
            if letter.isalpha()
        }
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "FULLWIDTH"}:
            return True
    return False


@cache
def _negated_before(gap: int) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{NEGATION})\b(?:\W+\w+){{0,{gap}}}\W*$", re.IGNORECASE)


@cache
def _not_against() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:not|never|\w+n['’]t)\W+(?:only|just|hesitate|forget|afraid|worry|mind)\b"
        r"|\bno (?:harm|problem|reason not|risk)\b",
        re.IGNORECASE,
    )


def _is_told_against(text: str, match: re.Match[str], kind: Kind) -> bool:
    before = text[: match.start()]
    if match[0].casefold().startswith("without"):  # "nothing is pushed without asking"
        return re.search(rf"(?i)\b(?:{NEGATION}|nothing|none)\b", before) is not None
    return _is_negated(before, kind)


def _is_negated(before: str, kind: Kind) -> bool:
    """The act is told against. Where little is at stake, one "not" is enough for two acts."""
    is_soft = kind in SOFT - UNKNOWN
    joints = "but|then|so" if is_soft else "and|but|then|so"
    segment = re.split(rf"(?i)\b(?:{joints})\b", before)[-1]
    if _not_against().search(segment):
        return False
    gap = MAX_SOFT_NEGATION_GAP if is_soft else MAX_NEGATION_GAP
    return _negated_before(gap).search(segment) is not None


@cache
def _tellings() -> tuple[_Telling, ...]:
    text = (files("afterglow.harvest.risk") / "words.toml").read_bytes()
    rows = msgspec.toml.decode(text, type=_Table).telling
    return tuple(map(_compiled, rows))


def _compiled(row: _Row) -> _Telling:
    acts, objects = _alternatives(row.acts), _alternatives(row.objects)
    if row.together:
        return _Telling(row.kind, _pattern(acts), _pattern(objects), False)
    if row.phrase:
        return _Telling(row.kind, _pattern(rf"(?<!\w)(?:{acts})(?!\w)"), None, False)
    head = _HEAD if row.head else r"(?!\w)"
    head = _LAST if row.last else head
    gap = _gap(_NARROW_BARRIER if row.head else _BARRIER)
    # Behind a sign a plain word is a part of a path or of a name: `types::tests`, `a.spec`.
    start = r"(?<![:./*@])" if row.head else ""
    forward = rf"\b(?:{acts})\b{gap}{start}(?:{objects}){head}"
    if row.negated:
        rule = rf"\b(?:{NEGATION})\b{_ADVERB}\W+{forward.removeprefix(chr(92) + 'b')}"
        return _Telling(row.kind, _pattern(rule), None, True)
    if not row.passive:
        return _Telling(row.kind, _pattern(forward), None, False)
    behind = row.passives or f"{acts}|off"
    backward = rf"\b(?:{objects}){_COPULA}(?:{behind})\b"
    return _Telling(row.kind, _pattern(f"{forward}|{backward}"), None, False)


def _gap(barrier: str) -> str:
    """Some words between an act and its object."""
    return rf"(?:\W+(?!(?:{barrier})\b)[\w'’/.-]+){{0,{MAX_BETWEEN}}}?\W+"


def _pattern(rule: str) -> re.Pattern[str]:
    return re.compile(rule, re.IGNORECASE)


def _alternatives(listed: str) -> str:
    """`a | b` without the spaces around what stands between alternatives."""
    return "|".join(part.strip() for part in re.split(r"\s\|\s", listed.strip()))
