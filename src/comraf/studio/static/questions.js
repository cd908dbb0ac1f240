// Questions about two documents, and groups that are found anew by what was said.
import { path, svg } from "/static/draw.js";

const WAYS = [
  ["unsure", "what the groups are least sure of"],
  ["explore", "documents far apart, then the nearest group"],
  ["npu", "where groupings by the answers disagree"],
];

export function questions(page) {
  const { make, stranger, ask, about } = page;
  let by = "unsure";
  let side = "documents";
  let most = 20;
  let now = null; // the question, as the server gave it
  let clash = null; // answers that contradict each other
  let busy = false;
  let changed = false;
  const body = make("div", { class: "asked" });

  async function load(chosen = null) {
    const pair = chosen ? `&one=${chosen[0]}&other=${chosen[1]}` : "";
    if (chosen) side = "documents";
    now = await ask(`/api/question?by=${by}&most=${most}&side=${encodeURIComponent(side)}${pair}`);
    clash = now.clash ?? null;
    page.seen(now.version);
    draw();
  }

  // one thing at a time; what was refused is said by ask(), and the question is loaded again
  const once = (work) => async () => {
    if (busy) return;
    busy = true;
    try {
      await work();
    } catch {
      await load().catch(() => {});
    } finally {
      busy = false;
    }
  };

  const reply = (relation) => once(async () => {
    if (!now?.pair || clash) return;
    const found = await ask("/api/answer", { pair: now.pair.map((one) => one.n), relation, side, at: now.version });
    changed = true;
    if (found.clash) {
      clash = found.clash;
      draw();
    } else await load();
  });

  const undo = once(async () => {
    if (!now?.undo) return;
    await ask("/api/undo", { at: now.version });
    changed = true;
    await load();
  });

  const takeBack = (pair) => once(async () => {
    await ask("/api/answer", { pair, relation: "", side, at: now.version });
    changed = true;
    await load();
  });

  const item = (one) => make("article", {},
    stranger(one.title, "h3"),
    make("p", { class: "soft" }, one.date, Object.entries(one.sides).map(([side, values]) =>
      [one.date || side !== Object.keys(one.sides)[0] ? " · " : "", `${side}: `, stranger(values.join(", "))])),
    about.photos && side === "documents" ? page.pictureOf(one.n, { alt: one.title }) : null,
    make("div", { class: "text", dir: "auto" }, one.text, one.cut ? " …" : ""));

  const clashing = () => make("div", { class: "clash" },
    make("p", {}, "These answers contradict each other. Take one of them back:"),
    make("ul", {}, clash.map((one) => make("li", { class: "row" },
      make("span", { class: "grow" }, stranger(`“${one.titles[0]}”`), one.relation === "same" ? " is the same as " : " is different from ", stranger(`“${one.titles[1]}”`)),
      one.said
        ? make("button", { type: "button", onclick: takeBack(one.pair) }, "Take back")
        : make("button", { type: "button", onclick: once(() => load()) }, "Not this one")))));

  const nothing = () => make("p", {}, now.asked >= now.most
    ? `${now.asked} questions are answered. Regroup, or allow more of them.`
    : "Nothing is left to ask: all that this way would ask about follows from the answers.");

  function draw() {
    const way = make("select", { "aria-label": "Who chooses the questions", onchange: () => { by = way.value; once(() => load())(); } },
      WAYS.map(([value, text]) => make("option", { value, selected: value === by }, text)));
    way.disabled = side !== "documents"; // only what they are least sure of
    const what = make("select", { "aria-label": "What is asked about", onchange: () => { side = what.value; once(() => load())(); } },
      now.sides.map((name) => make("option", { value: name, selected: name === side }, name === "documents" ? `${about.noun}s` : name)));
    const budget = make("input", { type: "number", min: 1, max: 9999, "aria-label": "Most questions", onchange: () => {
      most = Math.max(1, Math.min(9999, Math.round(Number(budget.value)) || most));
      once(() => load())();
    } });
    budget.value = most;
    const button = (text, key, work, more = {}) => make("button", { type: "button", "data-key": key, onclick: work, ...more }, `${text} `, make("kbd", {}, key));
    const asking = now.pair && !clash;
    const same = button("Same", "s", reply("same"), { class: "first", disabled: !asking });
    const regroup = button("Regroup", "n", () => page.close(page.regroup));
    const close = button("Close", "q", () => page.close());
    body.replaceChildren(
      make("div", { class: "row" }, what, way, make("span", { class: "grow" }), make("span", { id: "asked" }, `${now.asked} of `), budget),
      clash ? clashing() : asking ? make("div", { class: "two" }, now.pair.map(item)) : nothing(),
      make("div", { class: "ends" }, same,
        button("Different", "d", reply("different"), { disabled: !asking }),
        button("Don’t know", "?", reply("unknown"), { disabled: !asking }),
        button("Undo", "u", undo, { disabled: !now.undo }), regroup, close));
    (asking ? same : clash ? body.querySelector(".clash button") : regroup).focus();
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
    const button = body.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation(); // the page has verbs on the same keys
    button.click();
  }

  return async () => {
    changed = false;
    side = "documents";
    await load(page.chosen());
    body.addEventListener("keydown", pressed);
    const closed = page.dialog("Do these belong together?", [body], { wide: true, focus: body.querySelector("button.first:enabled") });
    await closed;
    body.removeEventListener("keydown", pressed);
    if (changed) await page.refresh();
  };
}

