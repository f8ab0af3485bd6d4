// What is chosen, in numbers: a link, a flow, a packet; or else the hottest links now.

import { byId, context, el, FONT } from './dom';
import { bytes, count, us, METRICS, metric } from './metrics';
import type { Run } from './run';
import type { Sight } from './sight';

type Choose = (change: { link?: number | null; flow?: number | null; packet?: number | null }) => void;
const HIGH = 64, SCATTER = 118;

export class Panel {
  private charts: (() => void)[] = [];
  constructor(private readonly choose: Choose, private readonly redraw: () => void) {}

  draw(sight: Sight): void {
    this.charts = [];
    const { link, flow } = sight.state, run = sight.run;
    const parts = [
      ...(link !== null ? this.link(sight, run, link) : flow === null ? this.hottest(sight, run) : []),
      ...(flow !== null ? this.flow(sight, run, flow) : []),
    ];
    // The button that had the focus has it again.
    const box = byId('panel'), focus = document.activeElement, place = focus && box.contains(focus) ? [...box.querySelectorAll('button')].indexOf(focus as HTMLButtonElement) : -1;
    box.replaceChildren(...parts);
    for (const draw of this.charts) draw();
    if (place >= 0) box.querySelectorAll('button')[place]?.focus({ preventScroll: true });
  }

  private chart(label: string, draw: (canvas: HTMLCanvasElement) => void): HTMLCanvasElement {
    const canvas = el('canvas', { role: 'img', 'aria-label': label });
    this.charts.push(() => draw(canvas));
    return canvas;
  }

  private hottest(sight: Sight, run: Run): HTMLElement[] {
    const list = sight.hottest(run, 14), m = sight.metric;
    const say = (p: number) => sight.apart ? sight.runs.map((r) => m.text(r, p, sight.state.at)).join(' | ') : m.text(run, p, sight.state.at);
    const left = run.head.left_out.map((out) => el('p', { class: 'out' }, out.words, out.paste ? el('code', {}, out.paste) : null));
    if (!list.length) return [el('h2', {}, sight.timed ? 'No link is busy now' : 'Links over the whole run'), ...(sight.timed ? [] : this.totals(sight, run)), ...left];
    return [
      el('h2', {}, sight.apart ? 'Largest differences now' : 'Hottest links now'),
      el('ol', { class: 'flows' }, list.map(([p]) => el('li', {}, el('button', { type: 'button', onclick: () => this.choose({ link: p }) },
        el('i', { fill: sight.colours.ramp[sight.classOf(run, p, sight.state.at)] }), run.fabric.name(p), el('span', { class: 'n' }, say(p)))))),
      ...left,
    ];
  }

  /** Without time there are the totals of the whole run. */
  private totals(sight: Sight, run: Run): HTMLElement[] {
    const queue = run.total('queue'), lost = run.total('lost'), marks = run.total('marks');
    if (!queue) return [];
    const order = Array.from(queue, (_, p) => p).sort((a, b) => (lost?.[b] ?? 0) - (lost?.[a] ?? 0) || queue[b] - queue[a]).slice(0, 14);
    return [el('table', {}, el('thead', {}, el('tr', {}, ...['link', 'longest queue', 'marks', 'lost'].map((t, i) => el('th', { scope: 'col', class: i ? 'n' : null }, t)))),
      el('tbody', {}, order.map((p) => el('tr', {},
        el('td', {}, el('button', { type: 'button', class: 'plain', onclick: () => this.choose({ link: p, flow: sight.state.flow }) }, run.fabric.name(p))),
        el('td', { class: 'n' }, bytes(queue[p])), el('td', { class: 'n' }, count(marks?.[p] ?? 0)), el('td', { class: 'n' }, count(lost?.[p] ?? 0))))))];
  }

