"""hub: what a team's server does, and what a machine does with it."""

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
    from afterglow.flows.hub.logins import (
        close_session,
        member,
        open_session,
        readable_repos,
    )
    from afterglow.flows.hub.token_list import end_token, list_tokens, make_token
    from afterglow.flows.hub.who_was_helped import helped
else:
    __getattr__ = exports(
        __name__,
        {
            "administration": "add_member change_team end_team give_right list_grants list_people "
            "list_repositories list_teams make_admin make_team read_audit remove_member take_right",
            "logins": "close_session member open_session readable_repos",
            "token_list": "end_token list_tokens make_token",
            "who_was_helped": "helped",
        },
    )
