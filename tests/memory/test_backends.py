"""What every memory backend promises, tried on each one of the table: those that keep, and the one that does not."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from afterglow.config import Config, Honcho
from afterglow.errors import UsageError
from afterglow.memory import MemoryBackend
from afterglow.memory.backends import BACKENDS, open_named
from memory.honcho_server import KEY, HonchoServer

KEEPS_NOTHING = {"null"}
LEAVES_THE_MACHINE = {"honcho"}
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3  # invented

NAMES = [
    "editor",
    "pref_python",
    "100% sure",
    'it\'s "quoted" \\ and `ticked`',
    "; DROP TABLE entries; --",
    "../up/and/away?x=1#y",
    "  spaces around  ",
    "two\nlines\ttab",
    "nul\0inside",
    "schlüssel ключ 鍵 مفتاح 🗝️",
    "<|endoftext|>",
    "*",
    "long " * 5_000,
]
VALUES = [
    "",
    "helix",
    "100%_sure 'single' \"double\"",
    "nul\0and\x1asubstitute\x1a0",
    "say <|endoftext|> and <|im_start|>",
    "crlf\r\nlf\ncr\r",
    "ключ 鍵 🗝️ é e\u0301 \ufeff\u202e",
    '{"json": [1, 2.5, null]}',
    "x" * 24_998 + "\0" + "y" * 60_000,
    "🗝️ word " * 150_000,
]


@pytest.fixture
def settings(tmp_path, compiled_rules):
    (tmp_path / "cache").symlink_to(compiled_rules)
    with HonchoServer() as server:
        yield Config(
            home=tmp_path, user_home=tmp_path, honcho=Honcho(KEY, server.url, "tests")
        )


@pytest.fixture(params=BACKENDS.names())
def backend(request, settings):
    """Every backend there is."""
    backend = open_named(request.param, settings)
    yield backend
    backend.close()


@pytest.fixture(params=[name for name in BACKENDS.names() if name not in KEEPS_NOTHING])
def keeping(request, settings):
    """Every backend that keeps what it is given."""
    backend = open_named(request.param, settings)
    yield backend
    backend.close()


def short(text):
    return ascii(text[:20])


# --- all of them ---


def test_it_is_a_backend_that_says_its_name_and_where_data_goes(backend):
    assert isinstance(backend, MemoryBackend)
    assert backend.backend_name in BACKENDS.names()
    assert backend.is_cloud == (backend.backend_name in LEAVES_THE_MACHINE)
    assert backend.is_available()


def test_nothing_is_there_at_first(backend):
    assert backend.retrieve("ana", "editor") is None
    assert backend.query("ana", "editor") == []
    assert backend.list_keys("ana") == []
    assert backend.delete("ana", "editor") is False


def test_store_says_truly_whether_it_was_kept(backend):
    kept = backend.store("ana", "editor", "helix")
    assert kept is (backend.backend_name not in KEEPS_NOTHING)
    assert (backend.retrieve("ana", "editor") is not None) is kept


def test_a_closed_backend_can_be_closed_again_and_used_again(backend):
    kept = backend.store("ana", "editor", "helix")
    backend.close()
    backend.close()
    assert (backend.retrieve("ana", "editor") is not None) is kept


# --- those that keep ---


def test_what_is_stored_comes_back_whole(keeping):
    assert keeping.store(
        "ana", "editor", "helix", {"since": 2024, "why": ["fast", None, True]}
    )
    found = keeping.retrieve("ana", "editor")
    assert (found.key, found.value, found.user_id) == ("editor", "helix", "ana")
    assert found.metadata == {"since": 2024, "why": ["fast", None, True]}
    assert 0 < found.created_at == found.updated_at


def test_a_new_value_replaces_value_and_metadata_and_keeps_when_it_was_created(keeping):
    keeping.store("ana", "editor", "helix", {"since": 2024})
    first = keeping.retrieve("ana", "editor")
    keeping.store("ana", "editor", "zed")
    second = keeping.retrieve("ana", "editor")
    assert (second.value, second.metadata, second.created_at) == (
        "zed",
        {},
        first.created_at,
    )
    assert second.updated_at >= first.updated_at
    assert keeping.list_keys("ana") == ["editor"]


def test_a_deleted_key_starts_anew(keeping):
    keeping.store("ana", "editor", "helix")
    first = keeping.retrieve("ana", "editor")
    keeping.delete("ana", "editor")
    keeping.store("ana", "editor", "zed")
    assert keeping.retrieve("ana", "editor").created_at > first.created_at


def test_what_is_deleted_is_gone_and_only_that(keeping):
    keeping.store("ana", "editor", "helix with a dark theme")
    keeping.store("ana", "shell", "fish with a dark theme")
    assert keeping.delete("ana", "editor") is True
    assert keeping.delete("ana", "editor") is False
    assert keeping.retrieve("ana", "editor") is None
    assert keeping.list_keys("ana") == ["shell"]
    assert [entry.key for entry in keeping.query("ana", "dark theme")] == ["shell"]


def test_users_do_not_see_one_another(keeping):
    keeping.store("ana", "editor", "helix")
    keeping.store("bob", "editor", "vim")
    keeping.store("bob", "shell", "fish")
    assert keeping.retrieve("ana", "editor").value == "helix"
    assert keeping.list_keys("ana") == ["editor"]
    assert {entry.user_id for entry in keeping.query("ana", "vim fish helix")} <= {
        "ana"
    }
    assert keeping.delete("ana", "shell") is False
    keeping.delete("ana", "editor")
    assert keeping.list_keys("bob") == ["editor", "shell"]


def test_names_do_not_run_into_one_another(keeping):
    pairs = [
        ("a", "b:c"),
        ("a:b", "c"),
        ("a", "B:C"),
        ("A", "b:c"),
        ("a ", "b:c"),
        ("é", "k"),
        ("e\u0301", "k"),
    ]
    for user, key in pairs:
        keeping.store(user, key, f"{user}|{key}")
    assert [keeping.retrieve(user, key).value for user, key in pairs] == [
        f"{user}|{key}" for user, key in pairs
    ]


@pytest.mark.parametrize("name", NAMES, ids=short)
def test_any_text_can_name_a_key_and_a_user(keeping, name):
    assert keeping.store(name, name, "kept")
    assert keeping.retrieve(name, name).value == "kept"
    assert keeping.list_keys(name) == [name]
    assert keeping.query(name, "kept")[0].key == name
    assert keeping.delete(name, name) is True
    assert keeping.list_keys(name) == []


@pytest.mark.parametrize("value", VALUES, ids=short)
def test_any_text_is_a_value(keeping, value):
    assert keeping.store("ana", "editor", value, redact=False)
    assert keeping.retrieve("ana", "editor").value == value


def test_metadata_are_whatever_json_can_hold(keeping):
    deep = {"deep": {"er": {"and": {"deep": {"er": {"still": [{"nul": "\0"}]}}}}}}
    metadata = {
        **{f"field {number}": number for number in range(200)},
        "": "",
        "nul\0": 1.5,
        **deep,
    }
    keeping.store("ana", "editor", "helix", metadata)
    assert keeping.retrieve("ana", "editor").metadata == metadata


@pytest.mark.parametrize(
    "metadata", [{"a": object()}, {"a": {1, object()}}, {1: {2: object}}]
)
def test_metadata_json_cannot_hold_are_refused(keeping, metadata):
    with pytest.raises(UsageError, match="JSON"):
        keeping.store("ana", "editor", "helix", metadata)
    assert keeping.list_keys("ana") == []


@pytest.mark.parametrize(
    ("user", "key"), [("", "editor"), ("ana", ""), (7, "editor"), ("ana", 7)]
)
def test_an_entry_needs_names(keeping, user, key):
    for ask in (
        lambda: keeping.store(user, key, "v"),
        lambda: keeping.retrieve(user, key),
    ):
        with pytest.raises(UsageError, match="needs a name"):
            ask()
    with pytest.raises(UsageError, match="needs a name"):
        keeping.delete(user, key)


def test_a_query_and_a_list_need_a_user(keeping):
    for ask in (lambda: keeping.query("", "words"), lambda: keeping.list_keys("")):
        with pytest.raises(UsageError, match="needs a name"):
            ask()


@pytest.mark.parametrize("value", [None, 7, b"bytes", ["list"]])
def test_a_value_is_text(keeping, value):
    with pytest.raises(UsageError, match="is text"):
        keeping.store("ana", "editor", value)


@pytest.mark.parametrize(
    ("key", "value"), [("editor", "half \ud83d"), ("half \ud83d", "helix")]
)
def test_half_a_surrogate_pair_is_refused_or_kept_as_it_is(keeping, key, value):
    try:
        keeping.store("ana", key, value, redact=False)
    except UsageError:
        assert keeping.list_keys("ana") == []
    else:
        assert keeping.retrieve("ana", key).value == value


def test_all_keys_are_listed_in_order_however_many(keeping):
    keys = [f"key {number:03}" for number in range(120)]
    for key in reversed(keys):
        keeping.store("ana", key, "v", redact=False)
    assert keeping.list_keys("ana") == keys


def test_a_query_finds_by_words_of_the_value_and_pieces_of_the_key(keeping):
    keeping.store("ana", "pref_python", "four spaces, no tabs")
    keeping.store("ana", "pref_go", "tabs as gofmt wants them")
    keeping.store("ana", "breakfast", "porridge")
    assert keeping.query("ana", "spaces")[0].key == "pref_python"
    assert keeping.query("ana", "gofmt")[0].value == "tabs as gofmt wants them"
    assert {entry.key for entry in keeping.query("ana", "pref")[:2]} == {
        "pref_python",
        "pref_go",
    }


def test_a_query_answers_with_whole_entries_once_each_and_no_more_than_asked_for(
    keeping,
):
    for number in range(15):
        keeping.store(
            "ana",
            f"meal {number}",
            "porridge " * 6_000 if number % 5 == 0 else "porridge",
            {"n": number},
        )
    found = keeping.query("ana", "porridge", limit=6)
    assert len(found) == 6 == len({entry.key for entry in found})
    assert found == [keeping.retrieve("ana", entry.key) for entry in found]
    assert len(keeping.query("ana", "porridge")) == 10


def test_a_query_answers_with_the_value_of_now(keeping):
    keeping.store("ana", "editor", "helix in the terminal")
    keeping.store("ana", "editor", "zed in a window")
    assert [
        entry.value
        for entry in keeping.query("ana", "editor helix terminal zed window")
    ] == ["zed in a window"]


@pytest.mark.parametrize(
    "query",
    [*NAMES, "\0", '"', "a AND (b", "NEAR(x", "-minus", "col:on", "%", "_", "🗝️" * 500],
)
def test_any_text_can_be_asked_for(keeping, query):
    keeping.store("ana", "editor", "helix")
    assert {entry.key for entry in keeping.query("ana", query)} <= {"editor"}


@pytest.mark.parametrize("nothing", ["", "  \n"])
def test_asking_for_nothing_finds_nothing(keeping, nothing):
    keeping.store("ana", "editor", "helix")
    assert keeping.query("ana", nothing) == []


def test_secrets_are_taken_out_unless_told_otherwise(keeping):
    keeping.store("ana", "token", f"use {SECRET} for pushing", {"note": SECRET})
    hidden = keeping.retrieve("ana", "token")
    assert SECRET not in hidden.value + str(hidden.metadata)
    assert "for pushing" in hidden.value
    keeping.store("ana", "token", SECRET, redact=False)
    assert keeping.retrieve("ana", "token").value == SECRET


def test_a_secret_as_a_key_is_refused_without_being_repeated(keeping):
    with pytest.raises(UsageError, match="looks like a secret") as refused:
        keeping.store("ana", SECRET, "v")
    assert SECRET not in str(refused.value)


def test_another_backend_of_the_same_place_sees_what_was_kept(keeping, settings):
    keeping.store("ana", "editor", "helix", {"since": 2024})
    kept = keeping.retrieve("ana", "editor")
    keeping.close()
    other = open_named(keeping.backend_name, settings)
    assert other.retrieve("ana", "editor") == kept
    other.close()


def test_sixteen_writers_at_once_lose_nothing(keeping):
    start = threading.Barrier(16)

    def write(writer):
        start.wait()
        return [
            keeping.store(
                "ana", f"{writer:02} {number}", f"from {writer}", redact=False
            )
            for number in range(4)
        ]

    with ThreadPoolExecutor(16) as pool:
        assert all(all(kept) for kept in pool.map(write, range(16)))
    assert keeping.list_keys("ana") == [
        f"{writer:02} {number}" for writer in range(16) for number in range(4)
    ]


def test_of_many_writers_of_one_key_one_wins_whole(keeping):
    written = {writer: f"{writer} " * 20_000 for writer in "abcdefgh"}
    start = threading.Barrier(len(written))

    def write(writer):
        start.wait()
        return keeping.store(
            "ana", "editor", written[writer], {"by": writer}, redact=False
        )

    with ThreadPoolExecutor(len(written)) as pool:
        assert all(pool.map(write, written))
    found = keeping.retrieve("ana", "editor")
    assert found.value == written[found.metadata["by"]]
    assert keeping.list_keys("ana") == ["editor"]
    keeping.store("ana", "editor", "last")
    assert keeping.retrieve("ana", "editor").value == "last"


def test_a_secret_known_only_by_its_name_is_hidden_under_key_and_in_metadata(keeping):
    keeping.store(
        "ana",
        "db_password",
        "hunter2-Correct9",
        {"password": "hunter2-Correct9", "n": [{"note": "fine"}]},
    )
    found = keeping.retrieve("ana", "db_password")
    assert "hunter2" not in f"{found.value} {found.metadata}"
    assert found.metadata["n"] == [{"note": "fine"}]


def test_a_secret_as_user_is_refused(keeping):
    with pytest.raises(UsageError, match="looks like a secret"):
        keeping.store(SECRET, "editor", "helix")


@pytest.mark.parametrize(
    ("query", "limit"),
    [(None, 5), (7, 5), (b"x", 5), ("x", None), ("x", "3"), ("x", 2.5), ("x", -1)],
)
def test_a_question_of_the_wrong_kind_is_refused(keeping, query, limit):
    with pytest.raises(UsageError, match=r"a query is|a limit is"):
        keeping.query("ana", query, limit)


def test_a_key_that_is_none_is_refused(keeping):
    for ask in (
        lambda: keeping.store("ana", None, "v"),
        lambda: keeping.retrieve("ana", None),
    ):
        with pytest.raises(UsageError, match="needs a name"):
            ask()


def test_a_limit_larger_than_any_number_of_entries_is_no_error(keeping):
    keeping.store("ana", "editor", "helix")
    assert [entry.key for entry in keeping.query("ana", "helix", 10**30)] == ["editor"]
