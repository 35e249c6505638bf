"""A client of a Homeroom service: signs in, renews its token, and repeats what was lost on the way.

    office = Homeroom("http://localhost:3001")
    office.sign_in("admin@greenfield.test", "homeroom-demo")
    for student in office.list_students(limit=3)["items"]:
        print(student["firstName"])
"""

from .client import Homeroom
from .transport import Download, Fault, Tokens, Upload

__all__ = ["Download", "Fault", "Homeroom", "Tokens", "Upload"]
