"""No secret in a template, wherever in a session it stood."""

from __future__ import annotations

import secrets

from afterglow.text.redact import Redactor
from afterglow.warm.extract import SessionExtractor
from trails import trail_of
from writing import Transcript


def test_a_key_given_to_a_program_is_in_no_marker_not_even_in_part():
    body = secrets.token_hex(40)
    key = f"-----BEGIN {'RSA PRIVATE'} KEY-----\nMIIEpAIBAAKCAQEA{body}\n-----END {'RSA PRIVATE'} KEY-----"
    model = "sk-" + "ant-api03-" + secrets.token_urlsafe(70) + "AA"
    session = Transcript().user("look at the tides")
    for secret in (key, model):
        session.run(f'mysql -u root -p{secret} -e "select 1"', "1")
    for _ in range(3):
        session.run("go test ./...", "ok")
    seed = SessionExtractor(Redactor(), max_examples=2).extract(
        trail_of(session).session, "quay/harbor"
    )
    text = repr(seed)
    assert not [part for part in (body[10:34], model[20:44]) if part in text]
