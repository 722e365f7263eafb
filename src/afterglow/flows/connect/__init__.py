"""connect: an agent's own files are made to call us, and are put back as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.connect.connect_agents import Done, connect, disconnect
    from afterglow.flows.connect.machine_facts import (
        Asked,
        answers,
        ask,
        machine,
        present,
    )
    from afterglow.flows.connect.record import (
        Touched,
        check_writable,
        digest,
        put_file,
        read_file,
        touched,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "connect_agents": "Done connect disconnect",
            "machine_facts": "Asked answers ask machine present",
            "record": "Touched check_writable digest put_file read_file touched",
        },
    )