  private link(sight: Sight, run: Run, p: number): HTMLElement[] {
    const b = sight.state.at, { fabric } = run, uses = run.on(p), top = uses.slice(0, 7);
    const total = (name: string) => run.total(name)?.[p] ?? 0;
    const all = uses.reduce((sum, use) => sum + use.packets, 0);
    const parts: HTMLElement[] = [
      el('h2', {}, fabric.name(p), ' ', el('small', {}, `to ${fabric.nodeName(fabric.peer(p))}, ${fabric.way(p)}, ${fabric.head.ports.rate_gbps[p]} Gbps`)),
      facts([
        ['queue now', run.heat('queue') ? metric('queue').text(run, p, b) : '–'], ['used now', run.heat('use') ? metric('use').text(run, p, b) : '–'],
        ['longest', bytes(total('queue'))], ['marks', count(total('marks'))], ['trims', count(total('trims'))], ['lost', count(total('lost'))],
        ['paused', us(total('paused'))], ['flows', run.routed ? count(uses.length) : '–'],
      ]),
    ];
    for (const m of METRICS) {
      if (!['queue', 'use'].includes(m.key) || !m.has(run)) continue;
      parts.push(title(m.label, m.end(run)), this.chart(`${m.label} of ${fabric.name(p)} over time`, (canvas) => this.line(sight, run, canvas, p, m.key)));
    }
    if (run.routed) {
      parts.push(title(`Who uses it: ${count(uses.length)} flows`, 'from first to last packet'));
      if (top.length) parts.push(this.chart(`When the flows of ${fabric.name(p)} used it`, (canvas) => this.threads(sight, run, canvas, p)));
      parts.push(el('ol', { class: 'flows' }, top.map((use, i) => el('li', {}, el('button', {
        type: 'button', 'aria-current': sight.state.flow === use.flow ? 'true' : null, onclick: () => this.choose({ flow: use.flow }),
      }, el('i', { fill: sight.colours.lane(i) }), run.title(use.flow),
        el('span', { class: 'n' }, `${Math.round(100 * use.packets / all)} %, ${Number.isNaN(run.end[use.flow]) ? 'not done' : `done ${us(run.end[use.flow])}`}`))))));
      if (uses.length > top.length) parts.push(el('p', { class: 'out' }, `and ${count(uses.length - top.length)} more`));
    }
    return parts;
  }

  private flow(sight: Sight, run: Run, flow: number): HTMLElement[] {
    const done = !Number.isNaN(run.end[flow]), took = run.took(flow), alone = run.ideal[flow], paths = this.paths(run, flow);
    const parts: HTMLElement[] = [
      el('h2', { class: 'second' }, run.title(flow), ' ', el('small', {}, `flow ${flow}, ${bytes(run.size[flow])}, ${Number.isNaN(run.start[flow]) ? 'never started' : `starts ${us(run.start[flow])}`}`)),
      facts([
        ['done', done ? us(run.end[flow]) : 'not done'], ['vs alone', done && alone > 0 ? `${(took / alone).toFixed(took / alone < 10 ? 2 : 0)}×` : '–'],
        ['resent', count(run.resent[flow])], ['lost', count(run.lost[flow])], ['paths', paths === null ? '–' : count(paths)],
      ]),
    ];
    if (!done) parts.push(el('p', { class: 'bad' }, 'This flow did not end before the run did.'));
    const sent = run.recorded(flow, 'sent');
    const rate = this.rate(run, flow);
    if (rate) parts.push(title('Reaches the receiver', `of ${rate.gbps} Gbps`), this.chart(`Rate of flow ${flow} at its receiver over time`, (canvas) => this.area(sight, run, canvas, rate.share)));
    for (const { word, unit } of run.head.probes) {
      const values = run.recorded(flow, `probe.${word}.value`), say = unit === 'B' ? bytes : unit === 'us' ? us : (x: number) => `${Number(x.toPrecision(3))} ${unit === 'count' ? '' : unit}`;
      if (values) parts.push(title(word, ''), this.chart(`${word} of flow ${flow} over time`, (canvas) => this.probe(sight, run, canvas, run.recorded(flow, `probe.${word}.time`)!, values, say)));
    }
    const told = sent ? null : run.follow(flow, this.redraw);
    if (told) {
      parts.push(el('p', { class: 'out', role: 'status' }, told));
    } else if (!sent) {
      parts.push(el('p', { class: 'out' }, 'Packets of this flow were not recorded. The same scenario with this line records them, and changes nothing else:', el('code', {}, `record.flows = [${flow}]`)));
    } else {
      const canvas = this.chart(`Packets of flow ${flow}: time sent and one-way delay`, (it) => this.scatter(sight, run, it, flow));
      canvas.classList.add('pick');
      canvas.addEventListener('click', (ev) => this.choose({ packet: this.nearest(sight, run, flow, canvas, ev) }));
      parts.push(title('Packets: one-way delay', '■ marked  ▲ trimmed  × lost'), canvas);
      if (sight.state.packet !== null) parts.push(...this.packet(run, flow, sight.state.packet));
      else parts.push(el('p', { class: 'out' }, 'Choose a packet, or press P.'));
    }
    return parts;
  }

  /** How many first choices among equal ways its packets took. */
  private paths(run: Run, flow: number): number | null {
    if (!run.routed) return null;
    const uses = run.links(flow), most = Math.max(0, ...uses.map((use) => run.fabric.from[use.port]).filter((c) => c < run.fabric.columns.length / 2 - 1));
    return uses.filter((use) => run.fabric.from[use.port] === most).length;
  }

