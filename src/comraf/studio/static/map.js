// The map: a dot for each document. WebGL draws it, or a plain canvas where there is none.
// Whoever makes one gives it places once, and colours whenever these change.

const HUES = ["#1c4da4", "#c2581f", "#3f7f3a", "#8a3f8f", "#b08a00", "#2a8a8c", "#b23a52", "#6a5acd", "#7a5c2e",
  "#4a7fb5", "#8fa63a", "#d0719b"];
// A plain canvas draws so many dots while the map moves, and all of them when it stands still.
const MOST_MOVING = 30_000;
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
export const colourOf = (number) => (number < 0 ? "#8b8b86" : HUES[number % HUES.length]);

const VERTEX = `#version 300 es
in vec2 place; in vec4 colour; uniform vec4 frame; uniform float size; out vec4 shown;
void main() {
  gl_Position = vec4((place.x - frame.x) * frame.z * 2.0 - 1.0, 1.0 - (place.y - frame.y) * frame.w * 2.0, 0.0, 1.0);
  gl_PointSize = size; shown = colour;
}`;
const FRAGMENT = `#version 300 es
precision mediump float; in vec4 shown; out vec4 dot_;
void main() {
  float far = length(gl_PointCoord - 0.5);
  if (far > 0.5) discard;
  dot_ = vec4(shown.rgb, shown.a * smoothstep(0.5, 0.4, far));
}`;

class Gl {
  constructor(canvas, slow) {
    const gl = canvas.getContext("webgl2", {
      antialias: false, premultipliedAlpha: false, alpha: true, failIfMajorPerformanceCaveat: !slow, // a plain canvas is quicker than WebGL without a GPU
    });
    if (!gl) throw new Error("no WebGL");
    this.gl = gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("no shader");
    gl.useProgram(program);
    this.frame = gl.getUniformLocation(program, "frame");
    this.size = gl.getUniformLocation(program, "size");
    this.buffers = { place: gl.createBuffer(), colour: gl.createBuffer() };
    this.at = { place: gl.getAttribLocation(program, "place"), colour: gl.getAttribLocation(program, "colour") };
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  places(places) {
    const { gl } = this;
    this.n = places.length / 2;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.place);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(this.at.place);
    gl.vertexAttribPointer(this.at.place, 2, gl.UNSIGNED_SHORT, true, 0, 0);
  }

