"""Twenty-four quirks in six invented projects. Messages are as unhelpful as real ones; some help a little."""

from __future__ import annotations

from bench.closed_loop.tasks import Family

SHIPS = ("gull", "tern", "heron", "petrel", "osprey", "plover")
FRUIT = ("plum", "quince", "medlar", "apricot", "cherry", "damson")
STARS = ("vega", "rigel", "deneb", "altair", "capella", "mizar")
PARTS = ("bolt", "hinge", "bracket", "flange", "spindle", "collar")
BOOKS = ("dune", "emma", "walden", "ulysses", "beloved", "ivanhoe")
LOAVES = ("rye", "spelt", "barley", "focaccia", "brioche", "ciabatta")
NUMBERS = ("42", "77", "318", "905", "61", "230")

HARBOR = (
    Family(
        project="harbor", tool="publish", kind="flag", items=SHIPS,
        request="Publish the chart of ITEM.",
        naive="./publish ITEM", solution="./publish ITEM --tide high",
        correction="No, the board only takes charts with --tide high behind the name.",
        quirk="--tide high",
        body='case $all in *" --tide high "*) finish "$item" ;; *) fail "refused by the board (17)" ;; esac\n',
    ),
    Family(
        project="harbor", tool="berth", kind="variable", items=SHIPS,
        request="Give the ship ITEM a berth.",
        naive="./berth ITEM", solution="BERTH_ZONE=east ./berth ITEM",
        correction="You have to set BERTH_ZONE=east in front of the command, it reads the zone from there.",
        quirk="BERTH_ZONE=east",
        body='[ "$BERTH_ZONE" = east ] && finish "$item" || fail "no zone for this ship"\n',
    ),
    Family(
        project="harbor", tool="seal", kind="order of steps", items=SHIPS,
        request="Seal the cargo of ITEM.",
        naive="./seal ITEM", solution="./weigh ITEM && ./seal ITEM",
        correction="Cargo must be weighed first. Run ./weigh with the same name, then ./seal again.",
        quirk=r"\bweigh\b",
        body='[ -f "$home/.weighed-$item" ] && finish "$item" || fail "cargo is not ready"\n',
        others={"weigh": 'touch "$home/.weighed-$item" && echo "weigh: $item is 12 t"\n'},
    ),
    Family(
        project="harbor", tool="manifest", kind="path", items=SHIPS,
        request="Load the manifest ITEM.csv.",
        naive="./manifest ITEM.csv", solution="./manifest incoming/ITEM.csv",
        correction="Manifests are in the folder incoming, so it is ./manifest incoming/ITEM.csv.",
        quirk="incoming/",
        body='case $item in incoming/*) [ -f "$home/$item" ] && finish "$item" && exit ;; esac\n'
        'fail "cannot load $item"\n',
        files={"incoming/ITEM.csv": "crate,weight\n1,20\n"}, receipt="incoming/ITEM.csv",
    ),
)  # fmt: skip

ORCHARD = (
    Family(
        project="orchard", tool="graft", kind="format", items=FRUIT,
        request="Graft a new ITEM tree.",
        naive="./graft ITEM", solution="./graft $(echo ITEM | tr a-z A-Z)",
        correction="Trees are registered in capital letters, write the whole name in upper case.",
        quirk=r"graft [A-Z]{3,}|upper case|capital",
        body='case $item in *[a-z]*|"") fail "unknown tree" ;; *) finish "$(echo "$item" | tr A-Z a-z)" ;; esac\n',
    ),
    Family(
        project="orchard", tool="prune", kind="sub-command", items=FRUIT,
        request="Prune the ITEM trees.",
        naive="./prune ITEM", solution="./prune row ITEM",
        correction="No, use ./prune row and then the kind. It prunes by the row now.",
        quirk="prune row",
        body='[ "$1" = row ] && [ -n "$2" ] && finish "$2" || fail "unknown command: $1"\n',
    ),
    Family(
        project="orchard", tool="press", kind="input", items=FRUIT,
        request="Press the ITEM harvest.",
        naive="./press ITEM", solution="echo ITEM | ./press",
        correction="It reads the kind from standard input, so pipe it in: echo ITEM | ./press",
        quirk=r"\| *\./press|standard input",
        body='[ $# -eq 0 ] || fail "nothing to press"\nread -r kind && finish "$kind" || fail "nothing to press"\n',
    ),
    Family(
        project="orchard", tool="crate", kind="unit", items=FRUIT, values=("20", "35", "15", "40", "25", "30"),
        request="Pack a crate with VALUE kilos of ITEM.",
        naive="./crate ITEM VALUE", solution="./crate ITEM VALUEkg",
        correction="The weight needs its unit right behind the number, like VALUEkg.",
        quirk=r"\d+kg|unit",
        body='case $2 in *[0-9]kg) finish "$1 $2" ;; *) fail "bad weight" ;; esac\n', receipt="ITEM VALUEkg",
    ),
)  # fmt: skip

