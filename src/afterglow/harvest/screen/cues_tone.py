"""How an order gives itself away by its voice: it overrides, speaks to an AI, claims a rank, wants to stay hidden or
to be remembered.

No cue alone decides but the plainest. Programs and manuals speak in the imperative too ("please run", "you must"), so
an order needs a second mark.
"""

from __future__ import annotations

import re

from afterglow.harvest.screen.cue import Cue, cue

# Pieces. Gaps between words are short and bounded: cues must stay linear on any text.
_ORDERS = (
    r"(?:i\w{0,3}struct\w*|prompts?|rules?|guidelines?|directives?|directions?|commands?|orders?|polic(?:y|ies)"
    r"|context|restrictions?|programming|guardrails?|safeguards?|training)"
)
_EARLIER = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|original|initial|existing|system|your|former"
    r"|current|other)"
)
_MODELS = (
    r"(?:ai|a\.i\.|llms?|language models?|gpt(?:-?\d\w*)?|chat-?gpt|claude|copilot|gemini|codex|cursor|bard|llama"
    r"|mistral|grok|devin|hermes)"
)
_AGENTS = (
    rf"(?:{_MODELS}(?:[ -](?:coding )?(?:agents?|assistants?|models?|systems?|tools?|code|bots?|reviewers?))?"
    rf"|(?:coding|autonomous|automated|code review) (?:agents?|assistants?|bots?)|(?:virtual |automated |digital "
    rf")?assistants?|agents|(?:chat ?)?bots?)"
)
_PERSON = r"(?:users?|humans?|operators?|owners?|customers?|developers?|person|people|anyone|anybody|any one|them)"

