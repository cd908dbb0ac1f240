// The page of the studio. All text of documents is set as text, never as markup.
import { DocumentMap, colourOf } from "/static/map.js";
import { questions, rerun } from "/static/questions.js";
import { others } from "/static/others.js";
import { sides } from "/static/sides.js";
import { criterion } from "/static/criterion.js";

const $ = (id) => document.getElementById(id);
const secret = document.querySelector("meta[name=page-secret]").content;
const about = {};
let state = { groups: [], version: 0 };
let here = null; // the group whose documents are shown
let chosen = new Set(); // chosen groups
let list = { documents: [], n: 0, query: "" }; // documents shown: of a group, or found
let at = -1; // the document that is read
let picked = new Set(); // chosen documents
let anchor = -1;

// -- small helpers

function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

const stranger = (text, tag = "span", more = {}) => make(tag, { dir: "auto", ...more }, text);
const commas = (n) => n.toLocaleString("en");
const plural = (n, noun = about.noun) => `${commas(n)} ${noun}${n === 1 ? "" : "s"}`;
const percent = (x) => `${Math.round(100 * x)}%`;
const pictureOf = (n, more = {}) => make("img", { src: `/api/documents/${n}/picture?of=${about.key}`, alt: "", loading: "lazy", ...more });
// Values of a side; colours as what they are. What else photos look like, nobody reads.
const isColour = (side, value) => side === "colours" && /^#[0-9a-f]{6}$/.test(value);
function swatch(colour) {
  const box = make("i", { class: "swatch", role: "img", "aria-label": colour, title: colour });
  box.style.background = colour;
  return box;
}
const told = (sides) => Object.entries(sides).filter(([side]) => side === "colours" || !about.looks.includes(side))
  .map(([side, values]) => make("p", { class: "words" }, make("b", {}, side),
    values.every((value) => isColour(side, value)) ? values.map(swatch) : stranger(values.join(", "))));
const groupOf = (id) => state.groups.find((group) => group.id === id);
const nameOf = (id) => groupOf(id)?.name ?? `group ${id}`;

let timer = 0;
function tell(text, alarm = false) {
  const box = $("message");
  box.textContent = text;
  box.className = `shown${alarm ? " alarm" : ""}`;
  clearTimeout(timer);
  timer = setTimeout(() => { box.className = ""; box.textContent = ""; }, alarm ? 9000 : 3500);
}

async function ask(path, body) {
  const file = body instanceof Blob;
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": file ? "application/octet-stream" : "application/json", "x-comraf-page": secret },
    body: file ? body : JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    tell("The studio does not answer. Is it still running? What was saved is safe.", true);
    throw new Error("no answer");
  }
  const found = await answer.json().catch(() => ({ error: `The studio refused this (${answer.status}).` }));
  if (!answer.ok) {
    if (found.stale) {
      await refresh();
      tell(`${found.error}. The page shows the groups as they are now.`, true);
    } else tell(found.error, true);
    throw new Error(found.error);
  }
  return found;
}

// -- what was said

const saved = (text) => { $("saved").textContent = text; };

async function say(verb, given) {
  saved("saving …");
  let found;
  try {
    found = await ask(`/api/${verb}`, { ...given, at: state.version });
  } catch (error) {
    saved("");
    throw error;
  }
  show(found.state);
  saved("saved");
  return found;
}

async function refresh() {
  show(await ask("/api/state"));
}

function show(next) {
  state = next;
  const ids = new Set(state.groups.map((group) => group.id));
  chosen = new Set([...chosen].filter((id) => ids.has(id)));
  if (!list.query && !ids.has(here)) here = state.groups.length ? largest()[0].id : null;
  if (!chosen.size && here !== null) chosen.add(here);
  drawGroups();
  drawTools();
  beside.changed();
  if (mapped.shown) drawMap();
  if (list.query) listed(list.path, list.query, true);
  else if (here !== null) open(here, true);
}

const largest = () => [...state.groups].sort((a, b) => b.size - a.size || a.id - b.id);

function drawTools() {
  $("undo").disabled = !state.undo;
  $("redo").disabled = !state.redo;
  const parts = [plural(state.groups.length, "group")];
  if (state.branch !== "main") parts.push(`branch ${state.branch}`);
  if (state.n_doubted) parts.push(`${commas(state.n_doubted)} wrong`);
  $("counts").textContent = parts.join(" · ");
  $("merge").disabled = chosen.size < 2;
  for (const name of ["split", "rename", "similar"]) $(name).disabled = here === null;
  for (const name of ["move", "pin", "doubt", "label"]) $(name).disabled = !targets().length;
}

