import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from bitsieve.files.own_key import is_own, signed


@pytest.fixture
def caches(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches"


def test_a_content_is_own_by_its_signature_and_by_no_other(caches):
    signature = signed(b"planes")
    assert is_own(b"planes", signature)
    assert not any(is_own(content, signature) for content in (b"plane", b"planes ", b""))
    assert not any(is_own(b"planes", other) for other in (None, "", signature[:-1], signature.upper(), 3))


def test_another_key_signs_otherwise(caches, monkeypatch):
    signature = signed(b"planes")
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches / "of another"))
    assert signed(b"planes") != signature
    assert not is_own(b"planes", signature)


def test_of_many_who_make_it_at_once_all_have_one_key(caches):
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(signed, [b"planes"] * 40))) == 1
    assert [path.name for path in (caches / "bitsieve").iterdir()] == ["key"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_key_that_others_may_read_is_none(caches):
    assert signed(b"planes") is not None
    key = caches / "bitsieve" / "key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    assert signed(b"planes") is None


def test_no_folder_for_the_key_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "caches").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert signed(b"planes") is None
