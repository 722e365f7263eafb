"""Backup: when the last one was made, and one now."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from afterglow.config import Config
from afterglow.errors import UsageError
from afterglow.flows.backup import back_up, dated_name, last_backup
from afterglow.folders import private
from afterglow.text.numbers import count, size
from afterglow.web.desk import Desk, Notice, desk_of
from afterglow.web.jobs import Job, Work
from afterglow.web.rendering import back, page
from afterglow.web.routing import Form, get, post

BACKUP = "/settings/backup"
FOLDER = "afterglow-backups"  # below where the user lives, unless there is a last one


def backup(request: Request) -> Response:
    config = desk_of(request).config
    last = last_backup(config)
    folder = Path(last.file).parent if last else config.user_home / FOLDER
    return page(request, "backup.html", last=last, folder=folder, home=config.home)


def make(request: Request, form: Form) -> Response:
    desk = desk_of(request)
    config = desk.config
    text = form.get("folder", "").strip()
    folder = config.user_home / text[2:] if text.startswith("~/") else Path(text)
    if not folder.is_absolute():
        raise UsageError("name the whole path of a folder, like /home/me/backups")
    has_catalogue = not form.get("no_catalogue")
    work = _work(desk, folder, has_catalogue)
    job = desk.jobs.start("Backup", work, key="backup")
    return back(request, f"/jobs/{job.id}")


def _work(desk: Desk, folder: Path, has_catalogue: bool) -> Work:
    def work(job: Job) -> str:
        job.result = BACKUP
        target = private(folder) / dated_name(desk.now())
        config = desk.config
        report = back_up(config, target, catalogue=has_catalogue, step=job.report)
        what = f"{count(report.files, 'file')}, {size(report.kept_bytes)}"
        words = f"{report.file}: {what} in {size(report.bytes)}, read again and whole."
        return f"{BACKUP}?notice={desk.leave(Notice(words))}"

    return work


def exported(config: Config) -> list[str]:
    return []


ROUTES = [get(BACKUP, backup), post(BACKUP, make)]
