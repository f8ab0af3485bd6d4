// What is chosen. It is in the address, so that a link leads to the same sight.

import type { Fabric } from './fabric';

export type Mode = 'a' | 'b' | 'both' | 'apart';

export interface State {
  mode: Mode;
  metric: string;
  /** Bucket of the cursor. */
  at: number;
  link: number | null;
  flow: number | null;
  packet: number | null;
  playing: boolean;
  theme: 'light' | 'dark' | null;
  /** First and last bucket in sight. */
  zoom: [number, number] | null;
}

/** `#run=a&colour=queue&t=56&link=core10.down2&flow=123`, as the address has it. */
export function written(state: State, fabric: Fabric, bucket: number): string {
  const words: [string, string][] = [['run', state.mode], ['colour', state.metric], ['t', String(Math.round(state.at * bucket * 1000) / 1000)]];
  if (state.link !== null) words.push(['link', fabric.name(state.link)]);
  if (state.flow !== null) words.push(['flow', String(state.flow)]);
  return `#${words.map(([k, v]) => `${k}=${encodeURIComponent(v)}`).join('&')}`;
}

/** What an address asks for; words that mean nothing here are passed over. */
export function read(hash: string, fabric: Fabric, bucket: number, buckets: number, flows: number, modes: Mode[], metrics: string[]): Partial<State> {
  const words = new URLSearchParams(hash.replace(/^#/, '')), out: Partial<State> = {};
  const mode = words.get('run') as Mode | null, colour = words.get('colour');
  if (mode && modes.includes(mode)) out.mode = mode;
  if (colour && metrics.includes(colour)) out.metric = colour;
  const t = Number(words.get('t'));
  if (words.has('t') && Number.isFinite(t)) out.at = Math.max(0, Math.min(buckets - 1, Math.round(t / bucket)));
  const link = words.get('link'), flow = words.get('flow');
  if (link !== null) out.link = fabric.portOf(link);
  if (flow !== null && /^\d+$/.test(flow) && Number(flow) < flows) out.flow = Number(flow);
  return out;
}
