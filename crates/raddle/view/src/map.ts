// The map of up to some 1,500 links: a line a link, flows as threads.

import { CLASSES } from './colours';
import { context, FONT, outlined } from './dom';
import { type Curve, Layout, pointOn } from './fabric';
import type { Run } from './run';
import type { Sight } from './sight';

/** More links than this are cells. */
export const LINES = 1536;
const SHORT: Record<string, string> = { aggregation: 'agg', 'hosts send': 'send', 'hosts receive': 'receive' };

export class LineMap {
  private layout: Layout | null = null;

  constructor(readonly canvas: HTMLCanvasElement, readonly run: Run) {}

  draw(sight: Sight, height: number): void {
    const [c, width] = context(this.canvas, height), { of } = sight.colours;
    if (!this.layout || this.layout.width !== width || this.layout.height !== height) this.layout = new Layout(this.run.fabric, width, height);
    const layout = this.layout;
    c.textAlign = 'center';
    c.fillStyle = of.soft;
    this.run.fabric.columns.forEach((title, i) =>
      c.fillText(width < 620 ? SHORT[title] ?? title : title, Math.max(24, Math.min(width - 26, layout.columnX[i])), 14));
    if (width >= 480) for (const band of layout.bands) {
      if (band.h < 40) continue;
      c.save();
      c.translate(10, band.y + band.h / 2);
      c.rotate(-Math.PI / 2);
      c.fillText(`pod ${band.pod}`, 0, 4);
      c.restore();
    }
    this.links(c, sight, layout);
    this.faults(c, sight, layout);
    this.threads(c, sight, layout);
    c.fillStyle = of.node;
    for (const node of layout.nodes) {
      c.beginPath();
      c.roundRect(node.x - 3, node.y - node.h / 2, 6, node.h, 2);
      c.fill();
    }
    this.chosen(c, sight, layout);
  }

  /** The link below the pointer. */
  pick(x: number, y: number): number | null {
    if (!this.layout) return null;
    let best: number | null = null, near = 9;
    this.layout.links.forEach((link, p) => {
      if (x < link[0] - 9 || x > link[2] + 9) return;
      for (let t = 0; t <= 1; t += 0.04) {
        const [px, py] = pointOn(link, t), d = Math.hypot(px - x, py - y);
        if (d < near) { near = d; best = p; }
      }
    });
    return best;
  }

