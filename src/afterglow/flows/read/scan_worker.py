"""Reading one source for the catalogue: what a worker process does. Text goes no further than this; rows come out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from afterglow.errors import BusySource, Stumbled, UnreadableSource
from afterglow.flows.isolation import isolated
from afterglow.profile.outcome import outcome
from afterglow.profile.tally import Tally
from afterglow.records.catalog import Source
from afterglow.records.profile import Profile
from afterglow.records.session import Mark, Session
from afterglow.records.writing import WRITER_FOLDER
from afterglow.sessions import parts, recognise
from afterglow.sessions.call_marks import CallMarks
from afterglow.sessions.formats import FORMATS, Format
from afterglow.sessions.joined_parts import join
from afterglow.sessions.jsonl_blocks import still_there
from afterglow.sessions.private_word import asks_for_privacy
from afterglow.sessions.remote_files import fetched
from afterglow.store.catalog import Resume
from afterglow.store.catalog_schema import SessionRow
from afterglow.text.clip import clip, first_line
from afterglow.text.mask import hide_secrets, mask, speaks_of_secrets
from afterglow.text.redact import Redactor

MAX_DAMAGE_KEPT = 20  # places of a source; the count has them all
NO_DAMAGE = b"[]"
MAX_TITLE_CHARACTERS = 100  # a line of a list
MAX_REQUEST_CHARACTERS = 300  # enough to find a session by what was asked for
NAMES = ("agent", "model", "cwd", "git_root", "remote", "branch", "task", "status")

_LINKED = re.compile(r"\[([^][]+)\]\(\S*?\)")  # words with an address, in Markdown
# An issue, a pull request, a discussion: `owner/name#12` says more than a masked address.
_NUMBERED = re.compile(
    r"https?://[\w.-]+/([\w.-]+/[\w.-]+)/(?:-/)?"
    r"(?:issues|pulls?|discussions|merge_requests)/(\d+)[^\s()<>\[\]]*"
)
_pack = msgspec.msgpack.Encoder().encode
_json = msgspec.json.Encoder().encode
_neighbours: dict[str, str] = {}


class Job(Struct, frozen=True):
    """One source to read: from the top (for the first time, or `again`), on from where it ended (`resume`), or just
    some sessions of a database (`only`, with their stamps). Up to the line `copied` it repeats the session `parent`;
    `marks` are of the calls in it, as they were known before."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    format: str = ""
    mark: Mark = Mark()
    resume: Resume | None = None
    only: dict[str, str] | None = None
    again: bool = False
    copied: int = 0
    parent: str = ""
    marks: bytes = b""


class Survey(Struct, frozen=True):
    """What came of a job. `private` are the ids of sessions whose first request says so. A `database` has not been read
    yet: it says which sessions it has, to be read in batches."""

    source: Source
    damage: bytes = NO_DAMAGE
    rows: tuple[SessionRow, ...] = ()
    resumed: bool = False
    private: tuple[str, ...] = ()
    stamps: dict[str, str] | None = None


def survey(job: Job) -> Survey:
    """Reads a source. Whatever is wrong with it becomes part of the result."""
    folder = job.path.rpartition("/")[0]
    name, gathered = job.format, list[_Gathering]()
    try:
        with fetched(Path(job.path)) as path:
            with isolated(f"the {name} reader" if name else "a reader"):
                format_ = _format(job, path, _neighbours.get(folder, ""))
                if format_ is None:
                    return _no_sessions(job)
                name = _neighbours[folder] = format_.NAME
            with isolated(f"the {name} reader"):
                if hasattr(format_, "stamps") and job.only is None:
                    source = Source(job.path, name, job.size, job.mtime_ns, job.inode)
                    return Survey(source, stamps=format_.stamps(path))
                if job.resume is not None and (grown := _read_on(job, path, format_)):
                    return _survey(job, name, [grown], resumed=True)
                _read(job, path, format_, gathered)
                return _survey(job, name, gathered)
    except UnreadableSource as error:
        state = "busy" if isinstance(error, BusySource) else "unreadable"
        reason = str(error).removeprefix(f"{job.path}: ")
    except FileNotFoundError:
        state, reason = "gone", ""
    except OSError as error:
        state, reason = "busy", error.strerror or type(error).__name__
    try:
        with isolated(f"the {name} reader"):
            return _survey(job, name, gathered, state, reason)
    except Stumbled:  # what was found cannot be kept either
        return _survey(job, name, [], state, reason)


