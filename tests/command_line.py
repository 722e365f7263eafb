"""Runs `afterglow` as a person would, in this process: starting a new one for each look costs more than the look."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess

from afterglow.cli.main import cli, run


def afterglow(
    *words: object, env: Mapping[str, str], cwd: Path | None = None, typed: str = ""
) -> CompletedProcess[str]:
    """What a process with these words and variables would print and return; what it reads is `typed`, no terminal."""
    out, err = _stream(), _stream()
    texts = [str(word) for word in words]
    with (
        _variables(env),
        chdir(cwd or Path.cwd()),
        _input(_stream(typed)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code: object = run(cli, texts, "afterglow")
        except SystemExit as ended:
            code = ended.code
    assert isinstance(code, int), code
    return CompletedProcess(texts, code, _text(out), _text(err))


def _stream(text: str = "") -> TextIOWrapper:
    return TextIOWrapper(
        BytesIO(text.encode()), "utf-8", errors="replace", write_through=True
    )


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _variables(env: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _input(stream: TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before
