"""Results as text: a table of the jobs, and one of all that the contestants tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def document_text(document: Mapping[str, Any]) -> str:
    """All that a document says."""
    machine, rows = document["machine"], document["rows"]
    lines = [f"\n== {document['benchmark']}: {document['claim']}", f"{machine['cpu']}, {machine['date']}", ""]
    if any(row.get("limit_s") or row.get("best_other") or "goal" in row for row in rows):
        goal = f"; goal: {document['goal']}" if "goal" in document else ""
        lines += [f"{unit(document)}{goal}", format_table(*jobs_table(document)), ""]
    lines.append(format_table(*contestants_table(document)))
    lines += [f"skipped: {name}: {reason}" for name, reason in document.get("skipped", {}).items()]
    return "\n".join(lines)


def unit(document: Mapping[str, Any]) -> str:
    """What is shown, and what "~" means."""
    quantity = f"10^9 {document['rate']} a second" if "rate" in document else "seconds"
    return f"{quantity}, medians; ~ scaled up from a smaller piece of the job"


def jobs_table(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A row for each job: ours, the limit, the best other program, the ratios."""
    rows = []
    for row in document["rows"]:
        ours, name = next(iter(row["seconds"].items()), (None, None))[::-1]
        limit, other = row.get("limit_s"), row.get("best_other")
        rows.append(
            {
                "job": row["job"],
                "ours": f"{amount(document, row, ours)} {name}",
                "limit": amount(document, row, limit),
                "ours / limit": f"{ours / limit:.3g}" if ours and limit else None,
                "best other": f"{amount(document, row, row['seconds'][other], other)} {other}" if other else None,
                "best other / ours": f"{row['times_ours'][other]:.3g}" if other else None,
                "reference": text(row.get("reference_s")),
                "reference / ours": text(row["reference_s"] / ours) if ours and row.get("reference_s") else None,
                "efficiency": text(row.get("efficiency")),
                "goal": text(row.get("goal")),
            }
        )
    return as_columns(rows)


def contestants_table(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A row for each job and contestant: what it needs, times ours, how far it agrees with ours, what it tells."""
    rows, rated = [], "rate" in document
    for row in document["rows"]:
        seconds, details = row.get("seconds", {}), row.get("details", {})
        for name in dict.fromkeys([*seconds, *details]):
            cells = {
                "job": row["job"],
                "contestant": name,
                "rate" if rated else "seconds": amount(document, row, seconds.get(name), name),
                "times ours": text(row.get("times_ours", {}).get(name)),
                "agreement": text(row.get("agreement", {}).get(name)),
            }
            rows.append(cells | {key.replace("_", " "): text(value) for key, value in details.get(name, {}).items()})
    return as_columns(rows)


def as_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """The header, of all keys that have a value, and the rows."""
    used = {key for row in rows for key, value in row.items() if value is not None}
    header = [key for key in dict.fromkeys(key for row in rows for key in row) if key in used]
    return header, [[row.get(key) for key in header] for row in rows]


def amount(document: Mapping[str, Any], row: Mapping[str, Any], seconds: float | None, name: str = "") -> str | None:
    """Seconds as text, or the rate where the document has one; "~" where they were scaled up from a piece."""
    if seconds is None:
        return None
    mark = "~" if name in row.get("scaled_by", {}) else ""
    return mark + str(text(row["work"] / seconds / 1e9 if "rate" in document else seconds))


def text(value: Any) -> str | None:
    """A number to three digits; words and counts as they are."""
    if not isinstance(value, float):
        return None if value is None else str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as their longest entry, the first to the left, the others to the right."""
    cells = [list(header)] + [["-" if c is None else str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = [
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in cells
    ]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])
