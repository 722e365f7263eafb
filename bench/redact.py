"""How much the redactor finds, what it hides by mistake, and how fast it is.

    python -m bench.redact --labelled DIR --corpus DIR

`--labelled` holds `secrets/*.jsonl` (lines with `text`, `label` and `rule` or `file`) and `pii/presidio_synth.json`;
`--corpus` holds Claude Code sessions. What is absent is skipped with a message. Losing rows are printed too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from afterglow.text.redact import Hit, Redactor

ENTITIES = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
    "IP_ADDRESS": "ip",
}
SECRET_KINDS = {"secret", "key"}


class Score(NamedTuple):
    right: int = 0
    missed: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        found, there = self.right + self.wrong, self.right + self.missed
        recall = f"{self.right / there:.3f}" if there else "    -"
        precision = f"{self.right / found:.3f}" if found else "    -"
        return f"recall {recall} of {there:4}   precision {precision} of {found:4}"


def total(scores: Iterable[Score]) -> Score:
    return Score(*(sum(part) for part in zip(*scores, strict=True)))


def labelled_rows(path: Path) -> list[tuple[str, bool, str]]:
    """(family, label, text). A text that is a secret by one rule and a look-alike for another is a secret, once."""
    rows = [
        json.loads(line)
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]
    secret = {row["text"] for row in rows if row["label"]}
    seen: set[str] = set()
    found = []
    for row in rows:
        label = row["text"] in secret
        if label and (not row["label"] or row["text"] in seen):
            continue
        seen.add(row["text"])
        found.append(
            (
                row.get("rule") or Path(row["file"]).stem.removesuffix("_test"),
                label,
                row["text"],
            )
        )
    return found


def secrets(path: Path, redactor: Redactor) -> None:
    scores: dict[str, Score] = defaultdict(Score)
    lost = []
    for family, label, text in labelled_rows(path):
        kinds = SECRET_KINDS | ({"ip"} if family == "ip_public" else set())
        hits = [hit for hit in redactor.find(text) if hit.kind in kinds]
        one = Score(
            bool(label and hits), bool(label and not hits), bool(hits and not label)
        )
        scores[family] = total((scores[family], one))
        if label != bool(hits):
            lost.append(
                f"  {'missed' if label else 'wrong '} {family}: {shortened(text, hits)}"
            )
    print(f"\n{path.name}")
    for family, score in sorted(scores.items()):
        print(f"  {family:44} {score}")
    print(f"  {'total':44} {total(scores.values())}\n  losing rows:")
    print("\n".join(lost))


def shortened(text: str, hits: list[Hit]) -> str:
    where = (
        f"   <- {', '.join(f'{hit.rule} at {hit.start}' for hit in hits)}"
        if hits
        else ""
    )
    return repr(text)[:150] + where


def personal(path: Path, redactor: Redactor) -> None:
    scores: dict[str, Score] = defaultdict(Score)
    lost = []
    for row in json.loads(path.read_text(encoding="utf-8")):
        hits = redactor.find(row["full_text"])
        for entity, kind in ENTITIES.items():
            mine = [hit for hit in hits if hit.kind == kind]
            spans = [s for s in row["spans"] if s["entity_type"] == entity]
            met = [s for s in spans if any(_overlap(hit, s) for hit in mine)]
            wrong = [hit for hit in mine if not any(_overlap(hit, s) for s in spans)]
            scores[entity] = total(
                (scores[entity], Score(len(met), len(spans) - len(met), len(wrong)))
            )
            lost += [
                f"  missed {entity}: {s['entity_value']!r}"
                for s in spans
                if s not in met
            ]
            lost += [
                f"  wrong  {entity}: {row['full_text'][hit.start : hit.end]!r}"
                for hit in wrong
            ]
    print(f"\n{path.name}")
    for entity, score in scores.items():
        print(f"  {entity:44} {score}")
    print(f"  {'total':44} {total(scores.values())}\n  losing rows:")
    print("\n".join(lost))


def _overlap(hit: Hit, span: dict[str, Any]) -> bool:
    return bool(hit.start < span["end_position"] and span["start_position"] < hit.end)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key not in {"id", "tool_use_id", "signature", "data"}:
                yield from strings(part)


def messages(corpus: Path) -> Iterator[str]:
    for path in sorted(corpus.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                message = json.loads(line).get("message")
            except (ValueError, AttributeError):
                continue
            yield from (
                strings(message.get("content")) if isinstance(message, dict) else ()
            )


def speed(corpus: Path, shown: int) -> None:
    texts = list(messages(corpus))
    size = sum(map(len, texts)) / 1e6
    print(f"\n{len(texts)} strings of messages, {size:.0f} MB")
    for engine, part in (
        ("hyperscan", texts),
        ("python", texts[:: max(1, len(texts) // 20_000)]),
    ):
        redactor = Redactor(engine=engine)
        redactor.redact("")
        best = min(
            _timed(redactor, part) for _ in range(3 if engine == "hyperscan" else 1)
        )
        print(f"  {engine:10} {sum(map(len, part)) / 1e6 / best:7.1f} MB/s")
    redactor = Redactor()
    counts: Counter[str] = Counter()
    for text in texts:
        for hit in redactor.find(text):
            counts[hit.rule] += 1
            if counts[hit.rule] <= shown and hit.kind != "home":
                print(
                    f"    {hit.rule}: {text[max(0, hit.start - 40) : hit.end + 20]!r}"[
                        :200
                    ]
                )
    print("  hits:", ", ".join(f"{rule} {n}" for rule, n in counts.most_common()))


def _timed(redactor: Redactor, texts: list[str]) -> float:
    start = time.process_time()
    redactor.redact_many(texts)
    return time.process_time() - start


def first_result() -> None:
    """Milliseconds from nothing to the first result, in a process of its own, without and with a kept database."""
    code = (
        "import sys,time;t=time.perf_counter();from pathlib import Path;from afterglow.text.redact import Redactor;"
        "Redactor(cache=Path(sys.argv[1])).redact('a@b');print(round(1000*(time.perf_counter()-t)))"
    )
    with tempfile.TemporaryDirectory() as cache:
        run = [sys.executable, "-c", code, cache]
        taken = [
            subprocess.run(
                run, capture_output=True, text=True, check=True
            ).stdout.strip()
            for _ in range(6)
        ]
    print(
        f"\nfirst result: {taken[0]} ms cold, {min(map(int, taken[1:]))} ms with a kept database"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--labelled", type=Path, help="folder with secrets/ and pii/")
    parser.add_argument("--corpus", type=Path, help="folder with Claude Code sessions")
    parser.add_argument(
        "--show",
        type=int,
        default=0,
        help="print this many hits a rule from the corpus",
    )
    chosen = parser.parse_args()
    redactor = Redactor()
    for name, measure in (
        ("secrets/gitleaks_rule_examples.jsonl", secrets),
        ("secrets/detect_secrets_plugin_cases.jsonl", secrets),
        ("pii/presidio_synth.json", personal),
    ):
        if chosen.labelled and (chosen.labelled / name).exists():
            measure(chosen.labelled / name, redactor)
        else:
            print(f"no {name}: skipped (give --labelled DIR)")
    first_result()
    if chosen.corpus and chosen.corpus.is_dir():
        speed(chosen.corpus, chosen.show)
    else:
        print("no sessions: skipped (give --corpus DIR)")


if __name__ == "__main__":
    main()
