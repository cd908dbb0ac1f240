// Groups of other sides: people, words, subjects; the documents of each; and two groupings side by side.

export function others(page) {
  const { make, stranger, ask, about } = page;
  const $ = (id) => document.getElementById(id);
  const kind = $("kind"), box = $("side-list");
  let version = -1;
  let shown = {}; // the side that is listed, and where
  const commas = (n) => n.toLocaleString("en");
  const place = (side) => `/api/sides/${encodeURIComponent(side)}`;
  const quietly = (work) => (event) => { Promise.resolve(work(event)).catch(() => {}); };

  const open = (side, query, name) => page.listed(`${place(side)}/documents?${query}`, name);

  const value = (side, [number, title, n]) => make("button", {
    type: "button", title: `Documents with it: ${commas(n)}`, onclick: quietly(() => open(side, `value=${number}`, title)),
  }, stranger(title), make("span", { class: "num" }, commas(n)));

  function circle(side, group) {
    const name = group.values.slice(0, 3).map(([, title]) => title).join(", ");
    const values = make("div", { class: "values" }, group.values.map((one) => value(side, one)));
    const more = group.size > group.values.length ? make("button", { type: "button", onclick: quietly(async () => {
      const start = values.childElementCount === group.values.length ? 0 : values.childElementCount;
      const found = await ask(`${place(side)}/values?circle=${group.number}&start=${start}`);
      if (!start) values.replaceChildren();
      values.append(...found.values.map((one) => value(side, one)));
      more.hidden = values.childElementCount >= found.n;
    }) }, `all ${commas(group.size)}`) : null;
    return make("div", { class: "circle" },
      make("button", { type: "button", class: "whole", onclick: quietly(() => open(side, `circle=${group.number}`, `${side}: ${name}`)) },
        `Group of ${commas(group.size)} · ${page.plural(group.documents)}`),
      values, more,
      group.with.length ? make("p", { class: "words" }, make("b", {}, "in"), stranger(group.with.map(([id, share]) => `${page.nameOf(id)} (${Math.round(100 * share)}%)`).join(" · "))) : null);
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
    if (shown.side === side) { // what was typed, and where one stood, stays
      shown.list.replaceChildren(...found.groups.map((group) => circle(side, group)));
      return;
    }
    const list = make("div", {}, found.groups.map((group) => circle(side, group)));
    const hits = make("div", { class: "values" });
    const find = make("input", { type: "search", "aria-label": `Find ${side}`, placeholder: `Find one of ${commas(found.n_values)} ${side}` });
    const seek = quietly(async () => {
      const text = find.value.trim();
      const some = text || !found.groups.length ? await ask(`${place(side)}/values?text=${encodeURIComponent(text)}`) : { values: [] };
      if (find.value.trim() !== text) return;
      hits.replaceChildren(...some.values.map((one) => value(side, one)));
      list.hidden = Boolean(text);
    });
    find.addEventListener("input", seek);
    box.replaceChildren(find, hits, list);
    shown = { side, list };
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
    table,
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
