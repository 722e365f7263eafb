"""An object store on this machine that speaks as much of S3 as reading takes: list, look at, get."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

from s3fs import S3FileSystem

WRITTEN = 1_782_000_000  # when every object was
SECRET = "invented-secret-of-the-store"


class ObjectStore:
    """`objects` are the contents by `bucket/key`; `requests` what was asked for."""

    def __init__(self, port: int) -> None:
        self.objects: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.is_closed = False  # to those who ask
        self.variables = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "invented-key",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    # fsspec keeps its clients for a process, and with them the address of an earlier test's server.
    S3FileSystem.clear_instance_cache()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    store = server.store = ObjectStore(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: object) -> None:
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        store: ObjectStore = self.server.store
        parts = urlsplit(self.path)
        name = unquote(parts.path).strip("/")
        store.requests.append(f"{self.command} {name}")
        if store.is_closed:
            self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif "/" not in name:
            self._list(store, name, parse_qs(parts.query))
        elif name in store.objects:
            self._answer(200, store.objects[name], *_marks(store.objects[name]))
        else:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def _list(self, store: ObjectStore, bucket: str, query: dict) -> None:
        prefix, [delimiter] = query.get("prefix", [""])[0], query.get("delimiter", [""])
        keys, folders = [], set()
        for name in sorted(store.objects):
            place, _, key = name.partition("/")
            if place != bucket or not key.startswith(prefix):
                continue
            below, found, _ = key[len(prefix) :].partition(delimiter or "\0")
            if found:
                folders.add(prefix + below + delimiter)
            else:
                keys.append(key)
        lines = [_entry(key, store.objects[f"{bucket}/{key}"]) for key in keys]
        lines += [
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>"
            for folder in sorted(folders)
        ]
        body = (
            '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{bucket}</Name><IsTruncated>false</IsTruncated>{''.join(lines)}"
            "</ListBucketResult>"
        )
        self._answer(200, body.encode())

    def _answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for header in (("Content-Length", str(len(body))), *headers):
            self.send_header(*header)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _marks(content: bytes) -> list[tuple[str, str]]:
    written = formatdate(WRITTEN, usegmt=True)
    return [("ETag", f'"{md5(content).hexdigest()}"'), ("Last-Modified", written)]


def _entry(key: str, content: bytes) -> str:
    return (
        f"<Contents><Key>{escape(key)}</Key><Size>{len(content)}</Size>"
        f"<ETag>&quot;{md5(content).hexdigest()}&quot;</ETag>"
        "<LastModified>2026-06-21T00:00:00.000Z</LastModified></Contents>"
    )
