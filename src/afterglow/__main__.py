"""The program. Agents call `afterglow hook` while a person waits, so it starts without the command line's weight."""

from __future__ import annotations

import sys


def main() -> None:
    if sys.argv[1:2] == ["hook"]:
        from afterglow.hooks.front import main as run
    else:
        from afterglow.cli.main import main as run
    run()


if __name__ == "__main__":
    main()
