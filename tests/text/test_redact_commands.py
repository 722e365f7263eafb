"""Secrets in command lines, arguments of tools and speech. Secret-shaped values are put together at run time."""

from random import Random
from string import ascii_letters, digits

import pytest

from afterglow.text.redact import Redactor

REDACTOR, PLAIN = Redactor(), Redactor(engine="python")
PASSWORD = "Zq7" + "wL9" + "xV2p"
WORDS = "tall-" + "Gull9"
LONG = PASSWORD + "Kd83" + "mTq0aB"
SHA = "4f0c9a1be27d" + "83c65f10b2d9" + "4e7a6c835d01" + "fb29"

COMMANDS = r"""
http --auth una:{} GET quay.test
http -a una:{} quay.test
xh -a 'una:{}' quay.test
curl --user una:{} https://quay.test
curl --user=una:{} https://quay.test
curl -sS -X POST \\n  -u 'una:{}' https://quay.test
["curl", "-u", "una:{}", "https://quay.test"]
wget --user=una --password={} https://quay.test
wget --http-password {} quay.test
tool --basic-auth una:{}
tool --creds una:{}
tool -u una:{} start
skopeo copy --src-creds una:{} a b
sshpass -p {} ssh una@quay
sshpass -p{} ssh una@quay
["sshpass", "-p", "{}", "ssh"]
docker login -u una -p {}
docker login --username una --password {} quay.test
az login -u una -p '{}'
helm upgrade tide chart --set password={}
helm upgrade tide chart --set auth.password={},replicas=2
kubectl create secret generic tide --from-literal=pass={}
redis-cli -h quay -a {} ping
redis-cli --pass {} ping
psql "host=quay password={} user=una"
mysql -u root -p{} tide
mongosh -u una -p {} --authenticationDatabase admin
ldapsearch -x -D cn=una -w {}
smbclient //quay/x -U una%{}
lftp -u una,{} sftp://quay
unzip -P {} a.zip
7z x -p{} a.7z
openssl rsa -passin pass:{} -in k
gpg --batch --passphrase {} -d x
keytool -list -storepass {}
sqlcmd -S quay -U sa -P {}
xfreerdp /u:una /p:{} /v:quay
htpasswd -nb una {}
rabbitmqctl add_user una {}
echo {} | sudo -S ls
echo '{}' | docker login -u una --password-stdin
echo 'una:{}' | chpasswd
sudo -S ls <<< {}
export PASS={}
"""
ARGUMENTS = r"""
tool(key={})
mcp__tide__call(key='{}', n=3)
{"key": "{}"}
{\"key\": \"{}\"}
{"auth": "{}"}
{"login": "una:{}"}
{"pin": "{}"}
{"pass": "{}"}
pw: {}
auth=("una", "{}")
auth: ["una", "{}"]
server.login(user, "{}")
https://quay.test/?key={}&n=1
| password | {} |
**Password:** {}
"""
SAID = """
never put secret={} in urls
never put secret {} in urls
the login is una / {}
the login is una/{} on staging
log in as una with {}
credentials are una / {}
login as una, password {}
user: una, pass: {}
the password for the staging database is {}
password is: {}
my password's {}
use {} as the password
set `{}` as the deploy token
{} is my API key
"""
TOKENS = """
always use {} as the deploy token
the token {}
the token `{}`
the deploy token ({})
our api key, {}, expires
token for the api is {}
use {} to log in to the api
vault login {}
vault login token={}
snyk auth {}
ngrok config add-authtoken {}
aws configure set aws_secret_access_key {}
gh secret set DEPLOY --body {}
oc login --token={}
"""
NUMBERS = [
    "my PIN is 4921",
    "PIN: 4921",
    "set my PIN to 4921",
    "the pin code is 4921",
    "the passcode is 4921",
    "CVV 4921",
    "the OTP is 4921",
]


def lines(block):
    return [line.replace("\\n", "\n") for line in block.splitlines() if line]


def hides(form, value):
    text = form.replace("{}", value)
    found = REDACTOR.redact(text)
    assert found == PLAIN.redact(text)
    before, after = form.split("{}")
    return (
        found.text.startswith(before)
        and found.text.endswith(after)
        and value not in found.text
    )


