"""Files on web servers. It is imported for addresses alone: what it imports takes a tenth of the start of a program."""

from __future__ import annotations

import ipaddress
import socket
import urllib.request
from http import HTTPStatus
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from bitsieve.io.background import timeout
from bitsieve.io.remote import RemoteFile, RemoteStream, check_size_of_copy


class WebFile(RemoteFile):
    """A file on a web server."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._n_promised: int | None = None

    def open(self) -> RemoteStream:
        opener = urllib.request.build_opener(SafeRedirects)
        try:
            answer = opener.open(self._where, timeout=timeout())
        except HTTPError as error:
            error.close()
            raise
        if answer.status != HTTPStatus.OK:  # such as a part of the file, for which nobody asked
            answer.close()
            raise URLError(f"the server answers {answer.status} {answer.reason} where it should send the file")
        length = answer.headers.get("Content-Length", "")
        self._n_promised = int(length) if length.isdecimal() else None
        stream: RemoteStream = answer
        return stream

    def check(self, n_bytes: int, where: str) -> None:
        if self._n_promised is not None:
            check_size_of_copy(n_bytes, self._n_promised, where)


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects of the same scheme or to https, but none from a public address to a private one."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        old = urlsplit(req.full_url)
        new = urlsplit(newurl)
        if new.scheme not in (old.scheme, "https"):
            fp.close()
            raise URLError(f"it redirects to {newurl!r}, and redirects from {old.scheme} to {new.scheme} are refused")
        if is_private_host(new.hostname) and not is_private_host(old.hostname):
            fp.close()
            raise URLError(f"it redirects to {newurl!r}, which is in a private network")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def is_private_host(host: str | None) -> bool:
    """Whether a host has an address outside the public internet. A host that is not known is not private."""
    try:
        entries = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    numbers = [str(entry[4][0]).partition("%")[0] for entry in entries]
    return not all(ipaddress.ip_address(number).is_global for number in numbers)