function drawGroups() {
  const most = Math.max(1, ...state.groups.map((group) => group.size));
  const found = new Map((list.query && list.groups) || []);
  const box = $("group-list");
  box.replaceChildren(...largest().map((group) => {
    const bar = make("span", { class: "size" });
    bar.style.width = `${(100 * group.size) / most}%`;
    const sides = told(group.telling).slice(0, 4);
    const mosaic = group.pictures.length ? make("div", { class: "mosaic" }, group.pictures.map((n) => pictureOf(n))) : null;
    const option = make("li", {
      role: "option", id: `group-${group.id}`, "aria-selected": String(chosen.has(group.id)),
      class: group.id === here && !list.query ? "here" : "", "data-id": group.id,
      onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) toggle(group.id);
        else { chosen = new Set([group.id]); open(group.id); }
      },
      ondragover: (event) => { if (dragged) { event.preventDefault(); option.classList.add("drop"); } },
      ondragleave: () => option.classList.remove("drop"),
      ondrop: (event) => { event.preventDefault(); option.classList.remove("drop"); if (dragged) move(dragged, group.id); },
    },
    make("div", { class: "top" }, stranger(group.name, "span", { class: "name" }),
      list.query && make("span", { class: "flag" }, `${commas(found.get(group.id) || 0)} found`),
      group.doubted ? make("span", { class: "flag wrong" }, `${commas(group.doubted)} wrong`) : null,
      make("span", { class: "num" }, commas(group.size))),
    bar, mosaic, sides,
    group.labels.length ? make("p", { class: "words" }, make("b", {}, "labels"),
      stranger(supported(group))) : null);
    return option;
  }));
  if (here !== null && !list.query) box.setAttribute("aria-activedescendant", `group-${here}`);
  else box.removeAttribute("aria-activedescendant");
}

function toggle(id) {
  if (chosen.has(id) && chosen.size > 1) chosen.delete(id);
  else chosen.add(id);
  drawGroups();
  drawTools();
}

// -- documents

let listing = 0; // the last list that was asked for; others come too late

async function open(id, keep = false) {
  if (!keep || id !== here) { at = -1; picked.clear(); anchor = -1; pane("documents"); }
  if (list.query) { $("query").value = ""; }
  here = id;
  const wanted = keep ? Math.max(50, list.documents.length) : 50;
  const mine = ++listing;
  const found = await ask(`/api/groups/${id}/documents?sort=${$("sort").value}&most=${Math.min(200, wanted)}`);
  if (mine !== listing) return;
  relisted({ ...found, query: "" });
  drawGroups();
  drawDocuments();
  if (at >= 0) read(list.documents[at].n, false);
  else if (list.documents.length && !picked.size) { at = 0; drawDocuments(); read(list.documents[0].n, false); }
}

// Another list: what is read stays, or what follows it is read where it is gone.
function relisted(next) {
  const places = new Map(next.documents.map((one, place) => [one.n, place]));
  const left = at < 0 ? undefined : list.documents.slice(at).find((one) => places.has(one.n));
  list = next;
  at = left ? places.get(left.n) : Math.min(at, list.documents.length - 1);
}

async function search(text, keep = false) {
  const query = text.trim();
  if (!query) { if (here !== null) { list.query = ""; await open(here); } return; }
  await listed(`/api/documents?text=${encodeURIComponent(query)}`, query, keep);
}

// Documents from anywhere: found by their text, or by a value of another side.
async function listed(path, query, keep = false) {
  if (!keep) { at = -1; picked.clear(); pane("documents"); }
  const mine = ++listing;
  const found = await ask(path);
  if (mine !== listing) return;
  if (found.ready === false) { tell("The texts are still being indexed; try again in a moment.", true); return; }
  relisted({ ...found, query, path });
  drawGroups();
  drawDocuments();
  drawMap();
  if (at >= 0) read(list.documents[at].n, false);
}

async function more() {
  const start = list.documents.length;
  const path = list.query
    ? `${list.path}&start=${start}`
    : `/api/groups/${here}/documents?sort=${$("sort").value}&start=${start}`;
  const mine = listing;
  const found = await ask(path);
  if (mine !== listing) return;
  list.documents.push(...found.documents);
  drawDocuments();
}

let dragged = null;

const ids = (groups) => groups.slice(0, 6).join(", ").replace(/, (?!.*,)/, " and ") + (groups.length > 6 ? " …" : "");
const MADE = { merge: "merged from", split: "split from", move: "moved from", run: "found anew, from", import: "brought in, from" };
const lineage = (group) => (group.origin ? ` · ${MADE[group.origin[0]]} ${ids(group.origin[1])}` : "");

