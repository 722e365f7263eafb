"""Long work in threads of the server: it goes on while a page is reloaded or left, and says how far it is."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Literal

from afterglow.errors import AfterglowError, NotFound

MAX_JOBS = 30  # remembered, running or not: enough to find the one from an hour ago

State = Literal["running", "finished", "failed", "stopped"]


class Stopped(AfterglowError):
    """A person stopped the work."""


class Job:
    """One piece of work. `share` is how much of it is behind it, where that is known; `result` the page that shows what
    came of it."""

    def __init__(self, title: str, key: str, begun: float) -> None:
        self.id = secrets.token_hex(5)
        self.title = title
        self.key = key
        self.begun = begun
        self.ended: float | None = None
        self.state: State = "running"
        self.words = ""
        self.share: float | None = None
        self.result = ""
        self.is_to_stop = False
        self.is_seen = False  # that it is finished
        self.thread = threading.Thread()

    def report(self, words: str, share: float | None = None) -> None:
        """Said by the work as it goes; where a person has stopped it, it ends here."""
        if self.is_to_stop:
            raise Stopped("stopped; what was finished before is kept")
        self.words, self.share = words, share


Work = Callable[[Job], str]


class Jobs:
    """Work with the same `key` is done once at a time."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, title: str, work: Work, *, key: str = "") -> Job:
        """Begins `work`, which gets its job to report to and returns the page that shows its result."""
        with self._lock:
            running = [job for job in self.running() if key and job.key == key]
            if running:
                return running[0]
            job = Job(title, key, self._now())
            self._jobs[job.id] = job
            while len(self._jobs) > MAX_JOBS:
                self._jobs.popitem(last=False)
        job.thread = threading.Thread(target=self._run, args=(job, work), daemon=True)
        job.thread.start()
        return job

    def _run(self, job: Job, work: Work) -> None:
        state: State = "failed"
        try:
            job.result = work(job)
            state = "finished"
        except Stopped as error:
            job.words, state = str(error), "stopped"
        except AfterglowError as error:
            job.words = str(error)
        except OSError as error:
            job.words = error.strerror or str(error)
        finally:
            if state == "failed" and not job.words:
                job.words = "it failed; the server's output says how"
            job.ended = self._now()
            job.state = state

    def get(self, id: str) -> Job:
        job = self._jobs.get(id)
        if job is None:
            raise NotFound("no such work; the server may have been started again since")
        return job

    def stop(self, id: str) -> Job:
        job = self.get(id)
        job.is_to_stop = True
        return job

    def running(self) -> list[Job]:
        return [job for job in list(self._jobs.values()) if job.state == "running"]

    def latest(self, key: str) -> Job | None:
        """The last piece of work with that key, whatever became of it."""
        named = [job for job in list(self._jobs.values()) if job.key == key]
        return named[-1] if named else None
