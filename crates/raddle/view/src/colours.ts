// Ramps rise in one direction of luminance, so that they are read without hue.

const RAMPS = {
  light: ['#dfe3e9', '#f6cf7f', '#ee8b3a', '#c43a4b', '#7a1768', '#2b0a3d'],
  dark: ['#2a3038', '#5a2a78', '#a8327d', '#e4573f', '#f9a53a', '#fff0b3'],
};
const CALM = {
  light: ['#dfe3e9', '#a9cdd0', '#5f9fa8', '#256f7c', '#0b4250'],
  dark: ['#2a3038', '#2f545c', '#3f838c', '#6cb9bd', '#c4eef0'],
};
// A minus B: orange where A has more, blue where B has.
const APART = {
  light: ['#00507f', '#5fa3cf', '#dfe3e9', '#f0a35e', '#a63c06'],
  dark: ['#8fd0ff', '#3f86b8', '#2a3038', '#c56f2a', '#ffc08a'],
};
const LANES = {
  light: ['#00639c', '#b4460b', '#00795a', '#963a7c', '#8a5f00', '#4b3fae', '#5b5f66'],
  dark: ['#5cb8f5', '#ff9a57', '#3ed6a8', '#ee9fd3', '#eebb3f', '#b3abff', '#b4b9c2'],
};
/** Classes of heat: as many strokes a frame, not one a link. */
export const CLASSES = 16;

export type Theme = 'light' | 'dark';
const VARIABLES = ['paper', 'ink', 'soft', 'line', 'faint', 'plot', 'accent', 'fault', 'good', 'node', 'idle', 'halo'] as const;

export class Colours {
  ramp: string[] = [];
  /** The same as 0xAABBGGRR, for images. */
  words = new Uint32Array(CLASSES);
  readonly of = {} as Record<(typeof VARIABLES)[number], string>;

  constructor(readonly theme: Theme, kind: 'heat' | 'calm' | 'apart') {
    document.documentElement.dataset.theme = theme;
    const stops = (kind === 'apart' ? APART : kind === 'calm' ? CALM : RAMPS)[theme];
    for (let i = 0; i < CLASSES; i++) {
      const [r, g, b] = mix(stops, i / (CLASSES - 1));
      this.ramp.push(`rgb(${r},${g},${b})`);
      this.words[i] = (255 << 24 | b << 16 | g << 8 | r) >>> 0;
    }
    const style = getComputedStyle(document.documentElement);
    for (const name of VARIABLES) this.of[name] = style.getPropertyValue(`--${name}`).trim();
  }

  lane(i: number): string { return LANES[this.theme][Math.min(i, LANES.light.length - 1)]; }
}

function mix(stops: string[], t: number): [number, number, number] {
  const hex = (h: string) => [1, 3, 5].map((i) => parseInt(h.slice(i, i + 2), 16));
  const x = t * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(x)), k = x - i;
  const a = hex(stops[i]), b = hex(stops[i + 1]);
  return a.map((v, j) => Math.round(v + (b[j] - v) * k)) as [number, number, number];
}
