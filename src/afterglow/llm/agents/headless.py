"""An agent's program as a transport: started in an empty folder, asked once through stdin, ended with all it started.

What it prints goes to files without a name, so neither a flood of it nor a child that outlives it holds us up.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, Literal, Protocol

import msgspec
from msgspec import Struct

from afterglow.llm.request import Reply, Request, Trouble
from afterglow.llm.schema import is_strict
from afterglow.records.model import TokenUsage
from afterglow.records.writing import WRITER_FOLDER
from afterglow.text.clip import clip, printable

MAX_OUTPUT_BYTES = 8_000_000  # a long answer has a hundredth of that
POLL_SECONDS = 0.05  # how soon the end of a program is noticed; an answer takes seconds
MAX_WORDS_CHARACTERS = 200  # of what a failing program said: one line on a screen
MAX_TOKENS_COUNTED = 10**12  # a count above that is none

NO_INSTRUCTIONS = "You answer one question. You have no tools and need none."
EARLIER_ANSWER = "Your answer was:\n"

_LOGIN = re.compile(
    r"/login|log(?:ged)? ?in\b|\b40[13]\b|unauthori[sz]ed|authenticat|auth method|api key|credential|"
    r"missing environment variable",
    re.IGNORECASE,
)
_USED_UP = re.compile(r"usage limit|limit reached|quota|credit|billing", re.IGNORECASE)
_BUSY = re.compile(r"rate.?limit|\b429\b|\b529\b|too many requests|overload", re.I)
_OPTION = re.compile(
    r"unknown (?:option|argument)|unexpected argument|unrecognized arguments", re.I
)
_MODEL = re.compile(
    r"model.{0,80}(?:not found|not exist|not supported|no access)", re.I | re.S
)

Schemas = Literal["any", "strict", "none"]


class Question(Struct, frozen=True, kw_only=True):
    """What is asked of a program, and where it runs. `variables` are its environment; `model` is one of its models, by
    name, if a person said which."""

    instructions: str
    prompt: str
    max_tokens: int
    folder: Path
    variables: Mapping[str, str]
    program: str
    schema: dict[str, Any] | None = None
    model: str = ""


class Start(Struct, frozen=True, kw_only=True):
    """How a program is started. `files` are put into its folder first. Variables named in `without` are not handed on.
    `traces` are files and folders it leaves elsewhere, by names that nobody else uses: they are deleted."""

    words: tuple[str, ...]
    prompt: str
    variables: dict[str, str] = {}
    without: tuple[str, ...] = ()
    files: dict[str, str] = {}
    traces: tuple[Path, ...] = ()


class Ended(Struct, frozen=True):
    """A program that came to its end: exit code, what it printed, and the folder with the files it wrote."""

    code: int
    out: str
    err: str
    folder: Path

    def file(self, name: str) -> str:
        try:
            return (self.folder / name).read_text("utf-8", "replace")
        except OSError:
            return ""


class Agent(Protocol):
    """A module of the table."""

    NAME: str
    PROGRAM: str
    LOGIN: str
    SCHEMAS: Schemas
    OVERHEAD: int

    def start(self, question: Question) -> Start: ...

    def reply(self, ended: Ended) -> Reply: ...


class Headless:
    """A `Transport` over an agent's program. `timeout` is in seconds, for one question."""

    def __init__(
        self,
        agent: Agent,
        program: str,
        variables: Mapping[str, str],
        *,
        timeout: float,
        model: str = "",
    ) -> None:
        self._agent, self._program, self._variables = agent, program, variables
        self._timeout, self._model = timeout, model

    def send(self, request: Request) -> Reply:
        self._check_schema(request)
        with TemporaryDirectory(
            prefix=WRITER_FOLDER, ignore_cleanup_errors=True
        ) as place:
            folder = Path(place).resolve()
            start = self._agent.start(self._question(request, folder))
            try:
                ended = self._run(start, folder)
            finally:
                _forget(start.traces)
            return self._agent.reply(ended)

    def close(self) -> None:
        pass

    def _check_schema(self, request: Request) -> None:
        """A schema that the program does not keep to goes into the prompt: complaining makes it so, at no cost."""
        if request.schema is None or request.manners.format == "text":
            return
        takes = {
            "any": True,
            "strict": is_strict(request.schema),
            "none": False,
        }[self._agent.SCHEMAS]
        if request.manners.format != "json_schema" or not takes:
            why = f"{self._agent.NAME} does not keep to this schema"
            raise Trouble(why, kind="rejected", complaint="schema")

    def _question(self, request: Request, folder: Path) -> Question:
        keeps_schema = request.manners.format == "json_schema"
        return Question(
            instructions=_instructions(request) or NO_INSTRUCTIONS,
            prompt=_conversation(request),
            max_tokens=request.max_tokens,
            folder=folder,
            variables=self._variables,
            program=self._program,
            schema=request.schema if keeps_schema else None,
            model=self._model,
        )

    def _run(self, start: Start, folder: Path) -> Ended:
        for name, content in start.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        variables = {
            name: value
            for name, value in self._variables.items()
            if name not in start.without
        } | start.variables
        with TemporaryFile() as stdin, TemporaryFile() as out, TemporaryFile() as err:
            stdin.write(start.prompt.encode())
            stdin.seek(0)
            process = self._started(start.words, variables, folder, (stdin, out, err))
            try:
                self._watch(process, (out, err))
            finally:
                _end(process)
            return Ended(process.returncode, _text(out), _text(err), folder)

    def _started(
        self,
        words: Sequence[str],
        variables: Mapping[str, str],
        folder: Path,
        streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
    ) -> subprocess.Popen[bytes]:
        stdin, out, err = streams
        try:
            return subprocess.Popen(
                words,
                stdin=stdin,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=dict(variables),
                start_new_session=True,
            )
        except OSError as error:
            what = f"{self._program} cannot be started: {error.strerror or error}"
            raise Trouble(what, kind="unreachable") from error

    def _watch(
        self, process: subprocess.Popen[bytes], outputs: Sequence[IO[bytes]]
    ) -> None:
        """Until it ends; raises `Trouble` where that takes too long or it prints too much."""
        until = time.monotonic() + self._timeout
        name = self._agent.NAME
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_SECONDS)
            if sum(os.fstat(file.fileno()).st_size for file in outputs) > (
                MAX_OUTPUT_BYTES
            ):
                what = f"{name} printed more than {MAX_OUTPUT_BYTES:,} bytes"
                raise Trouble(what, kind="garbage", maybe_paid=True)
            if process.returncode is not None:
                return
            if time.monotonic() > until:
                what = f"{name} did not answer within {self._timeout:g} s and was ended; raise [model] timeout"
                raise Trouble(what, kind="timeout", maybe_paid=True)