export function rerun(page) {
  const { make, ask, tell } = page;
  const box = document.getElementById("run");
  let timer = 0;
  let last = "none";

  const button = (text, work) => make("button", { type: "button", onclick: () => { Promise.resolve(work()).catch(() => {}); } }, text);
  const hide = () => { box.hidden = true; };
  const said = (text, ...more) => {
    box.hidden = false;
    // a line that stays is not read out again each time the bar moves
    if (box.querySelector("p")?.textContent === text) box.replaceChildren(box.querySelector("p"), ...more);
    else box.replaceChildren(make("p", { role: "status" }, text), ...more);
  };

  function draw(now) {
    if (now.state === "running") {
      running(now);
    } else if (now.state === "done") {
      said(`${now.stopped ? "The best until now" : "New groups"}: ${page.plural(now.n_moved)} in another group than before.`,
        now.unfinished ? button("Go on", resume) : "",
        button("What changed", () => page.compared(now.before, now.after)), button("Close", hide));
    } else if (now.state === "waiting") {
      said("Groups were merged, split or undone meanwhile. Which are to stand?",
        button("The new ones", async () => { await ask("/api/run/take", { at: page.version() }); await poll(true); }),
        button("Those that are shown", async () => draw(await ask("/api/run/cancel", {}))));
    } else if (now.state === "cancelled") {
      said("The search was cancelled; nothing was changed.", button("Close", hide));
    } else if (now.state === "failed") {
      said(`No groups were found: ${now.error}`, button("Close", hide));
    }
    last = now.state;
  }

  // The bar of a search is made once and then filled: what has the focus must not go.
  const bar = make("progress", { max: 1, "aria-label": "Progress of the search" });
  const doing = make("span", { class: "soft" });
  const line = svg("path");
  const drawn = svg("svg", { viewBox: "-2 -2 104 24", class: "spark", "aria-hidden": "true" }, line);
  const stop = button("Stop here", async () => draw(await ask("/api/run/stop", {})));
  const cancel = button("Cancel", async () => draw(await ask("/api/run/cancel", {})));

  function running(now) {
    const text = now.stopping ? "Ending the search; the best until now is kept …" : "Finding groups …";
    if (!box.contains(bar)) said(text, bar, doing, drawn, stop, cancel);
    if (box.querySelector("p").textContent !== text) box.querySelector("p").textContent = text;
    if (now.done) bar.value = now.done; else bar.removeAttribute("value");
    const left = now.seconds_left === null ? "" : now.seconds_left < 90 ? `about ${Math.ceil(now.seconds_left)} s left` : `about ${Math.round(now.seconds_left / 60)} min left`;
    doing.textContent = [now.doing, now.objective === null ? "" : `objective ${now.objective.toFixed(4)}`, left].filter(Boolean).join(" · ");
    if (now.trace.length > 1) line.setAttribute("d", path(now.trace, 100, 20));
    else line.removeAttribute("d");
    stop.disabled = now.stopping;
  }

  const resume = async () => {
    draw(await ask("/api/run/resume", {}));
    last = "running";
    await poll();
  };

  async function poll(fresh = false) {
    clearTimeout(timer);
    const now = await ask("/api/run");
    const ended = now.state === "done" && (fresh || last === "running");
    // what ended before this page was opened is no news
    if (fresh || last !== "none" || ["running", "waiting"].includes(now.state)) draw(now);
    else if (now.unfinished && now.state === "none") {
      said("A search was not ended.", button("Go on", resume),
        button("Forget it", async () => { await ask("/api/run/cancel", {}); hide(); }));
    }
    if (now.state === "running") timer = setTimeout(() => poll().catch(() => {}), 400);
    if (ended) {
      await page.refresh();
      tell(`Regrouped: ${page.plural(now.n_moved)} in another group.`);
    }
  }

  return {
    poll,
    start: async (settings = {}) => {
      draw(await ask("/api/run", { at: page.version(), settings }));
      last = "running";
      await poll();
    },
  };
}
