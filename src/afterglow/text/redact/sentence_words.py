"""Words that a sentence is made of, told from a value by grammar: `the password is required`, not `... is kestrel`.

Little words are a closed class and stand in a list; what a sentence says *of* a password (`expired`, `invalid`, `stored`)
is known by how such words end, and by the few verbs and adjectives that end otherwise.
"""

from __future__ import annotations

import re

# Articles, pronouns, prepositions, conjunctions, adverbs, auxiliaries, answers.
LITTLE_WORDS = frozenset(
    "a an the this that these those it its their our your my his her one ones some any each every no not never none"
    " all both either neither and or but nor so if then else when while where which who whose what why how because"
    " since unless until though for from to into onto in on at by of off with without within under over via per as"
    " than before after during between against about like only just also too very more most less least still yet"
    " already again always often now here there once twice maybe perhaps instead first last next same such else be"
    " is are was were been being has have had do does did can could may might must shall should will would please"
    " sure yes ok okay we you they he she i me us them out up down back away well soon later today ever even much"
    " many few several other others another own itself himself themselves oder und nicht kein ein eine der die das".split()
)
# What is said of a password in words that end like any other: irregular participles, short adjectives, and what
# stands for a value of that kind.
SAID_OF_IT = frozenset(
    "set unset sent kept held lost met put read built bought brought caught dealt felt found got hid hidden hit hurt"
    " broken chosen driven fallen forgotten frozen given gotten proven stolen taken written red"
    " known laid led left let made meant paid reset run said sold shown shut spent split stuck taught told thrown"
    " wrong right bad good old new short long weak strong empty full blank null nil void safe unsafe secure insecure"
    " plain clear free open public private fresh stale dead alive live gone done fine true false correct incorrect"
    " exact equal unique same different absent present ready due null default common enough easy hard big small large"
    " rare secret simple obvious global local random dummy fake real raw base64 utf8 ascii hex json jwt uuid"
    " string text type word number integer boolean bytes object list array char characters chars digits letters"
    " flag option options argument arguments arg parameter param params switch field value values variable input"
    " output header headers file files path prompt support auth login user users username account form page page"
    " hash hashing salt policy manager reset change rotation expiry strength length check error failure mismatch"
    " works work fails fail exists exist matches match expires expire needs need means looks look comes come goes go"
    " requires require expects expect takes take accepts accept"
    " gets get uses use contains contain stays stay falsch leer".split()
)
_ENDINGS = re.compile(
    r"(?:ed|ing|ly|able|ible|ive|ous|ful|less|ial|ual|nal|ical|ent|ant|ary|ory|tion|sion|ment|ness|ity|valid"
    r"|lich|isch|iert|atoire|ecte|ecto|ecta|ada|ado|ida|ido|toria|torio|ee)s?$"
)
SHORTEST_WITH_ENDING = 5  # letters; below that an ending says nothing


def is_sentence_word(word: str) -> bool:
    """Whether a word, or the last of several joined by a hyphen, is one that a sentence goes on with."""
    last = word.lower().strip("'’").rsplit("-", 1)[-1]
    bare = last.split("'")[0].split("’")[0]
    if not bare.isalpha():
        return not bare
    if bare in LITTLE_WORDS or bare in SAID_OF_IT:
        return True
    return len(bare) >= SHORTEST_WITH_ENDING and bool(_ENDINGS.search(bare))
