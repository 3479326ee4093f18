"""Write the golden files anew: ``python -m tests.golden.make``, from the root of the repository.

They are changed only together with an entry in the change log that says which results changed, and why. Made again
without a change of results they come out the same to the last byte on the same machine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.golden.cases import CASES

RECORDED = Path(__file__).parent / "recorded"


def main() -> None:
    """Run every case, write one file for each group, and name the cases that raise, which are not recorded."""
    groups: dict[str, dict[str, Any]] = {}
    for (group, name), case in CASES.items():
        try:
            found = case.run()
        except Exception as error:
            print(f"not recorded: {group} {name}: {type(error).__name__}: {error}")
        else:
            groups.setdefault(group, {})[name] = found
    for group, results in groups.items():
        texts = {name: json.dumps(found, sort_keys=True, separators=(",", ":")) for name, found in results.items()}
        rows = [f"{json.dumps(name)}: {texts[name]}" for name in sorted(texts)]
        (RECORDED / f"{group}.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
