// Section one: the metric of every run as dots and whiskers, one panel per condition.

function drawCompletion({ width, resize, over }) {
  const finished = (run) => run.value != null;
  const values = DATA.cells.flatMap((cell) => [
    ...cell.runs.filter(finished).map((run) => run.value),
    ...(cell.interval ? [cell.interval.low, cell.interval.high] : []),
  ]).concat(DATA.conditions.filter((c) => c.limit).map((c) => c.limit.value)).filter((v) => v > 0);
  const never = DATA.cells.some((cell) => cell.runs.some((run) => !finished(run)));
  const names = 24 + widest(DATA.schemes.map((s) => s.name), '600 13px');
  const statistics = 16 + widest(DATA.cells.map((c) => c.statistics), '13px');
  const stuckWidth = never ? 20 + textWidth('\u25b6 99 of 99 never finished', '600 13px') : 0;
  // On a narrow page words have a line of their own above the marks of their row.
  const narrow = names + statistics + stuckWidth > 0.6 * width;
  const [left, right] = narrow ? [12, 12] : [names, statistics + stuckWidth];
  const inner = width - left - right;
  const axis = timeAxis(values.length ? values : [1], Math.max(3, Math.min(8, inner / 60)), 10, axisTitle);
  const titles = DATA.conditions.map((condition) => wrapped(condition.name, '650 14px', width));
  const header = 20 + 18 * Math.max(1, ...titles.map((lines) => lines.length));
  const [row, centre, gap] = narrow ? [52, 0.7, 16] : [34, 0.5, 16];
  const tall = DATA.schemes.length * row;
  const top = (panel) => panel * (header + tall + gap) + header;
  const height = top(DATA.conditions.length - 1) + tall + 44;
  const px = (us) => left + ((axis.f(us) - axis.min) / (axis.max - axis.min)) * inner;
  const chart = resize(height);
  const series = [];
  DATA.conditions.forEach((condition, panel) => {
    const y = top(panel);
    put(over, 0, y - 20 - 18 * titles[panel].length, titles[panel].join('\n'), 'panel');
    if (condition.limit) {
      const text = `bound ${measured(condition.limit.value)} (${condition.limit.name})`;
      const x = Math.max(0, Math.min(px(condition.limit.value) - 4, width - textWidth(text, '13px') - 8));
      put(over, x, y - 17, text, 'soft');
      series.push(boundLine(panel, axis.f(condition.limit.value)));
    }
    DATA.schemes.forEach((scheme, index) => {
      const line = y + index * row + (narrow ? 4 : 9);
      const colour = schemeColour(index);
      put(over, narrow ? 6 : left - 12, line, scheme.name, narrow ? 'name' : 'name end', `color:${colour}`);
      const cell = DATA.cells.find((c) => c.condition === panel && c.scheme === index);
      const [x, side] = narrow ? [width - 6, 'end'] : [width - statistics + 10, ''];
      if (!cell) {
        put(over, x, line, 'not run', `soft ${side}`);
        return;
      }
      put(over, x, line, cell.statistics, side, 'font-size:13px');
      const stuck = cell.runs.filter((run) => !finished(run)).length;
      const below = narrow ? [6, line + 18] : [width - right + 10, line];
      if (stuck) put(over, ...below, `\u25b6 ${stuck} of ${cell.runs.length} never finished`, 'name', `color:${colour}`);
      if (cell.interval) series.push(whisker(panel, index, cell.interval, axis, colour));
      series.push(dots(panel, index, cell.runs.filter(finished), axis, condition.limit, colour));
    });
  });
  put(over, left + inner / 2, height - 18, axis.title, 'mid soft');
  const last = DATA.conditions.length - 1;
  const each = (make) => DATA.conditions.map((_, panel) => make(panel));
  chart.setOption({
    animation: false,
    tooltip: { trigger: 'item', confine: true, backgroundColor: css('--paper'), borderColor: css('--line'), textStyle: { color: css('--ink'), fontSize: 13 } },
    grid: each((panel) => ({ left, width: inner, top: top(panel), height: tall, show: true, backgroundColor: css('--plot'), borderWidth: 0 })),
    xAxis: each((panel) => ({
      gridIndex: panel, type: 'value', min: axis.min, max: axis.max, axisLine: { show: false },
      axisTick: { show: false, customValues: axis.ticks }, splitLine: { lineStyle: { color: css('--line') } },
      axisLabel: { ...axisText(), show: panel === last, customValues: axis.ticks, formatter: (v) => number(axis.inverse(v)) },
    })),
    yAxis: each((panel) => ({ gridIndex: panel, type: 'value', inverse: true, min: -centre, max: DATA.schemes.length - centre, ...hiddenAxis })),
    series,
  }, true);
}

