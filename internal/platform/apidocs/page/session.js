// Who is signed in on this page, and the calls that sign in, refresh and sign
// out. It knows nothing of the page itself; app.js listens for changes.

const KEY = 'homeroom.session';
const MARGIN = 30_000; // renew this long before the token ends, in milliseconds

let held = JSON.parse(sessionStorage.getItem(KEY)); // {accessToken, refreshToken, user, until} or null
let renewing = null; // the refresh under way, shared by all who need it
let listener = () => {};

/** onChange has fn called with the session, or null, after each change. */
export function onChange(fn) { listener = fn; }

/** current returns {accessToken, refreshToken, user, until}, or null. */
export function current() { return held; }

/** accessToken returns a token that is good for now, '' when nobody is signed in. */
export async function accessToken() {
  if (!held) return '';
  if (Date.now() > held.until - MARGIN) {
    renewing ??= renew().finally(() => { renewing = null; });
    await renewing;
  }
  return held?.accessToken ?? '';
}

/** login signs in with e-mail and password. */
export async function login(email, password) {
  keep(await post('/auth/login', { email, password }));
}

/** sendCode has a one-time code sent to the phone. */
export async function sendCode(phone, role) {
  await post(`${authPath(role)}/send-otp`, { phone });
}

/** verifyCode signs in with the code that sendCode had sent. */
export async function verifyCode(phone, role, otp) {
  keep(await post(`${authPath(role)}/verify-otp`, { phone, otp }));
}

/** signOut ends the sign-in on the server and forgets it here, whatever the server says. */
export async function signOut() {
  const { accessToken: token, refreshToken } = held ?? {};
  forget();
  if (token) await post('/auth/logout', { refreshToken }, token);
}

/** lastMessage returns {id, body} of the newest message to the phone in the demo outbox, {} when there is none. */
export async function lastMessage(phone) {
  const reply = await send(`/dev/outbox?channel=sms&to=${encodeURIComponent(phone)}`, {});
  return reply.data.items[0] ?? {};
}

/** codeAfter waits for a message newer than the one with id before, and returns its code. */
export async function codeAfter(before, phone) {
  for (let tries = 0; tries < 25; tries++) {
    const { id, body = '' } = await lastMessage(phone);
    const code = body.match(/\b\d{6}\b/)?.[0];
    if (id !== before && code) return code;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error('No code has come into the outbox. Is this phone known to the school?');
}

function authPath(role) {
  const prefix = { PARENT: '/parent', TEACHER: '/teacher', DRIVER: '/driver' }[role];
  return prefix ? `${prefix}/user-auth` : '/auth';
}

async function renew() {
  try {
    keep(await post('/auth/refresh', { refreshToken: held.refreshToken }));
  } catch (failure) {
    if (failure.status !== 401) throw failure;
    forget();
    throw new Error('Your sign-in has ended. Sign in again.');
  }
}

function keep({ accessToken: token, refreshToken, user }) {
  held = { accessToken: token, refreshToken, user: user ?? held?.user, until: Date.now() + lifetime(token) };
  sessionStorage.setItem(KEY, JSON.stringify(held));
  listener(held);
}

function forget() {
  held = null;
  sessionStorage.removeItem(KEY);
  listener(held);
}

// lifetime is how long a token lives, in milliseconds: by its own two claims,
// as the clock here and the clock there may differ.
function lifetime(token) {
  const { iat, exp } = JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
  return (exp - iat) * 1000;
}

function post(path, body, token) {
  const headers = { 'Content-Type': 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  return send(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

// send returns the reply, or throws an Error whose message is for people.
async function send(path, { headers, ...rest }) {
  let reply;
  try {
    reply = await fetch(path, { ...rest, headers: { Accept: 'application/json', ...headers } });
  } catch {
    throw new Error('The service does not answer. Is it running?');
  }
  const body = await reply.json().catch(() => ({}));
  if (reply.ok) return body;
  const fields = (body.details ?? []).map((d) => `${d.field}: ${d.message}`);
  const failure = new Error([body.message ?? `The service answered ${reply.status}.`, ...fields].join(' '));
  failure.status = reply.status;
  const wait = reply.headers.get('Retry-After');
  if (wait) failure.message += ` Try again in ${wait} s.`;
  throw failure;
}
