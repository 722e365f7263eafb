"""The pages, in the order people look for them."""

from __future__ import annotations

Navigation = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

NAVIGATION: Navigation = (
    ("", (("/", "Home"),)),
    (
        "Decide",
        (
            ("/review", "Review"),
            ("/knowledge", "Knowledge"),
            ("/templates", "Templates"),
            ("/memory", "Memory"),
        ),
    ),
    (
        "Look",
        (
            ("/sessions", "Sessions"),
            ("/problems", "Problems"),
            ("/preview", "Context preview"),
        ),
    ),
    (
        "Prove",
        (
            ("/measure", "Measure"),
            ("/replay", "Replay"),
            ("/profile", "Profile"),
            ("/experiments", "Experiments"),
        ),
    ),
    ("", (("/settings", "Settings"),)),
)
