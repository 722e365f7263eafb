"""`serve --export`: the same pages as files, which need no server and can change nothing.

Every page is asked for as a browser would ask, and its links are led to the files beside it; a link to what is not in
the copy leads nowhere.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from urllib.parse import unquote, urlsplit

from starlette.applications import Starlette
from starlette.types import Message

from afterglow import config
from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.folders import private
from afterglow.show.html import style_sheet
from afterglow.web.app import make_app, page_modules
from afterglow.web.desk import Desk

HOST = "copy"
ASSETS = ("site.css", "icon.svg")
LOOK = "pages.css"
MAX_NAME_CHARACTERS = 80  # of a file; longer ids end in a mark of the whole

_LINK = re.compile(r'\b(href|src)="(/[^"]*)"')
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


def write(
    folder: Path,
    load: Callable[[], Config] = config.load,
    progress: Callable[[int, int], None] = lambda written, total: None,
) -> int:
    """How many pages were written. The folder is new, empty, or holds an earlier copy."""
    if (
        folder.exists()
        and any(folder.iterdir())
        and not (folder / "index.html").exists()
    ):
        raise UsageError(f"{folder} holds other files; name a new or empty folder")
    app = make_app(desk := Desk(load, static=True), [HOST])
    files_by_path = {path: _file_name(path) for path in _paths(desk.config)}
    pages = asyncio.run(_pages(app, list(files_by_path), desk, progress))
    _write_assets(private(folder / "static"))
    for path, html in pages.items():
        target = folder / files_by_path[path]
        private(target.parent)
        target.write_text(_led(html, files_by_path, target, folder), encoding="utf-8")
    return len(pages)


def _paths(settings: Config) -> list[str]:
    paths = [path for module in page_modules() for path in module.exported(settings)]
    return list(dict.fromkeys(paths))


def _file_name(path: str) -> str:
    parts = urlsplit(path)
    words = unquote(parts.path).strip("/") or "index"
    if parts.query:
        words += f"-{unquote(parts.query)}"
    folder, _, name = words.rpartition("/")
    plain = _UNFIT.sub("-", name).strip("-") or "page"
    if (plain != name and not parts.query) or len(plain) > MAX_NAME_CHARACTERS:
        mark = blake2b(path.encode(), digest_size=4).hexdigest()
        plain = f"{plain[:MAX_NAME_CHARACTERS]}-{mark}"
    below = "/".join(_UNFIT.sub("-", part) for part in folder.split("/") if part)
    return f"{below}/{plain}.html" if below else f"{plain}.html"


async def _pages(
    app: Starlette,
    paths: list[str],
    desk: Desk,
    progress: Callable[[int, int], None],
) -> dict[str, str]:
    pages = {}
    for number, path in enumerate(paths):
        progress(number, len(paths))
        status, body = await _answer(app, path, desk)
        if status == 200:
            pages[path] = body.decode("utf-8")
    return pages


async def _answer(app: Starlette, path: str, desk: Desk) -> tuple[int, bytes]:
    """What the app says to a request that never leaves this process."""
    parts = urlsplit(path)
    cookie = f"afterglow-{HOST}={desk.cookie_value}".encode()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "headers": [(b"host", HOST.encode()), (b"cookie", cookie)],
        "server": (HOST, 80),
        "client": None,
    }
    messages: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, send)
    body = b"".join(message.get("body", b"") for message in messages)
    return int(messages[0]["status"]), body


def _led(html: str, files_by_path: dict[str, str], target: Path, folder: Path) -> str:
    """The page with its links led to files, as they lie from it."""
    up = "../" * (len(target.relative_to(folder).parts) - 1)

    def led(match: re.Match[str]) -> str:
        attribute, address = match[1], match[2].replace("&amp;", "&")
        if address.startswith("/static/"):
            return f'{attribute}="{up}{address[1:]}"'
        path, _, place = address.partition("#")
        file = files_by_path.get(path) or files_by_path.get(path.partition("?")[0])
        if file is None:
            return 'class="not-here"'
        anchor = f"#{place}" if place else ""
        return f'{attribute}="{up}{file}{anchor}"'

    return _LINK.sub(led, html)


def _write_assets(folder: Path) -> None:
    (folder / LOOK).write_text(style_sheet(), encoding="utf-8")
    source = files("afterglow.web").joinpath("static")
    for name in ASSETS:
        (folder / name).write_bytes(source.joinpath(name).read_bytes())
