package homeroom

import com.google.gson.JsonParser
import java.io.IOException
import okhttp3.Response

/** A field that was refused, and why. */
data class Detail(val field: String, val message: String)

/** A call that failed. The message is in words for the person. */
class Fault(
    val statusCode: Int, // 0: the network failed
    val code: String, // `error` of the reply: "DUPLICATE_ENTRY", "Not Found"
    message: String,
    val details: List<Detail> = emptyList(),
    val retryAfter: Long = 0, // seconds
    val tokenRefused: Boolean = false, // and not a password, PIN or code in the call
) : IOException(message) {
    /** Whether the same call may succeed later. */
    val temporary get() = statusCode == 0 || statusCode >= 500 || statusCode in setOf(408, 425, 429) || retryAfter > 0
}

/** The failure that a response tells. It closes the response. */
internal fun faultOf(response: Response): Fault = response.use {
    val wait = it.header("Retry-After")?.toLongOrNull() ?: 0
    val refused = it.code == 401 && "invalid_token" in it.header("WWW-Authenticate").orEmpty()
    try {
        val said = JsonParser.parseString(it.body!!.string()).asJsonObject
        val details = said["details"]?.asJsonArray.orEmpty().map { d -> d.asJsonObject.run { Detail(get("field").asString, get("message").asString) } }
        Fault(it.code, said["error"].asString, said["message"].asString, details, wait, refused)
    } catch (e: RuntimeException) {
        Fault(it.code, "UNREADABLE", "The server did not answer properly.", emptyList(), wait, refused)
    }
}

private fun com.google.gson.JsonArray?.orEmpty() = this ?: com.google.gson.JsonArray()
