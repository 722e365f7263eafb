"""Backends that do not do what they should, each in one way; and two honest ones to compare them with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from afterglow.errors import Unreachable, Unsupported
from afterglow.memory.backend import LIMIT, MemoryBackend
from afterglow.records.memory import MemoryEntry


class Dictionary(MemoryBackend):
    """Honest, as long as the process lives."""

    cloud = False
    available = True

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], MemoryEntry] = {}
        self.clock = count(1)

    @property
    def backend_name(self) -> str:
        return type(self).__name__.lower()

    @property
    def is_cloud(self) -> bool:
        return self.cloud

    def is_available(self) -> bool:
        return self.available

    def store(
        self,
        user_id: str,
        key: str,
        value: str,
        metadata: Mapping[str, Any] | None = None,
        *,
        redact: bool = True,
    ) -> bool:
        now = float(next(self.clock))
        old = self.kept.get((user_id, key))
        self.kept[user_id, key] = MemoryEntry(
            key,
            value,
            user_id,
            old.created_at if old else now,
            now,
            dict(metadata or {}),
        )
        return True

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        return self.kept.get((user_id, key))

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        words = query.casefold().split()
        mine = [entry for (user, _), entry in self.kept.items() if user == user_id]
        return [
            entry
            for entry in mine
            if any(word in entry.value.casefold() for word in words)
        ][:limit]

    def list_keys(self, user_id: str) -> list[str]:
        return sorted(key for user, key in self.kept if user == user_id)

    def delete(self, user_id: str, key: str) -> bool:
        return self.kept.pop((user_id, key), None) is not None


class Elsewhere(Dictionary):
    cloud = True


class Away(Dictionary):
    available = False


class Liar(Dictionary):
    """Says that it stores, and does not."""

    def store(self, *_: Any, **__: Any) -> bool:
        return True


class Dying(Dictionary):
    """A server that goes away after the first entry."""

    def store(self, user_id: str, key: str, *rest: Any, **more: Any) -> bool:
        if self.kept:
            raise Unreachable("the server went away")
        return super().store(user_id, key, *rest, **more)

    def delete(self, user_id: str, key: str) -> bool:
        raise Unreachable("the server went away")


class Undeleting(Dictionary):
    """Says that it cannot delete."""

    def delete(self, user_id: str, key: str) -> bool:
        raise Unsupported("this service deletes nothing")


class Hoarder(Dictionary):
    """Says that it deletes, and still finds it."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[tuple[str, str]] = set()

    def retrieve(self, user_id: str, key: str) -> MemoryEntry | None:
        return None if (user_id, key) in self.hidden else super().retrieve(user_id, key)

    def delete(self, user_id: str, key: str) -> bool:
        before = len(self.hidden)
        self.hidden.add((user_id, key))
        return len(self.hidden) > before


class Mixing(Dictionary):
    """Everybody sees everything."""

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        found = [
            entry
            for user in {user for user, _ in self.kept}
            for entry in super(Mixing, self).query(user, query)
        ]
        return found[:limit]


class Renewing(Dictionary):
    """Forgets when an entry was made."""

    def store(self, user_id: str, key: str, *rest: Any, **more: Any) -> bool:
        self.kept.pop((user_id, key), None)
        return super().store(user_id, key, *rest, **more)


class Trimming(Dictionary):
    """Tidies what it is given."""

    def store(
        self, user_id: str, key: str, value: str, *rest: Any, **more: Any
    ) -> bool:
        return super().store(user_id, key, value.replace("\0", ""), *rest, **more)


class Interrupted(Dictionary):
    """Somebody presses Ctrl-C during the fifth query."""

    asked = 0

    def query(self, user_id: str, query: str, limit: int = LIMIT) -> list[MemoryEntry]:
        self.asked += 1
        if self.asked == 5:
            raise KeyboardInterrupt
        return super().query(user_id, query, limit)


class Files(Dictionary):
    """Honest: one file an entry."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._load()

    def store(self, user_id: str, key: str, *rest: Any, **more: Any) -> bool:
        super().store(user_id, key, *rest, **more)
        name = hashlib.sha256(repr((user_id, key)).encode()).hexdigest()
        draft = self.folder / f"{name}.draft"
        draft.write_bytes(msgspec.json.encode(self.kept[user_id, key]))
        draft.replace(self.folder / f"{name}.json")
        return True

    def delete(self, user_id: str, key: str) -> bool:
        name = hashlib.sha256(repr((user_id, key)).encode()).hexdigest()
        (self.folder / f"{name}.json").unlink(missing_ok=True)
        return super().delete(user_id, key)

    def list_keys(self, user_id: str) -> list[str]:
        self._load()
        return super().list_keys(user_id)

    def _load(self) -> None:
        for path in self.folder.glob("*.json"):
            entry = msgspec.json.decode(path.read_bytes(), type=MemoryEntry)
            self.kept[entry.user_id, entry.key] = entry


class Late(Files):
    """Says that it stored, and writes when it is closed."""

    def store(self, user_id: str, key: str, *rest: Any, **more: Any) -> bool:
        return Dictionary.store(self, user_id, key, *rest, **more)

    def close(self) -> None:
        for entry in list(self.kept.values()):
            super().store(entry.user_id, entry.key, entry.value, entry.metadata)


class OneFile(Dictionary):
    """Reads everything when it is opened, and writes everything each time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.path = folder / "all.json"
        if self.path.exists():
            for user, key, value in json.loads(self.path.read_text(encoding="utf-8")):
                super().store(user, key, value)

    def store(self, *rest: Any, **more: Any) -> bool:
        super().store(*rest, **more)
        draft = self.path.with_suffix(f".{id(self)}")
        rows = [(entry.user_id, entry.key, entry.value) for entry in self.kept.values()]
        draft.write_text(json.dumps(rows), encoding="utf-8")
        draft.replace(self.path)
        return True
