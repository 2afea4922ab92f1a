// Holds pages: html-validate, and axe in Chromium at two widths, light and dark; the first screen shows verdict, cause and picture;
// links open the parts that they lead to; print opens all; tables sort and filter by keyboard; nothing is loaded.
//
//     node check.mjs CHROMIUM PAGE.html...
//
// Prints what is wrong, and exits with 1 if anything is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { HtmlValidate, FileSystemConfigLoader } from "html-validate";
import puppeteer from "puppeteer-core";

const [chromium, ...files] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let wrong = 0, checks = 0;
const say = text => { wrong++; console.log(text); };

const validate = new HtmlValidate(new FileSystemConfigLoader({ extends: ["html-validate:recommended"], rules: { "long-title": "off" } }));
for (const file of files) {
  const report = await validate.validateString(readFileSync(file, "utf8"), "page.html");
  for (const result of report.results)
    for (const m of result.messages) say(`${file}:${m.line}:${m.column}: ${m.ruleId}: ${m.message}`);
}

const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
try {
  for (const file of files) {
    const page = await browser.newPage(), url = pathToFileURL(resolve(file)).href;
    page.on("request", r => { if (r.url() !== url && !r.url().startsWith("data:")) say(`${file}: asks for ${r.url()}`); });
    page.on("pageerror", e => say(`${file}: ${e}`));
    page.on("console", m => { if (m.type() === "error") say(`${file}: ${m.text()}`); });
    const open = async selector => page.evaluate(selector => document.querySelectorAll(selector).forEach(d => { d.open = true; }), selector);
    // The first screen of a desktop: verdict, cause, and the picture, most of it.
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(url);
    const first = await page.evaluate(() => {
      const at = selector => { const box = document.querySelector(selector)?.getBoundingClientRect(); return box && { top: box.top, bottom: box.bottom }; };
      return { svgs: document.querySelectorAll("svg").length, verdict: at("h1"), cause: at(".cause"), picture: at(".lead svg") };
    });
    const { verdict, cause, picture } = first;
    if (!(verdict?.bottom <= cause?.top && cause.bottom < 300)) say(`${file}: the first screen does not begin with verdict and cause: ${JSON.stringify(first)}`);
    if (first.svgs > 0 && !(cause && picture && picture.top >= cause.bottom && picture.top < 350 && (picture.bottom <= 800 || 800 - picture.top > 400)))
      say(`${file}: the first screen does not show the picture: ${JSON.stringify(first)}`);
    // A link opens the part that it leads to.
    for (const link of await page.$$("main a[href^='#']")) {
      if (!await link.isVisible()) continue;
      await link.evaluate(a => a.click());
      await new Promise(done => setTimeout(done, 5));
      const shut = await link.evaluate(a => document.getElementById(a.hash.slice(1)).closest("details:not([open])") !== null);
      if (shut) say(`${file}: a link leads to a part that stays closed: ${await link.evaluate(a => a.hash)}`);
    }
    // Print opens all, and closes it again.
    const closed = () => page.$$eval("details:not([open])", all => all.length);
    const before = await closed();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    if (await closed() > 0) say(`${file}: print leaves parts closed`);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    if (await closed() !== before) say(`${file}: parts stay open after print`);
    // Nothing but contrast depends on the scheme.
    for (const width of [390, 1280]) {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
      await page.goto(url);
      const beyond = async () => {
        const pixels = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (pixels > 0) say(`${file}: ${pixels} pixels wider than a window of ${width}`);
      };
      await beyond();
      await open("details");
      await beyond();
      await page.evaluate(`const module = undefined, exports = undefined; (0, eval)(${JSON.stringify(axe)})`);
      for (const [scheme, rules] of [["light", {}], ["dark", { runOnly: ["color-contrast"] }]]) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        const { violations, passes } = await page.evaluate(rules => axe.run(document, { resultTypes: ["violations"], ...rules }), rules);
        checks += passes.length;
        for (const v of violations) for (const n of v.nodes) say(`${file}: ${width} ${scheme}: ${v.id}: ${n.html.slice(0, 120)}: ${n.failureSummary}`);
      }
    }
    // Tables sort and filter, by keyboard, too.
    for (const table of await page.$$("table.sorts")) {
      const state = () => table.evaluate(t => ({
        shown: [...t.tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[0].textContent), sorted: t.querySelector("th").getAttribute("aria-sort"),
      }));
      const before = await state(), button = await table.$("thead button");
      await button.focus();
      await page.keyboard.press("Enter");
      const up = await state();
      await page.keyboard.press("Enter");
      const down = await state();
      if (up.sorted !== "ascending" || down.sorted !== "descending" || up.shown.length !== before.shown.length) say(`${file}: a table does not sort`);
      if (new Set(before.shown).size > 1 && String(up.shown) === String(down.shown)) say(`${file}: a table sorts nothing`);
      const input = await table.evaluateHandle(t => t.parentElement.previousElementSibling.querySelector("input"));
      await input.asElement().type("no row has this");
      if ((await state()).shown.length > 0) say(`${file}: a table does not filter`);
      checks++;
    }
    await page.close();
  }
} finally {
  await browser.close();
}
console.log(`${files.length} pages, ${checks} checks passed, ${wrong} wrong`);
process.exit(wrong > 0 || checks === 0 ? 1 : 0);
