// The page: sign in, choose a bus, watch it.
import { Session } from "./session.js";
import { BusMap } from "./map.js";

const $ = (id) => document.getElementById(id);
const STALE = 60_000;
const AGAIN = 15_000; // ms between refreshes of arrival times

const session = new Session();
const map = new BusMap($("map"));
let socket = null;
let bus = ""; // id of the watched bus
let live = null; // latest reply of the API
let fetchedAt = 0;

const WORDS = { scheduled: "Scheduled", in_progress: "On its way", paused: "Paused", completed: "Arrived", cancelled: "Cancelled",
  waiting: "waiting", boarded: "on the bus", alighted: "got off", absent: "absent", no_show: "did not come" };
const INCIDENTS = { vehicle_breakdown: "Breakdown", traffic_jam: "Traffic jam", accident: "Accident", other: "Incident" };
const clock = (at) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const minutes = (s) => (s < 45 ? "now" : s < 90 ? "1 min" : `${Math.round(s / 60)} min`);

// --- signing in

function choose(tab) {
  for (const name of ["phone", "mail"]) {
    const on = name === tab;
    $("tab-" + name).setAttribute("aria-selected", on);
    $("tab-" + name).tabIndex = on ? 0 : -1;
    $("by-" + name).hidden = !on;
  }
  $("signin-error").textContent = "";
}

for (const name of ["phone", "mail"]) {
  $("tab-" + name).addEventListener("click", () => choose(name));
  $("tab-" + name).addEventListener("keydown", (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    const other = name === "phone" ? "mail" : "phone";
    choose(other);
    $("tab-" + other).focus();
  });
}

// submit runs the action of a form and shows its error.
function submit(form, work) {
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    $("signin-error").textContent = "";
    try {
      await work();
    } catch (err) {
      $("signin-error").textContent = err.message;
    }
    button.disabled = false;
  });
}

submit($("by-phone"), async () => {
  const phone = $("phone").value;
  if ($("code-row").hidden) {
    await session.sendCode(phone);
    $("code-row").hidden = false;
    $("phone-go").textContent = "Sign in";
    $("code").focus();
    return;
  }
  await session.byCode(phone, $("code").value.trim());
  await start();
});

submit($("by-mail"), async () => {
  await session.byPassword($("email").value, $("password").value);
  await start();
});

$("phone").addEventListener("input", () => {
  $("code-row").hidden = true;
  $("phone-go").textContent = "Send me a code";
});

$("signout").addEventListener("click", () => session.signOut());

session.ended = () => {
  socket?.disconnect();
  socket = null;
  bus = "";
  live = null;
  map.clear();
  for (const id of ["watch", "signout", "link", "incident"]) $(id).hidden = true;
  for (const id of ["password", "code"]) $(id).value = "";
  $("signin").hidden = false;
};
session.renewed = (token) => socket?.emit("authenticate", { token });

// --- choosing a bus

async function start() {
  $("signin").hidden = true;
  $("watch").hidden = false;
  $("signout").hidden = false;
  const list = await session.get("/bus-tracking/bus/list?limit=100");
  $("bus").replaceChildren(...list.items.map((b) => new Option(`${b.name || b.registrationNo}${b.routeName ? " · " + b.routeName : ""}`, b.id)));
  $("message").hidden = list.items.length > 0;
  $("choice").hidden = !list.items.length;
  $("message").textContent = "There is no bus for you to watch. Ask the school office if there should be one.";
  if (!list.items.length) return;
  connect();
  const wanted = new URLSearchParams(location.search).get("bus");
  const first = list.items.find((b) => b.id === wanted) || list.items.find((b) => b.tripStatus) || list.items[0];
  $("bus").value = first.id;
  await watch(first.id);
}

$("bus").addEventListener("change", (e) => watch(e.target.value).catch(trouble));

async function watch(id) {
  const room = (busId) => ({ schoolId: session.user.schoolId, busId });
  if (bus && socket) socket.emit("leave-bus-room", room(bus));
  bus = id;
  live = null;
  map.clear();
  $("incident").hidden = true;
  if (socket?.connected) socket.emit("join-bus-room", room(bus));
  await refresh();
}

async function refresh() {
  const asked = bus;
  const got = await session.get(`/bus-tracking/bus/${asked}/live`);
  if (asked !== bus) return;
  // A position from the socket may be newer than this reply. Without a trip only the API decides what is shown.
  const onTrip = ["in_progress", "paused"].includes(got.trip?.status);
  if (onTrip && live?.location && (!got.location || live.location.timestamp > got.location.timestamp)) got.location = { ...got.location, ...live.location };
  live = got;
  fetchedAt = Date.now();
  $("board").hidden = false;
  map.draw(live.stops, live.location, live.nextStop?.stopId);
  show();
  if (live.trip) riders(live.trip.id).catch(() => { $("riders-part").hidden = true; });
}

async function riders(trip) {
  const asked = bus;
  const got = await session.get(`/bus-tracking/trip/${trip}/students?limit=100`);
  if (asked !== bus) return;
  const list = got.items || got.students || [];
  $("riders-part").hidden = !list.length;
  $("riders").replaceChildren(...list.map((s) => {
    const li = document.createElement("li");
    li.textContent = `${[s.firstName, s.lastName].filter(Boolean).join(" ")}: ${WORDS[s.status] || s.status}`;
    return li;
  }));
}

