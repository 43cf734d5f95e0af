// What a finding is to somebody who has not seen its like, and why nobody saw it. Uses what program.js
// defines; nothing here runs by itself.

const MEANINGS = {
    "data race": "Two threads touch the same memory, at least one writes, and nothing makes one wait for the other.",
    "double-checked locking": "It is read without the lock that it is written under: a reader may see it before what it stands for is complete.",
    "use after free": "One thread frees memory that another still uses, and nothing makes the one wait for the other.",
    "double free": "Two threads free the same memory, and nothing makes one leave it to the other.",
    "use before initialisation": "One thread uses what another may not have initialised yet.",
    "lock-order inversion": "Each thread holds a lock that the next one wants: if all come that far, none goes on.",
    "reader upgrade": "A thread wants to write under a lock that it, or another that wants the same, holds for reading: nobody gives it back.",
    "self-deadlock": "The thread wants a lock that it holds itself.",
    "missing unlock": "The thread wants a lock whose owner has ended without giving it back.",
    "lost wake-up": "A signal wakes who waits at that moment. If it comes before the wait begins nobody keeps it, and the waiter sleeps for good.",
    "deadlock": "Each thread waits for what another of them would have to do: none goes on.",
    "atomicity violation": "Steps that belong together can be parted by another thread's, though each alone may be protected.",
    "crash": "The program crashes.",
    "abort": "The program gives up by itself.",
    "assertion failed": "What the program says must hold does not hold in this order of its threads.",
    "heap misuse": "The heap finds its blocks misused.",
    "hang": "The program does not come to an end.",
    "wrong exit code": "The program ends with another exit code than in the first run that went well.",
    "wrong output": "The program prints something else than in the first run that went well.",
    "check failed": "The command given as --check does not accept what this run left behind.",
    "order violation": "The program counts on an order of two steps that nothing enforces.",
};

// How the recorded order puts row `from` before row `to`: as few arrows as possible, as [from, to] of rows;
// null if it does not.
function chainOf(order, from, to) {
    const arrows = mustPrecede(order, true), next = new Array(order.length).fill(-1), last = new Map();
    for (let i = order.length - 1; i >= 0; i--) {
        if (last.has(order[i].thread)) next[i] = last.get(order[i].thread);
        last.set(order[i].thread, i);
    }
    const out = new Map();
    for (const arrow of arrows) out.has(arrow[0]) ? out.get(arrow[0]).push(arrow) : out.set(arrow[0], [arrow]);
    const best = new Array(order.length).fill(Infinity), by = new Array(order.length).fill(null);
    best[from] = 0;
    for (let i = from; i <= to; i++) { // all edges go forward
        if (best[i] === Infinity) continue;
        if (next[i] >= 0 && best[i] < best[next[i]]) { best[next[i]] = best[i]; by[next[i]] = [i, null]; }
        for (const arrow of out.get(i) || [])
            if (best[i] + 1 < best[arrow[1]]) { best[arrow[1]] = best[i] + 1; by[arrow[1]] = [i, arrow]; }
    }
    if (best[to] === Infinity) return null;
    const chain = [];
    for (let at = to; at !== from; at = by[at][0]) if (by[at][1]) chain.unshift(by[at][1]);
    return chain;
}

const place = row => base(text(row.source));
const deed = row => data.threads[row.thread] + " " + row.text + (text(row.source) ? " (" + place(row) + ")" : "");

// [words, arrow] of the recorded order: where the holder of each wanted lock gave it back.
function givenBack(finding, recorded) {
    return finding.events.flatMap(event => {
        const wants = recorded.findIndex(row => row.error && data.threads[row.thread] === event.thread);
        const holder = finding.events.find(other => other !== event &&
            other.locks.some(held => text(held[0]).replace(/ for reading$/, "") === event.object));
        const gives = holder ? recorded.findLastIndex((row, index) => index < wants &&
            data.threads[row.thread] === holder.thread && row.given.some(lock => text(lock) === event.object)) : -1;
        return gives < 0 ? [] : [[gives, wants]];
    });
}

