"""connect: an agent's own files are made to call us, and are put back as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.connect.connect_agents import connect
    from afterglow.flows.connect.connect_results import ConnectResult
    from afterglow.flows.connect.connection_list import Connection, connections
    from afterglow.flows.connect.disconnect_agents import disconnect
    from afterglow.flows.connect.machine_facts import (
        Running,
        answers,
        ask,
        machine,
        present,
        version,
    )
    from afterglow.flows.connect.record import (
        ConnectedFile,
        check_writable,
        connected_files,
        digest,
        put_file,
        read_file,
    )
    from afterglow.flows.connect.writer_consent import (
        NOBODY,
        WriterOffer,
        checked_writer,
        set_writer,
        unset_writer,
        writer_offer,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "connect_agents": "connect",
            "connect_results": "ConnectResult",
            "connection_list": "Connection connections",
            "disconnect_agents": "disconnect",
            "machine_facts": "Running answers ask machine present version",
            "record": "ConnectedFile check_writable connected_files digest put_file "
            "read_file",
            "writer_consent": "NOBODY WriterOffer checked_writer set_writer unset_writer "
            "writer_offer",
        },
    )
