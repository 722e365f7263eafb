"""How sentences that decide something are put: cues of stance, change, addition and doubt, and words that name nothing.

Closed classes of English only: what a sentence is about stands nowhere here.
"""

from __future__ import annotations

import re
from typing import Literal

Stance = Literal["do", "dont", "may", "neednt"]

CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"-{0,2}[\w@#~./\\][\w@#~./\\:+=%*'-]*|,")
NUMBER = re.compile(r"v?\d+(?:[.,]\d+)*[a-z%]{0,3}")
NAME = re.compile(r"(?<=[\w,;:] )[A-Z][A-Za-z]+")
PAIRED = re.compile(r"['\"“”]([^'\"“”]+)['\"“”](?=\W|$)")

# Nothing is laid down: a question, something still thought over, hearsay, the past, the moment.
QUESTION = re.compile(
    r"\?\s*$|^(?:does|did|is|are|was|were|has|can|could|would|should|shall|why|what|how|where|which|who|whose)\b"
    r"|^(?:do|have|when|will) (?:we|you|i|they|it|the)\b"
)
OPEN = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|probably|hopefully|suppose|imagine|wonder\w*|consider\w*|think\w*|thought"
    r"|someday|eventually|planning|plan to|hoping|hope to|what if|if we (?:ever|were|had|did)|would|could|let's see"
    r"|we'll|we will|going to|i'd|we'd|not sure|unsure|experiment\w*|tempted|propos\w+|suggest\w*|discuss\w*)\b"
)
HEARSAY = re.compile(
    r"\b(?:said|says?|told|asked|claims?|according to|heard|read that|used to|(?:was|were) (?:using|used))\b"
)
MOMENT = re.compile(
    r"\b(?:today|tonight|temporar\w+|(?:just |only )?this (?:once|time|week|morning|afternoon|evening|branch|pr|release"
    r"|sprint|commit|ticket|task|file|one)|just once|for (?:now|the moment|the time being|this|today)|in the meantime"
    r"|while i'm|until further)\b"
)
FOR_GOOD = re.compile(r"\b(?:from now on|going forward|henceforth)\b")
LASTS = re.compile(
    r"\b(?:from now on|going forward|henceforth|again|any ?more|no longer|always|never|remember|rule)\b"
)

CHANGES = re.compile(
    r"\b(?:from now on|going forward|henceforth|as of|starting (?:now|today|with|on)|these days|now|no longer|any ?more"
    r"|again|instead|back (?:to|on)|moved|switched|migrated|changed|replaced|renamed|reverted|new (?:rule|policy)"
    r"|change of plans?|scratch that|stop(?:ped)?|dropped|retired|got rid of|gone|deprecated)\b"
)
ADDS = re.compile(
    r"\b(?:also|too(?! \w)|as well|additionally|in addition|besides|plus|on top|another|both|alongside|either)\b"
)

CUE = re.compile(
    r"(?:,? )?\b(?:from now on|going forward|henceforth|these days|as of \w+|starting (?:now|today|on \w+))\b"
)
# A whole sentence behind a comma, where what stands before it is one too; and one in front of what is ordered.
ORDER_BEHIND = re.compile(
    r"^(?:we|i|they|it)\b(?:(?!\b(?:never|don't|do not|no longer)\b)[^,])+, (?:so |and |now )*"
    r"(?=(?:always|never|please|use|don't|do not) \w)"
)
ASIDE = re.compile(
    r",\s*(?:and |but )?(?:(?:we|i|they|you|it|he|she)\b|(?:\S+ ){1,3}(?:is|are|was|were|has|have"
    r"|will|does|doesn't|can't|isn't|aren't)\b).*$"
)
OPENS_WITH_PLACE = re.compile(
    r"(?:in|on|at|for|with|when\w*|if|unless|while|before|after|during|once)\b"
)
LEAD = re.compile(
    r"^(?:(?:from now on|going forward|henceforth|starting (?:now|today)|as of (?:now|today)|these days|remember"
    r"(?: that| to| also)?|please|actually|note(?: that)?|(?:new )?(?:rule|policy)|reminder|decision|change of plans?"
    r"|scratch that|correction|we(?:'ve| have)? (?:decided|agreed)(?: to| that)?|(?:let's )?(?:go|revert|return|switch)"
    r" (?:back )?to(?= \w+ing\b)|i(?:'ve| have)? decided(?: to| that)?|we (?:changed|reverted) (?:it|that|this)|no,|ok"
    r"|instead|make sure (?:to|that)|be sure to)(?!\w)[\s,:;-]*)+"
)
REASON = re.compile(
    r"\s*(?:\b(?:because|since|as otherwise|otherwise|so that|so you)\b|[;(]|\s[-–—]\s|,\s*(?:so|as|it|they|that|this"
    r"|which|we turned|and (?:it|that|this|they))\b).*$|^now that [^,]*,",
    re.DOTALL,
)

