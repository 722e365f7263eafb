"""The nouns: frozen values every stage may share. No I/O happens here."""

from afterglow.records.catalog import Entry
from afterglow.records.profile import Manner, Profile, Recovery
from afterglow.records.session import (
    Call,
    Damage,
    Mark,
    Outcome,
    Repo,
    Session,
    Turn,
    Usage,
)
from afterglow.records.tools import TaskType, family

__all__ = [
    "Call",
    "Damage",
    "Entry",
    "Manner",
    "Mark",
    "Outcome",
    "Profile",
    "Recovery",
    "Repo",
    "Session",
    "TaskType",
    "Turn",
    "Usage",
    "family",
]
