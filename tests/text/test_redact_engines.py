"""Both engines agree on everything, stay linear on hostile text, and the compiled rules are kept between runs."""

import os
import re
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afterglow.text.redact import Redactor
from afterglow.text.redact.engines import Hyperscan, PlainPython, as_bytes

FAST, PLAIN = (
    Redactor(["Una Tern", "zoë"], engine="hyperscan"),
    Redactor(["Una Tern", "zoë"], engine="python"),
)
RULES = PLAIN._rules

WORDS = sorted({start for rule in RULES for start in rule.starts})
GLUE = [
    " ",
    "\n",
    "=",
    ":",
    ": ",
    '"',
    "'",
    " = ",
    "/",
    "@",
    "://",
    "-",
    "_",
    ".",
    ",",
    "\\n",
    "<",
    ">",
    "\0",
    "é",
    "+",
    "(",
    ")",
]
VALUES = st.one_of(
    st.from_regex(r"[A-Za-z0-9]{20,60}", fullmatch=True),
    st.from_regex(r"[a-f0-9]{32,64}", fullmatch=True),
    st.from_regex(
        r"\+?\(?[0-9]{1,4}[ ).-]{1,2}[0-9]{2,4}[ .-][0-9]{2,6}", fullmatch=True
    ),
    st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){3,5}", fullmatch=True),
    st.from_regex(r"[a-z.]{1,12}@[a-z.]{1,12}\.(com|py|org)", fullmatch=True),
    st.sampled_from(
        [
            "password",
            "token",
            "secret",
            "value",
            "curl -u a:b9c8d7 ",
            "kind: Secret\ndata:\n",
            "use this for the api: ",
            " as the deploy token",
        ]
    ),
    st.sampled_from(
        [
            "/home/",
            "/Users/",
            "C:\\Users\\",
            "una",
            "Una Tern",
            "ZOË",
            "<email>",
            "<secret:assigned>",
            "~",
        ]
    ),
    st.sampled_from(
        ["-----BEGIN RSA " + "PRIVATE KEY-----", "-----END RSA " + "PRIVATE KEY-----"]
    ),
)
TEXTS = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(GLUE), VALUES), max_size=30
).map("".join)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_both_engines_find_the_same(text):
    assert FAST.find(text) == PLAIN.find(text)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_redacting_any_text_twice_changes_nothing(text):
    once = FAST.redact(text).text
    assert FAST.redact(once) == (once, {})


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(TEXTS, st.text(max_size=40)), max_size=6))
def test_scanning_together_is_scanning_alone(texts):
    assert FAST.redact_many(texts) == [PLAIN.redact(text) for text in texts]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([rule for rule in RULES if rule.starts]), st.data())
def test_every_anchor_begins_with_a_word_that_plain_python_looks_for(rule, data):
    anchor = re.sub(r"\\b", "", rule.anchor)
    text = data.draw(
        st.from_regex(re.compile(anchor, re.ASCII), fullmatch=True)
    ).lower()
    assert text.startswith(rule.starts)


HOSTILE = {
    "equals": "=",
    "letters": "a",
    "ats": "a@",
    "at after at": "@",
    "base64": "eyJhbGciOiJIUzI1NiJ9",
    "digits": "4539148803436467",
    "spaced digits": "4539 ",
    "dots": "1.",
    "keys": "password=",
    "keys with colons": "secret:token:",
    "key begins": "-----BEGIN RSA " + "PRIVATE KEY-----\n",
    "key ends": "-----END RSA " + "PRIVATE KEY-----\n",
    "logins": "://a:b",
    "curls": "curl -u ",
    "long tokens": "/ops_" + "eyJ",
    "dashes": " --",
    "quotes": 'token="',
    "cluster secrets": "kind: secret\ndata:\n",
    "homes": "/home/a",
    "emails": "una@quay.org ",
    "half emails": "una.una.una@quay.",
    "handing over": "use this api ",
    "phones": "tel +1 ",
    "programs": "mysql login -p ",
    "words of a command": "add_user tern77 ",
    "pipes": "echo a1b2 | sudo -S ",
    "roles": "Zq7wL9xV2p4d is the token ",
    "logins said": "login is una / a1 ",
    "purposes": "password for una ",
    "ways up": "../Users/",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_comes_to_an_end(piece):
    text = piece * ((1 << 18) // len(piece))
    assert FAST.redact(text).text


def test_importing_compiles_nothing():
    code = "import sys, afterglow.text.redact as r; r.Redactor(); print('hyperscan' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_without_hyperscan_plain_python_is_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert Redactor().redact("una.tern@otterquay.org").text == "<email>"
    with pytest.raises(ImportError):
        Redactor(engine="hyperscan").redact("")


def test_the_compiled_rules_are_kept_and_read_again(tmp_path):
    assert (
        Redactor(cache=tmp_path / "new").redact("una.tern@otterquay.org").text
        == "<email>"
    )
    (kept,) = (tmp_path / "new").iterdir()
    written = kept.stat().st_mtime_ns
    assert (
        Redactor(cache=tmp_path / "new").redact("una.tern@otterquay.org").text
        == "<email>"
    )
    assert kept.stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", [b"", b"junk", b"\0" * 4096])
def test_damaged_kept_rules_are_ignored_and_replaced(tmp_path, damage):
    Redactor(cache=tmp_path).redact("")
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(damage)
    assert Redactor(cache=tmp_path).redact("una.tern@otterquay.org").text == "<email>"
    assert kept.stat().st_size > 10_000


def test_a_cache_that_cannot_be_written_is_ignored(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert (
        Redactor(cache=blocked / "cache").redact("una.tern@otterquay.org").text
        == "<email>"
    )


def test_rules_of_other_names_are_kept_apart(tmp_path):
    Redactor(["Una"], cache=tmp_path).redact("")
    assert Redactor(["Tern"], cache=tmp_path).redact("Una Tern").text == "Una <name>"


def test_points_of_plain_python_are_places_in_the_text():
    text = "é una@quay.org"
    assert {place for place, _ in PlainPython(RULES).points(as_bytes(text))} == {
        text.index("@") + 2
    }


def test_a_fork_while_another_thread_scans_does_not_hang_the_child():
    engine = FAST._engine
    assert isinstance(engine, Hyperscan)
    with engine._lock:  # as a thread that is scanning has it
        child = os.fork()
        if not child:
            signal.alarm(30)  # instead of for ever
            os._exit(0 if engine.points(b"ghp_" + b"a1B2c3D4e5F6" * 3) else 1)
    assert os.waitpid(child, 0)[1] == 0