# How each stance is put, the most telling first; the words of it are no part of what it is about.
NEEDNT = re.compile(
    r"\b(?:(?:there(?:'s| is) )?no (?:longer (?:any )?)?need (?:to|for)|(?:you|we) (?:no longer|don't|do not) "
    r"(?:have|need) to|(?:you|we) needn't|(?:is|are) (?:not|no longer) (?:required|necessary|needed|mandatory)"
    r"|(?:isn't|aren't) (?:required|necessary|needed|mandatory)|(?:is|are) optional)\b"
)
MAY = re.compile(
    r"\b(?:(?:you|we|agents?|everyone) (?:may|can|are (?:allowed|free|welcome) to)(?! not\b)|feel free to"
    r"|(?:is|are|it's) (?:now )?(?:fine|ok|okay|allowed|permitted|all ?right)(?: now| again)?(?: to)?"
    r"|(?:is|are) no longer (?:forbidden|banned|off[- ]limits|prohibited)|(?:isn't|aren't) (?:forbidden|banned))\b"
)
DONT = re.compile(
    r"\b(?:never|don't|do not|dont|must not|mustn't|may not|can't|cannot|(?:is|are) (?:not allowed|forbidden|banned"
    r"|off[- ]limits|prohibited)|(?:isn't|aren't) allowed|avoid|stop(?:ped)?|no longer|no more|let's not|shouldn't"
    r"|should not|not to|got rid of|dropped|(?:is|are) gone)\b|^no (?=\w)"
)
LISTS = re.compile(r",? (?:or|and|nor)\b")
STANCES: tuple[tuple[Stance, re.Pattern[str]], ...] = (
    ("neednt", NEEDNT),
    ("may", MAY),
    ("dont", DONT),
)
# A move that has happened, by whom or just so; one that is ordered is the work at hand.
MOVE = (
    r"(?:^|\b(?:we|i|they|team|project|everything|we've|i've|they've|have|has|was|were|been|just|finally|already"
    r"|recently|all|also) )(?:\w+ly )?(?:moved|switched|migrated|changed|went|gone|converted)"
    r"(?: (?:over|back|away|everything|it|fully|completely|entirely))*"
)
FROM_TO = re.compile(rf"{MOVE}( .+?)? from (.+?) (?:over |back )?to (.+)$")
TO_FROM = re.compile(rf"{MOVE} to (.+?) from (.+)$")
MOVED_TO = re.compile(rf"{MOVE} (?:on)?to (.+)$")
REPLACED = re.compile(r"\b(?:replaced|swapped) (.+?) (?:with|by|for) (.+)$")
RENAMED = re.compile(
    r"\brenamed (.+?) to (.+)$|^(.+?) (?:is|was|has been|got) (?:now )?(?:renamed to|replaced (?:by|with)) (.+)$"
    r"|^(\S+) (?:is|was) now called (.+)$"
)
GONE = re.compile(
    r"^(.+?) (?:is|are) (?:gone|deprecated|dead|obsolete|retired|history)\b[,;:.]? (?:so |please )*(?:use|go with) (.+)$"
    r"|^(?:forget|drop|ditch|scrap) (.+?),? (?:and |please )*use (.+)$"
)
LIFTED = re.compile(
    r"\b(?:ban|freeze|block|restriction|embargo) (?:on|of|against|for) (.+?) (?:is|was|has been) (?:lifted|over|off|gone)\b"
)
DONT_BUT = re.compile(
    r"^(?:we |please )?(?:don't|do not|never|stop|no longer) (.+?)(?: any ?more)?(?:,| but) (?:instead |please |just )?(.+)$"
)
NOT = re.compile(
    r",? (?:and |but )?(?:not|instead of|rather than|in place of|over)(?: (?:from|to|in|on|at|with|the|a|an|via|under|into"
    r"|onto|by|as|port|use|using))* "
)
NEGATED = frozenset(  # what `not` belongs to, where it is no contrast
    "is are was were be do does did can may must should will would could has have or if".split()
)

CONDITION = frozenset(
    "when whenever if unless while before after until till once except during without outside apart per".split()
)
COPULAS = frozenset(
    "is are be lives live stays stay equals called named means goes go comes come belongs belong".split()
)
PREPOSITIONS = frozenset(
    "from to in on at into onto under with via through as by against for of off over inside between towards".split()
)
ANNOUNCED = re.compile(
    r"(?:new (?:rule|policy)|change of plans?|scratch that|as of \w+)\b"
)
NOW = re.compile(r"\b(?:now|these days)\b")
OF_A_THING = re.compile(r"(?:the|our|all|every) ")
OF_US = re.compile(r"we(?:'re| are|'ve)?\b")
LIGHT = frozenset("use uses using used prefer pick choose adopt".split())
# Words that stand in any sentence: they name nothing. The endings of time and emphasis are cues, not matters.
SMALL = frozenset(
    """a an the this that these those it its it's i we you they he she our your my their us me them one ones there here
    and or but so then than also too do does did doing done has have had having will shall should must may can let's
    let lets make sure please just really simply always ever every all any some still already currently now again
    anymore anyhow more longer today instead back rather not no yes ok want wants need needs like keep keeps stick
    sticking directly straight right away way well only we've we're you're i'd i'm been being was were
    come comes happen happens everything thing things everyone agents agent people person yet even though however
    go goes going get gets got use uses using used prefer pick choose take adopt""".split()
)
