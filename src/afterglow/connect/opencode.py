"""OpenCode: a plugin file that puts a line behind the output of a call that went wrong.

A call that plainly ended well starts nothing: the plugin looks at the exit code, and at whether the shell line can hide a
failure. Whatever goes wrong in it, the output stays as it is. OpenCode tells of no start that takes a context; for that,
`afterglow context --write AGENTS.md` keeps one in a file it reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from afterglow.connect.plan import Machine, Plan, Read, edits
from afterglow.errors import ConfigError
from afterglow.records.context import BEHIND_OUTPUT

NAME, PROGRAM, VERSIONED = "opencode", "opencode", False
FILE = "plugin/afterglow.js"
MARK = "// afterglow: kept by `afterglow connect opencode`"
SECONDS = 2  # our own deadline is far shorter

_PLUGIN = """\
%(mark)s; `afterglow disconnect opencode` takes it out.
import { spawn } from "node:child_process"

const COMMAND = %(command)s
const BEHIND_OUTPUT = %(behind)s
const HIDING = /[|;\\n]/ // what in a shell line can hide a failure

// What afterglow answers; nothing where it is not there, fails or takes too long.
const ask = (event) =>
  new Promise((resolve) => {
    const command = `${COMMAND} hook ${event.hook_event_name} --agent opencode`
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), %(milliseconds)d)
    let text = ""
    const end = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(text).hookSpecificOutput?.additionalContext ?? "")
      } catch {
        resolve("")
      }
    }
    child.stdout.on("data", (part) => (text += part))
    child.on("error", end)
    child.on("close", end)
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })

export const Afterglow = async ({ directory }) => {
  const commands = new Map() // call -> its shell line: older versions tell it only before the call
  return {
    "tool.execute.before": async (input, output) => {
      if (input.tool === "bash") commands.set(input.callID, output.args?.command ?? "")
    },
    "tool.execute.after": async (input, output) => {
      if (input.tool !== "bash" || typeof output?.output !== "string") return
      const command = input.args?.command ?? commands.get(input.callID) ?? ""
      commands.delete(input.callID)
      const code = output.metadata?.exit ?? 0
      if (code === 0 && !HIDING.test(command)) return
      const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: input.callID }
      const place = { session_id: input.sessionID, cwd: directory }
      const ended =
        code === 0
          ? { hook_event_name: "PostToolUse", tool_response: output.output }
          : { hook_event_name: "PostToolUseFailure", error: `Exit code ${code}\\n${output.output}` }
      const line = await ask({ ...place, ...call, ...ended })
      if (line) output.output += BEHIND_OUTPUT + line
    },
  }
}
"""


def folder(user_home: Path, moved: Mapping[str, Path]) -> Path:
    return moved.get(NAME, user_home / ".config/opencode")


def places(machine: Machine) -> list[Path]:
    home = machine.project / ".opencode" if machine.project else machine.folder
    return [home / FILE]


def plan(machine: Machine, read: Read) -> Plan:
    (path,) = places(machine)
    content = read(path)
    if content is not None and not holds(path, content):
        raise ConfigError(f"{path} is not ours; nothing was changed; move it away")
    if not machine.failures:
        return Plan(notes=("[hooks] failures is off: there is nothing to connect",))
    note = "OpenCode has no place for a context at the start: `afterglow context --write AGENTS.md` keeps one"
    return Plan(edits(read, {path: plugin(machine.command)}), (note,))


def holds(path: Path, content: bytes) -> bool:
    try:
        return content.decode().startswith(MARK)
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}, byte {error.start}: not UTF-8; nothing was changed"
        ) from error


def without(_: Machine, path: Path, content: bytes) -> bytes:
    return b"" if holds(path, content) else content


def plugin(command: str) -> bytes:
    """The plugin's file, with how to call us in it."""
    values = {
        "mark": MARK,
        "command": json.dumps(command),
        "behind": json.dumps(BEHIND_OUTPUT),
        "milliseconds": 1000 * SECONDS,
    }
    return (_PLUGIN % values).encode()