const METRIC_UNIT = DATA.metric.unit === 'us' ? '\u00b5s' : DATA.metric.unit;
const axisTitle = METRIC_UNIT ? `${DATA.metric.title}, ${METRIC_UNIT}` : DATA.metric.title;
// A value of the metric with its unit.
const measured = (value) => (METRIC_UNIT ? `${number(value)} ${METRIC_UNIT}` : number(value));

function boundLine(panel, x) {
  return {
    type: 'custom', xAxisIndex: panel, yAxisIndex: panel, silent: true, z: 3, data: [[x, 0]],
    renderItem: (params, api) => {
      const [at] = api.coord([x, 0]);
      const { y, height } = params.coordSys;
      return { type: 'line', shape: { x1: at, x2: at, y1: y - 4, y2: y + height }, style: { stroke: css('--ink'), lineWidth: 1.5, lineDash: [5, 3] } };
    },
  };
}

// Where a whisker ends on the axis; one that would go on to the left of it, below zero as a time cannot
// be, is open there.
function whiskerEnds(interval, axis) {
  const open = interval.low <= 0 || axis.f(interval.low) < axis.min;
  return { low: open ? axis.min : axis.f(interval.low), high: Math.min(axis.f(interval.high), axis.max), open };
}

function whisker(panel, row, interval, axis, colour) {
  return {
    type: 'custom', xAxisIndex: panel, yAxisIndex: panel, silent: true, z: 4, data: [[axis.f(interval.middle), row]],
    renderItem: (params, api) => {
      const ends = whiskerEnds(interval, axis);
      const [low, y] = api.coord([ends.low, row]);
      const [high] = api.coord([ends.high, row]);
      const [middle] = api.coord([axis.f(interval.middle), row]);
      const style = { stroke: colour, lineWidth: 2 };
      const line = (x1, y1, x2, y2, lineWidth = 2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { ...style, lineWidth } });
      return { type: 'group', children: [line(low, y, high, y), ...(ends.open ? [] : [line(low, y - 5, low, y + 5)]), line(high, y - 5, high, y + 5), line(middle, y - 8, middle, y + 8, 3)] };
    },
  };
}

function dots(panel, row, runs, axis, limit, colour) {
  const spread = Math.min(0.13, 0.6 / Math.max(1, runs.length));
  return {
    type: 'scatter', xAxisIndex: panel, yAxisIndex: panel, z: 5, symbol: 'circle', symbolSize: 8,
    itemStyle: { color: colour, opacity: 0.75, borderColor: css('--paper'), borderWidth: 1 },
    data: runs.map((run, i) => ({ value: [axis.f(run.value), row + (i - (runs.length - 1) / 2) * spread], run })),
    tooltip: {
      formatter: ({ data: { run } }) => {
        const over = limit ? `, ${percent(run.value / limit.value - 1)} over the bound` : '';
        return escapeHtml(`${DATA.schemes[row].name}, seed ${run.seed}: ${measured(run.value)}${over}`) +
          `<br>${plural(run.drops, 'data packet')} dropped, ${plural(run.marks, 'mark')}, ${plural(run.trims, 'trim')}, ${plural(run.retransmissions, 'retransmission')}, ${plural(run.timeouts, 'timeout')}`;
      },
    },
  };
}

function completionSection(parent) {
  if (!DATA.cells.length) {
    parent.append(el('p', { class: 'note' }, 'No run is in this report.'));
    return;
  }
  const { meaning, higher_is_better: higher } = DATA.metric;
  plot(parent, `${axisTitle}: one row per scheme, one dot per seed, one panel per condition. The table below holds the values.`, drawCompletion);
  const whiskers = DATA.interval_meaning ? ` Whiskers: ${DATA.interval_meaning}.` : '';
  const dashed = DATA.conditions.some((condition) => condition.limit) ? ' Dashed: what no scheme can beat.' : '';
  parent.append(el('p', { class: 'note' }, `One dot per seed: ${meaning}; ${higher ? 'higher' : 'lower'} is better. Dots are spread vertically only to keep them apart.${whiskers}${dashed}`));
  parent.append(foldedTable('cells', 'Table: schemes and conditions', cellsTable), foldedTable('runs', 'Table: every run', runsTable));
}
