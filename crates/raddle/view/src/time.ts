// Time, always in sight: flows under way, where the chosen flow's time went, the hottest links,
// marks and losses, and what was broken.

import { byId, context, FONT, outlined } from './dom';
import { count, us } from './metrics';
import type { Numbers } from './source';
import type { Sight } from './sight';
import { Training } from './training';

/** Where a flow's time went, in the order of the numbers of block `went`. */
export const WENT = ['at speed', 'its own window or pace', 'a link of its path full', 'the link to its receiver full', 'its host’s own link full', 'a link of its only path down', 'waiting for a timeout'];

export class TimeLanes {
  private readonly canvas = byId<HTMLCanvasElement>('lanes');
  private label = 0;
  private strip = { y: 0, each: 1, links: [] as number[] };
  private hot: { key: string; links: number[] } = { key: '', links: [] };

  /** The bucket at a place of the canvas. */
  bucketAt(sight: Sight, x: number): number {
    const [from, until] = sight.span, wide = this.canvas.clientWidth - this.label;
    return Math.floor(from + (x - this.label) / wide * (until - from));
  }
  /** The link whose name or strip is there, left of the axis alone. */
  linkAt(x: number, y: number): number | null {
    return x < this.label ? this.strip.links[Math.floor((y - this.strip.y) / this.strip.each)] ?? null : null;
  }

  draw(sight: Sight): void {
    const run = sight.run, narrow = innerWidth < 821, rows = narrow ? 4 : 7, each = narrow ? 5 : 11;
    const training = Training.of(run), first = training ? training.height(narrow) + (narrow ? 0 : 16) : narrow ? 20 : 34;
    const [c, width] = context(this.canvas, (narrow ? 84 : 152) + first), { of } = sight.colours;
    this.label = narrow ? 0 : 112;
    const [from, until] = sight.span, wide = width - this.label;
    const x = (bucket: number) => this.label + (bucket - from) / (until - from) * wide;
    const way = { y: 4, h: first }, went = { y: 0, h: narrow ? 13 : 15 }, strip = { y: 0, h: rows * each }, bars = { y: 0, h: narrow ? 14 : 22 };
    went.y = way.y + way.h + 5;
    strip.y = went.y + went.h + 5;
    bars.y = strip.y + strip.h + 6;
    c.font = `11px ${FONT}`;
    c.fillStyle = of.plot;
    for (const lane of [way, went, strip, bars]) c.fillRect(this.label, lane.y, wide, lane.h);
    c.save();
    c.beginPath();
    c.rect(this.label, 0, wide, bars.y + bars.h);
    c.clip();
    c.fillStyle = of.fault;
    c.globalAlpha = 0.12;
    for (const [from_us, until_us] of run.broken) {
      const a = x(from_us / run.bucket), b = x(until_us / run.bucket);
      c.fillRect(a, way.y, Math.max(1.5, b - a), bars.y + bars.h - way.y);
    }
    c.globalAlpha = 1;
    if (training) training.draw(c, sight, way, narrow, x);
    else this.underWay(c, sight, run.lane('under_way'), way, x);
    const flow = sight.state.flow ?? run.head.tail, life = flow === null ? null : run.recorded(flow, 'went');
    if (life) this.went(c, sight, life, went, x);
    else if (flow !== null && run.head.tail !== null) this.only(c, sight, went, x(from));
    this.heat(c, sight, strip, each, rows, x);
    this.bars(c, run.lane('marks'), { y: bars.y, h: bars.h / 2 - 1 }, sight.colours.lane(1), x);
    this.bars(c, run.lane('drops'), { y: bars.y + bars.h / 2, h: bars.h / 2 }, of.fault, x);
    this.names(c, sight, way, x);
    c.restore();
    if (!narrow) {
      c.textAlign = 'right';
      c.fillStyle = of.soft;
      c.font = `11px ${FONT}`;
      const at = this.label - 6;
      if (training) for (const { text, y } of training.names(way, narrow)) c.fillText(text, at, y);
      else c.fillText('flows under way', at, way.y + 13);
      if (flow !== null) c.fillText(`flow ${flow}`, at, went.y + 11);
      c.fillText('marks, trims', at, bars.y + 9);
      c.fillText('drops', at, bars.y + 20);
    }
    if (training && !narrow) this.kinds(c, training.legend(sight), way.y + way.h - 4);
    this.axis(c, sight, x, width, bars.y + bars.h);
    this.words(sight);
  }