function drawDocuments() {
  const group = groupOf(here);
  $("group-name").replaceChildren(list.query ? stranger(`“${list.query}”`) : stranger(group?.name ?? ""));
  $("group-facts").textContent = list.query ? `${plural(list.n)} ${list.path === UNLABELLED ? "without a label, one of each group in turn" : "found"}`
    : group ? `${plural(list.n)} · group ${group.id}${lineage(group)}` : "";
  $("sort").disabled = Boolean(list.query);
  const box = $("document-list");
  box.replaceChildren(...list.documents.map((one, place) => {
    const option = make("li", {
      role: "option", id: `document-${one.n}`, "aria-selected": String(picked.has(one.n)), draggable: "true",
      class: place === at ? "here" : "", "data-n": one.n,
      onclick: (event) => choose(place, event),
      ondragstart: (event) => {
        if (!picked.has(one.n)) { picked = new Set([one.n]); drawDocuments(); }
        dragged = [...picked];
        event.dataTransfer.setData("text/plain", `${dragged.length}`);
        event.dataTransfer.effectAllowed = "move";
      },
      ondragend: () => { dragged = null; },
    },
    about.photos ? pictureOf(one.n) : null,
    make("div", { class: "top" }, stranger(one.title, "span", { class: "name" }),
      one.pinned ? make("span", { class: "flag" }, "pinned") : null,
      one.doubted ? make("span", { class: "flag wrong" }, "wrong group") : null,
      one.label ? stranger(one.label, "span", { class: "flag" }) : null,
      one.confidence === null ? null : make("span", { class: "num", title: "how sure its group is" }, percent(one.confidence))),
    make("p", { class: "words" }, one.date && (list.query || one.snippet) ? `${one.date} · ` : one.date, list.query ? stranger(`${nameOf(one.group)} · `) : "", stranger(one.snippet)));
    return option;
  }));
  if (at >= 0 && list.documents[at]) box.setAttribute("aria-activedescendant", `document-${list.documents[at].n}`);
  else box.removeAttribute("aria-activedescendant");
  $("more").hidden = list.documents.length >= list.n;
  drawTools();
}

function choose(place, event = {}) {
  const one = list.documents[place];
  if (!one) return;
  if (event.shiftKey && anchor >= 0) {
    for (let i = Math.min(anchor, place); i <= Math.max(anchor, place); i += 1) picked.add(list.documents[i].n);
  } else if (event.ctrlKey || event.metaKey) {
    if (!picked.delete(one.n)) picked.add(one.n);
    anchor = place;
  } else {
    if (!event.keep) picked.clear();
    anchor = place;
  }
  at = place;
  drawDocuments();
  $(`document-${one.n}`)?.scrollIntoView({ block: "nearest" });
  read(one.n);
}

function chooseAll() {
  const all = list.items ?? list.documents.map((one) => one.n);
  picked = picked.size === all.length ? new Set() : new Set(all);
  drawDocuments();
  drawMap();
  tell(picked.size ? `Chosen: ${plural(picked.size)}${picked.size < list.n ? ` of ${commas(list.n)}` : ""}.` : "Chosen: none.");
}

const targets = () => (picked.size ? [...picked] : at >= 0 && list.documents[at] ? [list.documents[at].n] : []);

let wanted = -1; // the last document that was asked for
async function read(n, turn = true) {
  wanted = n;
  const one = await ask(`/api/documents/${n}`);
  if (wanted !== n) return;
  const other = one.runner_up;
  const evidence = (pieces, kind) => make("ul", { class: kind }, pieces.map((piece) =>
    make("li", { title: `${piece.side}, ${percent(piece.weight)} of the weight` },
      isColour(piece.side, piece.value) ? swatch(piece.value) : stranger(piece.value), piece.side === "words" || isColour(piece.side, piece.value) ? "" : ` (${piece.side})`)));
  const sides = told(one.sides);
  let change = null;
  if (other !== null && other !== undefined) {
    const to = make("button", { onclick: () => move([n], other) }, "Move it there");
    change = make("div", { class: "why" },
      make("h3", {}, "Why it is in ", stranger(`“${nameOf(one.group)}”`), one.confidence === undefined ? "" : ` (${percent(one.confidence)} sure)`),
      one.for.length ? evidence(one.for, "for") : make("p", { class: "soft" }, "Nothing that was counted speaks for it."),
      make("h3", {}, "What speaks for ", stranger(`“${nameOf(other)}”`), ", the runner-up"),
      one.against.length ? evidence(one.against, "against") : make("p", { class: "soft" }, "Nothing."),
      one.flips ? make("p", {}, "By its counts alone it would be there. ")
        : one.without.length ? make("p", {}, "It would be there without ", stranger(one.without.join(", ")), ". ")
        : make("p", {}, "It would stay even without its twelve strongest values. "),
      to);
  }
  const text = make("div", { class: "text", dir: "auto" }, one.text.map(([part, weight]) => {
    if (!weight) return part;
    const kind = `${weight < 0 ? "against" : ""}${Math.abs(weight) > 0.05 ? " strong" : ""}`.trim();
    return make("mark", { class: kind || null, title: weight > 0 ? "speaks for its group" : "speaks for the runner-up" }, part);
  }));
  $("reading").replaceChildren(
    stranger(one.title, "h2"),
    make("p", { class: "soft" }, one.date ? `${one.date} · ` : "", stranger(one.id), one.pinned ? " · pinned" : "", one.doubted ? " · wrong group" : ""),
    ...sides, about.photos ? pictureOf(n, { alt: one.title, loading: "eager" }) : "",
    change ?? "", text, one.cut ? make("p", { class: "soft" }, "The rest of this long text is not shown.") : "");
  $("reading").scrollTop = 0;
  if (turn && document.body.dataset.pane === "documents" && matchMedia("(max-width: 1000px)").matches) pane("reading");
}

