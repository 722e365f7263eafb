"""hub: a team's server. Who belongs to it and what they may; what machines send and get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.hub.administration import (
        add_member,
        change_team,
        end_team,
        give_right,
        list_grants,
        list_people,
        list_repositories,
        list_teams,
        make_admin,
        make_team,
        read_audit,
        remove_member,
        take_right,
    )
    from afterglow.flows.hub.membership import (
        end_session,
        end_token,
        list_tokens,
        make_token,
        member,
        start_session,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "administration": "add_member change_team end_team give_right list_grants list_people "
            "list_repositories list_teams make_admin make_team read_audit remove_member take_right",
            "membership": "end_session end_token list_tokens make_token member start_session",
        },
    )
