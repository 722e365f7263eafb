"""Lines of the shell: order, place, what decides, what is hidden, and lines nobody can read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterglow.calls import bare, command_of, parse, quote, read, write
from afterglow.calls.shell import MAX_LINE_CHARACTERS


def names(line, what):
    return [command.name for command in getattr(parse(line), what)]


def test_commands_stand_in_the_order_in_which_they_run():
    line = parse("echo $(hostname) && make a | tee log; make b")
    programs = [command.name for command in line.commands]
    assert programs == ["hostname", "echo", "make a", "tee", "make b"]


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("(make)", ("subshell",)),
        ("make &", ("background",)),
        ("for x in 1; do make; done", ("loop",)),
        ("if true; then make; fi", ("condition",)),
        ("echo $(make)", ("substitution",)),
        ("f() { make; }", ("function",)),
        ("(for x in 1; do make; done)", ("subshell", "loop")),
    ],
)
def test_a_command_knows_what_it_is_inside_of(line, places):
    made = next(item for item in parse(line).commands if item.program == "make")
    assert made.place == places


def test_a_pipe_binds_tighter_than_a_list():
    assert names("a | b || c && d", "deciding") == ["c", "d"]
    hidden = [
        (item.program, item.hidden_by) for item in parse("a | b || c && d").hidden
    ]
    assert hidden == [("a", "|"), ("b", "||")]


def test_a_redirection_belongs_to_the_command_before_it():
    first, second = parse("make a && make b > log 2>&1").commands
    assert not first.redirections
    assert [item.written for item in second.redirections] == ["> log", "2>&1"]


def test_what_follows_a_here_document_on_its_line_runs_after_it():
    line = parse("cat > a <<EOF && make\nbody\nEOF\nls")
    assert [command.name for command in line.commands] == ["cat", "make", "ls"]
    assert line.commands[0].redirections[1].body == "body\n"
    assert line.commands[0].stdin == "document"


def test_where_standard_input_comes_from():
    def stdin(line):
        return parse(line).commands[-1].stdin

    assert [stdin("cat"), stdin("a | b"), stdin("a < f"), stdin("a <<< x")] == [
        "", "pipe", "file", "string",
    ]  # fmt: skip


def test_errexit_makes_every_command_decide_until_it_is_switched_off():
    line = parse("set -e; make a; set +e; make b; make c")
    decided = [command.name for command in line.commands if command.decides]
    assert decided == ["make a", "set", "make c"]


def test_a_substitution_decides_when_its_value_is_only_assigned():
    assert names("VERSION=$(cat v.txt)", "deciding") == ["cat"]
    assert names("echo $(cat v.txt)", "deciding") == ["echo"]


@pytest.mark.parametrize(
    ("line", "negated"),
    [
        ("! make", True),
        ("! (make)", True),
        ("! bash -c 'make'", True),
        ("! a | b", True),
    ],
)
def test_what_turns_the_end_of_a_command_round(line, negated):
    assert parse(line).commands[-1].negated is negated


def test_exports_and_assignments_of_a_line():
    line = parse("export A=1 B='x y'; C=3; make")
    assert [(item.name, item.value) for item in line.exports] == [
        ("A", "1"),
        ("B", "x y"),
    ]
    assert [item.name for item in line.assignments] == ["C"]


def test_a_subshell_gives_its_directory_back():
    line = parse("cd a; (cd b && make x); make y")
    directories = {item.name: item.directory for item in line.commands}
    assert (directories["make x"], directories["make y"]) == ("a/b", "a")
    assert line.directory == "a"


def test_a_remote_command_does_not_stand_where_the_shell_does():
    assert parse("cd /here && ssh host ls").commands[-1].directory == ""


def test_wrappers_are_taken_off_and_kept_outermost_first():
    command = parse("sudo -E timeout 5 npx -y tsc@5 -p x.json").commands[0]
    assert command.name == "tsc"
    assert [item.text for item in command.wrappers] == [
        "sudo -E",
        "timeout 5",
        "npx -y",
    ]


def test_a_wrapper_around_nothing_is_the_command_itself():
    (command,) = parse("ssh host ''").commands
    assert (command.program, command.wrappers) == ("ssh", ())
    (command,) = parse("timeout 5").commands
    assert (command.program, command.wrappers) == ("timeout", ())


def test_flags_written_together_are_told_apart():
    command = parse("git commit -am 'x' --author=me -S").commands[0]
    pairs = [(flag.name, flag.value) for flag in command.flags]
    assert pairs == [("-a", None), ("-m", "x"), ("--author", "me"), ("-S", None)]


def test_a_line_that_breaks_off_gives_what_can_be_read():
    line = parse("make a && grep 'half")
    assert not line.whole
    assert [command.name for command in line.commands] == ["make a", "grep"]


def test_a_long_line_is_looked_at_up_to_a_limit():
    line = parse("make a; echo " + "x" * MAX_LINE_CHARACTERS)
    assert not line.whole
    assert line.commands[0].name == "make a"


def test_brackets_without_end_do_not_exhaust_the_stack():
    assert not parse("(" * 3000).commands
    assert parse("$(" * 500 + "make" + ")" * 500) is not None


def test_positions_are_characters_even_where_the_grammar_counts_bytes():
    command = parse("grep 'größe – ✨' datei.txt").commands[0]
    assert command.operands == ("größe – ✨", "datei.txt")


@pytest.mark.parametrize(
    "line",
    [
        "echo {\U000f1c2c",
        "{\U00031860",
        "make {\U0010ffff..3}",
        "git commit -m '{\U0001f680} ship it'",
    ],
)
def test_a_brace_before_a_rare_character_does_not_end_the_process(line):
    """tree-sitter-bash died of it, and with it the whole harvest."""
    written = " ".join(command.text for command in parse(line).commands)
    assert all(word in written for word in line.split() if word[0] != "{")


def test_emoji_stay_in_words_and_their_places():
    first, second = parse(
        "echo \U0001f680{\U0001f680 x && make '\U0001f680 y'"
    ).commands
    assert first.operands == ("\U0001f680{\U0001f680", "x")
    assert second.operands == ("\U0001f680 y",)


@given(st.text())
def test_no_text_makes_the_reader_fail(text):
    parse(text)
    read("Bash", text)
    read("Read", text)


SCRAPS = """a git cd && || | ; & ( ) { } ' " ` $( <<EOF EOF if then fi for do done > < env
timeout -- -x = é \\ eval bash -c ssh"""
shellish = st.lists(st.sampled_from([*SCRAPS.split(), "\n"]), max_size=14)


@given(shellish)
def test_no_heap_of_operators_makes_the_reader_fail(parts):
    line = parse(" ".join(parts))
    for command in line.commands:
        write(command)


words = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\x00\r", exclude_categories=("Cs", "Cc")
    ),
    max_size=12,
)


@given(words)
def test_a_quoted_word_is_read_as_that_word(word):
    assert parse(f"run {quote(word)}").commands[0].words == ("run", word)


@given(st.sampled_from(["git", "pytest", "run", "./x"]), st.lists(words, max_size=5))
def test_a_command_made_of_words_is_read_as_itself(program, rest):
    command = command_of([program, *rest])
    assert bare(parse(write(command)).commands[0]) == bare(command)
