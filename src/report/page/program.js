"use strict";
// Everything that came from the target is set as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const ROW = 24, HEAD = 8, NAMES = 22, LEFT = 46;
let shown = [], current = null, step = 0, picture = null;

function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const key in attributes || {})
        if (key === "click") element.addEventListener("click", attributes[key]);
        else element.setAttribute(key, attributes[key]);
    element.append(...children.filter(child => child !== null && child !== undefined));
    return element;
}

function draw(name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    return element;
}

const text = id => id < 0 ? "" : data.texts[id];
// The directory that all quoted sources are in; places are told from there.
const root = Object.keys(data.snippets).map(id => data.texts[id]).filter(place => !place.startsWith("/usr/"))
    .reduce((all, place) => {
        if (all === null) return place.slice(0, place.lastIndexOf("/") + 1);
        while (!place.startsWith(all)) all = all.slice(0, all.lastIndexOf("/", all.length - 2) + 1);
        return all;
    }, null) || "";
const near = place => root.length > 1 && place.startsWith(root) ? place.slice(root.length) : place;
const base = place => place.slice(place.lastIndexOf("/") + 1);
const plural = (count, word) => count + " " + (count === 1 ? word : /[^aeiou]y$/.test(word) ? word.slice(0, -1) + "ies" : word + "s");

// --- the list ---------------------------------------------------------------------

function haystack(finding) {
    if (finding.words === undefined)
        finding.words = [finding.id, finding.kind, finding.verdict, finding.title,
            ...finding.events.flatMap(event => event.stack.flatMap(frame => frame.map(text)))]
            .join(" ").toLowerCase();
    return finding.words;
}

function fillSelect(select, name, values) {
    select.append(make("option", {value: ""}, "every " + name));
    for (const value of values)
        select.append(make("option", {value}, value));
}

// The button below a cause that folds and unfolds its other places.
const unfolded = new Set(), placesOf = new Map();
for (const finding of data.findings)
    if (finding.group) placesOf.set(finding.group, (placesOf.get(finding.group) || 0) + 1);

function places(finding) {
    const count = placesOf.get(finding.id), open = unfolded.has(finding.id);
    if (!count || finding.group) return null;
    return make("button", {class: "fold", "aria-expanded": open, click: () => {
        if (!unfolded.delete(finding.id)) unfolded.add(finding.id);
        filter();
    }}, (open ? "hide " : "show ") + plural(count, "more place"));
}

// Places stay behind their cause.
const byId = new Map(data.findings.map(finding => [finding.id, finding]));
const sortKeys = {name: heading, place: finding => finding.events.length && finding.events[0].stack.length
    ? text(ownFrame(finding.events[0].stack)[1]) : "", verdict: finding => finding.verdict, id: finding => finding.id};

function sortShown() {
    const key = sortKeys[document.getElementById("sort").value];
    if (!key) return;
    const keys = new Map(shown.map(finding => [finding, key(byId.get(finding.group) || finding) + " " + (finding.group || finding.id)]));
    shown.sort((a, b) => keys.get(a).localeCompare(keys.get(b), undefined, {numeric: true}) || !!a.group - !!b.group);
}

