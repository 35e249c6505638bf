package homeroom

import homeroom.api.apis.AttendanceApi
import homeroom.api.apis.EventApi
import homeroom.api.apis.NotificationApi
import homeroom.api.apis.SignInApi
import homeroom.api.apis.StudentApi
import homeroom.api.apis.TransportApi
import homeroom.api.models.AttendanceNewMarkInput
import homeroom.api.models.ChangePasswordInput
import homeroom.api.models.CreateEventInput
import homeroom.api.models.CreateEventRequest
import homeroom.api.models.MarkAttendanceInput
import homeroom.api.models.MarkAttendanceRequest
import java.nio.file.Files
import java.time.LocalDate
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import org.json.JSONObject
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

/** Against a running demo, whose address is in HOMEROOM_URL: scripts/clients.sh test kotlin. */
class ServiceTest {
    private var kept: Tokens? = null
    private val office = Homeroom(System.getenv("HOMEROOM_URL")) { kept = it }.apply { signIn("admin@greenfield.test", "homeroom-demo") }

    @Test
    fun listsAndMarks() {
        val students = office.api(::StudentApi).listStudents(limit = 3)
        assertEquals(3, students.data.items.size)
        val student = students.data.items[0]
        val day = LocalDate.now()
        val mark = AttendanceNewMarkInput(studentId = student.id, status = AttendanceNewMarkInput.Status.LATE, minutesLate = 6)
        val input = MarkAttendanceInput(classId = student.classId!!, date = day, records = listOf(mark), quiet = true)
        assertEquals(1, office.api(::AttendanceApi).markAttendance(MarkAttendanceRequest(input)).data.marked)
    }

    @Test
    fun uploads() {
        val note = Files.createTempFile("note", ".txt").toFile().apply { writeText("Bring a raincoat.\n") }
        assertEquals(note.name, office.api(::NotificationApi).uploadFile(note).data.name)
        note.delete()
    }

    @Test
    fun aRepeatedCallIsDoneOnce() {
        val events = office.api(::EventApi, key = UUID.randomUUID().toString())
        val body = CreateEventRequest(CreateEventInput(title = "Sports day", eventDate = LocalDate.of(2027, 5, 4)))
        val id = events.createEvent(body).data.id
        assertEquals(id, events.createEvent(body).data.id)
        office.api(::EventApi).deleteEvent(id)
    }

    @Test
    fun faultsHaveDetails() {
        val body = CreateEventRequest(CreateEventInput(title = "", eventDate = LocalDate.of(2027, 5, 4)))
        val fault = assertThrows(Fault::class.java) { office.api(::EventApi).createEvent(body) }
        assertEquals(422, fault.statusCode)
        assertEquals(listOf("title"), fault.details.map { it.field })
        assertTrue(assertThrows(Fault::class.java) { Homeroom("http://127.0.0.1:1", attempts = 1).signIn("a@b.test", "c") }.temporary)
    }

    @Test
    fun renewsAnExpiredToken() {
        val before = kept!!
        office.tokens = before.copy(access = "expired")
        office.api(::StudentApi).listStudents(limit = 1)
        assertNotEquals(before.refresh, kept!!.refresh)
    }

    @Test
    fun triesAWrongPasswordOnce() {
        val before = kept!!
        val body = ChangePasswordInput(currentPassword = "not the password", newPassword = "another long password")
        assertEquals(401, assertThrows(Fault::class.java) { office.api(::SignInApi).changePassword(body) }.statusCode)
        assertEquals(before, kept)
    }

    @Test
    fun watchesABus() {
        val bus = office.api(::TransportApi).listLiveBuses().data.items[0].bus.id.toString()
        Live(office).use { live ->
            val seen = CompletableFuture<JSONObject>()
            val refused = CompletableFuture<Fault>()
            live.on("bus-location") { seen.complete(it) }
            live.watch(bus) { seen.completeExceptionally(it) }
            live.watch(UUID.randomUUID().toString()) { refused.complete(it) }
            assertEquals(bus, seen.get(60, TimeUnit.SECONDS).getString("busId"))
            assertEquals(404, refused.get(10, TimeUnit.SECONDS).statusCode)
            val sent = CompletableFuture<String>()
            val before = office.tokens!!.access
            live.socket.onAnyOutgoing { if (it[0] == "authenticate") sent.complete((it[1] as JSONObject).getString("token")) }
            live.socket.listeners("token-expiring").forEach { it.call(JSONObject()) } // as the service says it a minute ahead
            assertNotEquals(before, sent.get(10, TimeUnit.SECONDS))
            assertEquals(office.tokens!!.access, sent.get())
        }
    }
}
