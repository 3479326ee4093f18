"""Results as text: a table of the jobs, and a table of the contestants of each job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def document_text(document: Mapping[str, Any]) -> str:
    """The whole document as text."""
    machine = document["machine"]
    rows = document["rows"]
    lines = [f"\n== {document['benchmark']}: {document['claim']}", f"{machine['cpu']}, {machine['date']}", ""]
    has_comparison = any(row.get("limit_s") or row.get("best_other") or "goal" in row for row in rows)
    if has_comparison:
        goal = f"; goal: {document['goal']}" if "goal" in document else ""
        header, cells = jobs_table(document)
        lines += [f"{unit(document)}{goal}", format_table(header, cells), ""]
    header, cells = contestants_table(document)
    lines.append(format_table(header, cells))
    lines += [f"skipped: {name}: {reason}" for name, reason in document.get("skipped", {}).items()]
    return "\n".join(lines)


def unit(document: Mapping[str, Any]) -> str:
    """The unit of the table, and the meaning of "~"."""
    quantity = f"10^9 {document['rate']} a second" if "rate" in document else "seconds"
    return f"{quantity}, medians; ~ scaled up from a smaller piece of the job"


def jobs_table(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A row for each job: ours, the limit, the best other program, the ratios."""
    rows = []
    for row in document["rows"]:
        name, ours = next(iter(row["seconds"].items()), (None, None))  # ours is the first contestant
        limit = row.get("limit_s")
        best_other = row.get("best_other")
        reference = row.get("reference_s")
        cells = {
            "job": row["job"],
            "ours": f"{amount(document, row, ours)} {name}",
            "limit": amount(document, row, limit),
            "ours / limit": f"{ours / limit:.3g}" if ours and limit else None,
            "best other": None,
            "best other / ours": None,
            "reference": text(reference),
            "reference / ours": text(reference / ours) if ours and reference else None,
            "efficiency": text(row.get("efficiency")),
            "goal": text(row.get("goal")),
        }
        if best_other:
            seconds = row["seconds"][best_other]
            cells["best other"] = f"{amount(document, row, seconds, best_other)} {best_other}"
            cells["best other / ours"] = f"{row['times_ours'][best_other]:.3g}"
        rows.append(cells)
    return as_columns(rows)


def contestants_table(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A row for each job and contestant: seconds, their ratio to ours, agreement with ours, and its own details."""
    quantity = "rate" if "rate" in document else "seconds"
    rows = []
    for row in document["rows"]:
        seconds = row.get("seconds", {})
        details = row.get("details", {})
        for name in dict.fromkeys([*seconds, *details]):
            cells = {
                "job": row["job"],
                "contestant": name,
                quantity: amount(document, row, seconds.get(name), name),
                "times ours": text(row.get("times_ours", {}).get(name)),
                "agreement": text(row.get("agreement", {}).get(name)),
            }
            for key, value in details.get(name, {}).items():
                cells[key.replace("_", " ")] = text(value)
            rows.append(cells)
    return as_columns(rows)


def as_columns(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """The header, of all keys that have a value, and the rows."""
    used = {key for row in rows for key, value in row.items() if value is not None}
    header = [key for key in dict.fromkeys(key for row in rows for key in row) if key in used]
    return header, [[row.get(key) for key in header] for row in rows]


def amount(document: Mapping[str, Any], row: Mapping[str, Any], seconds: float | None, name: str = "") -> str | None:
    """Seconds as text, or a rate if the document has rates; after "~" if they were scaled up from a piece."""
    if seconds is None:
        return None
    quantity = row["work"] / seconds / 1e9 if "rate" in document else seconds
    is_scaled = name in row.get("scaled_by", {})
    return f"~{text(quantity)}" if is_scaled else text(quantity)


def text(value: Any) -> str | None:
    """A number to three digits; words and counts as they are."""
    if not isinstance(value, float):
        return None if value is None else str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table as text, the first column aligned left, the others right; None is shown as "-"."""
    cells = [list(header)]
    for row in rows:
        cells.append(["-" if cell is None else str(cell) for cell in row])
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = []
    for first, *others in cells:
        padded = [first.ljust(widths[0])]
        padded += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(padded))
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])