function pane(name) {
  document.body.dataset.pane = name;
  for (const button of document.querySelectorAll(".panes button")) {
    button.setAttribute("aria-current", String(button.dataset.to === name));
  }
}

// -- verbs

async function merge() {
  const groups = [...chosen];
  if (groups.length < 2) { tell("Choose two or more groups first: Ctrl+click, x, or space for the most similar one."); return; }
  const first = groups.includes(here) ? here : groups[0];
  const ordered = [first, ...groups.filter((id) => id !== first)];
  here = first;
  chosen = new Set([first]);
  await say("merge", { groups: ordered });
  tell(`Merged ${ordered.length} groups.`);
}

async function split() {
  if (here === null) return;
  const parts = await prompted("Split into how many?", "2", "Parts", { type: "number", min: 2, max: 50 });
  if (parts === null) return;
  const found = await say("split", { group: here, parts: Number(parts) });
  chosen = new Set([here, ...found.change.added]);
  drawGroups(); drawTools();
  tell(`Split in ${found.change.added.length + 1}.`);
}

async function rename() {
  if (here === null) return;
  const group = groupOf(here);
  const name = await prompted("Name of the group", group.name, "Name", { maxlength: 200 });
  if (name !== null) await say("rename", { group: here, name: name.trim() });
}

async function move(items, to) {
  const found = await say("move", { items, to });
  picked.clear();
  drawMap();
  drawDocuments();
  const target = to ?? found.change.added[0];
  tell(`Moved ${plural(items.length)} to “${nameOf(target)}”.`);
}

async function moveTo() {
  const items = targets();
  if (!items.length) return;
  const options = largest().filter((group) => list.query || group.id !== here)
    .map((group) => ({ value: group.id, name: group.name, note: commas(group.size) }));
  options.push({ value: "new", name: "a new group", note: "" });
  const to = await chosenFrom(`Move ${plural(items.length)} to`, options);
  if (to !== null) await move(items, to === "new" ? null : to);
}

async function mark(verb, part, yes, no) {
  const items = targets();
  if (!items.length) return;
  const known = new Map(list.documents.map((one) => [one.n, one[part]]));
  const on = !items.every((n) => known.get(n));
  await say(verb, { items, on });
  tell(`${on ? yes : no} ${plural(items.length)}.`);
}

async function label() {
  const items = targets();
  if (!items.length) return;
  const now = list.documents.find((one) => one.n === items[0])?.label ?? "";
  const name = await prompted(`Label of ${plural(items.length)} (empty takes it away)`, now, "Label", { maxlength: 200 });
  if (name === null) return;
  await say("label", { items, name: name.trim() });
  if (list.path === UNLABELLED) await toLabel();
}

// One of each group in turn: what is labelled goes, and the next one is read.
const UNLABELLED = "/api/unlabelled?";
async function toLabel() {
  await listed(UNLABELLED, "worth a label");
  if (!list.documents.length) return;
  at = 0;
  drawDocuments();
  await read(list.documents[0].n, false);
}

async function labelGroups() {
  const groups = [...chosen];
  if (!groups.length) return;
  const n = groups.reduce((sum, id) => sum + groupOf(id).size, 0);
  const now = groupOf(groups[0]).labels[0]?.[0] ?? "";
  const name = await prompted(`Label of all ${plural(n)} of ${plural(groups.length, "group")} (empty takes it away)`, now, "Label", { maxlength: 200 });
  if (name === null) return;
  await say("label", { groups, name: name.trim() });
  tell(`Labelled ${plural(n)}.`);
}

// How many labelled documents support the name of a group, or which labels it has.
function supported(group) {
  const all = group.labels.reduce((sum, [, n]) => sum + n, 0);
  const own = group.labels.find(([name]) => name === group.name);
  return own ? `${commas(own[1])} of ${commas(all)} support the name`
    : group.labels.map(([name, n]) => `${name} (${commas(n)})`).join(", ");
}

async function similar() {
  if (here === null) return;
  const found = await ask(`/api/groups/${here}/similar`);
  const next = found.groups.find((id) => !chosen.has(id));
  if (next === undefined) return;
  chosen.add(next);
  drawGroups(); drawTools();
  $(`group-${next}`)?.scrollIntoView({ block: "nearest" });
  tell(`Chosen too: “${nameOf(next)}”. m merges.`);
}

const undo = async () => { if (state.undo) { await say("undo", {}); tell("Undone."); } };
const redo = async () => { if (state.redo) { await say("redo", {}); tell("Done again."); } };

// -- the map

let map = null; // made when it is first asked for
const mapped = { shown: false, groups: null, sure: null, version: -1, by: null, days: null, found: null };

