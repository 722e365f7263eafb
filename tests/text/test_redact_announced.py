"""What a word announces is hidden whatever it looks like, and a sentence about it stays. Values are put together here."""

import pytest

from afterglow.text.redact import Redactor
from afterglow.text.redact.letter_pairs import unreadable
from afterglow.text.redact.sentence_words import is_sentence_word

REDACTOR, PLAIN = Redactor(), Redactor(engine="python")

SMALL = "qhdk" + "wlzmvb"
MIXED = "kTqb" + "RwLmxZpe"
DIGITS = "a3k" + "d9x2m"
WORDS = "kestrel-" + "harbor"
HOST = "maple42" + ".quay.local"
SIGNS = "aB%3" + "(x;k9]q"

PLACES = """
the password is {}
the password for the wiki is {}
my passphrase is {}
use {} as the deploy password
das Passwort ist {}
le mot de passe est {}
la contraseña es {}
пароль: {}
tool --password {} --user una
tool --token {}
tool --token '{}' push
["tool", "--password", "{}"]
sshpass -p '{}' ssh quay
DB_PASSWORD={}
export API_TOKEN="{}"
"client_secret": "{}"
X-Api-Key: {}
Authorization: NTLM {}
Proxy-Authorization: Bearer {}
"Authorization": "Bearer {}"
setenv DB_PASS {}
git config remote.quay.token {}
"""


def hides(place, value):
    text = place.replace("{}", value)
    redacted = REDACTOR.redact(text)
    assert redacted == PLAIN.redact(text)
    half = len(value) // 2
    return value[:half] not in redacted.text and value[-half:] not in redacted.text


@pytest.mark.parametrize("place", PLACES.strip().splitlines())
@pytest.mark.parametrize("value", [SMALL, MIXED, DIGITS, HOST])
def test_what_is_announced_is_hidden_whatever_it_looks_like(place, value):
    assert hides(place, value)


@pytest.mark.parametrize(
    "place",
    [
        "the password is {}",
        "tool --password {}",
        "tool --token {}",
        "DB_PASSWORD={}",
        "password: {}",
        '"access_token": "{}"',
    ],
)
def test_words_are_hidden_where_only_a_value_stands(place):
    assert hides(place, WORDS)


@pytest.mark.parametrize(
    "place",
    [
        "DB_PASSWORD={}",
        'DB_PASSWORD="{}"',
        '"password": "{}"',
        'psql "host=quay password={}"',
        "--from-literal=password={}",
    ],
)
def test_signs_inside_a_password_do_not_end_it(place):
    assert hides(place, SIGNS)


@pytest.mark.parametrize("scheme", ["Basic", "basic"])
def test_a_login_in_base64_is_hidden_wherever_it_stands(scheme):
    encoded = "dW5hOn" + "RhbGwtR3VsbDk="
    text = '{"value": "' + f'{scheme} {encoded}"' + "}"
    assert REDACTOR.redact(text).text == text.replace(encoded, "<secret:basic>")


def test_a_message_of_ntlm_is_hidden_without_its_header():
    message = "TlRMTVNT" + "UAABAAAAB4IIog=="
    assert REDACTOR.redact(f"sent {message}").text == "sent <secret:ntlm>"


@pytest.mark.parametrize(
    "text",
    [
        "the password is required, the token is invalid, the secret is mounted as a volume",
        "the password is case-sensitive and is never stored",
        "the --token flag is required; with --password you are asked for it",
        "  --token string      the token to use",
        "  --password PASSWORD  the password",
        "--api-token requires --user",
        "das Passwort ist falsch",
        "use it as the token and use the email as the password",
        "use bcrypt as the password hash",
        "uses a Bearer token, Bearer authentication",
        'WWW-Authenticate: Bearer realm="quay"',
        "privateKey: Uint8Array",
        "password: string",
        "token = rows[0]",
        "secret_key = vec![0u8; 32]",
        "password = models.CharField(max_length=100)",
        "refreshToken: 'refresh-456', accessToken: 'access-123'",
        "AUTH_TOKEN=token_123",
        "PASSWORD: 'passwordFactor'",
        "| `delete_secret` | `routes.rs:383` |",
        "a library identified by 'name'",
        "account for verbatim / LaTeX-like areas",
        '{"user": {"login": "khaong", "id": 3}}',
        "a password for the service in the keychain. This is ideal for it",
        "the token's `exp` claim, 1Password's `op-ssh-sign`",
        "configure OAuth storage",
        "AUTHORIZATION = JWT_REMOVED",
    ],
)
def test_sentences_and_code_about_secrets_stay(text):
    assert REDACTOR.redact(text) == (text, {})
    assert PLAIN.redact(text) == (text, {})


def test_drawn_letters_are_told_from_words():
    assert all(map(unreadable, (SMALL, MIXED, SMALL.upper())))
    words = "getToken passwordFactor XMLHttpRequest configuration kestrel nginx LaTeX"
    assert not any(map(unreadable, words.split()))


def test_a_sentence_goes_on_with_little_words_and_participles():
    words = "not required invalid stored case-sensitive forgotten too"
    assert all(map(is_sentence_word, words.split()))
    assert not any(map(is_sentence_word, ("kestrel", "maple.quay", "hunter2")))
