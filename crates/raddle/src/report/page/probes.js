// What schemes showed of themselves over time: a panel for each number, a line for each flow, switch or
// port.

const probeTitle = ({ probe, unit }) => (unit && unit !== 'count' ? `${probe} (${unit})` : probe);

function drawProbes({ width, resize, over }, detail) {
  const [left, top, tall, foot] = [64, 46, 150, 30];
  const across = width < 760 ? 1 : 2;
  const inner = width / across - left - 16;
  const panels = detail.probes;
  const x = (k) => left + (k % across) * (inner + left + 16);
  const y = (k) => top + Math.floor(k / across) * (top + tall + foot);
  const chart = resize(y(panels.length - 1) + tall + foot);
  const end = Math.max(...panels.flatMap((p) => p.lines.map((line) => line.points[line.points.length - 1][0])));
  const option = { animation: false, grid: [], xAxis: [], yAxis: [], series: [] };
  const colours = PALETTE[theme()];
  panels.forEach((panel, k) => {
    const shown = panel.count > panel.lines.length ? `, the first ${panel.lines.length} of ${count(panel.count)}` : '';
    put(over, x(k), y(k) - top + 4, probeTitle(panel) + shown, 'panel');
    put(over, x(k), y(k) - top + 24, panel.lines.map((line) => line.of).join(', '), 'soft');
    option.grid.push({ left: x(k), width: inner, top: y(k), height: tall, show: true, backgroundColor: css('--plot'), borderWidth: 0 });
    option.xAxis.push({ gridIndex: k, type: 'value', min: 0, max: end, axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false }, axisLabel: { ...axisText(), formatter: micros } });
    option.yAxis.push({ gridIndex: k, type: 'value', scale: true, axisLine: { show: false }, axisTick: { show: false }, splitLine: { lineStyle: { color: css('--line') } }, axisLabel: { ...axisText(), formatter: (v) => number(v) } });
    panel.lines.forEach((line, i) => {
      const colour = colours[i % colours.length];
      const last = line.points[line.points.length - 1];
      option.series.push({ type: 'line', name: line.of, xAxisIndex: k, yAxisIndex: k, step: 'end', symbol: 'none', data: [...line.points, [end, last[1]]], lineStyle: { color: colour, width: 1.5, type: DASHES[Math.floor(i / colours.length) % DASHES.length] }, itemStyle: { color: colour } });
    });
  });
  option.tooltip = { trigger: 'axis', confine: true, backgroundColor: css('--paper'), borderColor: css('--line'), textStyle: { color: css('--ink'), fontSize: 13 } };
  chart.setOption(option, true);
}

function probesTable(detail) {
  const rows = detail.probes.flatMap((panel) => panel.lines.flatMap((line) => line.points.map(([us, value]) => [us, line.of, panel.probe, value, panel.unit])));
  return { title: `${detailName(detail)}: what schemes showed`, columns: ['us', 'of', 'probe', 'value', 'unit'], rows };
}

function probesSection(parent) {
  DATA.details.filter((detail) => detail.probes.length).slice(0, 2).forEach((detail, i) => {
    parent.append(el('h3', null, `What schemes showed: ${detailName(detail)}`));
    plot(parent, 'Numbers that schemes showed of themselves over time. The table below holds the values.', (area) => drawProbes(area, detail));
    parent.append(foldedTable(`probes_${i}`, 'Table: what schemes showed', () => probesTable(detail)));
  });
}