  /** What the colours of phases stand for, below their lanes. */
  private kinds(c: CanvasRenderingContext2D, kinds: { text: string; colour: string }[], y: number): void {
    let x = this.label + 4;
    c.font = `11px ${FONT}`;
    c.textAlign = 'left';
    for (const { text, colour } of kinds) {
      c.fillStyle = colour;
      c.fillRect(x, y - 8, 8, 8);
      c.fillText(text, x + 12, y);
      x += 28 + c.measureText(text).width;
    }
  }

  private underWay(c: CanvasRenderingContext2D, sight: Sight, lane: Numbers | null, place: { y: number; h: number }, x: (b: number) => number): void {
    if (!lane) return;
    let most = 1;
    for (const v of lane) most = Math.max(most, v);
    c.beginPath();
    c.moveTo(x(0), place.y + place.h);
    lane.forEach((v, b) => {
      const y = place.y + place.h * (1 - v / most);
      c.lineTo(x(b), y);
      c.lineTo(x(b + 1), y);
    });
    c.lineTo(x(lane.length), place.y + place.h);
    c.fillStyle = sight.colours.of.accent;
    c.globalAlpha = 0.3;
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = sight.colours.of.accent;
    c.lineWidth = 1.2;
    c.stroke();
  }

  /** Where the time of other flows went is not known. */
  private only(c: CanvasRenderingContext2D, sight: Sight, place: { y: number; h: number }, left: number): void {
    c.fillStyle = sight.colours.of.soft;
    c.textAlign = 'left';
    c.fillText(`where its time went is known of flow ${sight.run.head.tail} alone`, left + 6, place.y + place.h - 4);
  }

  private went(c: CanvasRenderingContext2D, sight: Sight, life: Numbers, place: { y: number; h: number }, x: (b: number) => number): void {
    const tint = [2, 4, 3, 5, 0, 1, 6];
    for (let b = 0, e; b < life.length; b = e) {
      for (e = b; e < life.length && life[e] === life[b];) e++;
      const x0 = x(b), x1 = x(e), words = WENT[life[b]];
      if (!words) continue;
      c.fillStyle = sight.colours.lane(tint[life[b]]);
      c.globalAlpha = 0.28;
      c.fillRect(x0, place.y, Math.max(1, x1 - x0 - 1), place.h);
      c.globalAlpha = 1;
      c.fillRect(x0, place.y, 2, place.h);
      c.textAlign = 'left';
      c.fillStyle = sight.colours.of.ink;
      if (c.measureText(words).width < x1 - x0 - 10) c.fillText(words, x0 + 6, place.y + place.h - 4);
    }
  }

  private heat(c: CanvasRenderingContext2D, sight: Sight, place: { y: number; h: number }, each: number, rows: number, x: (b: number) => number): void {
    const run = sight.run, links = this.hottest(sight).slice(0, rows), [from, until] = sight.span;
    this.strip = { y: place.y, each, links };
    links.forEach((p, i) => {
      for (let b = Math.floor(from); b < until; b++) {
        const heat = Math.abs(sight.heat(run, p, b));
        if (heat < 0.03) continue;
        c.fillStyle = sight.colours.ramp[sight.classOf(run, p, b)];
        c.fillRect(x(b), place.y + i * each, x(b + 1) - x(b) + 0.6, each - 1);
      }
    });
    if (!this.label) return;
    links.forEach((p, i) => {
      const chosen = sight.state.link === p;
      c.fillStyle = chosen ? sight.colours.of.ink : sight.colours.of.soft;
      c.font = `${chosen ? '600 ' : ''}10.5px ${FONT}`;
      this.outside.push({ text: run.fabric.name(p), y: place.y + i * each + 9, ink: c.fillStyle as string, font: c.font });
    });
  }
  private outside: { text: string; y: number; ink: string; font: string }[] = [];

  /** The links with most heat over the whole run, found once a run, metric and mode. */
  private hottest(sight: Sight): number[] {
    const run = sight.run, key = `${run.index}${sight.state.mode}${sight.state.metric}`;
    if (this.hot.key !== key) {
      const sums: [number, number][] = [];
      const stride = Math.max(1, Math.floor(run.fabric.ports * sight.buckets / 2e6));
      for (let p = 0; p < run.fabric.ports; p++) {
        let sum = 0;
        for (let b = 0; b < sight.buckets; b += stride) sum += Math.abs(sight.heat(run, p, b));
        if (sum > 0) sums.push([p, sum]);
      }
      sums.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      this.hot = { key, links: sums.slice(0, 12).map(([p]) => p) };
    }
    return this.hot.links;
  }

