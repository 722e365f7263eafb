"""Secrets that a word announces, drawn anew: shapes of values x places that announce one, and places that announce none.

    python -m bench.announced_secrets [--draws 2000] [--half build|unseen] [--show]

The places are split in two halves by a draw (`SPLIT`); the rules were written looking at the first only. A value counts
as hidden where none of it is left; a text without a secret counts as a false alarm where anything is hidden in it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, hexdigits
from typing import NamedTuple

from afterglow.text.redact import Redactor

SPLIT = 20261116  # the draw that parts the places
VALUES = 41  # the draw of the values
WORDS = (
    "otter quay lamp kestrel harbor maple violet copper thistle ember gravel pelican saddle walnut drizzle falcon"
).split()


def drawn(alphabet: str, least: int, most: int) -> Callable[[Random], str]:
    return lambda rng: "".join(rng.choices(alphabet, k=rng.randint(least, most)))


def spoilt(rng: Random) -> str:
    """Letters and digits with signs inside, as password managers draw them."""
    length = rng.randint(9, 16)
    letters = rng.choices(ascii_letters + digits, k=length)
    for at in rng.sample(range(1, length - 1), 3):
        letters[at] = rng.choice("!#%&()*+,-./:;=?@[]^_{|}~")
    return "".join(letters)


def joined_words(rng: Random) -> str:
    return rng.choice("-_.").join(rng.sample(WORDS, rng.randint(2, 3)))


def word_and_number(rng: Random) -> str:
    return rng.choice(WORDS).capitalize() + str(rng.randint(1, 9999))


def host_like(rng: Random) -> str:
    return f"{rng.choice(WORDS)}{rng.randint(1, 99)}.{rng.choice(WORDS)}.{rng.choice(('io', 'net', 'local'))}"


SHAPES: dict[str, Callable[[Random], str]] = {
    "small letters": drawn(ascii_lowercase, 10, 14),
    "letters": drawn(ascii_letters, 10, 14),
    "capitals": drawn(ascii_uppercase, 10, 14),
    "small letters and digits": drawn(ascii_lowercase + digits, 8, 16),
    "letters and digits": drawn(ascii_letters + digits, 10, 24),
    "short": drawn(ascii_lowercase + digits, 6, 7),
    "signs inside": spoilt,
    "hexadecimal": drawn(hexdigits.lower()[:16], 32, 40),
    "words": joined_words,
    "word and number": word_and_number,
    "like a host": host_like,
}

# Where a word says that what follows, or went before, is the secret.
ANNOUNCED = r"""
the password is {}
password is {}, do not commit it
the admin password is "{}"
the staging password was {} last week
my password's {}
the password for the wiki is {}
Password: {}
Passwort: {}
das Passwort ist {}
das Kennwort lautet {}
le mot de passe est {}
la contraseña es {}
a senha é {}
il token è {}
het wachtwoord is {}
пароль: {}
密码是 {}
use {} as the deploy password
use {} as the password
use `{}` as the API token
try {} as the passphrase
set {} as the root password
with the password {}
log in as una with password {}
login: una / {}
una:{} is the login
the token is {}
here is the token: {}
here's the api key: {}
the secret is {}
API key = {}
api_key: "{}"
apiKey: '{}',
"password": "{}"
"access_token": "{}",
{"token": "{}"}
{\"password\": \"{}\"}
DB_PASSWORD={}
DB_PASSWORD="{}"
DB_PASSWORD='{}'
export SLACK_TOKEN={}
export API_TOKEN="{}"
set SECRET_KEY={}
ENV JWT_SECRET={}
-e POSTGRES_PASSWORD={}
password = "{}"
password: {}
client_secret: {}
  token: "{}"
tool --token {} deploy
tool deploy --token {}
tool --token={}
tool --password {} --user una
tool --password={}
tool --api-key {}
tool --api-key "{}"
tool --secret {}
tool --auth-token {} push
tool --client-secret {}
["tool", "--password", "{}"]
sshpass -p {} ssh una@quay
mysql -u una -p{} tide
docker login -u una -p {}
curl -u una:{} https://quay.test
curl -H "Authorization: Bearer {}" https://quay.test
Authorization: Bearer {}
authorization: token {}
Authorization: ApiKey {}
"Authorization": "Bearer {}"
headers={"Authorization": "Token {}"}
-H 'X-Api-Key: {}'
X-Auth-Token: {}
x-vault-token: {}
Proxy-Authorization: Bearer {}
postgres://una:{}@db.quay.test/tide
redis://:{}@cache.quay.test:6379
https://una:{}@quay.test/repo.git
requests.get(url, auth=("una", "{}"))
client.login("una", "{}")
psql "host=quay user=una password={}"
Server=quay;User Id=una;Password={};
<password>{}</password>
| password | {} |
- **Password**: `{}`
IDENTIFIED BY '{}'
ALTER USER una WITH PASSWORD '{}'
echo "{}" | docker login --password-stdin
- name: DB_PASSWORD\n  value: {}
{"name": "API_TOKEN", "value": "{}"}
git config credential.token {}
aws configure set aws_secret_access_key {}
machine quay.test login una password {}
//npm.quay.test/:_authToken={}
$env:API_KEY = "{}"
setenv DB_PASS {}
kubectl create secret generic tide --from-literal=password={}
?access_token={}&page=2
token={}
my passphrase is {}
the passcode is {}
Enter password: {}
"""

# Where such a word stands and nothing is given away.
HARMLESS = r"""
the password is required
the password is too short
the password is stored in the vault
the password is hashed with bcrypt
the password is empty by default
password is not allowed here
the token is invalid or expired
the token is missing from the request
the token is refreshed every hour
the secret is mounted as a volume
the secret is read at startup
a password is needed for this user
the password was rejected by the server
the password for the account is managed by the vault
the api key is optional
use the email as the password
use it as the token
use the session as the secret source
the --token flag is required
pass --token to authenticate
with --password you are asked for it
--password is deprecated, use --password-file
  --token string      the token to use
  --password PASSWORD  the password
  --token TOKEN
--api-key <key>
--token $TOKEN deploy
--password "$DB_PASSWORD"
--token ${{ secrets.TOKEN }}
Bearer token authentication
uses a Bearer token
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${token}
the Authorization header is missing
WWW-Authenticate: Bearer realm="quay"
password: string
password: str,
password?: string;
token: Optional[str] = None
token: string | null
password = None
password = input("Password: ")
password = getpass()
token = request.headers["X-Token"]
token = tokens[0]
token = next(iterator)
secret = secrets.token_hex(16)
api_key = os.getenv("API_KEY")
password=password
password = user.password
token=self.token,
key=lambda row: row[1]
"token": "string",
"password": {"type": "string"}
"password": "<password>"
"token": null
"token": true
password: ${DB_PASSWORD}
password: "{{ vault_password }}"
DB_PASSWORD=$DB_PASSWORD
DB_PASSWORD=
DB_PASSWORD=changeme
DB_PASSWORD=your-password-here
password: yes
token_type: bearer
token_count: 4821
max_tokens: 4096
"tokens": 182
if (token === undefined) return
if not password: raise ValueError
credentials: 'include'
credentials: "same-origin"
<input type="password" name="password">
type: password
name: password
label: "Password"
secretName: tide-tls
secretKeyRef:
key: database-url
auth: basic
auth=None
def login(user, password):
login(username, password)
auth=(user, password)
validate_token(token)
token.split(".")
postgres://user:password@localhost/db is a sample
https://$USER:$PASS@quay.test
https://<user>:<password>@quay.test
Token usage: 4821
Password reset requested
Secret scanning is on
Key: Enter
docker run -p 8080:80 tide
mkdir -p build
ssh -p 2222 quay
the password policy requires twelve characters
password authentication failed for user "una"
fatal: could not read Password for 'https://quay.test'
Error: token expired
invalid password: try again
secret not found
access denied (using password: YES)
Permission denied (publickey,password)
error: unauthorized: authentication required
SyntaxError: Unexpected token '<'
unexpected token: identifier
tokens are split at spaces
the next token is a string literal
each token is counted once
das Passwort ist falsch
le mot de passe est obligatoire
la contraseña es incorrecta
"""


class Case(NamedTuple):
    place: str
    shape: str  # "" where nothing is secret
    text: str
    value: str


def places(half: str) -> tuple[list[str], list[str]]:
    """The announcing and the harmless places of a half, or of both."""
    announced, harmless = (
        [line.replace("\\n", "\n") for line in table.strip("\n").splitlines()]
        for table in (ANNOUNCED, HARMLESS)
    )
    rng = Random(SPLIT)
    for table in (announced, harmless):
        rng.shuffle(table)
    if half == "both":
        return announced, harmless
    parts = {"build": slice(0, None, 2), "unseen": slice(1, None, 2)}
    return announced[parts[half]], harmless[parts[half]]


def cases(half: str, draws: int) -> Iterator[Case]:
    announced, harmless = places(half)
    rng = Random(VALUES)
    for _ in range(draws):
        place, shape = rng.choice(announced), rng.choice(list(SHAPES))
        value = SHAPES[shape](rng)
        yield Case(place, shape, place.replace("{}", value), value)
    for place in harmless:
        yield Case(place, "", place, "")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--half", choices=("build", "unseen", "both"), default="both")
    parser.add_argument("--show", action="store_true", help="print what went wrong")
    chosen = parser.parse_args()
    redactor = Redactor()
    hidden: Counter[str] = Counter()
    drawn_cases: Counter[str] = Counter()
    by_place: Counter[str] = Counter()
    alarms = harmless = 0
    for case in cases(chosen.half, chosen.draws):
        after = redactor.redact(case.text).text
        if not case.shape:
            harmless += 1
            if after != case.text:
                alarms += 1
                print(f"  wrong  {after!r}")
            continue
        drawn_cases[case.shape] += 1
        if case.value in after or not _is_gone(case.value, after):
            by_place[case.place] += 1
            if chosen.show:
                print(f"  missed {after!r}")
        else:
            hidden[case.shape] += 1
    for shape, count in drawn_cases.items():
        print(f"  {shape:28} {hidden[shape] / count:.3f} of {count}")
    print("  missed most at:", by_place.most_common(25))
    recall = hidden.total() / drawn_cases.total()
    print(
        f"recall {recall:.3f} of {drawn_cases.total()}, false alarms {alarms} of {harmless}"
    )


def _is_gone(value: str, after: str) -> bool:
    """No half of the value is left."""
    half = max(4, len(value) // 2)
    return value[:half] not in after and value[-half:] not in after


if __name__ == "__main__":
    main()
