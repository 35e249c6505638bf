// Sign-in and API calls as the signed-in user. The tokens are kept in
// this tab only.
const KEY = "homeroom-live";
const EARLY = 60_000; // ms before expiry at which a token is renewed

export class Fault extends Error {
  constructor(body, status) {
    super((body.details || []).map((d) => `${d.field} ${d.message}`).join(", ") || body.message || "The service can't be reached. Check the connection.");
    this.status = status;
  }
}

async function send(method, path, body, token) {
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = "Bearer " + token;
  let res;
  try {
    res = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Fault({}, 0);
  }
  const json = await res.json().catch(() => ({}));
  if (!res.ok) throw new Fault(json, res.status);
  return json;
}

const claims = (token) => JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));

export class Session {
  constructor() {
    this.renewed = () => {}; // called with each new token
    this.ended = () => {};
    this.tokens = JSON.parse(sessionStorage.getItem(KEY) || "null");
  }

  get user() {
    return this.tokens && claims(this.tokens.access);
  }

  keep(reply) {
    this.tokens = { access: reply.accessToken, refresh: reply.refreshToken };
    sessionStorage.setItem(KEY, JSON.stringify(this.tokens));
  }

  sendCode(phone) {
    return send("POST", "/auth/send-otp", { phone });
  }

  async byCode(phone, otp) {
    this.keep(await send("POST", "/auth/verify-otp", { phone, otp }));
  }

  async byPassword(email, password) {
    this.keep(await send("POST", "/auth/login", { email, password }));
  }

  // fresh returns a token that is still valid for a while. Concurrent callers share one renewal.
  async fresh() {
    if (!this.tokens) throw new Fault({ message: "Sign in first." }, 401);
    if (this.user.exp * 1000 - Date.now() > EARLY) return this.tokens.access;
    this.renewing ||= this.renew().finally(() => { this.renewing = null; });
    return this.renewing;
  }

  async renew() {
    try {
      this.keep(await send("POST", "/auth/refresh", { refreshToken: this.tokens.refresh }));
    } catch (e) {
      if (e.status === 401) this.end();
      throw e;
    }
    this.renewed(this.tokens.access);
    return this.tokens.access;
  }

  async get(path) {
    try {
      return (await send("GET", path, null, await this.fresh())).data;
    } catch (e) {
      if (e.status === 401) this.end();
      throw e;
    }
  }

  async signOut() {
    const token = this.tokens && this.tokens.access;
    this.end();
    if (token) await send("POST", "/auth/logout", null, token).catch(() => {});
  }

  end() {
    this.tokens = null;
    sessionStorage.removeItem(KEY);
    this.ended();
  }
}
