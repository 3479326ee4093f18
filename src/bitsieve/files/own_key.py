"""What tells files that this user's bitsieve has written from all others: a secret key in the user's own folder."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

_LENGTH = 32
_OF_OTHERS = 0o077


def signed(content: bytes) -> str | None:
    """The signature of a content by the user's key (HMAC with SHA-256); None where no key can be kept.

    The key lies in ``bitsieve/key`` of the user's folder for caches (``XDG_CACHE_HOME``, else ``~/.cache``), where
    nobody else can read it, and is made when it is first asked for.
    """
    key = _key()
    return None if key is None else hmac.new(key, content, hashlib.sha256).hexdigest()


def is_own(content: bytes, signature: object) -> bool:
    """Whether the signature is that of the content by the user's key."""
    wanted = signed(content)
    return wanted is not None and isinstance(signature, str) and hmac.compare_digest(wanted, signature)


def _key() -> bytes | None:
    try:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bitsieve" / "key"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            _make(path)
        state, key = path.stat(), path.read_bytes()
    except (OSError, RuntimeError):  # no home, or none that can be written to
        return None
    private = not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & _OF_OTHERS)
    return key if private and len(key) == _LENGTH else None


def _make(path: Path) -> None:
    if path.exists():
        return
    whole = path.with_name(f"key-{secrets.token_hex(8)}")
    with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_bytes(_LENGTH))
    try:
        os.link(whole, path)  # of two processes at once the first one's key stays
    finally:
        whole.unlink()
