// What all parts of the page look at: the runs, what is chosen, the colours.

import { Colours, CLASSES } from './colours';
import type { Fabric } from './fabric';
import { metric, type Metric } from './metrics';
import type { Run } from './run';
import type { State } from './state';

export class Sight {
  colours!: Colours;

  constructor(readonly runs: Run[], readonly state: State) { this.paint(); }

  paint(): void {
    const { state } = this;
    const theme = state.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.colours = new Colours(theme, state.mode === 'apart' ? 'apart' : this.metric.calm ? 'calm' : 'heat');
  }

  get metric(): Metric { return metric(this.state.metric); }
  get apart(): boolean { return this.state.mode === 'apart'; }
  /** The run that sentence, panel and time are about. */
  get run(): Run { return this.runs[this.state.mode === 'b' ? 1 : 0]; }
  get fabric(): Fabric { return this.run.fabric; }
  /** Runs with a map each. */
  get shown(): Run[] { return this.state.mode === 'both' ? this.runs : [this.run]; }
  /** The time axis is one for both runs. */
  get buckets(): number { return Math.max(1, ...this.runs.map((r) => r.buckets)); }
  get bucket(): number { return Math.max(...this.runs.map((r) => r.bucket)); }
  get timed(): boolean { return this.runs.some((r) => r.head.bucket_us !== null); }
  /** First and last bucket in sight. */
  get span(): [number, number] { return this.state.zoom ?? [0, this.buckets]; }

  /** 0 to 1, of A minus B -1 to 1 on linear values. */
  heat(run: Run, port: number, bucket: number): number {
    const m = this.metric;
    if (!this.apart) return m.value(run, port, bucket);
    const linear = (r: Run) => { const v = m.value(r, port, bucket); return m.calm || m.key === 'flows' ? v : v * v; };
    return linear(this.runs[0]) - linear(this.runs[1]);
  }
  classOf(run: Run, port: number, bucket: number): number {
    const heat = this.heat(run, port, bucket);
    return Math.round(Math.max(0, Math.min(1, this.apart ? 0.5 + heat / 2 : heat)) * (CLASSES - 1));
  }
  /** Links by heat now, the hottest first. */
  hottest(run: Run, n: number): [number, number][] {
    const all: [number, number][] = [];
    for (let p = 0; p < run.fabric.ports; p++) {
      const heat = this.heat(run, p, this.state.at);
      if (heat !== 0) all.push([p, heat]);
    }
    return all.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]).slice(0, n);
  }
  /** Flows drawn as threads: those on the chosen link, or the chosen flow. */
  threads(run: Run): number[] {
    const { link, flow } = this.state;
    // What is chosen in one run need not be there in the other.
    if (link !== null) return link < run.fabric.ports ? run.on(link).slice(0, 7).map((use) => use.flow) : [];
    return flow === null || flow >= run.head.flows ? [] : [flow];
  }
}
