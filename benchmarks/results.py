"""Results as small JSON files: results/MACHINE/NAME.json, the newest of each kind of machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.machine import machine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESULTS = Path(__file__).resolve().parent / "results"
WIDEST_FIRST = ("avx512_vpopcntdq", "avx512f", "avx2", "asimd")


def kind_of(machine: Mapping[str, Any]) -> str:
    """A name of processor, family, model and widest instruction set. New results replace older ones of that kind."""
    widest = next((name for name in WIDEST_FIRST if name in machine["instruction_sets"]), "")
    name = re.sub(r"\(r\)|\(tm\)|processor|cpu|@.*", " ", machine["cpu"], flags=re.IGNORECASE)
    words = [name, *(str(number) for number in machine["cpu_family_model"] if number), widest]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-")


def load_of(machine: Mapping[str, Any]) -> str:
    """What else ran: ", load 14 on 2 cores" where more processes wanted to run than there are cores, else empty."""
    load_average = machine.get("load_average")
    if load_average is None or round(load_average[0]) <= machine["cores"]:
        return ""
    return f", load {round(load_average[0])} on {machine['cores']} cores"


def document(benchmark: str, claim: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The results of a study, which has no contestants; its rows have details only."""
    return {"benchmark": benchmark, "claim": claim, "machine": machine(), "rows": list(rows)}


def write(document: Mapping[str, Any], *, keep: bool, folder: Path = RESULTS) -> Path:
    """Write the document to the folder of its machine, or to folder/quick if it is not to be kept."""
    subfolder = kind_of(document["machine"]) if keep else "quick"
    path = folder / subfolder / f"{document['benchmark']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if keep and path.exists():
        last = of_last_version(document, json.loads(path.read_text(encoding="utf-8")))
        if last:
            document = {**document, "last": last}
    path.write_text(as_text(document), encoding="utf-8")
    return path


def of_last_version(document: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any] | None:
    """The seconds of the last other version of bitsieve, from the document that this one replaces."""
    old_version = _version_in(old)
    if old_version == _version_in(document):
        return old.get("last")
    seconds = {row["job"]: own_seconds(row) for row in old["rows"]}
    return {
        "version": old_version,
        "commit": old["machine"].get("commit"),
        "date": old["machine"]["date"],
        "seconds": {job: ours for job, ours in seconds.items() if ours is not None},
    }


def _version_in(document: Mapping[str, Any]) -> str | None:
    """The version of bitsieve that was measured."""
    version: str | None = document["machine"].get("packages", {}).get("bitsieve")
    return version


def own_seconds(row: Mapping[str, Any]) -> float | None:
    """The seconds of the first contestant, which is ours; None for a study."""
    return next(iter(row.get("seconds", {}).values()), None)


class StudyTable:
    """A table that is printed row by row, in Markdown, and kept as results."""

    def __init__(self, benchmark: str, claim: str, header: Sequence[str]) -> None:
        self.benchmark = benchmark
        self.claim = claim
        self.header = list(header)
        self.rows: dict[str, dict[str, dict[str, str]]] = {}
        self._print(self.header)
        self._print(["---"] * len(self.header))

    def add(self, job: str, contestant: str, *cells: str) -> None:
        """Add a row and print it. The cells are those below the header from the third column on."""
        self._print([job, contestant, *cells])
        self.rows.setdefault(job, {})[contestant] = dict(zip(self.header[2:], cells, strict=True))

    def document(self) -> dict[str, Any]:
        """The table as results."""
        rows = [{"job": job, "details": details} for job, details in self.rows.items()]
        return document(self.benchmark, self.claim, rows)

    @staticmethod
    def _print(cells: Sequence[str]) -> None:
        print(f"| {' | '.join(cells)} |", flush=True)


def as_text(document: Mapping[str, Any]) -> str:
    """JSON with a line for every entry of the document, of the machine and of each row."""

    def entries(mapping: Mapping[str, Any], indent: str) -> str:
        lines = (f"{indent}{line(key)}: {line(value)}" for key, value in mapping.items())
        return "{\n" + ",\n".join(lines) + f"\n{indent[:-1]}}}"

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    parts = []
    for key, value in document.items():
        if key == "machine":
            text = entries(value, "  ")
        elif key == "rows":
            text = "[\n" + ",\n".join("  " + entries(row, "   ") for row in value) + "\n ]"
        else:
            text = line(value)
        parts.append(f" {line(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def read(name: str, kind: str | None = None, folder: Path = RESULTS) -> list[dict[str, Any]]:
    """The results of a benchmark on all kinds of machines, or on one kind; the newest first."""
    documents = []
    for path in folder.glob(f"{kind or '*'}/{name}.json"):
        if kind is None and path.parent.name == "quick":
            continue
        documents.append(json.loads(path.read_text(encoding="utf-8")))
    return sorted(documents, key=lambda document: document["machine"]["date"], reverse=True)
