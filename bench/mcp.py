"""The MCP server: how long until it answers, and what a call costs. `python -m bench.mcp`.

Items are those of `bench.knowledge`. Start-up is measured cold, from starting the process to its first reply, beside a
Python that does nothing and one that only imports the SDK. Calls go over the pipes with the official client; listing
the prompts is what the protocol alone costs. Medians; results go to bench/out/mcp.json.
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
from pathlib import Path
from typing import Any

import anyio
import msgspec

from afterglow.config import Config
from afterglow.store.knowledge import SESSIONS, Knowledge
from bench.knowledge import Maker
from bench.measuring import afterglow, environment, median_ms
from mcp import Client, StdioServerParameters

OUT = Path(__file__).parent / "out"
REPO = "acme/repo-399"
HELLO = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}\n'
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--calls", type=int, default=50)
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    found = {size: measure(size, options.calls) for size in options.sizes}
    (OUT / "mcp.json").write_text(json.dumps(found, indent=2) + "\n")
    for size, numbers in found.items():
        print(
            f"{size:,} items, median ms:",
            ", ".join(f"{name} {value}" for name, value in numbers.items()),
        )


def measure(size: int, calls: int) -> dict[str, float]:
    home = Path(tempfile.mkdtemp(prefix="bench-mcp-"))
    maker = Maker()
    config = Config(home=home, user_home=home)
    with Knowledge(config.knowledge) as knowledge:
        for start in range(0, size, 20_000):
            knowledge.save(
                maker.items(min(20_000, size - start), start),
                by="import",
                now=time.time(),
            )
        knowledge.set_fact(SESSIONS, msgspec.json.encode({REPO: 500}).decode())
    numbers = {
        "python -c pass": median_ms(sys.executable, "-c", "pass", home=home),
        "importing the SDK": median_ms(
            sys.executable, "-c", "import mcp.server.mcpserver", home=home
        ),
        "first reply": first_reply(home),
        **anyio.run(per_call, home, maker, calls),
    }
    shutil.rmtree(home)
    return {name: round(value, 1) for name, value in numbers.items()}


def first_reply(home: Path, times: int = 11) -> float:
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        process = subprocess.Popen(
            afterglow("mcp"),
            env=environment(home),
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin and process.stdout
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert "afterglow" in process.stdout.readline()
        taken.append(1000 * (time.perf_counter() - start))
        process.communicate()
    return statistics.median(taken[1:])


async def per_call(home: Path, maker: Maker, calls: int) -> dict[str, float]:
    command, *words = afterglow("mcp")
    server = StdioServerParameters(
        command=command, args=words, env=environment(home), cwd=home
    )
    async with Client(server, mode="legacy") as client:

        async def took(asked: Any) -> float:
            taken = []
            for _ in range(calls + 1):
                start = time.perf_counter()
                result = await asked()
                taken.append(1000 * (time.perf_counter() - start))
                assert not getattr(result, "is_error", False), result
            return statistics.median(taken[1:])

        def some(count: int) -> str:
            return " ".join(maker.some(count))

        given = await client.call_tool("context", {"cwd": str(home), "task": some(12)})
        known = (
            await client.call_tool("recall", {"query": some(4), "repo": REPO})
        ).structured_content
        numbers = {
            "list prompts": await took(client.list_prompts),
            "recall": await took(
                lambda: client.call_tool("recall", {"query": some(4), "repo": REPO})
            ),
            "context": await took(
                lambda: client.call_tool("context", {"task": some(12)})
            ),
        }
        if known and known["items"]:
            item = known["items"][0]["id"]
            numbers["explain"] = await took(
                lambda: client.call_tool("explain", {"item": item})
            )
        if given.structured_content and given.structured_content["items"]:
            report = {"delivery": given.structured_content["id"], "outcome": "success"}
            numbers["report_outcome"] = await took(
                lambda: client.call_tool("report_outcome", report)
            )
        return numbers


if __name__ == "__main__":
    main()
