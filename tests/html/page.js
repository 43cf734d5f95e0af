// Opens a report in Chromium and uses it as a reader would. Needs playwright-core (npm) and
// Debian's chromium: node page.js REPORT.html [SCREENSHOT.png]
// With STORY, HEAD or MARKED in the environment, wants the first finding, the head or the first mark to say that.
// With ARROWS in the environment, prints the arrows of the first finding's pictures.
const {chromium} = require("playwright-core");
const assert = require("assert");

// Not every wait below has a limit of its own, and a browser that hangs must not take the tests with it; one
// on a busy machine is slow.
setTimeout(() => { console.error("the browser does not answer"); process.exit(1); }, 900000).unref();

(async () => {
    const [file, picture] = process.argv.slice(2);
    const browser = await chromium.launch({executablePath: "/usr/bin/chromium", timeout: 600000,
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"]});
    const page = await browser.newPage({viewport: {width: 1280, height: 1000}});
    page.setDefaultTimeout(600000);
    const complaints = [], requests = [];
    page.on("console", message => complaints.push(message.text()));
    page.on("pageerror", error => complaints.push(error.message));
    page.on("dialog", dialog => { complaints.push("dialog " + dialog.message()); dialog.dismiss(); });
    page.on("request", request => requests.push(request.url()));
    const start = Date.now();
    await page.goto("file://" + file);
    await page.waitForSelector("html[data-ready]");
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const milliseconds = Date.now() - start;
    const where = () => page.textContent("#where");
    const findings = await page.locator("#list li").count();
    assert(findings > 0, "no findings are listed");
    assert(!/replaies/.test(await page.textContent("body")), "a plural that is none");
    // The keys that scroll are left alone, but in the controls.
    const started = await where();
    await page.keyboard.press("Home");
    assert.strictEqual(await where(), started);
    await page.click(".controls >> text=first");
    assert.match(await where(), /^step 1 of /);
    await page.keyboard.press("End");
    assert(!/^step 1 of [^1]/.test(await where()), "End in the controls goes to the last step");
    await page.keyboard.press("Home");
    assert.match(await where(), /^step 1 of /);
    await page.keyboard.press("ArrowRight");
    assert.match(await where(), /^step 2 of /);
    await page.click(".controls >> text=last");
    const last = await where();
    assert.strictEqual(last.match(/step (\d+) of (\d+)/)[1], last.match(/step (\d+) of (\d+)/)[2]);
    // This schedule and the recorded one, but of a run that failed by itself.
    const panels = await page.locator(".scroller svg").count(), alone = await page.evaluate(() => current.kind === "failure" || (!!current.run && current.model === "none"));
    assert.strictEqual(panels, alone ? 1 : 2, "panels");
    for (const finding of await page.evaluate(() => data.findings.filter(each => each.run).map(each => each.id))) {
        // Of an exploration nothing was recorded: beside a schedule is the run that it comes of, or nothing.
        await page.evaluate(id => select(byId.get(id)), finding);
        assert(!/As recorded|recorded run/.test(await page.textContent("#finding")), finding + " speaks of a recorded run");
    }
    if (process.env.HEAD) assert.match(await page.textContent("#summary"), new RegExp(process.env.HEAD));
    await page.evaluate(() => select(data.findings[0]));
    await page.click(".controls >> text=last");
    // Whoever scrolls still sees whose lane is whose, and the current step.
    for (const selector of [".names", ".scroller .row.current"])
        assert(await page.locator(selector).first().evaluate(element => {
            const box = element.closest(".panel").querySelector(".scroller").getBoundingClientRect(), own = element.getBoundingClientRect();
            return element.matches(".names") ? own.bottom <= box.top + 1 : own.top >= box.top - 1 && own.bottom <= box.bottom + 1;
        }), selector + " is out of sight");
    assert(await page.locator("svg .error").count() >= await page.evaluate(() => current.events.length), "the error is marked");
    // A step has one number in both pictures; the accesses of a race have one together, and neither is wrong as recorded.
    const steps = await page.evaluate(() => ({race: current.kind === "race", observed: current.verdict === "observed" && !current.run,
        numbers: picture.panels.map(({groups}) => groups.map(group => group.querySelector(".number").textContent)),
        wrong: picture.panels.map(({groups}) => groups.filter(group => group.classList.contains("error")).length)}));
    assert(alone || steps.numbers[1].every(number => number === "\u00b7" || steps.numbers[0].includes(number)), "numbers " + steps.numbers[1]);
    if (steps.race) assert.strictEqual(new Set(steps.numbers[0].slice(-2)).size, 1);
    assert.strictEqual(await page.locator("svg >> text=either may go first").count(), steps.race ? 1 : 0);
    if (!alone) assert.strictEqual(steps.wrong[1] > 0, steps.observed, "what went well is shown as wrong");
    const before = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.keyboard.press("t");
    assert.notStrictEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), before);
    if (picture) await page.screenshot({path: picture});
    // What a source line is quoted for is in sight, however long the line.
    const unseen = await page.evaluate(() => [...document.querySelectorAll("#main pre.source mark")].filter(mark => {
        const box = mark.closest("pre").getBoundingClientRect(), own = mark.getBoundingClientRect();
        return own.left < box.left || own.right > box.right;
    }).map(mark => mark.textContent));
    assert.deepStrictEqual(unseen, [], "marked and out of sight");
    // However far a line is scrolled its number stays, and short lines keep theirs.
    assert.deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll("#main pre.source .line")].filter(line =>
        line.getBoundingClientRect().left < line.closest("pre").getBoundingClientRect().left).map(line => line.parentElement.textContent)), []);
    if (process.env.MARKED) assert.strictEqual(await page.locator("#main .card mark").first().textContent(), process.env.MARKED);
    // The same event is current in both pictures, if the recorded one has it.
    const current = await page.locator("svg .row.current").count();
    assert(current === 1 || current === 2, current + " rows are current");
    if (process.env.ARROWS)
        for (const line of await page.evaluate(() => picture.panels.flatMap(({order, observed}) => mustPrecede(order).map(ends =>
            (observed ? "recorded: " : "schedule: ") + ends.map(end => data.threads[order[end].thread] + " " + order[end].text).join(" -> ")))))
            console.log(line);
    // Each finding says why nobody saw it, and where its schedule leaves the recorded run; a circle of locks is drawn.
    const story = await page.evaluate(() => ({finding: current, words: document.getElementById("main").textContent,
        circle: current.kind === "deadlock" ? waitingCircle(current).length : 0, drawn: document.querySelectorAll("svg.cycle").length, parts: picture.parts}));
    if (["confirmed", "predicted"].includes(story.finding.verdict) && /race|deadlock/.test(story.finding.kind) && !story.finding.run)
        assert.match(story.words, /Why it was not seen before/);
    assert.strictEqual(await page.locator("#main .meaning").count(), 1, "it does not say what that means");
    if (process.env.STORY) assert.match(story.words, new RegExp(process.env.STORY));
    assert.strictEqual(story.drawn, story.circle > 0 && story.circle < 7 ? 1 : 0);
    if (story.parts > 0) assert.match(story.words, /It leaves the recorded run at step/);
    // An address leads to its finding, in an open page too.
    const [first, second] = await page.evaluate(() => [shown[0].id, shown[shown.length - 1].id]);
    for (const id of [second, first]) {
        await page.evaluate(wanted => { location.hash = wanted; }, id);
        await page.waitForFunction(wanted => current.id === wanted, id);
    }
    // The run as a whole: closed while there are findings; its points lead to them.
    assert(!await page.locator("#run svg.run").first().isVisible(), "the overview is in the way");
    await page.keyboard.press("o");
    assert(await page.locator("#run svg.run").first().isVisible());
    const points = page.locator("svg.run a.mark");
    assert(await points.count() > 0, "no finding in the overview");
    const led = (await points.last().getAttribute("href")).slice(1);
    await points.last().dispatchEvent("click");
    await page.waitForFunction(id => current.id === id, led);
    await page.evaluate(wanted => select(byId.get(wanted)), first);
    // A filter leaves what it names.
    for (const name of ["kind", "verdict"]) {
        const value = await page.evaluate(name => data.findings[0][name], name);
        await page.selectOption("#" + name, value);
        assert(await page.evaluate(([name, value]) => shown.length > 0 && shown.length ===
            data.findings.filter(finding => finding[name] === value).length && shown.every(finding => finding[name] === value), [name, value]));
        await page.selectOption("#" + name, "");
    }
    // Sorting changes the order and nothing else.
    const names = () => page.locator("#list li small:last-of-type").allTextContents();
    const unsorted = await names();
    await page.selectOption("#sort", "id");
    assert.deepStrictEqual([...await names()].sort(), [...unsorted].sort());
    await page.selectOption("#sort", "");
    assert.deepStrictEqual(await names(), unsorted);
    // No serious complaint about accessibility, light or dark.
    for (const colours of ["light", "dark"]) {
        await page.emulateMedia({colorScheme: colours});
        await page.evaluate(() => { delete document.documentElement.dataset.theme; });
        await page.evaluate(require("fs").readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") + "; 0");
        const judged = await page.evaluate(() => axe.run());
        assert.deepStrictEqual(judged.violations.filter(each => /serious|critical/.test(each.impact))
            .map(each => colours + " " + each.id + " " + each.nodes[0].html.slice(0, 120)), []);
    }
    // On paper there are all causes, one after the other.
    await page.emulateMedia({media: "print"});
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    const causes = await page.evaluate(() => data.findings.filter(finding => !finding.group).length);
    assert.strictEqual(await page.locator("#paper section:visible").count(), causes);
    assert(!await page.locator("nav").isVisible());
    assert(await page.locator("#paper svg.run").first().isVisible(), "the overview is not on paper");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({media: "screen"});
    assert.strictEqual(await page.locator("#paper").count(), 0);
    // Narrow: nothing is wider than the screen.
    await page.setViewportSize({width: 390, height: 844});
    assert(await page.evaluate(() => document.documentElement.scrollWidth) <= 390, "wider than a telephone");
    await page.setViewportSize({width: 1280, height: 1000});
    // Without JavaScript: all that text has.
    const reader = await browser.newContext({javaScriptEnabled: false});
    const plain = await reader.newPage();
    await plain.goto("file://" + file);
    assert.match(await plain.locator("noscript pre").textContent(), /preplay: (\d+ |nothing found; not confirmed: \d)/);
    assert(!await plain.locator("nav").isVisible(), "controls that nothing runs");
    assert(await plain.locator("svg.run").first().isVisible(), "no overview without JavaScript");
    const leads = (await plain.locator("svg.run a.mark").first().getAttribute("href")).slice(1);
    assert.strictEqual(await plain.locator("noscript a#" + leads).count(), 1, "a point leads nowhere");
    await reader.close();
    await page.keyboard.press("/");
    await page.keyboard.type("there is no such word");
    assert.strictEqual(await page.locator("#list li").count(), 0);
    await page.fill("#search", "");
    assert.strictEqual(await page.locator("#list li").count(), findings);
    assert.strictEqual(await page.locator("img, iframe, object, embed, link").count(), 0, "markup from the target");
    assert.deepStrictEqual(complaints, []);
    assert.strictEqual(requests.length, 1, "the page asked for more than itself: " + requests);
    console.log(findings + " findings, ready after " + milliseconds + " ms");
    await browser.close();
})().catch(error => { console.error(error.message); process.exit(1); });
