// Where the numbers come from: one head of words and numbers, and blocks of typed arrays.

/** A place in the sentence that leads somewhere, or plain words. */
export interface Part { text: string; port?: number; flow?: number }

/** What broke, when and how. */
export interface Fault {
  label: string;
  /** Directed links that it touches, numbers of ports. */
  ports: number[];
  /** In a word or two: `down`, `200 Gbps`, `2 % loss`. */
  effect: string;
  from_us: number;
  /** Null where it lasts until the run's end. */
  until_us: number | null;
}

export interface RunHead {
  name: string;
  /** Index into `fabrics`. */
  fabric: number;
  /** Rows of the flow blocks. */
  flows: number;
  completion_us: number | null;
  end_us: number;
  headline: string;
  why: Part[];
  faults: Fault[];
  /** Width of a bucket, null where nothing was recorded over time. */
  bucket_us: number | null;
  buckets: number;
  /** The time that charts span. */
  span_us: number;
  /** What 255 of a cell block stands for, by metric. */
  scales: Record<string, number>;
  /** The flow that the sentence is about. */
  tail: number | null;
  /** What flows showed of their state, and in which unit. */
  probes: { word: string; unit: string }[];
  /** Lanes and phases of training, where the traffic has some; so many ranks share a lane. */
  training: { lanes: string[]; together: number; phases: string[] } | null;
  /** What is not here, in words, each with the line that would record it. */
  left_out: { words: string; paste: string | null }[];
  /** Whose packets a server has; null where there is none. */
  recorded: number[] | null;
}

export interface FabricHead {
  nodes: { name: string[]; kind: string[]; tier: number[]; plane: (number | null)[]; pod: (number | null)[] };
  ports: { name: string[]; node: number[]; peer: number[]; rate_gbps: number[] };
}

export interface Head {
  schema: string;
  title: string;
  /** Whether numbers are asked for: of the server that this page comes from. */
  served: boolean;
  runs: RunHead[];
  fabrics: FabricHead[];
  /** Offset and length in bytes, and the type of a block. */
  blocks: Places;
}

type Places = Record<string, [number, number, 'u1' | 'u2' | 'u4' | 'f4' | 'f8']>;

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };

/** The head and the blocks of a view. */
export class Source {
  /** What came later than the page, by name. */
  private readonly later = new Map<string, Numbers>();
  /** Flows that were asked for, `RUN/FLOW`, and why nothing came. */
  private readonly asked = new Map<string, string | null>();

  private constructor(readonly head: Head, private readonly raw: ArrayBuffer) {}

  /** A block by its name, or null where it was not recorded. */
  block(name: string): Numbers | null {
    const place = this.head.blocks[name];
    return place ? numbers(this.raw, 0, place) : this.later.get(name) ?? null;
  }

  /** Opens what this very page carries, or its server has. */
  static async open(): Promise<Source> {
    const text = (id: string) => document.getElementById(id)!.textContent!;
    const head = JSON.parse(text('head')) as Head;
    if (head.served) return new Source(head, await ask('blocks'));
    const packed = Uint8Array.from(atob(text('blocks')), (c) => c.charCodeAt(0));
    return new Source(head, await inflate(new Blob([packed])));
  }

  /** Asks once for what was recorded of a flow. What it is told meanwhile, or why nothing came; null where
   *  nothing will come. */
  follow(run: number, flow: number, come: () => void): string | null {
    const place = `${run}/${flow}`;
    if (!this.head.runs[run].recorded?.includes(flow)) return null;
    if (!this.asked.has(place)) {
      this.asked.set(place, null);
      ask(`flow/${place}`).then((raw) => {
        // A length in four bytes, so much JSON with the places, then the blocks.
        const start = 4 + new DataView(raw).getUint32(0, true);
        const places = JSON.parse(new TextDecoder().decode(raw.slice(4, start))) as Places;
        for (const [name, own] of Object.entries(places)) this.later.set(name, numbers(raw, start, own));
        if (!places[`${run}.of${flow}.sent`]) this.asked.set(place, 'Its packets are not there any more.');
      }).catch((error: unknown) => {
        this.asked.set(place, String(error instanceof Error ? error.message : error));
      }).finally(come);
    }
    return this.asked.get(place) ?? 'Its packets are on their way.';
  }
  /** Lets a flow of which nothing came be asked for again. */
  retry(run: number, flow: number): void {
    const place = `${run}/${flow}`;
    if (this.asked.get(place)) this.asked.delete(place);
  }
}

function numbers(raw: ArrayBuffer, start: number, [offset, length, type]: Places[string]): Numbers {
  const Type = TYPES[type];
  return new Type(raw, start + offset, length / Type.BYTES_PER_ELEMENT);
}

/** Of the server that this page comes from, beside it. */
async function ask(path: string): Promise<ArrayBuffer> {
  const answer = await fetch(path).catch(() => { throw new Error('raddle view does not answer any more: start it again, and load this page anew'); });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.arrayBuffer();
}

function inflate(packed: Blob): Promise<ArrayBuffer> {
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}
