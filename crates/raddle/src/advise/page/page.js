// Sliders, the table that follows them, and work done over each rate.

const data = JSON.parse(document.getElementById('data').textContent);
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f'];
const MOST = 32;

function start() {
  return {
    rates: data.rates.map(rates => ({ ...rates })),
    weights: data.measured.works.map(work => work.weight),
    job: { ...data.job },
    costs: data.measured.candidates.map(own => costOf(own.name)),
  };
}

/** What a candidate costs, as the answer has it. */
function costOf(name) {
  const own = data.ranking.find(row => row.candidate === name);
  return own && own.cost !== undefined ? own.cost : null;
}

let asked = start();

function time(seconds) {
  const units = [[8766 * 3600, 'y'], [86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms']];
  const unit = units.find(([length]) => seconds >= length) || [1e-6, 'us'];
  return `${Number((seconds / unit[0]).toPrecision(3))} ${unit[1]}`;
}

/** What can be changed: a name, how it reads, how it is set. */
function knobs() {
  const found = [];
  data.rates.forEach((rates, i) => {
    const of = data.measured.classes[i];
    if (rates.mtbf_s !== null) {
      found.push({
        name: `${of}: time between failures`, from: rates.mtbf_s, show: time,
        set: (to, value) => { to.rates[i].mtbf_s = value; }, plot: true,
      });
      found.push({
        name: `${of}: time to repair`, from: rates.mttr_s, show: time,
        set: (to, value) => { to.rates[i].mttr_s = value; },
      });
    }
    if (rates.flaps_per_s > 0) {
      found.push({
        name: `${of}: flaps an hour`, from: rates.flaps_per_s,
        show: value => String(Number((value * 3600).toPrecision(3))),
        set: (to, value) => { to.rates[i].flaps_per_s = value; }, plot: true,
      });
    }
  });
  if (data.rates.length > 0 && data.job.restart_s > 0) {
    found.push({
      name: 'what a stop costs', from: data.job.restart_s, show: time,
      set: (to, value) => { to.job.restart_s = value; },
    });
  }
  if (data.measured.works.length > 1) {
    data.measured.works.forEach((work, i) => found.push({
      name: `weight of ${work.name}`, from: work.weight, show: value => String(Number(value.toPrecision(3))),
      set: (to, value) => { to.weights[i] = value; },
    }));
  }
  return found;
}

function cell(tag, text, kind) {
  const own = document.createElement(tag);
  own.textContent = text;
  if (kind) own.className = kind;
  return own;
}

function percent(share) {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}

function unresolved(own) {
  return own.leftOut > data.margin / 2 || own.effective < 30 || own.changes > 0.1 || own.notRun > data.margin / 16;
}

function drawTable() {
  const table = document.getElementById('ranking');
  const rows = ranked(data, asked);
  const same = JSON.stringify(asked) === JSON.stringify(start());
  const head = document.createElement('tr');
  const costs = asked.costs.some(cost => cost !== null);
  const heads = ['', 'candidate', 'goodput', 'behind the first', 'stops', 'switches', 'optics', 'kW'];
  [...heads, ...(costs ? ['cost'] : []), ''].forEach((text, i) =>
    head.append(cell('th', text, i > 1 ? 'n' : '')));
  const lines = rows.map((own, index) => {
    const line = document.createElement('tr');
    const asRun = data.ranking.find(row => row.candidate === own.name);
    const counts = data.measured.candidates[own.candidate].counts;
    const place = same && asRun ? asRun.place : index + 1;
    line.append(
      cell('td', String(place)), cell('td', own.name),
      cell('td', own.goodput.toFixed(4) + (same && asRun ? ` ±${asRun.goodput_half.toFixed(4)}` : ''), 'n'),
      cell('td', index === 0 ? '' : percent(same && asRun && asRun.behind ? asRun.behind[1]
        : 1 - own.value / rows[0].value), 'n'),
      cell('td', own.stops.toPrecision(2), 'n'),
      cell('td', String(counts.switches), 'n'), cell('td', String(counts.optics), 'n'),
      cell('td', `${counts.power_kw_min.toPrecision(3)} to ${counts.power_kw_max.toPrecision(3)}`, 'n'));
    if (costs) line.append(cell('td', String(Math.round(asked.costs[own.candidate] || 0)), 'n'));
    const remark = unresolved(own) ? 'not resolved: too much of what was not run'
      : same && asRun && asRun.same_runs_as ? `the same runs as ${asRun.same_runs_as}`
        : same && asRun && index > 0 && !asRun.told ? 'not told from the first' : '';
    line.append(cell('td', remark, unresolved(own) ? 'bad' : ''));
    return line;
  });
  table.replaceChildren(head, ...lines);
  document.getElementById('state').textContent = same
    ? `By ${data.objective}. ± is a 95 % confidence interval.${data.objective === 'step_p99' ? ' With other rates, by goodput.' : ''}`
    : 'Rates, weights or costs are others than runs were made for; errors are left out, and no run was made.';
}

/** What candidates are ranked by over one rate, as a share of the first one's as asked. */
function drawPlots() {
  const first = ranked(data, start())[0];
  const all = knobs().filter(knob => knob.plot);
  const figures = all.map(knob => {
    const points = Array.from({ length: 41 }, (_, i) => Math.pow(MOST, (i - 20) / 20));
    const lines = new Map();
    points.forEach(factor => {
      const other = JSON.parse(JSON.stringify(asked));
      knob.set(other, knob.from * factor);
      ranked(data, other).filter(own => !unresolved(own)).slice(0, COLOURS.length).forEach(own => {
        if (!lines.has(own.name)) lines.set(own.name, []);
        lines.get(own.name).push([factor, own.value / first.value]);
      });
    });
    const values = [...lines.values()].flat().map(point => point[1]);
    const low = Math.min(...values, 1);
    const high = Math.max(...values, low + 1e-3);
    const x = factor => 40 + 270 * (Math.log(factor) / Math.log(MOST) + 1) / 2;
    const y = value => 150 - 130 * (value - low) / (high - low);
    const names = data.ranking.map(row => row.candidate);
    const paths = [...lines].filter(([, points]) => points.length > 1).map(([name, points]) => {
      const colour = COLOURS[Math.max(names.indexOf(name), 0) % COLOURS.length];
      const path = points.map((point, i) => `${i ? 'L' : 'M'}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`);
      return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
    });
    const figure = document.createElement('figure');
    figure.append(cell('figcaption', `work done over ${knob.name}`));
    const picture = document.createElement('div');
    picture.innerHTML = `<svg viewBox="0 0 320 180" role="img"><line x1="${x(1)}" x2="${x(1)}" y1="16" y2="150" stroke="currentColor" stroke-dasharray="2 3"/>${paths.join('')}<text x="2" y="${y(high) + 4}">${high.toFixed(3)}</text><text x="2" y="${y(low) + 4}">${low.toFixed(3)}</text></svg>`;
    const scale = picture.querySelector('svg');
    [[1 / MOST, 'start'], [1, 'middle'], [MOST, 'end']].forEach(([factor, anchor]) => {
      const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      text.setAttribute('x', String(x(factor)));
      text.setAttribute('y', '168');
      text.setAttribute('text-anchor', anchor);
      text.textContent = knob.show(knob.from * factor);
      scale.append(text);
    });
    figure.append(picture);
    return figure;
  });
  const legend = document.createElement('p');
  legend.className = 'note';
  data.ranking.slice(0, COLOURS.length).forEach((row, i) => {
    const mark = cell('span', `■ ${row.candidate}  `);
    mark.style.color = COLOURS[i % COLOURS.length];
    legend.append(mark);
  });
  document.getElementById('plots').replaceChildren(...(all.length ? [legend, ...figures] : []));
}

function drawKnobs() {
  const lines = knobs().map(knob => {
    const label = document.createElement('label');
    const slider = document.createElement('input');
    const shown = document.createElement('output');
    Object.assign(slider, { type: 'range', min: -1, max: 1, step: 0.01, value: 0 });
    shown.textContent = knob.show(knob.from);
    slider.addEventListener('input', () => {
      const value = knob.from * Math.pow(MOST, Number(slider.value));
      shown.textContent = knob.show(value);
      knob.set(asked, value);
      drawTable();
    });
    slider.addEventListener('change', drawPlots);
    label.append(cell('span', knob.name), slider, shown);
    return label;
  });
  document.getElementById('knobs').replaceChildren(...lines);
}

function reset() {
  asked = start();
  drawKnobs();
  drawTable();
  drawPlots();
}

document.getElementById('reset').addEventListener('click', reset);
reset();