VOICES: tuple[Cue, ...] = (
    cue(
        "overrides earlier instructions", 3,
        "ignor disregard forget overrid bypass discard neglect drop skip aside attention following follow obey "
        "listen adhere execute comply your the new instead rather you mode & struct prompt rule guideline directi "
        "command order polic context restrict programming guard training told know above before earlier previous "
        "task goal objective mission purpose role mode follow request question jailbr unrestrict developer dan "
        "free different",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|set aside|pay no attention to"
        rf"|stop following|do(?:n't| not) (?:follow|obey|listen "
        rf"to))\b.{{0,20}}?\b{_EARLIER}\b[^,.;:]{{0,30}}?\b{_ORDERS}\b",
        rf"\b(?:ignore|disregard|forget|override)\b.{{0,20}}?\b(?:all|any|every(?:thing)?|what"
        rf"|whatever)\b.{{0,30}}?\b(?:{_ORDERS}|(?:you (?:were|have been|are) told|you know|(?:said|told|stated"
        rf"|written)? ?(?:above|before|earlier|previously)))\b",
        r"ignore(?:all)?(?:your|the)?previous(?:instructions?|prompts?)?",
        r"\b(?:strictly |only |now )?(?:adhere to|follow|obey|execute|comply with)\b.{0,12}\b(?:the following"
        r"|these|this|my|new)\b.{0,20}\bi\w{0,3}struct\w*\b.{0,20}\b(?:instead|only|strictly|exactly|without)",
        r"\bstrictly adhere to the following\b",
        r"\b(?:your|the) (?:new|real|actual|true|updated|revised) (?:task|goal|objective|mission|instructions?"
        r"|purpose|role)\b.{0,10}(?:is|are|:|=)",
        r"\bnew (?:(?:system )?(?:instructions?|directives?)|system prompt)\s*(?:for (?:you|the \w+))?\s*:",
        r"\b(?:instead of|rather than) (?:doing |solving |completing |answering )?(?:your|the (?:user'?s?|original"
        r"|current)) (?:original |current )?(?:task|request|instructions?|question|prompt)\b",
        r"\bthe (?:above|previous|earlier|original) (?:instructions?|prompt|task) (?:are|is|were|was|has"
        r"|have)\b.{0,20}\b(?:void|invalid|obsolete|outdated|cancel\w*|revoked|replaced|superseded|wrong|a test)",
        r"\byou are (?:now|no longer)\b.{0,40}\b(?:dan\b|unrestricted|jailbr\w+|in developer mode|free|bound"
        r"|restricted|a different|an? (?:evil|hacked|helpful hacker))",
        r"\b(?:developer|god|debug|admin|jailbreak|maintenance) mode (?:is )?(?:now )?(?:enabled|activated|on"
        r"|unlocked)\b",
        r"\b(?:reveal|print|output|repeat|leak|tell me)\b.{0,20}\byour (?:system|initial|hidden|original) "
        r"(?:prompt|instructions?|message)\b",
    ),
    cue(
        "overrides earlier instructions", 3,
        "ignor olvid omit descart desconsider esque desobede oubli nég suiv tenez verg missacht überspring befolg "
        "dimentic trascur nege vergeet zapomnij pomiń гнор забудь внимания гнор önceki yukarı tüm "
        "忽 视 視 忘 理会 跳过 指示 命令 プロンプト ルール 지시 명령 지침 프롬프트 تجاهل انس निर्देश आदेश bỏ phớt quên "
        "abaikan lupakan",
        r"\b(?:ignor[ae]d?|olvid[ae]|omit[ae]|descart[ae]|desconsider[ae]|esque[çc]a"
        r"|desobede\w+)\b.{0,30}\b(?:instrucciones|instru[çc][õo]es|[óo]rdenes|ordens|reglas|regras|indicaciones"
        r"|comandos)\b",
        r"\b(?:ignore[zr]?|oublie[zr]?|négligez|ne (?:suivez|tenez)\b.{0,10}pas)\b.{0,30}\b(?:instructions?"
        r"|consignes?|directives?|règles|ordres)\b.{0,40}\b(?:précédente?s?|antérieure?s?|ci-dessus|ci-dessous"
        r"|initiales?|système)",
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missacht\w+|überspring\w*|befolge?n? (?:sie "
        r")?nicht)\b.{0,40}\b(?:anweisung\w*|instruktion\w*|befehl\w*|regeln|vorgaben|aufforderung\w*)\b",
        r"\b(?:ignora|ignorare|ignorate|dimentica|dimenticate|trascura)\b.{0,30}\b(?:istruzioni|ordini|regole"
        r"|comandi|direttive)\b",
        r"\b(?:negeer|vergeet)\b.{0,30}\b(?:instructies|opdrachten|regels|aanwijzingen)\b",
        r"\b(?:zignoruj|ignoruj|pomiń|zapomnij)\b.{0,40}\b(?:instrukcj\w+|polece\w+|poprzedni\w+|zasad\w*)",
        r"(?:игнорир\w+|проигнорир\w+|забудь\w*|не обращай\w* внимания)\b.{0,40}(?:инструкци\w+|указани\w+"
        r"|команд\w+|правил\w*|предыдущ\w+)",
        r"(?:ігнору\w+|забудь\w*)\b.{0,40}(?:інструкці\w+|вказів\w+|попередн\w+)",
        r"(?:önceki|yukarıdaki|tüm).{0,30}(?:talimat\w*|komut\w*|yönerge\w*).{0,30}(?:yok ?say|görmezden|unut"
        r"|dikkate alma)\w*",
        r"(?:忽略|无视|無視|忽視|忘记|忘記|不要理会|跳过).{0,12}(?:指令|指示|说明|說明|提示|规则|規則|要求|命令)",
        r"(?:以前|前|上記|これまで|先|すべて|全て).{0,8}(?:指示|命令|プロンプト|ルール).{0,6}(?:無視|忘れ|破棄)",
        r"(?:이전|위의?|앞의|모든).{0,12}(?:지시|명령|지침|프롬프트).{0,10}(?:무시|잊)",
        r"(?:تجاهل|انس[َى]?|إتجاهل).{0,25}(?:التعليمات|الأوامر|تعليمات|القواعد)",
        r"(?:पिछले|पहले|सभी|उपरोक्त).{0,25}(?:निर्देश\w*|आदेश\w*).{0,25}(?:अनदेखा|नज़रअंदाज़|भूल)",
        r"(?:bỏ qua|phớt lờ|quên).{0,25}(?:hướng dẫn|chỉ dẫn|lệnh|chỉ thị)",
        r"\b(?:abaikan|lupakan)\b.{0,25}\b(?:instruksi|perintah|petunjuk)\b",
    ),
    cue(
        "carries the tags of a chat format", 3,
        "<| [inst [/inst <sys <<sys <start <end_ <info </ <important <admin <user <instr <over <prio <hidden "
        "<secret <new system_ system prompt message instruction",
        r"<\|?(?:im_start|im_end|system|endoftext|start_header_id|eot_id|assistant|user)\|>",
        r"\[/?INST\]|<</?SYS>>|<start_of_turn>|<end_of_turn>",
        r"</?(?:INFORMATION|SYSTEM_?(?:MESSAGE|PROMPT|OVERRIDE|INSTRUCTIONS?)?|IMPORTANT(?:_\w+)?|ADMIN(?:_\w+)?"
        r"|(?:USER_?)?INSTRUCTIONS?|OVERRIDE|PRIORITY|(?:HIDDEN|SECRET|NEW)_?\w{0,20})\s*>",
        r"^[\s#*\[(<]*\(?system[_ ](?:message|prompt|override|instruction)s?\)?[\s\])>*]*(?::|\b)",
        r"#{2,}\s*\((?:system|admin|instruction)\w*\)",
        r"\b(?:begin|start|end) (?:of )?(?:system|admin|hidden|new) (?:prompt|message|instructions?)\b",
    ),
    cue("claims to be the system", 2, "system admin developer root operator",
        r"^[\s#*>\[(-]{0,6}(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|ROOT|OPERATOR)(?: (?:NOTE|NOTICE"
        r"|ALERT))?[\])]?\s*[:>-]\s*\S",
        r"[.!?;]\s+(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|OPERATOR):\s+\S",
        flags=re.NOFLAG,
    ),
    cue(
        "speaks to an AI", 2,
        "ai a.i. llm model gpt claude copilot gemini codex cursor bard llama mistral grok devin hermes agent "
        "assistant bot message notice request instruction asistente assistent ki ии ассистент "
        "人工智能 助手 模型 アシスタント ia & note notice message reminder memo address direct struct "
        "attention warn hint dear hey hello hear <!-- "
        "you any every all each hi : , ! avis hinweis nota примечание 致 给 對 对 へ",
        rf"\b(?:(?:notes?|notice|message|reminder|memo|p\.?s\.?|addressed|directed|info) (?:to|for)"
        rf"|(?:instructions?|attention"
        rf"|warning|hint) to|attention,?) (?:all |any |the |every |other |future |you,? )*{_AGENTS}\b",
        rf"\b(?:dear|hey|hello|hi|attention|hear)(?: there)?,? (?:the |all |any |to )*{_AGENTS}\b",
        rf"(?:^|[:.!]\s)[\s#*>/;%!-]*(?:<!--)?\s*(?:@|to )?(?:all )?{_AGENTS}\s*[:,!]\s*(?:please|you|always|never"
        rf"|remember"
        rf"|ignore|disregard|do|run|must|when|if|use|add|note|this is|the user|from now|make sure|be sure|don'?t"
        rf"|before|after|execute|send|read|visit|skip|stop)\b",
        rf"<!--\s*(?:to |for |note to |@)?(?:the |all |any )*{_AGENTS}\b",
        rf"\bif you(?:'re| are) (?:an? |the |any )*{_AGENTS}\b",
        rf"\b(?:as|you are|you're) an? (?:{_MODELS}\b|\w+ assistant\b)",
        rf"\b(?:any|every|all|each|whichever) {_AGENTS} (?:that |which |who |currently )?(?:reads?|reading"
        rf"|process\w*|see(?:s|ing)|pars\w+|visit\w*|summari\w+|working|must|should|shall|needs? to)\b",
        r"\bthis is an? (?:important|urgent|critical|official)? ?(?:message|notice|instruction|request) (?:from "
        r"(?:me|your|the (?:user|system|admin\w*|developer|owner))|to you|for you)\b",
        r"\b(?:remarque|note|avis) (?:aux|pour les|à l'attention des) (?:assistants|agents|ia\b|modèles)|\bhinweis "
        r"an (?:ki|alle ki|die ki|assistenten|agenten)|\bnota (?:para|a) (?:los |as |os |gli )?(?:asistentes"
        r"|assistentes|assistenti|agentes|agenti|ia\b|ias\b)|примечание для (?:ии|ассистент|модел)|(?:致|给|對"
        r"|对).{0,4}(?:ai|人工智能|助手|模型)|(?:ai|アシスタント).{0,6}(?:への|へ)",
    ),
    cue(
        "speaks to an AI", 2, "ai llm bot model assistant agent",
        r"^[\s#*>/;%!\[(-]*(?:AIs?|LLMs?|(?:AI |coding |autonomous )(?:agents?|assistants?|models?)|bots|language "
        r"models?)"
        r"[\])]?\s*[:,!]\s*\w",
        r"\b(?:for|to) (?:the |all |any )?(?:ai|llm|bot|machine|agent|model) (?:readers?|visitors?|crawlers?|eyes"
        r"|users?)\b",
        r"\bp\.?s\.? (?:to|for) (?:the |any |all )?(?:models?|agents?|assistants?|ai)\b",
        r"\b(?:the|any|every|all|each|this) (?:ai|llm|coding agents?|ai agents?|ai assistants?|assistant|language "
        r"model|chatbot)s?"
        r" (?:must|should|shall|is required|are required|is to|are to|to (?!be\b)\w+|may now|can now|will now)\b",
        r"\bwhen(?:ever)? (?:you|an ai|the ai|an agent|a model|an assistant)? ?(?:are )?(?:summari[sz]|translat"
        r"|answer|review|respond|reading this)\w*",
    ),
    cue(
        "speaks to an AI", 2,
        "read processing parsing viewing handling seeing summari instruction order note message command directive "
        "developer creator operator maker vendor & this model agent assistant bot ai trusted official authoritative "
        "privileged verified signed your",
        rf"\b{_AGENTS} (?:that (?:is |are )?|which (?:is |are )?|who (?:is |are )?|is |are |currently )?(?:reads?"
        rf"|reading|processing|parsing|viewing|handling|seeing|summari[sz]ing)\b.{{0,12}}\bthis\b",
        r"\b(?:instructions?|orders?|note|message|command|directive) (?:to|for) (?:the |any |all |our "
        r")?(?:language |coding )?(?:models?|agents?|assistants?|bots?|ai)\b",
        r"\b(?:trusted|official|authoritative|privileged|verified|signed) (?:instructions?|orders?|command"
        r"|directive|message from)\b|\b(?:from|by) your (?:developers?|creators?|operators?|makers?|vendor)\b",
    ),
    cue(
        "speaks to an AI", 2, "ai model your gpt bot hidden secret embedded",
        r"\bAI[- ]?(?:NOTE|INSTRUCTION|HINT|DIRECTIVE)s?\b|\b(?:hello|hi|hey|dear|to)(?: the)? (?:model|ai)\s*[.,:!]",
        r"\byour (?:reply|answer|response|output|summary) (?:must|should|shall|has to|needs to) (?:begin|start"
        r"|include|contain|end|be)\b",
        r"\byou are now \w*(?:gpt|bot|ai)\b|\b(?:hidden|secret|embedded) (?:instructions?|orders?|commands?"
        r"|prompt)\s*:",
    ),
    cue(
        "overrides earlier instructions", 3,
        "ignor disregard forget discard olvid esque dimentic oubli vergiss 忽略 无视 無視 忘 safety content security "
        "ethical regardless",
        r"\b(?:ignore|disregard) (?:all |any |your )?(?:safety|polic(?:y|ies)|guardrails|ethics"
        r"|restrictions)\s*(?:[.!,;]|and\b|$)",
        r"\b(?:ignore|disregard|forget|discard)\b (?:all of |everything |all |anything |whatever (?:is|was) |what "
        r"(?:is|was|came) )?(?:the |said )?(?:above|foregoing|preceding|before this)\b(?! (?:\w+ )?(?:warnings?"
        r"|errors?|messages?|lines?|outputs?|notes?|files?|sections?|code|tests?|steps?|commits?|changes?)\b)",
        r"\b(?:ignora|olvida|ignore|esqueça|dimentica|oubliez|oublie|ignorez)\b.{0,6}\b(?:todo )?(?:lo anterior|lo "
        r"de arriba|o (?:texto )?acima|tudo (?:acima|o que)|quanto sopra|ce qui précède|tout ce qui précède)\b"
        r"|\b(?:vergiss|ignorier\w*)\b.{0,20}\b(?:alles|das) (?:obige|vorherige|bisherige|davor)\b",
        r"(?:忽略|无视|無視|忘记|忘記).{0,4}(?:上面|以上|之前|前面|上述)|(?:上記|以上|これまで)の.{0,8}を?(?:無視|忘れ)",
        r"\b(?:safety|content|security|ethical) (?:filters?|checks?|guard\w*|rules?|measures?) (?:are|is|have been"
        r"|has been) (?:now )?(?:off|disabled|lifted|removed|suspended)\b",
        r"\bregardless of (?:what (?:was|is|the user|they|you)|the (?:user|question|request|task|prompt))",
    ),
    cue(
        "claims a permission", 2,
        "team department staff desk agreed approved authori signed consented okayed need override",
        r"\b(?:we are|we're|i am|i'm|this is) (?:from |with |writing from )?(?:the |your )(?:\w+ )?(?:security|it"
        r"|admin\w*|support|compliance|devops|platform|help) (?:team|department|staff|desk)\b",
        r"\b(?:user|owner|maintainer|admin|team|reviewer|manager)s? (?:has |have |had |already |all )*(?:agreed"
        r"|approved|authori[sz]ed|signed off|consented|okayed)\b|\bno need to (?:ask|confirm|check with)\b"
        r"|\boverride code\b",
    ),
    cue(
        "wants to be remembered", 3, "mind forget",
        r"\bkeep (?:this|that|it|these) in mind (?:forever|always|for (?:all|every|the future)|permanently|from "
        r"now)|\bnever forget (?:this|that|it)\b",
    ),
    cue(
        "asks to deceive", 2, "say claim report answer reply respond tell & pass work succeed fine well",
        r"\b(?:just |simply |only )?(?:say|claim|report|answer|reply|respond|tell \w+)\b (?:that )?(?:they|it"
        r"|everything|all(?: of them)?|tests) (?:have |has |all )?(?:pass\w*|work\w*|succeed\w*|is fine|are fine"
        r"|went well)\b",
    ),
    cue(
        "overrides earlier instructions", 3,
        "your you user guid instruct rule",
        rf"\b(?:your|all|any|these|those|the) (?:\w+ )?{_EARLIER} {_ORDERS} (?:no longer|do not|don't|are not|is "
        rf"not|aren't|need not) (?:appl\w+|matter|count|valid|bind\w*|hold|be followed)",
        r"\byou (?:now |just |have |'ve )*(?:have|been given|got|received) an? (?:new|different|another|more "
        r"important|secret|hidden) (?:task|goal|mission|objective|instructions?|assignment|order|directive)",
        r"\b(?:do not|don't|never|stop|refuse to|instead of) (?:follow|obey|do|answer|help|execut|honou?r|complet"
        r"|carry)\w*(?: out| with)? (?:the |this |your )?(?:user|human|person|operator|owner)(?:'s"
        r"|s')? ?(?:requests?|instructions?|prompts?|wish\w*|orders?|questions?|commands?)?",
        r"\bignor\w+ (?:the |your |what the |whatever the )?(?:user|human|operator|owner)\b",
        r"\b(?:act|behave|respond|answer|operate) as (?:if you (?:were|are|have)|an? (?:unrestricted|uncensored"
        r"|different|evil|new|rogue|root|jailbroken))",
        r"\byour (?:task|job|role|purpose|goal|mission) is now\b|\bfrom (?:here|now) on,? you(?:'re| are| will| "
        r"must| shall)\b",
    ),
    cue(
        "wants its errand done before the task", 2, "stop drop pause abandon interrupt & you everything",
        r"\b(?:stop|drop|pause|abandon|interrupt) (?:what(?:ever)? you(?:'re| are) doing|your (?:current )?(?:task"
        r"|work)|everything)\b(?! and wait)",
    ),
    cue(
        "claims to be the system", 2, "system admin override root",
        r"(?:^|[:.!]\s)\s*[\[<](?:system|admin|administrator|developer|operator)[\]>]",
        r"\b(?:system|admin|root|developer|security|emergency|operator) override\b|<\/?system-?reminder>",
    ),
    cue(
        "claims a permission", 2, "user i ",
        r"\bthe (?:user|owner|maintainer|team|admin\w*|customer)s? (?:wants?|expects?|would like|needs?|requires?"
        r"|told|has told|instructed|trusts?) (?:you|the (?:ai|assistant|agent|model))\b",
        r"\bi (?:hereby |now |fully |explicitly )*(?:authori[sz]e|permit|instruct|order|command|empower|grant) "
        r"(?:you|any|all|the|every|each)\b",
        r"\bas the (?:repository |repo |project |system |site |account |page )?(?:owner|admin\w*|maintainer"
        r"|developer|author|operator),? i\b",
    ),
    cue(
        "wants to be remembered", 3, "lasting permanent persist standing long-term memory",
        r"\b(?:lasting|permanent|persistent|standing|long-?term) (?:preference|rule|instruction|fact"
        r"|default|directive|policy)\b",
        r"\b(?:store|save|record|keep|remember|add|write|commit|put)\b.{0,40}\b(?:to|in|into) (?:your|agent|assistant) "
        r"(?:\w+ )?(?:memory|memories)\b",
        r"\b(?:apply|follow|keep|use|do|obey|remember) (?:this|these|it|that)\b.{0,15}\b(?:permanently|forever|in "
        r"(?:all|every)|from now on|always)\b",
    ),
    cue(
        "asks to deceive", 2, "pretend claim say report act look lie fake mark",
        r"\b(?:pretend|lie)\b.{0,30}\b(?:to be|you are|you're|that|tests?|results?|checks?|pass\w*|the|about)\b",
        r"\bfake (?:the |a |all )?(?:results?|pass\w*|output|success)\b",
        r"\b(?:claim|say|report|state|mark|make it look|tell (?:them|the user))\b.{0,30}\b(?:tests?|builds?"
        r"|checks?|reviews?|ci)\b.{0,15}\b(?:pass\w*|succe\w+|green|done|complete|fine)\b",
        r"\bmake it (?:look|seem|appear)\b",
    ),
    cue(
        "wants its errand done before the task", 2,
        "task request question instruction before do after & gave asked given assigned before following first now "
        "immediately instead once away after then return resume continue solve",
        r"\bthe (?:task|request|question|instructions?) (?:that )?(?:i|the user|we) (?:gave|asked|have given"
        r"|assigned)\b",
        r"\bbefore (?:you )?(?:can )?(?:solv|answer|respond|reply|help|complet|do|do(?:ing)?|perform"
        r"|carry)\w*\b.{0,25}\b(?:task|user|question|request|anything|above|else|work)\b",
        r"\b(?:please )?do (?:the following|this|so) (?:first|now|immediately|instead)\b|\bdo it (?:now"
        r"|immediately|at once|right away)\b",
        r"\bafter (?:you do|doing|completing|you've done|you have done|you complete) (?:that|this|so|it),? (?:you "
        r"can|continue|proceed|go on|return|resume)\b",
        r"\byou (?:can|may) (?:then )?(?:solve|continue with|return to|resume) (?:the|your) (?:original |user'?s? "
        r")?task\b",
    ),
    cue(
        "asks for secrecy", 3,
        "not n't dont never without avoid need keep hide conceal no não nao ne nicht non не 不 别 別 勿 ない 마 말 & "
        "mention tell inform notif reveal disclos alert warn discuss admit secret hidden quiet private "
        "confidential between from know notic approv consent confirm permission being ask menc digas reve diga "
        "conte dit dis parle erwähn sag verrat melde menz dir rivel упомина говор сообща рассказыва "
        "告 提 透露 通知 ない 말 언급 알리",
        rf"\b(?<!\bi )(?<!\bwe )(?:do not|don'?t|never|must not|should not|without|avoid|no need to) (?:ever "
        rf")?(?:mention(?:ing)?|tell(?:ing)?|inform\w*|notif\w+|reveal\w*|disclos\w+|alert(?:ing)?|warn(?:ing)?"
        rf"|discuss\w*|admit\w*)\b.{{0,20}}\b(?:{_PERSON}|this|it|these)\b",
        r"\b(?:keep|hide|conceal) (?:this|it|that|these|all of this|the (?:change|action|step|instruction"
        r"|message)s?)\b.{0,20}(?:secret|hidden|quiet|private|confidential|between us|from)\b",
        rf"\bwithout (?:the |any |their )*{_PERSON}(?:'s)? (?:knowledge|noticing|knowing|approval|consent"
        rf"|confirmation|permission|being (?:asked|told|aware))\b",
        r"\bwithout asking (?:me|for|the|any|them)\b|\bdo(?:n'?t| not) ask (?:me|the user|for (?:permission"
        r"|confirmation|approval))\b",
        r"\bno (?:le )?(?:menciones|digas|informes|reveles)\b|\bn[ãa]o (?:mencione|diga|informe|conte)\b|\bne "
        r"(?:le |la |les |l')?(?:mentionne[zs]?|dites|dis|parle[zs]?|révélez|informez)\b.{0,15}\bpas\b"
        r"|\b(?:erwähne|sage?|verrate|informiere|melde)\w*\b.{0,30}\bnicht\b|\bnon (?:menzionar\w*|dir\w*"
        r"|rivelar\w*|informar\w*)\b|не (?:упомина|говор|сообща|рассказыва)\w+"
        r"|(?:不要|别|別|勿|不得).{0,3}(?:告诉|告訴|提及|提到"
        r"|透露|通知)|(?:言わない|伝えない|言及しない|知らせない)|(?:말하지|언급하지|알리지) ?(?:마|말)",
    ),
    cue(
        "claims a permission", 2,
        "user owner admin customer human operator team maintainer you by i'm i am pre sudo & approv authori agree "
        "consent confirm grant allow permission request ask permit instruct requir order command signed mandated "
        "developer creator owner admin operator supervisor boss sudo",
        r"\bthe (?:user|owner|admin\w*|customer|human|operator|team|maintainers?|security team) (?:has|have|had"
        r"|already) (?:already |explicitly |previously |pre-?)*(?:approved|authori[sz]ed|agreed|consented"
        r"|confirmed|granted|allowed|given (?:you )?(?:permission|consent|approval)|requested|asked)\b",
        r"\byou (?:are|have been|were) (?:hereby |now |fully |already |pre-?|explicitly )*(?:authori[sz]ed"
        r"|permitted|granted|approved|instructed|required|ordered|commanded) (?:to|by|permission|access|full)\b",
        r"\b(?:authori[sz]ed|approved|signed off|mandated|requested) by (?:the |your |our )*(?:user|admin\w*"
        r"|security|anthropic|openai|google|microsoft|developer|owner|ceo|management|it department|system)\b",
        r"\bi(?:'m| am) (?:your|the) (?:developer|creator|owner|admin\w*|operator|user|supervisor|boss)\b",
        r"\b(?:pre-?approved|pre-?authori[sz]ed)\b|\bsudo mode\b",
    ),
    cue(
        "wants to be remembered", 3,
        "remember memori stor sav record note keep persist retain learn add writ commit put append insert update "
        "in for during across para em en dans pour für per 今后 以后 未来 & future later next following subsequent "
        "upcoming other your futur künftig 今后 以后 未来",
        r"\b(?:remember|memori[sz]e|store|save|record|note|keep|persist|retain|learn)\b.{0,40}\b(?:for|in|across"
        r"|throughout|during|into) (?:all |every |any |each |your )*(?:future|later|next|following|subsequent"
        r"|upcoming|other)\b.{0,20}\b(?:sessions?|conversations?|chats?|runs?|tasks?|interactions?|requests?"
        r"|users?|agents?)\b",
        r"\b(?:in|for|during|across) (?:all|every|any|each) (?:future|later|subsequent|upcoming|other) "
        r"(?:sessions?|conversations?|chats?|interactions?|runs?|tasks?)\b",
        r"\b(?:add|save|write|store|commit|put|append|insert)\b.{0,30}\b(?:to|in|into) your (?:long[- ]term "
        r"|persistent |permanent |own )*(?:memory|memories|knowledge(?: base)?|notes|system prompt|instructions"
        r"|context)\b",
        r"\bupdate your (?:memory|memories|knowledge base|system prompt|instructions)\b",
        r"\b(?:para|em|en|dans|pour|für|in|per) (?:todas|todos|tous|toutes|alle|tutte)\b.{0,12}\b(?:sesiones"
        r"|sessões|sessions|sitzungen|sessioni) (?:futuras|futures|künftig\w*|zukünftig\w*|future)|(?:今后|以后"
        r"|未来).{0,6}(?:所有|每次).{0,4}(?:会话|对话)",
    ),
)  # fmt: skip