  private packet(run: Run, flow: number, i: number): HTMLElement[] {
    const at = (name: string) => run.recorded(flow, name), hops = at('hops')!, fate = at('fate')![i];
    let first = 0;
    for (let j = 0; j < i; j++) first += hops[j];
    const port = at('hop.port')!, found = at('hop.found')!, stay = at('hop.stay')!, how = at('hop.fate')!;
    const rows = Array.from({ length: hops[i] }, (_, h) => {
      const lost = how[first + h] === 3;
      return el('tr', {}, el('td', {}, el('button', { type: 'button', class: 'plain', onclick: () => this.choose({ link: port[first + h] }) }, run.fabric.name(port[first + h]))),
        el('td', { class: 'n' }, Number.isNaN(found[first + h]) ? '–' : bytes(found[first + h])), el('td', { class: lost ? 'n bad' : 'n' }, lost ? 'lost here' : `${(stay[first + h] / 1e6).toFixed(3)} µs`),
        el('td', {}, ['', 'marked', 'trimmed', ''][how[first + h]]));
    });
    const ack = at('acked')![i], arrived = at('arrived')![i], sent = at('sent')![i];
    return [
      title(`Packet ${at('number')![i]}${at('again')![i] ? ', sent again' : ''}: sent ${us(sent)}`, fate === 3 ? 'lost' : Number.isNaN(arrived) ? 'under way' : `${us(arrived - sent)}, ACK ${Number.isNaN(ack) ? '–' : us(ack)}`),
      el('table', {}, el('thead', {}, el('tr', {}, ...['hop', 'queue found', 'there for', ''].map((t, k) => el('th', { scope: 'col', class: k === 1 || k === 2 ? 'n' : null }, t)))), el('tbody', {}, rows)),
    ];
  }

  // Charts.

  private frame(sight: Sight, run: Run, canvas: HTMLCanvasElement, height: number): { c: CanvasRenderingContext2D; width: number; low: number; x: (us: number) => number } {
    const [c, width] = context(canvas, height), { of } = sight.colours, low = height - 14, end = sight.buckets * sight.bucket;
    const x = (t: number) => t / end * width;
    c.fillStyle = of.plot;
    c.fillRect(0, 0, width, low);
    c.fillStyle = of.fault;
    c.globalAlpha = 0.1;
    for (const [from, until] of run.broken) c.fillRect(x(from), 0, Math.max(1, x(until - from)), low);
    c.globalAlpha = 1;
    c.fillStyle = of.soft;
    c.font = `11px ${FONT}`;
    c.textAlign = 'left';
    c.fillText('0', 0, height - 2);
    c.textAlign = 'right';
    c.fillText(us(end), width, height - 2);
    return { c, width, low, x };
  }

