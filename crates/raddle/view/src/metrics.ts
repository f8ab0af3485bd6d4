// What links are coloured by.

import type { Run } from './run';

export interface Metric {
  key: string;
  label: string;
  /** What the end of the ramp stands for. */
  end(run: Run): string;
  /** 0 to 1, as the ramp has it. */
  value(run: Run, port: number, bucket: number): number;
  /** The value in words. */
  text(run: Run, port: number, bucket: number): string;
  /** Whether the run has it. */
  has(run: Run): boolean;
  calm?: boolean;
}

const SHARING = 6;

/** Cells on a root scale: small values are told apart. */
function rooted(key: string, label: string, say: (x: number, run: Run) => string, unit: string): Metric {
  const exact = (run: Run, port: number, bucket: number) => {
    const cells = run.heat(key);
    if (!cells || bucket >= run.buckets) return 0;
    const v = cells[port * run.buckets + bucket] / 255;
    return v * v * (run.head.scales[key] ?? 0);
  };
  return {
    key, label,
    end: (run) => `${say(run.head.scales[key] ?? 0, run)} ${unit}`,
    value: (run, port, bucket) => {
      const cells = run.heat(key);
      return cells && bucket < run.buckets ? cells[port * run.buckets + bucket] / 255 : 0;
    },
    text: (run, port, bucket) => say(exact(run, port, bucket), run),
    has: (run) => run.heat(key) !== null,
  };
}

export const bytes = (x: number): string => x < 1024 ? `${Math.round(x)} B` : x < 1048576 ? `${Math.round(x / 1024)} KiB` : `${(x / 1048576).toFixed(1)} MiB`;
const short = (x: number): string => String(x >= 100 ? Math.round(x) : Number(x.toPrecision(3)));
export const us = (x: number): string => x >= 10000 ? `${short(x / 1000)} ms` : `${short(x)} µs`;
export const count = (x: number): string => Math.round(x).toLocaleString('en');

export const METRICS: Metric[] = [
  rooted('queue', 'Queue', bytes, 'most bytes queued'),
  {
    key: 'use', label: 'Utilisation', calm: true,
    end: () => '100 % of the link’s rate',
    value: (run, port, bucket) => {
      const cells = run.heat('use');
      return cells && bucket < run.buckets ? Math.min(1, cells[port * run.buckets + bucket] / 250) : 0;
    },
    text: (run, port, bucket) => {
      const cells = run.heat('use');
      return `${cells && bucket < run.buckets ? Math.min(100, Math.round(cells[port * run.buckets + bucket] / 2.5)) : 0} %`;
    },
    has: (run) => run.heat('use') !== null,
  },
  {
    key: 'flows', label: 'Flows sharing',
    end: () => `${SHARING} flows under way on the link`,
    value: (run, port, bucket) => Math.min(1, Math.max(0, run.sharing(port, bucket) - 1) / (SHARING - 1)),
    text: (run, port, bucket) => `${run.sharing(port, bucket)} flows`,
    has: (run) => run.routed,
  },
  rooted('marks', 'Marks, trims', (x) => count(x), 'packets a bucket'),
  rooted('drops', 'Drops', (x) => count(x), 'packets a bucket'),
  rooted('paused', 'Pauses', us, 'paused a bucket'),
];

export const metric = (key: string): Metric => METRICS.find((m) => m.key === key) ?? METRICS[0];
