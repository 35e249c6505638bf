// The documentation page: Swagger UI, the filters above it, and signing in.
import { ROLES, bearers, isFor, matches, operations, part, plugin } from './operations.js';
import * as session from './session.js';

const { base, demo, signedIn, count: counted, choose } = document.body.dataset; // demo is '' in demo mode, else undefined
const isDemo = demo !== undefined;
const $ = (id) => document.getElementById(id);

// ---- Status line

// say tells what happens, in the dialog while that is open.
function say(text, bad = false) {
  for (const line of [$('status'), $('dialog-status')]) {
    const here = (line === $('dialog-status')) === $('dialog').open;
    line.textContent = here ? text : '';
    line.classList.toggle('bad', here && bad);
  }
}

// attempt runs work that may fail, with the controls of `box` disabled
// meanwhile; the focus, which a disabled control loses, comes back.
async function attempt(box, work) {
  const focused = document.activeElement;
  const controls = [...box.querySelectorAll('button, input, select')].filter((c) => !c.disabled);
  controls.forEach((c) => { c.disabled = true; });
  try {
    await work();
  } catch (failure) {
    say(failure.message, true);
  } finally {
    controls.forEach((c) => { c.disabled = false; });
    if (document.activeElement === document.body && box.contains(focused)) focused.focus();
  }
}

// ---- Document and filters

let whole; // the OpenAPI document as the service has it
let ui; // Swagger UI
const phrase = () => $('find').value.trim();

function count() {
  const all = operations(whole.paths);
  const shown = all.filter((o) => isFor($('role').value, o.path) && matches(phrase(), o));
  $('count').textContent = counted.replace('{n}', shown.length).replace('{all}', all.length);
}

// home is the filter that suits who is signed in.
const home = () => (session.current()?.user.role in ROLES ? session.current().user.role : 'ALL');

function showRole(role) {
  $('role').value = role;
  if (!ui) return; // start comes here again
  ui.specActions.updateJsonSpec(part(whole, role));
  count();
}

async function start() {
  const reply = await fetch(`${base}/openapi.json`);
  if (!reply.ok) throw new Error(`The document can't be read: the service answered ${reply.status}.`);
  whole = await reply.json();
  ui = window.SwaggerUIBundle({
    dom_id: '#swagger-ui',
    spec: { openapi: whole.openapi, info: whole.info, paths: {} }, // showRole brings the rest
    plugins: [plugin(phrase)],
    filter: true,
    deepLinking: true,
    tryItOutEnabled: true,
    docExpansion: 'none',
    displayRequestDuration: true,
    persistAuthorization: false,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
    syntaxHighlight: { theme: 'tomorrow-night' },
    requestInterceptor: sign,
  });
  const linked = location.hash.startsWith('#/'); // an operation that another role may own
  showRole(linked ? 'ALL' : home());
  showSession(session.current());
  say(session.current() || !isDemo ? '' : choose);
}

// ---- Tokens on calls

// sign puts a good token on a call, unless another one was typed into Swagger UI's own form.
async function sign(request) {
  const given = request.headers.Authorization;
  const ours = session.current() && `Bearer ${session.current().accessToken}`;
  if (given && given !== ours) return request;
  const token = await session.accessToken().catch((failure) => {
    say(failure.message, true);
    return session.current()?.accessToken; // the service has the last word
  });
  if (token) request.headers.Authorization = `Bearer ${token}`;
  else delete request.headers.Authorization;
  return request;
}

const roleName = (role) => document.querySelector(`#role option[value="${role}"]`)?.textContent ?? role;