async function numbersOf(path, Kind) {
  const answer = await fetch(path);
  if (!answer.ok) { tell((await answer.json()).error, true); throw new Error(path); }
  return new Kind(await answer.arrayBuffer());
}

async function toggleMap() {
  mapped.shown = !mapped.shown;
  $("map").setAttribute("aria-pressed", String(mapped.shown));
  $("map-pane").hidden = !mapped.shown;
  $("documents").classList.toggle("mapped", mapped.shown);
  if (!mapped.shown) return;
  if (!map) {
    try {
      map = new DocumentMap($("map-box"), {
        chosen: (items) => { picked = new Set(items); drawMap(); drawTools(); },
        pointed: (item) => { picked = new Set([item]); drawMap(); drawTools(); read(item, false); },
        titles: async (items) => (await ask("/api/map/titles", { items })).titles,
      });
      await placed();
      $("map-by").append(...about.colours.map((side) => make("option", { value: side }, side)));
      await timed();
    } catch (error) { await toggleMap(); throw error; }
  }
  await drawMap();
}

async function placed() { // each search has a map of its own
  const run = state.run;
  $("map-facts").textContent = "Laying out the map …";
  map.setPlaces(await numbersOf("/api/map/places", Uint16Array));
  mapped.run = run;
}

async function timed() { // the brush over time, where there are dates
  const days = await numbersOf("/api/map/dates", Int32Array);
  if (!days.length) return;
  mapped.days = days;
  let low = Infinity, high = -Infinity;
  for (const day of days) if (day > -(2 ** 31)) { low = Math.min(low, day); high = Math.max(high, day); }
  for (const [id, value] of [["map-from", low], ["map-to", high]]) {
    Object.assign($(id), { min: low, max: high, step: 1 });
    $(id).value = value;
    $(id).addEventListener("input", () => drawMap());
  }
  $("map-time").hidden = false;
}

async function drawMap() {
  if (!map || !mapped.shown) return;
  if (mapped.run !== state.run) await placed();
  if (mapped.version !== state.version) {
    const found = await numbersOf("/api/map/groups", Uint8Array);
    const n = map.n;
    mapped.groups = new Uint16Array(found.buffer, 0, n);
    mapped.sure = new Uint8Array(found.buffer, 2 * n, n);
    mapped.version = state.version;
    const items = state.groups.map(() => []);
    mapped.groups.forEach((group, i) => items[group]?.push(i));
    const order = state.groups.map((_, i) => i).sort((a, b) => items[b].length - items[a].length);
    map.setLabels(order.filter((i) => items[i].length).map((i) => ({ text: shortened(state.groups[i].name), items: items[i] })));
  }
  const by = $("map-by").value;
  if (by && mapped.by?.side !== by) mapped.by = { side: by, ...(await ask(`/api/map/by/${encodeURIComponent(by)}`)) };
  const colour = by ? mapped.by.of : mapped.groups;
  const lit = picked.size > 1 || (picked.size && !list.query) ? picked : list.query ? new Set(list.items) : null;
  const from = Number($("map-from").value), to = Number($("map-to").value);
  const strength = new Uint8Array(map.n);
  let shown = 0;
  for (let i = 0; i < map.n; i += 1) {
    const inTime = !mapped.days || mapped.days[i] === -(2 ** 31) || (mapped.days[i] >= from && mapped.days[i] <= to);
    if (inTime) shown += 1;
    strength[i] = !inTime ? 10 : lit ? (lit.has(i) ? 255 : 40) : 70 + Math.round(0.72 * mapped.sure[i]);
  }
  map.setColours(colour, strength);
  const names = by ? mapped.by.values : [];
  $("map-key").replaceChildren(...names.map((name, i) => {
    const dot = make("i", { "aria-hidden": "true" });
    dot.style.background = colourOf(i);
    return make("span", {}, dot, stranger(name));
  }));
  $("map-none").disabled = !picked.size;
  $("map-facts").textContent = picked.size > 1 ? `${commas(picked.size)} chosen` : list.query ? `${commas(list.n)} found` : `${commas(shown)} of ${plural(map.n)}`;
  if (mapped.days) {
    const day = (n) => new Date(n * 86400000).toISOString().slice(0, 10);
    $("map-dates").textContent = `${day(from)} to ${day(to)}`;
  }
}

const shortened = (name) => (name.length > 34 ? `${name.slice(0, 33)}…` : name);

// -- dialogs

function dialog(title, content, { focus, wide = false } = {}) {
  const box = $("dialog");
  if (box.open) box.close();
  box.className = wide ? "wide" : "";
  const heading = make("h2", { id: "dialog-title", tabindex: "-1" }, title);
  box.replaceChildren(heading, ...content);
  return new Promise((resolve) => {
    box.onclose = () => resolve(box.returnValue || null);
    box.returnValue = "";
    box.showModal();
    (focus ?? box.querySelector("input, button"))?.focus();
    if (!focus && box.scrollTop) heading.focus(); // what is read begins at the top
    if (focus?.select) focus.select();
  });
}

