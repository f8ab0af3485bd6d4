// The map of a large fabric: a cell a link, in the same places. Columns are layers, rows are
// switches, bands are pods.

import { context, outlined, FONT } from './dom';
import type { Fabric } from './fabric';
import type { Run } from './run';
import type { Sight } from './sight';

interface Cell { x: number; y: number; w: number; h: number }

export class CellMap {
  private cells: Cell[] = [];
  private titles: { text: string; x: number }[] = [];
  private bands: { text: string; y: number }[] = [];
  private width = 0;
  private height = 0;
  private image: ImageData | null = null;
  private readonly still = document.createElement('canvas');

  constructor(readonly canvas: HTMLCanvasElement, readonly run: Run) {}

  draw(sight: Sight, height: number): void {
    const [c, width] = context(this.canvas, height), { of } = sight.colours;
    if (this.width !== width || this.height !== height) { this.width = width; this.height = height; this.place(this.run.fabric); }
    const d = Math.min(2, devicePixelRatio || 1), w = Math.round(width * d), h = Math.round(height * d);
    if (!this.image || this.image.width !== w || this.image.height !== h) {
      this.image = new ImageData(w, h);
      this.still.width = w;
      this.still.height = h;
    }
    const pixels = new Uint32Array(this.image.data.buffer), { words } = sight.colours;
    pixels.fill(0);
    this.cells.forEach((cell, p) => {
      const colour = words[sight.classOf(this.run, p, sight.state.at)];
      const x0 = Math.round(cell.x * d), x1 = Math.max(x0 + 1, Math.round((cell.x + cell.w) * d));
      const y0 = Math.round(cell.y * d), y1 = Math.max(y0 + 1, Math.round((cell.y + cell.h) * d));
      for (let y = y0; y < y1; y++) pixels.fill(colour, y * w + x0, y * w + x1);
    });
    this.still.getContext('2d')!.putImageData(this.image, 0, 0);
    c.drawImage(this.still, 0, 0, width, height);
    c.fillStyle = of.soft;
    c.textAlign = 'left';
    for (const title of this.titles) c.fillText(title.text, title.x, 14);
    c.textAlign = 'right';
    for (const band of this.bands) c.fillText(band.text, 52, band.y);
    this.mark(c, sight);
  }

  pick(x: number, y: number): number | null {
    let best: number | null = null, near = 6;
    this.cells.forEach((cell, p) => {
      const dx = Math.max(cell.x - x, 0, x - cell.x - cell.w), dy = Math.max(cell.y - y, 0, y - cell.y - cell.h), d = Math.hypot(dx, dy);
      if (d < near) { near = d; best = p; }
    });
    return best;
  }

  /** The links of the chosen flows get a frame, broken ones a red one. */
  private mark(c: CanvasRenderingContext2D, sight: Sight): void {
    const frame = (p: number, colour: string, width: number) => {
      const cell = this.cells[p];
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.strokeRect(cell.x - width / 2, cell.y - width / 2, Math.max(2, cell.w) + width, Math.max(2, cell.h) + width);
    };
    const from = sight.state.at * this.run.bucket, until = from + this.run.bucket;
    for (const broken of this.run.head.faults) {
      if (until <= broken.from_us || (broken.until_us !== null && from >= broken.until_us)) continue;
      for (const p of broken.ports) frame(p, sight.colours.of.fault, 1.5);
    }
    sight.threads(this.run).forEach((flow, i) => { for (const use of this.run.links(flow)) frame(use.port, sight.colours.lane(i), 1.5); });
    if (sight.state.link === null || sight.state.link >= this.cells.length) return;
    frame(sight.state.link, sight.colours.of.ink, 2.5);
    const cell = this.cells[sight.state.link];
    c.font = `600 12px ${FONT}`;
    c.textAlign = cell.x > this.width / 2 ? 'right' : 'left';
    outlined(c, this.run.fabric.name(sight.state.link), cell.x, cell.y - 6, sight.colours.of.ink, sight.colours.of.halo);
    c.font = `12px ${FONT}`;
  }

  private place(fabric: Fabric): void {
    const { nodes, ports } = fabric.head, small = this.width < 480, left = small ? 8 : 60, top = 26;
    const layers = new Map<number, number[]>();
    for (let p = 0; p < fabric.ports; p++) {
      const key = fabric.from[p] * 64 + fabric.to[p];
      (layers.get(key) ?? layers.set(key, []).get(key)!).push(p);
    }
    const keys = [...layers.keys()].sort((a, b) => a - b), each = (this.width - left - 8) / keys.length, gap = Math.min(18, each * 0.1);
    const bands = Math.max(1, fabric.pods), high = (this.height - top - 6) / bands, between = bands > 1 ? Math.min(4, high * 0.15) : 0;
    this.cells = new Array<Cell>(fabric.ports);
    this.titles = keys.map((key, i) => {
      const text = fabric.way(layers.get(key)![0]).replace('hosts send', 'host').replace('hosts receive', 'host').replace(' to ', ' → ');
      return { text: each < 130 ? text.replaceAll('aggregation', 'agg') : text, x: left + i * each };
    });
    this.bands = small || bands < 2 ? [] : Array.from({ length: bands }, (_, pod) => ({ text: `pod ${pod}`, y: top + pod * high + Math.min(12, high / 2 + 4) }));
    keys.forEach((key, i) => {
      // A link belongs to the pod of its lower end, or else to a band by its place.
      const list = layers.get(key)!, groups: number[][] = Array.from({ length: bands }, () => []);
      list.forEach((p, j) => groups[nodes.pod[ports.node[p]] ?? nodes.pod[ports.peer[p]] ?? Math.floor(j * bands / list.length)].push(p));
      groups.forEach((group, band) => this.fill(fabric, group, left + i * each, top + band * high, each - gap, high - between));
    });
  }

  /** Rows are switches, columns their ports; a layer of hosts has its ToRs for rows. */
  private fill(fabric: Fabric, group: number[], x: number, y: number, w: number, h: number): void {
    const rows = new Map<number, number[]>(), { kind } = fabric.head.nodes;
    for (const p of group) {
      const owner = kind[fabric.node(p)] === 'host' ? fabric.peer(p) : fabric.from[p] >= fabric.columns.length / 2 && kind[fabric.peer(p)] !== 'host' && fabric.head.nodes.pod[fabric.node(p)] === null ? fabric.peer(p) : fabric.node(p);
      (rows.get(owner) ?? rows.set(owner, []).get(owner)!).push(p);
    }
    const each = h / Math.max(1, rows.size);
    [...rows.values()].forEach((row, r) => row.forEach((p, i) => {
      const wide = w / row.length;
      this.cells[p] = { x: x + i * wide, y: y + r * each, w: Math.max(0.5, wide - (wide > 3 ? 1 : 0)), h: Math.max(0.5, each - (each > 3 ? 1 : 0)) };
    }));
  }
}
