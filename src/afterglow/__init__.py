"""afterglow reads finished agent sessions, keeps what they taught, and proves whether that helped."""

__version__ = "0.1.0"
