// Section three: the distribution of flow completion times, one panel per condition.

const distributionState = { tail: false };

const cellsOf = (condition) => DATA.cells.filter((c) => c.condition === condition && c.flows.count);
const unfinished = (cell) => cell.runs.reduce((n, run) => n + run.unfinished_flows, 0);
const rankOf = (flows, i) => (flows.rank ? flows.rank[i] : i);

// Share of the cell's flows that were done by `us`; flows that never finished count in the whole.
function shareDone(cell, us) {
  const { flows } = cell;
  let [low, high] = [0, flows.us.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (flows.us[middle] <= us) low = middle + 1; else high = middle;
  }
  return low === 0 ? 0 : (rankOf(flows, low - 1) + 1) / (flows.count + unfinished(cell));
}

function drawDistribution({ width, resize, over }) {
  const { tail } = distributionState;
  const conditions = DATA.conditions.map((_, i) => i).filter((i) => cellsOf(i).length);
  const across = Math.min(width < 900 ? 2 : 3, conditions.length);
  const [left, gap, tall, foot] = [58, 34, 240, 58];
  const inner = Math.min(720, (width - across * left - (across - 1) * gap - 10) / across);
  const titles = conditions.map((c) => wrapped(DATA.conditions[c].name, '650 14px', inner));
  const stuck = conditions.map((c) => wrapped(cellsOf(c).filter(unfinished).map((cell) => `${DATA.schemes[cell.scheme].name}: ${plural(unfinished(cell), 'flow')} of ${count(cell.flows.count + unfinished(cell))} never finished`).join('; '), '12px', inner));
  const header = 12 + Math.max(...conditions.map((_, k) => 18 * titles[k].length + 14 * stuck[k].length));
  const x = (k) => left + (k % across) * (inner + gap + left);
  const y = (k) => Math.floor(k / across) * (header + tall + foot) + header;
  const height = y(conditions.length - 1) + tall + foot;
  const chart = resize(height);
  const all = conditions.flatMap((c) => cellsOf(c).flatMap((cell) => [cell.flows.us[0], cell.flows.us[cell.flows.us.length - 1]]));
  const axis = timeAxis(all, Math.max(3, inner / 90), 3);
  axis.min -= (axis.max - axis.min) * 0.14;
  const floor = Math.min(...conditions.flatMap((c) => cellsOf(c).map((cell) => 1 / (cell.flows.count + unfinished(cell)))));
  const bottom = Math.floor(Math.log10(floor));
  const ticks = tail ? Array.from({ length: -bottom + 1 }, (_, i) => i + bottom) : [0, 0.25, 0.5, 0.75, 1];
  const level = (done) => (tail ? Math.max(bottom, Math.log10(Math.max(1 - done, 1e-12))) : done);
  const option = { animation: false, axisPointer: { link: [{ xAxisIndex: 'all' }] }, grid: [], xAxis: [], yAxis: [], series: [] };
  conditions.forEach((condition, k) => {
    const bound = DATA.conditions[condition].bound;
    put(over, x(k), y(k) - header, titles[k].join('\n'), 'panel');
    put(over, x(k), y(k) - header + 18 * titles[k].length + 2, stuck[k].join('\n'), 'soft lines');
    option.grid.push({ left: x(k), width: inner, top: y(k), height: tall, show: true, backgroundColor: css('--plot'), borderWidth: 0 });
    option.xAxis.push({ gridIndex: k, type: 'value', min: axis.min, max: axis.max, axisLine: { show: false }, axisTick: { show: false, customValues: axis.ticks }, splitLine: { lineStyle: { color: css('--line') } }, axisLabel: { ...axisText(), customValues: axis.ticks, formatter: (v) => number(axis.inverse(v)) }, axisPointer: { show: true, snap: false, lineStyle: { color: css('--ink'), type: 'solid' }, label: { formatter: ({ value }) => micros(axis.inverse(value)) } } });
    option.yAxis.push({ gridIndex: k, type: 'value', min: tail ? bottom : 0, max: tail ? 0 : 1, axisLine: { show: false }, axisTick: { show: false, customValues: ticks }, splitLine: { lineStyle: { color: css('--line') } }, axisLabel: { ...axisText(), customValues: ticks, formatter: (v) => percent(tail ? 10 ** v : v) } });
    for (const cell of cellsOf(condition)) {
      const whole = cell.flows.count + unfinished(cell);
      const points = [[axis.min, level(0)]];
      cell.flows.us.forEach((us, i) => points.push([axis.f(us), level((rankOf(cell.flows, i) + 1) / whole)]));
      if (unfinished(cell)) {
        // Two points for the plateau: ECharts skips points within a pixel of the last one.
        const beside = points[points.length - 1][0] + ((axis.max - axis.min) * 2) / inner;
        points.push([beside, level(cell.flows.count / whole)], [axis.max, level(cell.flows.count / whole)]);
      }
      option.series.push({ type: 'line', name: DATA.schemes[cell.scheme].name, xAxisIndex: k, yAxisIndex: k, step: 'end', symbol: 'none', clip: true, data: points, lineStyle: { color: schemeColour(cell.scheme), width: 2, type: schemeDash(cell.scheme) }, itemStyle: { color: schemeColour(cell.scheme) }, emphasis: { disabled: true } });
    }
    if (bound && axis.f(bound.us) >= axis.min) option.series.push(boundLine(k, axis.f(bound.us)));
    distributionLabels(over, condition, { axis, level, tail, bottom, x: x(k), y: y(k), inner, tall });
    put(over, x(k) + inner / 2, y(k) + tall + 26, axis.title.replace('time to completion', 'flow completion time'), 'mid soft');
  });
  option.tooltip = {
    trigger: 'axis', confine: true, backgroundColor: css('--paper'), borderColor: css('--line'), textStyle: { color: css('--ink'), fontSize: 13 },
    formatter: (params) => {
      const us = axis.inverse(params[0].axisValue);
      const rows = conditions.map((condition) => `<tr><td>${escapeHtml(DATA.conditions[condition].name)}</td>${cellsOf(condition).map((cell) => `<td style="color:${schemeColour(cell.scheme)}">${escapeHtml(DATA.schemes[cell.scheme].name)} ${percent(shareDone(cell, us))}</td>`).join('')}</tr>`);
      return `done after ${micros(us)}<table>${rows.join('')}</table>`;
    },
  };
  chart.setOption(option, true);
}

