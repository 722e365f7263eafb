"""Where it says how to read the numbers; named by every output that shows some."""

from __future__ import annotations

HOW_TO_READ = "How to read these numbers: docs/reading-numbers.md"