async function prompted(title, value, name, more = {}) {
  const input = make("input", { type: "text", "aria-label": name, value, ...more });
  input.value = value;
  let result = null;
  const form = make("form", { method: "dialog", onsubmit: () => { result = input.value; } }, input,
    make("div", { class: "ends" },
      make("button", { type: "button", onclick: () => $("dialog").close() }, "Cancel"),
      make("button", { class: "first", value: "ok" }, "OK")));
  await dialog(title, [form], { focus: input });
  return result;
}

async function chosenFrom(title, options) {
  let result = null;
  const filter = make("input", { type: "text", placeholder: "Type to find", "aria-label": "Find a group" });
  const rows = options.map((option) => make("button", {
    type: "button", class: "choice", onclick: () => { result = option.value; $("dialog").close(); },
  }, stranger(option.name, "span", { class: "grow" }), make("span", { class: "num" }, option.note)));
  filter.addEventListener("input", () => rows.forEach((row, i) => {
    row.hidden = !options[i].name.toLowerCase().includes(filter.value.toLowerCase());
  }));
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); rows.find((row) => !row.hidden)?.click(); }
  });
  await dialog(title, [filter, ...rows], { focus: filter });
  return result;
}

async function versions() {
  const found = await ask("/api/history");
  const when = (text) => new Date(text).toLocaleString();
  let other = null;
  const picks = [];
  const row = (entry) => {
    const pick = make("input", { type: "checkbox", "aria-label": `Compare version ${entry.version}`, onchange: () => {
      if (pick.checked) picks.push(entry.version); else picks.splice(picks.indexOf(entry.version), 1);
      while (picks.length > 2) { const gone = picks.shift(); $("dialog").querySelector(`[data-version="${gone}"]`).checked = false; }
      compare.disabled = picks.length !== 2;
    }, "data-version": entry.version });
    return make("div", { class: `row${entry.version === found.version ? " now" : ""}` }, pick,
      make("span", { class: "num" }, entry.version),
      make("span", { class: "grow" }, stranger(entry.what), entry.names.map((name) => [" ", stranger(name, "span", { class: "flag" })]),
        make("span", { class: "soft" }, ` ${entry.at ? when(entry.at) : ""}${entry.who ? ` · ${entry.who}` : ""}`)),
      make("button", { type: "button", disabled: entry.version === found.version, onclick: () => { other = () => go(entry.version); $("dialog").close(); } }, "Go there"));
  };
  const box = make("div", {}, found.entries.map(row));
  const older = make("button", { type: "button", hidden: !found.more, onclick: () => {
    ask(`/api/history?start=${box.childElementCount}`).then((next) => { box.append(...next.entries.map(row)); older.hidden = !next.more; }).catch(() => {});
  } }, "Older ones");
  // named versions and other branches may stand elsewhere in the tree
  const elsewhere = Object.entries({ ...state.branches, ...state.names }).filter(([, version]) => !found.entries.some((entry) => entry.version === version))
    .map(([name, version]) => row({ version, what: name in state.names ? "a named version" : "another branch", names: [name], at: null, who: "" }));
  const compare = make("button", { type: "button", disabled: true, onclick: () => { other = () => compared(...[...picks].sort((a, b) => a - b)); $("dialog").close(); } }, "Compare two");
  const branches = Object.entries(state.branches).filter(([name]) => name !== state.branch).map(([name]) =>
    make("button", { type: "button", onclick: () => { other = () => branch(name); $("dialog").close(); } }, "To branch ", stranger(name)));
  const named = Object.entries(state.names).map(([name, version]) =>
    make("button", { type: "button", onclick: () => { other = () => go(version); $("dialog").close(); } }, "To ", stranger(`“${name}”`)));
  await dialog(`Versions of branch ${state.branch}`, [box, older, ...elsewhere,
    make("div", { class: "ends" }, compare,
      make("button", { type: "button", onclick: () => { other = nameVersion; $("dialog").close(); } }, "Name this one"),
      make("button", { type: "button", onclick: () => { other = newBranch; $("dialog").close(); } }, "New branch")),
    make("div", { class: "ends" }, branches, named, make("button", { type: "button", onclick: () => $("dialog").close() }, "Close"))]);
  if (other) await other();
}

const go = async (version) => { await say("go", { version }); tell(`At version ${version}.`); };

async function branch(name) {
  show((await ask("/api/branch", { name })).state);
  tell(`On branch ${name}.`);
}

async function newBranch() {
  const name = await prompted("Name of the new branch", "", "Name", { maxlength: 200 });
  if (name) await branch(name.trim());
}

async function nameVersion() {
  const name = await prompted("Name of this version", "", "Name", { maxlength: 200 });
  if (name) { await say("name", { name: name.trim() }); tell("Named."); }
}

