"""What can be shared of a home without telling who, where or what about: tables, hidden in crowds, with a data card.

material -> drafts (tables/, one module a table) -> crowd (at least k alike) -> screen -> encode, card

A string is a word of a closed list or a pseudonym (`pseudonyms`), a time is a week at most, a number has two digits that
say something. Free text is in one table, the contents of templates, which is made only when asked for (`texts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from msgspec.structs import replace

from afterglow.dataset.k_anonymity import hide
from afterglow.dataset.pseudonyms import Pseudonyms
from afterglow.dataset.table import Filled, Material, SharedRows, Table
from afterglow.dataset.tables import (
    knowledge,
    outcomes,
    recoveries,
    sessions,
    template_contents,
    templates,
    trials,
)

# Later ones may rest on earlier ones: what a session does not tell, its recoveries and trials do not tell either.
TABLES: Mapping[str, ModuleType] = {
    module.TABLE.name: module
    for module in (sessions, recoveries, templates, knowledge, trials, outcomes)
}
CONTENTS = template_contents.TABLE.name  # the table with words, made when asked for


def build(
    material: Material, key: bytes, *, k: int, people: int = 1
) -> dict[str, Filled]:
    """Every table as it may leave. The same material and key make the same tables."""
    ids, shared_rows, filled = Pseudonyms(key), SharedRows(), {}
    on_request = {CONTENTS: template_contents} if material.contents else {}
    for name, module in {**TABLES, **on_request}.items():
        table = _with_names(module.TABLE, material)
        filled[name], shared_rows[name] = hide(
            table, module.drafts(material, ids, shared_rows), k, people
        )
    return filled


def _with_names(table: Table, material: Material) -> Table:
    """A table whose lists are those of this home's outcomes and exclusions."""
    lists = {
        ("outcomes", "name"): material.outcomes,
        ("trials", "excluded"): material.exclusions,
    }
    columns = (
        replace(
            column, vocabulary=lists.get((table.name, column.name), column.vocabulary)
        )
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))
