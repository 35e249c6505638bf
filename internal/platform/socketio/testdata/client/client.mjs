// The official client against our server: node client.mjs URL SCENARIO.
// It prints what went wrong and ends with 1, or ends with 0.
import assert from "node:assert/strict";
import { io } from "socket.io-client";

const [url, scenario] = process.argv.slice(2);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** next waits for an event and gives its first argument. */
const next = (emitter, event, ms = 50000) =>
  new Promise((done, fail) => {
    const late = setTimeout(() => fail(new Error(`no ${event} in ${ms} ms`)), ms);
    emitter.once(event, (value) => {
      clearTimeout(late);
      done(value);
    });
  });

const open = (token, options = {}) => io(url, { auth: { token }, reconnectionDelay: 50, reconnectionDelayMax: 100, forceNew: true, ...options });

/** talk joins a room, has something sent to it, and wants that and the answers. */
async function talk(socket) {
  assert.deepEqual(await socket.timeout(50000).emitWithAck("join", "bus:1"), { ok: true, joined: "bus:1" });
  const location = next(socket, "bus-location");
  assert.deepEqual(await socket.timeout(50000).emitWithAck("move", { room: "bus:1", lat: 1.5, name: "Ünïcode 🚌" }), { ok: true });
  assert.deepEqual(await location, { room: "bus:1", lat: 1.5, name: "Ünïcode 🚌" });
}

