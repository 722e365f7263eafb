"""What else a set of sessions shows: errors and first success, how people spoke, how full the context got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from afterglow.profile.tables import decided
from afterglow.records.profile import Profile
from afterglow.records.profile_report import (
    ContextUse,
    Interaction,
    Markers,
    Masked,
    Rate,
)
from afterglow.sessions.joined_parts import total
from afterglow.stats.rates import Pair, rate, spread
from afterglow.text.numbers import count, percent

NEARLY_FULL = 0.8  # of the window: little room is left beyond it


def markers(profiles: Sequence[Profile]) -> Markers:
    """Per session, over those that made a call."""
    calling = [profile for profile in profiles if profile.outcomes]
    calls_to_success: list[int] = []
    seconds_to_success: list[float] = []
    for profile in calling:
        if profile.first_success_call is not None:
            calls_to_success.append(profile.first_success_call)
        if profile.first_success_seconds is not None:
            seconds_to_success.append(profile.first_success_seconds)
    return Markers(
        errors=spread(profile.failed for profile in calling),
        tools=spread(profile.diversity for profile in calling),
        first_success_call=spread(calls_to_success),
        first_success_seconds=spread(seconds_to_success),
        never_succeeded=len(calling) - len(calls_to_success),
        early_error_rate=rate(decided(profile.early) for profile in calling),
    )


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
    requests = words = interrupts = reasons = 0
    request_styles: Counter[str] = Counter()
    feedback_styles: Counter[str] = Counter()
    corrections: list[Pair] = []
    questions: list[Pair] = []
    polite: list[Pair] = []
    for profile in profiles:
        manner = profile.manner
        interrupts += manner.interrupts
        reasons += manner.reasons
        if not manner.requests:
            continue
        requests += manner.requests
        words += manner.words
        request_styles[manner.request_style] += 1
        feedback_styles[manner.feedback_style] += 1
        corrections.append((manner.corrections, manner.requests))
        questions.append((manner.questions, manner.requests))
        polite.append((manner.polite, manner.requests))
    return Interaction(
        requests=requests,
        words_per_request=words / requests if requests else None,
        request_styles=dict(request_styles.most_common()),
        feedback_styles=dict(feedback_styles.most_common()),
        corrections=rate(corrections),
        questions=rate(questions),
        polite=rate(polite),
        interrupts=interrupts,
        reasons=reasons,
    )


def context_use(profiles: Sequence[Profile]) -> ContextUse:
    """Sizes where the agent recorded usage; shares where the window is known too."""
    sizes: list[int] = []
    shares: list[float] = []
    with_usage = with_cost = 0
    for profile in profiles:
        usage = profile.usage
        with_usage += usage.input + usage.output > 0
        with_cost += usage.cost > 0
        if usage.context:
            sizes.append(usage.context)
            if profile.window:
                shares.append(usage.context / profile.window)
    return ContextUse(
        tokens=spread(sizes),
        share=spread(shares),
        nearly_full=sum(share >= NEARLY_FULL for share in shares),
        compacted=rate((profile.compactions > 0, 1) for profile in profiles),
        compactions=sum(profile.compactions for profile in profiles),
        usage=total(profile.usage for profile in profiles),
        sessions_with_usage=with_usage,
        sessions_with_cost=with_cost,
    )