def _no_sessions(job: Job) -> Survey:
    stamp = (job.path, "", job.size, job.mtime_ns, job.inode)
    return Survey(Source(*stamp, state="other"))


def unread(job: Job, why: str) -> Survey:
    """Of a job that did not come to its end: it is tried again."""
    return _survey(job, job.format, [], "busy", why)


def _format(job: Job, path: Path, neighbour: str) -> Format | None:
    return FORMATS.load(job.format) if job.format else recognise(path, neighbour)


def _read(job: Job, path: Path, format_: Format, gathered: list[_Gathering]) -> None:
    """Adds the sessions of a source to `gathered`. One that the reader stumbles over costs nothing but itself."""
    try:
        with isolated(f"the {format_.NAME} reader"):
            behind_copy = Mark(copied=job.copied)
            pieces = parts(format_, path, behind_copy, only=job.only)
            gathered.extend(_gather(pieces, job.parent))
        return
    except Stumbled:
        if job.only is None or len(job.only) == 1:
            raise
    troubles = []
    for session in job.only:
        try:
            with isolated(f"the {format_.NAME} reader"):
                gathered.extend(_gather(parts(format_, path, only={session})))
        except Stumbled as error:
            troubles.append(f"session {session}: {error}")
    if troubles:
        more = f", and {len(troubles) - 1} more" if len(troubles) > 1 else ""
        raise Stumbled(f"{troubles[0]}{more}")


def _survey(
    job: Job,
    name: str,
    gatherings: list[_Gathering],
    state: str = "ok",
    reason: str = "",
    *,
    resumed: bool = False,
) -> Survey:
    mark = gatherings[0].mark if len(gatherings) == 1 else Mark()
    damaged = sum(gathering.header.damaged for gathering in gatherings)
    stamp = (job.path, name, job.size, job.mtime_ns, job.inode)
    source = Source(
        *stamp, mark.offset, mark.line, mark.check, mark.message, state, reason, damaged
    )
    damage = [damage for gathering in gatherings for damage in gathering.header.damage]
    stamps = job.only or {}
    rows = tuple(
        gathering.row(job, stamps.get(gathering.header.id, ""))
        for gathering in gatherings
    )
    private = tuple(
        gathering.header.id for gathering in gatherings if gathering.private
    )
    return Survey(source, _json(damage[:MAX_DAMAGE_KEPT]), rows, resumed, private)


def _read_on(job: Job, path: Path, format_: Format) -> _Gathering | None:
    """A grown file from its mark. None where that cannot be exact and the whole file has to be read again."""
    assert job.resume is not None
    with open(path, "rb") as file:
        if not still_there(file, job.mark):
            return None
    header, profile = job.resume
    marks = CallMarks(job.marks, job.mark.line)
    gathering = _Gathering(header, profile, marks)
    for part in parts(format_, path, job.mark):
        if (
            part.orphans
            or part.origin != header.origin
            or part.id not in ("", header.id)
        ):
            return None
        gathering.add(part)
    return gathering


def _gather(pieces: Iterable[Session], parent: str = "") -> Iterable[_Gathering]:
    """The sessions the parts belong to; those of sub-agents may stand in between. `parent` is the session they were
    copied from, where their agent does not say so."""
    gatherings: dict[str, _Gathering] = {}
    for part in pieces:
        is_nameless_copy = parent and not part.parent
        named = replace(part, parent=parent, parent_by="branch")
        gathering = gatherings.setdefault(part.id, _Gathering())
        gathering.add(named if is_nameless_copy else part)
    return gatherings.values()


