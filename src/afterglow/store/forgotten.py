"""Marks of sessions of which nothing is kept: those a person had forgotten, and private ones.

The file `forgotten` of the home holds hashes and no words: a line of salt, then a line a mark, `+` for one that is set
and `-` for one that was taken back. It is only ever added to, in one write, so writers need no lock; what stands in it
survives the catalogue, which may be deleted. Stores ask it inside their own transactions, so a scan or a harvest that
was under way when a session was forgotten cannot bring it back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec.structs import replace

from afterglow.errors import StoreError
from afterglow.folders import place_once
from afterglow.records.knowledge import KnowledgeItem

FILE = "forgotten"
SALT_BYTES = 16  # so that the marks of two homes cannot be compared
MARK_BYTES = 16


class CataloguedSession(Protocol):
    """A session as a scan read it, or as the catalogue has it."""

    @property
    def agent(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def start(self) -> float | None: ...
    @property
    def source(self) -> str: ...
    @property
    def parent(self) -> str: ...


SessionT = TypeVar("SessionT", bound=CataloguedSession)


class Forgotten:
    """The marks of one home. Nothing is read before the first question, and again only when the file has changed."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE
        self._salt = b""
        self._marks: frozenset[str] = frozenset()
        self._read_at: tuple[int, int, int] | None = None

    def refresh(self) -> Forgotten:
        """The marks as they are now."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._salt, self._marks, self._read_at = b"", frozenset(), None
            return self
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error
        looks = (status.st_ino, status.st_size, status.st_mtime_ns)
        if looks != self._read_at:
            self._read(looks)
        return self

    def _read(self, looks: tuple[int, int, int]) -> None:
        try:
            salt, *lines = self.path.read_text(encoding="ascii").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(
                f"{self.path} cannot be read ({error}); put it back from a backup: without it what was forgotten "
                "would come back"
            ) from error
        marks: set[str] = set()
        for line in lines:
            if line.startswith("+"):
                marks.add(line[1:])
            elif line.startswith("-"):
                marks.discard(line[1:])
        self._salt, self._marks, self._read_at = salt.encode(), frozenset(marks), looks

    def __bool__(self) -> bool:
        return bool(self._marks)

    # What is asked

    def has_session(self, agent: str, id: str) -> bool:
        """By the name alone, as hooks and evidence know a session."""
        return bool(self._marks) and self._mark("name", agent, id) in self._marks

    def has(self, session: CataloguedSession) -> bool:
        """The session, or the one that it is a sub-agent of."""
        if not self._marks:
            return False
        named = self.has_session(session.agent, session.id)
        of_parent = bool(session.parent) and self.has_session(
            session.agent, session.parent
        )
        return (
            named
            or of_parent
            or self.has_entry(session.source, session.id)
            or self._begun(session) in self._marks
        )

    def has_entry(self, source: str, id: str) -> bool:
        """A session of a database, before it is read."""
        return bool(self._marks) and self._mark("entry", source, id) in self._marks

    def has_source(self, path: str, inode: int) -> bool:
        """A file all of whose sessions are forgotten: it is not opened."""
        return bool(self._marks) and self._source(path, inode) in self._marks

    def remaining(self, sessions: Iterable[SessionT]) -> list[SessionT]:
        return [session for session in sessions if not self.has(session)]

    def remaining_items(self, items: Iterable[KnowledgeItem]) -> list[KnowledgeItem]:
        """Those that rest on none of them. A person's own words stay, without that evidence."""
        if not self._marks:
            return list(items)
        remaining = []
        for item in items:
            evidence = tuple(
                span
                for span in item.evidence
                if not self.has_session(span.agent, span.session)
            )
            if len(evidence) == len(item.evidence):
                remaining.append(item)
            elif item.edited:
                remaining.append(replace(item, evidence=evidence))
        return remaining

    # What is said

    def add(
        self,
        sessions: Iterable[CataloguedSession] = (),
        *,
        ambiguous: Iterable[tuple[str, str]] = (),
        names: Iterable[tuple[str, str]] = (),
        sources: Iterable[tuple[str, int]] = (),
    ) -> None:
        """Sets the marks of sessions; of those whose (agent, id) is `ambiguous`, another session's too, only by when
        they began and where they stand. `names` are of sessions nobody has read yet, `sources` whole files."""
        self._ensure_salt()
        unclear = set(ambiguous)
        marks = [self._mark("name", *name) for name in names]
        marks += [self._source(*source) for source in sources]
        for session in sessions:
            marks += [
                self._mark("entry", session.source, session.id),
                self._begun(session),
            ]
            if (session.agent, session.id) not in unclear:
                marks.append(self._mark("name", session.agent, session.id))
        self._append("+", [mark for mark in marks if mark not in self._marks])

    def take_back(
        self,
        sessions: Sequence[CataloguedSession] = (),
        *,
        sources: Iterable[tuple[str, int]] = (),
    ) -> int:
        """These may be kept again; how many marks went."""
        if not self.refresh():
            return 0
        marks = {self._source(*source) for source in sources}
        for session in sessions:
            marks |= {
                self._mark("name", session.agent, session.id),
                self._mark("entry", session.source, session.id),
                self._begun(session),
            }
        taken_back = sorted(marks & self._marks)
        self._append("-", taken_back)
        return len(taken_back)

    def _begun(self, session: CataloguedSession) -> str:
        """An id may be just the name of a file, so that another session has it too; when it began tells them apart."""
        where = session.source if session.start is None else f"{session.start:.3f}"
        return self._mark("begun", session.agent, session.id, where)

    def _source(self, path: str, inode: int) -> str:
        """With its number: what is put in the place of a file later is another one."""
        return self._mark("source", path, str(inode))

    def _mark(self, *words: str) -> str:
        text = "\0".join(words).encode("utf-8", "surrogatepass")
        return blake2b(text, digest_size=MARK_BYTES, key=self._salt).hexdigest()

    def _ensure_salt(self) -> None:
        if not self.path.exists():
            try:
                place_once(self.path, os.urandom(SALT_BYTES).hex())
            except OSError as error:
                raise StoreError(f"{self.path}: {error.strerror}") from error
        self.refresh()

    def _append(self, sign: str, marks: Sequence[str]) -> None:
        if not marks:
            return
        # The first line end closes what a full disk may have cut.
        lines = "\n" + "".join(f"{sign}{mark}\n" for mark in dict.fromkeys(marks))
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            try:
                written = os.write(descriptor, lines.encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {error.strerror}; nothing was forgotten"
            ) from error
        if written != len(lines):
            raise StoreError(
                f"{self.path}: the disk is full; free some space and try again"
            )
        self.refresh()
