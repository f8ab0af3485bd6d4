// One run: its flows, who used which link, and the heat of every link over time.

import type { Fabric } from './fabric';
import type { Numbers, RunHead, Source } from './source';

export interface Use { flow: number; port: number; packets: number; first: number; last: number }

export class Run {
  readonly head: RunHead;
  readonly source: Numbers;
  readonly destination: Numbers;
  readonly size: Numbers;
  readonly start: Numbers;
  readonly end: Numbers;
  readonly ideal: Numbers;
  readonly resent: Numbers;
  readonly lost: Numbers;
  /** Whether it is known which flows used which links. */
  readonly routed: boolean;
  private readonly byPort: Use[][];
  private readonly byFlow: Use[][];
  private readonly cells = new Map<string, Numbers | null>();
  private readonly lanes = new Map<string, Numbers | null>();

  constructor(readonly index: number, readonly fabric: Fabric, private readonly from: Source) {
    this.head = from.head.runs[index];
    const flow = (name: string) => from.block(`${index}.flow.${name}`)!;
    this.source = flow('source'); this.destination = flow('destination'); this.size = flow('size');
    this.start = flow('start'); this.end = flow('end'); this.ideal = flow('ideal');
    this.resent = flow('resent'); this.lost = flow('lost');
    this.byPort = Array.from({ length: fabric.ports }, () => []);
    this.byFlow = Array.from({ length: this.head.flows }, () => []);
    const of = from.block(`${index}.route.flow`);
    this.routed = of !== null;
    if (of) {
      const route = (name: string) => from.block(`${index}.route.${name}`)!;
      const port = route('port'), packets = route('packets'), first = route('first'), last = route('last');
      for (let i = 0; i < of.length; i++) {
        const use = { flow: of[i], port: port[i], packets: packets[i], first: first[i], last: last[i] };
        this.byPort[use.port].push(use);
        this.byFlow[use.flow].push(use);
      }
      for (const list of this.byPort) list.sort((a, b) => b.packets - a.packets);
    }
  }

  get buckets(): number { return this.head.buckets; }
  get bucket(): number { return this.head.bucket_us ?? this.head.span_us; }
  /** Flows on a link, the one with most packets first. */
  on(port: number): Use[] { return this.byPort[port]; }
  /** Links of a flow. */
  links(flow: number): Use[] { return this.byFlow[flow]; }
  /** Bytes of heat, a row a port: 0 to 255. */
  heat(metric: string): Numbers | null {
    if (!this.cells.has(metric)) this.cells.set(metric, this.from.block(`${this.index}.cells.${metric}`));
    return this.cells.get(metric)!;
  }
  /** A number a bucket of the whole run. */
  lane(name: string): Numbers | null {
    if (!this.lanes.has(name)) this.lanes.set(name, this.from.block(`${this.index}.time.${name}`));
    return this.lanes.get(name)!;
  }
  /** Columns of the bars of training. */
  training(name: string): Numbers | null { return this.from.block(`${this.index}.training.${name}`); }
  /** A number a port, over the whole run. */
  total(name: string): Numbers | null { return this.from.block(`${this.index}.port.${name}`); }
  /** Columns of a recorded flow's packets, hops and probes. */
  recorded(flow: number, name: string): Numbers | null { return this.from.block(`${this.index}.of${flow}.${name}`); }
  /** Asks for the same where a server has them, and says what becomes of it; `come` is called when that changes. */
  follow(flow: number, come: () => void): string | null { return this.from.follow(this.index, flow, come); }
  retry(flow: number): void { this.from.retry(this.index, flow); }
  /** How many flows under way use a link in a bucket. */
  sharing(port: number, bucket: number): number {
    const from = bucket * this.bucket, until = from + this.bucket;
    let n = 0;
    for (const use of this.byPort[port]) if (use.first < until && use.last >= from) n++;
    return n;
  }
  /** Rate of a host's links together. */
  hostRate(node: number): number {
    const { ports } = this.fabric.head;
    return ports.rate_gbps.reduce((sum, rate, p) => (ports.node[p] === node ? sum + rate : sum), 0);
  }
  /** When something was broken: times that overlap are one. */
  get broken(): [number, number][] {
    const times = this.head.faults.map((f): [number, number] => [f.from_us, f.until_us ?? this.head.end_us]).sort((a, b) => a[0] - b[0]);
    const out: [number, number][] = [];
    for (const [from, until] of times) {
      const last = out.at(-1);
      if (last && from <= last[1]) last[1] = Math.max(last[1], until);
      else out.push([from, until]);
    }
    return out;
  }
  host(node: number): string { return this.fabric.nodeName(node); }
  title(flow: number): string { return `${this.host(this.source[flow])} → ${this.host(this.destination[flow])}`; }
  took(flow: number): number { return this.end[flow] - this.start[flow]; }
}