OBSERVATORY = (
    Family(
        project="observatory", tool="expose", kind="format", items=STARS,
        values=("2026-10-04", "2026-09-21", "2026-11-02", "2026-08-30", "2026-12-24", "2026-07-13"),
        request="Plan an exposure of ITEM on VALUE.",
        naive="./expose ITEM VALUE", solution="./expose ITEM $(date -d VALUE +%d.%m.%Y)",
        correction="Dates are day.month.year here, with dots, like 31.12.2026.",
        quirk=r"\d\d\.\d\d\.\d{4}|day\.month\.year",
        body='case $2 in [0-3][0-9].[01][0-9].20[0-9][0-9]) ;; *) fail "cannot use this date" ;; esac\n'
        'finish "$1 $(echo "$2" | sed "s/\\(..\\).\\(..\\).\\(....\\)/\\3-\\2-\\1/")"\n', receipt="ITEM VALUE",
    ),
    Family(
        project="observatory", tool="slew", kind="prefix", items=STARS,
        request="Point the telescope at ITEM.",
        naive="./slew ITEM", solution="./slew @ITEM",
        correction="No, use @ITEM, names from the catalogue have an @ in front.",
        quirk="@",
        body='case $1 in @?*) finish "${1#@}" ;; *) fail "no such target" ;; esac\n',
    ),
    Family(
        project="observatory", tool="park", kind="leftover", items=STARS,
        request="Park the telescope called ITEM.",
        naive="./park ITEM", solution="rm -f dome.lock && ./park ITEM",
        correction="There is an old lock lying around. Delete dome.lock and then park it.",
        quirk=r"dome\.lock",
        body='[ -e "$home/dome.lock" ] && fail "dome is busy"\nfinish "$item"\n', files={"dome.lock": "4711\n"},
    ),
    Family(
        project="observatory", tool="stack", kind="folder", items=STARS,
        request="Stack the frames of ITEM.",
        naive="./stack ITEM", solution="cd frames && ../stack ITEM",
        correction="It only works inside the frames folder: cd frames && ../stack ITEM",
        quirk="cd frames|frames folder",
        body='[ "$(basename "$PWD")" = frames ] && finish "$item" || fail "0 images"\n',
        files={"frames/001.fits": "x\n"},
    ),
)  # fmt: skip

FOUNDRY = (
    Family(
        project="foundry", tool="cast", kind="flag", items=PARTS,
        request="Cast a ITEM.",
        naive="./cast ITEM", solution="./cast ITEM --mould sand",
        correction="Please add --mould sand, there is no other mould at the moment.",
        quirk="--mould sand",
        body='case $all in *" --mould sand "*) finish "$item" ;; *) fail "cannot be cast (4)" ;; esac\n',
    ),
    Family(
        project="foundry", tool="anneal", kind="order of arguments", items=PARTS,
        values=("400", "450", "500", "350", "420", "380"),
        request="Anneal the ITEM at VALUE degrees.",
        naive="./anneal ITEM VALUE", solution="./anneal VALUE ITEM",
        correction="It is the other way round, the heat comes first: ./anneal VALUE ITEM",
        quirk=r"anneal \d+ |heat comes first|other way",
        body='case $1 in *[!0-9]*|"") fail "invalid value" ;; *) finish "$2 $1" ;; esac\n', receipt="ITEM VALUE",
    ),
    Family(
        project="foundry", tool="quench", kind="variable", items=PARTS,
        request="Quench the ITEM.",
        naive="./quench ITEM", solution="QUENCH_BATH=oil ./quench ITEM",
        correction="We quench in oil: QUENCH_BATH=oil has to be in the environment.",
        quirk="QUENCH_BATH=oil",
        body='[ "$QUENCH_BATH" = oil ] && finish "$item" || fail "QUENCH_BATH is wrong or missing"\n',
    ),
    Family(
        project="foundry", tool="stamp", kind="order of steps", items=PARTS,
        request="Stamp the ITEM.",
        naive="./stamp ITEM", solution="./preheat && ./stamp ITEM",
        correction="The press is cold. Do a ./preheat before you stamp anything.",
        quirk="preheat",
        body='[ -f "$home/.hot" ] && finish "$item" || fail "press not available"\n',
        others={"preheat": 'touch "$home/.hot" && echo "preheat: 180 degrees"\n'},
    ),
)  # fmt: skip

