// Keys.

import { byId } from './dom';
import type { Page } from './main';
import { METRICS } from './metrics';
import type { Mode } from './state';

export const KEYS: [string, string][] = [
  ['← →', 'one step of time; with Shift ten; Home, End'],
  ['Space', 'play, stop'],
  ['1 to 6', 'colour by queue, utilisation, flows sharing, marks, drops, pauses'],
  ['A B S D', 'run A, run B, side by side, difference'],
  ['[ ]', 'the next hotter, the next cooler link'],
  ['F', 'the next flow on the link'],
  ['P, Shift+P', 'next, previous packet of the flow'],
  ['W', 'why the tail'],
  ['Z, wheel', 'zoom time'],
  ['/', 'search a port, host or flow'],
  ['Esc', 'nothing chosen'],
  ['T', 'theme'],
  ['?', 'this list'],
];

export function keyboard(page: Page, ev: KeyboardEvent): void {
  const target = ev.target as HTMLElement;
  if (ev.ctrlKey || ev.metaKey || ev.altKey || byId<HTMLDialogElement>('keys').open) return;
  if (target.tagName === 'INPUT') { if (ev.key === 'Escape') target.blur(); return; }
  const { state } = page.sight, mode = (m: Mode) => () => { if (page.modes.includes(m)) page.set({ mode: m }); };
  const acts: Record<string, () => void> = {
    ArrowLeft: () => page.seek(state.at - (ev.shiftKey ? 10 : 1)), ArrowRight: () => page.seek(state.at + (ev.shiftKey ? 10 : 1)),
    Home: () => page.seek(0), End: () => page.seek(Infinity), a: mode('a'), b: mode('b'), s: mode('both'), d: mode('apart'),
    w: () => page.tail(), t: () => page.turn(), z: () => page.zoomTo(), '/': () => byId('query').focus(),
    '?': () => byId<HTMLDialogElement>('keys').showModal(), Escape: () => page.choose({ link: null, flow: null }),
    '[': () => hotter(page, -1), ']': () => hotter(page, 1), f: () => nextFlow(page), p: () => packet(page, ev.shiftKey ? -1 : 1),
  };
  if (ev.key === ' ') {
    if (target.tagName === 'BUTTON') return;
    ev.preventDefault();
    page.play();
    return;
  }
  const m = METRICS[Number(ev.key) - 1];
  if (m) { if (page.sight.runs.some((r) => m.has(r))) page.set({ metric: m.key }); return; }
  const act = acts[ev.key] ?? acts[ev.key.toLowerCase()];
  if (act) { ev.preventDefault(); act(); }
}

function hotter(page: Page, by: number): void {
  const links = page.sight.hottest(page.sight.run, 60).map(([p]) => p), i = links.indexOf(page.sight.state.link ?? -1);
  if (links.length) page.choose({ link: links[i < 0 ? 0 : Math.max(0, Math.min(links.length - 1, i + by))], flow: null });
}
function nextFlow(page: Page): void {
  const { link, flow } = page.sight.state;
  if (link === null) return;
  const flows = page.sight.run.on(link).slice(0, 7).map((use) => use.flow);
  if (flows.length) page.choose({ flow: flows[(flows.indexOf(flow ?? -1) + 1) % flows.length] });
}
function packet(page: Page, by: number): void {
  const { flow, packet: at } = page.sight.state, run = page.sight.run;
  const sent = flow === null ? null : run.recorded(flow, 'sent');
  if (!sent) return;
  const now = page.sight.state.at * page.sight.bucket;
  const first = () => { const i = sent.findIndex((t: number) => t >= now); return i < 0 ? sent.length - 1 : i; };
  requestAnimationFrame(() => requestAnimationFrame(() => byId('panel').lastElementChild?.scrollIntoView({ block: 'nearest' })));
  page.set({ packet: at === null ? first() : Math.max(0, Math.min(sent.length - 1, at + by)) });
}
