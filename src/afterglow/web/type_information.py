"""Before threads serve: what msgspec would otherwise find out about our records while they do.

It looks at a Struct's fields when it is first decoded into, and two threads that do so at once read what is half built:
the process ends at once. So every module that may decode is loaded here, and every Struct of ours looked at, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

from msgspec import Struct
from msgspec.json import Decoder

# Folders whose modules decode, or define what is decoded.
DECODING = ("records", "calls", "llm", "sessions", "harvest", "store", "flows")


@cache
def build_type_information() -> int:
    """How many were looked at. One that cannot be decoded into is never."""
    _load_modules()
    ours = [
        struct for struct in _below(Struct) if struct.__module__.startswith("afterglow")
    ]
    for struct in ours:
        with suppress(TypeError, NameError):
            Decoder(struct)
    return len(ours)


def _load_modules() -> None:
    for folder in DECODING:
        package = import_module(f"afterglow.{folder}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            with suppress(
                ImportError
            ):  # what an extra would bring is not used without it
                import_module(module.name)


def _below(base: type) -> Iterator[type]:
    subclasses: list[type] = base.__subclasses__()
    for each in subclasses:
        yield each
        yield from _below(each)
