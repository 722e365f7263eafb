"""harvest: what finished sessions taught becomes knowledge; by rules, by a model, at once or from the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterglow.registry import exports

if TYPE_CHECKING:
    from afterglow.flows.harvest.answers_in_words import (
        AnsweredLately,
        answer_words,
        answered_lately,
    )
    from afterglow.flows.harvest.ask_model import learn, outline, plan, tell
    from afterglow.flows.harvest.ask_writer import (
        WRITE_LIMIT,
        Writing,
        outline_of,
        plan_writing,
        write_lessons,
    )
    from afterglow.flows.harvest.background_writing import (
        WritingEstimate,
        estimate_writing,
        write_in_background,
    )
    from afterglow.flows.harvest.check_lessons import MAX_CITATIONS
    from afterglow.flows.harvest.compare_model import compare
    from afterglow.flows.harvest.find_windows import (
        SMALLEST_WINDOW,
        WINDOW_LIMIT,
        WINDOW_TOKENS,
        prompt,
        windows,
    )
    from afterglow.flows.harvest.hand_in_answers import hand_in, hand_in_json
    from afterglow.flows.harvest.harvest_sessions import (
        harvest,
        judge_stored_items,
        merge_pending,
    )
    from afterglow.flows.harvest.index_problems import problem_index
    from afterglow.flows.harvest.keep_lessons import remember, remember_json
    from afterglow.flows.harvest.keep_problems import make_problems
    from afterglow.flows.harvest.list_problems import (
        PROBLEM_LIMIT,
        problem_facets,
        problem_page,
        problems,
        problems_of_session,
    )
    from afterglow.flows.harvest.merge_rules import HomeRules
    from afterglow.flows.harvest.merge_topics import Merging
    from afterglow.flows.harvest.mining import (
        SMALL,
        Progress,
        batches,
        mine_into_catalog,
        source_jobs,
    )
    from afterglow.flows.harvest.queue import (
        QUEUE_PAUSE,
        QUEUE_SECONDS,
        Worked,
        begin,
        enqueue,
        log_of,
        queue_lock,
        waiting,
    )
    from afterglow.flows.harvest.queue_worker import work_off
    from afterglow.flows.harvest.show_problem import problem
    from afterglow.flows.harvest.side_by_side import EPISODE_LIMIT, problem_episodes
    from afterglow.flows.harvest.waiting_problems import (
        PROBLEMS_AT_ONCE,
        WAITING_TOKENS,
        problems_to_write,
    )
    from afterglow.flows.harvest.worker import SourceJob, worker_redactor
    from afterglow.flows.harvest.write_about_problem import (
        HandWritten,
        WriterOffer,
        add_own_words,
        answer_by_hand,
        dossier_mark,
        earlier_answer,
        have_written,
        offer_writing,
    )
    from afterglow.flows.harvest.writing_notes import (
        LastWriting,
        last_writing,
        lessons_written,
    )
    from afterglow.flows.harvest.written_history import (
        NOBODY,
        replaced_by_written,
        written_by_session,
    )
else:
    __getattr__ = exports(
        __name__,
        {
            "answers_in_words": "AnsweredLately answer_words answered_lately",
            "ask_model": "learn outline plan tell",
            "background_writing": "WritingEstimate estimate_writing write_in_background",
            "check_lessons": "MAX_CITATIONS",
            "compare_model": "compare",
            "find_windows": "SMALLEST_WINDOW WINDOW_LIMIT WINDOW_TOKENS prompt windows",
            "hand_in_answers": "hand_in hand_in_json",
            "harvest_sessions": "harvest judge_stored_items merge_pending",
            "keep_lessons": "remember remember_json",
            "keep_problems": "make_problems",
            "list_problems": (
                "PROBLEM_LIMIT problem_facets problem_page problems problems_of_session"
            ),
            "index_problems": "problem_index",
            "merge_rules": "HomeRules",
            "merge_topics": "Merging",
            "mining": "Progress SMALL batches mine_into_catalog source_jobs",
            "show_problem": "problem",
            "side_by_side": "EPISODE_LIMIT problem_episodes",
            "queue": (
                "QUEUE_PAUSE QUEUE_SECONDS Worked begin enqueue log_of queue_lock waiting"
            ),
            "queue_worker": "work_off",
            "waiting_problems": "PROBLEMS_AT_ONCE WAITING_TOKENS problems_to_write",
            "worker": "SourceJob worker_redactor",
            "ask_writer": ("WRITE_LIMIT Writing outline_of plan_writing write_lessons"),
            "write_about_problem": (
                "HandWritten WriterOffer add_own_words answer_by_hand dossier_mark "
                "earlier_answer have_written offer_writing"
            ),
            "written_history": "NOBODY replaced_by_written written_by_session",
            "writing_notes": "LastWriting last_writing lessons_written",
        },
    )
