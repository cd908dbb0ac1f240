// A criterion of one's own: values are dragged, or sent by keys, into groups; steps find more.

export function criterion(page) {
  const { make, stranger, ask, tell, about, plural } = page;
  let now = null; // what the server said
  let offered = { values: [], n: 0 }; // values outside the groups
  let search = "";
  let side = "";
  let dragged = null; // the values of the chip that is dragged
  let late = false; // something is to be drawn when a drag is over
  let wanted = null; // the chip that is to have the focus after drawing
  let last = Promise.resolve(); // what is asked for, one after the other
  let timer = 0;
  const opened = { dialog: false, uncovered: false }; // what is shown
  const typed = { text: "", of: "", timer: 0 }; // digits of a group's number so far
  let shows = 30; // found values of a group
  const body = make("div", { class: "own" });
  const commas = (n) => n.toLocaleString("en");
  const idOf = (one) => JSON.stringify([one.side, one.value]);

  // one thing at a time; what was refused is said by ask(), and all is loaded again
  const once = (work) => (...given) => {
    last = last.then(() => work(...given)).catch(() => load().catch(() => {}));
    return last;
  };

  async function load() {
    await show(await ask("/api/criterion"));
  }

  async function suggest() {
    const query = new URLSearchParams({ search, side });
    offered = await ask(`/api/criterion/suggested?${query}`);
    draw();
  }

  async function show(next) {
    now = next;
    clearTimeout(timer);
    if (now.begun && now.step.state === "running") timer = setTimeout(() => poll().catch(() => {}), 300);
    if (now.begun) await suggest();
    else draw();
  }

  async function poll() {
    const next = await ask("/api/criterion");
    const ended = next.step.state !== "running";
    if (!ended && next.version === now.version) {
      now.step = next.step;
      const bar = body.querySelector("progress");
      if (bar) bar.value = next.step.done;
      timer = setTimeout(() => poll().catch(() => {}), 300);
      return;
    }
    await show(next);
    if (!ended) return;
    const took = next.step.what === "take";
    if (next.step.state === "failed") tell(`${took ? "The groups are as they were" : "The step found nothing"}: ${next.step.error}`, true);
    else if (took && next.step.state === "done") {
      const then = async () => { await page.refresh(); tell("These are the groups now; undo brings back those before."); };
      await (opened.dialog ? page.close(then) : then());
    } else if (next.step.state === "done") tell(`${commas(next.step.found)} values found.${next.finished ? " Nothing was added." : ""}`);
  }

  const say = once(async (verb, given = {}, next = null) => {
    const found = await ask(`/api/criterion/${verb}`, { ...given, at: now.version });
    wanted = next;
    await show(found);
  });

  const put = (values, group, next = null) => say("put", { values, group }, next);
  const remove = (values, next = null) => say("delete", { values }, next);

  const begin = once(async (groups, sides) => {
    await show(await ask("/api/criterion", { groups, sides }));
  });

  const take = once(async () => {
    await show(await ask("/api/criterion/take", { values_at: now.version, at: page.version() }));
  });

  // -- chips: one of a list is reached by Tab, the others by arrows

  function chip(one, list, i) {
    const values = [[one.side, one.value]];
    const after = list[i + 1] ?? list[i - 1];
    const numbers = `0 to ${now.groups.length - 1}`;
    const keys = list.group === undefined ? `${numbers} puts it into a group` : `${numbers} moves it, Delete takes it out`;
    const button = make("button", {
      type: "button", class: `chip${one.said ? " said" : ""}`, draggable: "true", "data-chip": idOf(one), tabindex: i ? "-1" : "0",
      title: `${plural(one.n)} · ${keys}`,
      ondragstart: (event) => { dragged = values; event.dataTransfer.setData("text/plain", one.shown); event.dataTransfer.effectAllowed = "move"; },
      ondragend: () => { dragged = null; if (late) draw(); },
      onfocus: () => { for (const other of button.closest("ul").querySelectorAll(".chip")) other.tabIndex = other === button ? 0 : -1; },
      onkeydown: (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const next = after ? idOf(after) : null;
        if (step) {
          const all = [...button.closest("ul").querySelectorAll(".chip")];
          all[all.indexOf(button) + step]?.focus();
        } else if (/^[0-9]$/.test(event.key) || (event.key === "Enter" && typed.text)) numbered(event.key, values, next);
        else if (["Delete", "Backspace"].includes(event.key) && list.group !== undefined) remove(values, next);
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    }, stranger(one.shown), " ", make("span", { class: "num" }, one.side === now.sides[0].name ? "" : `${one.side} `, commas(one.n)));
    return make("li", {}, button);
  }

  // A number of one digit is taken at once where none of two begins with it; otherwise after a moment, or Enter.
  function numbered(key, values, next) {
    const of = idOf({ side: values[0][0], value: values[0][1] });
    clearTimeout(typed.timer);
    if (typed.of !== of) Object.assign(typed, { text: "", of });
    if (key !== "Enter") typed.text += key;
    const group = Number(typed.text);
    const take = () => { typed.text = ""; if (group < now.groups.length) put(values, group, next); };
    if (key === "Enter" || !group || 10 * group >= now.groups.length) take();
    else typed.timer = setTimeout(take, 900);
  }

  function chips(list, label, group) {
    list.group = group;
    return make("ul", { class: "chips", "aria-label": label }, list.map((one, i) => chip(one, list, i)));
  }

  function dropped(element, work) {
    element.addEventListener("dragover", (event) => { if (dragged) { event.preventDefault(); element.classList.add("drop"); } });
    element.addEventListener("dragleave", () => element.classList.remove("drop"));
    element.addEventListener("drop", (event) => { event.preventDefault(); element.classList.remove("drop"); if (dragged) work(dragged); });
    return element;
  }

  // -- drawing

  function beginning() {
    const number = make("input", { type: "number", min: 2, max: 100, "aria-label": "How many groups" });
    number.value = Math.max(2, Math.min(100, now.n_groups ?? now.groups?.length ?? 2));
    const boxes = now.sides.map((one) => {
      const box = make("input", { type: "checkbox", value: one.name });
      box.checked = one.name === "words" || now.sides.length === 1;
      return box;
    });
    return make("form", { onsubmit: (event) => {
      event.preventDefault();
      begin(Math.round(Number(number.value)) || 2, boxes.filter((box) => box.checked).map((box) => box.value));
    } },
    make("p", {}, "You name a few values of each group; steps find more, and you correct them."),
    make("label", {}, "How many groups ", number),
    make("fieldset", {}, make("legend", {}, "By which sides"), boxes.map((box, i) =>
      make("label", {}, box, " ", stranger(now.sides[i].shown), now.sides[i].n ? ` (${commas(now.sides[i].n)})` : ""))),
    make("div", { class: "ends" }, make("button", { type: "button", onclick: () => page.close() }, "Close"), make("button", { class: "first" }, "Begin")));
  }

  function groupBox(one) {
    const name = make("input", { type: "text", "aria-label": `Name of group ${one.number}`, maxlength: 200, onchange: () => say("rename", { group: one.number, name: name.value }) });
    name.value = one.name;
    const facts = [one.size === null ? "" : plural(one.size), plural(one.said.length, "value"), one.n_found ? `${commas(one.n_found)} found` : ""];
    const more = one.found.length > shows ? make("button", { type: "button", onclick: () => { shows *= 4; draw(); } }, `${commas(one.n_found - shows)} more`) : null;
    return dropped(make("section", { class: "box", "data-group": one.number, "aria-label": `Group ${one.number}` },
      make("div", { class: "row" }, make("kbd", {}, one.number), name),
      make("p", { class: "soft" }, facts.filter(Boolean).join(" · ")),
      chips(one.said, `Values of group ${one.number}`, one.number),
      one.n_found ? make("p", { class: "soft" }, "found") : null,
      one.n_found ? chips(one.found.slice(0, shows), `Values found for group ${one.number}`, one.number) : null, more),
    (values) => put(values, one.number));
  }

  function offers() {
    const query = make("input", { type: "search", id: "own-query", placeholder: "Find a value  ( / )", "aria-label": "Find a value", autocomplete: "off", oninput: () => {
      search = query.value;
      clearTimeout(offers.timer);
      offers.timer = setTimeout(() => suggest().catch(() => {}), 200);
    }, onkeydown: (event) => { // on to what was found
      if (event.key !== "ArrowDown" && event.key !== "Enter") return;
      event.preventDefault();
      body.querySelector("#own-offers .chip")?.focus();
    } });
    query.value = search;
    const which = now.sides.length > 1 ? make("select", { "aria-label": "Values of which side", onchange: () => { side = which.value; suggest().catch(() => {}); } },
      [["", "all sides"], ...now.sides.map((one) => [one.name, one.shown])].map(([value, text]) => make("option", { value, selected: value === side }, text))) : null;
    return dropped(make("section", { class: "box", id: "own-offers", "aria-label": "Values outside the groups" },
      make("div", { class: "row" }, query, which),
      make("p", { class: "soft" }, search ? `${commas(offered.n)} with this in them` : `${commas(offered.n)} neither rare nor everywhere`),
      chips(offered.values, "Values outside the groups")),
    (values) => remove(values));
  }

  function uncovered() {
    const list = make("ol", {});
    const box = make("details", { id: "own-uncovered", ontoggle: async () => {
      opened.uncovered = box.open;
      if (!box.open || list.children.length) return;
      const found = await ask("/api/criterion/uncovered");
      list.replaceChildren(...found.documents.map((one) => make("li", {}, stranger(one.title, "b"), " ", stranger(one.text))),
        found.n > found.documents.length ? make("li", { class: "soft" }, `and ${commas(found.n - found.documents.length)} more`) : "");
    } }, make("summary", {}, `${plural(now.n - now.covered)} not covered`), list);
    box.open = opened.uncovered;
    return box;
  }

  function draw() {
    late = dragged !== null; // who drags a chip must not lose it
    if (late) return;
    const typing = document.activeElement?.id === "own-query" ? document.activeElement.selectionStart : null;
    const focused = wanted ?? document.activeElement?.dataset?.chip ?? null;
    wanted = null;
    if (!now.begun) {
      body.replaceChildren(beginning());
      return;
    }
    const running = now.step.state === "running";
    const button = (text, key, work, more = {}) => make("button", { type: "button", "data-key": key, onclick: work, ...more }, `${text} `, make("kbd", {}, key));
    const meter = make("meter", { min: 0, max: now.n, "aria-label": "Coverage" });
    meter.value = now.covered;
    const bar = running ? make("progress", { max: 1, "aria-label": now.step.what === "take" ? "Progress of the groups" : "Progress of the step" }) : null;
    if (bar) bar.value = now.step.done;
    body.replaceChildren(
      make("div", { class: "row" }, meter,
        make("span", { id: "own-facts", role: "status" }, `${commas(now.covered)} of ${plural(now.n)} covered by ${plural(now.values, "value")}${now.finished ? " · nothing was added" : ""}`),
        make("span", { class: "grow" }), bar,
        running ? button("Cancel", "c", () => say("cancel")) : button("Step", "s", () => say("step"), { class: "first" }),
        button("Undo", "u", () => say("undo")), button("Redo", "U", () => say("redo"))),
      make("div", { class: "own-grid" }, offers(), make("div", { class: "own-groups" }, now.groups.map(groupBox))),
      uncovered(),
      make("div", { class: "ends" },
        make("button", { type: "button", onclick: () => { now = { ...now, begun: false, sides: about.criteria, n_groups: now.groups.length }; draw(); } }, "Begin anew"),
        make("button", { type: "button", onclick: take, disabled: running || !now.values }, "Use these groups"),
        make("button", { type: "button", onclick: () => page.close() }, "Close")));
    if (typing !== null) {
      const query = body.querySelector("#own-query");
      query.focus();
      query.setSelectionRange(typing, typing);
      return;
    }
    if (focused) body.querySelector(`[data-chip="${CSS.escape(focused)}"]`)?.focus();
    // what had the focus may be gone; keys are heard only within
    if (!body.contains(document.activeElement)) body.querySelector("[data-key]").focus();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    if (event.key === "/") body.querySelector("#own-query")?.focus();
    else {
      const button = body.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
      if (!button) return;
      button.click();
    }
    event.preventDefault();
    event.stopPropagation(); // the page has verbs on the same keys
  }

  return async () => {
    about.criteria ??= (await ask("/api/criterion/sides")).sides;
    await load();
    body.addEventListener("keydown", pressed);
    opened.dialog = true;
    await page.dialog("A criterion of your own", [body], { wide: true, focus: body.querySelector("#own-query, form input") });
    body.removeEventListener("keydown", pressed);
    opened.dialog = false;
    if (now.step?.what !== "take") clearTimeout(timer); // groups that are being made will be shown
  };
}
