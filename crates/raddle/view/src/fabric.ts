// The fabric unfolded: hosts that send on the left, the highest tier in the middle, hosts that
// receive on the right. Every directed link stands exactly once.

import type { FabricHead } from './source';

/** A place of a node: once on the way up, once on the way down; the middle column has it once. */
export interface Stand { node: number; column: number }

export class Fabric {
  readonly columns: string[];
  /** Column that a port's link leaves; it leads to the next column that has its peer. */
  readonly from: Int16Array;
  readonly to: Int16Array;
  /** Plane of a port's link, the first of all where there are none. */
  readonly plane: Int16Array;
  readonly planes: number;
  readonly pods: number;
  readonly ports: number;
  private readonly tier: number[];
  private readonly top: number;
  private readonly across: boolean;
  private readonly byName: Map<string, number>;

  constructor(readonly head: FabricHead) {
    const { nodes, ports } = head;
    this.ports = ports.name.length;
    this.tier = nodes.tier;
    this.top = this.tier.reduce((a, b) => Math.max(a, b), 1);
    // Links inside the highest tier cross the middle, which then has two columns.
    this.across = ports.node.some((n, p) => this.tier[n] === this.top && this.tier[ports.peer[p]] === this.top);
    const last = 2 * this.top + (this.across ? 1 : 0);
    this.columns = Array.from({ length: last + 1 }, (_, c) => this.title(c, last));
    this.from = new Int16Array(this.ports);
    this.to = new Int16Array(this.ports);
    this.plane = new Int16Array(this.ports);
    for (let p = 0; p < this.ports; p++) {
      const a = this.tier[ports.node[p]], b = this.tier[ports.peer[p]];
      this.from[p] = b < a ? last - a : a;
      this.to[p] = b > a ? b : last - b;
      this.plane[p] = nodes.plane[ports.node[p]] ?? nodes.plane[ports.peer[p]] ?? 0;
    }
    this.planes = nodes.plane.reduce((a: number, x) => Math.max(a, x ?? 0), 0) + 1;
    this.pods = nodes.pod.reduce((a: number, x) => Math.max(a, x ?? -1), -1) + 1;
    this.byName = new Map(ports.name.map((name, p) => [name, p]));
  }

  name(port: number): string { return this.head.ports.name[port]; }
  node(port: number): number { return this.head.ports.node[port]; }
  peer(port: number): number { return this.head.ports.peer[port]; }
  nodeName(node: number): string { return this.head.nodes.name[node]; }
  /** The port of a name, or null. */
  portOf(name: string): number | null { return this.byName.get(name) ?? null; }
  /** `ToR to aggregation`, as the columns say it. */
  way(port: number): string { return `${this.columns[this.from[port]]} to ${this.columns[this.to[port]]}`; }

  /** Every place that a node has in a plane, each once. */
  stands(plane: number): Stand[] {
    const seen = new Set<number>(), out: Stand[] = [];
    const add = (node: number, column: number) => {
      const key = node * 64 + column;
      if (!seen.has(key)) { seen.add(key); out.push({ node, column }); }
    };
    for (let p = 0; p < this.ports; p++) {
      if (this.plane[p] !== plane) continue;
      add(this.node(p), this.from[p]);
      add(this.peer(p), this.to[p]);
    }
    return out;
  }

  private title(column: number, last: number): string {
    if (column === 0) return 'hosts send';
    if (column === last) return 'hosts receive';
    const tier = column <= this.top ? column : last - column;
    const words: Record<string, string> = { tor: 'ToR', agg: 'aggregation', core: 'core', spine: 'spine', leaf: 'leaf', switch: 'switches' };
    const kind = this.head.nodes.kind[this.tier.indexOf(tier)];
    return words[kind] ?? kind ?? 'switches';
  }
}

export type Curve = [number, number, number, number];

/** Where nodes and links stand on a canvas of some size. */
export class Layout {
  readonly columnX: number[];
  readonly links: Curve[];
  readonly nodes: { node: number; column: number; x: number; y: number; h: number }[] = [];
  /** Bands of pods: number, plane, and from where to where. */
  readonly bands: { pod: number; plane: number; y: number; h: number }[] = [];
  private readonly at = new Map<number, number>();

  constructor(fabric: Fabric, readonly width: number, readonly height: number) {
    const small = width < 480, top = 30;
    const left = small ? 30 : Math.max(58, 0.07 * width), right = small ? 30 : Math.max(36, 0.07 * width);
    const last = fabric.columns.length - 1;
    this.columnX = fabric.columns.map((_, c) => Math.round(left + (width - left - right) * (c / last)));
    const gap = 14, each = (height - top - 8 - gap * (fabric.planes - 1)) / fabric.planes;
    for (let plane = 0; plane < fabric.planes; plane++) this.place(fabric, plane, top + plane * (each + gap), each);
    this.links = Array.from({ length: fabric.ports }, (_, p) => {
      const a = fabric.from[p], b = fabric.to[p], plane = fabric.plane[p];
      return [
        this.columnX[a] + (a ? 4 : 2), this.y(fabric.node(p), a, plane),
        this.columnX[b] - (b === last ? 2 : 4), this.y(fabric.peer(p), b, plane),
      ];
    });
  }

  y(node: number, column: number, plane: number): number { return this.at.get((plane * 64 + column) * 1e6 + node) ?? 0; }
  /** Height of a host, or of another node, in a plane. */
  hostY(node: number, side: 0 | 1, plane = 0): number { return this.y(node, side ? this.columnX.length - 1 : 0, plane); }

  private place(fabric: Fabric, plane: number, y0: number, tall: number): void {
    const stands = fabric.stands(plane), podOf = (node: number) => fabric.head.nodes.pod[node];
    // Pods are numbered over all planes: a plane has bands for its own.
    const own = [...new Set(stands.map(({ node }) => podOf(node)).filter((pod): pod is number => pod !== null))].sort((a, b) => a - b);
    const bands = Math.max(1, own.length), gap = bands > 1 ? Math.min(7, tall / bands / 4) : 0, band = (tall - gap * (bands - 1)) / bands;
    if (own.length > 1) own.forEach((pod, i) => this.bands.push({ pod, plane, y: y0 + i * (band + gap), h: band }));
    const groups = new Map<string, number[]>();
    for (const { node, column } of stands) {
      const pod = podOf(node), key = `${column}:${pod === null ? '' : own.indexOf(pod)}`;
      (groups.get(key) ?? groups.set(key, []).get(key)!).push(node);
    }
    for (const [key, nodes] of groups) {
      const [column, pod] = key.split(':'), c = Number(column);
      nodes.sort((a, b) => a - b);
      const from = pod === '' ? y0 : y0 + Number(pod) * (band + gap), high = pod === '' ? tall : band;
      nodes.forEach((node, i) => {
        const y = from + high * (i + 0.5) / nodes.length;
        this.at.set((plane * 64 + c) * 1e6 + node, y);
        const host = c === 0 || c === this.columnX.length - 1;
        this.nodes.push({ node, column: c, x: this.columnX[c], y, h: Math.max(1.5, Math.min(host ? 6 : 14, high / nodes.length - 2)) });
      });
    }
  }
}

export function pointOn([x1, y1, x2, y2]: Curve, t: number): [number, number] {
  const k = (x2 - x1) / 2, u = 1 - t;
  return [
    u * u * u * x1 + 3 * u * u * t * (x1 + k) + 3 * u * t * t * (x2 - k) + t * t * t * x2,
    u * u * u * y1 + 3 * u * u * t * y1 + 3 * u * t * t * y2 + t * t * t * y2,
  ];
}
