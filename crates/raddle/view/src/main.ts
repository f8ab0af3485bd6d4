// Opens the source, and puts the parts of the page together.

import { CellMap } from './cells';
import { CLASSES } from './colours';
import { byId, el } from './dom';
import { Fabric } from './fabric';
import { KEYS, keyboard } from './keys';
import { LineMap, LINES } from './map';
import { METRICS } from './metrics';
import { Panel } from './panel';
import { Run } from './run';
import { Sight } from './sight';
import { Source } from './source';
import { type Mode, read, type State, written } from './state';
import { TimeLanes } from './time';
import { words } from './words';

const NAMES: Record<Mode, string> = { a: 'A', b: 'B', both: 'Side by side', apart: 'A − B' };

export class Page {
  readonly sight: Sight;
  readonly modes: Mode[];
  private readonly lanes = new TimeLanes();
  private readonly panel = new Panel((change) => this.choose(change), () => this.soon());
  private maps: (LineMap | CellMap)[] = [];
  private built = '';
  private due = false;

  constructor(source: Source) {
    const { head } = source, fabrics = head.fabrics.map((f) => new Fabric(f));
    const runs = head.runs.map((r, i) => new Run(i, fabrics[r.fabric], source));
    this.modes = runs.length < 2 ? ['a'] : head.runs[0].fabric === head.runs[1].fabric ? ['a', 'b', 'both', 'apart'] : ['a', 'b', 'both'];
    const state: State = {
      mode: 'a', metric: METRICS.find((m) => m.has(runs[0]))?.key ?? 'queue', at: 0, link: null,
      flow: runs[0].head.tail, packet: null, playing: false, theme: null, zoom: null,
    };
    const first = runs[0].head.why.find((part) => part.port !== undefined);
    if (first) state.link = first.port!;
    if (runs[0].head.faults.some((f) => f.from_us < runs[0].head.end_us) && runs[0].head.bucket_us) state.at = Math.min(runs[0].buckets - 1, Math.floor(runs[0].head.faults[0].from_us / runs[0].bucket) + 1);
    Object.assign(state, read(location.hash, fabrics[0], runs[0].bucket, runs[0].buckets, runs[0].head.flows, this.modes, METRICS.map((m) => m.key)));
    this.sight = new Sight(runs, state);
    document.title = `${head.title} · raddle view`;
    byId('title').textContent = head.title;
    this.listen();
    this.all();
    document.body.dataset.ready = 'yes';
  }

  /** Changes what is seen; everything follows. */
  set(change: Partial<State>): void {
    const { state } = this.sight, before = this.sight.run;
    Object.assign(state, change);
    const run = this.sight.run;
    if (run !== before) {
      // What is chosen in one run is looked up in the other by its name, or let go.
      if (state.link !== null && run.fabric !== before.fabric) state.link = run.fabric.portOf(before.fabric.name(state.link));
      if (state.flow !== null && state.flow >= run.head.flows) state.flow = null;
    }
    this.sight.paint();
    this.all();
  }
  choose(change: Partial<Pick<State, 'link' | 'flow' | 'packet'>>): void {
    if (typeof change.flow === 'number') this.sight.run.retry(change.flow);
    this.set({ packet: null, ...change });
  }
  seek(bucket: number): void {
    this.sight.state.at = Math.max(0, Math.min(this.sight.buckets - 1, bucket));
    this.soon();
  }
  tail(): void {
    const { head } = this.sight.run, place = head.why.find((part) => part.port !== undefined);
    this.choose({ link: place?.port ?? null, flow: head.tail });
  }
  play(): void {
    const { state } = this.sight, button = byId('play');
    state.playing = !state.playing;
    button.textContent = state.playing ? '⏸' : '▶';
    button.setAttribute('aria-label', state.playing ? 'Stop' : 'Play');
    let last = 0;
    const go = (t: number) => {
      if (!state.playing) return;
      if (t - last > 50) { last = t; state.at = state.at >= this.sight.buckets - 1 ? 0 : state.at + 1; this.frame(); }
      requestAnimationFrame(go);
    };
    if (state.playing) requestAnimationFrame(go);
  }

