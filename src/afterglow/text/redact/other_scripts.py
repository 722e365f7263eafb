"""Passwords announced in scripts that patterns of bytes cannot name: Cyrillic, Chinese, Japanese, Korean, Greek, Hebrew,
Arabic. The engine sees such letters as question marks: a run of them before a plain word is looked at in the text itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afterglow.text.redact.announced import Place, is_drawn, may_be_secret
from afterglow.text.redact.rule import ASSIGNED, Rule, Span

PASSWORDS = (
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "암호",
    "κωδικός",
    "סיסמה",
    "كلمة المرور",
    "كلمة السر",
)
TOKENS = ("токен", "令牌", "密钥", "トークン", "토큰")
LONGEST = 24  # characters from the beginning of the announcement to the value
# At most a few letters of that script (`是`, `は`, `это`), a sign or a dash.
_BETWEEN = (
    r"[^\x00-\x7f\s]{0,6}\s?(?:[:=：–—-]|[^\x00-\x7f\s]{1,6})?\s{0,2}[\"'`«「*]{0,3}$"
)
_VALUE = re.compile(r"[!-;=?-~]{4,200}")


_PASSWORD = re.compile(rf"(?i:{'|'.join(PASSWORDS)}){_BETWEEN}")
_TOKEN = re.compile(rf"(?i:{'|'.join(TOKENS)}){_BETWEEN}")


def announced(text: str, point: int) -> Iterator[Span]:
    """The point is after the first character of the value."""
    start = point - 1
    before = text[max(0, start - LONGEST) : start]
    if before.isascii():  # question marks as such
        return
    password = bool(_PASSWORD.search(before))
    if not password and not _TOKEN.search(before):
        return
    match = _VALUE.match(text, start)
    value = match[0].rstrip(".,;:!?\"'`)]}*") if match else ""
    if not password and not is_drawn(value):
        return
    if may_be_secret(value, password=password, place=Place.VALUE):
        yield start, start + len(value)


def rules() -> Iterator[Rule]:
    anchor = r"""(?:^|[^?])\?{2,12}[:= -]{0,3}\?{0,6}[:= ]{0,2}["'`]?[A-Za-z0-9]"""
    yield Rule("said", "secret", ASSIGNED, anchor, (), announced)
