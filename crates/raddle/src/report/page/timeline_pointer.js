// Labels of the time lines, and the pointer that shows every value at one moment.

function timelineLabels(over, lay, opened, { shareWidth, px, low, high, capacity, range }) {
  const bucket = (o) => `${number(o.bucket)} \u00b5s`;
  const same = opened.every((o) => o.bucket === opened[0].bucket);
  const buckets = same ? bucket(opened[0]) : `${bucket(opened[0])} left, ${bucket(opened[1])} right`;
  const mode = theme();
  const stops = [0, (low ?? capacity / 3) / capacity, (high ?? (capacity * 2) / 3) / capacity, 1];
  const bar = (colours, at) => el('i', { class: 'ramp', style: `background:linear-gradient(to right,${colours.map((c, i) => `${c} ${at[i] * 100}%`).join(',')})` });
  const marking = low != null && high != null ? ` (marks from ${kib(low)}, all from ${kib(high)})` : '';
  const ports = [...new Set(opened.map((o) => o.detail.ports_title).filter(Boolean))].join(' and ') || 'recorded ports';
  const legends = [
    ['Queue length', `${ports}, most per ${buckets}: 0`, bar(QUEUE_RAMP[mode], stops), `${kib(capacity)}${marking}`],
    ['Utilisation', `mean per ${buckets}: 0`, bar(USE_RAMP[mode], [0, 1]), '100 % of the port\u2019s rate'],
    ['Where packets went', `share of data packets per port, drawn per ${number(shareWidth)} \u00b5s; bands of equal height mean an even spread`],
    ['What happened', `whole network, per ${buckets}; a bar\u2019s height is the square root of its count`],
  ];
  legends.forEach(([title, ...rest], block) => {
    over.append(el('span', { class: lay.narrow ? 'block wraps' : 'block', style: `left:0;top:${lay.tops[block] - lay.head}px` }, title, el('span', { class: 'legend' }, rest)));
  });
  const step = Math.ceil(12 / lay.row);
  opened.forEach((o, side) => {
    const left = lay.lefts[side] - 8;
    if (lay.labelled[side]) {
      for (const block of [0, 1]) o.ports.forEach((p, i) => { if (i % step === 0) put(over, left, lay.tops[block] + (i + 0.5) * lay.row - 7, p.name, 'end'); });
      put(over, left, lay.tops[2] - 6, '100 %', 'end soft');
      put(over, left, lay.tops[2] + lay.heights[2] - 8, '0 %', 'end soft');
      lay.kinds.forEach((name, i) => put(over, left, lay.tops[3] + (i + 0.5) * 20 - 7, name, 'end'));
    }
    put(over, lay.lefts[side] + lay.inner / 2, lay.height - 18, 'time, \u00b5s', 'mid soft');
    faultLabels(over, lay, o, side, range, px);
    if (o.done != null && o.done >= range[0] && o.done <= range[1]) {
      const x = px(side, o.done);
      put(over, x, lay.tops[0], '', 'hair', `height:${lay.tops[3] + lay.heights[3] - lay.tops[0]}px;border-left:1px dotted ${css('--soft')}`);
      const late = x > lay.lefts[side] + lay.inner / 2;
      put(over, late ? x - 4 : x + 4, lay.tops[3] - 15, `last flow done ${micros(o.done)}`, late ? 'end soft' : 'soft');
    } else if (o.run && o.done == null) {
      put(over, lay.lefts[side] + lay.inner - 4, lay.tops[3] - 15, `never finished: ${plural(o.run.unfinished_flows, 'flow')} left \u25b6`, 'end fault');
    }
  });
}

// Faults by their names, each where it begins. Those without room are counted; the words above have all.
function faultLabels(over, lay, o, side, range, px) {
  const shown = o.detail.faults.filter((f) => f.from_us < range[1] && (f.until_us ?? range[1]) > range[0]);
  const end = lay.lefts[side] + lay.inner;
  const [font, room] = ['600 12px', 34];
  let [edge, left] = [lay.lefts[side], shown.length];
  for (const fault of shown) {
    const x = Math.max(px(side, Math.max(fault.from_us, range[0])), edge);
    const wide = textWidth(fault.label, font) + 12;
    if (x + wide > end - (left > 1 ? room : 0)) break;
    put(over, x, lay.tops[0] - 15, fault.label, 'fault');
    [edge, left] = [x + wide, left - 1];
  }
  if (!left) return;
  const text = left === shown.length ? plural(left, 'fault') : `+${left}`;
  put(over, Math.max(lay.lefts[side], Math.min(edge, end - textWidth(text, font))), lay.tops[0] - 15, text, 'fault');
}
function faultWords(detail) {
  const said = detail.faults.map((f) => `${f.label} ${f.until_us == null ? `from ${micros(f.from_us)} on` : `from ${micros(f.from_us)} to ${micros(f.until_us)}`}`);
  const [most, more] = [said.slice(0, 8), said.length - 8];
  return said.length ? ` Faults: ${most.join('; ')}${more > 0 ? `; and ${count(more)} more` : ''}.` : '';
}