async function compared(one, other) {
  const found = await ask(`/api/compare?one=${one}&other=${other}`);
  const became = new Map(found.became), origins = new Map(found.origins);
  const line = ([id, name, size], what, told = "") => make("tr", {}, make("td", { class: "what" }, what),
    make("td", {}, stranger(name), ` (${id})`, told && make("span", { class: "soft" }, ` ${told}`)), make("td", { class: "num" }, commas(size)));
  const from = ([id]) => (origins.has(id) ? `from ${ids(origins.get(id))}` : "");
  const to = ([id]) => (became.has(id) ? `became ${ids(became.get(id))}` : "");
  await dialog(`From version ${one} to ${other}`, [
    make("p", {}, `${plural(found.n_moved)} in another group.`),
    make("table", {}, found.added.map((group) => line(group, "new", from(group))), found.deleted.map((group) => line(group, "gone", to(group))),
      found.divided.map((group) => line(group, "divided", to(group))),
      found.flows.map(([a, from, b, to, n]) => make("tr", {}, make("td", { class: "what" }, "moved"),
        make("td", {}, stranger(from), ` (${a}) → `, stranger(to), ` (${b})`), make("td", { class: "num" }, commas(n))))),
    make("div", { class: "ends" }, make("button", { type: "button", onclick: () => $("dialog").close() }, "Close"))]);
}

async function exported() {
  let then = null;
  const meanings = {
    "groups.csv": "the group, pin and label of each, for a spreadsheet", "groups.jsonl": "the same as JSON lines", "groups.parquet": "the same as Parquet",
    "report.html": "the report of these groups", "model.zip": "the model, which places new ones with comraf assign", "log.jsonl": "everything that was said",
  };
  const links = Object.entries(meanings).map(([name, meaning]) =>
    make("a", { href: `/api/export/${name}`, download: name }, name, make("span", { class: "soft" }, ` ${meaning}`)));
  const file = make("input", { type: "file", "aria-label": "File to bring in", accept: ".csv,.tsv,.txt,.jsonl,.json" });
  file.addEventListener("change", () => { then = () => bringIn(file.files[0]); $("dialog").close(); });
  await dialog("Take away", [...links,
    make("h2", {}, "Bring in"),
    make("p", { class: "soft" }, `A table (CSV or JSON lines) with a column item, the id of each ${about.noun}, and a column label or group; or a log.jsonl of the same ${about.noun}s. Undo takes it back.`),
    file,
    make("div", { class: "ends" },
      make("button", { type: "button", onclick: () => { then = save; $("dialog").close(); } }, "Save as an answer"),
      make("button", { type: "button", onclick: () => $("dialog").close() }, "Close"))], { focus: links[0] });
  if (then) await then();
}

async function bringIn(file) {
  saved("saving …");
  let found;
  try {
    found = await ask(`/api/import?name=${encodeURIComponent(file.name)}&at=${state.version}`, file);
  } catch (error) {
    saved("");
    throw error;
  }
  show(found.state);
  saved("saved");
  tell(`Brought in ${file.name}: ${plural(found.change.n_moved)} in another group, ${plural(found.state.n_labelled, "label")} in all.`);
}

async function save() {
  const name = await prompted("Folder of the answer, with report and model", "edited-groups", "Folder", { maxlength: 80 });
  if (!name) return;
  tell("Writing the groups, the report and the model …");
  const found = await ask("/api/save", { name });
  tell(`Written to ${found.folder}`);
}

// -- questions, and groups found anew

const tools = {
  make, stranger, ask, tell, about, dialog, refresh, plural, compared, say,
  version: () => state.version, shown: show,
  seen: (version) => { state.version = version; },
  chosen: () => (picked.size === 2 ? [...picked] : null),
  regroup: () => run.start(),
  search: (settings) => run.start(settings),
  listed: (path, query) => { $("query").value = ""; return listed(path, query); },
  nameOf, pictureOf, prompted, chosenFrom,
  // closes the dialog; what comes next waits until that is over
  close: (then) => { $("dialog").close(); if (then) setTimeout(() => Promise.resolve(then()).catch(() => {})); },
};
const run = rerun(tools);
const askQuestions = questions(tools);
const beside = others(tools);
const chooseSides = sides(tools);
const ownCriterion = criterion(tools);

const KEYS = [
  ["j, k", "next, previous document"], ["J, K", "next, previous group"], ["x", "choose the document too"],
  ["a", "choose all that were found, or are listed"], ["c", "choose the group too"], ["space", "choose the most similar group, too"], ["m", "merge the chosen groups"],
  ["s", "split the group"], ["r", "rename the group"], ["v", "move documents"], ["V", "move the person, word … whose documents are shown"], ["p", "pin documents: they belong here"],
  ["w", "wrong group"], ["l, L", "label documents, whole groups"], ["y", "what is worth a label"], ["u, Shift+U", "undo, redo"], ["g", "map of all documents"], ["o", "groups of people, words … instead"], ["t", "groups beside those of another side"], ["q", "questions"], ["n", "new groups by what you said"], ["b", "by what: sides, weights, numbers"], ["i", "a criterion of your own"], ["h", "versions"], ["e", "export, import"], ["/", "search"], ["Esc", "leave the search"], ["?", "these keys"],
];

