"""What decides the end of a line, held against the shell itself.

Lines are put together at random from commands that succeed and commands that fail, and run by
bash. A line that fails must have a failed command that decides; a line that ends well must
not hold a failed one that decides and that nothing hides.
"""

import random
import subprocess

import pytest

from afterglow.calls import parse

COMMANDS = [f"{kind}{number}" for kind in ("ok", "no") for number in range(12)]
PRELUDE = "\n".join(
    f"{name}() {{ echo {name} >> ran; return {3 * name.startswith('no')}; }}; export -f {name}"
    for name in COMMANDS
)
FORMS = [
    "{} && {}", "{} && {}", "{} || {}", "{} ; {}", "{} | {}", "( {} )", "{{ {}; }}",
    "if {}; then {}; else {}; fi", "for i in 1 2; do {}; done", "X=$( {} )", "bash -c '{}'",
    "{} || exit 1",
]  # fmt: skip


def compose(chance, names, depth):
    form = chance.choice(FORMS)
    if depth == 0 or len(names) < 4:
        return names.pop()
    parts = [compose(chance, names, depth - 1) for _ in range(form.count("{}"))]
    line = form.format(*parts)
    return parts[0] if line.count("'") > 2 else line


def lines():
    for seed in range(120):
        chance = random.Random(seed)
        names = chance.sample(COMMANDS, len(COMMANDS))
        options = chance.choice(["", "", "", "set -e; ", "set -o pipefail; "])
        yield options + compose(chance, names, 3)


@pytest.mark.parametrize("line", list(lines()))
def test_a_line_ends_as_the_commands_that_decide_say(line, tmp_path):
    script = f"{PRELUDE}\n{line}"
    ended = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, check=False
    )
    failed = {
        name for name in (tmp_path / "ran").read_text().split() if name[:2] == "no"
    }
    commands = parse(line).commands
    deciding = {command.program for command in commands if command.decides}
    hidden = {command.program for command in commands if command.hidden_by}
    if ended.returncode:
        assert failed & deciding
    else:
        assert not failed & (deciding - hidden)