def _origin(head: Session) -> str:
    """What an agent says in a folder of ours, asked for lessons, is nobody's experience."""
    is_ours = PurePath(head.cwd).name.startswith(WRITER_FOLDER)
    return "tool" if is_ours else head.origin


class _Gathering:
    """A session's header and counts, part by part; and the same at its mark, where reading may go on later."""

    def __init__(
        self,
        header: Session | None = None,
        profile: Profile | None = None,
        marks: CallMarks | None = None,
    ) -> None:
        self._header = header
        self._marks = marks or CallMarks()
        self._tally = Tally(profile, header.start if header else None)
        self._resume: Resume | None = None
        self.mark = Mark()
        self.private = False
        self._asked = header is not None  # a first request was read before

    @property
    def header(self) -> Session:
        assert self._header is not None
        return self._header

    def add(self, part: Session) -> None:
        if not part.settled and self._header is not None:
            self._resume = (self._header, self._tally.profile())
        elif part.settled:
            self.mark = part.mark
        self._tally.add(part)
        self._marks.add(part)
        if not self._asked and (request := _first_request(part)):
            self._asked, self.private = True, asks_for_privacy(request)
        names = {name: hide_secrets(getattr(part, name)) for name in NAMES}
        earlier = self._header.request if self._header is not None else ""
        request = earlier or _recognisable(_first_request(part), MAX_REQUEST_CHARACTERS)
        title = _recognisable(part.title, MAX_TITLE_CHARACTERS)
        title = title or clip(request, MAX_TITLE_CHARACTERS)
        bare = replace(part, turns=(), title=title, request=request, **names)
        if self._header is None:
            self._header = bare
        else:
            whole = join(
                self._header, bare
            )  # a name the agent gave later wins over the first words
            self._header = replace(whole, title=bare.title) if part.title else whole

    def row(self, job: Job, stamp: str) -> SessionRow:
        head, profile = self.header, self._tally.profile()
        read_over_copy = job.copied > 0 and job.resume is None
        result, read_from = outcome(head, profile)
        return SessionRow(
            remote=head.remote,
            git_root=head.git_root,
            cwd=head.cwd,
            branch=head.branch,
            source=job.path,
            id=head.id,
            stamp=stamp,
            agent=head.agent,
            format=head.format,
            model=head.model,
            title=head.title,
            start=head.start,
            end=head.end,
            messages=profile.messages,
            calls=profile.calls,
            failed=profile.failed,
            outcome=result,
            outcome_by=read_from,
            ending=head.ending,
            origin=_origin(head),
            parent=head.parent,
            parent_by=head.parent_by,
            task=head.task,
            score=head.score,
            damaged=head.damaged,
            empty=not profile.replies and not profile.calls,
            copied=job.copied,
            masked=profile.masked,
            words=_searched(head),
            tools="".join(f"\n{tool}\n" for tool in sorted(profile.tools)),
            header=_pack(head),
            profile=_pack(profile),
            resume=_pack(self._resume) if self._resume else None,
            # What was read over is still known from the reading before.
            marks=b"" if read_over_copy else self._marks.packed(),
        )


def _recognisable(text: str, limit: int) -> str:
    """The first line of what the agent called a session or a person said first; masked, enough to know it by."""
    plain = _LINKED.sub(r"\1", text[: 10 * limit])
    line = first_line(_NUMBERED.sub(r"\1#\2", plain), 4 * limit)
    if speaks_of_secrets(line):
        line = _redactor().redact(line).text
    return clip(mask(line), limit)


def _searched(head: Session) -> str:
    """What a session can be searched by, in small letters; its place is known apart."""
    is_titled_by_request = head.request.startswith(head.title.removesuffix("…"))
    titles = (head.request,) if is_titled_by_request else (head.title, head.request)
    return "\n".join((*titles, head.id)).casefold()


@lru_cache(maxsize=1)  # for the few titles that need it; the fast engine starts slower
def _redactor() -> Redactor:
    return Redactor(engine="python")


def _first_request(part: Session) -> str:
    requests = (
        turn.text for turn in part.turns if turn.role == "user" and turn.kind == "said"
    )
    return next(requests, "")
