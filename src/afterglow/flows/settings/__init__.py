"""settings: `config.toml` shown key by key, drafted, checked and written; what its owner wrote around it stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.settings.follow_ups import Consequence, consequences
    from afterglow.flows.settings.forget_request import (
        CONFIRMATION,
        ForgettingWords,
        forget_outlined,
        forgetting_words,
        outline_mark,
    )
    from afterglow.flows.settings.setting_records import (
        Setting,
        SettingsTable,
        SettingsView,
        view_settings,
    )
    from afterglow.flows.settings.settings_file import (
        ConfigDraft,
        ConfigText,
        config_text,
        draft_text,
        draft_values,
        set_values,
        write_draft,
    )
    from afterglow.flows.settings.typed_values import (
        changed_list,
        changed_values,
        shown_value,
        typed_value,
        written_value,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "follow_ups": "Consequence consequences",
            "forget_request": "CONFIRMATION ForgettingWords forget_outlined forgetting_words "
            "outline_mark",
            "setting_records": "SettingsView Setting SettingsTable view_settings",
            "settings_file": "ConfigDraft ConfigText config_text draft_text draft_values "
            "set_values write_draft",
            "typed_values": "changed_list changed_values shown_value typed_value written_value",
        },
    )
