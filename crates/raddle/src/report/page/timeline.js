// Section two: ports and counts over time, two runs on the same axes.

const QUEUE_RAMP = { light: ['#eef0f4', '#a9bfdc', '#8c5fa8', '#42003f'], dark: ['#23272f', '#43598c', '#b574cc', '#ffe0f7'] };
const USE_RAMP = { light: ['#eef0f2', '#16505f'], dark: ['#23282b', '#a5dbe8'] };
const ALWAYS = ['dropped frames', 'marks', 'retransmissions', 'timeouts'];

const timelineState = {
  sides: [], range: null, at: null, tables: [],
  // By drawing: shows every value at a moment.
  shown: new Map(),
  show(at) {
    this.at = at;
    for (const show of this.shown.values()) show(at);
  },
};

function timelineRange(opened) {
  const end = Math.max(...opened.map((o) => o.whole.end));
  const { range } = timelineState;
  return range && range[1] > range[0] ? [Math.max(0, range[0]), Math.min(range[1], end)] : [0, end];
}

// The last parts of the ports' dotted names, as many as tell them apart.
function shortNames(names) {
  const most = Math.max(1, ...names.map((name) => name.split('.').length));
  for (let parts = 1; parts < most; parts++) {
    const short = names.map((name) => name.split('.').slice(-parts).join('.'));
    if (new Set(short).size === names.length) return short;
  }
  return names;
}

// Where everything goes, in pixels.
function timelineLayout(width, opened, all) {
  const narrow = width < 560;
  const head = narrow ? 74 : 34;
  const names = opened.map((o) => o.ports.map((p) => p.name).join('\n'));
  const longest = widest(opened.flatMap((o) => [...o.ports.map((p) => p.name), ...o.rows.map((r) => r.name)]), '12px');
  const short = opened.map((o) => shortNames(o.ports.map((p) => p.name)));
  const [label, value, gap] = [Math.min(width / (narrow ? 3 : 5), 12 + longest), Math.max(92, 8 + widest(short.flat().map((name) => `${name} 0.999 %`), '12px')), 20];
  const labels = opened.map((_, i) => (i === 0 || names[i] !== names[0] ? label : 0));
  const inner = (width - sum(labels) - opened.length * value - (opened.length - 1) * gap) / opened.length;
  let x = 0;
  const lefts = labels.map((own) => { const left = x + own; x = left + inner + value + gap; return left; });
  const ports = Math.max(1, ...opened.map((o) => o.ports.length));
  const row = Math.max(5, Math.min(printing ? 15 : 20, Math.floor(340 / ports)));
  const kinds = [...new Set(all.flatMap((o) => o.rows).filter((r) => ALWAYS.includes(r.name) || r.count.some((c) => c)).map((r) => r.name))];
  const heights = [ports * row, ports * row, printing ? 110 : 150, kinds.length * 20];
  const tops = [];
  let y = head;
  for (const tall of heights) { tops.push(y); y += tall + head + 22; }
  return { narrow, head, lefts, labelled: labels.map((l) => l > 0), inner, row, kinds, short, tops, heights, height: y - head - 22 + 44 };
}

function rectangles(grid, items, z) {
  return {
    type: 'custom', xAxisIndex: grid, yAxisIndex: grid, silent: true, z, clip: true,
    data: items.map((item) => [item[0], item[2], item[1], item[3]]),
    encode: { x: [0, 2], y: [1, 3] },
    renderItem: (params, api) => {
      const item = items[params.dataIndex];
      const [x1, y1] = api.coord([item[0], item[2]]);
      const [x2, y2] = api.coord([item[1], item[3]]);
      const box = params.coordSys;
      const left = Math.max(Math.round(x1), box.x);
      const right = Math.min(Math.max(Math.round(x2), Math.round(x1) + 1), box.x + box.width);
      if (right <= left) return null;
      const [top, bottom] = [Math.round(Math.min(y1, y2)), Math.round(Math.max(y1, y2))];
      return { type: 'rect', shape: { x: left, y: top, width: right - left, height: Math.max(1, bottom - top - (item[5] || 0)) }, style: { fill: item[4] } };
    },
  };
}

function heat(series, opened, range, pixels, how, colour) {
  return series.flatMap((values, row) => {
    const items = [];
    for (const [from, until, value] of columns(values, opened.bucket, range, pixels, how)) {
      if (value <= 0) continue;
      const fill = colour(value);
      const last = items[items.length - 1];
      if (last && last[1] === from && last[4] === fill) last[1] = until;
      else items.push([from, until, row, row + 1, fill, 1]);
    }
    return items;
  });
}

