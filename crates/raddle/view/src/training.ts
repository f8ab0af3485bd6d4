// Lanes of training: a lane a rank, a bar a phase, a hairline from the message that a phase waited for.

import { FONT } from './dom';
import type { Run } from './run';
import type { Numbers } from './source';
import type { Sight } from './sight';

/** No lane, no flow. */
const NONE = 0xffffffff;

interface Place { y: number; h: number }

export class Training {
  readonly lanes: string[];
  private readonly lane: Numbers;
  private readonly phase: Numbers;
  private readonly from: Numbers;
  private readonly until: Numbers;
  private readonly began: Numbers;
  private readonly afterLane: Numbers;
  private readonly afterAt: Numbers;
  private readonly decided: Numbers;
  /** A colour each: `all_gather` of all layers is one kind. */
  private readonly kinds: string[];

  private constructor(private readonly run: Run) {
    const block = (name: string) => run.training(name)!;
    this.lanes = run.head.training!.lanes;
    this.lane = block('lane'); this.phase = block('phase'); this.from = block('from'); this.until = block('until');
    this.began = block('began'); this.afterLane = block('after_lane'); this.afterAt = block('after_at');
    this.decided = block('decided');
    this.kinds = [...new Set(run.head.training!.phases.map(kind))];
  }

  private static readonly known = new WeakMap<Run, Training | null>();
  /** Those of a run, or null where its traffic has no phases. */
  static of(run: Run): Training | null {
    if (!this.known.has(run)) this.known.set(run, run.head.training ? new Training(run) : null);
    return this.known.get(run)!;
  }

  /** How high they are, all together. */
  height(narrow: boolean): number { return this.each(narrow) * this.lanes.length; }
  private each(narrow: boolean): number {
    return Math.max(narrow ? 2.5 : 4, Math.min(14, Math.floor((narrow ? 80 : 150) / this.lanes.length)));
  }

  draw(c: CanvasRenderingContext2D, sight: Sight, place: Place, narrow: boolean, x: (bucket: number) => number): void {
    const { phases } = this.run.head.training!, each = this.each(narrow), at = (us: number) => x(us / this.run.bucket);
    const middle = (lane: number) => place.y + (lane + 0.5) * each, gap = each > 5 ? 1 : 0.5;
    c.font = `10px ${FONT}`;
    c.textAlign = 'left';
    for (let i = 0; i < this.lane.length; i++) {
      const a = at(this.from[i]), b = at(this.until[i]), y = place.y + this.lane[i] * each;
      c.fillStyle = sight.colours.lane(this.kinds.indexOf(kind(phases[this.phase[i]])));
      c.globalAlpha = 0.45;
      c.fillRect(a, y, Math.max(1, b - a), each - gap);
      c.globalAlpha = 1;
      c.fillRect(a, y, Math.max(1, Math.min(2, b - a)), each - gap);
    }
    for (const strong of [0, 1]) {
      c.beginPath();
      for (let i = 0; i < this.lane.length; i++) {
        if (this.decided[i] !== strong || this.afterLane[i] === NONE) continue;
        c.moveTo(at(this.afterAt[i]), middle(this.afterLane[i]));
        c.lineTo(at(this.began[i]), middle(this.lane[i]));
      }
      c.strokeStyle = strong ? sight.colours.of.ink : sight.colours.of.soft;
      c.lineWidth = strong ? 2 : 0.75;
      c.stroke();
    }
  }

  /** Names of lanes, as many as there is room for, and where they stand. */
  names(place: Place, narrow: boolean): { text: string; y: number }[] {
    const each = this.each(narrow), step = Math.ceil(11 / each);
    return this.lanes.map((text, lane) => ({ text, y: place.y + (lane + 0.5) * each + 4 })).filter((_, lane) => lane % step === 0);
  }

  /** Who is in which phase at a time, in words. */
  words(us: number): string {
    const { phases, together } = this.run.head.training!, now = new Map<number, number>();
    for (let i = 0; i < this.lane.length; i++) if (this.from[i] <= us && us < this.until[i]) now.set(this.phase[i], (now.get(this.phase[i]) ?? 0) + 1);
    const what = together > 1 ? 'lanes' : 'ranks', said = [...now].sort((a, b) => a[0] - b[0]).map(([phase, n]) => `${n} of ${this.lanes.length} ${what} in ${phases[phase]}`);
    return said.length ? said.join(', ') : `no ${what.slice(0, -1)} in a phase`;
  }

  /** What colours stand for. */
  legend(sight: Sight): { text: string; colour: string }[] {
    return this.kinds.map((text, i) => ({ text: text || 'phase', colour: sight.colours.lane(i) }));
  }
}

/** What a phase does, whatever its layer. */
function kind(phase: string): string { return phase.replace(/[\d.]+/g, '').replace(/\s+/g, ' ').replace(/^layer /, '').trim(); }