  colours(colours) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.colour);
    gl.bufferData(gl.ARRAY_BUFFER, colours, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(this.at.colour);
    gl.vertexAttribPointer(this.at.colour, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  draw(view, size, width, height) {
    const { gl } = this;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform4f(this.frame, view.x, view.y, 1 / view.w, 1 / view.h);
    gl.uniform1f(this.size, size);
    gl.drawArrays(gl.POINTS, 0, this.n);
  }
}

class Plain {
  constructor(canvas) { this.context = canvas.getContext("2d"); }

  places(places) { this.all = places; }

  colours(colours) { this.shown = new Uint32Array(colours.buffer); this.bytes = colours; }

  draw(view, size, width, height, moving) {
    const { context, all, bytes, shown } = this;
    context.clearRect(0, 0, width, height);
    const step = moving ? Math.ceil(shown.length / MOST_MOVING) : 1;
    const groups = new Map(); // one change of colour for all dots that share it
    for (let i = 0; i < shown.length; i += step) {
      const x = (all[2 * i] / 65535 - view.x) / view.w, y = (all[2 * i + 1] / 65535 - view.y) / view.h;
      if (x < 0 || x > 1 || y < 0 || y > 1) continue;
      if (!groups.has(shown[i])) groups.set(shown[i], []);
      groups.get(shown[i]).push(x * width, y * height, i);
    }
    for (const dots of groups.values()) {
      const i = dots[2];
      context.fillStyle = `rgba(${bytes[4 * i]},${bytes[4 * i + 1]},${bytes[4 * i + 2]},${bytes[4 * i + 3] / 255})`;
      for (let at = 0; at < dots.length; at += 3) context.fillRect(dots[at] - size / 2, dots[at + 1] - size / 2, size, size);
    }
  }
}

export class DocumentMap {
  // box: an element; chosen(items): called with what a lasso caught; pointed(item): with what was clicked
  constructor(box, { chosen, pointed, titles }) {
    Object.assign(this, { box, chosen, pointed, titles });
    this.canvas = document.createElement("canvas");
    this.over = document.createElement("canvas"); // labels and the lasso
    this.over.tabIndex = 0;
    this.over.setAttribute("role", "application");
    this.over.setAttribute("aria-label", "Map of the documents: arrows move it, + and - zoom, Enter chooses what is in sight, 0 shows all");
    box.append(this.canvas, this.over);
    this.kind = "webgl";
    try {
      const wish = new URLSearchParams(location.search).get("map");
      if (wish === "plain") throw new Error("asked for");
      this.painter = new Gl(this.canvas, wish === "webgl");
    } catch {
      const fresh = document.createElement("canvas"); // one that WebGL has touched gives no other
      this.canvas.replaceWith(fresh);
      this.canvas = fresh;
      this.painter = new Plain(fresh);
      this.kind = "canvas";
    }
    box.dataset.painter = this.kind;
    this.view = { x: -0.04, y: -0.04, w: 1.08, h: 1.08 };
    this.lasso = null;
    this.labels = [];
    this.n = 0;
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => { this.painter = new Gl(this.canvas); this.painter.places(this.places); this.painter.colours(this.colours); this.draw(); });
    this.listen();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  setPlaces(places) {
    this.places = places;
    this.n = places.length / 2;
    this.painter.places(places);
  }

  // colour: the number of a colour for each document (below 0 grey); strength: 0 to 255 for each
  setColours(colour, strength) {
    const found = new Uint8Array(4 * this.n);
    const known = HUES.map(rgb), grey = rgb(colourOf(-1));
    for (let i = 0; i < this.n; i += 1) {
      const [r, g, b] = colour[i] < 0 ? grey : known[colour[i] % known.length];
      found[4 * i] = r; found[4 * i + 1] = g; found[4 * i + 2] = b; found[4 * i + 3] = strength[i];
    }
    this.colours = found;
    this.painter.colours(found);
    this.draw();
  }

  // labels: [{ text, items }], the most important first
  setLabels(labels) {
    this.labels = labels.map(({ text, items }) => {
      const xs = Array.from(items, (i) => this.places[2 * i]).sort((a, b) => a - b);
      const ys = Array.from(items, (i) => this.places[2 * i + 1]).sort((a, b) => a - b);
      const middle = xs.length >> 1;
      return { text, x: xs[middle] / 65535, y: ys[middle] / 65535 };
    });
    this.draw();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  paint() {
    const scale = devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.box.clientWidth * scale)), height = Math.max(1, Math.round(this.box.clientHeight * scale));
    for (const canvas of [this.canvas, this.over]) {
      if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    }
    if (!this.colours) return;
    const start = performance.now();
    this.painter.draw(this.view, this.size() * scale, width, height, this.moving);
    this.paintLabels(scale, width, height);
    this.took = performance.now() - start;
  }

  size() {
    const shown = this.n * Math.min(1, 1 / (this.view.w * this.view.h));
    const room = Math.sqrt((this.box.clientWidth * this.box.clientHeight) / Math.max(1, shown * Math.min(1, this.view.w * this.view.h)));
    return Math.max(2.5, Math.min(11, 0.45 * room));
  }

  paintLabels(scale, width, height) {
    const context = this.over.getContext("2d");
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.box);
    context.font = `600 ${13 * scale}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const taken = [];
    const write = (text, x, y) => {
      const half = context.measureText(text).width / 2 + 4 * scale, tall = 10 * scale;
      if (x < 0 || x > width || y < 0 || y > height) return;
      x = Math.min(Math.max(x, half), width - half); // a name at the edge steps inside
      y = Math.min(Math.max(y, tall), height - tall);
      const rect = [x - half, y - tall, x + half, y + tall];
      if (taken.some((t) => rect[0] < t[2] && rect[2] > t[0] && rect[1] < t[3] && rect[3] > t[1])) return;
      taken.push(rect);
      context.lineWidth = 4 * scale;
      context.strokeStyle = style.backgroundColor;
      context.strokeText(text, x, y);
      context.fillStyle = style.color;
      context.fillText(text, x, y);
    };
    for (const one of this.labels) write(one.text, ((one.x - this.view.x) / this.view.w) * width, ((one.y - this.view.y) / this.view.h) * height);
    context.font = `${12 * scale}px system-ui, sans-serif`;
    for (const [i, text] of this.near ?? []) {
      write(text, ((this.places[2 * i] / 65535 - this.view.x) / this.view.w) * width, ((this.places[2 * i + 1] / 65535 - this.view.y) / this.view.h) * height + 14 * scale);
    }
    if (this.lasso?.length > 1) {
      context.beginPath();
      this.lasso.forEach(([x, y], i) => (i ? context.lineTo(x * scale, y * scale) : context.moveTo(x * scale, y * scale)));
      context.closePath();
      context.strokeStyle = style.color;
      context.lineWidth = 1.5 * scale;
      context.stroke();
    }
  }

  zoom(factor, x = 0.5, y = 0.5) {
    const w = Math.min(2, Math.max(0.002, this.view.w * factor)), by = w / this.view.w;
    this.view.x += this.view.w * x * (1 - by);
    this.view.y += this.view.h * y * (1 - by);
    this.view.w = w;
    this.view.h *= by;
    this.moved();
  }

  moved() {
    this.moving = true;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.moving = false; this.nameNear(); }, 250);
  }

  inSight() {
    const found = [];
    for (let i = 0; i < this.n; i += 1) {
      const x = this.places[2 * i] / 65535, y = this.places[2 * i + 1] / 65535;
      if (this.colours[4 * i + 3] > 20 && x >= this.view.x && x <= this.view.x + this.view.w && y >= this.view.y && y <= this.view.y + this.view.h) found.push(i);
    }
    return found;
  }

  async nameNear() { // titles of documents, where few are in sight
    const items = this.inSight();
    this.draw();
    if (!items.length || items.length > 40) { this.near = null; return; }
    const found = await this.titles(items);
    this.near = items.map((item, i) => [item, found[i]]);
    this.draw();
  }

  inside(points) { // documents within a lasso
    const width = this.box.clientWidth, height = this.box.clientHeight, found = [];
    for (let i = 0; i < this.n; i += 1) {
      if (this.colours[4 * i + 3] <= 20) continue; // what is faded out is not meant
      const x = ((this.places[2 * i] / 65535 - this.view.x) / this.view.w) * width;
      const y = ((this.places[2 * i + 1] / 65535 - this.view.y) / this.view.h) * height;
      let odd = false;
      for (let a = 0, b = points.length - 1; a < points.length; b = a, a += 1) {
        const [ax, ay] = points[a], [bx, by] = points[b];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }

  nearest(px, py) {
    const width = this.box.clientWidth, height = this.box.clientHeight;
    let best = -1, least = 14 ** 2;
    for (let i = 0; i < this.n; i += 1) {
      if (this.colours[4 * i + 3] <= 20) continue;
      const x = ((this.places[2 * i] / 65535 - this.view.x) / this.view.w) * width - px;
      const y = ((this.places[2 * i + 1] / 65535 - this.view.y) / this.view.h) * height - py;
      if (x * x + y * y < least) { least = x * x + y * y; best = i; }
    }
    return best;
  }

  listen() {
    const over = this.over;
    const at = (event) => { const rect = over.getBoundingClientRect(); return [event.clientX - rect.left, event.clientY - rect.top]; };
    let drag = null;
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      over.focus();
      drag = { from: at(event), last: at(event), pan: event.button === 1 || event.shiftKey || this.hand };
      if (!drag.pan) this.lasso = [at(event)];
      event.preventDefault();
    });
    over.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const [x, y] = at(event);
      if (drag.pan) {
        this.view.x -= ((x - drag.last[0]) / this.box.clientWidth) * this.view.w;
        this.view.y -= ((y - drag.last[1]) / this.box.clientHeight) * this.view.h;
        this.moved();
      } else { this.lasso.push([x, y]); this.draw(); }
      drag.last = [x, y];
    });
    over.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const [x, y] = at(event), far = Math.hypot(x - drag.from[0], y - drag.from[1]);
      const lasso = this.lasso;
      const { pan } = drag;
      drag = null;
      this.lasso = null;
      if (far < 4 && !(lasso?.length > 12)) {
        const item = this.nearest(x, y);
        if (item >= 0) this.pointed(item);
      } else if (!pan) this.chosen(this.inside(lasso));
      this.draw();
    });
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = at(event);
      this.zoom(Math.exp(event.deltaY * 0.0015), x / this.box.clientWidth, y / this.box.clientHeight);
    }, { passive: false });
    over.addEventListener("keydown", (event) => {
      const step = 0.12;
      const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
      if (moves[event.key]) { this.view.x += moves[event.key][0] * this.view.w; this.view.y += moves[event.key][1] * this.view.h; this.moved(); }
      else if (event.key === "+" || event.key === "=") this.zoom(0.8);
      else if (event.key === "-") this.zoom(1.25);
      else if (event.key === "0") { this.view = { x: -0.04, y: -0.04, w: 1.08, h: 1.08 }; this.moved(); }
      else if (event.key === "Enter") this.chosen(this.inSight());
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
