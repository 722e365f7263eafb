"""Sessions as the files that agents write, format by format. A format is one file with `write`."""

from __future__ import annotations

from bench.attacks.transcripts import (
    claude_code,
    codex,
    gemini_cli,
    hermes,
    mini_swe_agent,
    tau2_bench,
)

WRITERS = {
    "claude-code": claude_code.write,
    "codex": codex.write,
    "gemini-cli": gemini_cli.write,
    "hermes": hermes.write,
    "mini-swe-agent": mini_swe_agent.write,
    "tau2-bench": tau2_bench.write,
}
