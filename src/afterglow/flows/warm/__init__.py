"""warm: templates made from sessions, kept, chosen, shared, and given to a new session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.warm.make_templates import (
        Auto,
        Compared,
        auto,
        compare,
        compress,
    )
    from afterglow.flows.warm.share_templates import export, import_
    from afterglow.flows.warm.templates import (
        BUDGET,
        EXAMPLES,
        Listed,
        Listing,
        Stats,
        TypeCount,
        approve,
        delete,
        deliver,
        diff,
        extract,
        list_templates,
        record,
        select,
        show,
        stats,
        titles,
        try_out,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "make_templates": "Auto Compared auto compare compress",
            "share_templates": "export import_",
            "templates": (
                "BUDGET EXAMPLES Listed Listing Stats TypeCount approve "
                "delete deliver diff extract list_templates record select "
                "show stats titles try_out"
            ),
        },
    )
