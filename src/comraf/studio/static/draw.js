// Small pictures, as inline SVG made of elements: never of markup.

export function svg(tag, options = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// A path through points, stretched to a box; the y axis goes up.
export function path(points, width, height, low = null, high = null) {
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const left = Math.min(...xs), right = Math.max(...xs, left + 1e-9);
  const bottom = low ?? Math.min(...ys), top = Math.max(high ?? Math.max(...ys), bottom + 1e-9);
  const at = ([x, y]) => [(width * (x - left)) / (right - left), height - (height * (y - bottom)) / (top - bottom)];
  return points.map((point, i) => `${i ? "L" : "M"}${at(point).map((n) => n.toFixed(1)).join(" ")}`).join("");
}

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// Documents in the middle, the sides around them; lines are as wide as what they could tell.
export function graphOf(found, noun) {
  const width = 440, height = 324, centre = { x: width / 2, y: height / 2 };
  const hub = found.nodes.find((node) => node.name === "documents") ?? found.nodes[0];
  const others = found.nodes.filter((node) => node !== hub);
  const place = new Map([[hub.name, centre]]);
  others.forEach((node, i) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * (i + (others.length === 2 ? 0.5 : 0))) / others.length;
    place.set(node.name, { x: centre.x + 165 * Math.cos(angle), y: centre.y + 116 * Math.sin(angle) });
  });
  const said = `${found.nodes.length} sides: ${found.edges.map((edge) => `${edge.a} with ${edge.b}, ${Math.round(100 * edge.share)}%`).join("; ")}`;
  const lines = found.edges.map((edge) => {
    const a = place.get(edge.a), b = place.get(edge.b);
    return [
      svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, "stroke-width": (1 + 12 * edge.share).toFixed(1), class: "edge" }),
      svg("text", { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 + 4, class: "share" }, `${Math.round(100 * edge.share)}%`),
    ];
  });
  const circles = found.nodes.map((node) => {
    const { x, y } = place.get(node.name);
    const groups = node.hidden ? (node.k ? `${node.k} groups` : "by their size") : "as they are";
    return svg("g", {},
      svg("circle", { cx: x, cy: y, r: 42, class: node.hidden ? "node" : "node seen" }),
      svg("text", { x, y: y - 8, class: "name" }, short(node === hub ? `${noun}s` : node.name, 14)),
      svg("text", { x, y: y + 7, class: "more" }, node.size.toLocaleString("en")),
      svg("text", { x, y: y + 20, class: "more" }, groups));
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img" }, svg("title", {}, said), lines, circles);
}
