"""How many keys a review takes: `python -m bench.review_keys HOME [--items 50 --browser]`, on a copy of that home.

A scripted reviewer goes through the queue from its top. Keys are those a person presses on the page: `a` approves, `a y`
what is risky, `r Enter` rejects with the reason that stands there, `j` leaves one for later; what says nearly the same is
decided with it. Which of these comes is drawn, as nobody's judgement is at hand: half approved, a third rejected, the rest
left. Server work is what answering took, with the next item and its transcript lines. `--browser` presses the keys in
Chromium instead of sending what they send, and reckons the whole time of a page.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from starlette.testclient import TestClient

from afterglow.config import Config
from afterglow.flows.knowledge import ReviewQueue, WaitingItem, review_queue
from afterglow.web.app import make_app
from afterglow.web.desk import Desk

HOST = "127.0.0.1:8378"
TOKEN = "bench-of-review"
SHARES = {"approve": 0.5, "reject": 0.35, "later": 0.15}
KEYS = {
    "approve": ("a",),
    "risky": ("a", "y"),
    "reject": ("r", "Enter"),
    "later": ("j",),
}
# What deciding took before there was a page: a command with a copied id, and the words of a reason.
TYPED = {
    "approve": len("afterglow knowledge approve k7f3a\n"),
    "risky": len("afterglow knowledge approve --risky k7f3a\n"),
    "reject": len("afterglow knowledge reject k7f3a --why 'not useful'\n"),
    "later": 0,
}


class Tally(Struct):
    """What a review took."""

    decided: int = 0
    keys: int = 0
    typed: int = 0
    verdicts: Counter[str] = Counter()
    seconds: list[float] = []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--items", type=int, default=50)
    parser.add_argument("--browser", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(options.home, home)
        config = Config(home=home, user_home=Path(folder))
        run = in_browser if options.browser else by_client
        _tell(run(config, options.items), options.browser)


def verdict_of(waiting: WaitingItem, chance: random.Random) -> str:
    (verdict,) = chance.choices(list(SHARES), list(SHARES.values()))
    return "risky" if verdict == "approve" and waiting.is_risky else verdict


def go_through(
    config: Config, items: int, act: Callable[[WaitingItem, str], float]
) -> Tally:
    """`act` does what the keys of a verdict do, and returns how long that took."""
    chance, tally = random.Random(19), Tally()
    later: set[str] = set()
    while tally.decided < items:
        waiting = _first(review_queue(config), later)
        if waiting is None:
            break
        verdict = verdict_of(waiting, chance)
        tally.seconds.append(act(waiting, verdict))
        tally.decided += 1
        tally.keys += len(KEYS[verdict])
        tally.typed += TYPED[verdict]
        tally.verdicts[verdict] += 1
        if verdict == "later":
            later.add(waiting.item.id)
    return tally


def _first(queue: ReviewQueue, later: set[str]) -> WaitingItem | None:
    return next((each for each in queue.items if each.item.id not in later), None)


def by_client(config: Config, items: int) -> Tally:
    desk = Desk(lambda: config, token=TOKEN)
    client = TestClient(make_app(desk, [HOST]), base_url=f"http://{HOST}")
    client.get(f"/?token={TOKEN}")
    headers = {"origin": f"http://{HOST}", "hx-request": "true"}

    def act(waiting: WaitingItem, verdict: str) -> float:
        id = waiting.item.id
        began = time.perf_counter()
        if verdict == "later":
            client.get(f"/review/items/{id}", headers=headers)
        else:
            form = {
                "csrf": desk.form_token,
                "id": id,
                "mark": f"{id} {waiting.mark}",
                "verdict": "reject" if verdict == "reject" else "approve",
            }
            if verdict == "risky":
                form["risky"] = "yes"
            answer = client.post("/review/decide", data=form, headers=headers)
            assert answer.status_code == 200 and "HX-Retarget" not in answer.headers
        client.get(f"/knowledge/{id}/evidence", headers=headers)
        return time.perf_counter() - began

    return go_through(config, items, act)


def in_browser(config: Config, items: int) -> Tally:
    """The page itself says what comes next, so that nothing is pressed that a person could not."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from browser.site import Site, started_browser

    with started_browser() as browser:
        site = Site(config, browser, config.home.parent / "shots")
        page = site.page("/review")

        def act(waiting: WaitingItem, verdict: str) -> float:
            began = time.perf_counter()
            link = page.locator(
                f"#detail > p.row a[href='/knowledge/{waiting.item.id}']"
            )
            link.wait_for()
            for key in KEYS[verdict]:
                page.keyboard.press(key)
            link.wait_for(state="detached")
            return time.perf_counter() - began

        try:
            return go_through(config, items, act)
        finally:
            site.close()


def _tell(tally: Tally, is_browser: bool) -> None:
    verdicts = ", ".join(f"{count} {name}" for name, count in tally.verdicts.items())
    decided = max(tally.decided, 1)
    what = "in the browser" if is_browser else "of server work"
    lines = (
        f"{tally.decided} candidates: {verdicts}",
        f"keys           {tally.keys} ({tally.keys / decided:.2f} each)",
        f"by command     {tally.typed} characters and {tally.decided} ids copied",
        f"seconds {what}  {sum(tally.seconds):.1f} in all, "
        f"{1000 * statistics.median(tally.seconds or [0.0]):.0f} ms median",
    )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
