"""Live events. It needs python-socketio[client], an extra of this package: pip install homeroom-client[live]."""

from collections.abc import Callable
from typing import Any

import socketio

from .client import Homeroom
from .transport import Fault

PATIENCE = 3.0  # seconds until the next attempt after one that did not arrive


class Live:
    """The socket of a signed-in client. It renews the token before it expires, and joins its rooms again after a reconnect."""

    def __init__(self, client: Homeroom) -> None:
        self._client, self._rooms, self._used, self._closed = client, set[str](), "", False
        self.socket = socketio.Client()
        self.socket.on("connect", self._join_all)
        self.socket.on("disconnect", self._dropped)
        self.socket.on("connect_error", self._refused)
        self.socket.on("token-expiring", lambda _: self.socket.start_background_task(self._prolong))
        try:
            self._connect()
        except socketio.exceptions.ConnectionError:
            if not client.renew(self._used):
                raise
            self._connect()

    def _connect(self) -> None:
        self.socket.connect(self._client.url, auth=self._auth, transports=["websocket"])

    def _auth(self) -> dict[str, str]:
        self._used = self._client.tokens.access if self._client.tokens else ""
        return {"token": self._used}

    def _join_all(self) -> None:
        for bus_id in self._rooms:
            self.socket.emit("join-bus-room", {"busId": bus_id})

    def _dropped(self, reason: str) -> None:
        if reason == self.socket.reason.SERVER_DISCONNECT:  # the token has expired, or the session has ended
            self.socket.start_background_task(self._reconnect)

    def _reconnect(self) -> None:
        """Connects with a new token as soon as there is a network, unless the session has ended."""
        while not self._closed:
            try:
                if self._client.renew(self._used):
                    self._connect()
                return
            except (Fault, socketio.exceptions.ConnectionError):
                self.socket.sleep(PATIENCE)

    def _refused(self, error: Any = None) -> None:
        """Renews a token that has expired while there was no connection. The socket tries again by itself."""
        data = error.get("data") if isinstance(error, dict) else None
        if isinstance(data, dict) and data.get("statusCode") == 401:
            self.socket.start_background_task(self._renew, self._used)

    def _renew(self, used: str) -> bool:
        try:
            return self._client.renew(used)
        except Fault:  # of a moment: the next attempt asks again
            return False

    def _prolong(self) -> None:
        """Gives the socket a new token before its own expires. If there is none now, it connects again when that has expired."""
        if self._renew(self._used):
            self.socket.emit("authenticate", self._auth())

    def on(self, event: str, fn: Callable[[Any], None]) -> None:
        """Calls fn with every event of this name: bus-location, trip-status, boarding-status, room-left."""
        self.socket.on(event, fn)

    def watch(self, bus_id: str) -> None:
        """Joins the room of a bus, also after each reconnect. Raises a Fault if the person may not watch it."""
        answer = self.socket.call("join-bus-room", {"busId": bus_id})
        if not answer["ok"]:
            refused = answer["error"]
            raise Fault(refused["statusCode"], refused["error"], refused["message"])
        self._rooms.add(bus_id)

    def close(self) -> None:
        self._closed = True
        self.socket.disconnect()
