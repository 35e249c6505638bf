package homeroom

import com.google.gson.JsonObject
import com.google.gson.JsonParser
import java.io.IOException
import java.util.UUID
import kotlin.random.Random
import okhttp3.Interceptor
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okhttp3.Response

data class Tokens(val access: String, val refresh: String)

/**
 * A client of the service: it keeps the tokens, renews them, and repeats what was lost on the way. Calls throw a [Fault].
 *
 *     val office = Homeroom("http://localhost:3001")
 *     office.signIn("admin@greenfield.test", "homeroom-demo")
 *     office.api(::StudentApi).listStudents(limit = 3)
 */
class Homeroom(
    url: String,
    private val language: String? = null,
    @Volatile var tokens: Tokens? = null,
    private val attempts: Int = 4,
    private val keep: (Tokens?) -> Unit = {},
) {
    val url = url.trimEnd('/')
    private var renewalKey: String? = null // of a renewal that was not answered: sent again with it, the session goes on
    private val http = OkHttpClient.Builder().addInterceptor(::send).build()

    /** One of the generated groups of calls. With a key, a call that is repeated with the same key is done once. */
    fun <A> api(group: (String, OkHttpClient) -> A, key: String? = null): A =
        group(url, if (key == null) http else http.newBuilder().apply { interceptors().add(0, Interceptor { it.proceed(it.request().keyed(key)) }) }.build())

    /** Signs in with e-mail and password. Teachers, parents and drivers: [enter] the tokens of verify-otp or verify-pin. */
    fun signIn(email: String, password: String) {
        val reply = post(LOGIN, mapOf("email" to email, "password" to password))
        enter(tokensOf(reply) ?: throw Fault(401, "SECOND_FACTOR", "A second factor is needed."))
    }

    /** Takes over the tokens of a sign-in, or forgets them. */
    fun enter(new: Tokens?) {
        tokens = new
        keep(new)
    }

    fun signOut() = try { post("/auth/logout", emptyMap()); Unit } finally { enter(null) }

    /** Exchanges the refresh token, unless another thread has replaced the access token that was used. False: the session has ended. */
    @Synchronized
    fun renew(used: String): Boolean {
        val old = tokens ?: return false
        if (old.access != used) return true
        val key = renewalKey ?: UUID.randomUUID().toString().also { renewalKey = it }
        val new = try {
            tokensOf(post(REFRESH, mapOf("refreshToken" to old.refresh), key))
        } catch (e: Fault) {
            if (e.temporary) throw e // the session may go on
            null
        }
        renewalKey = null
        enter(new)
        return new != null
    }

    private fun post(path: String, body: Map<String, String>, key: String? = null): JsonObject {
        val json = JsonObject().apply { body.forEach { (k, v) -> addProperty(k, v) } }.toString()
        val request = Request.Builder().url(url + path).post(json.toRequestBody("application/json".toMediaType()))
            .apply { key?.let { header(KEY, it) } }.build()
        return http.newCall(request).execute().use { JsonParser.parseString(it.body!!.string()).asJsonObject }
    }

    private fun tokensOf(reply: JsonObject): Tokens? {
        val data = reply.getAsJsonObject("data")
        return Tokens(data["accessToken"]?.asString ?: return null, data["refreshToken"]?.asString ?: return null)
    }

    private fun send(chain: Interceptor.Chain): Response {
        val path = chain.request().url.encodedPath
        var request = chain.request()
        if (request.method in setOf("POST", "PUT") && !path.startsWith("/auth/")) request = request.keyed(UUID.randomUUID().toString())
        language?.let { request = request.newBuilder().header("Accept-Language", it).build() }
        for (again in listOf(false, true)) {
            val used = if (path == REFRESH || path == LOGIN) null else tokens?.access
            val signed = if (used == null) request else request.newBuilder().header("Authorization", "Bearer $used").build()
            try {
                return repeat(chain, signed)
            } catch (e: Fault) {
                if (!e.tokenRefused || again || used == null || !renew(used)) throw e
            }
        }
        throw IllegalStateException()
    }

    /** Sends a request again where that is safe: a GET, or one with an Idempotency-Key, which the service does once. */
    private fun repeat(chain: Interceptor.Chain, request: Request): Response {
        val safe = request.method == "GET" || request.header(KEY) != null
        for (attempt in 1..Int.MAX_VALUE) {
            val fault = try {
                val response = chain.proceed(request)
                if (response.isSuccessful) return response
                faultOf(response)
            } catch (e: IOException) {
                if (chain.call().isCanceled()) throw e
                Fault(0, "OFFLINE", "There is no connection.").apply { initCause(e) }
            }
            val pause = maxOf(fault.retryAfter * 1000, (250L shl attempt) * Random.nextLong(50, 150) / 100)
            val again = fault.statusCode == 429 || safe && (fault.statusCode in PASSING || fault.retryAfter > 0)
            if (!again || attempt >= attempts || pause > LONGEST) throw fault
            Thread.sleep(pause)
        }
        throw IllegalStateException()
    }

    private companion object {
        const val LOGIN = "/auth/login"
        const val REFRESH = "/auth/refresh"
        const val KEY = "Idempotency-Key"
        const val LONGEST = 30_000L // ms; a longer pause is for the caller to decide
        val PASSING = setOf(0, 408, 425, 429, 502, 503, 504)

        fun Request.keyed(key: String): Request = if (header(KEY) != null) this else newBuilder().header(KEY, key).build()
    }
}