const scenarios = {
  async upgrade() {
    const socket = open("ann");
    await next(socket, "connect");
    const engine = socket.io.engine;
    if (engine.transport.name !== "websocket") await next(engine, "upgrade");
    assert.equal(engine.transport.name, "websocket");
    await talk(socket);
    socket.close();
  },

  async upgradeUnderLoad() {
    const socket = open("ann");
    let got = 0;
    const all = new Promise((done) => socket.on("count", (n) => {
      assert.equal(n, got++);
      if (got === 300) done();
    }));
    await next(socket, "connect");
    socket.emit("count-to", 300); // while the transport changes
    await all;
    if (socket.io.engine.transport.name !== "websocket") await next(socket.io.engine, "upgrade");
    await talk(socket);
    socket.close();
  },

  async polling() {
    const socket = open("ann", { transports: ["polling"] });
    await next(socket, "connect");
    await talk(socket);
    assert.equal(socket.io.engine.transport.name, "polling");
    socket.close();
  },

  async websocket() {
    const socket = open("ann", { transports: ["websocket"] });
    await next(socket, "connect");
    assert.equal(socket.io.engine.transport.name, "websocket");
    await talk(socket);
    socket.close();
  },

  async header() {
    const socket = io(url, { extraHeaders: { Authorization: "Bearer ann" }, forceNew: true });
    await next(socket, "connect");
    await talk(socket);
    socket.close();
  },

  async heartbeat() { // longer than two intervals
    for (const transports of [["polling"], ["websocket"]]) {
      const socket = open("ann", { transports });
      await next(socket, "connect");
      socket.on("disconnect", (reason) => assert.fail(reason));
      await sleep(2500);
      await talk(socket);
      socket.removeAllListeners("disconnect").close();
    }
  },

  async reconnect() {
    for (const event of ["cut", "restart"]) {
      const socket = open("ann", { transports: ["websocket"] });
      await next(socket, "connect");
      await talk(socket);
      const gone = next(socket, "disconnect");
      const again = next(socket, "connect");
      socket.emit(event);
      assert.ok(["transport close", "transport error"].includes(await gone));
      await again;
      await talk(socket);
      socket.close();
    }
  },

  async recovery() {
    for (const transports of [["polling"], ["websocket"]]) {
      const got = [];
      const socket = io(url, { auth: { token: "ann", recover: true }, transports, reconnection: false, forceNew: true });
      await next(socket, "connect");
      assert.equal(socket.recovered, false);
      socket.on("bus-location", ({ n }, offset) => {
        assert.equal(typeof offset, "string");
        got.push(n);
      });
      const other = open("ben", { transports: ["websocket"] });
      await next(other, "connect");
      const move = (n, room = "bus:1") => other.timeout(50000).emitWithAck("move", { room, n });
      await socket.timeout(50000).emitWithAck("join", "bus:1");
      await move(1);
      const id = socket.id;
      while (got.length < 1) await sleep(10);

      const gone = next(socket, "disconnect");
      socket.io.engine.close();
      await gone;
      for (const n of [2, 3, 4]) await move(n);
      await move(99, "bus:2");
      assert.deepEqual(got, [1]);
      socket.connect();
      await next(socket, "connect");
      assert.equal(socket.recovered, true);
      assert.equal(socket.id, id);
      await move(5); // it is still in its room
      while (!got.includes(5)) await sleep(10);
      assert.deepEqual(got, [1, 2, 3, 4, 5]);

      socket.disconnect(); // on purpose: then a new socket, in no room
      while ((await other.timeout(50000).emitWithAck("sockets")).count > 1) await sleep(10); // a CONNECT can overtake it
      socket.connect();
      await next(socket, "connect");
      assert.equal(!!socket.recovered, false);
      assert.notEqual(socket.id, id);
      socket.close();
      other.close();
    }
  },

  async acknowledgement() {
    const socket = open("ann");
    await next(socket, "connect");
    socket.on("question", (arg, answer) => answer({ echo: arg }));
    assert.deepEqual(await socket.timeout(50000).emitWithAck("ask-me"), { ok: true, answer: { echo: "why" } });
    const refused = await socket.timeout(50000).emitWithAck("no-such");
    assert.equal(refused.ok, false);
    assert.match(refused.error.message, /no such event/);
    const exception = next(socket, "exception");
    socket.emit("no-such");
    assert.match((await exception).message, /no such event/);
    socket.close();
  },

  async binary() {
    for (const transports of [["polling"], ["websocket"]]) {
      const socket = open("ann", { transports });
      await next(socket, "connect");
      const back = next(socket, "binary-back");
      const sent = Buffer.from([0, 1, 2, 255]);
      const [first, second] = await new Promise((done) => socket.emit("binary", sent, "text", (...args) => done(args)));
      assert.ok(sent.equals(first));
      assert.equal(second, "text");
      assert.ok(sent.equals(await back));
      socket.close();
    }
  },

  async refusal() {
    for (const transports of [["polling"], ["websocket"]]) {
      const socket = open("", { transports });
      const err = await next(socket, "connect_error");
      assert.equal(err.message, "Sign in first.");
      assert.deepEqual(err.data, { kind: 3, message: "Sign in first." });
      assert.equal(socket.connected, false);
      socket.auth = { token: "ann" };
      socket.connect();
      await next(socket, "connect");
      await talk(socket);
      socket.close();
    }
    const other = io(url + "/unknown", { auth: { token: "ann" }, forceNew: true });
    assert.equal((await next(other, "connect_error")).message, "Invalid namespace");
    other.close();
  },

  async expiry() {
    for (const transports of [["polling"], ["websocket"]]) {
      const socket = open("ann@3s", { transports });
      const warning = next(socket, "token-expiring"); // at once, because less than a minute is left
      await next(socket, "connect");
      const exception = next(socket, "exception");
      const gone = next(socket, "disconnect");
      assert.ok(Date.parse((await warning).expiresAt) > 0);
      assert.equal((await exception).kind, 3);
      assert.equal(await gone, "io server disconnect");
      await sleep(300);
      assert.equal(socket.connected, false); // it does not come back by itself
      socket.auth = { token: "ann" };
      socket.connect();
      await next(socket, "connect");
      socket.close();
    }
  },

  async authenticate() {
    const socket = open("ann@4s");
    await next(socket, "connect");
    assert.equal((await socket.timeout(50000).emitWithAck("authenticate", { token: "ben" })).ok, false);
    assert.equal((await socket.timeout(50000).emitWithAck("authenticate", { token: "ann@60s" })).ok, true);
    await sleep(4500);
    assert.equal(socket.connected, true);
    await talk(socket);
    socket.close();
  },
};

const late = setTimeout(() => {
  console.error("not done in 60 s");
  process.exit(1);
}, 60000);
scenarios[scenario]().then(() => clearTimeout(late), (err) => {
  console.error(err);
  process.exit(1);
});
