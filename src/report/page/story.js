// The story of a finding: what the program does then, why the recorded run hid it, where the schedule
// leaves it, and who waits for whom. Uses what program.js defines; nothing here runs by itself.

// What replays saw, worst first.
function consequences(finding) {
    if (!finding.consequence) return null;
    const orders = [...finding.consequence.orders].sort((a, b) => !!b.rule - !!a.rule);
    return make("ul", {class: "effects"}, ...orders.map(order => {
        const event = finding.events[order.first];
        return make("li", {}, event ? "If thread " + event.thread + " " + event.text.split(" ")[0] + " first: " : "What the program does then: ",
            make(order.rule ? "b" : "span", {class: order.rule ? "observed" : ""}, order.text), order.rule ? "" : ", as the recorded run",
            order.values ? make("span", {class: "soft"}, " (" + order.values + ")") : null);
    }));
}

// The first row of the schedule that is not the recorded order's, or -1.
function firstDifference(rows, recorded) {
    const inside = recorded.filter(row => !row.outside);
    return rows.findIndex((row, i) => !inside[i] || inside[i].pos !== row.pos);
}

// The run beside its schedule, as a part of a sentence.
const runName = finding => finding.run ? "run " + finding.run : "the recorded run";

// Did it happen in the very run that its schedule comes of? Then there is nothing to set beside it.
function showsItself(finding, rows, recorded) {
    const same = firstDifference(rows, recorded) < 0;
    return finding.run ? same || finding.model === "none" : same && finding.kind === "failure";
}

// --- who waits for whom -------------------------------------------------------------------

// Events in the order in which each waits for what the next one holds; empty if that is no circle.
function waitingCircle(finding) {
    const holds = (event, lock) => event.locks.some(held => text(held[0]).replace(/ for reading$/, "") === lock);
    const circle = [finding.events[0]];
    while (circle.length <= finding.events.length) {
        const wanted = circle[circle.length - 1].object, holder = finding.events.find(event => holds(event, wanted));
        if (!holder) return [];
        if (holder === circle[0]) return circle.length === finding.events.length ? circle : [];
        circle.push(holder);
    }
    return [];
}

function cyclePicture(finding) {
    const circle = finding.kind === "deadlock" ? waitingCircle(finding) : [];
    if (!circle.length || circle.length > 6) return null;
    const nodes = circle.flatMap(event => [{name: event.thread, thread: true}, {name: event.object, thread: false}]);
    const width = 560, height = circle.length === 1 ? 120 : 150 + 40 * circle.length, wide = 124, high = 30;
    const at = i => circle.length === 1 ? [width / 4 + i * width / 2, height / 2]
        : [width / 2 - (width / 2 - wide / 2 - 6) * Math.cos(Math.PI * 2 * i / nodes.length),
            height / 2 - (height / 2 - high / 2 - 6) * Math.sin(Math.PI * 2 * i / nodes.length)];
    const label = "Each thread wants a lock that the next one holds: " +
        circle.map(event => event.thread + " wants " + event.object).join(", ");
    const svg = draw("svg", {viewBox: "0 0 " + width + " " + height, width, height, role: "img", "aria-label": label, class: "cycle"});
    const defs = draw("defs", {}), marker = draw("marker", {id: "tip2", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto"});
    marker.append(draw("path", {d: "M0 0L8 4L0 8z", class: "tip"}));
    defs.append(marker);
    svg.append(defs);
    nodes.forEach((node, i) => { // from border to border, bent where there are but two
        const [x1, y1] = at(i), [x2, y2] = at((i + 1) % nodes.length), bend = nodes.length === 2 ? (i ? 34 : -34) : 0;
        const edge = (fx, fy, tx, ty) => {
            const dx = tx - fx, dy = ty - fy, scale = Math.min(dx ? (wide / 2 + 3) / Math.abs(dx) : 9, dy ? (high / 2 + 3) / Math.abs(dy) : 9);
            return [fx + dx * scale, fy + dy * scale];
        };
        const [sx, sy] = edge(x1, y1, x2, y2), [ex, ey] = edge(x2, y2, x1, y1);
        svg.append(draw("path", {class: node.thread ? "wants" : "held", "marker-end": "url(#tip2)",
            d: "M" + sx + " " + sy + "Q" + (sx + ex) / 2 + " " + ((sy + ey) / 2 + bend) + " " + ex + " " + ey}));
        svg.append(draw("text", {class: "edge", x: (sx + ex) / 2, y: (sy + ey) / 2 + bend * .7 + 4, "text-anchor": "middle"}, node.thread ? "wants" : "held by"));
    });
    nodes.forEach((node, i) => {
        const [x, y] = at(i);
        svg.append(draw("rect", {class: node.thread ? "thread" : "lock", x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: node.thread ? 15 : 4}));
        const name = draw("text", {x, y: y + 4, "text-anchor": "middle"}, node.name.length <= 16 ? node.name
            : node.thread ? node.name.slice(0, 15) + "\u2026" : "\u2026" + node.name.slice(-15));
        name.append(draw("title", {}, node.name));
        svg.append(name);
    });
    return make("div", {class: "cyclebox"}, svg);
}

// What stands between the two accesses and the schedule.
function story(finding) {
    const recorded = rowsOf(finding.recorded, false), why = whyHidden(finding, recorded), parts = [];
    if (finding.advice) parts.push(make("p", {class: "advice"}, make("b", {}, "Suggestion: "), finding.advice + "."));
    const cycle = cyclePicture(finding);
    if (cycle) parts.push(make("h3", {}, "Who waits for whom"), cycle);
    if (tellsWhy(finding)) parts.push(make("h3", {}, "Why it was not seen before"), make("p", {}, finding.note));
    if (why && why.words.length)
        parts.push(make("h3", {}, "Why it was not seen before"), make("p", {}, why.words[0]),
            ...why.words.slice(1).map(words => make("div", {class: "mono why"}, words)));
    return parts;
}