@pytest.mark.parametrize("form", lines(COMMANDS + ARGUMENTS + SAID))
def test_hides_a_password_and_nothing_else(form):
    assert hides(form, PASSWORD)


@pytest.mark.parametrize("form", lines(TOKENS))
def test_hides_a_token_and_nothing_else(form):
    assert hides(form, SHA)
    assert hides(form, LONG)


@pytest.mark.parametrize("text", NUMBERS)
def test_hides_numbers_that_are_called_a_secret(text):
    assert REDACTOR.redact(text).text == text.replace("4921", "<secret:said>")


@pytest.mark.parametrize(
    "form",
    [
        "http -a una:{} quay.test",
        "sshpass -p '{}' ssh quay",
        "the login is una / {}",
        "the password for una is {}",
    ],
)
def test_a_password_of_words_is_hidden_where_only_a_password_stands(form):
    assert hides(form, WORDS)


def test_most_drawn_values_are_hidden_after_a_bare_key():
    rng = Random(11)
    drawn = ["".join(rng.choices(ascii_letters + digits, k=16)) for _ in range(200)]
    assert sum(hides('{"key": "{}"}', value) for value in drawn) >= 160


@pytest.mark.parametrize(
    "text",
    [
        # names and numbers after a bare key, pin or auth
        "key=name key=Enter key: 'user-id' key=item1 key=v1.2.3 key=42 key=Ctrl+Shift+F5 key=iPhone15ProMax",
        '{"key": "ArrowUp"} {"key": "TIDE-4821"} {"key": "createdAt"} {"key": "a1b2c3d4"} {"key": "OAuth2Client"}',
        "sorted(x, key=lambda y: y[1]) key: user:42:profile key=boto.s3.key.Key",
        'pin=13 {"pin": 4921} {"pin": "4921"} {"auth": "basic"} {"auth": true} pass: 12 PASS: TestB2SumX1 pass=True',
        "auth=('user', 'pass') auth=(user, password) login(user, password) auth: ['read:x1', 'write:x2']",
        # commits, where they are called one, or nothing
        f"commit {SHA}",
        f"sha256:{SHA}",
        f"git checkout {SHA}",
        f"at revision {SHA}",
        f"reset to {SHA} and pin actions/checkout@{SHA}",
        f"{SHA} is the merge commit, use {SHA} as the base, use {SHA} as the cache key",
        f"the login page broke in {SHA}",
        f"the token in commit: {SHA}",
        # the same letters as options of other programs
        "git commit -a -m x; ls -a Foo1234; cp -a src1234 dst; rsync -a Src123 quay:/x",
        "mkdir -p build1234; ssh -p 2222 quay; docker run -p 8080:80 --user 1000:1000 tide; nmap -p 1-1000 quay",
        "docker login && mkdir -p build1234a",
        "redis-cli ping && ls -a Foo1234",
        "mysql -u root -p tide",
        "http -a user:pass quay.test; http -a $USER:$PASS quay.test; curl -u $USER:$PW quay.test; tool --auth none",
        "docker run --user build:x86_64 tide",
        "gh pr create --body 'Closes the gap2'",
        "vault login -method=oidc; cargo login; npm login; bw unlock",
        "echo a1b2c3 | sudo tee x",
        # prose
        "pin 13 is 3.3V, PIN 13, Erlang/OTP 27, exit code 4921, status code is 4921, pin to 20240115, the code is 4921",
        "the login is broken / needs2 work; login is handled in src/auth2/login.py; log in with OAuth2 / PKCE",
        "the password is sha256 hashed, password reset2, password bcrypt12, use bcrypt2 as the password hash",
        "the password for the database is in 1password; token for the API is read from env",
        "see ../home/index and import x from '../../home/Header2'",
        "card 4111 1111 1111 1112, order 41111111111111111111, ?id=4111111111111111",
    ],
)
def test_leaves_facts_alone(text):
    assert REDACTOR.redact(text) == (text, {})
    assert PLAIN.redact(text) == (text, {})