// Names beside the lines at staggered heights: the fastest to the left of its line, the others to
// the right.
function distributionLabels(over, condition, { axis, level, tail, bottom, x, y, inner, tall }) {
  const middle = (cell) => cell.flows.us[Math.floor(cell.flows.us.length / 2)];
  const cells = cellsOf(condition).sort((a, b) => middle(a) - middle(b));
  cells.forEach((cell, i) => {
    const fast = i === 0 && cells.length > 1;
    const step = (i + 0.5) / cells.length;
    const most = cell.flows.count / (cell.flows.count + unfinished(cell));
    const reach = Math.min(most, tail ? 1 - 10 ** (bottom * (0.2 + 0.6 * step)) : (0.85 - 0.65 * step) * most);
    const k = cell.flows.us.findIndex((us) => shareDone(cell, us) >= reach);
    const at = x + ((axis.f(cell.flows.us[Math.max(0, k)]) - axis.min) / (axis.max - axis.min)) * inner;
    const height = tail ? level(reach) / bottom : 1 - reach;
    const room = DATA.schemes[cell.scheme].name.length * 8 + 12;
    const toLeft = (fast && at - room > x) || at + room > x + inner;
    put(over, toLeft ? at - 6 : at + 6, y + height * tall - 8, DATA.schemes[cell.scheme].name, toLeft ? 'halo end' : 'halo', `color:${schemeColour(cell.scheme)}`);
  });
}

function quantile(cell, share) {
  const rank = Math.max(0, Math.ceil(share * cell.flows.count) - 1);
  const k = cell.flows.rank ? cell.flows.rank.findLastIndex((r) => r <= rank) : rank;
  return cell.flows.us[Math.max(0, k)];
}
function quantilesTable() {
  const shares = [0, 0.5, 0.9, 0.99, 0.999, 1];
  const rows = DATA.cells.filter((c) => c.flows.count).map((cell) => [DATA.conditions[cell.condition].name, DATA.schemes[cell.scheme].name, cell.flows.count, unfinished(cell), ...shares.map((s) => quantile(cell, s))]);
  return { title: 'Flow completion times over all seeds, finished flows', columns: ['condition', 'scheme', 'finished_flows', 'unfinished_flows', 'min_us', 'p50_us', 'p90_us', 'p99_us', 'p999_us', 'max_us'], rows };
}
function flowsTable() {
  const rows = DATA.cells.flatMap((cell) => cell.flows.us.map((us, i) => [DATA.conditions[cell.condition].name, DATA.schemes[cell.scheme].name, rankOf(cell.flows, i) + 1, us]));
  return { title: 'Flow completion times in ascending order; ranks are left out where flows are many', columns: ['condition', 'scheme', 'rank', 'fct_us'], rows };
}

function distributionSection(parent) {
  if (!DATA.cells.some((c) => c.flows.count)) {
    parent.append(el('p', { class: 'note' }, 'Completion times of single flows were not kept.'));
    return;
  }
  const select = el('select', { onchange: () => { distributionState.tail = select.value === 'tail'; draw(); } },
    el('option', { value: 'all' }, 'share of flows done'), el('option', { value: 'tail' }, 'share of flows not yet done (logarithmic: the tail)'));
  parent.append(el('div', { class: 'controls' }, el('label', null, 'vertical axis', select)));
  const draw = plot(parent, 'Cumulative distribution of flow completion times in microseconds, one line per scheme, one panel per condition. The table below holds the quantiles.', drawDistribution);
  parent.append(el('p', { class: 'note' }, 'All flows of all seeds. A steep line means that all flows fare alike; a long foot to the right means that a few flows hold everybody up. Dashed vertical: the bound.'),
    foldedTable('quantiles', 'Table: quantiles', quantilesTable), foldedTable('flows', 'Table: flow completion times', flowsTable));
}
