// Section four, and the start of everything.

function whatSection(parent) {
  const p = DATA.provenance;
  const bounded = DATA.conditions.filter((c) => c.bound);
  const boundText = ({ bound }) => `${micros(bound.us)} (${bound.name})`;
  const boundTexts = [...new Set(bounded.map(boundText))];
  const whose = (text) => bounded.filter((c) => boundText(c) === text).map((c) => c.name).join(', ');
  const bounds = DATA.conditions.length === 1 ? boundTexts : boundTexts.map((text) => `${text}: ${whose(text)}`);
  const simulated = DATA.cells.length > 0;
  const facts = [['version', `Raddle ${p.version}`], ['machine', p.machine]];
  if (simulated) facts.push(
    ['seeds', p.seeds.join(', ')], ['bounds', bounds.join('; ') || 'none known'],
    ['packet-hops', `${count(p.packet_hops)} (packets leaving any queue, over all runs)`], ['CPU time', `${number(p.cpu_s)} s`],
  );
  const said = el('span', { role: 'status', class: 'note' });
  const command = el('pre', { tabindex: 0 }, p.command);
  const copy = () => {
    const done = (text) => { said.textContent = text; };
    getSelection().selectAllChildren(command);
    if (navigator.clipboard) navigator.clipboard.writeText(p.command).then(() => done('copied'), () => done('selected'));
    else done('selected');
  };
  parent.append(
    el('dl', null, facts.map(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
    el('h3', null, 'To run it again'), el('div', { class: 'command' }, command, el('button', { type: 'button', onclick: copy }, 'Copy'), said),
  );
  if (!simulated) return;
  parent.append(
    el('h3', null, 'The scenario, as read and resolved'), el('pre', { tabindex: 0 }, p.scenario_toml),
    el('h3', null, 'Tables'), el('p', { class: 'note' }, 'Column names end in their units: us is microseconds, pct is percent.'),
    foldedTable('cells', 'Schemes and conditions', cellsTable), foldedTable('runs', 'Every run', runsTable),
    ...DATA.tables.map((table) => foldedTable(table.name, table.title, () => table)));
}

document.documentElement.dataset.theme = theme();
document.getElementById('theme').addEventListener('click', () => {
  const wishes = ['automatic', 'light', 'dark'];
  wish = wishes[(wishes.indexOf(wish) + 1) % wishes.length];
  redraw();
});
systemDark.addEventListener('change', redraw);
addEventListener('beforeprint', () => { printing = true; redraw(); });
addEventListener('afterprint', () => { printing = false; redraw(); });
let lastWidth = document.body.clientWidth;
addEventListener('resize', () => {
  if (document.body.clientWidth !== lastWidth) { lastWidth = document.body.clientWidth; redraw(); }
});

if (DATA.cells.length) {
  completionSection(document.getElementById('completion'));
  timelineSection(document.getElementById('timeline'));
  probesSection(document.getElementById('timeline'));
  distributionSection(document.getElementById('distribution'));
}
whatSection(document.getElementById('run'));
redraw();
