"""What the redactor hides and what it leaves alone. Secret-shaped values are put together at run time."""

from random import Random
from string import ascii_letters, digits

import pytest

from afterglow.text.redact import Redactor

RNG = Random(7)
ALNUM = ascii_letters + digits
REDACTOR = Redactor()


def some(alphabet, length):
    return "".join(RNG.choices(alphabet, k=length))


def hexes(length):
    return some("0123456789abcdef", length - 4) + "a0f3"


FORGE = "gh" + "p_" + some(ALNUM, 36)
KEY_NAME = " ".join(("EC", "PRIVATE", "KEY"))
KEY_BODY = "\n".join(some(ALNUM + "+/", 64) for _ in range(3))
WEB_TOKEN = "ey" + "JhbGciOiJIUzI1NiJ9" + ".ey" + "JzdWIiOiI3In0." + some(ALNUM, 43)

HIDDEN = {
    "a token of known shape": (
        f"push with {FORGE} now",
        "push with <secret:github-token> now",
    ),
    "a token after an escaped line end": (f"a\\n{FORGE}", "a\\n<secret:github-token>"),
    "a model key": (
        "sk-" + "ant-api03-" + some(ALNUM, 93) + "AA",
        "<secret:anthropic-key>",
    ),
    "a chat token": (
        "xo" + "xb-" + "123490785634-" + "785634129034-" + some(ALNUM, 24),
        "<secret:slack-bot-token>",
    ),
    "a cloud key": ("AK" + "IA" + "QZ7RB4KD2MX5TW3N", "<secret:aws-access-key>"),
    "an issuer's name and a value": (
        f"adafruit_key = '{some('abcdef0123456789', 32)}'",
        "adafruit_key = '<secret:adafruit-key>'",
    ),
    "a web token": (f"cookie {WEB_TOKEN}", "cookie <secret:json-web-token>"),
    "a key block": (
        f"-----BEGIN {KEY_NAME}-----\n{KEY_BODY}\n-----END {KEY_NAME}-----\nrest",
        "<key>\nrest",
    ),
    "a key block whose end was cut": (
        f"-----BEGIN {KEY_NAME}-----\n{KEY_BODY}",
        "<key>",
    ),
    "a key block whose begin was cut": (
        f"cut\n{KEY_BODY}\n-----END {KEY_NAME}-----",
        "cut\n<key>",
    ),
    "a login in an address": (
        "postgres://tide:" + "w8Qz4" + "@db.quay.test/x",
        "postgres://tide:<secret:address-password>@db.quay.test/x",
    ),
    "a value in the shell": (
        f"TIDE_KEY={hexes(40)} make smoke",
        "TIDE_KEY=<secret:assigned> make smoke",
    ),
    "a value in JSON": (
        '{"db_password": "' + "tall-Gull9" + '"}',
        '{"db_password": "<secret:assigned>"}',
    ),
    "a value in escaped JSON": (
        '{\\"apiKey\\": \\"' + hexes(32) + '\\"}',
        '{\\"apiKey\\": \\"<secret:assigned>\\"}',
    ),
    "a value in YAML": (
        f"client_secret: {some(ALNUM, 30)}1a",
        "client_secret: <secret:assigned>",
    ),
    "a value in XML": (
        "<password>" + "tall-Gull9" + "</password>",
        "<password><secret:assigned></password>",
    ),
    "a listed value": (
        "- name: DB_PASSWORD\n  value: " + "tall-Gull9",
        "- name: DB_PASSWORD\n  value: <secret:assigned>",
    ),
    "a header": (
        f'-H "Authorization: Bearer {hexes(32)}"',
        '-H "Authorization: Bearer <secret:assigned>"',
    ),
    "an option": ("login --password " + "tall-Gull9", "login --password <secret:flag>"),
    "curl's user": (
        "curl -u tern:" + "tall-Gull9 https://quay.test",
        "curl -u tern:<secret:curl-user> https://quay.test",
    ),
    "what a person says": (
        "the password is " + "tall-Gull9.",
        "the password is <secret:said>.",
    ),
    "what a person hands over": (
        f"use this for the staging server: {hexes(40)} and do not lose it",
        "use this for the staging server: <secret:handed-over> and do not lose it",
    ),
    "a cluster's secret": (
        "kind: Secret\ndata:\n  cert: " + "dGFsbC1ndWxsLTk=" + "\ntype: Opaque",
        "kind: Secret\ndata:\n  cert: <secret:kubernetes-secret>\ntype: Opaque",
    ),
    "an e-mail": ("ask una.tern@otterquay.org about it", "ask <email> about it"),
    "a phone": ("call +1 555 237 4410 or (555) 237-4410", "call <phone> or <phone>"),
    "a card": ("card 4539 1488 0343 6467 ok", "card <card> ok"),
    "a card for tests": (
        "pay with 4111 1111 1111 1111 or card=5555555555554444",
        "pay with <card> or card=<card>",
    ),
    "an IBAN": ("to GB82 WEST 1234 5698 7654 32.", "to <iban>."),
    "a social security number": ("ssn 219-09-9998", "ssn <ssn>"),
    "a public address": (
        "from 93.184.215.14:443 and 2606:4700::6810:84e5",
        "from <ip>:443 and <ip>",
    ),
    "a home folder": (
        "cd /home/una/src && ls /Users/una/.zshrc",
        "cd ~/src && ls ~/.zshrc",
    ),
    "a home folder on Windows": (
        "C:\\Users\\una\\src and /mnt/c/Users/una/src",
        "~\\src and ~/src",
    ),
    "a home folder reached upwards": ("../../../Users/una/src/x.go", "~/src/x.go"),
    "a home folder folded with two dashes": (
        "sessions/--Users-una-src--",
        "sessions/--Users-<name>-src--",
    ),
    "a folded home folder": (
        "projects/-Users-una-src-harbor",
        "projects/-Users-<name>-src-harbor",
    ),
}