def failure(name: str, login: str, output: str, code: int) -> Trouble:
    """What a program that did not answer said, by the kind of it. `login` is what a person does to be let in."""
    words = f": {_words(output)}" if output.strip() else f" (exit code {code})"
    if _OPTION.search(output):
        what = f"this {name} does not know an option that it needs; update it{words}"
        return Trouble(what, kind="rejected")
    if _USED_UP.search(output):
        return Trouble(f"{name} may not be used any more{words}", kind="no credit")
    if _BUSY.search(output):
        what = f"{name} is asked too often{words}"
        return Trouble(what, kind="rate limit", again=True)
    if _MODEL.search(output):
        return Trouble(f"{name} does not have that model{words}", kind="unknown model")
    if _LOGIN.search(output):
        return Trouble(f"{name} is not let in; {login}{words}", kind="not let in")
    return Trouble(f"{name} failed{words}", kind="server", maybe_paid=True)


def garbage(name: str, output: str) -> Trouble:
    """A program that ended well and printed what is not an answer."""
    words = _words(output) or "nothing"
    what = f"{name} printed something else than an answer: {words}"
    return Trouble(what, kind="garbage", maybe_paid=True)


def _words(output: str) -> str:
    return clip(" ".join(printable(output).split()), MAX_WORDS_CHARACTERS)


def printed_json(text: str) -> Any:
    """None where it is not JSON, or nested too deeply to be meant."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def printed_object(text: str) -> dict[str, Any]:
    """Empty where it is no JSON object."""
    value = printed_json(text)
    return value if isinstance(value, dict) else {}


def counted(sent: Any, written: Any, cached: Any = 0) -> TokenUsage | None:
    """What a program says it used; None where it does not say, or says what cannot be. `sent` holds `cached`."""
    if not all(isinstance(count, int) for count in (sent, written, cached)):
        return None
    if not all(0 <= count <= MAX_TOKENS_COUNTED for count in (sent, written)):
        return None
    if not sent or not written:
        return None
    return TokenUsage(sent, written, max(0, min(cached, sent)))


def counted_apart(
    fresh: Any, from_cache: Any, to_cache: Any, written: Any
) -> TokenUsage | None:
    """The same of a program that counts what goes into a cache and comes out of it beside the rest."""
    parts = (fresh, from_cache, to_cache)
    if not all(isinstance(part, int) for part in parts):
        return None
    return counted(sum(parts), written, from_cache)


def _instructions(request: Request) -> str:
    """System messages, as one text."""
    system = [message for message in request.messages if message.role == "system"]
    return "\n\n".join(message.content for message in system)


def _conversation(request: Request) -> str:
    """The other messages, as one text."""
    texts = []
    for message in request.messages:
        if message.role == "assistant":
            texts.append(f"{EARLIER_ANSWER}{message.content}")
        elif message.role == "user":
            texts.append(message.content)
    return "\n\n".join(texts)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The program and everything it started that is still there."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()


def _forget(traces: Sequence[Path]) -> None:
    for path in traces:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
