// A report in a real browser: nothing that overflows or runs together, no number that cannot be.
//
//   node test/report.mjs REPORT.html [FOLDER]    pictures go into FOLDER
import { chromium } from 'playwright-core';
import { pathToFileURL } from 'node:url';

const [, , file, pictures] = process.argv;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const wrong = [];

// Runs in the page, whose scripts have these names.
function looked() {
  const told = [];
  const inScroll = (node) => node.closest('pre, .scroll');
  for (const node of document.querySelectorAll('body *')) {
    const { right, width } = node.getBoundingClientRect();
    if (width && right > innerWidth + 1 && !inScroll(node)) told.push(`${node.tagName}.${node.className} ends at ${Math.round(right)} px`);
  }
  for (const over of document.querySelectorAll('.over')) {
    const frame = over.getBoundingClientRect();
    const said = [...over.querySelectorAll('span')].filter((n) => n.textContent && n.parentNode === over);
    const boxes = said.map((node) => ({ text: node.textContent, fault: node.classList.contains('fault'), ...node.getBoundingClientRect().toJSON() }));
    for (const a of boxes) {
      if (a.left < frame.left - 1) told.push(`"${a.text}" is cut off`);
      // A label of a fault has its line to itself, beside what else stands there.
      for (const b of boxes) {
        if (a !== b && a.fault && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4) told.push(`"${a.text}" runs into "${b.text}"`);
      }
    }
  }
  for (const canvas of document.querySelectorAll('.plot:not([hidden]) canvas')) if (!(canvas.width > 100)) told.push(`a drawing is ${canvas.width} px wide`);
  const opened = DATA.details.map(openDetail);
  const most = Math.max(...opened.flatMap((o) => o.ports.flatMap((p) => [...p.use, ...(p.useMost ?? [])])));
  if (!(most > 0.5 && most <= 1)) told.push(`utilisation is up to ${most}`);
  const raw = Math.max(...opened.flatMap((o) => o.ports.flatMap((p) => [...p.bytes].map((b) => b / ((p.rate * 1000 / 8) * o.bucket)))));
  if (raw < 1.5) told.push('no bucket is shorter than a frame: this shows nothing');
  const words = document.body.innerText;
  for (const never of [/[EPT]iB/, /NaN|undefined|Infinity/, /\d{7,} MiB/]) if (never.test(words)) told.push(`it says ${never.exec(words)[0]}`);
  // What the panel counts are frames, what a run's line counts are packets: each says which.
  if (!/dropped frames/.test(words) || !/data packets? dropped/.test(words) || /\bdrops\b/.test(words)) told.push('drops of two kinds are not told apart');
  if (!/tor0.up3 at 50 Gbps from 1 µs to 30 µs/.test(words)) told.push('a fault has no words');
  const axis = { f: (x) => x, min: 0, max: 10 }, log = { f: Math.log10, min: 1, max: 3 };
  const ends = (low, high, on) => JSON.stringify(whiskerEnds({ low, high }, on));
  if (ends(-4, 9, axis) !== '{"low":0,"high":9,"open":true}') told.push(`a whisker ends at ${ends(-4, 9, axis)}`);
  if (ends(-4, 100, log) !== '{"low":1,"high":2,"open":true}') told.push(`a whisker ends at ${ends(-4, 100, log)}`);
  if (ends(2, 9, axis) !== '{"low":2,"high":9,"open":false}') told.push(`a whisker ends at ${ends(2, 9, axis)}`);
  if ([...carriedWithin([0, 0, 25, 3], 10)].join() !== '5,10,10,3') told.push('bytes are not where they were carried');
  return [...new Set(told)];
}

for (const [width, height] of [[1280, 900], [390, 844]]) for (const theme of ['light', 'dark']) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  const told = (what) => wrong.push(`${width} px, ${theme}: ${what}`);
  page.on('pageerror', (error) => told(error.message));
  page.on('console', (message) => { if (message.type() === 'error') told(message.text()); });
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) told(`asks for ${request.url()}`); });
  await page.goto(pathToFileURL(file).href);
  await page.waitForTimeout(200);
  (await page.evaluate(looked)).forEach(told);
  // A page that becomes narrow, or wide, is drawn anew.
  await page.setViewportSize({ width: width === 390 ? 1280 : 390, height });
  await page.waitForTimeout(200);
  (await page.evaluate(looked)).forEach((what) => told(`resized: ${what}`));
  await page.setViewportSize({ width, height });
  await page.waitForTimeout(200);
  if (pictures) await page.screenshot({ path: `${pictures}/report-${width}-${theme}.png`, fullPage: true });
  await context.close();
}
await browser.close();
for (const line of wrong) console.error(`report: ${line}`);
console.log(`report: 2 widths in 2 themes, ${wrong.length} wrong`);
process.exit(wrong.length ? 1 : 0);
