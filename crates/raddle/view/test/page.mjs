// Every state of a page in a real browser: no error, no request, nothing that overflows, nothing that
// a reader of screens stumbles over.
//
//   node test/page.mjs PAGE [FOLDER [STATE,..]]    PAGE is a file or an address; pictures go into FOLDER;
//   these states alone
import { chromium } from 'playwright-core';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const [, , file, pictures, only] = process.argv;
const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const wrong = [];
const served = file.startsWith('http:'), start = served ? file : pathToFileURL(file).href;

// What a state is reached by: keys, or places in the address.
const STATES = [
  ['first sight', '', []],
  ['nothing chosen', '', ['Escape']],
  ['utilisation', '', ['2']],
  ['flows sharing', '', ['3']],
  ['a link by its heat', '', ['Escape', ']', ']']],
  ['a flow on it', '', ['Escape', ']', 'f']],
  ['a packet', '', ['w', 'p', 'p', 'Shift+P']],
  ['packets come', '', []],
  ['run B', '', ['b']],
  ['side by side', '', ['s']],
  ['A minus B', '', ['d']],
  ['later', '', ['End', 'ArrowLeft', 'Shift+ArrowLeft']],
  ['zoomed', '', ['z']],
  ['keys', '', ['?']],
  ['an address that means nothing', '#run=q&colour=none&t=-5&link=nowhere&flow=99999999', []],
];

const states = STATES.filter(([name]) => !only || only.split(',').includes(name));
for (const [width, height] of [[1400, 980], [390, 844]]) for (const theme of ['light', 'dark']) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  // Its policy lets nothing in but its own script: what looks at it comes from outside.
  const page = await context.newPage();
  const told = (what) => wrong.push(`${width} px, ${theme}: ${what}`);
  page.on('pageerror', (error) => told(error.message));
  page.on('console', (message) => { if (message.type() === 'error') told(message.text()); });
  page.on('request', (request) => { if (!request.url().startsWith(served ? start : 'file:') && !request.url().startsWith('data:')) told(`asks for ${request.url()}`); });
  for (const [name, hash, keys] of states) {
    await page.goto('about:blank');
    await page.goto(start + hash);
    await page.waitForSelector('body[data-ready]');
    if (await page.evaluate(() => document.body.dataset.ready) !== 'yes') told(`${name}: did not open`);
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(60);
    if (name === 'packets come') {
      // A file has those of the tail; a server is asked for them.
      const there = () => document.getElementById('panel').textContent.includes('one-way delay');
      await page.waitForFunction(there, null, { timeout: 5000 }).catch(() => told(`${name}: they do not`));
    }
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) told(`${name}: ${over} px too wide`);
    if (pictures) await page.screenshot({ path: `${pictures}/${width}-${theme}-${name.replaceAll(' ', '-')}.png` });
  }
  await page.goto('about:blank');
  await page.goto(start);
  await page.waitForSelector('body[data-ready]');
  const found = await page.evaluate(`${axe}; axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')))`);
  found.forEach(told);
  await context.close();
}
await browser.close();
for (const line of wrong) console.error(`view: ${line}`);
console.log(`view: ${states.length} states at 2 widths in 2 themes, ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
