// The job of bench/buses_server.go on the official server, with its defaults.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer((req, res) => {
  if (req.url === "/gc") globalThis.gc();
  res.end();
});
const io = new Server(http);

/** claims of a good token. */
function verify(token) {
  const [head, body, signature] = String(token).split(".");
  const want = createHmac("sha256", process.env.SECRET).update(`${head}.${body}`).digest();
  const got = Buffer.from(signature ?? "", "base64url");
  if (got.length !== want.length || !timingSafeEqual(got, want)) throw new Error("Sign in first.");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  if (claims.exp * 1000 < Date.now()) throw new Error("Sign in first.");
  return claims;
}

io.use((socket, next) => {
  try {
    socket.data.role = verify(socket.handshake.auth.token).role;
    next();
  } catch (err) {
    next(err);
  }
});

io.on("connection", (socket) => {
  socket.on("join-bus-room", ({ schoolId, busId }, answer) => {
    socket.data.bus = busId;
    socket.data.room = `${schoolId}:${busId}`;
    socket.join(socket.data.room);
    answer?.({ ok: true });
  });
  socket.on("update-location", ({ lat, lng, speed, heading, timestamp, seq }, answer) => {
    if (socket.data.role !== "driver" || !socket.data.room) {
      answer?.({ ok: false });
      return;
    }
    io.to(socket.data.room).emit("bus-location", { busId: socket.data.bus, lat, lng, speed, heading, timestamp, seq });
    answer?.({ ok: true });
  });
});

http.listen(0, "127.0.0.1", () => console.log(`127.0.0.1:${http.address().port}`));