// showSession brings the header, the account buttons and the locks in step.
function showSession(held) {
  const { role, name, phone, email } = held?.user ?? {};
  $('who').textContent = held ? signedIn.replace('{who}', `${roleName(role)} ${name ?? phone ?? email ?? ''}`) : '';
  $('who').hidden = $('sign-out').hidden = !held;
  $('sign-in').hidden = Boolean(held);
  for (const button of document.querySelectorAll('.account')) {
    const { phone: p, email: e, role: r } = button.dataset;
    const mine = Boolean(held) && r === role && (p ? p === phone : e === email);
    button.setAttribute('aria-pressed', mine);
  }
  if (!ui) return;
  if (held) bearers(whole).forEach((scheme) => ui.preauthorizeApiKey(scheme, held.accessToken));
  else if (ui.authSelectors.authorized().size > 0) ui.authActions.logout(bearers(whole));
}
session.onChange(showSession);

// ---- Signing in

function welcome() {
  if ($('dialog').open) {
    $('dialog').close();
    $('sign-out').focus(); // where the focus came from is gone
  }
  showRole(home());
  say(`${$('who').textContent}. Every call now carries your token.`);
}

// codeFor has a code sent; in demo mode it comes back with the code itself.
async function codeFor(phone, role) {
  const before = isDemo ? (await session.lastMessage(phone)).id : '';
  await session.sendCode(phone, role);
  say(`Code sent to ${phone}.`);
  return isDemo ? session.codeAfter(before, phone) : '';
}

// The session before this one is not ended on the server: sign-in calls are
// few per minute, its tokens are forgotten here and run out by themselves.
async function oneClick({ role, phone, email, password }) {
  say(`Signing in as ${phone || email}…`);
  if (phone) await session.verifyCode(phone, role, await codeFor(phone, role));
  else await session.login(email, password);
  welcome();
}

// showForm shows one of the dialog's three forms.
function showForm(name) {
  for (const form of ['phone-form', 'code-form', 'email-form']) $(form).hidden = form !== name;
  $(name).querySelector('input').focus();
}

async function askCode() {
  $('phone').value = $('phone').value.replace(/[\s()-]/g, ''); // as the service does, and the outbox is asked by it
  const code = await codeFor($('phone').value, $('account').value);
  showForm('code-form');
  $('code').value = code;
  if (code) say(`Code sent to ${$('phone').value}, and read from the outbox.`);
}

async function useCode() {
  await session.verifyCode($('phone').value, $('account').value, $('code').value);
  welcome();
}

async function usePassword() {
  await session.login($('email').value, $('password').value);
  welcome();
}

function onSubmit(form, work) {
  $(form).addEventListener('submit', async (event) => {
    event.preventDefault();
    await attempt($(form), work);
    if ($('dialog').open) $('dialog').querySelector('form:not([hidden]) input').focus();
  });
}
onSubmit('phone-form', askCode);
onSubmit('code-form', useCode);
onSubmit('email-form', usePassword);

$('sign-in').addEventListener('click', () => {
  $('dialog').showModal();
  say('');
  showForm($('dialog').querySelector('[name=way]:checked').value === 'phone' ? 'phone-form' : 'email-form');
});
$('sign-out').addEventListener('click', async () => {
  say('Signed out.');
  await session.signOut().catch((failure) => say(`Signed out here. ${failure.message}`, true));
  $('sign-in').focus();
});
$('close').addEventListener('click', () => $('dialog').close());
$('dialog').addEventListener('close', () => {
  for (const id of ['phone-form', 'code-form', 'email-form']) $(id).reset();
});
$('again').addEventListener('click', () => showForm('phone-form'));
for (const way of document.querySelectorAll('[name=way]')) {
  way.addEventListener('change', () => { say(''); showForm(`${way.value}-form`); });
}
for (const button of document.querySelectorAll('.account')) {
  button.addEventListener('click', () => attempt(button.closest('.demo'), () => oneClick(button.dataset)));
}

// ---- Filters, keys, colours

$('role').addEventListener('change', () => showRole($('role').value));
$('find').addEventListener('input', () => {
  if (!ui) return;
  ui.layoutActions.updateFilter(phrase());
  count();
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea, select, [contenteditable], dialog');
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || typing) return;
  event.preventDefault();
  $('find').focus();
  $('find').select();
});

// Swagger UI has a dark dress of its own, worn by this class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const dress = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', dress);
dress();

start().catch((failure) => say(failure.message, true));
