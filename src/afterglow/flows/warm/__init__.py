"""warm: templates made from sessions, kept, chosen, shared, and given to a new session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.warm.compress_templates import Compared, compare, compress
    from afterglow.flows.warm.decide_templates import (
        approve,
        delete,
        reject,
        template_mark,
    )
    from afterglow.flows.warm.distil_templates import Auto, auto, best_sessions
    from afterglow.flows.warm.extract_template import Label, extract
    from afterglow.flows.warm.give_as_text import same_template, template_for
    from afterglow.flows.warm.share_templates import (
        export,
        import_,
        redaction,
        without_risks,
    )
    from afterglow.flows.warm.source_sessions import (
        MAX_EXAMPLES_PER_SESSION,
        MIN_CALLS,
    )
    from afterglow.flows.warm.start_session import Target, deliver, select, try_out
    from afterglow.flows.warm.template_records import record
    from afterglow.flows.warm.template_text import (
        TemplatePart,
        TemplateVersion,
        difference,
        support_words,
        template_parts,
        usage_words,
        version_before,
    )
    from afterglow.flows.warm.template_views import (
        TemplateRow,
        TemplateRows,
        TemplateView,
        template_rows,
        template_view,
    )
    from afterglow.flows.warm.templates import (
        BUDGET,
        EXAMPLES,
        Listed,
        Listing,
        Stats,
        TypeCount,
        approved_template,
        approved_templates,
        diff,
        list_templates,
        show,
        stats,
        titles,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "compress_templates": "Compared compare compress",
            "decide_templates": "approve delete reject template_mark",
            "distil_templates": "Auto auto best_sessions",
            "extract_template": "Label extract",
            "give_as_text": "same_template template_for",
            "share_templates": "export import_ redaction without_risks",
            "source_sessions": "MAX_EXAMPLES_PER_SESSION MIN_CALLS",
            "start_session": "Target deliver select try_out",
            "template_records": "record",
            "template_text": (
                "TemplatePart TemplateVersion difference support_words template_parts "
                "usage_words version_before"
            ),
            "template_views": (
                "TemplateRow TemplateRows TemplateView template_rows template_view"
            ),
            "templates": (
                "BUDGET EXAMPLES Listed Listing Stats TypeCount approved_template "
                "approved_templates diff list_templates show stats titles"
            ),
        },
    )