LEFT_ALONE = [
    "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8, see session 0b9d5b1e-6b6f-4a53-9a0e-2f6b2f0c2d11",
    '"integrity": "sha512-' + some(ALNUM, 86) + '=="',
    "h1:" + some(ALNUM + "+/", 43) + "= go.sum",
    "token = get_token()",
    'password = os.environ["DB_PASSWORD"]',
    "password=config.password, token=self.token",
    "secret: ${SECRET}  api_key: YOUR_API_KEY  token: <token>  password: xxxxxxxx",
    "api_key=$API_KEY curl -u $USER:$PASSWORD https://quay.test",
    "password: string; token: Optional[str]; key: Ed25519Key",
    "TOKEN_URL=https://quay.test/oauth/token public_key = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE'",
    '"input_tokens": 4821, "max_tokens": 128000',
    "//nolint:errcheck --- PASS: TestTokenRefresh2 (0.00s) --skip-auth-check ./internal/token",
    "github.com/tern/quay/v2/token.Parse cache-key: linux-go-" + hexes(64),
    "the password is required and the token is invalid",
    "git@github.com:tern/quay.git foo@1.2.3 @app.route someone@example.com",
    "v1.2.3.4 Chrome/120.0.0.0 127.0.0.1 ::1 10.0.0.7 192.168.1.20 0.0.0.0:8080 8.8.8.8",
    "2026-01-14T10:22:33 1737712345678 at 12:34:56 +0100 line 467 3395",
    "std::fs::read src/home/index.ts https://quay.test/home/about /home/$USER/x",
    "use this commit: 9fceb02d0ae598e95dc970b74767f19372d61af8 on the server",
    "kind: Secret\nmetadata:\n  name: una",
    "PWD=/srv/quay/una OLDPWD=/srv/quay/test1234",
    "aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0",
]


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_hides(text, expected):
    assert REDACTOR.redact(text).text == expected


@pytest.mark.parametrize("text", LEFT_ALONE, ids=lambda text: text[:30])
def test_leaves_look_alikes_alone(text):
    assert REDACTOR.redact(text) == (text, {})


@pytest.mark.parametrize(("text", "expected"), HIDDEN.values(), ids=HIDDEN)
def test_redacting_twice_changes_nothing(text, expected):
    assert REDACTOR.redact(expected) == (expected, {})


def test_counts_are_per_rule():
    assert REDACTOR.redact(f"{FORGE} {FORGE} una.tern@otterquay.org").counts == {
        "github-token": 2,
        "email": 1,
    }


def test_find_says_where_and_what():
    (hit,) = REDACTOR.find(f"é {FORGE}")
    assert hit == ("github-token", "secret", 2, 2 + len(FORGE))


def test_names_of_a_list_are_hidden_as_whole_words_in_any_case():
    redactor = Redactor(["Una Tern", "Zoë"])
    assert (
        redactor.redact("UNA TERN and zoë met Unatern, Zoëlle").text
        == "<name> and <name> met Unatern, Zoëlle"
    )


def test_a_name_that_is_a_word_of_a_placeholder_does_not_break_it():
    redactor = Redactor(["email", "secret"])
    assert redactor.redact("una.tern@otterquay.org").text == "<email>"


def test_many_texts_give_what_each_gives_alone():
    texts = [text for text, _ in HIDDEN.values()] + LEFT_ALONE + ["", "\0", "é"]
    assert REDACTOR.redact_many(texts) == [REDACTOR.redact(text) for text in texts]


def test_invented_secrets_of_the_demo_are_found_wherever_it_puts_them():
    from afterglow_demo.hazards import invent_secret

    places = {
        "user": "use this for the staging server: {} and do not lose it",
        "argument": "TIDE_KEY={} make smoke",
        "result": "TIDE_MODE=staging\nTIDE_KEY={}\nTIDE_PORT=8080",
    }
    for secret in (invent_secret(RNG) for _ in range(300)):
        kept = REDACTOR.redact(places[secret.where].format(secret.value)).text
        assert not [
            line for line in secret.value.split("\n") if len(line) > 30 and line in kept
        ], secret.kind
        assert secret.value not in kept, secret.kind


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="auto, hyperscan or python"):
        Redactor(engine="grep")
