"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const make = (name, attributes, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const draw = (name, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
const place = (p) => (p ? `${p.file}:${p.line}:${p.column}` : "an unknown place");
const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

// Every finding with the report it is in.
const findings = data.reports.flatMap((report, at) =>
  report.findings.map((finding) => ({ ...finding, report, graph: data.graphs[at] || null })));
let shown = findings;
let only = null;
let chosen = -1;
let step = 0;

const titles = { race: "race", atomicity: "atomicity violation", transaction: "visible cut",
  assertion: "failed assertion", deadlock: "deadlock", misuse: "misuse" };
const title = (f) => (f.certainty === "possible" ? "possible " : "") + (titles[f.kind] || f.kind);
const places = (f) => {
  const all = f.accesses.map((a) => a.position).concat(f.waits.map((w) => w.position)).filter(Boolean);
  return [...new Set((all.length ? all : [f.position].filter(Boolean)).map(place))];
};
const alike = (f) => (f.same_cause || []).length;
const words = (f) => [title(f), f.message, f.location || "", f.help || "", f.report.program, ...places(f),
  ...(f.same_cause || []).flatMap((also) => [also.location || "", ...also.positions.map(place)])]
  .join(" ").toLowerCase();
for (const f of findings) f.words = words(f);

// The guarantee with its limits, as text has it.
function covered(r) {
  const threads = r.threads ? ` with ${number(r.threads)} thread${r.threads > 1 ? "s" : ""}` : "";
  const gaps = r.not_covered.length ? ` (not covered: ${r.not_covered.join(", ")})` : "";
  return r.guarantee + threads + gaps;
}

function summarise() {
  const parts = data.reports.map((r) => {
    const certain = r.findings.filter((f) => f.certainty === "certain").length;
    const rest = r.findings.length - certain;
    const found = [certain ? `${number(certain)} certain` : "", rest ? `${number(rest)} possible` : "",
      r.known ? `${number(r.known)} known` : "", r.suppressed ? `${number(r.suppressed)} suppressed` : "",
      r.left_out ? `${number(r.left_out)} not listed` : ""].filter(Boolean).join(", ");
    const error = r.error ? `; stopped: ${r.error.message}` : "";
    return `${r.program}: ${found || "clean"}. Guarantee: ${covered(r)}${error}`;
  });
  by("summary").textContent = parts.length > 3
    ? `${number(parts.length)} programs, ${number(findings.length)} findings` : parts.join("\n");
  by("summary").title = parts.join("\n");
}

