"""What a person writes into a field or on a command line, as `config.toml` holds it; and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from afterglow.errors import UsageError
from afterglow.flows.settings.setting_records import REPOS, Setting, SettingsView
from afterglow.flows.settings.toml_values import as_toml, understood
from afterglow.records.settings import EXAMPLES

_SWITCH = dict.fromkeys(("true", "yes", "on"), True)
_SWITCH |= dict.fromkeys(("false", "no", "off"), False)


def changed_values(view: SettingsView, fields: Mapping[str, str]) -> dict[str, object]:
    """What of a filled-in form is not what the file says already; an empty field takes a key out. Fields that are not
    there change nothing."""
    changes: dict[str, object] = {}
    for table in view.tables:
        for setting in table.settings:
            if setting.name not in fields:
                continue
            value = typed_value(setting, fields[setting.name].splitlines())
            if value == setting.value:
                continue
            if setting.name == REPOS:
                changes |= _changed_repos(setting.value, value)
            else:
                changes[setting.name] = value
    return changes


def _changed_repos(before: object, after: object) -> dict[str, object]:
    old = before if isinstance(before, dict) else {}
    new = after if isinstance(after, dict) else {}
    changes: dict[str, object] = {
        f"{REPOS}.{key}": None for key in old if key not in new
    }
    for key, repo in new.items():
        if old.get(key) != repo:
            changes[f"{REPOS}.{key}"] = repo
    return changes


def typed_value(setting: Setting, words: Sequence[str]) -> object:
    """What a person wrote, as the file holds it; None where nothing was written. Raises `UsageError` with what would
    work."""
    if setting.form == "lines":
        return [line.strip() for line in words if line.strip()] or None
    if setting.form == "pairs":
        return _pairs([line for line in words if line.strip()]) or None
    if len(words) > 1:
        raise UsageError(f"{setting.name} takes one value: {_example(setting)}")
    text = words[0].strip() if words else ""
    return _single_value(setting, text) if text else None


def _single_value(setting: Setting, text: str) -> object:
    if setting.form == "switch":
        if text.lower() not in _SWITCH:
            raise UsageError(f"{setting.name} is true or false, not {text!r}")
        return _SWITCH[text.lower()]
    if setting.form in ("number", "toml"):
        parsed = understood(f"x = {text}")
        if parsed is None or parsed.keys() != {"x"}:
            raise UsageError(f"{setting.name}: {text!r} is no {_example(setting)}")
        return parsed["x"]
    return text


def _pairs(lines: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for line in lines:
        name, _, repo = (part.strip().strip('"') for part in line.rpartition("="))
        if not name or not repo:
            raise UsageError(
                f"{line.strip()!r} names no repository; write folder or name = name, like cli = acme/cli"
            )
        pairs[name] = repo
    return pairs


def _example(setting: Setting) -> str:
    return (
        "number"
        if setting.form == "number"
        else EXAMPLES[setting.name.partition(".")[0]]
    )


def written_value(setting: Setting) -> str:
    """What the file says, as a person would write it again: `typed_value` of its lines is the same value."""
    value = setting.value
    if value is None:
        return ""
    if setting.form == "lines" and isinstance(value, list):
        return "\n".join(map(str, value))
    if setting.form == "pairs" and isinstance(value, dict):
        return "\n".join(f"{name} = {repo}" for name, repo in value.items())
    return value if isinstance(value, str) else as_toml(value)


def changed_list(
    setting: Setting, *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> list[str] | None:
    """The value of a setting that is a list, with more or with fewer in it; None where nothing is left."""
    if setting.form != "lines":
        raise UsageError(
            f"{setting.name} is no list, like privacy.exclude: nothing is added to it or taken out"
        )
    present = [str(value) for value in _listed(setting.value)]
    if missing := [value for value in remove if value not in present]:
        raise UsageError(
            f"{', '.join(missing)} is not in {setting.name}; it has: {', '.join(present) or 'nothing'}"
        )
    staying = [value for value in present if value not in remove]
    new = [value.strip() for value in add if value.strip()]
    return [*staying, *(value for value in new if value not in staying)] or None


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def shown_value(value: object) -> str:
    """Any value on one line."""
    return value if isinstance(value, str) else as_toml(value)
