#!/usr/bin/env node
// Opens every page of a folder in Chromium, at the widths of a desk and of a telephone, light and
// dark, and says what is wrong with it: errors in the console, findings of axe-core that are serious
// or critical, what stands out of the page to the right, what the Tab key does not reach or shows no
// focus on, buttons that do not answer.
//
// Usage: check_pages.mjs FOLDER [--screenshots DIR]
//   PUPPETEER  the folder of puppeteer-core; AXE  the file axe.min.js; CHROMIUM  the browser,
//   chromium on PATH if not given. `npm install puppeteer-core axe-core` in a folder of its own gives
//   node_modules/puppeteer-core and node_modules/axe-core/axe.min.js.
// Exit: 0 nothing is wrong, 1 something is, 77 not checked (something is not installed).

import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const kViews = [
  {name: 'desk', width: 1400, height: 1000, theme: 'light'},
  {name: 'dark', width: 1400, height: 1000, theme: 'dark'},
  {name: 'phone', width: 390, height: 844, theme: 'light'},
  {name: 'phone_dark', width: 390, height: 844, theme: 'dark'},
];
const kTabs = 4000;  // At most as many presses.

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

function browser_path() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  try {
    return execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
  } catch {
    return skip('no chromium on PATH; CHROMIUM names one');
  }
}

function load_tools() {
  const {PUPPETEER, AXE} = process.env;
  if (!PUPPETEER || !existsSync(PUPPETEER))
    skip('PUPPETEER names no folder; `npm install puppeteer-core` gives one');
  if (!AXE || !existsSync(AXE)) skip('AXE names no file; `npm install axe-core` gives one');
  return {
    puppeteer: createRequire(import.meta.url)(resolve(PUPPETEER)),
    axe: readFileSync(AXE, 'utf8')
  };
}

// Of axe, what keeps people from reading or using the page.
async function axe_findings(page, axe) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const {violations} = await globalThis.axe.run(document, {resultTypes: ['violations']});
    return violations.filter((v) => ['serious', 'critical'].includes(v.impact))
        .map(
            (v) => `axe, ${v.impact}, ${v.id}: ${v.nodes.length} x ${
                v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | ')}${
                v.nodes[0]?.any?.[0]?.message ? ` (${v.nodes[0].any[0].message})` : ''}`);
  });
}

function overflow(page) {
  return page.evaluate(() => {
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    return wide > 0 ? [`stands out of the page by ${wide} px`] : [];
  });
}

// Presses Tab until it is back where it began; what can be focused must have been, with an outline.
async function keyboard(page) {
  await page.evaluate(() => {
    document.activeElement?.blur();
    const can = 'a[href], button:not([disabled]), input, select, summary, [tabindex="0"]';
    globalThis.waiting = new Set([...document.querySelectorAll(can)].filter(
        (e) => e.checkVisibility({visibilityProperty: true}) &&
            !e.closest('details:not([open]) > :not(summary)')));
    globalThis.unseen = new Set();
  });
  let left = 0;
  for (let i = 0; i < kTabs; ++i) {
    await page.keyboard.press('Tab');
    left = await page.evaluate(() => {
      const e = document.activeElement;
      const style = getComputedStyle(e);
      if (e !== document.body && (style.outlineStyle === 'none' || style.outlineWidth === '0px'))
        globalThis.unseen.add(e.id || e.textContent.slice(0, 30) || e.className);
      globalThis.waiting.delete(e);
      return globalThis.waiting.size;
    });
    if (left === 0) break;
  }
  return page.evaluate(
      () =>
          [...[...globalThis.waiting].slice(0, 3).map(
               (e) => `Tab does not reach ${e.tagName} ${e.id || e.textContent.slice(0, 40)}`),
           ...[...globalThis.unseen].slice(0, 3).map((name) => `no outline on focus: ${name}`),
  ]);
}

