"""Hooks: how long an agent waits for `afterglow hook`, beside `python -c pass`. `python -m bench.hooks`.

Cold processes each time, with 100,000 items (those of `bench.knowledge`) in the largest repository there is, and a
context of a full page. The runs of all kinds take turns, so that a busy moment hits all of them alike. Then 20 hooks at
once beside a harvest at the priority it has after sessions: the slowest, and how many came back without a context
because of the deadline. Then the start with a template beside the context, chosen out of TEMPLATES, and without; the two
take turns. Then hooks on calls (`bench.call_hooks`); `--sessions FOLDER` says what real sessions pay
for them. Results go to bench/out/hooks.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from afterglow.config import Config
from afterglow.flows.harvest import log_of
from afterglow.records.template import SessionSeed, ToolCallExample, WarmTemplate
from afterglow.store.knowledge import SESSIONS, Knowledge
from afterglow.store.templates.folder import Templates
from bench.call_hooks import measure_calls, paid_by, share_paid
from bench.knowledge import Maker
from bench.measuring import afterglow, environment
from bench.scan import fleet

OUT = Path(__file__).parent / "out"
REPO = "acme/repo-399"
TIMES = 41
MANY = 20
TEMPLATES = 100  # each was read and approved by a person: more than anybody has
OF_THIS_REPOSITORY = 3
PASS = (sys.executable, "-c", "pass")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--sessions", type=Path, help="transcripts of real sessions")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found = measure(options.size)
    if options.sessions:
        hook_ms = float(str(found["fine (one stays), median ms"]))
        found |= share_paid(paid_by(options.sessions), hook_ms)
    (OUT / "hooks.json").write_text(json.dumps(found, indent=2) + "\n")
    for name, value in found.items():
        print(f"{name}: {value}")


def measure(size: int) -> dict[str, object]:
    home = Path(tempfile.mkdtemp(prefix="bench-hooks-"))
    config = Config(home=home, user_home=home)
    maker = Maker()
    with Knowledge(config.knowledge) as knowledge:
        for start in range(0, size, 20_000):
            knowledge.save(
                maker.items(min(20_000, size - start), start),
                by="import",
                now=time.time(),
            )
        knowledge.set_fact(SESSIONS, msgspec.json.encode({REPO: 60}).decode())
    # A busy machine must not end the measurement; 20 at once have the usual deadline.
    (home / "config.toml").write_text("[hooks]\ndeadline_ms = 10000\n")
    cwd = home / REPO.split("/")[1]
    cwd.mkdir()
    told = {
        "session_id": "s",
        "cwd": str(cwd),
        "transcript_path": str(home / "none.jsonl"),
    }
    kinds = {
        "python -c pass": (PASS, {}),
        "SessionStart": (
            afterglow("hook", "SessionStart"),
            {**told, "source": "startup"},
        ),
        "SessionStart, resumed": (
            afterglow("hook", "SessionStart"),
            {**told, "source": "resume"},
        ),
        "UserPromptSubmit, off": (
            afterglow("hook", "UserPromptSubmit"),
            {**told, "prompt": "mend the pier"},
        ),
        "PreToolUse with hints": (
            afterglow("hook", "PreToolUse", "--pretool"),
            {
                **told,
                "tool_name": "Bash",
                "tool_input": {"command": "make ship && git push"},
            },
        ),
        "Stop": (afterglow("hook", "Stop"), told),
    }
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    answer = b""
    for _ in range(TIMES + 1):
        for name, (words, event) in kinds.items():
            begun = time.perf_counter()
            done = subprocess.run(
                words,
                input=json.dumps(event).encode(),
                env=environment(home),
                capture_output=True,
                check=True,
            )
            taken[name].append(1000 * (time.perf_counter() - begun))
            answer = done.stdout if name == "SessionStart" else answer
    assert b"additionalContext" in answer, answer
    medians: dict[str, object] = {
        f"{name}, median ms": round(statistics.median(all_[1:]), 1)
        for name, all_ in taken.items()
    }
    slow, late = at_once(home, {**told, "source": "startup"})
    medians |= {
        f"{MANY} at once beside a harvest, slowest ms": round(slow),
        "of these without a context": late,
    }
    medians |= with_template(config, {**told, "source": "startup"})
    medians |= measure_calls(config, cwd)
    medians["lines in the log"] = [line.what for line in log_of(config).recent()]
    shutil.rmtree(home)
    return medians


def with_template(config: Config, told: dict[str, str]) -> dict[str, object]:
    """What a template costs a session that starts, with so many there and a person's leave for all of them."""
    folder = Templates(config.templates)
    example = ToolCallExample("Bash", '{"command": "make ship"}', "ok " * 100)
    seed = SessionSeed("mind the pier\n" * 5, (example,) * 8)
    for number in range(TEMPLATES):
        repo = REPO if number < OF_THIS_REPOSITORY else f"acme/repo-{number}"
        template = WarmTemplate(
            id="", name=f"Piers {number}", seed=seed, repo=repo, approved=True
        )
        folder.add(template, time.time() + number)
    taken: dict[bool, list[float]] = {False: [], True: []}
    for number in range(TIMES):
        for is_on, milliseconds in taken.items():
            settings = (
                f"[hooks]\ndeadline_ms = 10000\ntemplates = {str(is_on).lower()}\n"
            )
            (config.home / "config.toml").write_text(settings)
            begun = time.perf_counter()
            done = subprocess.run(
                afterglow("hook", "SessionStart"),
                input=json.dumps({**told, "session_id": f"t{number}{is_on}"}).encode(),
                env=environment(config.home),
                capture_output=True,
                check=True,
            )
            milliseconds.append(1000 * (time.perf_counter() - begun))
            assert (b"make ship" in done.stdout) == is_on, done.stdout
    without, both = (statistics.median(taken[is_on]) for is_on in (False, True))
    return {
        "SessionStart, no template, median ms": round(without, 1),
        f"SessionStart, one of {TEMPLATES} templates too, median ms": round(both, 1),
    }


def at_once(home: Path, told: dict[str, str]) -> tuple[float, int]:
    """The slowest of many hooks that start together, and how many came back without a context."""
    env = environment(home)
    harvest = subprocess.Popen(
        ("nice", "-n", "19", *afterglow("harvest", str(fleet(1000)), "--again", "--jobs", "1")),
        env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    begun = time.perf_counter()
    hooks = [
        subprocess.Popen(
            afterglow("hook", "SessionStart", "--deadline-ms", "800"),
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(MANY)
    ]
    for number, process in enumerate(hooks):
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # its time was over before it was asked
            process.stdin.write(
                json.dumps({**told, "session_id": f"s{number}"}).encode()
            )
            process.stdin.close()
    answers = []
    for process in hooks:
        assert process.stdout is not None
        answers.append(process.stdout.read())
        process.wait()
    slowest = 1000 * (time.perf_counter() - begun)
    harvest.kill()
    harvest.wait()
    return slowest, sum(b"additionalContext" not in one for one in answers)


if __name__ == "__main__":
    main()
