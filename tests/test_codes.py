"""Every code of a note or an error is in the table of codes, with its severity, and the page is made of the table."""

from __future__ import annotations

import ast
from pathlib import Path

from tools.codes_page import PAGE, page

import bitsieve
from bitsieve.codes import CODES

SOURCE = Path(bitsieve.__file__).parent


def severities_in_source():
    """For every code in a call, or as a default, the severities that it occurs with."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                arguments = {keyword.arg: keyword.value for keyword in node.keywords}
                is_note = getattr(node.func, "id", "") == "Diagnostic"
                given = arguments.get("severity", ast.Constant("note"))
                if not isinstance(given, ast.Constant):  # read from a file
                    continue
                severity = given.value
                severity = severity if is_note else "error"
                code = arguments.get("code")
            elif isinstance(node, ast.FunctionDef):
                defaults = dict(zip((a.arg for a in node.args.kwonlyargs), node.args.kw_defaults, strict=True))
                severity, code = "error", defaults.get("code")
            else:
                continue
            if isinstance(code, ast.Constant):
                found.setdefault(code.value, set()).add(severity)
    return found


def test_the_table_has_the_codes_of_the_source_and_no_other():
    assert {code: {CODES[code].severity} for code in CODES} == severities_in_source()


def test_a_code_is_a_few_words_and_its_meaning_a_sentence():
    for name, code in CODES.items():
        assert name == name.lower()
        assert " " not in name
        assert code.meaning.endswith(".")
        assert code.action.endswith(".")


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.codes_page writes it anew"