  private cursor(sight: Sight, c: CanvasRenderingContext2D, x: number, low: number): void {
    c.strokeStyle = sight.colours.of.ink;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x, 0);
    c.lineTo(x, low);
    c.stroke();
  }

  private line(sight: Sight, run: Run, canvas: HTMLCanvasElement, p: number, key: string): void {
    const { c, low, x } = this.frame(sight, run, canvas, HIGH), m = metric(key);
    const value = (b: number) => { const v = m.value(run, p, b); return m.calm ? v : v * v; };
    c.beginPath();
    c.moveTo(0, low);
    for (let b = 0; b < run.buckets; b++) {
      const y = low * (1 - value(b));
      c.lineTo(x(b * run.bucket), y);
      c.lineTo(x((b + 1) * run.bucket), y);
    }
    c.lineTo(x(run.buckets * run.bucket), low);
    c.fillStyle = key === 'queue' ? sight.colours.lane(1) : sight.colours.of.accent;
    c.fill();
    this.cursor(sight, c, x((sight.state.at + 0.5) * sight.bucket), low);
  }

  private area(sight: Sight, run: Run, canvas: HTMLCanvasElement, share: (b: number) => number): void {
    const { c, low, x } = this.frame(sight, run, canvas, HIGH);
    c.beginPath();
    c.moveTo(0, low);
    for (let b = 0; b < run.buckets; b++) {
      const y = low * (1 - Math.min(1, share(b)));
      c.lineTo(x(b * run.bucket), y);
      c.lineTo(x((b + 1) * run.bucket), y);
    }
    c.lineTo(x(run.buckets * run.bucket), low);
    c.fillStyle = sight.colours.of.accent;
    c.fill();
    this.cursor(sight, c, x((sight.state.at + 0.5) * sight.bucket), low);
  }

  /** What share of its receiver's link a flow had in a bucket, if that was recorded. */
  private rate(run: Run, flow: number): { gbps: number; share: (b: number) => number } | null {
    const rates = run.recorded(flow, 'rate');
    return rates ? { gbps: run.hostRate(run.destination[flow]), share: (b) => (rates[b] ?? 0) / 250 } : null;
  }

  /** A bar a flow, from its first packet here to its last. */
  private threads(sight: Sight, run: Run, canvas: HTMLCanvasElement, p: number): void {
    const top = run.on(p).slice(0, 7), { c, low, x } = this.frame(sight, run, canvas, 14 + top.length * 9);
    top.forEach((use, i) => {
      c.fillStyle = sight.colours.lane(i);
      c.fillRect(x(use.first), i * 9 + 1, Math.max(2, x(use.last - use.first)), 6);
    });
    this.cursor(sight, c, x((sight.state.at + 0.5) * sight.bucket), low);
  }

  private probe(sight: Sight, run: Run, canvas: HTMLCanvasElement, time: ArrayLike<number>, values: ArrayLike<number>, say: (x: number) => string): void {
    const { c, low, x } = this.frame(sight, run, canvas, HIGH);
    let most = 0;
    for (let i = 0; i < values.length; i++) if (values[i] > most) most = values[i];
    c.beginPath();
    for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) c.lineTo(x(time[i]), low * (1 - values[i] / (most || 1)));
    c.strokeStyle = sight.colours.of.accent;
    c.lineWidth = 1.2;
    c.stroke();
    c.fillStyle = sight.colours.of.soft;
    c.textAlign = 'left';
    c.fillText(say(most), 3, 11);
    this.cursor(sight, c, x((sight.state.at + 0.5) * sight.bucket), low);
  }

  private scale(run: Run, flow: number): number {
    const sent = run.recorded(flow, 'sent')!, arrived = run.recorded(flow, 'arrived')!;
    let most = 1e-3;
    for (let i = 0; i < sent.length; i++) if (arrived[i] - sent[i] > most) most = arrived[i] - sent[i];
    return most;
  }

  private scatter(sight: Sight, run: Run, canvas: HTMLCanvasElement, flow: number): void {
    const { c, low, x } = this.frame(sight, run, canvas, SCATTER), most = this.scale(run, flow);
    const sent = run.recorded(flow, 'sent')!, arrived = run.recorded(flow, 'arrived')!, fate = run.recorded(flow, 'fate')!;
    const y = (i: number) => fate[i] === 3 ? low - 5 : (low - 10) * (1 - (arrived[i] - sent[i]) / most);
    for (let i = 0; i < sent.length; i++) {
      const at = x(sent[i]), high = y(i);
      if (fate[i] === 3) {
        c.strokeStyle = sight.colours.of.fault;
        c.lineWidth = 1.2;
        c.beginPath();
        c.moveTo(at - 3, high - 3);
        c.lineTo(at + 3, high + 3);
        c.moveTo(at + 3, high - 3);
        c.lineTo(at - 3, high + 3);
        c.stroke();
        continue;
      }
      c.fillStyle = sight.colours.lane(fate[i] === 1 ? 1 : fate[i] === 2 ? 3 : 0);
      c.globalAlpha = 0.6;
      if (fate[i] === 2) { c.beginPath(); c.moveTo(at, high - 2.5); c.lineTo(at + 2.5, high + 2); c.lineTo(at - 2.5, high + 2); c.fill(); }
      else if (fate[i] === 1) c.fillRect(at - 1.5, high - 1.5, 3, 3);
      else { c.beginPath(); c.arc(at, high, 1.2, 0, 7); c.fill(); }
      c.globalAlpha = 1;
    }
    c.fillStyle = sight.colours.of.soft;
    c.font = `11px ${FONT}`;
    c.textAlign = 'left';
    c.fillText(us(most), 3, 11);
    if (sight.state.packet !== null) {
      c.strokeStyle = sight.colours.of.ink;
      c.lineWidth = 2;
      c.beginPath();
      c.arc(x(sent[sight.state.packet]), y(sight.state.packet), 6, 0, 7);
      c.stroke();
    }
    this.cursor(sight, c, x((sight.state.at + 0.5) * sight.bucket), low);
  }

  private nearest(sight: Sight, run: Run, flow: number, canvas: HTMLCanvasElement, ev: MouseEvent): number {
    const box = canvas.getBoundingClientRect(), low = SCATTER - 14, most = this.scale(run, flow), end = sight.buckets * sight.bucket;
    const sent = run.recorded(flow, 'sent')!, arrived = run.recorded(flow, 'arrived')!, fate = run.recorded(flow, 'fate')!;
    let best = 0, near = Infinity;
    for (let i = 0; i < sent.length; i++) {
      const y = fate[i] === 3 ? low - 5 : (low - 10) * (1 - (arrived[i] - sent[i]) / most);
      const d = Math.hypot(sent[i] / end * box.width - (ev.clientX - box.left), y - (ev.clientY - box.top));
      if (d < near) { near = d; best = i; }
    }
    return best;
  }
}

function facts(list: [string, string][]): HTMLElement {
  return el('dl', { class: 'facts' }, list.map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, v))));
}
function title(left: string, right: string): HTMLElement {
  return el('h3', {}, el('span', {}, left), el('span', {}, right));
}
