"""The client: every operation of the service as a method, sign-in and sign-out."""

from typing import Any

from .operations import Operations, Signed
from .transport import Tokens


class Homeroom(Operations):
    def sign_in(self, email: str, password: str) -> Signed:
        """Signs in with e-mail and password. Teachers, parents and drivers: `enter` the reply of a code or PIN."""
        return self.enter(self.login({"email": email, "password": password}))

    def enter(self, reply: Any) -> Any:
        """Takes over the tokens of a sign-in. A reply with `secondFactor` has none: enter that of /auth/second-factor."""
        if reply.get("accessToken") and reply.get("refreshToken"):
            self._take(Tokens(reply["accessToken"], reply["refreshToken"]))
        return reply

    def sign_out(self) -> None:
        try:
            self.logout()
        finally:
            self._take(None)