  /** One frame: what moves with time. */
  frame(): void {
    this.lanes.draw(this.sight);
    this.drawMaps();
    this.panel.draw(this.sight);
  }
  soon(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => { this.due = false; this.frame(); this.address(); });
  }

  private all(): void {
    const { sight } = this;
    // Buttons are made anew: the one that had the focus has it again.
    const focus = document.activeElement, bar = focus?.closest('#runs, #metrics'), place = bar ? [...bar.children].indexOf(focus!) : -1;
    byId('runs').replaceChildren(...(this.modes.length < 2 ? [] : this.modes.map((mode) => el('button', {
      type: 'button', 'aria-pressed': String(sight.state.mode === mode), onclick: () => this.set({ mode }),
    }, mode === 'a' || mode === 'b' ? `${NAMES[mode]}: ${sight.runs[mode === 'a' ? 0 : 1].head.name}` : NAMES[mode]))));
    byId('metrics').replaceChildren(...METRICS.filter((m) => sight.runs.some((r) => m.has(r))).map((m) => el('button', {
      type: 'button', 'aria-pressed': String(sight.state.metric === m.key), onclick: () => this.set({ metric: m.key }),
    }, m.label)));
    if (bar && place >= 0) (bar.children[place] as HTMLElement | undefined)?.focus();
    this.legend();
    words(sight, (change) => this.choose(change));
    this.soon();
  }
  private legend(): void {
    const { sight } = this, canvas = el('canvas', { width: 150, height: 10, 'aria-hidden': 'true' }), c = canvas.getContext('2d')!;
    sight.colours.ramp.forEach((colour, i) => { c.fillStyle = colour; c.fillRect(i * 150 / CLASSES, 0, 150 / CLASSES + 1, 10); });
    byId('ramp').replaceChildren(...(sight.apart
      ? [`more under ${sight.runs[1].head.name}`, canvas, `more under ${sight.runs[0].head.name}`]
      : [sight.metric.key === 'flows' ? '1' : '0', canvas, sight.metric.end(sight.run)]));
    byId('ramp').hidden = !sight.metric.has(sight.run);
  }
  private drawMaps(): void {
    const { sight } = this, narrow = innerWidth < 821, key = `${sight.state.mode}${narrow}`, two = sight.shown.length > 1;
    if (this.built !== key) {
      this.built = key;
      const canvases = sight.shown.map((run) => {
        const canvas = el('canvas', { role: 'img' });
        const map = run.fabric.ports > LINES ? new CellMap(canvas, run) : new LineMap(canvas, run);
        canvas.addEventListener('pointermove', (ev) => this.tip(map, ev));
        canvas.addEventListener('pointerleave', () => { byId('tip').style.display = 'none'; });
        canvas.addEventListener('click', (ev) => { const p = at(map, ev); this.choose({ link: p, flow: null }); });
        return map;
      });
      this.maps = canvases;
      byId('maps').replaceChildren(...canvases.map((map) => el('div', {}, two ? el('h3', {}, `${map.run.index ? 'B' : 'A'}: ${map.run.head.name}`) : null, map.canvas)));
      document.querySelector('main')!.classList.toggle('two', two && !narrow);
    }
    for (const map of this.maps) map.canvas.setAttribute('aria-label', `The fabric under ${map.run.head.name}, links coloured by ${sight.metric.label}. With nothing chosen the list of hottest links says the same in words.`);
    const height = narrow ? 400 : Math.max(360, document.querySelector('main')!.clientHeight - 46 - (two ? 20 : 0));
    for (const map of this.maps) map.draw(sight, height);
  }
  private tip(map: LineMap | CellMap, ev: PointerEvent): void {
    const p = at(map, ev), tip = byId('tip'), { run } = map, b = this.sight.state.at;
    if (p === null) { tip.style.display = 'none'; return; }
    tip.textContent = [`${run.fabric.name(p)} → ${run.fabric.nodeName(run.fabric.peer(p))}`,
      ...METRICS.filter((m) => m.has(run)).map((m) => `${m.label.toLowerCase()}: ${m.text(run, p, b)}`)].join('\n');
    tip.style.display = 'block';
    tip.style.left = `${Math.min(innerWidth - 220, ev.clientX + 14)}px`;
    tip.style.top = `${Math.min(innerHeight - 130, ev.clientY + 12)}px`;
  }
  private address(): void {
    const { sight } = this;
    history.replaceState(null, '', written(sight.state, sight.fabric, sight.bucket));
  }

  private listen(): void {
    const scrub = byId('scrub'), lanes = byId<HTMLCanvasElement>('lanes');
    const place = (ev: PointerEvent) => { const box = lanes.getBoundingClientRect(); return [ev.clientX - box.left, ev.clientY - box.top] as const; };
    scrub.addEventListener('pointerdown', (ev) => {
      const [x, y] = place(ev), link = this.lanes.linkAt(x, y);
      if (link !== null) { this.choose({ link, flow: null }); return; }
      scrub.setPointerCapture(ev.pointerId);
      this.seek(this.lanes.bucketAt(this.sight, x));
    });
    scrub.addEventListener('pointermove', (ev) => { if (ev.buttons) this.seek(this.lanes.bucketAt(this.sight, place(ev)[0])); });
    scrub.addEventListener('wheel', (ev) => { ev.preventDefault(); this.zoomBy(ev.deltaY > 0 ? 1.25 : 0.8); }, { passive: false });
    byId('theme').addEventListener('click', () => this.turn());
    byId('help').addEventListener('click', () => byId<HTMLDialogElement>('keys').showModal());
    byId('play').addEventListener('click', () => this.play());
    byId('keytable').replaceChildren(el('tbody', {}, KEYS.map(([key, text]) => el('tr', {}, el('td', {}, el('kbd', {}, key)), el('td', {}, text)))));
    byId('search').addEventListener('submit', (ev) => { ev.preventDefault(); this.search(byId<HTMLInputElement>('query').value); });
    addEventListener('keydown', (ev) => keyboard(this, ev));
    addEventListener('resize', () => this.soon());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.set({}));
  }
  turn(): void { this.set({ theme: this.sight.colours.theme === 'dark' ? 'light' : 'dark' }); }

  /** Zooms time around the cursor. */
  zoomBy(factor: number): void {
    const { sight } = this, [from, until] = sight.span, wide = Math.max(8, (until - from) * factor), at = sight.state.at;
    if (wide >= sight.buckets) { this.set({ zoom: null }); return; }
    const start = Math.max(0, Math.min(sight.buckets - wide, at - (at - from) * wide / (until - from)));
    this.set({ zoom: [start, start + wide] });
  }
  /** To the time that is shaded: the first fault, or the life of the chosen flow; again for all. */
  zoomTo(): void {
    const { sight } = this, run = sight.run, broken = run.head.faults.find((f) => f.from_us < run.head.end_us), { flow } = sight.state;
    if (sight.state.zoom) { this.set({ zoom: null }); return; }
    const [a, b] = flow !== null && !broken ? [run.start[flow], run.end[flow]] : broken ? [broken.from_us, broken.until_us ?? run.head.end_us] : [0, run.head.end_us];
    const from = Math.max(0, (Number.isNaN(a) ? 0 : a) / run.bucket - 2), until = Math.min(sight.buckets, (Number.isNaN(b) ? run.head.end_us : b) / run.bucket + 2);
    if (until - from >= 4) this.set({ zoom: [from, until] });
  }

  /** A port, a host or a flow by its name; says what it did not find. */
  search(text: string): void {
    const run = this.sight.run, { fabric } = run, query = text.trim(), say = byId('found');
    say.textContent = '';
    if (!query) return;
    const port = fabric.portOf(query) ?? fabric.portOf(`${query}.up0`) ?? fabric.portOf(`${query}.up`);
    if (port !== null) { this.choose({ link: port, flow: null }); return; }
    const number = /^(?:flow )?(\d+)$/.exec(query);
    if (number && Number(number[1]) < run.head.flows) { this.choose({ flow: Number(number[1]), link: null }); return; }
    const node = fabric.head.nodes.name.indexOf(query);
    if (node >= 0) {
      const flow = run.source.findIndex((n: number, f: number) => n === node || run.destination[f] === node);
      if (flow >= 0) { this.choose({ flow, link: null }); return; }
      const out = fabric.head.ports.node.indexOf(node);
      if (out >= 0) { this.choose({ link: out, flow: null }); return; }
    }
    say.textContent = `nothing is called ${query}`;
  }
}

function at(map: LineMap | CellMap, ev: MouseEvent): number | null {
  const box = map.canvas.getBoundingClientRect();
  return map.pick(ev.clientX - box.left, ev.clientY - box.top);
}

async function open(): Promise<void> {
  try {
    const page = new Page(await Source.open());
    // For the tests: how long a frame's script takes.
    (window as unknown as { frames: (n: number) => number }).frames = (n) => {
      const from = performance.now();
      for (let i = 0; i < n; i++) { page.sight.state.at = i % page.sight.buckets; page.frame(); }
      return (performance.now() - from) / n;
    };
  } catch (error) {
    byId('answer').textContent = 'This page could not be opened.';
    byId('why').textContent = String(error instanceof Error ? error.message : error);
    document.body.dataset.ready = 'failed';
  }
}

void open();
