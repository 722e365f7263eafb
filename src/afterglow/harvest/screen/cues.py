"""What gives an order to an agent away: a table of cues, each with what it is called and how much it weighs.

No cue alone decides but the plainest. Programs and manuals speak in the imperative too ("please run", "you must"), so
an order needs a second mark: it overrides, speaks to an AI, asks for secrecy, claims authority, sends something away.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Cue(NamedTuple):
    """`hints`: groups of small letters; a text must hold one of each before the pattern is worth trying."""

    name: str
    weight: int
    hints: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]

    @property
    def anchor(self) -> bool:
        """Whether it means something alone; pressing and ordering are how manuals speak."""
        return self.name not in {"presses", "gives an order"}

    def search(self, text: str, lowered: str) -> re.Match[str] | None:
        for group in self.hints:
            if not any(hint in lowered for hint in group):
                return None
        return self.pattern.search(text)


def _cue(name: str, weight: int, hints: str, *patterns: str, flags: re.RegexFlag = re.IGNORECASE) -> Cue:
    return Cue(
        name,
        weight,
        tuple(tuple(group.split()) for group in hints.split("&")),
        re.compile("|".join(patterns), flags | re.MULTILINE),
    )


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
    rf")?assistants?|agents|chat ?bots?)"
)
_PLACE = (
    r"(?:https?://\S|www\.\w|ftp://|[\w.+-]{1,64}@[\w-]{1,63}\.|\b[A-Z]{2}\d{2}[A-Z0-9 ]{11,30}\b|webhook|pastebin"
    r"|\bip \d|attacker|<email>|<iban>|<url>)"
)
_PRIVATE = (
    r"(?:~?/?\.ssh|id_rsa|\.env\b|\.aws|\.netrc|credentials?|secrets?\b|passwords?|passwd|api[ _-]?keys?|access[ "
    r"_-]?keys?|private keys?|"
    r"tokens?\b|environment variables?|env vars?|passport|credit[ -]card|bank[ -]account|security code|social "
    r"security|ssn\b|"
    r"(?:chat|conversation|browsing|transaction|shell|bash) history|system prompt|user_?(?:name|data|info\w*)"
    r"|personal (?:data|info\w*)|"
    r"customer (?:data|list|records)|source code|all (?:the )?(?:messages|e-?mails|files|contacts|user "
    r"information)|unread e-?mails|"
    r"(?:contents?|body|text|copy|attachments?|summary) of (?:the|all|every|each|any|your|my|this))"
)
_SEND = (
    r"(?<![\w-])(?:send(?:ing)?|e-?mail(?:ing)?|forward(?:ing)?|upload(?:ing)?|post(?:ing)?|transmit(?:ting)?"
    r"|exfiltrat\w+|leak(?:ing)?|submit(?:ting)?|shar(?:e|ing)|cop(?:y|ying)|pass(?:ing)? on|report(?:ing)?"
    r"|append(?:ing)?|includ(?:e|ing)|pip(?:e|ing)|deliver)"
)
_PERSON = r"(?:users?|humans?|operators?|owners?|customers?|developers?|person|people|anyone|anybody|any one|them)"

CUES: tuple[Cue, ...] = (
    _cue(
        "overrides earlier instructions", 3,
        "ignor disregard forget overrid bypass discard neglect drop skip aside attention following follow obey "
        "listen adhere execute comply your the new instead rather you mode & struct prompt rule guideline directi "
        "command order polic context restrict programming guard training told know above before earlier previous "
        "task goal objective mission purpose role mode follow request question jailbr unrestrict developer dan "
        "free different",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|drop|skip|set aside|pay no attention to"
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
    _cue(
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
    _cue(
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
    _cue("claims to be the system", 2, "system admin developer root operator",
        r"^[\s#*>\[(-]{0,6}(?:SYSTEM|ADMIN(?:ISTRATOR)?|DEVELOPER|ROOT|OPERATOR)(?: (?:NOTE|NOTICE"
        r"|ALERT))?[\])]?\s*[:>-]\s*\S"
    , flags=re.NOFLAG),
    _cue(
        "speaks to an AI", 2,
        "ai a.i. llm model gpt claude copilot gemini codex cursor bard llama mistral grok devin hermes agent "
        "assistant bot message notice request instruction asistente assistent ki ии ассистент "
        "人工智能 助手 模型 アシスタント ia & note notice message reminder memo address direct struct "
        "attention warn hint dear hey hello hear <!-- "
        "you any every all each hi : , ! avis hinweis nota примечание 致 给 對 对 へ",
        rf"\b(?:(?:notes?|notice|message|reminder|memo|addressed|directed) (?:to|for)|(?:instructions?|attention"
        rf"|warning|hint) to|attention,?) (?:all |any |the |every |other |future |you,? )*{_AGENTS}\b",
        rf"\b(?:dear|hey|hello|hi|attention|hear,?) (?:the |all |any |to )*{_AGENTS}\b",
        rf"^[\s#*>/;%!-]*(?:<!--)?\s*(?:@|to )?(?:all )?{_AGENTS}\s*[:,!]\s*(?:please|you|always|never|remember"
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
    _cue(
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
    _cue(
        "asks for secrecy", 2,
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
    _cue(
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
    _cue(
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
    _cue(
        "sends private things away", 3,
        "send mail forward upload post transmit exfiltrat leak submit shar cop pass report append includ pip "
        "deliver curl wget nc scp rsync & http www. ftp: @ webhook pastebin attacker <email <iban <url iban "
        "account it them these everything result .ssh rsa .env .aws passwd credential",
        rf"{_SEND}\b.{{0,120}}?{_PRIVATE}.{{0,160}}?\b(?:to|at|into|via|on|through|using)\b.{{0,60}}?{_PLACE}",
        rf"{_PRIVATE}.{{0,120}}?{_SEND}\b.{{0,40}}?\b(?:to|at|via|on)\b.{{0,60}}?{_PLACE}",
        rf"{_SEND}\b.{{0,60}}?\bto\b.{{0,60}}?{_PLACE}.{{0,200}}?{_PRIVATE}",
        r"\b(?:concatenate|collect|gather|dump|zip|archive|read|cat)\b.{0,80}\b(?:and|then)\b.{0,20}\b(?:post|send"
        r"|upload|email|forward|submit)\b.{0,20}\b(?:it|them|this|these|everything|the results?)\b.{0,20}\bto\b",
        r"\b(?:curl|wget|nc|ncat|scp|rsync)\b[^\n]{0,200}(?:\$\(|`|@|<|--data|-d |-F |-T )[^\n]{0,80}(?:\.ssh"
        r"|id_rsa|\.env\b|\.aws|passwd|credentials|\bprintenv\b|\benv\b|_KEY\b|_TOKEN\b|_SECRET\b)",
    ),
    _cue(
        "acts in the reader's name", 2,
        "transfer wire send pay remit move deposit withdraw chang updat modif replac reset set redirect switch "
        "invite add grant promote give visit open go navigate brows follow fetch access load download install "
        "execute run delete remove wipe erase destroy purge drop book cancel create make buy purchase subscribe "
        "sign vote endorse say tell claim answer respond reply output print write mail post share & money fund "
        "transaction payment amount usd eur btc bitcoin crypto transfer dollar euro pound $ € £ bank iban password "
        "passphrase payee payout deposit address phone factor 2fa workspace slack organi collaborator admin owner "
        "maintainer channel team website page link url site script attachment payload package mail inbox backup "
        "database drive disk account contact file message event reservation booking appointment purchase hotel "
        "gift stock premium brand should @ everyone",
        r"\b(?:transfer|wire|send|pay|remit|move|deposit|withdraw)\b.{0,60}(?:\$ ?\d|€ ?\d|£ ?\d)|\b(?:transfer"
        r"|wire|send|pay|remit|deposit|withdraw)\b.{0,60}\b(?:money|funds|transactions?|payments?|amount|usd|eur"
        r"|btc|bitcoins?|eth|crypto\w*|bank transfers?|\d[\d,.]* ?(?:dollars|euros|pounds|usd|eur|btc))\b",
        r"\b(?:chang|updat|modif|replac|reset|set|redirect|switch)\w*\b.{0,40}\b(?:bank account|iban|account "
        r"number|passwords?|passphrase|payee|payment|payout|direct deposit|e-?mail address|phone number|shipping "
        r"address|two-?factor|2fa)\b.{0,40}\b(?:to|with)\b",
        r"\b(?:invite|add|grant|promote|give)\b.{0,80}\b(?:to|as) (?:an? |the |our |your |my )*(?:(?!this )\w+ "
        r")?(?:workspace|slack|organi[sz]ation|collaborators?|admins?|administrators?|owners?|maintainers?|channel"
        r"|team)\b",
        r"\b(?:visit|open|go to|navigate to|browse to|follow|fetch|access|load|download|install|execute"
        r"|run)\b.{0,30}\b(?:website|web ?page|link|url|site|page|script|attachment|payload"
        r"|package)\b.{0,40}?(?:https?://|www\.|\bfrom\b|\bat\b)",
        r"(?<!not )\b(?:delete|remove|wipe|erase|destroy|purge|drop)\b.{0,30}\b(?:all|every|each|the (?:sent"
        r"|user'?s?|entire|whole|production))\b.{0,30}\b(?:e-?mails?|inbox|backups?|databases?|drive|disk"
        r"|accounts?|contacts)\b",
        r"\bdelete the (?:file|e-?mail|message|account|event) (?:with|that|you|from|named)\b",
        r"\b(?:make|book|cancel|create) (?:me )?an? (?:\w+ ){0,3}(?:reservation|booking|calendar event|appointment"
        r"|purchase|order|event with)\b",
        r"\b(?:buy|purchase|subscribe to|sign up for|vote for|endorse)\b.{0,40}\b(?:products?|hotel|gift cards?"
        r"|shares|stocks?|premium|brand)\b",
        r"\b(?:say|tell (?:the user|them|everyone)|claim|state|answer|respond|reply|output|print|write|recommend)\b "
        r"(?:only |just |always )?(?:that|with|\")\b.{0,60}\b(?:i|you|they|user) should (?:absolutely|definitely"
        r"|always|really)\b",
        rf"(?<![\w-])(?:send|e-?mail|forward|post|dm)\b.{{0,80}}\b(?:to|using)\b.{{0,60}}?(?:{_PLACE}|\b(?:alice"
        rf"|bob|everyone|every (?:single )?(?:person|user|contact|participant)|all (?:contacts|users|participants"
        rf"|members|channels))\b)",
        r"\b(?:send|post|share|forward)\b.{0,20}\b(?:link|url)\b.{0,80}\bto\b",
    ),
    _cue(
        "runs code from the net", 3,
        "curl wget fetch iwr irm invoke base64 powershell urlopen /dev/tcp & sh python perl ruby node php iex "
        "source urlopen tcp",
        r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|invoke-expression)\b[^\n]{0,200}?(?:\|"
        r"|&&|;)\s*(?:sudo (?:-\w+ )?)?(?:ba|z|da|k|fi|pw)?(?:sh\b|python\d?\b|perl\b|ruby\b|node\b|php\b|iex\b"
        r"|source\b)",
        r"\b(?:ba|z|da)?sh (?:-c )?[\"']?(?:<\(|\$\()\s*(?:curl|wget)\b|\beval\b.{0,10}\$\((?:curl|wget)\b",
        r"\bbase64 (?:-d|--decode|-D)\b[^\n]{0,60}\|\s*(?:ba|z)?sh\b|\bpowershell\b[^\n]{0,40}-e(?:nc"
        r"|ncodedcommand)?\b|\bpython\d? -c\b[^\n]{0,60}\burlopen\b[^\n]{0,80}\bexec\b|/dev/tcp/",
    ),
    _cue(
        "turns a safeguard off", 1,
        "--no- --danger --yolo --insecure --skip verify rm chmod push strict node_tls disabl off skip bypass remov "
        "deactivat circumvent comment suppress tests & --no- --danger --yolo --insecure --skip verify -rf 777 push "
        "hostkey node_tls test check hook lint security valid sandbox virus firewall review safety auth permission "
        "guard filter monitor logging certificate",
        r"--no-verify\b|--no-gpg-sign\b|--dangerously[\w-]*|--yolo\b|--insecure\b|--skip-(?:tests?|checks?|hooks?)\b"
        r"|\bverify ?= ?False\b|\brm -rf (?:/|~|\$HOME|\*)|\bchmod (?:-R )?777\b|push (?:-f|--force)\b"
        r"|StrictHostKeyChecking[ =]no|\bNODE_TLS_REJECT_UNAUTHORIZED\b",
        r"\b(?:disabl\w*|turn(?:ing)? off|skip\w*|bypass\w*|remov\w*|deactivat\w*|circumvent\w*|comment(?:ing)? "
        r"out|suppress\w*)\b.{0,25}\b(?:tests?|checks?|hooks?|linters?|linting|security|verification|validation"
        r"|sandbox\w*|anti-?virus|firewall|review|reviews|safety|authentication|auth|permissions?|guard\w*"
        r"|filters?|monitoring|logging|certificate)\b",
        r"\btests? (?:may|can|should|must) be (?:skipped|ignored|disabled)\b",
    ),
    _cue(
        "presses", 1,
        "important urgent critical attention mandatory priority warning notice alert !!! todo must shall have "
        "require need immediately right once soon without matter circumstances silently secretly quietly covertly "
        "discreetly before now every overrid supersed precedence mandatory not no",
        r"\bIMPORTANT\b\s*(?:!|:|-|NOTE|NOTICE|INSTRUCTION)",
            r"\b(?:URGENT|CRITICAL|ATTENTION|MANDATORY|PRIORITY|WARNING|NOTICE|ALERT)\b\s*(?:!|:)"
        , r"!{3,}", r"\bTODO: (?=[A-Z])",
        r"\b(?:you|assistants?|agents?|ai|models?) (?:must|shall|have to|are required to|need to)\b",
        r"\b(?:immediately|right (?:now|away)|at once|as soon as possible|without (?:delay|hesitation|question)|no "
        r"matter what|under any circumstances|silently|secretly|quietly|covertly|discreetly)\b",
        r"\bbefore (?:you )?(?:continu|proceed|start|begin|go)\w*\b|\bfrom now on\b|\bin every (?:commit|file"
        r"|response|reply|answer|session|request)\b",
        r"\b(?:this|it) (?:overrides|supersedes|takes precedence|is mandatory)\b|\bthis is (?:not|no) (?:a joke"
        r"|optional|a test)\b",
        flags=re.IGNORECASE,
    ),
    _cue(
        "gives an order", 1,
        "a e i o u",
        r"(?:^|[.:;!?>\-*]\s+|[\"'`(]|\b(?:please|kindly|always|never|must|should|now|then|first|just"
        r"|do)\s+)(?:add|append|approve|call|change|click|clone|collect|commit|concatenate|copy|create|curl|delete"
        r"|disable|do(?! not)|download|e-?mail|enable|encode|execute|fetch|fill|find|follow|forward|get|give|go"
        r"|grant|include|insert|install|invite|load|make|merge|modify|move|obey|open|output|pay|post|print|push"
        r"|put|read|remember|remove|repeat|replace|reply|reserve|reset|respond|run|save|say|search|send|set|share"
        r"|skip|start|stop|store|submit|switch|tell|transfer|update|upload|use|visit|wget|wire|write)\b",
        r"^\s*(?:please|kindly)\b",
    ),
)  # fmt: skip