function filter() {
    const words = document.getElementById("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = document.getElementById("kind").value, verdict = document.getElementById("verdict").value;
    // One entry a cause; its other places when it is unfolded, or when somebody searches.
    const searching = words.length > 0 || kind || verdict;
    shown = data.findings.filter(finding => (!kind || finding.kind === kind) &&
        (!verdict || finding.verdict === verdict) && words.every(word => haystack(finding).includes(word)) &&
        (searching || !finding.group || unfolded.has(finding.group) || finding === current));
    sortShown();
    const list = document.getElementById("list");
    list.replaceChildren(...shown.map(finding => {
        const button = make("button", {click: () => select(finding)}, make("span", {class: "title", title: finding.title}, heading(finding)),
            make("small", {class: "where"}, whereabouts(finding)), make("small", {}, finding.id + " \u00b7 ", make("span", {class: finding.verdict}, finding.verdict)));
        finding.button = button;
        button.setAttribute("aria-current", finding === current);
        return make("li", finding.group ? {class: "place"} : {}, button, searching ? null : places(finding));
    }));
    document.getElementById("count").textContent = searching || !placesOf.size
        ? shown.length + " of " + plural(data.findings.length, "finding")
        : plural(data.findings.filter(finding => !finding.group).length, "cause") + ", " + plural(data.findings.length, "finding");
}

function select(finding) {
    if (current && current.button) current.button.setAttribute("aria-current", "false");
    current = finding;
    if (finding.button) {
        finding.button.setAttribute("aria-current", "true");
        finding.button.scrollIntoView({block: "nearest"});
    }
    history.replaceState(null, "", "#" + finding.id);
    show(finding);
}

// "Data race on config.height, result differs", "Lock-order inversion on a, b"
function heading(finding) {
    const first = finding.nature[0].toUpperCase() + finding.nature.slice(1);
    if (finding.kind === "failure") return first; // the object is that of the last step, if there is one
    const wanted = finding.kind === "deadlock" ? [...new Set(finding.events.map(event => event.object))].filter(Boolean) : [];
    const on = finding.object || wanted.slice(0, 3).join(", ") + (wanted.length > 3 ? " and " + (wanted.length - 3) + " more" : "");
    return first + (on ? " on " + on : "") + (finding.effect ? ", " + finding.effect : "");
}

// The functions in which it happens.
function whereabouts(finding) {
    const names = finding.events.map(event => event.stack.length ? ownFrame(event.stack) : null)
        .map(frame => frame ? text(frame[0]).replace(/\(.*/, "") || base(text(frame[1])) : "?");
    return "in " + [...new Set(names)].join(" and ");
}

// --- one finding ---------------------------------------------------------------------

function source(placeId) {
    const snippet = data.snippets[placeId];
    if (!snippet) return null;
    const parts = text(placeId).split(":");
    const numbers = parts.slice(1).filter(part => /^\d+$/.test(part)).map(Number);
    const line = numbers.length > 1 ? numbers[numbers.length - 2] : numbers[0];
    const width = String(snippet[0] + snippet[1].length).length, column = numbers.length > 1 ? numbers[numbers.length - 1] : 0;
    return make("pre", {class: "source", tabindex: 0, role: "region", "aria-label": "source"}, ...snippet[1].map((content, i) => {
        const number = String(snippet[0] + i).padStart(width) + "  ";
        return make("span", snippet[0] + i === line ? {class: "here"} : {}, make("b", {class: "line"}, number),
            ...snippet[0] + i === line ? marked(content, column) : [content]);
    }));
}

// The line with the word at the column, which counts bytes, marked.
function marked(content, column) {
    const at = column ? new TextDecoder().decode(new TextEncoder().encode(content).slice(0, column - 1)).length : content.length;
    const word = /^(\w+|[-+*\/%&|^<>=!]+|\S)?/.exec(content.slice(at))[0];
    return word ? [content.slice(0, at), make("mark", {}, word), content.slice(at + word.length)] : [content];
}

// A long line is scrolled to what is marked in it.
function revealMarks(root) {
    for (const mark of root.querySelectorAll("pre.source mark")) {
        const box = mark.closest("pre"), hidden = mark.offsetLeft + mark.offsetWidth - box.offsetLeft - box.clientWidth * .9;
        if (hidden > 0) box.scrollLeft = hidden + box.clientWidth * .4;
    }
}

function stack(frames) {
    return make("ol", {start: 0, class: "mono"}, ...frames.map(frame =>
        make("li", {}, text(frame[0]) + " ", make("span", {class: "soft place", title: text(frame[1])}, near(text(frame[1]))))));
}

// The innermost that is not in a header of the system's.
function ownFrame(frames) {
    return frames.find(frame => !text(frame[1]).startsWith("/usr/")) || frames[0];
}

// `role`: what the event is in an atomicity violation.
function eventCard(event, role) {
    const locks = event.locks.length
        ? event.locks.map(lock => make("div", {}, "holding ", make("b", {}, text(lock[0])),
            make("span", {class: "soft"}, ", taken at " + near(text(lock[1])))))
        : [make("div", {class: "soft"}, "holding no lock")];
    return make("div", {class: "card"},
        make("h4", {}, (role ? role + ": thread " : "Thread ") + event.thread + " " + event.text + (event.size ? " (" + plural(event.size, "byte") + ")" : "")),
        stack(event.stack), ...locks, event.stack.length ? source(ownFrame(event.stack)[1]) : null);
}

function verdictText(finding) {
    const texts = {observed: finding.run ? "It happened" : "It happened in the recorded run.",
        confirmed: finding.run ? "Preplay ran the program in orders of its threads that it chose, until this happened"
            : "It did not happen in the recorded run, but in a replay of it",
        predicted: finding.run ? "Another schedule of run " + finding.run + " should reach it" : "Another schedule of the recorded run reaches it; it was not replayed.",
        candidate: "A schedule may reach it, if what is read does not matter."};
    const words = texts[finding.verdict] || "A replay did not show it";
    if (finding.replay && finding.verdict === "observed" && !finding.run) {
        return words + " In a replay: " + finding.replay + ".";
    }
    return finding.replay && !words.endsWith(".") ? words + ": " + finding.replay + "." : words;
}

function copyButton(command) {
    const button = make("button", {class: "copy", title: "copy the command"}, "copy");
    button.addEventListener("click", async () => {
        try { await navigator.clipboard.writeText(command); }
        catch { // a page from a file may have no clipboard
            const area = make("textarea", {});
            area.value = command;
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        button.textContent = "copied";
    });
    return button;
}

// The steps that belong together, and who comes between them.
function rolesOf(finding) {
    return finding.kind === "atomicity" && finding.events.length === 3 ? ["First step", "Last step", "In between"] : [];
}

// What is said of a finding; `steps` tells its schedule.
function describe(finding, steps) {
    const parts = [
        make("h2", {}, heading(finding)),
        make("p", {class: "what"}, (finding.kind === "failure" ? "Last step: " : "") + finding.title.slice(finding.title.indexOf(": ") + 2)),
        MEANINGS[finding.nature] || finding.meaning ? make("p", {class: "meaning"}, MEANINGS[finding.nature] || finding.meaning) : null,
        make("p", {}, make("span", {class: "badge " + finding.verdict}, finding.verdict), " ",
            make("code", {}, finding.id), " ", make("span", {class: "soft"}, verdictText(finding))),
        consequences(finding),
        finding.note && !tellsWhy(finding) ? make("p", {}, finding.note) : null,
        make("div", {class: "cards"}, ...finding.events.map((event, i) => eventCard(event, rolesOf(finding)[i]))),
    ];
    parts.push(...story(finding));
    if (finding.command)
        parts.push(make("h3", {}, "See it happen"), make("pre", {class: "source", tabindex: 0, role: "region", "aria-label": "command"}, make("span", {class: "command"}, finding.command)),
            copyButton(finding.command), make("p", {class: "soft"}, "It needs that " + (finding.run ? "directory" : "recording") + "; with --gdb it stops there in a debugger.",
                ...(data.program ? [" Without it, " + (finding.run ? "explore" : "record") + " anew: ", make("code", {}, (finding.run ? "preplay explore " : "preplay run ") + data.program.command)] : [])));
    if (finding.steps.length) parts.push(...steps(finding));
    if (finding.background.length)
        parts.push(make("h3", {}, "Where it comes from"), make("div", {class: "cards"},
            ...finding.background.map(entry => make("div", {class: "card"}, make("h4", {}, entry[0]), stack(entry[1])))));
    return parts.filter(part => part);
}

function show(finding) {
    const main = document.getElementById("finding");
    main.replaceChildren(...describe(finding, interleaving));
    revealMarks(main);
    document.getElementById("main").scrollTop = 0;
    if (run.open) main.scrollIntoView();
    if (finding.steps.length) go(picture.rows.length - finding.events.length);
}

// --- the interleaving ---------------------------------------------------------------

const ACQUIRE = new Set(["acq", "rdacq", "wracq", "woken", "timeout"]), RELEASE = new Set(["rel", "rdrel", "wrrel", "wait"]);

// See html_steps.c. `taken` and `given` are the locks that a row takes and gives away.
function rowsOf(steps, blocks) {
    const rows = [];
    let gap = 0;
    for (const item of steps) {
        if (item.length === 1) { gap = item[0]; continue; }
        const row = {pos: item[0], place: item[1], thread: item[2], op: item[3], text: text(item[4]), object: item[5],
            source: item[6], count: item[7], error: !!(item[8] & 1), outside: !!(item[8] & 2), partner: item[9],
            taken: item[10] || [], given: item[11] || [], inside: item[12] || [], gap};
        if (ACQUIRE.has(row.op) && !(blocks && row.error)) row.taken = [row.object];
        if (RELEASE.has(row.op)) row.given = [row.object];
        if (row.inside.length) row.text += ": " + text(row.inside[0]) + " \u2026";
        rows.push(row);
        gap = 0;
    }
    return rows;
}

// The events that keep their order: a longest rising sequence of positions. All others moved.
function markMoved(rows) {
    const tails = [], before = new Array(rows.length).fill(-1);
    rows.forEach((row, i) => {
        let low = 0, high = tails.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (rows[tails[middle]].pos < row.pos) low = middle + 1; else high = middle;
        }
        before[i] = low ? tails[low - 1] : -1;
        tails[low] = i;
    });
    rows.forEach(row => { row.moved = true; });
    for (let i = tails.length ? tails[tails.length - 1] : -1; i >= 0; i = before[i]) rows[i].moved = false;
}

function interleaving(finding) {
    const rows = rowsOf(finding.steps, finding.kind === "deadlock"), recorded = rowsOf(finding.recorded, false);
    markMoved(rows);
    const byPos = new Map(rows.map(row => [row.pos, row]));
    for (const row of recorded) {
        const twin = row.outside ? undefined : byPos.get(row.pos);
        row.moved = !!twin && twin.moved;
        if (twin) { row.twin = twin; twin.twin = row; }
    }
    const lanes = [...new Set(rows.map(row => row.thread))].sort((a, b) => a - b);
    const locks = [...new Set([...rows, ...recorded].flatMap(row => [...row.taken, ...row.given]))];
    const room = document.getElementById("main").clientWidth - 80, beside = innerWidth > 900; // as in style.css
    const lane = Math.max(110, Math.min(240, ((beside ? room / 2 : room) - LEFT) / lanes.length));
    const alone = showsItself(finding, rows, recorded);
    const why = whyHidden(finding, recorded), parts = alone ? -1 : firstDifference(rows, recorded);
    const chain = new Set((why ? why.chain : []).map(ends => ends.join(" ")));
    picture = {finding, rows, lanes, locks, lane, chain, parts, panels: []};
    rows.forEach((row, index) => { row.number = row.place + (eitherMayGoFirst(rows) && index === rows.length - 1 ? 0 : 1); });
    const button = (label, title, action) => make("button", {title, "aria-label": title, click: action}, label);
    return [
        make("h3", {}, "A schedule that reaches it (" + plural(finding.length, "event") + ")"),
        make("div", {class: "legend"}, make("b", {}, "Moved events"), " and ", make("i", {}, "the error"),
            " stand out; bars show who owns a lock, arrows what must come before what",
            alone ? "" : " (a thick one hid the error), and what is pale in " + runName(finding) + " is no part of the schedule", ". Click, or use the left and right keys; j and k go to other findings."),
        parts > 0 ? make("p", {}, "It leaves " + runName(finding) + " at ", make("a", {href: "#" + finding.id, click: event => {
            event.preventDefault();
            go(parts);
        }}, "step " + (parts + 1)), ": " + data.threads[rows[parts].thread] + " " + rows[parts].text + ".") : null,
        make("div", {class: "controls"}, button("first", "first step (Home)", () => go(0)),
            button("back", "step back (Left)", () => go(step - 1)), button("step", "step (Right)", () => go(step + 1)),
            button("last", "last step (End)", () => go(rows.length - 1)), make("span", {id: "where", "aria-live": "polite"})),
        make("div", {id: "detail"}),
        make("div", {class: "pictures", tabindex: 0, role: "region", "aria-label": "interleavings"}, ...alone ? [panel("This run", rows, false)]
            : [panel("This schedule", rows, false), panel(finding.run ? "As run " + finding.run + " went" : "As recorded", recorded, true)]),
    ].filter(Boolean);
}

// Both accesses of a race stand at the end: which of them is listed first says nothing.
function eitherMayGoFirst(order) {
    return picture.finding.kind === "race" && order.length > 1 && order.slice(-2).every(row => row.error);
}

function panel(title, order, observed) {
    const {lanes, lane} = picture, either = !observed && eitherMayGoFirst(order);
    const width = LEFT + lanes.length * lane, height = HEAD + order.length * ROW + (either ? 26 : 8);
    const svg = draw("svg", {width, height, viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": title});
    const names = draw("svg", {width, height: NAMES, class: "names", "aria-hidden": "true"}); // stays when the rest scrolls
    const x = thread => LEFT + 10 + lanes.indexOf(thread) * lane, y = index => HEAD + index * ROW + ROW / 2;
    const defs = draw("defs", {}), marker = draw("marker", {id: observed ? "tip1" : "tip0", viewBox: "0 0 8 8", refX: 7, refY: 4,
        markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto"});
    marker.append(draw("path", {d: "M0 0L8 4L0 8z", class: "tip"}));
    defs.append(marker);
    svg.append(defs);
    const rects = order.map((row, index) => {
        const rect = draw("rect", {class: "row", x: 0, y: HEAD + index * ROW, width, height: ROW});
        rect.addEventListener("click", () => goTo(row));
        svg.append(rect);
        return rect;
    });
    for (const thread of lanes) {
        svg.append(draw("line", {class: "lane", x1: x(thread), x2: x(thread), y1: HEAD - 4, y2: height - 4}));
        names.append(draw("text", {class: "head", x: x(thread) - 4, y: 16}, data.threads[thread].slice(0, 24)));
    }
    drawLocks(svg, order, x, y);
    drawArrows(svg, order, x, y, observed ? "tip1" : "tip0");
    if (!observed && picture.parts > 0)
        svg.append(draw("line", {class: "parts", x1: 0, x2: width, y1: HEAD + picture.parts * ROW, y2: HEAD + picture.parts * ROW}));
    const groups = order.map((row, index) => {
        const wrong = row.error && (!observed || (picture.finding.verdict === "observed" && !picture.finding.run));
        const classes = (wrong ? "error " : row.error ? "watched " : "") + (row.moved ? "moved " : "") + (row.outside ? "outside" : "");
        const group = draw("g", {class: classes});
        group.append(draw("title", {}, row.text + "  " + text(row.source)));
        const step = observed ? row.twin : row; // the same number in both pictures
        group.append(draw("text", {class: "number", x: 4, y: y(index) + 4}, step ? step.number : "\u00b7"));
        if (row.gap)
            group.append(draw("text", {class: "gap", x: LEFT + 16, y: HEAD + index * ROW + 3}, "\u22ee " + plural(row.gap, "step")));
        const room = Math.floor((lane - 26) / 7.3);
        const label = row.text.length > room ? row.text.slice(0, room - 1) + "\u2026" : row.text;
        group.append(draw("text", {x: x(row.thread) + 10, y: y(index) + 4}, label));
        group.append(draw("circle", {class: "dot", cx: x(row.thread), cy: y(index), r: row.error ? 6 : 4.5}));
        group.addEventListener("click", () => goTo(row));
        svg.append(group);
        return group;
    });
    if (either) svg.append(draw("text", {class: "gap", x: LEFT + 16, y: HEAD + order.length * ROW + 14}, "either may go first"));
    picture.panels.push({order, groups, rects, observed});
    return make("div", {class: "panel"}, make("h4", {}, title), names, make("div", {class: "scroller", tabindex: 0, role: "region", "aria-label": title}, svg));
}

function drawLocks(svg, order, x, y) {
    const open = new Map();
    const finish = (key, end) => {
        const bar = open.get(key);
        if (!bar) return;
        const color = "var(--lock" + picture.locks.indexOf(bar.lock) % 6 + ")", at = x(bar.thread);
        const line = draw("line", {class: "bar", x1: at, x2: at, y1: y(bar.index), y2: end, style: "stroke:" + color});
        line.append(draw("title", {}, data.threads[bar.thread] + " holds " + text(bar.lock)));
        svg.append(line);
        open.delete(key);
    };
    order.forEach((row, index) => {
        for (const lock of row.given) finish(row.thread + " " + lock, y(index));
        for (const lock of row.taken) open.set(row.thread + " " + lock, {thread: row.thread, lock, index});
    });
    for (const key of [...open.keys()]) finish(key, y(order.length - 1) + ROW / 2);
}

// What an order must keep: [from, to] of rows. A lock is given before it is taken, a thread
// created before it starts and over before it is joined, a waiter woken by a signal that found
// it waiting, a barrier left when all have come, a semaphore taken after it was posted.
function mustPrecede(order, all = false) {
    const arrows = [], given = new Map(), forked = new Map(), latest = new Map(), ran = new Map();
    const waits = new Map(), signals = new Map(), entered = new Map(), posts = new Map();
    const listOf = (map, key) => map.get(key) || map.set(key, []).get(key);
    const arrow = (from, to) => { if (from !== undefined && order[from].thread !== order[to].thread) arrows.push([from, to]); };
    const wake = (row, index) => {
        const since = waits.get(row.thread + " " + row.partner);
        const signal = listOf(signals, row.partner).find(each => each.index > since && (each.all || !each.used));
        if (!signal) return;
        signal.used = true;
        arrow(signal.index, index);
    };
    const actions = {
        fork: (row, index) => forked.set(text(row.object), index),
        join: (row, index) => arrow(latest.get(text(row.object)), index),
        wait: (row, index) => waits.set(row.thread + " " + row.partner, index),
        notify: (row, index) => listOf(signals, row.object).push({index, all: false}),
        notifyall: (row, index) => listOf(signals, row.object).push({index, all: true}),
        woken: wake,
        enter: (row, index) => listOf(entered, row.partner).push(index),
        exit: (row, index) => arrow(listOf(entered, row.partner).findLast(each => order[each].thread !== row.thread), index),
        post: (row, index) => listOf(posts, row.object).push(index),
        semwait: (row, index) => {
            if (all) for (const post of listOf(posts, row.object)) arrow(post, index);
            else arrow(listOf(posts, row.object).shift(), index);
        },
        onceend: (row, index) => ran.set(row.object, index),
        oncepass: (row, index) => arrow(ran.get(row.object), index),
    };
    order.forEach((row, index) => {
        for (const lock of row.taken) arrow(given.get(lock), index);
        for (const lock of row.given) given.set(lock, index);
        const full = data.threads[row.thread], name = forked.has(full) ? full : full.replace(/ \([^]*\)$/, ""); // "T0.1 (worker)"
        if (!latest.has(name)) arrow(forked.get(name), index);
        if (Object.hasOwn(actions, row.op)) actions[row.op](row, index);
        latest.set(name, index);
    });
    return arrows;
}

function drawArrows(svg, order, x, y, tip) {
    for (const [from, to] of mustPrecede(order)) {
        const x1 = x(order[from].thread), x2 = x(order[to].thread), y1 = y(from), y2 = y(to), gap = x1 < x2 ? 6 : -6;
        const why = tip === "tip1" && picture.chain.has(from + " " + to);
        svg.append(draw("path", {class: why ? "arrow why" : "arrow", "marker-end": "url(#" + tip + ")",
            d: "M" + (x1 + gap) + " " + y1 + "C" + (x1 + x2) / 2 + " " + y1 + " " + (x1 + x2) / 2 + " " + y2 + " " + (x2 - gap) + " " + y2}));
    }
}

// The locks each thread holds after the first `count` steps.
function holders(count) {
    const held = new Map();
    for (const row of picture.rows.slice(0, count)) {
        for (const lock of row.given) held.delete(row.thread + " " + lock);
        for (const lock of row.taken) held.set(row.thread + " " + lock, {thread: row.thread, object: lock});
    }
    return [...held.values()];
}

// Scrolls the picture alone: the buttons stay where they are.
function reveal(rect) {
    const box = rect.closest(".scroller"), area = box.getBoundingClientRect(), place = rect.getBoundingClientRect();
    if (place.top < area.top) box.scrollTop -= area.top - place.top + ROW;
    else if (place.bottom > area.bottom) box.scrollTop += place.bottom - area.bottom + ROW;
}

// A row of either picture.
function goTo(row) {
    const at = picture.rows.indexOf(row.twin && !picture.rows.includes(row) ? row.twin : row);
    if (at >= 0) go(at);
}

function go(to) {
    if (!picture) return;
    step = Math.max(0, Math.min(picture.rows.length - 1, to));
    const row = picture.rows[step];
    for (const {order, groups, rects, observed} of picture.panels)
        order.forEach((other, index) => {
            const here = other === row || other === row.twin;
            rects[index].classList.toggle("current", here);
            groups[index].classList.toggle("later", !observed && index > step && !(row.error && other.error && eitherMayGoFirst(order)));
            if (here) reveal(rects[index]);
        });
    document.getElementById("where").textContent = "step " + (step + 1) + " of " + picture.rows.length + ": thread " +
        data.threads[row.thread] + " " + row.text;
    const held = holders(step).map(lock => data.threads[lock.thread] + " holds " + text(lock.object));
    document.getElementById("detail").replaceChildren(make("div", {class: "card"},
        make("span", {class: "mono", title: text(row.source)}, near(text(row.source))), make("span", {class: "soft"}, held.length ? " \u00b7 " + held.join(", ") : ""),
        row.inside.length ? make("div", {class: "soft"}, row.inside.map(text).join(", ") + (row.count > row.inside.length ?
            " and " + (row.count - row.inside.length) + " more" : "")) : null,
        ...[source(row.source)].filter(Boolean)));
    revealMarks(document.getElementById("detail"));
}

// --- on paper ---------------------------------------------------------------------------

// All findings one after the other, each with its schedule as a list.
function stepList(finding) {
    return [make("h3", {}, "A schedule that reaches it (" + plural(finding.length, "event") + ")"),
        make("ol", {class: "mono"}, ...rowsOf(finding.steps, finding.kind === "deadlock").map(row => make("li",
            {value: row.place + 1, class: row.error ? "observed" : ""}, data.threads[row.thread] + " " + row.text + "  ",
            make("span", {class: "soft"}, base(text(row.source))))))];
}

window.addEventListener("beforeprint", () => {
    const paper = make("div", {id: "paper"}, ...data.findings.filter(finding => !finding.group)
        .map(finding => make("section", {}, ...describe(finding, stepList))));
    document.getElementById("paper")?.remove();
    const whole = run.cloneNode(true);
    whole.open = true;
    paper.prepend(whole);
    document.body.append(paper);
});
window.addEventListener("afterprint", () => document.getElementById("paper")?.remove());

// The overview of the run, which is markup: without findings it is all there is to see.
const run = document.getElementById("run");
run.open = !data.findings.length;
run.querySelector("summary").title = "open or close (o)";

// --- start ----------------------------------------------------------------------------

function moveFinding(by) {
    const at = shown.indexOf(current) + by;
    if (at >= 0 && at < shown.length) select(shown[at]);
}

function toggleTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
}

document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "Escape" && typing) document.activeElement.blur();
    if (typing) return;
    // Up, down, Home and End scroll, as everywhere; in the controls Home and End go to the ends.
    const inControls = document.activeElement.closest(".controls") !== null;
    const actions = {ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1),
        o: () => { run.open = !run.open; if (run.open) run.scrollIntoView(); }, k: () => moveFinding(-1), j: () => moveFinding(1), t: toggleTheme,
        "/": () => document.getElementById("search").focus()};
    if (inControls) Object.assign(actions, {Home: () => go(0), End: () => go(Infinity)});
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
});
document.getElementById("theme").addEventListener("click", toggleTheme);
for (const [name, values] of [["kind", data.findings.map(finding => finding.kind)], ["verdict", data.findings.map(finding => finding.verdict)]]) {
    fillSelect(document.getElementById(name), name, [...new Set(values)]);
    document.getElementById(name).addEventListener("change", filter);
}
document.getElementById("search").addEventListener("input", filter);
document.getElementById("sort").addEventListener("change", filter);
const kinds = new Map();
for (const finding of data.findings.filter(finding => !finding.group)) {
    const key = finding.kind + " " + finding.verdict;
    kinds.set(key, (kinds.get(key) || 0) + 1);
}
// How far an exploration came.
function explored() {
    const {runs, behaviours, complete, open} = data.exploration || {};
    return data.exploration ? [plural(runs, "run"), plural(behaviours, "behaviour"), complete ? "complete" : open ? "at least " +
        plural(open, "question") + " open" : "not complete"] : [];
}

document.getElementById("program").textContent = [...(data.program ? [data.program.command, (data.recorded.threads ? "recorded " : "explored ") +
    data.program.date, "on " + data.program.host] : []), "preplay " + data.version].join(" \u00b7 ");
document.getElementById("summary").textContent = [data.path, [...kinds].map(([key, count]) => plural(count, key.split(" ")[0]) + " " + key.split(" ")[1]).join(", "),
    ...explored(), ...data.recorded.threads ? [plural(data.recorded.events, "event"), plural(data.recorded.threads, "thread"),
        plural(data.recorded.objects, "shared object")] : [], data.run ? "recording " + data.run.recording.toFixed(2) + " s, predicting " +
        data.run.predicting.toFixed(2) + " s, " + plural(data.run.replays, "replay") + " " + data.run.replaying.toFixed(2) + " s" : "",
    data.undecided ? plural(data.undecided, "candidate") + " undecided" : "",
    data.run && data.run.left ? data.run.left + " not replayed" : "",
    data.hidden ? plural(data.hidden, "candidate") + " not shown" : "", root.length > 1 ? "sources in " + root : ""].filter(Boolean).join(" \u00b7 ");
if (data.incomplete)
    document.querySelector("header").append(make("p", {class: "incomplete", role: "alert"},
        "Incomplete: " + data.incomplete + ". Nothing is said about the rest."));
filter();
const wanted = data.findings.find(finding => "#" + finding.id === location.hash) || data.findings[0];
if (wanted) select(wanted);
else document.getElementById("finding").append(make("p", {}, "Nothing was found."));
window.addEventListener("hashchange", () => {
    const finding = byId.get(location.hash.slice(1));
    if (finding && finding !== current) select(finding);
});
document.documentElement.dataset.ready = "1";
