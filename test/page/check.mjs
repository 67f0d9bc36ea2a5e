// Copyright 2026 the Sherd authors
// SPDX-License-Identifier: MIT
//
// node check.mjs PAGE.html SECONDS BODIES FOLDER: opens a page that `sherd run -o` wrote in Chromium, from disk and
// without a network, and checks that it plays: time goes on, pieces appear, slider, keys, mouse and fingers work, and
// nothing complains. Leaves pictures in the folder.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const { chromium } = createRequire(join(process.cwd(), "x.js"))("playwright-core");

const [file, seconds, bodies, folder] = process.argv.slice(2), length = Number(seconds), address = pathToFileURL(file).href;
const profile = mkdtempSync(join(tmpdir(), "sherd-page-"));
const problems = [];
function check(good, what) {
    if (!good) problems.push(what);
}

const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true, offline: true, hasTouch: true,
    viewport: { width: 1280, height: 720 },
    args: ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--disable-quic", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
});
try {
    const page = await browser.newPage();
    page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text())) problems.push(`console: ${message.text()}`); });
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) problems.push(`asked the network for ${request.url()}`); });
    const state = () => page.evaluate(() => ({ time: Number(document.body.dataset.time), bodies: Number(document.body.dataset.bodies), label: document.getElementById("play").getAttribute("aria-label") }));
    const until = async (test, what, limit = 60000) => {
        try { await page.waitForFunction(test, null, { timeout: limit }); } catch { problems.push(`${what}: not within ${limit / 1000} s`); }
    };
    const colours = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => { // of the middle, after a frame
        const canvas = document.getElementById("canvas"), small = document.createElement("canvas");
        small.width = 64; small.height = 36;
        window.sherd.draw();
        small.getContext("2d").drawImage(canvas, 0, 0, 64, 36);
        const seen = new Set(), d = small.getContext("2d").getImageData(0, 0, 64, 36).data;
        for (let i = 0; i < d.length; i += 4) seen.add((d[i] >> 3) << 10 | (d[i + 1] >> 3) << 5 | d[i + 2] >> 3);
        done(seen.size);
    })));

    // It plays by itself, and pieces appear.
    await page.goto(address);
    await until(() => Number(document.body.dataset.time) > 0.2, "the film does not start");
    const first = await state();
    await until(() => Number(document.body.dataset.time) > 0.5, "the film does not go on");
    check(await colours() > 20, "the picture is empty");

    // Still pictures at several moments, by the address.
    for (const [name, share] of [["start", 0], ["middle", 0.5], ["late", 0.7], ["end", 1]]) {
        await page.goto("about:blank");
        await page.goto(`${address}#t=${(share * length).toFixed(3)}`);
        await until(() => document.body.dataset.time !== undefined, "no picture at a moment");
        const there = await state();
        check(Math.abs(there.time - share * length) < 0.02, `#t=${share * length} shows ${there.time}`);
        if (name === "end") check(there.bodies === Number(bodies), `${there.bodies} bodies at the end, not ${bodies}`);
        await page.screenshot({ path: join(folder, `${name}.png`) });
    }

    // Keys: at the end space begins anew; arrows step; Home and End.
    await page.keyboard.press("Home");
    await until(() => Number(document.body.dataset.time) === 0, "Home does not lead to the start");
    await page.keyboard.press("ArrowRight");
    await until(() => Number(document.body.dataset.time) > 0.01, "an arrow does not step");
    check((await state()).time < 0.1, "an arrow steps too far");
    await page.keyboard.press("Space");
    await until(() => Number(document.body.dataset.time) > 0.15, "space does not play");
    await page.keyboard.press("Space");
    const stopped = await state();
    await page.waitForTimeout(500);
    check(Math.abs((await state()).time - stopped.time) < 0.15, "space does not pause");
    await page.keyboard.press("End");
    await until(() => Number(document.body.dataset.bodies) > 0 && Number(document.body.dataset.time) > 0.9 * Number(document.getElementById("time").max), "End does not lead to the end");

    // The slider, by mouse and by touch.
    const slider = await page.locator("#time").boundingBox();
    await page.mouse.click(slider.x + slider.width / 4, slider.y + slider.height / 2);
    const near = async (share, what) => {
        for (let i = 0; i < 50 && Math.abs((await state()).time / length - share) > 0.03; ++i) await page.waitForTimeout(100);
        const there = (await state()).time / length;
        check(Math.abs(there - share) <= 0.03, `${what} on the slider at ${share} leads to ${there}`);
    };
    await near(0.25, "a click");
    await page.touchscreen.tap(slider.x + slider.width * 0.6, slider.y + slider.height / 2);
    await near(0.6, "a tap");
    const button = await page.locator("#play").boundingBox();
    check(button.width >= 36 && button.height >= 36, "the button is too small for a finger");

    // Mouse, wheel and one finger move the camera.
    const camera = () => page.evaluate(() => JSON.stringify(window.sherd.camera()));
    let before = await camera();
    const moved = async (what) => { const now = await camera(); check(now !== before, `${what} does not move the camera`); before = now; };
    await page.mouse.move(600, 300); await page.mouse.down(); await page.mouse.move(700, 340); await page.mouse.up();
    await moved("dragging");
    await page.mouse.wheel(0, -300); await page.waitForTimeout(200);
    await moved("the wheel");
    await page.mouse.move(600, 300); await page.mouse.down({ button: "right" }); await page.mouse.move(650, 320); await page.mouse.up({ button: "right" });
    await moved("the right button");
    const touch = await page.context().newCDPSession(page), at = (x, y, id) => ({ x, y, id });
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at(500, 300, 0)] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [at(560, 330, 0)] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await moved("a finger");
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at(500, 300, 0), at(700, 300, 1)] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [at(450, 300, 0), at(750, 300, 1)] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await moved("spreading two fingers");
    await page.keyboard.press("r");
    await page.waitForTimeout(300);
    await moved("r");

    // A narrow screen: nothing sticks out.
    await page.setViewportSize({ width: 390, height: 780 });
    await page.waitForTimeout(800);
    const out = await page.evaluate(() => [...document.querySelectorAll("footer, footer *, header *")].filter((e) => e.getBoundingClientRect().right > innerWidth - 4).map((e) => e.id || e.tagName));
    check(out.length === 0, `sticks out of a narrow screen: ${out}`);
    await page.screenshot({ path: join(folder, "narrow.png") });
    check(first.bodies > 0, "there are no bodies");
} finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
}
for (const problem of problems) console.log(problem);
if (problems.length) process.exit(1);
console.log(`${file}: plays ${length} s, ${bodies} bodies at the end; pictures in ${folder}`);
