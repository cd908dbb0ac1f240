// Groups of other sides: people, words, subjects; the documents of each, edits like those of groups
// of documents; and two groupings side by side.

export function others(page) {
  const { make, stranger, ask, about } = page;
  const $ = (id) => document.getElementById(id);
  const kind = $("kind"), box = $("side-list");
  let version = -1;
  let shown = {}; // the side that is listed, and where
  let groups = []; // its groups
  let chosen = new Set(); // those that are chosen, and the value whose documents are shown
  let one = null, dragged = null;
  const verbs = {};
  const commas = (n) => n.toLocaleString("en");
  const place = (side) => `/api/sides/${encodeURIComponent(side)}`;
  const quietly = (work) => (event) => { Promise.resolve(work(event)).catch(() => {}); };

  const open = (side, query, name) => page.listed(`${place(side)}/documents?${query}`, name);

  const nameOf = (group) => group.name || group.values.slice(0, 3).map(([, title]) => title).join(", ");
  const groupOf = (id) => groups.find((group) => group.number === id);

  function drawVerbs() {
    verbs.merge.disabled = chosen.size < 2;
    for (const name of ["split", "rename"]) verbs[name].disabled = chosen.size !== 1;
    verbs.move.disabled = one === null;
    for (const row of box.querySelectorAll(".circle")) row.querySelector("input").checked = chosen.has(Number(row.dataset.id));
    for (const button of box.querySelectorAll("[data-value]")) button.setAttribute("aria-pressed", String(Number(button.dataset.value) === one?.[0]));
  }

  const value = (side, told) => {
    const [number, title, n] = told;
    return make("button", {
      type: "button", title: `Documents with it: ${commas(n)}`, "data-value": number, "aria-pressed": "false", draggable: groups.length ? "true" : null,
      onclick: quietly(() => { one = told; drawVerbs(); return open(side, `value=${number}`, title); }),
      ondragstart: (event) => { dragged = told; event.dataTransfer.setData("text/plain", title); event.dataTransfer.effectAllowed = "move"; },
      ondragend: () => { dragged = null; },
    }, stranger(title), make("span", { class: "num" }, commas(n)));
  };

  function circle(side, group) {
    const values = make("div", { class: "values" }, group.values.map((told) => value(side, told)));
    const more = group.size > group.values.length ? make("button", { type: "button", onclick: quietly(async () => {
      const start = values.childElementCount === group.values.length ? 0 : values.childElementCount;
      const found = await ask(`${place(side)}/values?circle=${group.number}&start=${start}`);
      if (!start) values.replaceChildren();
      values.append(...found.values.map((told) => value(side, told)));
      more.hidden = values.childElementCount >= found.n;
    }) }, `all ${commas(group.size)}`) : null;
    const only = () => { chosen = new Set([group.number]); one = null; drawVerbs(); };
    const row = make("div", {
      class: "circle", "data-id": group.number,
      ondragover: (event) => { if (dragged) { event.preventDefault(); row.classList.add("drop"); } },
      ondragleave: () => row.classList.remove("drop"),
      ondrop: quietly((event) => { event.preventDefault(); row.classList.remove("drop"); return dragged && moved(dragged, group.number); }),
    },
    make("div", { class: "top" },
      make("input", { type: "checkbox", "aria-label": `Choose the group of ${nameOf(group)}`, onchange: (event) => {
        if (event.target.checked) chosen.add(group.number); else chosen.delete(group.number);
        drawVerbs();
      } }),
      make("button", { type: "button", class: "whole", onclick: quietly(() => { only(); return open(side, `circle=${group.number}`, `${side}: ${nameOf(group)}`); }) },
        group.name ? [stranger(group.name, "b"), " · "] : "", `${group.name ? "" : "Group of "}${commas(group.size)} · ${page.plural(group.documents)}`)),
      values, more,
      group.with.length ? make("p", { class: "words" }, make("b", {}, "in"), stranger(group.with.map(([id, share]) => `${page.nameOf(id)} (${Math.round(100 * share)}%)`).join(" · "))) : null);
    return row;
  }

  // -- edits, as those of groups of documents

  const on = () => Boolean(kind.value) && groups.length > 0;
  const say = (verb, given) => page.say(verb, { side: kind.value, ...given });
  const told = (n) => `${commas(n)} groups of ${kind.value}`;

  async function merge() {
    if (chosen.size < 2) { page.tell("Choose two or more groups first, by their boxes."); return; }
    const ordered = groups.map((group) => group.number).filter((id) => chosen.has(id));
    chosen = new Set([ordered[0]]);
    await say("merge", { groups: ordered });
    page.tell(`Merged ${told(ordered.length)}.`);
  }

  async function split() {
    const [id] = chosen;
    if (chosen.size !== 1) { page.tell("Choose one group first."); return; }
    const parts = await page.prompted("Split into how many?", "2", "Parts", { type: "number", min: 2, max: 50 });
    if (parts === null) return;
    const found = await say("split", { group: id, parts: Number(parts) });
    page.tell(`Split in ${found.change.added.length + 1}.`);
  }

  async function rename() {
    const [id] = chosen;
    if (chosen.size !== 1) { page.tell("Choose one group first."); return; }
    const name = await page.prompted("Name of the group", groupOf(id)?.name ?? "", "Name", { maxlength: 200 });
    if (name !== null) await say("rename", { group: id, name: name.trim() });
  }

  async function moved([number, title], to) {
    await say("move", { items: [number], to });
    page.tell(`Moved “${title}”.`);
  }

  async function move() {
    if (!on() || one === null) return;
    const options = groups.map((group) => ({ value: group.number, name: nameOf(group), note: commas(group.size) }));
    options.push({ value: "new", name: "a new group", note: "" });
    const to = await page.chosenFrom(`Move “${one[1]}” to`, options);
    if (to !== null) await moved(one, to === "new" ? null : to);
  }

  async function show() {
    const side = kind.value;
    const documents = !side;
    box.hidden = documents;
    $("group-list").hidden = documents ? false : true;
    $("group-verbs").hidden = !documents;
    if (documents) return;
    const found = await ask(place(side));
    if (kind.value !== side) return; // somebody was quicker
    version = page.version();
    groups = found.groups;
    chosen = new Set(shown.side === side ? [...chosen].filter(groupOf) : []);
    if (shown.side !== side) one = null;
    if (shown.side === side) { // what was typed, and where one stood, stays
      shown.list.replaceChildren(...found.groups.map((group) => circle(side, group)));
      drawVerbs();
      return;
    }
    const list = make("div", {}, found.groups.map((group) => circle(side, group)));
    const hits = make("div", { class: "values" });
    const find = make("input", { type: "search", "aria-label": `Find ${side}`, placeholder: `Find one of ${commas(found.n_values)} ${side}` });
    const seek = quietly(async () => {
      const text = find.value.trim();
      const some = text || !found.groups.length ? await ask(`${place(side)}/values?text=${encodeURIComponent(text)}`) : { values: [] };
      if (find.value.trim() !== text) return;
      hits.replaceChildren(...some.values.map((found) => value(side, found)));
      drawVerbs();
      list.hidden = Boolean(text);
    });
    find.addEventListener("input", seek);
    const button = (name, work, title) => { verbs[name] = make("button", { type: "button", title, onclick: quietly(work) }, name[0].toUpperCase() + name.slice(1)); return verbs[name]; };
    const tools = make("div", { class: "verbs", role: "toolbar", "aria-label": `Groups of ${side}`, hidden: !groups.length },
      button("merge", merge, "Merge the chosen groups (m)"), button("split", split, "Split the group (s)"),
      button("rename", rename, "Rename the group (r)"), button("move", move, "Move the one whose documents are shown to another group (V)"));
    box.replaceChildren(tools, find, hits, list);
    shown = { side, list };
    drawVerbs();
    seek();
  }

  async function table() {
    const sides = about.others;
    const side = kind.value || sides.find((one) => one !== "words") || sides[0];
    const found = await ask(`${place(side)}/mosaic`);
    const columns = found.columns;
    const cells = ([id, size, counts]) => make("tr", {},
      make("th", { scope: "row" }, stranger(page.nameOf(id)), make("span", { class: "num" }, ` ${commas(size)}`)),
      counts.map((n, i) => {
        const share = size ? n / size : 0;
        const cell = make("td");
        if (n) {
          const button = make("button", {
            type: "button", "aria-label": `${page.nameOf(id)}, ${columns[i][1]}: ${n}`,
            onclick: () => page.close(() => open(side, `circle=${columns[i][0]}&group=${id}`, `${page.nameOf(id)} · ${columns[i][1]}`)),
          }, commas(n));
          button.style.setProperty("--share", `${Math.round(45 * share)}%`);
          cell.append(button);
        }
        return cell;
      }));
    await page.dialog(`Groups of ${about.noun}s beside groups of ${side}`, [
      make("p", { class: "soft" }, `How many ${about.noun}s of each group have any of these ${side}; the darker, the larger the share of the group. Choose a cell to see them.`,
        found.left_out ? ` ${commas(found.left_out)} small groups of ${side} are left out.` : ""),
      make("div", { class: "beside", tabindex: "0", role: "region", "aria-label": "Table" }, make("table", {},
        make("thead", {}, make("tr", {}, make("td", {}), columns.map(([, name]) => make("th", { scope: "col" }, stranger(name))))),
        make("tbody", {}, found.rows.map(cells)))),
      make("div", { class: "ends" }, make("button", { type: "button", onclick: () => page.close() }, "Close"))], { wide: true });
  }

  kind.addEventListener("change", quietly(show));
  $("table").addEventListener("click", quietly(table));

  return {
    table, on, merge, split, rename, move,
    begin: () => {
      kind.append(make("option", { value: "" }, `${about.noun}s`), ...about.others.map((side) => make("option", { value: side }, side)));
    },
    next: () => {
      kind.selectedIndex = (kind.selectedIndex + 1) % kind.options.length;
      return show();
    },
    // groups of documents were edited: how they go with those of the side is another
    changed: () => { if (kind.value && version !== page.version()) show().catch(() => {}); },
  };
}