// What stands right of each row: the whole run's value, or the value at the pointer.
function timelineValues(o, lay, at) {
  const i = at == null ? null : Math.floor(at / o.bucket);
  const inside = i != null && i < o.n;
  const span = (least, most, text) => (least != null && o.joined > 1 && least !== most ? `${text(least)}\u2013${text(most)}` : text(most));
  if (i == null) {
    return {
      queue: o.whole.queue.map(kib), use: o.whole.use.map((u) => percent(u)), share: o.whole.share.map((s) => percent(s)),
      counts: lay.kinds.map((name) => count(sum((o.rows.find((r) => r.name === name) || { count: [] }).count))),
    };
  }
  const or = (text) => (inside ? text() : NONE);
  const whole = (share) => Math.round(share * 100);
  return {
    queue: o.ports.map((p) => or(() => span(p.queueLeast && p.queueLeast[i] / 1024, p.queue[i] / 1024, (k) => number(k, 3)) + ' KiB')),
    use: o.ports.map((p) => or(() => (o.joined > 1 && whole(p.useLeast[i]) !== whole(p.useMost[i]) ? `${whole(p.use[i])} (${whole(p.useLeast[i])}\u2013${whole(p.useMost[i])}) %` : percent(p.use[i])))),
    share: o.ports.map((p) => or(() => (o.total[i] ? percent(p.frames[i] / o.total[i]) : NONE))),
    counts: lay.kinds.map((name) => or(() => { const row = o.rows.find((r) => r.name === name); return count(row ? row.count[i] : 0); })),
  };
}

function timelinePointer(over, box, lay, opened, range, px) {
  const step = Math.ceil(12 / lay.row);
  const cells = opened.map((o, side) => {
    const x = lay.lefts[side] + lay.inner + 6;
    const column = (block, n, y, skip = 1) => Array.from({ length: n }, (_, i) => (i % skip === 0 ? put(over, x, y(i), '') : null));
    const head = ['most in run', 'mean of run', 'of all packets', 'in all'].map((text, block) => [text, put(over, x, lay.tops[block] - 15, '', 'soft')]);
    return {
      head,
      queue: column(0, o.ports.length, (i) => lay.tops[0] + (i + 0.5) * lay.row - 7, step),
      use: column(1, o.ports.length, (i) => lay.tops[1] + (i + 0.5) * lay.row - 7, step),
      share: shareLabels(over, lay, o, side, x),
      counts: column(3, lay.kinds.length, (i) => lay.tops[3] + (i + 0.5) * 20 - 7),
      hair: put(over, 0, lay.tops[0], '', 'hair', `height:${lay.tops[3] + lay.heights[3] - lay.tops[0]}px`),
      tag: put(over, 0, lay.height - 34, '', 'tag mid'),
    };
  });
  timelineState.shown.set(box, (at) => {
    opened.forEach((o, side) => {
      const cell = cells[side];
      const visible = at != null && at >= range[0] && at <= range[1];
      const values = timelineValues(o, lay, visible ? at : null);
      for (const kind of ['queue', 'use', 'share', 'counts']) cell[kind].forEach((node, i) => { if (node) node.textContent = values[kind][i]; });
      cell.head.forEach(([text, node]) => { node.textContent = visible ? 'at pointer' : text; });
      for (const node of [cell.hair, cell.tag]) { node.hidden = !visible; node.style.display = visible ? '' : 'none'; }
      if (visible) {
        cell.hair.style.left = cell.tag.style.left = `${px(side, at)}px`;
        cell.tag.textContent = `${number(at, 5)} \u00b5s`;
      }
    });
  });
  timelineState.show(timelineState.at);
  box.onpointermove = (event) => {
    const x = event.clientX - box.getBoundingClientRect().left;
    const side = lay.lefts.findIndex((left) => x >= left && x <= left + lay.inner);
    timelineState.show(side < 0 ? null : range[0] + ((x - lay.lefts[side]) / lay.inner) * (range[1] - range[0]));
  };
  box.onpointerleave = () => timelineState.show(null);
}

// Port names with shares beside the bands, at their mean height, kept apart.
function shareLabels(over, lay, o, side, x) {
  const nodes = [];
  let low = 0;
  let free = lay.tops[2] + lay.heights[2] + 2;
  o.ports.forEach((p, i) => {
    const middle = low + o.whole.share[i] / 2;
    low += o.whole.share[i];
    const y = Math.min(lay.tops[2] + lay.heights[2] * (1 - middle) - 7, free - 13);
    if (y < lay.tops[2] - 14) { nodes.push(null); return; }
    free = y;
    const value = el('span', null, '');
    over.append(el('span', { style: `left:${x}px;top:${y}px` }, el('span', { class: 'soft' }, `${lay.short[side][i]} `), value));
    nodes.push(value);
  });
  return nodes;
}
