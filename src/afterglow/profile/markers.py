"""What else a set of sessions shows: errors and first success, how people spoke, how full the context got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from afterglow.profile.tables import decided
from afterglow.records.profile import Profile
from afterglow.records.profile_report import (
    ContextUse,
    Interaction,
    Markers,
    Masked,
    Rate,
    Spread,
)
from afterglow.sessions.joined_parts import total
from afterglow.stats.rates import rate, spread
from afterglow.text.numbers import count, percent

NEARLY_FULL = 0.8  # of the window: little room is left beyond it


def markers(profiles: Sequence[Profile]) -> Markers:
    """Per session, over those that made a call."""
    calling = [profile for profile in profiles if profile.outcomes]
    succeeded = [
        profile for profile in calling if profile.first_success_call is not None
    ]
    return Markers(
        errors=spread(profile.failed for profile in calling),
        tools=spread(profile.diversity for profile in calling),
        first_success_call=_spread_of(
            profile.first_success_call for profile in calling
        ),
        first_success_seconds=_spread_of(
            profile.first_success_seconds for profile in calling
        ),
        never_succeeded=len(calling) - len(succeeded),
        early_error_rate=rate(decided(profile.early) for profile in calling),
    )


def _spread_of(values: Iterable[float | None]) -> Spread:
    """Over those that were measured."""
    return spread(value for value in values if value is not None)


def masked(profiles: Sequence[Profile], errors: Rate) -> Masked:
    """Counted apart from failures, with what the error rate would be if they were failures."""
    share = rate((profile.masked, profile.outcomes.count("o")) for profile in profiles)
    with_them = (errors.count + share.count) / errors.n if errors.n else None
    sentence = f"Of {count(share.n, 'call')} that ended well, none hid a failure behind a pipe."
    if share.count:
        sentence = (
            f"{count(share.count, 'call')} ended well only because a pipe hid the exit code of a command whose output "
            f"reports a failure. They count as ok; counted as failures, the error rate would be {percent(with_them)} "
            f"instead of {percent(errors.value)}."
        )
    return Masked(share=share, error_rate_with_them=with_them, sentence=sentence)


def interaction(profiles: Sequence[Profile]) -> Interaction:
    """Over the sessions in which a person said something."""
    manners = [profile.manner for profile in profiles if profile.manner.requests]
    requests = sum(manner.requests for manner in manners)
    words = sum(manner.words for manner in manners)
    request_styles = Counter(manner.request_style for manner in manners)
    feedback_styles = Counter(manner.feedback_style for manner in manners)
    return Interaction(
        requests=requests,
        words_per_request=words / requests if requests else None,
        request_styles=dict(request_styles.most_common()),
        feedback_styles=dict(feedback_styles.most_common()),
        corrections=rate((manner.corrections, manner.requests) for manner in manners),
        questions=rate((manner.questions, manner.requests) for manner in manners),
        polite=rate((manner.polite, manner.requests) for manner in manners),
        interrupts=sum(profile.manner.interrupts for profile in profiles),
        reasons=sum(profile.manner.reasons for profile in profiles),
    )


def context_use(profiles: Sequence[Profile]) -> ContextUse:
    """Sizes where the agent recorded usage; shares where the window is known too."""
    measured = [profile for profile in profiles if profile.usage.context]
    shares = [
        profile.usage.context / profile.window for profile in measured if profile.window
    ]
    return ContextUse(
        tokens=spread(profile.usage.context for profile in measured),
        share=spread(shares),
        nearly_full=sum(share >= NEARLY_FULL for share in shares),
        compacted=rate((profile.compactions > 0, 1) for profile in profiles),
        compactions=sum(profile.compactions for profile in profiles),
        usage=total(profile.usage for profile in profiles),
        sessions_with_usage=sum(
            profile.usage.input + profile.usage.output > 0 for profile in profiles
        ),
        sessions_with_cost=sum(profile.usage.cost > 0 for profile in profiles),
    )