function trouble(err) {
  $("message").hidden = false;
  $("message").textContent = err.message;
}

// --- the socket

function connect() {
  socket = io({ auth: (give) => session.fresh().then((token) => give({ token }), () => give({})) });
  const state = (text, css) => {
    $("link").hidden = false;
    $("link").textContent = text;
    $("link").className = "pill " + css;
  };
  socket.on("connect", () => {
    state("Live", "go");
    if (bus) socket.emit("join-bus-room", { schoolId: session.user.schoolId, busId: bus });
  });
  socket.on("disconnect", (why) => {
    state("Connecting…", "warn");
    if (why === "io server disconnect" && session.tokens) session.fresh().then(() => socket?.connect(), () => {});
  });
  socket.on("connect_error", () => state("Connecting…", "warn"));
  socket.on("bus-location", moved);
  socket.on("trip-status", (s) => {
    if (s.busId === bus && live?.trip?.status !== s.status) refresh().catch(trouble);
  });
  socket.on("room-left", (r) => {
    if (r.busId !== bus) return;
    bus = "";
    live = null;
    map.clear();
    for (const id of ["riders", "stops"]) $(id).replaceChildren();
    for (const id of ["board", "incident", "status", "stale", "delay"]) $(id).hidden = true;
    [...$("bus").options].find((o) => o.value === r.busId)?.remove();
    $("bus").value = "";
    $("choice").hidden = !$("bus").options.length;
    trouble(new Error("You can no longer watch this bus. Ask the school office if you should."));
  });
  socket.on("boarding-status", (s) => {
    if (s.busId === bus) riders(s.tripId).catch(() => {});
  });
  socket.on("incident-reported", (i) => {
    if (i.busId !== bus) return;
    $("incident").hidden = false;
    $("incident-text").textContent = `${INCIDENTS[i.type] || "Incident"}${i.description ? ": " + i.description : ""} (${clock(i.at)})`;
  });
}

function moved(p) {
  if (p.busId !== bus || !live || (live.location && p.timestamp < live.location.timestamp)) return;
  const before = live.nextStop?.stopId;
  live.location = p;
  live.nextStop = p.nextStop || null;
  if (!map.inside(p)) map.draw(live.stops, p, before);
  map.move(p);
  show();
  if (before !== live.nextStop?.stopId) refresh().catch(trouble);
}

$("incident-close").addEventListener("click", () => { $("incident").hidden = true; });

// --- rendering

function show() {
  if (!live) return;
  const { trip, location, nextStop } = live;
  const running = trip && (trip.status === "in_progress" || trip.status === "paused");
  $("message").hidden = true;
  $("status").hidden = false;
  $("status").textContent = trip ? WORDS[trip.status] : "Not on a trip";
  $("status").className = "pill" + (trip?.status === "in_progress" ? " go" : "");
  const old = location && (location.isStale || Date.now() - Date.parse(location.timestamp) > STALE);
  $("stale").hidden = !(running && (old || !location));
  map.stale(Boolean(old));
  $("seen").textContent = location ? `Seen at ${clock(location.timestamp)}` : "The bus has not been seen yet.";
  const late = Math.round((live.delaySeconds || 0) / 60);
  $("delay").hidden = !running || Math.abs(late) < 1;
  $("delay").textContent = late > 0 ? `${late} min late` : `${-late} min early`;
  $("delay").className = "pill" + (late > 2 ? " warn" : "");
  const text = nextStop && running ? `Next stop: ${nextStop.name}, ${minutes(Math.max(0, nextStop.etaSeconds))}` : running ? "On its way to the end of the line" : "";
  if ($("next").textContent !== text) $("next").textContent = text;
  stops();
}

function stops() {
  const passed = (Date.now() - fetchedAt) / 1000;
  $("stops").replaceChildren(...live.stops.map((s) => {
    const li = document.createElement("li"), name = document.createElement("span"), when = document.createElement("span");
    li.className = s.reachedAt ? "reached" : s.id === live.nextStop?.stopId ? "coming" : "";
    name.textContent = s.name;
    when.className = "when";
    when.textContent = s.reachedAt ? clock(s.reachedAt) : s.etaSeconds != null ? minutes(Math.max(0, s.etaSeconds - passed)) : "";
    li.append(name, when);
    if (s.plannedAt && !s.reachedAt) {
      const plan = document.createElement("span");
      plan.className = "plan";
      plan.textContent = `Planned ${clock(s.plannedAt)}`;
      li.append(plan);
    }
    return li;
  }));
}

setInterval(() => {
  if (!live) return;
  show();
  if (Date.now() - fetchedAt > AGAIN && !document.hidden) {
    fetchedAt = Date.now();
    refresh().catch(() => {}); // retried at the next refresh; the badge shows the age
  }
}, 1000);

if ("serviceWorker" in navigator) navigator.serviceWorker.register("/live/sw.js", { scope: "/live" }).catch(() => {});
if (session.tokens) start().catch(trouble);
else $("signin").hidden = false;