// Who sent the signal that the recorded run did not lose.
function sentLater(finding, recorded) {
    const woken = recorded.findIndex(row => row.error), condition = finding.events[0].object;
    const signals = recorded.findLastIndex((row, index) => (woken < 0 || index < woken) &&
        (row.op === "notify" || row.op === "notifyall") && text(row.object) === condition);
    return signals < 0 ? [] : [[signals, woken < 0 ? signals : woken]];
}

function whyNoDeadlock(finding, recorded) {
    const lost = finding.nature === "lost wake-up", chain = lost ? sentLater(finding, recorded) : givenBack(finding, recorded);
    const words = lost ? "In " + runName(finding) + " the signal came after the wait had begun, so that it was not lost"
        : "In " + runName(finding) + " each of these was free when it was wanted: the threads came one after the other";
    return {words: [words + (chain.length ? ":" : "."), ...chain.map(ends => ends.map(end => deed(recorded[end])))
        .map(deeds => [...new Set(deeds)].join(" \u2192 "))], chain: chain.filter(([from, to]) => from !== to)};
}

// The steps that belong together are the thread's that has more than one of the events.
function whyNotParted(finding, recorded) {
    const rows = recorded.filter(row => row.error), counts = new Map();
    for (const row of rows) counts.set(row.thread, (counts.get(row.thread) || 0) + 1);
    const whole = rows.find(row => counts.get(row.thread) > 1), other = whole && rows.find(row => row.thread !== whole.thread);
    if (!other) return {words: [], chain: []};
    const inside = rows.filter(row => row.thread === whole.thread), at = row => recorded.indexOf(row);
    const side = at(other) > at(inside[inside.length - 1]) ? "after" : at(other) < at(inside[0]) ? "before" : null;
    if (!side) return {words: [], chain: []};
    return {words: ["In " + runName(finding) + " " + deed(other) + " came " + side + " all of these, not between them:",
        ...inside.map(deed)], chain: []};
}

// What the rules of locks forbid, and another order of the recorded steps would have done.
function whyNoMisuse(finding, recorded, errors) {
    if (errors.length !== 2) return {words: [], chain: []};
    const [first, second] = errors;
    const gives = recorded.findLastIndex((row, i) => i > first && i < second && row.thread === recorded[first].thread &&
        row.given.some(lock => text(lock) === finding.object));
    if (gives < 0) return {words: ["In " + runName(finding) + " " + deed(recorded[first]) + " came before " + deed(recorded[second]) +
        ", and nothing makes it come so."], chain: []};
    return {words: ["In " + runName(finding) + " the lock was given back in time, though nothing makes it come so:",
        deed(recorded[gives]) + " \u2192 " + deed(recorded[second])], chain: [[gives, second]]};
}

// Of a run that failed: how it differs from those that went well.
const tellsWhy = finding => (finding.kind === "failure" || (!!finding.run && finding.model === "none")) && !!finding.note && finding.verdict !== "observed";

// {words, chain}: why nobody saw it. `chain` are arrows of the recorded order.
function whyHidden(finding, recorded) {
    const errors = recorded.map((row, index) => index).filter(index => recorded[index].error);
    const none = {words: [], chain: []};
    if (finding.run && showsItself(finding, rowsOf(finding.steps, finding.kind === "deadlock"), recorded)) return null;
    if (finding.kind === "race" && finding.verdict === "observed" && !finding.run)
        return {words: ["It could be seen only by its effect: nothing in the recorded run puts the two in an order, and either may come first."], chain: []};
    if (finding.verdict === "observed" && !finding.run) return null;
    if (finding.kind === "deadlock") return whyNoDeadlock(finding, recorded);
    if (finding.kind === "atomicity") return whyNotParted(finding, recorded);
    if (finding.kind === "misuse") return whyNoMisuse(finding, recorded, errors);
    if (finding.kind !== "race" || errors.length !== 2) return none;
    const chain = chainOf(recorded, errors[0], errors[1]), [first, second] = errors.map(index => recorded[index]);
    const began = "In " + runName(finding) + " " + data.threads[first.thread] + " came first";
    if (!chain) return {words: [began + ", and the other only later."], chain: []};
    if (first.thread === second.thread || !chain.length) return none;
    return {words: [began + ", and this happened to order the two, though nothing makes it come so:",
        ...chain.map(([from, to]) => deed(recorded[from]) + " \u2192 " + deed(recorded[to]))], chain};
}