// Of some of the sides; axes and scales are those of all.
function drawTimeline({ width, resize, over, box }, sides) {
  const all = timelineState.sides.map((side) => openDetail(side.detail));
  const opened = sides.map((side) => openDetail(side.detail));
  const range = timelineRange(all);
  const lay = timelineLayout(width, opened, all);
  const chart = resize(lay.height);
  const mode = theme();
  const capacity = Math.max(...all.map((o) => Math.max(o.detail.queue_capacity_bytes, o.detail.queue_high_bytes ?? 0, ...o.whole.queue))) || 1;
  const marks = all[0].detail;
  const low = marks.queue_low_bytes ?? capacity / 3;
  const high = marks.queue_high_bytes ?? (capacity * 2) / 3;
  const [c0, c1, c2, c3] = QUEUE_RAMP[mode];
  const queueColour = ramp([[0, c0], [low, c1], [high, c2], [capacity, c3]]);
  const useColour = ramp([[0, USE_RAMP[mode][0]], [1, USE_RAMP[mode][1]]]);
  const px = (side, us) => lay.lefts[side] + ((us - range[0]) / (range[1] - range[0])) * lay.inner;
  const ticks = linearTicks(range[0], range[1], Math.max(3, lay.inner / 90));
  const option = { animation: false, grid: [], xAxis: [], yAxis: [], series: [] };
  const highest = {};
  for (const name of lay.kinds) highest[name] = Math.max(...all.map((o) => Math.max(0, ...(o.rows.find((r) => r.name === name) || { count: [] }).count)));

  opened.forEach((o, side) => {
    const colour = schemeColour(o.detail.scheme);
    const pixels = Math.floor(lay.inner);
    const shares = shareBands(o, range, pixels);
    sides[side].shareWidth = shares.width;
    const tints = [mix(css('--paper'), colour, 0.85), mix(css('--paper'), colour, 0.5)];
    const blocks = [
      heat(o.ports.map((p) => p.queue), o, range, pixels, 'most', queueColour),
      heat(o.ports.map((p) => p.use), o, range, pixels, 'mean', useColour),
      shares.bands.map(([from, until, a, b, port]) => [from, until, a, b, tints[port % 2], 1]),
      lay.kinds.flatMap((name, row) => {
        const found = o.rows.find((r) => r.name === name);
        return found ? columns(found.count, o.bucket, range, pixels / 2, 'sum').filter((c) => c[2] > 0)
          .map(([from, until, n]) => [from, until, row + 0.92 - 0.8 * Math.max(0.15, Math.min(1, Math.sqrt(n / highest[name]))), row + 0.92, colour]) : [];
      }),
    ];
    const limits = [o.ports.length, o.ports.length, 1, lay.kinds.length];
    blocks.forEach((items, block) => {
      const grid = option.grid.length;
      const tall = block < 2 ? o.ports.length * lay.row : lay.heights[block];
      option.grid.push({ left: lay.lefts[side], width: lay.inner, top: lay.tops[block], height: tall });
      option.xAxis.push({ gridIndex: grid, type: 'value', min: range[0], max: range[1], axisLine: { show: false }, axisTick: { show: false, customValues: ticks }, axisLabel: { ...axisText(), show: true, customValues: ticks, formatter: (v) => number(v) }, splitLine: { show: false } });
      option.yAxis.push({ gridIndex: grid, type: 'value', min: 0, max: limits[block], inverse: block !== 2, ...hiddenAxis });
      const ground = [0, o.whole.end, 0, limits[block], css('--plot')];
      option.series.push(rectangles(grid, [ground], 1), shades(grid, o, range), rectangles(grid, items, 3), faultEdges(grid, o, block, range));
    });
  });
  chart.setOption(option, true);
  timelineLabels(over, lay, opened, { shareWidth: sides[0].shareWidth, px, low: marks.queue_low_bytes, high: marks.queue_high_bytes, capacity, range });
  timelinePointer(over, box, lay, opened, range, px);
}

// A fault shades its time in every block, as far as the run went; where its port has a row, that
// row is outlined.
const faultTime = (fault, o, range) => [Math.max(fault.from_us, range[0]), Math.min(fault.until_us ?? o.whole.end, o.whole.end, range[1])];

function shades(grid, o, range) {
  const items = o.detail.faults.map((fault) => [...faultTime(fault, o, range), 0, 1e9, mix(css('--plot'), css('--fault'), 0.12)]);
  return rectangles(grid, items.filter(([from, until]) => until > from), 2);
}

function faultEdges(grid, o, block, range) {
  const faults = o.detail.faults.filter((fault) => { const [from, until] = faultTime(fault, o, range); return until > from; });
  return {
    type: 'custom', xAxisIndex: grid, yAxisIndex: grid, silent: true, z: 5, clip: true, data: faults.map((fault) => [fault.from_us, 0]),
    renderItem: (params, api) => {
      const fault = faults[params.dataIndex];
      const frame = params.coordSys;
      const [from, until] = faultTime(fault, o, range);
      const [x1, x2] = [api.coord([from, 0])[0], api.coord([until, 0])[0]];
      const stroke = css('--fault');
      const line = (x) => ({ type: 'line', shape: { x1: x, x2: x, y1: frame.y, y2: frame.y + frame.height }, style: { stroke, lineWidth: 1, lineDash: [3, 2] } });
      const children = [];
      if (fault.from_us === from) children.push(line(x1));
      if (fault.until_us === until) children.push(line(x2));
      const row = o.ports.findIndex((port) => port.name === fault.port);
      if (block < 2 && row >= 0) {
        const [top, bottom] = [api.coord([0, row])[1], api.coord([0, row + 1])[1]];
        children.push({ type: 'rect', shape: { x: x1, y: top, width: x2 - x1, height: bottom - top - 1 }, style: { fill: 'none', stroke, lineWidth: 1.5 } });
      }
      return { type: 'group', children };
    },
  };
}
