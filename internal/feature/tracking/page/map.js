// The drawing: stops in their true directions, joined by a line, and a bus that
// glides from one position to the next.
const NS = "http://www.w3.org/2000/svg";
const WIDTH = 800, HEIGHT = 560, MARGIN = 70;
const GLIDE = 900; // ms from one position to the next
const TRAIL = 120; // positions

const el = (name, attrs, parent) => {
  const e = document.createElementNS(NS, name);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  if (parent) parent.append(e);
  return e;
};

const still = matchMedia("(prefers-reduced-motion: reduce)");

export class BusMap {
  constructor(svg) {
    this.svg = svg;
    this.layer = el("g", {}, svg);
    this.bus = el("g", { class: "bus", id: "bus-marker" }, svg);
    this.bus.setAttribute("visibility", "hidden");
    el("circle", { class: "halo", r: 34 }, this.bus);
    el("rect", { class: "bus-body", x: -22, y: -15, width: 44, height: 30, rx: 7 }, this.bus);
    for (const x of [-17, -6, 5]) el("rect", { class: "bus-glass", x, y: -9, width: 9, height: 9, rx: 2 }, this.bus);
    this.clear();
  }

  clear() {
    this.layer.replaceChildren();
    this.trail = [];
    this.at = this.place = null;
    this.bus.setAttribute("visibility", "hidden");
  }

  // frame fits the stops and the bus into the picture.
  frame(points) {
    const mid = points.reduce((s, p) => s + p.lat, 0) / points.length;
    const k = Math.cos((mid * Math.PI) / 180);
    const xs = points.map((p) => p.lng * k), ys = points.map((p) => -p.lat);
    const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const scale = Math.min((WIDTH - 2 * MARGIN) / (x1 - x0 || 1e-3), (HEIGHT - 2 * MARGIN) / (y1 - y0 || 1e-3));
    this.place = (p) => [
      WIDTH / 2 + (p.lng * k - (x0 + x1) / 2) * scale,
      HEIGHT / 2 + (-p.lat - (y0 + y1) / 2) * scale,
    ];
  }

  draw(stops, location, next) {
    this.layer.replaceChildren();
    const points = [...stops, ...(location ? [location] : [])];
    if (!points.length) return;
    this.frame(points);
    const at = stops.map(this.place);
    const line = (list) => list.map((p) => p.join(",")).join(" ");
    el("polyline", { class: "road", points: line(at) }, this.layer);
    const reached = stops.findLastIndex((s) => s.reachedAt);
    if (reached > 0) el("polyline", { class: "driven", points: line(at.slice(0, reached + 1)) }, this.layer);
    this.path = el("polyline", { class: "trail", points: line(this.trail.map(this.place)) }, this.layer);
    stops.forEach((s, i) => {
      const state = s.reachedAt ? "stop reached" : s.id === next ? "stop coming" : "stop";
      el("circle", { class: state, cx: at[i][0], cy: at[i][1], r: 11 }, this.layer);
      const right = at[i][0] < WIDTH * 0.7;
      el("text", { x: at[i][0] + (right ? 20 : -20), y: at[i][1] + 6, "text-anchor": right ? "start" : "end" }, this.layer).textContent = s.name;
    });
    if (location) this.jump(location);
  }

  jump(p) {
    this.at = { lat: p.lat, lng: p.lng };
    this.put();
  }

  put() {
    const [x, y] = this.place(this.at);
    this.bus.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    this.bus.setAttribute("visibility", "visible");
  }

  // move glides to a new position.
  move(p) {
    this.trail.push({ lat: p.lat, lng: p.lng });
    this.trail = this.trail.slice(-TRAIL);
    if (!this.place) return;
    if (this.path) this.path.setAttribute("points", this.trail.map((t) => this.place(t).join(",")).join(" "));
    const from = this.at, start = performance.now();
    this.goal = p;
    if (!from || still.matches || document.hidden) return this.jump(p);
    const step = (now) => {
      if (this.goal !== p) return; // replaced by a newer position
      const share = Math.min(1, (now - start) / GLIDE);
      this.jump({ lat: from.lat + (p.lat - from.lat) * share, lng: from.lng + (p.lng - from.lng) * share });
      if (share < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  // inside reports whether a position is in the picture.
  inside(p) {
    const [x, y] = this.place ? this.place(p) : [-1, -1];
    return x > 20 && x < WIDTH - 20 && y > 20 && y < HEIGHT - 20;
  }

  stale(is) {
    this.bus.classList.toggle("stale", is);
  }
}
