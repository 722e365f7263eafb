"""A shell line taken apart."""

from __future__ import annotations

import pytest

from afterglow.calls import commands_in, core_line


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("cd /x && FOO=1 mise run lint 2>&1 | tail -20", "mise run lint"),
        ("export A=b; time make check || echo failed", "make check"),
        ("go test ./dock > /tmp/out.txt 2>&1; echo $?", "go test ./dock"),
        (
            "timeout 60 go test -run 'TestA|TestB' ./dock &> out.txt",
            "go test -run 'TestA|TestB' ./dock",
        ),
        ("make fmt && make lint 2>&1 | grep -v ok", "make fmt && make lint"),
        ("bash -lc 'cd dock && pytest -q'", "pytest -q"),
        ("for f in a b; do go vet $f; done", "go vet $f"),
        ("curl -s localhost:8080/berths | jq '{id: (.a // .b)}' | head -3", None),
        (
            "cat > /tmp/x.go <<EOF\nfoo; bar && baz\nEOF\ngo run /tmp/x.go",
            "cat; go run /tmp/x.go",
        ),
        ("pnpm install \\\n  --frozen-lockfile", "pnpm install --frozen-lockfile"),
        ("# look first\nls -la # all of it", "ls -la"),
        ("echo hello", "echo hello"),
        ("cd /x", "cd /x"),
        ("", ""),
    ],
)
def test_a_line_is_named_without_its_wrapping(line, named):
    if named is None:
        named = line.removesuffix(" | head -3")
    assert core_line(commands_in(line)) == named


def test_operators_and_directories_are_kept_with_each_command():
    first, second, third = commands_in(
        "cd dock && cd quay && make a && FOO=1 make b 2>&1 | tail; make c"
    )
    assert (first.words, first.after, first.then, first.directory) == (
        ("make", "a"),
        "&&",
        "&&",
        "dock/quay",
    )
    assert (second.text, second.after, second.then, second.assignments[0].written) == (
        "make b",
        "&&",
        "|",
        "FOO=1",
    )
    assert (third.after, third.then) == (";", "")


def test_quotes_substitutions_and_documents_hide_operators():
    message = 'git commit -m "$(cat <<\'EOF\'\nDon\'t "do" it; really && now\nEOF\n)" && git push'
    assert [one.words[:2] for one in commands_in(message)] == [
        ("git", "commit"),
        ("git", "push"),
    ]
    nested = (
        'make note TEXT="since $(git log --format="%h; %s" | head -1) only" && make b'
    )
    assert [one.words[:2] for one in commands_in(nested)] == [
        ("make", "note"),
        ("make", "b"),
    ]


def test_words_come_without_quotes():
    (one,) = commands_in("gh api 'repos/a/b?per_page=100' -f body=\"two words\"")
    assert one.words == ("gh", "api", "repos/a/b?per_page=100", "-f", "body=two words")
    assert one.text.endswith("'repos/a/b?per_page=100' -f body=\"two words\"")


@pytest.mark.parametrize(
    "line",
    ["'open", '"open $(a', "a `b", "&& ||", "((((", "<<EOF\nbody", "\\", "x >", "$("],
)
def test_broken_lines_are_taken_as_far_as_they_go(line):
    assert isinstance(core_line(commands_in(line)), str)


@pytest.mark.parametrize(
    "piece", ["'", '"', "$(", "\\", "`", "a=b ", "(", "<<A\n", "&&", "\"$('"]
)
def test_a_hostile_line_comes_to_an_end(piece):
    assert isinstance(commands_in(piece * 100_000), tuple)