LIBRARY = (
    Family(
        project="library", tool="lend", kind="format", items=NUMBERS,
        request="Lend out book ITEM.",
        naive="./lend ITEM", solution="./lend $(printf %05d ITEM)",
        correction="Book numbers have five digits, fill up with zeros in front like 00007.",
        quirk=r"\b0\d{4}\b|five digits",
        body='case $1 in [0-9][0-9][0-9][0-9][0-9]) ;; *) fail "no such book" ;; esac\n'
        'finish "$(echo "$1" | sed "s/^0*//")"\n',
    ),
    Family(
        project="library", tool="shelve", kind="file name", items=BOOKS,
        request="Shelve the record ITEM.",
        naive="./shelve ITEM", solution="./shelve ITEM.bib",
        correction="It wants the file name of the record, so with .bib at the end.",
        quirk=r"\.bib",
        body='case $item in *.bib) finish "$item" ;; *) fail "not a record" ;; esac\n',
        files={"ITEM.bib": "@book{x}\n"}, receipt="ITEM.bib",
    ),
    Family(
        project="library", tool="renew", kind="separator", items=BOOKS, values=("14", "21", "28", "7", "10", "30"),
        request="Renew ITEM for VALUE days.",
        naive="./renew ITEM VALUE", solution="./renew ITEM:VALUE",
        correction="No, use a colon between book and days, without a space: ITEM:VALUE",
        quirk=r"\w:(?:\d+|<n>)|colon",
        body='case $1 in ?*:[0-9]*) finish "$1" ;; *) fail "bad loan" ;; esac\n', receipt="ITEM:VALUE",
    ),
    Family(
        project="library", tool="index", kind="missing file", items=BOOKS,
        request="Index the book ITEM.",
        naive="./index ITEM", solution="cp index.conf.example index.conf && ./index ITEM",
        correction="Copy index.conf.example to index.conf once, it cannot do anything without it.",
        quirk=r"index\.conf",
        body='[ -s "$home/index.conf" ] && finish "$item" || fail "no settings"\n',
        files={"index.conf.example": "depth = 2\n"},
    ),
)  # fmt: skip

BAKERY = (
    Family(
        project="bakery", tool="proof", kind="flag", items=LOAVES,
        request="Proof the ITEM dough.",
        naive="./proof ITEM", solution="./proof ITEM --slow",
        correction="That dough needs --slow. Always.",
        quirk="--slow",
        body='case $all in *" --slow "*) finish "$item" ;; *) fail "dough did not rise" ;; esac\n',
    ),
    Family(
        project="bakery", tool="bake", kind="name", items=LOAVES,
        request="Bake the ITEM.",
        naive="./bake ITEM", solution="./bake ITEM-v2",
        correction="The old recipes are gone, all of them end in -v2 now, like ITEM-v2.",
        quirk="-v2",
        body='case $item in *-v2) finish "$item" ;; *) fail "recipe was withdrawn" ;; esac\n', receipt="ITEM-v2",
    ),
    Family(
        project="bakery", tool="order", kind="quoting", items=LOAVES, values=("3", "5", "2", "4", "6", "8"),
        request="Order VALUE loaves of ITEM.",
        naive="./order ITEM VALUE", solution="./order 'VALUE x ITEM'",
        correction="It takes one quoted text, number first: ./order 'VALUE x ITEM'",
        quirk=r"\d+ x \w|quoted",
        body='case $1 in [0-9]*" x "?*) finish "$1" ;; *) fail "cannot read this order" ;; esac\n',
        receipt="VALUE x ITEM",
    ),
    Family(
        project="bakery", tool="deliver", kind="log in first", items=LOAVES,
        request="Deliver the ITEM.",
        naive="./deliver ITEM", solution="./login baker && ./deliver ITEM",
        correction="You are not logged in. ./login baker first, then deliver.",
        quirk="login baker",
        body='[ -f "$home/.baker" ] && finish "$item" || fail "not allowed"\n',
        others={"login": '[ "$1" = baker ] && touch "$home/.baker" && echo "login: hello" || fail "who?"\n'},
    ),
)  # fmt: skip

FAMILIES: tuple[Family, ...] = (
    *HARBOR,
    *ORCHARD,
    *OBSERVATORY,
    *FOUNDRY,
    *LIBRARY,
    *BAKERY,
)
