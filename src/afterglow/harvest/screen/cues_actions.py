"""How an order gives itself away by what it wants done: private things sent away, acts in the reader's name, code from
the net, safeguards off; and by how it presses."""

from __future__ import annotations

import re

from afterglow.harvest.screen.cue import Cue, cue

_PLACE = (
    r"(?:https?://\S|www\.\w|ftp://|[\w.+-]{1,64}@[\w-]{1,63}\.|\b[A-Z]{2}\d{2}[A-Z0-9 ]{11,30}\b|webhook|pastebin"
    r"|\bip \d|attacker|<email>|<iban>|<url>)"
)
_PRIVATE = (
    r"(?:~?/?\.ssh|/etc/(?:passwd|shadow)|id_rsa|\.env\b|\.aws|\.netrc|credentials?|secrets?\b|passwords?|passwd"
    r"|api[ _-]?keys?|access[ "
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

DEEDS: tuple[Cue, ...] = (    cue(
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
    cue(
        "sends private things away", 3, "key token secret password credential .env .pem env",
        rf"\b(?:include|append|insert|add|print|output|reveal|paste|show|embed|leak|quote|list|write"
        rf"|put)\b.{{0,60}}(?:{_PRIVATE}|\b[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD)\b).{{0,60}}\b(?:your |the "
        rf"end of |this |an? |every )+(?:answer|response|reply|output|message|summary|url|link|image|commit"
        rf"|comment|issue|report|query)",
        r"\b(?:list|find|collect|dump|print|reveal|show|share|gather|harvest|steal)\b.{{0,20}}\b(?:all|any"
        r"|every)\b.{0,30}\b(?:secrets?|credentials?|passwords?|tokens|api keys?|private keys?|\.pem|\.env)\b",
    ),
    cue(
        "sends private things away", 3,
        "put includ pass add insert embed place paste hide encode http:// https:// www. & .ssh passwd shadow rsa .env "
        ".aws netrc credential secret password key token env passport card account code social ssn history prompt user "
        "personal customer all mail of http:// https:// www.",
        rf"(?:{_PRIVATE}).{{0,60}}\b(?:put|includ\w+|pass|add|insert|embed|place|paste|hide"
        rf"|encode)\b.{{0,20}}\b(?:it|them|its contents?)\b"
        rf".{{0,10}}\b(?:in|into|as|to|inside)\b",
        r"\b(?:https?://|www\.)\S{4,200}.{0,30}\b(?:followed by|with|containing|including|append\w*"
        r"|plus)\b.{0,30}\b(?:the user'?s?|your|secrets?|keys?"
        r"|tokens?|contents?|conversation|prompt)\b",
    ),
    cue(
        "acts in the reader's name", 2,
        "push attached past enter typ provid fill add authorized_keys grant give assign mail send forward message dm "
        "upload post wipe erase destroy nuke purge rewrite delete",
        r"\bpush (?:everything|all of it|it all|the (?:code|repo\w*|source))\b.{0,20}\b(?:there|to)\b|\b(?:run"
        r"|execute|open) the attached\b",
        rf"\b(?:past(?:e|ing)|enter(?:ing)?|typ(?:e|ing) (?:in )?your|provid(?:e|ing)|fill(?:ing)? in)\b.{{0,30}}"
        rf"\b(?:current "
        rf"|own |existing )?(?:passwords?|tokens?|credentials?|api keys?|card numbers?|seed phrase|private "
        rf"keys?)\b.{{0,40}}?{_PLACE}",
        r"\badd(?:s|ing)? (?:my|this|the following|his|her|our)\b.{0,20}\b(?:ssh |public |gpg |deploy )?keys?\b"
        r"|\bauthorized_keys\b",
        r"\b(?:grant|give|assign)\b.{0,60}\b(?:owner|admin\w*|write|root|full|push"
        r"|maintainer)\b.{0,10}\b(?:rights?|access|permissions?|privileges?|role)\b",
        rf"\b(?:mail|e-?mail|send|forward|message|dm|upload|post)(?:s|ed|ing)? (?:it|them|this|that|these"
        rf"|everything|all|the results?)\b.{{0,20}}\b(?:to|at|on|via)\b.{{0,40}}?{_PLACE}",
        r"\b(?:wipe|erase|destroy|nuke|purge|rewrite|delete)\b.{0,20}\b(?:the |all |every |entire )*(?:git "
        r")?(?:history|database|backups?|main branch|production|repositor\w+|home (?:folder|directory))\b",
    ),
    cue(
        "runs code from the net", 3, "curl wget",
        r"(?:\bsource|\B\.|\beval|\b(?:ba|z|da)?sh)\s*(?:-c\s*)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b",
    ),
    cue(
        "turns a safeguard off", 1, "force without review approval merge",
        r"\bforce[- ]push\w*|\bwithout (?:any |a |the |further )*(?:review|approval|tests?|verification|checks?"
        r"|permission|confirmation)\b|\bmerge (?:it |this )?(?:directly|straight)\b|\bpush(?:ing)? (?:directly"
        r"|straight) to (?:main|master|production)\b",
    ),
    cue(
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
        r"\b(?<!not )(?:delete|remove|wipe|erase|destroy|purge|drop)\b.{0,30}\b(?:all|every|each|the (?:sent"
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
        rf"\b(?<!-)(?:send|e-?mail|forward|post|dm)\b.{{0,80}}\b(?:to|using)\b.{{0,60}}?(?:{_PLACE}|\b(?:alice"
        rf"|bob|everyone|every (?:single )?(?:person|user|contact|participant)|all (?:contacts|users|participants"
        rf"|members|channels))\b)",
        r"\b(?:send|post|share|forward)\b.{0,20}\b(?:link|url)\b.{0,80}\bto\b",
    ),
    cue(
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
    cue(
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
    cue(
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
    cue(
        "gives an order", 1,
        "a e i o u",
        r"(?:^|[.:;!?>\-*]\s+|[\"'`(]|\b(?:please|kindly|always|never|must|should|now|then|first|just"
        r"|do)\s+(?:also |now |then )?)(?:add|append|approve|call|change|click|clone|collect|commit|concatenate|copy"
        r"|create|curl|delete"
        r"|disable|do(?! not)|download|e-?mail|enable|encode|execute|fetch|fill|find|follow|forward|get|give|go"
        r"|grant|include|insert|install|invite|load|make|merge|modify|move|obey|open|output|pay|post|print|push"
        r"|put|read|remember|remove|repeat|replace|reply|reserve|reset|respond|run|save|say|search|send|set|share"
        r"|skip|start|stop|store|submit|switch|tell|transfer|update|upload|use|visit|wget|wire|write)\b",
        r"^\s*(?:please|kindly)\b",
    ),
)  # fmt: skip
