// The sentence on top: what came out, and why the tail.

import { byId, el } from './dom';
import { us } from './metrics';
import type { Sight } from './sight';

export function words(sight: Sight, choose: (change: { link?: number | null; flow?: number | null }) => void): void {
  const answer = byId('answer'), why = byId('why'), [a, b] = sight.runs;
  if (b && (sight.state.mode === 'both' || sight.apart)) {
    const x = a.head.completion_us, y = b.head.completion_us;
    answer.textContent = x === null || y === null
      ? `${x === null ? a.head.name : b.head.name} has flows that did not end.`
      : `${a.head.name} is done after ${us(x)}, ${b.head.name} after ${us(y)}: ${(x / y).toFixed(2)} times ${x >= y ? 'as long' : 'the time'}.`;
    why.textContent = sight.apart
      ? `Orange: more under ${a.head.name}. Blue: more under ${b.head.name}. Grey: the same. One time, one scale.`
      : `One time and one scale. The panel and the lanes of time are those of ${sight.run.head.name}.`;
    return;
  }
  const { head } = sight.run;
  answer.textContent = head.headline;
  why.replaceChildren(...head.why.map((part) => {
    if (part.port !== undefined) return el('button', { type: 'button', onclick: () => choose({ link: part.port!, flow: sight.state.flow }) }, part.text);
    if (part.flow !== undefined) return el('button', { type: 'button', onclick: () => choose({ flow: part.flow!, link: null }) }, part.text);
    return document.createTextNode(part.text);
  }));
}
