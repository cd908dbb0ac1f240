// Which sides make the groups, what they weigh, how many groups: chosen, checked, and searched for.
import { graphOf, path, svg } from "/static/draw.js";

const EFFORTS = ["quick", "default", "thorough", "paper"];

export function sides(page) {
  const { make, stranger, ask, about } = page;
  let now = null; // what the server said of sides and settings
  let asked = null; // the settings as they are being edited
  let kept = null; // what each cut of the tree keeps
  let timer = 0;
  const box = make("div", { class: "sides" });
  const picture = make("div", { class: "picture" });
  const notes = make("div", { role: "status" });
  const table = make("table", {});
  const numbers = make("div", { class: "row" });
  const slider = make("div", {});
  const find = make("button", { type: "button", class: "first" }, "Find groups");

  const few = (text, most = 32) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const percent = (x) => `${Math.round(100 * x)}%`;

  async function check() {
    const found = await ask("/api/settings", asked);
    find.disabled = Boolean(found.error);
    if (found.nodes.length) picture.replaceChildren(graphOf(found, about.noun));
    notes.replaceChildren(...(found.error ? [make("p", { class: "wrong" }, stranger(found.error))]
      : found.warnings.map((line) => make("p", { class: "soft" }, "Note: ", stranger(line)))));
  }

  function changed() {
    clearTimeout(timer);
    timer = setTimeout(() => check().catch(() => {}), 200);
  }

  const number = (value, label, set, more = {}) => {
    const input = make("input", { type: "number", "aria-label": label, ...more });
    input.value = value ?? "";
    input.addEventListener("input", () => { set(input.value === "" ? null : Number(input.value)); changed(); });
    return input;
  };

  function without(map, name, value, usual) {
    const { [name]: _, ...rest } = map;
    return value === usual ? rest : { ...rest, [name]: value };
  }

  function drawTable() {
    const rows = new Map((now.audit.rows ?? []).map((row) => [row.side, row]));
    const heads = ["side", "values", `${about.noun}s with it`, "weight ×", "groups", "as they are", "adds"];
    table.replaceChildren(
      make("thead", {}, make("tr", {}, heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, now.sides.map((side) => {
        const use = make("input", { type: "checkbox", id: `use-${side.name}`, disabled: now.own_graph });
        use.checked = asked.by.includes(side.name);
        const weight = number(side.weight, `Weight of ${side.shown}`, (value) => {
          asked.weights = without(asked.weights, side.name, value ?? 1, 1);
        }, { min: 0.01, max: 1000, step: "any" });
        const groups = number(side.k, `Groups of ${side.shown}`, (value) => {
          asked.side_clusters = without(asked.side_clusters, side.name, value, null);
        }, { min: 1, max: side.values, placeholder: side.found && side.found < side.values ? side.found : "auto" });
        const seen = make("input", { type: "checkbox", "aria-label": `${side.shown} stand as they are` });
        seen.checked = side.observed;
        const able = () => {
          weight.disabled = now.own_graph || !use.checked;
          seen.disabled = now.own_graph || !use.checked || side.copied;
          groups.disabled = seen.disabled || seen.checked;
        };
        use.addEventListener("change", () => {
          asked.by = now.sides.map((one) => one.name).filter((one) => (one === side.name ? use.checked : asked.by.includes(one)));
          able();
          changed();
        });
        seen.addEventListener("change", () => {
          asked.observe = asked.observe.filter((one) => one !== side.name).concat(seen.checked ? [side.name] : []);
          able();
          changed();
        });
        able();
        const row = rows.get(side.name);
        const adds = !row ? "" : row.change === null ? row.verdict : `${row.verdict} (${row.change > 0 ? "+" : ""}${percent(row.change)})`;
        return make("tr", {},
          make("td", {}, make("label", {}, use, " ", stranger(side.shown))),
          [[side.values.toLocaleString("en"), "num"], [percent(side.coverage), "num"], [weight], [groups], [seen], [adds, row?.verdict === "harms" ? "wrong" : ""]]
            .map(([content, kind], i) => make("td", { class: kind, "data-head": heads[i + 1] }, content)));
      })));
  }

  function drawNumbers() {
    const k = number(asked.n_clusters, `Groups of ${about.noun}s`, (value) => { asked.n_clusters = value ?? 0; }, { min: 1, max: now.most, id: "k" });
    const effort = make("select", { "aria-label": "Effort", onchange: () => { asked.effort = effort.value; changed(); } },
      EFFORTS.map((name) => make("option", { value: name, selected: name === asked.effort }, name)));
    const fresh = make("input", { type: "checkbox", onchange: () => { asked.fresh = fresh.checked; } });
    const good = now.numbers.found;
    const chips = good ? good.plateaus.map((n) => make("button", {
      type: "button", title: n === good.best ? "where twice as many groups begin to add little" : "a good number, too",
      onclick: () => { k.value = n; asked.n_clusters = n; changed(); },
    }, `${n}${n === good.best ? " (best)" : ""}`)) : [];
    const curve = good ? svg("svg", { viewBox: "-4 -4 148 48", class: "curve", role: "img" },
      svg("title", {}, `How much ${good.curve[0][0]} to ${good.curve.at(-1)[0]} groups foretell of values that they were not made by`),
      svg("path", { d: path(good.curve.map(([n, share]) => [Math.log(n), share]), 140, 40, 0, 1) })) : null;
    numbers.replaceChildren(make("label", {}, `Groups of ${about.noun}s `, k), ...chips, curve ?? "",
      make("label", {}, "Effort ", effort), make("label", {}, fresh, " begin anew, not at the groups as they are"));
  }

  function drawSlider() {
    if (!kept) return;
    const share = kept.kept;
    const range = make("input", { type: "range", min: 1, max: share.length, step: 1, "aria-label": "How much of the information to keep" });
    range.value = kept.now;
    const keep = make("input", { type: "number", min: 1, max: Math.floor(100 * share.at(-1)), "aria-label": "Percent of the information to keep" });
    const facts = make("output", { class: "soft" });
    const cut = make("button", { type: "button" }, "Cut there");
    const told = () => {
      const n = Number(range.value);
      const all = share[share.length - 1] || 1;
      facts.textContent = `% of what single ${about.noun}s tell: ${page.plural(n, "group")}${n === kept.now ? ", as now" : `; now ${kept.now} keep ${percent(share[kept.now - 1])}`}`;
      if (document.activeElement !== keep) keep.value = Math.round(100 * share[n - 1]);
      range.setAttribute("aria-valuetext", `${n} groups keep ${percent(share[n - 1])}`);
      mark.setAttribute("d", `M${(400 * (n - 1)) / Math.max(1, share.length - 1)} ${60 - (60 * share[n - 1]) / all}h0`);
      cut.disabled = n === kept.now;
    };
    const mark = svg("path", { class: "point" });
    cut.addEventListener("click", () => page.close(async () => {
      await page.say("cut", { groups: Number(range.value) });
      page.tell(`Cut at ${range.value} groups.`);
    }));
    range.addEventListener("input", told);
    keep.addEventListener("input", () => { // the fewest groups that keep so much
      const n = share.findIndex((one) => 100 * one >= Number(keep.value) - 0.5);
      range.value = n < 0 ? share.length : n + 1;
      told();
    });
    slider.replaceChildren(
      svg("svg", { viewBox: "-6 -6 412 72", preserveAspectRatio: "none", class: "curve wide", "aria-hidden": "true" },
        svg("path", { d: path(share.map((one, i) => [i, one]), 400, 60, 0) }), mark),
      range, make("div", { class: "row" }, make("label", {}, "Keep ", keep), facts, make("span", { class: "grow" }), cut));
    told();
  }

  function readFacts() {
    const { read } = now;
    const lines = [`${page.plural(read.n)} of ${read.source} (${read.kind})`];
    if (read.duplicates) lines.push(`${page.plural(read.duplicates, "second copy").replace("copys", "copies")} left out`);
    lines.push(read.n_skipped ? `${read.n_skipped.toLocaleString("en")} could not be read` : "nothing was skipped");
    return make("details", {}, make("summary", {}, "What was read: ", stranger(lines.join(" · "))),
      read.reasons.length ? make("ul", {}, read.reasons.map(([why, n]) => make("li", {}, `${n} × `, stranger(why)))) : null,
      read.examples.length ? make("ul", { class: "soft" }, read.examples.map(([where, why]) => make("li", {}, stranger(where), ": ", stranger(why)))) : null,
      make("ul", {}, read.notes.map((note) => make("li", {}, stranger(note)))));
  }

  // Questions that take a while are asked beside the page, and looked for again.
  const question = (text, path_, part, draw) => {
    const button = make("button", { type: "button" }, text);
    const wait = async () => {
      button.disabled = true;
      button.textContent = "asking …";
      for (;;) {
        const found = await ask("/api/settings");
        now = { ...now, audit: found.audit, numbers: found.numbers };
        if (now[part].state !== "asking") break;
        await new Promise((done) => { setTimeout(done, 500); });
      }
      button.disabled = false;
      button.textContent = text;
      if (now[part].state === "failed") page.tell(now[part].error, true);
      draw();
      await check();
    };
    button.addEventListener("click", () => ask(path_, {}).then(wait).catch(() => {}));
    if (now[part].state === "asking") wait().catch(() => {});
    return button;
  };

  return async () => {
    now = await ask("/api/settings");
    asked = { ...now.settings };
    kept = null;
    page.seen(now.version);
    drawTable();
    drawNumbers();
    slider.replaceChildren(make("p", { class: "soft" }, "Working out what each number of groups keeps …"));
    find.onclick = () => page.close(() => page.search(asked));
    box.replaceChildren(
      readFacts(),
      now.own_graph ? make("p", { class: "soft" }, "These groups were made by a graph of its own: only their number and the effort can be chosen.") : "",
      make("div", { class: "drawn" }, picture, make("div", {}, numbers, notes)),
      make("div", { class: "scroll" }, table),
      make("div", { class: "row" },
        question("What does each side add?", "/api/settings/audit", "audit", drawTable),
        question("How many groups are there?", "/api/settings/numbers", "numbers", drawNumbers),
        make("span", { class: "grow" }), find),
      make("h3", {}, "Fewer or more, without a search"), slider,
      make("div", { class: "ends" }, make("button", { type: "button", onclick: () => page.close() }, "Close")));
    const closed = page.dialog("Sides, weights and numbers", [box], { wide: true, focus: box.querySelector("#k") });
    check().catch(() => {});
    ask("/api/information").then((found) => { kept = found; drawSlider(); })
      .catch(() => slider.replaceChildren(make("p", { class: "soft" }, few("The tree can’t be cut here."))));
    await closed;
  };
}