  private links(c: CanvasRenderingContext2D, sight: Sight, layout: Layout): void {
    const classes: number[][] = Array.from({ length: CLASSES }, () => []);
    for (let p = 0; p < layout.links.length; p++) classes[sight.classOf(this.run, p, sight.state.at)].push(p);
    const zero = sight.apart ? (CLASSES - 1) / 2 : 0;
    const order = [...classes.keys()].sort((a, b) => Math.abs(a - zero) - Math.abs(b - zero));
    const dim = sight.state.link !== null || sight.state.flow !== null;
    for (const k of order) {
      if (!classes[k].length) continue;
      const heat = Math.abs(k - zero) / (CLASSES - 1 - zero), idle = heat < 0.1;
      c.beginPath();
      for (const p of classes[k]) trace(c, layout.links[p]);
      c.strokeStyle = idle ? sight.colours.of.idle : sight.colours.ramp[k];
      c.lineWidth = idle ? 0.8 : 0.9 + (sight.metric.calm ? 0.9 : 2.6) * heat;
      c.globalAlpha = idle || !dim ? 1 : 0.5;
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  /** Broken links: dashed red with a cross; slowed or lossy ones with the word. */
  private faults(c: CanvasRenderingContext2D, sight: Sight, layout: Layout): void {
    const from = sight.state.at * this.run.bucket, until = from + this.run.bucket, { fault, halo } = sight.colours.of;
    for (const broken of this.run.head.faults) {
      if (until <= broken.from_us || (broken.until_us !== null && from >= broken.until_us)) continue;
      for (const p of broken.ports) {
        const link = layout.links[p];
        c.beginPath();
        trace(c, link);
        c.setLineDash([3, 3]);
        c.strokeStyle = fault;
        c.lineWidth = 2;
        c.stroke();
        c.setLineDash([]);
        const [x, y] = pointOn(link, 0.5);
        c.font = `700 ${broken.effect === 'down' ? 14 : 11}px ${FONT}`;
        c.textAlign = 'center';
        outlined(c, broken.effect === 'down' ? '×' : broken.effect, x, y + 5, fault, halo, 3);
      }
    }
    c.font = `12px ${FONT}`;
  }

  private threads(c: CanvasRenderingContext2D, sight: Sight, layout: Layout): void {
    const flows = sight.threads(this.run), { halo } = sight.colours.of, { fabric } = this.run;
    flows.forEach((flow, i) => {
      const uses = this.run.links(flow), most = Math.max(1, ...uses.map((use) => use.packets));
      const focus = sight.state.flow === null || sight.state.flow === flow;
      for (const pass of [0, 1]) for (const use of uses) {
        const share = use.packets / most;
        c.beginPath();
        trace(c, layout.links[use.port]);
        c.strokeStyle = pass ? sight.colours.lane(i) : halo;
        c.globalAlpha = Math.min(1, pass ? (focus ? 0.25 : 0.1) + share : 0.75 * (share + 0.1));
        c.lineWidth = pass ? (sight.state.flow === flow ? 1.4 : 0.4) + 1.6 * share : 1.5 + 3.5 * share;
        c.stroke();
      }
      c.globalAlpha = 1;
      // A flow that turns below the highest tier: its switch stands twice, and the same packet goes on there.
      c.setLineDash([2, 4]);
      c.strokeStyle = sight.colours.lane(i);
      c.lineWidth = 1.4;
      const last = fabric.columns.length - 1;
      for (const use of uses) {
        const at = fabric.to[use.port], node = fabric.peer(use.port), plane = fabric.plane[use.port];
        if (at >= last - at || !uses.some((next) => fabric.node(next.port) === node && fabric.from[next.port] === last - at)) continue;
        const y = layout.y(node, at, plane);
        c.beginPath();
        c.moveTo(layout.columnX[at], y);
        c.lineTo(layout.columnX[last - at], y);
        c.stroke();
      }
      c.setLineDash([]);
    });
    if (layout.width >= 480) for (const side of [0, 1] as const) this.tags(c, sight, layout, flows, side);
  }

  /** Numbers of hosts at both ends of the threads, moved apart where they would touch. */
  private tags(c: CanvasRenderingContext2D, sight: Sight, layout: Layout, flows: number[], side: 0 | 1): void {
    const host = side ? this.run.destination : this.run.source;
    const tags = flows.map((flow, i) => ({ text: this.run.host(host[flow]).replace(/^host/, ''), i, y: layout.hostY(host[flow], side) + 4 })).sort((a, b) => a.y - b.y);
    tags.forEach((tag, j) => { if (j && tag.y - tags[j - 1].y < 12) tag.y = tags[j - 1].y + 12; });
    c.font = `600 11px ${FONT}`;
    c.textAlign = side ? 'left' : 'right';
    const x = layout.columnX[side ? layout.columnX.length - 1 : 0] + (side ? 7 : -7);
    for (const tag of tags) outlined(c, tag.text, x, tag.y, sight.colours.lane(tag.i), sight.colours.of.halo, 3);
    c.font = `12px ${FONT}`;
  }

  private chosen(c: CanvasRenderingContext2D, sight: Sight, layout: Layout): void {
    if (sight.state.link === null || sight.state.link >= layout.links.length) return;
    const { ink, halo } = sight.colours.of, [x, y] = pointOn(layout.links[sight.state.link], 0.5);
    c.beginPath();
    c.arc(x, y, 6.5, 0, 7);
    c.fillStyle = halo;
    c.fill();
    c.lineWidth = 2.2;
    c.strokeStyle = ink;
    c.stroke();
    c.font = `600 12px ${FONT}`;
    c.textAlign = 'center';
    outlined(c, this.run.fabric.name(sight.state.link), x, y - 11, ink, halo);
    c.font = `12px ${FONT}`;
  }
}

function trace(c: CanvasRenderingContext2D, [x1, y1, x2, y2]: Curve): void {
  const k = (x2 - x1) / 2;
  c.moveTo(x1, y1);
  c.bezierCurveTo(x1 + k, y1, x2 - k, y2, x2, y2);
}