  private bars(c: CanvasRenderingContext2D, lane: Numbers | null, place: { y: number; h: number }, colour: string, x: (b: number) => number): void {
    if (!lane) return;
    let most = 1;
    for (const v of lane) most = Math.max(most, v);
    c.fillStyle = colour;
    lane.forEach((v, b) => {
      if (!v) return;
      const h = Math.max(2, place.h * Math.sqrt(v / most));
      c.fillRect(x(b), place.y + place.h - h, Math.max(1, x(b + 1) - x(b) - 0.5), h);
    });
  }

  /** Names of faults, each on a line of its own as long as there is room: they never run together. */
  private names(c: CanvasRenderingContext2D, sight: Sight, place: { y: number; h: number }, x: (b: number) => number): void {
    const run = sight.run, lines = Math.max(1, Math.floor(place.h / 12)), free = new Array<number>(lines).fill(-Infinity);
    c.textAlign = 'left';
    c.fillStyle = sight.colours.of.fault;
    c.font = `600 11px ${FONT}`;
    let left = 0;
    for (const broken of run.head.faults) {
      const at = x(broken.from_us / run.bucket) + 4, wide = c.measureText(broken.label).width, line = free.findIndex((end) => end < at);
      if (line < 0) { left++; continue; }
      outlined(c, broken.label, at, place.y + 11 + line * 12, sight.colours.of.fault, sight.colours.of.halo, 3);
      free[line] = at + wide + 8;
    }
    if (left) {
      const text = `+ ${left} more`;
      c.fillText(text, this.canvas.clientWidth - c.measureText(text).width - 4, place.y + 11);
    }
  }

  private axis(c: CanvasRenderingContext2D, sight: Sight, x: (b: number) => number, width: number, bottom: number): void {
    const { of } = sight.colours, [from, until] = sight.span, a = from * sight.bucket, b = until * sight.bucket;
    c.textAlign = 'right';
    for (const name of this.outside) { c.font = name.font; c.fillStyle = name.ink; c.fillText(name.text.length > 17 ? `${name.text.slice(0, 16)}…` : name.text, this.label - 6, name.y); }
    this.outside = [];
    c.font = `11px ${FONT}`;
    c.fillStyle = of.soft;
    c.textAlign = 'center';
    for (let t = Math.ceil(a / step(b - a, width)) * step(b - a, width); t <= b; t += step(b - a, width)) {
      c.fillText(us(t), Math.min(width - 20, Math.max(this.label + 4, x(t / sight.bucket))), bottom + 13);
    }
    const at = x(sight.state.at + 0.5);
    c.strokeStyle = of.ink;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(at, 0);
    c.lineTo(at, bottom);
    c.stroke();
    c.fillStyle = of.ink;
    c.beginPath();
    c.moveTo(at - 5, 0);
    c.lineTo(at + 5, 0);
    c.lineTo(at, 7);
    c.fill();
  }

  /** The same in words, for the eye and for a reader. */
  private words(sight: Sight): void {
    const run = sight.run, b = sight.state.at, t = b * sight.bucket;
    const lane = (name: string) => count(run.lane(name)?.[b] ?? 0);
    const hot = sight.hottest(run, 1)[0];
    const phases = Training.of(run)?.words(t + run.bucket / 2);
    const text = sight.timed ? `${phases ? `${phases}; ` : ''}${lane('under_way')} of ${count(run.head.flows)} flows under way, ${lane('marks')} marks and trims and ${lane('drops')} drops in these ${us(run.bucket)}${hot ? `, hottest link ${run.fabric.name(hot[0])}` : ''}` : 'nothing was recorded over time';
    byId('now').textContent = us(t);
    byId('nowtext').textContent = text;
    const slider = byId('scrub');
    slider.setAttribute('aria-valuemax', String(Math.round(sight.buckets * sight.bucket)));
    slider.setAttribute('aria-valuenow', String(Math.round(t)));
    slider.setAttribute('aria-valuetext', `${Math.round(t)} microseconds. ${text}`);
  }
}

function step(span: number, width: number): number {
  const wish = span / Math.max(3, width / 90), ten = 10 ** Math.floor(Math.log10(wish));
  return ([1, 2, 5, 10].find((k) => k * ten >= wish) ?? 10) * ten;
}
