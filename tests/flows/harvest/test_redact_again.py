"""What was kept under older rules, or before a person named a word, is redacted again."""

import pytest
from msgspec.structs import replace

from afterglow.config import Config
from afterglow.flows.harvest.redact_again import redact_again
from afterglow.records.knowledge import Evidence
from afterglow.store.knowledge import Knowledge
from keeping import NOW, item


@pytest.fixture
def config(tmp_path):
    return Config(home=tmp_path / "kept", user_home=tmp_path / "home")


PASSWORD = "tall-" + "Gull9"


def keep(config, *items):
    with Knowledge(config.knowledge) as knowledge:
        knowledge.save(items, by="harvest", now=NOW)


def kept(config):
    with Knowledge(config.knowledge) as knowledge:
        return knowledge.items(evidence=True)


def test_words_and_quotes_lose_what_the_rules_hide_now(config):
    quote = f"the password is {PASSWORD}"
    span = Evidence("s1", "codex", 3, "text", 0, 9, "h", quote, "user")
    keep(config, replace(item(1), fact=f"DB_PASSWORD={PASSWORD}", evidence=(span,)))
    assert redact_again(config, now=NOW) == 1
    with Knowledge(config.knowledge) as knowledge:
        history = knowledge.history(item(1).id)
    assert PASSWORD not in repr(kept(config)) + repr(history)
    assert redact_again(config, now=NOW) == 0


def test_a_new_word_of_the_person_s_list_is_taken_out_of_what_was_kept(config):
    keep(config, replace(item(1), fact="Una Tern ships on Fridays"))
    assert redact_again(config, now=NOW) == 0
    named = replace(config, names=("Una Tern",))
    assert redact_again(named, now=NOW) == 1
    assert kept(config)[0].fact == "<name> ships on Fridays"


def test_where_nothing_is_kept_nothing_is_made(config):
    assert redact_again(config, now=NOW) == 0
    assert not config.knowledge.exists()