const variable = (f) => (f.location || "").replace(/(.)\[.*$/s, "$1");
const file = (f) => (f.position ? f.position.file : "");

// Where the findings are, when there are many: choosing a variable or a file shows its findings, choosing it again all.
function digest() {
  const rows = (key, word, of) => data.reports.flatMap((r) => r[key] || []).map((share) => {
    const many = share.locations > share.findings ? `, ${number(share.locations)} locations` : "";
    const row = make("button", { type: "button" }, make("b", {}, number(share.findings)), ` ${word} ${share.name}${many}`);
    row.setAttribute("aria-pressed", "false");
    row.addEventListener("click", () => {
      const isChosen = row.getAttribute("aria-pressed") === "true";
      for (const other of by("shares").children) other.setAttribute("aria-pressed", "false");
      row.setAttribute("aria-pressed", String(!isChosen));
      only = isChosen ? null : (f) => of(f) === share.name;
      list();
    });
    return row;
  });
  const variables = rows("by_variable", "on", variable), files = rows("by_file", "in", file);
  by("digest").hidden = !variables.length;
  by("shares").replaceChildren(...variables, ...(files.length > 1 ? files : []));
}

function list() {
  const asked = by("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = findings.filter((f) => (!only || only(f)) && asked.every((word) => f.words.includes(word)));
  by("count").textContent = shown.length === findings.length
    ? `${number(shown.length)} finding${shown.length === 1 ? "" : "s"}` : `${number(shown.length)} of ${number(findings.length)} findings`;
  by("list").replaceChildren(...shown.map((f, at) => {
    const item = make("li", { role: "option", id: `f${at}`, "aria-selected": "false" },
      make("span", { class: `badge ${f.certainty}` }, title(f)), f.message,
      make("div", { class: "where" }, ...places(f).map((p) => make("div", {}, p))),
      alike(f) ? make("div", { class: "where" }, `and ${number(alike(f))} more with the same cause`) : null);
    item.addEventListener("click", () => choose(at));
    return item;
  }));
  choose(shown.length ? 0 : -1);
}

function choose(at) {
  const old = by("list").children[chosen];
  if (old) old.setAttribute("aria-selected", "false");
  chosen = at;
  step = 0;
  const item = by("list").children[at];
  if (item) {
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    by("list").setAttribute("aria-activedescendant", item.id);
  }
  detail(shown[at]);
}

function source(position, caption, side) {
  const figure = make("figure", { class: side }, make("figcaption", {}, caption));
  const chunks = position ? data.sources[position.file] || [] : [];
  const chunk = chunks.find(([first, lines]) => first <= position.line && position.line < first + lines.length);
  if (!chunk) {
    figure.append(make("pre", {}, make("span", { class: "row" }, place(position))));
    return figure;
  }
  const pre = make("pre", { tabindex: "0" });
  const [first, lines] = chunk;
  const from = Math.max(first, position.line - 12), to = Math.min(first + lines.length, position.line + 13);
  for (let line = from; line < to; line += 1) {
    const text = lines[line - first];
    const row = make("span", { class: line === position.line ? "row hit" : "row" }, make("span", { class: "no" }, String(line)));
    if (line === position.line) {
      const chars = [...text], end = position.end_line === position.line ? position.end_column - 1 : chars.length;
      row.append(chars.slice(0, position.column - 1).join(""),
        make("mark", {}, chars.slice(position.column - 1, Math.max(end, position.column)).join("")),
        chars.slice(Math.max(end, position.column)).join(""));
    } else row.append(text);
    pre.append(row);
  }
  figure.append(pre);
  return figure;
}

const memory = { global: "a global variable", heap: "a heap block", data_block: "a data block", stack: "a local variable",
  thread_local: "a thread-local variable" };

const nth = (n) => `${number(n)}${(n % 100 > 10 && n % 100 < 14) || !(n % 10) || n % 10 > 3 ? "th" : ["st", "nd", "rd"][n % 10 - 1]}`;

// A free is a write that gives the memory back.
const noun = (a) => (a.frees ? "free" : a.operation);

// What a task is called in a sentence; the second of two that are called alike is another one.
const who = (task) => task.phrase || task.name;
const doer = (f, at) => {
  const own = who(f.accesses[at].task);
  const isAlike = (other) => who(other.task) === own && other.task.id !== f.accesses[at].task.id;
  return f.accesses.slice(0, at).some(isAlike) ? own.replace(/^(the|a) /, "another ") : own;
};

// What is told of a finding in a line: how much of it there is, on what, and who took part.
function facts(f) {
  const told = [f.locations > 1 ? `${number(f.locations)} locations` : "",
    f.count > f.locations ? `seen ${number(f.count)} times` : ""];
  const o = f.object;
  if (o && memory[o.kind] && (o.size || o.position)) {
    const made = o.kind === "heap" ? "allocated" : o.kind === "data_block" ? "created" : "declared";
    told.push(`${o.name} is ${memory[o.kind]}${o.size ? ` of ${number(o.size)} bytes` : ""}`
      + (o.position ? `, ${made} at ${place(o.position)}` : ""));
  }
  const tasks = f.accesses.map((a) => a.task), numbers = tasks.map((t) => t.number).filter(Boolean);
  const made = numbers.length && tasks.map((t) => t.spawned[0] && t.spawned[0].position).find(Boolean);
  if (made) {
    const they = numbers.length > 1 ? "they are" : "one is";
    told.push(`${they} ${numbers.map((n) => `the ${nth(n.number)}`).join(" and ")} of ${number(numbers[0].of)} created at ${place(made)}`);
  }
  return told.filter(Boolean).concat(`in ${f.report.program}`).join("; ");
}

// The steps of a schedule; positions in the finding's own file go without its name.
function order(stops, f) {
  const own = f.position ? f.position.file : "";
  const at = (p) => (p.file === own ? `${p.line}:${p.column}` : place(p));
  return make("ol", { class: "why" }, ...stops.map((stop) => make("li", {}, stop.position ? `${stop.phrase || stop.task} to ${at(stop.position)}` : stop.phrase || stop.task)));
}

function detail(f) {
  const to = by("detail");
  if (!f) {
    to.replaceChildren(make("h2", {}, findings.length ? "Nothing matches the filter." : "No findings."),
      make("p", {}, data.reports.map((r) => `${r.program}: ${covered(r)}`).join("; ")));
    if (!findings.length && data.graphs[0]) graph(to, data.graphs[0], null);
    return;
  }
  const nodes = [make("h2", {}, make("span", { class: `badge ${f.certainty}` }, title(f)), f.message)];
  nodes.push(make("div", { class: "where" }, facts(f)));
  const sides = f.accesses.map((a, at) => {
    const held = a.locks.length ? `, holding ${a.locks.join(" and ")}` : "";
    const where = a.function ? ` in ${a.function}` : "";
    const verb = { read: "read", write: "written", free: "freed" }[noun(a)];
    return source(a.position, `${verb} by ${doer(f, at)}${where}${held}, at ${place(a.position)}`, ["one", "two", "one"][at] || "");
  });
  const waits = f.waits.map((w, at) => source(w.position, `${who(w.task)} waits for ${w.awaited}`, at % 2 ? "two" : "one"));
  const alone = sides.length + waits.length ? [] : [source(f.position, "here", "one")];
  nodes.push(make("h3", {}, "Source"), make("div", { class: "sources" }, ...sides, ...waits, ...alone));
  f.accesses.filter((a) => a.stack.length > 1).forEach((a) => {
    const calls = a.stack.map((c) => make("span", { class: "row" }, c.position ? `${c.function} at ${place(c.position)}` : c.function));
    nodes.push(make("h3", {}, `Calls that led to the ${noun(a)}`), make("pre", {}, ...calls));
  });
  if (f.why.length) nodes.push(make("h3", {}, "Why"), make("div", { class: "why" }, f.why.map((n) => n.text).join(", ")));
  if (f.help) nodes.push(make("h3", {}, "What to do"), make("div", { class: "fix" }, f.help));
  to.replaceChildren(...nodes);
  if (f.schedule.length) schedule(to, f);
  if (alike(f)) {
    const rows = f.same_cause.map((also) => make("li", {}, `${also.location || "a location"} `,
      make("span", { class: "where" }, also.positions.map(place).join("  "))));
    to.append(make("h3", {}, `${number(alike(f))} more with the same cause`),
      make("div", { class: "why" }, "Between the same tasks, ordered by the same hand-offs:", make("ul", {}, ...rows)));
  }
  if (f.witness.length) {
    const heads = ["One order", "The other order"];
    const orders = f.witness.map((stops, at) => make("div", {}, make("div", { class: "where" }, heads[at] || ""), order(stops, f)));
    to.append(make("h3", {}, "Two schedules, one with each order"), make("div", { class: "sources" }, ...orders));
  }
  if (f.replay) to.append(make("h3", {}, "Replay"), make("pre", {}, make("span", { class: "row" }, f.replay.command)));
  // A graph of a very large run may not have this finding's strands.
  const isDrawn = f.graph && picks(f.graph, f).length === Math.min(2, f.accesses.length);
  graph(to, isDrawn ? f.graph : chains(f) || f.graph, f);
  to.scrollTop = 0;
}

function schedule(to, f) {
  const text = make("div", { class: "why", id: "step" });
  const view = make("div", { class: "sources" });
  const slider = make("input", { type: "range", id: "steps", min: "0", max: String(f.schedule.length - 1), value: "0",
    "aria-label": "step of the schedule", style: "width:100%" });
  const show = () => {
    step = Number(slider.value);
    const note = f.schedule[step];
    text.textContent = `${step + 1}/${f.schedule.length}: ${note.text}`;
    view.replaceChildren(...(note.position ? [source(note.position, place(note.position), "")] : []));
  };
  slider.addEventListener("input", show);
  to.append(make("h3", {}, "Schedule that shows it"), slider, text, view);
  show();
}

// Without a graph of the run, how the tasks of the finding came to be.
function chains(f) {
  const tasks = f.accesses.map((a) => a.task).concat(f.waits.map((w) => w.task));
  if (!tasks.some((t) => t.spawned.length)) return null;
  const g = { lanes: [["main", -1, 0]], columns: [0], strands: [[0, 0, ["main"], false, []]], edges: [] };
  f.accesses.forEach((a) => {
    let lane = 0, strand = 0, path = "";
    for (const spawn of [...a.task.spawned].reverse()) {
      path += `/${spawn.task}`;
      let next = g.lanes.findIndex((l) => l[3] === path);
      if (next < 0) {
        next = g.lanes.push([spawn.task, lane, -1, path]) - 1;
        g.columns.push(next);
        g.strands.push([next, g.strands[strand][1] + 1, [spawn.construct, place(spawn.position)], false, []]);
        g.edges.push([strand, g.strands.length - 1, "spawn"]);
      }
      lane = next;
      strand = g.strands.findIndex((s) => s[0] === next);
    }
    g.strands.push([lane, g.strands[strand][1] + 1, [`${noun(a)} ${f.location || ""}`, place(a.position)], true, []]);
    g.edges.push([strand, g.strands.length - 1, "next"]);
    (g.picked = g.picked || []).push(g.strands.length - 1);
  });
  return g;
}

const COLUMN = 178, ROW = 96, BOX = 150, LINE = 15, MARGIN = 20, HEAD = 20;

// The strands of the two accesses.
function picks(g, f) {
  if (!f) return [];
  if (g.picked) return g.picked.slice(0, 2);
  const found = [];
  for (const a of f.accesses.slice(0, 2)) {
    const spot = a.position ? `${a.position.line}:${a.position.column}` : "";
    const lane = g.lanes.findIndex((l) => l[2] === a.task.id);
    const at = g.strands.findIndex((s, i) => s[0] === lane && s[4].includes(spot) && !found.includes(i));
    if (at >= 0) found.push(at);
  }
  return found;
}

// The nearest strand that comes before both, and the ways from it.
function ancestor(g, one, two) {
  const into = g.strands.map(() => []);
  g.edges.forEach(([from, to], at) => into[to].push([from, at]));
  const back = (start) => {
    const seen = new Map([[start, -1]]);
    for (const queue = [start]; queue.length;) {
      const now = queue.shift();
      for (const [from, edge] of into[now]) if (!seen.has(from)) { seen.set(from, edge); queue.push(from); }
    }
    return seen;
  };
  const [a, b] = [back(one), back(two)];
  let nearest = -1;
  for (const strand of a.keys()) if (b.has(strand) && (nearest < 0 || g.strands[strand][1] > g.strands[nearest][1])) nearest = strand;
  const way = new Set();
  for (const seen of [a, b]) {
    for (let now = nearest; now >= 0 && seen.get(now) >= 0;) { way.add(seen.get(now)); now = g.edges[seen.get(now)][1]; }
  }
  return [nearest, way];
}

// A task as the finding calls it; one that shares its name with others gets its number.
function called(g, f, lane) {
  const [name, , task] = g.lanes[lane];
  const access = f && !g.picked ? f.accesses.find((a) => a.task.id === task) : null;
  const isShared = !g.picked && g.lanes.filter((other) => other[0] === name).length > 1;
  return access ? access.task.name : isShared ? `${name}#${task}` : name;
}

function graph(to, g, f) {
  if (!g) return;
  const box = make("div", { id: "graph", tabindex: "0", role: "img", "aria-label": "task graph" });
  const chosen = picks(g, f);
  const [nearest, way] = chosen.length === 2 ? ancestor(g, ...chosen) : [-1, new Set()];
  const onWay = new Set([...chosen, nearest]);
  way.forEach((at) => { onWay.add(g.edges[at][0]); onWay.add(g.edges[at][1]); });
  if (chosen.length === 2) box.classList.add("picked");
  const height = (s) => Math.max(1, s[2].length) * LINE + 8;
  const corner = (at) => [MARGIN + g.columns[g.strands[at][0]] * COLUMN, MARGIN + HEAD + g.strands[at][1] * ROW];
  const wide = MARGIN * 2 + (Math.max(...g.columns) + 1) * COLUMN;
  const high = MARGIN * 2 + HEAD + (g.strands.reduce((most, s) => Math.max(most, s[1]), 0) + 1) * ROW;
  const svg = draw("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  g.edges.forEach(([from, into, kind], at) => {
    const [[x, y], [toX, toY]] = [corner(from), corner(into)];
    const side = toX > x ? [20, 0] : toX < x ? [0, 20] : [0, 0];
    const [a, b] = [x + BOX / 2 + side[0], toX + BOX / 2 + side[1]];
    const bottom = y + height(g.strands[from]), middle = (bottom + toY) / 2;
    svg.append(draw("path", { class: `${kind} ${way.has(at) ? "way" : "dim"}`,
      d: `M${a} ${bottom}C${a} ${middle} ${b} ${middle} ${b} ${toY}` }));
  });
  const named = new Set();
  g.strands.forEach((s, at) => {
    const [x, y] = corner(at);
    const role = at === chosen[0] ? "one" : at === chosen[1] ? "two" : at === nearest ? "nca" : onWay.has(at) ? "" : "dim";
    const node = draw("g", { class: `strand ${role}${s[3] ? " found" : ""}`, "data-strand": at });
    node.append(draw("rect", { x, y, width: BOX, height: height(s), rx: 6 }));
    s[2].forEach((label, row) => node.append(draw("text", { x: x + 8, y: y + LINE + row * LINE },
      label.length > 18 ? `${label.slice(0, 17)}…` : label)));
    node.append(draw("title", {}, [called(g, f, s[0]), ...s[2]].join("\n")));
    svg.append(node);
    if (!named.has(s[0])) {
      named.add(s[0]);
      svg.append(draw("text", { class: "lane", x, y: y - 6 }, called(g, f, s[0])));
    }
  });
  box.append(svg);
  const legend = make("div", { class: "legend" });
  if (chosen.length === 2) legend.append(make("b", { class: "c1" }, "first access"), ", ", make("b", { class: "c2" }, "second access"), ", ",
    make("b", { class: "c3" }, "where their ways part"), "; nothing leads from one access to the other. ");
  legend.append("Blue: spawn, green: join, brown: other edges.");
  if (g.folded) legend.append(` ${number(g.folded)} strands that no finding shows are folded away.`);
  to.append(make("h3", {}, g.picked ? "How the tasks came to be" : "Task graph"), legend, box);
  if (chosen.length) {
    const [x, y] = corner(chosen[0]);
    box.scrollLeft = Math.max(0, x - 200);
    box.scrollTop = Math.max(0, y - 160);
  }
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}
function keys() {
  by("keys").hidden = !by("keys").hidden;
  by("help-button").setAttribute("aria-expanded", String(!by("keys").hidden));
}
by("theme").addEventListener("click", theme);
by("help-button").addEventListener("click", keys);
by("filter").addEventListener("input", list);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === by("filter")) {
    if (event.key === "Escape" || event.key === "Enter") { by("list").focus(); event.preventDefault(); }
    return;
  }
  const steps = by("steps");
  const inGraph = event.target.id === "graph";
  const move = (by_) => { choose(Math.min(shown.length - 1, Math.max(0, chosen + by_))); event.preventDefault(); };
  const turn = (by_) => { if (steps) { steps.value = String(step + by_); steps.dispatchEvent(new Event("input")); } };
  if (event.key === "/") { by("filter").focus(); event.preventDefault(); }
  else if (event.key === "j" || (event.key === "ArrowDown" && !inGraph && event.target !== steps)) move(1);
  else if (event.key === "k" || (event.key === "ArrowUp" && !inGraph && event.target !== steps)) move(-1);
  else if (event.key === "g" && by("graph")) { by("graph").focus(); by("graph").scrollIntoView(); }
  else if (event.key === "[") turn(-1);
  else if (event.key === "]") turn(1);
  else if (event.key === "t") theme();
  else if (event.key === "?") keys();
});
summarise();
digest();
list();
