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
    from afterglow.flows.hub.answer_machines import greet_machine, team_page
    from afterglow.flows.hub.audit_lines import audit_words, holder_names
    from afterglow.flows.hub.backup import back_up_hub, restore_hub
    from afterglow.flows.hub.join_hub import join, joined_hub
    from afterglow.flows.hub.leave_hub import leave
    from afterglow.flows.hub.logins import (
        close_session,
        member,
        open_session,
        readable_repos,
    )
    from afterglow.flows.hub.machine_sync import sync_in_background, sync_machine
    from afterglow.flows.hub.making import (
        add_organisation,
        admin_place,
        hub_state,
        init_hub,
        list_organisations,
        upgrade_hub,
    )
    from afterglow.flows.hub.merge_contributions import merge_pending
    from afterglow.flows.hub.numbers import (
        ContributionCount,
        HubNumbers,
        MachineSync,
        check_hub,
        contribution_counts,
        hub_numbers,
        item_counts,
        machines_of,
        stores_mark,
    )
    from afterglow.flows.hub.server_addresses import (
        merging_places,
        owner_place,
        server_urls,
    )
    from afterglow.flows.hub.serving import connection_numbers, hub_stores
    from afterglow.flows.hub.take_in_contributions import (
        my_contributions,
        take_back,
        take_in,
    )
    from afterglow.flows.hub.token_list import end_token, list_tokens, make_token
    from afterglow.flows.hub.who_was_helped import helped
else:
    __getattr__ = exports(
        __name__,
        {
            "administration": "add_member change_team end_team give_right list_grants list_people "
            "list_repositories list_teams make_admin make_team read_audit remove_member take_right",
            "answer_machines": "greet_machine team_page",
            "join_hub": "join joined_hub",
            "leave_hub": "leave",
            "machine_sync": "sync_in_background sync_machine",
            "logins": "close_session member open_session readable_repos",
            "audit_lines": "audit_words holder_names",
            "backup": "back_up_hub restore_hub",
            "making": "add_organisation admin_place hub_state init_hub list_organisations upgrade_hub",
            "server_addresses": "merging_places owner_place server_urls",
            "numbers": "ContributionCount HubNumbers MachineSync check_hub contribution_counts hub_numbers "
            "item_counts machines_of stores_mark",
            "merge_contributions": "merge_pending",
            "take_in_contributions": "my_contributions take_back take_in",
            "serving": "connection_numbers hub_stores",
            "token_list": "end_token list_tokens make_token",
            "who_was_helped": "helped",
        },
    )
