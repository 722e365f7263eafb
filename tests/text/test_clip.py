"""What is shown or written does nothing to a terminal."""

from __future__ import annotations

import json

from afterglow.text.clip import clip_words, harmless_json, uncoloured


def test_json_escapes_what_a_terminal_would_act_on():
    said = "a\x9b31m\x7f\u202eb\u2028\u200b\ufeff é 漢"
    data = harmless_json(json.dumps({"said": said}, ensure_ascii=False).encode())
    assert json.loads(data) == {"said": said}
    assert all(c.isprintable() for c in data.decode())


def test_colours_titles_and_links_go_and_words_stay():
    assert (
        uncoloured(
            "\x1b[1;31mred\x1b[0m \x1b]0;title\x07word \x1b]8;;https://aquay\x1b\\link"
        )
        == "red word link"
    )


def test_a_title_without_an_end_does_not_swallow_the_next_line():
    assert uncoloured("\x1b]0;title\nerror: no berth") == "\nerror: no berth"


def test_what_is_cut_ends_with_a_whole_word():
    assert clip_words("the lamp is wet", 15) == "the lamp is wet"
    assert clip_words("the lamp is wet", 14) == "the lamp is…"
    assert clip_words("thelampiswet", 5) == "thel…"
