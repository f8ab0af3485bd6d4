// Section two's controls: which runs, which time, where the pointer stands.

function sideControls(side, changed) {
  const pick = (label, key, text) => {
    const select = el('select', { onchange: () => choose(key, Number(select.value)) });
    return { key, text, select, node: el('label', null, label, select) };
  };
  const named = DATA.conditions.some((condition) => condition.name);
  const fields = [
    ...(named ? [pick('condition', 'condition', (i) => DATA.conditions[i].name)] : []),
    pick('scheme', 'scheme', (i) => DATA.schemes[i].name),
    pick('seed', 'seed', (i) => String(i)),
  ];
  const stats = el('p', { class: 'note' });
  const box = el('fieldset', null, el('div', { class: 'controls' }, fields.map((f) => f.node)), stats);
  box.setAttribute('aria-label', side.title);
  // The recorded run nearest to the wish: the changed key first, then the others as they were.
  function choose(key, value) {
    const wish = { ...pickOf(side.detail), [key]: value };
    const score = (d) => (d[key] === value ? 8 : 0) + (d.condition === wish.condition ? 4 : 0) + (d.scheme === wish.scheme ? 2 : 0) + (d.seed === wish.seed ? 1 : 0);
    side.detail = DATA.details.reduce((best, d) => (score(d) > score(best) ? d : best));
    show();
    changed();
  }
  function show() {
    fields.forEach(({ key, text, select }) => {
      const options = [...new Set(DATA.details.map((d) => d[key]))].sort((a, b) => a - b);
      select.replaceChildren(...options.map((o) => el('option', { value: o, selected: o === side.detail[key] }, text(o))));
    });
    const cell = DATA.cells.find((c) => c.condition === side.detail.condition && c.scheme === side.detail.scheme);
    const run = cell && cell.runs.find((r) => r.seed === side.detail.seed);
    stats.textContent = !run ? '' : `${run.completed ? `done after ${micros(run.completion_us)}` : `never finished: ${plural(run.unfinished_flows, 'flow')} left`}; ${plural(run.drops, 'data packet')} dropped, ${plural(run.marks, 'mark')}, ${plural(run.retransmissions, 'retransmission')}, ${plural(run.timeouts, 'timeout')}.${faultWords(side.detail)}`;
  }
  side.paint = () => box.style.setProperty('--side', schemeColour(side.detail.scheme));
  show();
  return box;
}
const pickOf = ({ condition, scheme, seed }) => ({ condition, scheme, seed });

// Two runs to begin with: under the last condition recorded with several schemes, first and last.
function firstSides() {
  const groups = new Map();
  for (const d of DATA.details) {
    const key = `${d.condition} ${d.seed}`;
    groups.set(key, [...(groups.get(key) || []), d]);
  }
  const best = [...groups.values()].reduce((a, b) => (b.length > 1 && (a.length < 2 || b[0].condition > a[0].condition) ? b : a));
  const chosen = best.length > 1 ? [best[0], best[best.length - 1]] : DATA.details.slice(0, 2);
  return chosen.map((detail, i) => ({ detail, title: i === 0 ? 'Left run' : 'Right run' }));
}

const isNarrow = () => document.body.clientWidth < 560 && !printing;

function timelineSection(parent) {
  if (!DATA.details.length) {
    parent.append(el('p', { class: 'note' }, 'No run recorded time series.'));
    return;
  }
  const { sides } = timelineState;
  sides.push(...firstSides());
  const end = () => Math.max(...sides.map((s) => openDetail(s.detail).whole.end));
  let draw = () => {};
  const from = el('input', { type: 'number', min: 0, step: 'any', onchange: () => zoom() });
  const until = el('input', { type: 'number', min: 0, step: 'any', onchange: () => zoom() });
  const slider = el('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': 'Pointer, time in microseconds', oninput: () => point() });
  const range = () => timelineRange(sides.map((s) => openDetail(s.detail)));
  function zoom() {
    const [a, b] = [Number(from.value), Number(until.value)];
    timelineState.range = b > a ? [a, b] : null;
    changed();
  }
  function point() {
    const [a, b] = range();
    const at = a + ((b - a) * Number(slider.value)) / Number(slider.max);
    slider.setAttribute('aria-valuetext', micros(at));
    timelineState.show(at);
  }
  function changed() {
    const [a, b] = range();
    from.value = Number(a.toPrecision(6));
    until.value = Number(b.toPrecision(6));
    until.max = end();
    draw();
    timelineState.tables.forEach((table) => table.refresh());
  }
  const reset = el('button', { type: 'button', onclick: () => { timelineState.range = null; changed(); } }, 'Whole run');
  parent.append(
    el('div', { class: sides.length > 1 ? 'sides' : 'sides single' }, sides.map((side) => sideControls(side, changed))),
    el('div', { class: 'controls pointer' }, el('label', null, 'from', from, '\u00b5s'), el('label', null, 'to', until, '\u00b5s'), reset, el('label', { style: 'flex:1' }, 'pointer', slider)));
  draw = plot(parent, 'Queue length, utilisation and share of packets per port, and dropped frames, marks, retransmissions and timeouts over time. The tables below hold the values.', (area) => {
    sides.forEach((side) => side.paint());
    drawTimeline(area, isNarrow() ? sides.slice(0, 1) : sides);
  });
  // On a narrow page the second run has a drawing of its own below the first.
  if (sides.length > 1) {
    const name = el('p', { class: 'note' });
    parent.append(name);
    const below = plot(parent, 'The same of the second run.', (area) => {
      const shown = isNarrow();
      name.textContent = shown ? `Right run: ${detailName(sides[1].detail)}` : '';
      area.box.hidden = !shown;
      // It had no width while it was hidden.
      if (shown) drawTimeline({ ...area, width: area.box.clientWidth }, sides.slice(1));
      else timelineState.shown.delete(area.box);
    });
    const first = draw;
    draw = () => { first(); below(); };
  }
  parent.append(el('p', { class: 'note' }, `${sides.length > 1 ? 'Both sides share one time axis and one colour scale. ' : ''}Move the pointer over the chart, or use the slider, to read every value at that moment. Shaded: something was broken.`));
  sides.forEach((side, i) => {
    const which = sides.length > 1 ? (i === 0 ? 'left run: ' : 'right run: ') : '';
    const stem = sides.length > 1 ? (i === 0 ? 'left_' : 'right_') : '';
    const opened = () => openDetail(side.detail);
    timelineState.tables.push(
      foldedTable(`${stem}ports`, `Table: ${which}ports`, () => portsTable(opened())),
      foldedTable(`${stem}series`, `Table: ${which}every port and bucket`, () => seriesTable(opened())),
      foldedTable(`${stem}counts`, `Table: ${which}counts over time`, () => countsTable(opened())),
      foldedTable(`${stem}events`, `Table: ${which}scheme events`, () => eventsTable(opened())));
  });
  const [a, b] = range();
  from.value = Number(a.toPrecision(6));
  until.value = Number(b.toPrecision(6));
  parent.append(el('div', { class: sides.length > 1 ? 'sides' : '' }, sides.map((_, i) => el('div', null, timelineState.tables.slice(4 * i, 4 * i + 4)))));
}
