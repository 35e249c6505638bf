"""Against a running demo, whose address is in HOMEROOM_URL: scripts/clients.sh test python."""

import os
import queue
import sys
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).parent.parent))
from homeroom import Fault, Homeroom, Tokens, Upload  # noqa: E402
from homeroom.socket import Live  # noqa: E402


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.kept: list[Tokens | None] = []
        cls.office = Homeroom(os.environ["HOMEROOM_URL"], keep=cls.kept.append)
        signed = cls.office.sign_in("admin@greenfield.test", "homeroom-demo")
        assert signed["user"]["role"] == "SCHOOL_ADMIN"

    @classmethod
    def tearDownClass(cls) -> None:
        cls.office.sign_out()
        assert cls.kept[-1] is None

    def test_lists_and_marks(self) -> None:
        page = self.office.list_students(limit=3, status="ACTIVE")
        self.assertEqual(len(page["items"]), 3)
        student = page["items"][0]
        zone = ZoneInfo(self.office.get_me()["school"]["timezone"])
        day = datetime.now(zone).date().isoformat()
        marked = self.office.mark_attendance({
            "classId": student["classId"], "date": day, "quiet": True,
            "records": [{"studentId": student["id"], "status": "LATE", "minutesLate": 7}],
        })
        self.assertEqual(marked["marked"], 1)
        register = self.office.list_attendance(class_id=student["classId"], date=day, limit=100)
        self.assertEqual([r["status"] for r in register["items"] if r["studentId"] == student["id"]], ["LATE"])

    def test_uploads_and_downloads(self) -> None:
        file = self.office.upload_file({"file": Upload("note.txt", b"Bring a raincoat.\n", "text/plain")})
        self.assertEqual(file["name"], "note.txt")
        self.assertEqual(self.office.download_file(file["id"]).content, b"Bring a raincoat.\n")

    def test_repeated_call_is_done_once(self) -> None:
        key, body = str(uuid.uuid4()), {"title": "Sports day", "eventDate": "2027-05-04"}
        first, again = (self.office.create_event(body, key=key)["id"] for _ in range(2))
        self.assertEqual(first, again)
        self.office.delete_event(first)

    def test_faults_have_details(self) -> None:
        with self.assertRaises(Fault) as raised:
            self.office.create_event({"title": "", "eventDate": "soon"})
        self.assertEqual(raised.exception.status_code, 422)
        self.assertEqual({d["field"] for d in raised.exception.details}, {"title", "eventDate"})
        with self.assertRaises(Fault) as raised:
            Homeroom("http://127.0.0.1:1", attempts=1).list_students()
        self.assertTrue(raised.exception.temporary)

    def test_threads_share_one_renewal(self) -> None:
        before = len(self.kept)
        self.office.tokens.access = "expired"
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: self.office.get_me(), range(3)))
        self.assertEqual(len(self.kept), before + 1)

    def test_wrong_password_is_tried_once(self) -> None:
        before = len(self.kept)
        with self.assertRaises(Fault) as raised:
            self.office.change_password({"currentPassword": "not the password", "newPassword": "another long password"})
        self.assertEqual(raised.exception.status_code, 401)
        self.assertEqual(len(self.kept), before)

    def test_watches_a_bus(self) -> None:
        bus = self.office.list_live_buses()["items"][0]["bus"]
        seen: queue.Queue = queue.Queue()
        self.office.tokens.access = "expired"
        live = Live(self.office)
        try:
            live.on("bus-location", seen.put)
            live.watch(bus["id"])
            self.assertEqual(seen.get(timeout=60)["busId"], bus["id"])
            with self.assertRaises(Fault) as raised:
                live.watch(str(uuid.uuid4()))
            self.assertEqual(raised.exception.status_code, 404)
            before = self.office.tokens.access
            live.socket.handlers["/"]["token-expiring"]({}).join()  # as the service says it a minute ahead
            self.assertNotEqual(self.office.tokens.access, before)
            live.watch(bus["id"])  # with the new token
            self.office.tokens.access = "expired"  # while there was no connection
            live.socket.eio.ws.shutdown()
            while not seen.empty():
                seen.get()
            self.assertEqual(seen.get(timeout=60)["busId"], bus["id"])
            self.assertNotEqual(self.office.tokens.access, "expired")
            url, self.office.url = self.office.url, "http://127.0.0.1:1"  # the service ends the socket, then the network is away
            live.socket.handlers["/"]["disconnect"](live.socket.reason.SERVER_DISCONNECT)
            live.socket.disconnect()
            time.sleep(1)
            self.office.url = url
            while not seen.empty():
                seen.get()
            self.assertEqual(seen.get(timeout=60)["busId"], bus["id"])
        finally:
            live.close()


if __name__ == "__main__":
    unittest.main()
