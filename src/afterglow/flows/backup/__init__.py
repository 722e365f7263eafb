"""backup and restore: the home in one file that is checked before it is believed, and put back whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.backup.leftovers import (
        last_backup,
        remove_leftovers,
        set_aside_homes,
        unfinished,
    )
    from afterglow.flows.backup.make_backup import back_up, dated_name
    from afterglow.flows.backup.restore_home import restore
else:
    __getattr__ = exports(
        __name__,
        {
            "leftovers": "last_backup remove_leftovers set_aside_homes unfinished",
            "make_backup": "back_up dated_name",
            "restore_home": "restore",
        },
    )
