// Tables: shown, and downloadable as CSV.

const csvField = (value) => {
  const text = value == null ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
const csvText = (columns, rows) => [columns, ...rows].map((row) => row.map(csvField).join(',')).join('\n') + '\n';

// A button that saves a table; `make` is called when it is pressed.
function csvButton(name, make) {
  const save = () => {
    const { columns, rows } = make();
    const url = URL.createObjectURL(new Blob([csvText(columns, rows)], { type: 'text/csv' }));
    el('a', { href: url, download: `${name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  return el('button', { type: 'button', class: 'download', onclick: save }, `${name}.csv`);
}

const ROWS_SHOWN = 200;

function tableElement({ title, columns, rows }) {
  const numeric = columns.map((_, i) => rows.some((row) => typeof row[i] === 'number') && rows.every((row) => row[i] == null || typeof row[i] === 'number'));
  const cell = (tag, i, text) => el(tag, { class: numeric[i] ? 'n' : '', scope: tag === 'th' ? 'col' : null }, text);
  const shown = (value) => (value == null ? NONE : typeof value === 'number' ? (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)))) : String(value));
  const body = rows.slice(0, ROWS_SHOWN).map((row) => el('tr', null, row.map((value, i) => cell('td', i, shown(value)))));
  const more = rows.length > ROWS_SHOWN ? el('p', { class: 'note' }, `The first ${ROWS_SHOWN} of ${count(rows.length)} rows; the CSV holds all.`) : null;
  return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': title },
    el('table', null, el('caption', null, title), el('thead', null, el('tr', null, columns.map((name, i) => cell('th', i, name)))), el('tbody', null, body)), more);
}

// A folded table with its download; `make` gives { title, columns, rows } when it is opened.
function foldedTable(name, summary, make) {
  const fold = el('details', null, el('summary', null, summary));
  const fill = () => {
    if (!fold.open) return;
    [...fold.children].slice(1).forEach((node) => node.remove());
    fold.append(tableElement(make()), csvButton(name, make));
  };
  fold.addEventListener('toggle', fill);
  fold.refresh = fill;
  return fold;
}

// The runs behind sections one and four.
function runsTable() {
  const fields = ['completed', 'unfinished_flows', 'value', 'completion_us', 'fct_max_us', 'fct_mean_us', 'fct_p50_us', 'fct_p99_us', 'dropped_packets', 'marks', 'trims', 'retransmissions', 'timeouts'];
  const rows = DATA.cells.flatMap((cell) => cell.runs.map((run) => {
    const { bound, limit } = DATA.conditions[cell.condition];
    const over = limit && run.value != null ? Number(((run.value / limit.value - 1) * 100).toFixed(3)) : null;
    return [DATA.conditions[cell.condition].name, DATA.schemes[cell.scheme].name, run.seed, bound ? bound.us : null, over, ...fields.map((field) => run[field === 'dropped_packets' ? 'drops' : field])];
  }));
  return { title: `One row per run; value: ${axisTitle}`, columns: ['condition', 'scheme', 'seed', 'bound_us', 'increase_pct', ...fields], rows };
}
function cellsTable() {
  const rows = DATA.cells.map((cell) => {
    const interval = cell.interval || {};
    return [DATA.conditions[cell.condition].name, DATA.schemes[cell.scheme].name, cell.runs.length, cell.runs.filter((run) => run.completed).length, interval.middle, interval.low, interval.high, cell.statistics];
  });
  return { title: `One row per condition and scheme: ${axisTitle}${DATA.interval_meaning ? `; ${DATA.interval_meaning}` : ''}`, columns: ['condition', 'scheme', 'runs', 'completed', 'middle', 'low', 'high', 'statistics'], rows };
}
