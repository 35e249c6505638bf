"""Requests: tokens, retries and failures. The standard library is all it needs."""

import json
import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

PASSING = {408, 425, 429, 502, 503, 504}
LONGEST = 30.0  # seconds; a longer pause is for the caller to decide


@dataclass
class Fault(Exception):
    """A call that failed. The message is in words for the person."""

    status_code: int  # 0: the network failed
    code: str  # `error` of the reply: "DUPLICATE_ENTRY", "Not Found"
    message: str
    details: list[dict[str, str]] = field(default_factory=list)  # {"field", "message"}
    retry_after: float = 0
    token_refused: bool = False  # and not a password, PIN or code in the call

    def __str__(self) -> str:
        return f"{self.status_code} {self.code}: {self.message}"

    @property
    def temporary(self) -> bool:
        """Whether the same call may succeed later."""
        return self.status_code == 0 or self.status_code >= 500 or self.status_code in PASSING or self.retry_after > 0


@dataclass
class Tokens:
    access: str
    refresh: str


@dataclass
class Upload:
    """A file of a form."""

    name: str
    content: bytes
    content_type: str = "application/octet-stream"


@dataclass
class Download:
    name: str
    content: bytes
    content_type: str


def segment(value: object) -> str:
    """A value as one part of a path."""
    return quote(str(value), safe="")


class Transport:
    """Sends calls. Calls of several threads share one renewal of the token, because each refresh token works once."""

    def __init__(self, url: str, *, language: str = "", tokens: Tokens | None = None,
                 keep: Callable[[Tokens | None], None] = lambda tokens: None, attempts: int = 4, timeout: float = 60) -> None:
        self.url, self.language, self.tokens = url.rstrip("/"), language, tokens
        self._keep, self._attempts, self._timeout = keep, attempts, timeout
        self._renewal = threading.Lock()
        self._renewal_key = ""  # of a renewal that was not answered: sent again with it, the session goes on

    def _take(self, tokens: Tokens | None) -> None:
        self.tokens = tokens
        self._keep(tokens)

    def renew(self, used: str) -> bool:
        """Exchanges the refresh token, unless another thread has replaced the access token that was used. False: the session has ended."""
        with self._renewal:
            if self.tokens is None or self.tokens.access != used:
                return self.tokens is not None
            self._renewal_key = self._renewal_key or str(uuid.uuid4())
            try:
                reply = self._call("POST", "/auth/refresh", body={"refreshToken": self.tokens.refresh}, key=self._renewal_key)
            except Fault as fault:
                if fault.temporary:
                    raise  # the session may go on
                self._renewal_key = ""
                self._take(None)
                return False
            self._renewal_key = ""
            self._take(Tokens(reply["accessToken"], reply["refreshToken"]))
            return True

    def _call(self, method: str, path: str, *, body: Any = None, form: Mapping[str, Any] | None = None,
              key: str | None = None, query: Mapping[str, Any] | None = None) -> Any:
        flat = path.startswith("/auth/")
        headers, data = {}, None
        if form is not None:
            headers["Content-Type"], data = multipart(form)
        elif method in ("POST", "PUT"):
            data = json.dumps((body or {}) if flat else {"data": body or {}}).encode()
            headers["Content-Type"] = "application/json"
        if method in ("POST", "PUT") and (key or not flat):
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        content = self._send(method, path, query, headers, data)[0]
        return json.loads(content).get("data") if content else None

    def _download(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, **_: Any) -> Download:
        content, headers = self._send(method, path, query, {}, None)
        return Download(headers.get_filename("download"), content, headers.get_content_type())

    def _send(self, method: str, path: str, query: Mapping[str, Any] | None, headers: dict[str, str], data: bytes | None) -> tuple[bytes, Message]:
        sent = {name: str(v).lower() if isinstance(v, bool) else v for name, v in (query or {}).items() if v is not None}
        url = self.url + path + (f"?{urlencode(sent)}" if sent else "")
        if self.language:
            headers["Accept-Language"] = self.language
        for renewed in (False, True):
            used = self.tokens.access if self.tokens and path not in ("/auth/login", "/auth/refresh") else ""
            if used:
                headers["Authorization"] = f"Bearer {used}"
            try:
                return self._repeat(Request(url, data, headers, method=method))
            except Fault as fault:
                if not fault.token_refused or renewed or not used or not self.renew(used):
                    raise
        raise AssertionError("unreachable")

    def _repeat(self, request: Request) -> tuple[bytes, Message]:
        """Sends a request again where that is safe: a GET, or one with an Idempotency-Key, which the service does once."""
        safe = request.method == "GET" or request.has_header("Idempotency-key")
        for attempt in range(1, self._attempts + 1):
            try:
                with urlopen(request, timeout=self._timeout) as response:
                    return response.read(), response.headers
            except HTTPError as e:
                fault = fault_of(e)
            except (OSError, HTTPException) as e:
                fault = Fault(0, "OFFLINE", f"There is no connection: {e}")
            pause = max(fault.retry_after, 2 ** (attempt - 2) * random.uniform(0.5, 1.5))
            again = fault.status_code == 429 or safe and (fault.status_code in PASSING | {0} or fault.retry_after > 0)
            if not again or attempt == self._attempts or pause > LONGEST:
                raise fault
            time.sleep(pause)
        raise AssertionError("unreachable")


def fault_of(e: HTTPError) -> Fault:
    wait = float(e.headers.get("Retry-After") or 0)
    refused = e.code == 401 and "invalid_token" in e.headers.get("WWW-Authenticate", "")
    try:
        said = json.loads(e.read())
        return Fault(e.code, said["error"], said["message"], said.get("details", []), wait, refused)
    except (ValueError, KeyError, TypeError):
        return Fault(e.code, "UNREADABLE", "The server did not answer properly.", [], wait, refused)


def multipart(form: Mapping[str, Any]) -> tuple[str, bytes]:
    """A form with files, and its content type."""
    boundary, parts = uuid.uuid4().hex, []
    for name, value in form.items():
        disposition, kind, content = f'form-data; name="{name}"', "", str(value).encode()
        if isinstance(value, Upload):
            disposition += f'; filename="{quote(value.name, safe=" ")}"'
            kind, content = f"Content-Type: {value.content_type}\r\n", value.content
        parts.append(f"--{boundary}\r\nContent-Disposition: {disposition}\r\n{kind}\r\n".encode() + content + b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join(parts) + f"--{boundary}--\r\n".encode()
