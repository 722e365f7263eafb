"""Masking for display: shapes stay, values go, prose is left alone."""

import pytest

from afterglow.text.mask import hide_secrets, mask

KEY = "AKIA" + "Z9Y8X7W6V5U4T3S2"


@pytest.mark.parametrize(
    "secret",
    [
        "gh" + "p_" + "0aB1" * 9,
        KEY,
        "xoxb" + "-123456789012-" + "abcDEF123456",
        "eyJhbGciOi" + "JIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
        "ana.lund@example.org",
        "+47 912 34 567 89",
    ],
)
def test_values_are_replaced(secret):
    left = mask(f"use {secret} please")
    assert secret not in left and "<" in left
    assert left.startswith("use ") and left.endswith(" please")


@pytest.mark.parametrize(
    "text",
    [
        "password=swordfish",
        "api_key: swordfish",
        "Authorization: Bearer swordfish",
        "TOKEN='swordfish'",
    ],
)
def test_named_values_are_replaced(text):
    assert "swordfish" not in mask(text)


def test_addresses_lose_user_and_query():
    assert (
        mask("clone https://bo:pw@host.example/team/repo?sig=abc now")
        == "clone https://host.example now"
    )


@pytest.mark.parametrize(
    "text",
    [
        "fix the token parser",
        "run make test in packages/web",
        "max allowed tokens (25000)",
        "update test_parse_header_names",
        "python3.11 and node20",
        "the task-definition-service is down",
        "flask-migrate --progress -preserve",
    ],
)
def test_ordinary_words_stay(text):
    assert mask(text) == text


@pytest.mark.parametrize(
    "name",
    [
        "/home/ana/src/task-runner-service",
        "mcp__task-manager__create",
        "gpt-4o-2024-05-13",
        "MSG.handlers",
    ],
)
def test_names_stay_names(name):
    assert hide_secrets(name) == name


def test_names_lose_what_is_surely_secret():
    token = "ghp_" + "0aB1" * 9
    for name in (
        f"https://ana:{token}@host.example/acme/harbor",
        f"fix/{token}",
        f"/tmp/token={token}",
    ):
        assert token not in hide_secrets(name)
    assert (
        hide_secrets("https://ana:pw@host.example/acme/harbor")
        == "https://host.example/acme/harbor"
    )


def test_control_characters_do_not_pass():
    assert mask("a\x1b[2Jb\u202ec") == "a [2Jb c"
    assert hide_secrets("Bash\x07") == "Bash "
