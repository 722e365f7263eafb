"""HTML -> PDF with Debian's Chromium, without a date in it: the same page gives the same file."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 120.0
# Chromium writes when it printed; in the same length, so that the file's table of places stays true.
_DATE = re.compile(rb"D:\d{14}\+00'00'")
NO_DATE = b"D:20000101000000+00'00'"
MARK = b"% made from "


class NoBrowser(RuntimeError):
    pass


def print_pdf(html: Path, pdf: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise NoBrowser("the PDF needs Chromium: apt install chromium")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer")
    subprocess.run(
        [browser, *options, f"--print-to-pdf={pdf}", html.resolve().as_uri()],
        check=True,
        capture_output=True,
        timeout=SECONDS,
    )
    content = _DATE.sub(NO_DATE, pdf.read_bytes())
    pdf.write_bytes(content + MARK + digest(html) + b"\n")


def digest(html: Path) -> bytes:
    return b"sha256:" + hashlib.sha256(html.read_bytes()).hexdigest().encode()


def made_from(pdf: Path) -> bytes:
    """Of which page a PDF is the print: its last line says so. A reader of PDF does not look at it."""
    return pdf.read_bytes().rpartition(MARK)[2].strip()