// The network's graph, where there is one, with a real pointer and real keys.
async function graph_moves(page) {
  const body = await page.$('#graph:not([hidden]) #graph_body');
  if (!body) return [];
  const problems = [];
  const where = () => page.$eval('#graph_body svg > g', (g) => g.getAttribute('transform'));
  const expect_move = async (what, act) => {
    const before = await where();
    await act();
    if (await where() === before) problems.push(`the graph does not move: ${what}`);
  };
  await body.scrollIntoView();
  const {x, y, width, height} = await body.boundingBox();
  await expect_move('drag', async () => {
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 40, y + height / 2 - 60, {steps: 4});
    await page.mouse.up();
  });
  await body.focus();
  await expect_move('+', () => page.keyboard.press('+'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  if (await page.$eval('#detail', (e) => e.hidden)) problems.push('arrows select no box');
  await page.keyboard.press('Escape');
  return problems;
}

// Columns sort by Enter.
async function sorts_by_keys(page) {
  const head = await page.$('th[aria-sort] button');
  if (!head) return [];
  const sort = () => head.evaluate((e) => e.closest('th').getAttribute('aria-sort'));
  const before = await sort();
  await head.focus();
  await page.keyboard.press('Enter');
  return await sort() === before ? ['Enter sorts no column'] : [];
}

// Every button answers a press of Enter without an error; tables that sort say so.
async function presses(page) {
  return page.evaluate(async () => {
    const problems = [];
    const settle = () => new Promise((done) => setTimeout(done, 30));
    for (const head of [...document.querySelectorAll('th[aria-sort] button')]) {
      head.click();
      await settle();
      const sort = head.closest('th').getAttribute('aria-sort');
      if (sort === 'none') problems.push(`column ${head.textContent} does not sort`);
    }
    for (const each of [...document.querySelectorAll('button')].slice(0, 400)) {
      if (each.isConnected && !each.disabled && each.id !== 'theme') each.click();
    }
    await settle();
    return problems;
  });
}

async function check(browser, axe, file, view, pictures) {
  const page = await browser.newPage();
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'warning'].includes(message.type()))
      problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  await page.setViewport({width: view.width, height: view.height});
  await page.emulateMediaFeatures([
    {name: 'prefers-color-scheme', value: view.theme},
    {name: 'prefers-reduced-motion', value: 'reduce'}
  ]);
  await page.goto(pathToFileURL(file).href);
  await new Promise((done) => setTimeout(done, 300));
  if (pictures) {
    const name = `${file.split('/').at(-1).replace('.html', '')}_${view.name}.png`;
    await page.screenshot({path: join(pictures, name), fullPage: true});
  }
  problems.push(...await overflow(page));
  problems.push(...await axe_findings(page, axe));
  if (view.theme === 'light') {
    problems.push(...await keyboard(page));
    problems.push(...await graph_moves(page));
    problems.push(...await sorts_by_keys(page));
    problems.push(...await presses(page));
    problems.push(...(await axe_findings(page, axe)).map((line) => `after presses: ${line}`));
  }
  await page.close();
  return problems;
}

const [folder, flag, pictures] = process.argv.slice(2);
if (!folder || (flag && flag !== '--screenshots')) {
  console.log('usage: check_pages.mjs FOLDER [--screenshots DIR]');
  process.exit(3);
}
if (pictures) mkdirSync(pictures, {recursive: true});
const {puppeteer, axe} = load_tools();
const browser = await puppeteer.launch(
    {executablePath: browser_path(), headless: true, args: ['--no-sandbox', '--disable-gpu']});
let wrong = 0;
for (const name of readdirSync(folder).filter((each) => each.endsWith('.html')).sort()) {
  for (const view of kViews) {
    const problems = [...new Set(await check(browser, axe, resolve(folder, name), view, pictures))];
    wrong += problems.length;
    console.log(`${name}, ${view.name}: ${problems.length ? '' : 'good'}`);
    for (const problem of problems) console.log(`  ${problem}`);
  }
}
await browser.close();
process.exit(wrong ? 1 : 0);
