package homeroom

import io.socket.client.Ack
import io.socket.client.IO
import io.socket.client.Manager
import io.socket.client.Socket
import java.net.URI
import java.util.concurrent.ConcurrentHashMap
import kotlin.concurrent.thread
import org.json.JSONObject

/** Live events of a signed-in client. It connects with the newest access token and renews it before it expires. Needs io.socket:socket.io-client. */
class Live(private val client: Homeroom) : AutoCloseable {
    private val rooms = ConcurrentHashMap<String, (Fault) -> Unit>()
    private val auth = ConcurrentHashMap(mapOf("token" to token()))
    @Volatile private var closed = false
    val socket: Socket = IO.socket(URI.create(client.url), IO.Options.builder().setAuth(auth).setTransports(arrayOf("websocket")).build())

    init {
        socket.on(Socket.EVENT_CONNECT) { rooms.keys.forEach(::join) }
        socket.on("token-expiring") { prolong() }
        socket.on(Socket.EVENT_DISCONNECT) { if (it[0] == "io server disconnect") renew() } // the token has expired
        socket.on(Socket.EVENT_CONNECT_ERROR) { if (statusOf(it.getOrNull(0)) == 401) renew() }
        socket.io().on(Manager.EVENT_RECONNECT_ATTEMPT) { auth["token"] = token() }
        socket.connect()
    }

    /** Calls fn with every event of this name: bus-location, trip-status, boarding-status, room-left. */
    fun on(event: String, fn: (JSONObject) -> Unit) {
        socket.on(event) { fn(it[0] as JSONObject) }
    }

    /** Joins the room of a bus, also after each reconnect. `refused` is called if the person may not watch it. */
    fun watch(busId: String, refused: (Fault) -> Unit = {}) {
        rooms[busId] = refused
        if (socket.connected()) join(busId)
    }

    fun unwatch(busId: String) {
        if (rooms.remove(busId) != null) socket.emit("leave-bus-room", JSONObject(mapOf("busId" to busId)))
    }

    override fun close() {
        closed = true
        socket.disconnect()
    }

    private fun token() = client.tokens?.access ?: ""

    private fun join(busId: String) {
        socket.emit("join-bus-room", JSONObject(mapOf("busId" to busId)), Ack { answer ->
            val error = (answer[0] as JSONObject).optJSONObject("error") ?: return@Ack
            rooms[busId]?.invoke(Fault(error.getInt("statusCode"), error.getString("error"), error.getString("message")))
        })
    }

    /** Gives the socket a new token before its own expires. If there is none now, it connects again when that has expired. */
    private fun prolong() = thread {
        val got = try { client.renew(auth.getValue("token")) } catch (e: Fault) { false }
        if (got && !closed) {
            auth["token"] = token()
            socket.emit("authenticate", JSONObject(mapOf("token" to token())))
        }
    }

    /** Connects again with a new token, on a thread that may wait for it. */
    private fun renew() {
        if (closed) return
        thread {
            val alive = try { client.renew(auth.getValue("token")) } catch (e: Fault) { Thread.sleep(PATIENCE); true }
            auth["token"] = token()
            if (alive && !closed) socket.connect()
        }
    }

    private fun statusOf(said: Any?) = ((said as? JSONObject)?.let { it.optJSONObject("data") ?: it })?.optInt("statusCode")

    private companion object { const val PATIENCE = 3_000L }
}