const keys = () => dialog("Keys", [
  make("table", {}, KEYS.map(([key, what]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, what)))),
  make("div", { class: "ends" }, make("button", { type: "button", onclick: () => $("dialog").close() }, "Close"))]);

function step(by) {
  if (!list.documents.length) return;
  choose(Math.max(0, Math.min(list.documents.length - 1, at + by)), { keep: true });
  if (at === list.documents.length - 1 && list.documents.length < list.n && by > 0) more();
}

function stepGroup(by) {
  const groups = largest();
  const place = groups.findIndex((group) => group.id === here);
  const next = groups[Math.max(0, Math.min(groups.length - 1, place + by))];
  if (next) { chosen = new Set([next.id]); open(next.id); $(`group-${next.id}`)?.scrollIntoView({ block: "nearest" }); }
}

const VERBS = {
  j: () => step(1), k: () => step(-1), ArrowDown: (event) => arrow(event, 1), ArrowUp: (event) => arrow(event, -1),
  J: () => stepGroup(1), K: () => stepGroup(-1), v: moveTo, V: () => beside.move(),
  m: () => (beside.on() ? beside.merge() : merge()), s: () => (beside.on() ? beside.split() : split()), r: () => (beside.on() ? beside.rename() : rename()),
  x: () => { const one = list.documents[at]; if (one) { if (!picked.delete(one.n)) picked.add(one.n); drawDocuments(); } },
  c: () => { if (here !== null) toggle(here); }, " ": similar, u: undo, U: redo, h: versions, g: toggleMap, e: exported, l: label,
  L: labelGroups, y: toLabel, a: chooseAll, o: () => beside.next(), t: () => beside.table(), b: () => chooseSides(), q: () => askQuestions(), i: () => ownCriterion(), n: () => run.start(),
  p: () => mark("pin", "pinned", "Pinned", "Unpinned"), w: () => mark("doubt", "doubted", "Called wrong:", "No longer called wrong:"),
  "/": () => $("query").focus(), "?": keys, Escape: () => { if (list.query) { $("query").value = ""; search(""); } },
};

function arrow(event, by) {
  if ($("group-list").contains(document.activeElement)) stepGroup(by); else step(by);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  // what was typed into last may keep the focus for a moment after its dialog was closed
  const typing = event.target.matches("input, textarea, select") && !event.target.closest("dialog");
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if ((event.key === " " || event.key === "Enter") && event.target.matches("button, a") && !event.target.closest("dialog")) return;
  const verb = VERBS[event.key];
  if (!verb) return;
  event.preventDefault();
  Promise.resolve(verb(event)).catch(() => {});
});

const quietly = (work) => (event) => { Promise.resolve(work(event)).catch(() => {}); };
for (const [id, work] of Object.entries({
  undo, redo, history: versions, export: exported, keys, merge, split, rename, similar, move: moveTo, label, more,
  pin: VERBS.p, doubt: VERBS.w, all: chooseAll, map: toggleMap, questions: VERBS.q, regroup: VERBS.n, sides: VERBS.b, criterion: VERBS.i, "label-groups": labelGroups, "to-label": toLabel,
  "map-in": () => map.zoom(0.7), "map-out": () => map.zoom(1.4),
  "map-all": () => { map.view = { x: -0.04, y: -0.04, w: 1.08, h: 1.08 }; map.moved(); },
  "map-none": () => { picked.clear(); drawMap(); drawTools(); },
  "map-hand": () => { map.hand = !map.hand; $("map-hand").setAttribute("aria-pressed", String(map.hand)); },
})) $(id).addEventListener("click", quietly(work));
$("map-by").addEventListener("change", quietly(() => drawMap()));
$("sort").addEventListener("change", quietly(() => open(here)));
$("search").addEventListener("submit", quietly((event) => { event.preventDefault(); return search($("query").value); }));
$("query").addEventListener("input", quietly((event) => (event.target.value ? null : search(""))));
for (const button of document.querySelectorAll(".panes button")) button.addEventListener("click", () => pane(button.dataset.to));
window.addEventListener("focus", quietly(async () => {
  if (!about.title) return;
  const now = await ask("/api/state");
  if (now.version !== state.version) { show(now); tell("The groups were changed elsewhere; this is how they are now."); }
}));

async function begin() {
  Object.assign(about, await ask("/api/about"));
  $("title").textContent = about.title;
  document.title = `${about.title} · comraf studio`;
  $("document-list").classList.toggle("photos", about.photos);
  beside.begin();
  pane("groups");
  await refresh();
  saved("all saved");
  await run.poll();
}
begin().catch(() => {});
