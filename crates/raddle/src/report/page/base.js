// Data, elements, numbers as text, colours and themes: what every part of the page uses.

const DATA = JSON.parse(document.getElementById('data').textContent);

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (key === 'class') node.className = value;
    else if (key === 'style') node.style.cssText = value;
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child != null) node.append(child);
  return node;
}

const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

// Numbers

const NONE = '\u2013';
const grouped = (text) => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, '\u202f'));
function number(value, digits = 4) {
  if (value == null || !Number.isFinite(value)) return NONE;
  if (value === 0) return '0';
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toFixed(Math.min(decimals, 6));
  return grouped(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}
const micros = (us) => (us == null ? NONE : `${number(us)} \u00b5s`);
const kib = (bytes) => (bytes == null ? NONE : bytes >= 1048576 ? `${number(bytes / 1048576, 3)} MiB` : `${number(bytes / 1024, 3)} KiB`);
const percent = (share, digits = 3) => `${number(share * 100, digits)} %`;
const count = (value) => grouped(String(value));
const plural = (n, one) => `${count(n)} ${one}${n === 1 ? '' : 's'}`;

// Axes

function linearTicks(low, high, wanted) {
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
// As many as there is room for, `wanted` or a few more, but two where powers of ten leave one.
function logTicks(low, high, wanted) {
  const sparse = ticksOf([1], low, high);
  const dense = ticksOf([1, 2, 5], low, high);
  return dense.length > wanted * 1.25 && sparse.length > 1 ? sparse : dense;
}
function ticksOf(steps, low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const m of steps) {
      const tick = Number((m * 10 ** power).toPrecision(12));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks;
}

// An axis over some values, of completion times unless it is called otherwise: logarithmic when they span more than a factor. Never
// narrower than a fifth, so that small differences look small.
function timeAxis(values, wanted, factor = 10, title = 'time to completion, \u00b5s') {
  const least = Math.min(...values);
  const most = Math.max(...values, least * 1.2);
  const log = least > 0 && most / least > factor;
  const margin = log ? Math.log10(most / least) * 0.04 : (most - least || most || 1) * 0.06;
  const f = log ? Math.log10 : (x) => x;
  const inverse = log ? (x) => 10 ** x : (x) => x;
  const min = log ? f(least) - margin : Math.max(0, least - margin);
  const max = f(most) + margin;
  const ticks = log ? logTicks(inverse(min), inverse(max), wanted) : linearTicks(min, max, wanted);
  return { log, f, inverse, min, max, ticks: ticks.map(f), title: `${title}${log ? ' (logarithmic)' : ''}` };
}

// Colours. Okabe and Ito's palette, its yellow replaced by grey, lightened where dark paper needs it.

const PALETTE = {
  light: ['#0072b2', '#d55e00', '#009e73', '#a6488a', '#b57c00', '#3a93c7', '#5b5f66', '#7a5230', '#a3132f', '#4b3fae'],
  dark: ['#4fa8e0', '#f0813a', '#2fc79a', '#dd92c2', '#e6a820', '#93d0f5', '#b4b9c2', '#c79a73', '#ff8896', '#aaa2ff'],
};
const DASHES = ['solid', [7, 3], [2, 2], [10, 3, 2, 3], [5, 2, 1, 2], [1, 2]];

function schemeColour(scheme) {
  const palette = PALETTE[theme()];
  return palette[DATA.schemes[scheme].palette_index % palette.length];
}
const schemeDash = (scheme) => DASHES[DATA.schemes[scheme].palette_index % DASHES.length];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function mix(from, to, t) {
  const channel = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(channel(from, i) * (1 - t) + channel(to, i) * t));
  return `#${mixed.map((c) => c.toString(16).padStart(2, '0')).join('')}`;
}
// A colour scale through `stops`: ascending [position, colour] pairs.
function ramp(stops) {
  return (value) => {
    const k = stops.findIndex(([at]) => value <= at);
    if (k === -1) return stops[stops.length - 1][1];
    if (k === 0) return stops[0][1];
    const [a, from] = stops[k - 1];
    const [b, to] = stops[k];
    return mix(from, to, b > a ? (value - a) / (b - a) : 1);
  };
}

// Themes: automatic follows the system; `?theme=dark` or the button fixes one; paper is light.

const systemDark = matchMedia('(prefers-color-scheme: dark)');
let wish = new URLSearchParams(location.search).get('theme') || 'automatic';
let printing = false;
const drawings = [];

function theme() {
  if (printing) return 'light';
  return wish === 'light' || wish === 'dark' ? wish : systemDark.matches ? 'dark' : 'light';
}
function redraw() {
  document.documentElement.dataset.theme = theme();
  const button = document.getElementById('theme');
  button.textContent = `Theme: ${wish}`;
  for (const draw of drawings) draw();
}

// A drawing area of a given height with an overlay for labels; `draw` runs again on every change
// of theme or width.
const PAPER_WIDTH = 700;
function plot(parent, label, draw) {
  const canvas = el('div', { class: 'canvas', role: 'img', 'aria-label': label });
  const over = el('div', { class: 'over', 'aria-hidden': 'true' });
  const box = el('div', { class: 'plot' }, canvas, over);
  parent.append(box);
  let chart = null;
  const again = () => {
    over.replaceChildren();
    box.style.width = printing ? `${PAPER_WIDTH}px` : '';
    const width = box.clientWidth;
    const resize = (height) => {
      // What was hidden had no width until now.
      const width = box.clientWidth;
      box.style.height = `${height}px`;
      chart ||= echarts.init(canvas, null, { renderer: 'canvas', width, height });
      chart.resize({ width, height });
      return chart;
    };
    draw({ width, resize, over, canvas, box });
  };
  drawings.push(again);
  return again;
}
// A label on an overlay.
function put(over, x, y, text, classes = '', style = '') {
  const node = el('span', { class: classes, style: `left:${x}px;top:${y}px;${style}` }, text);
  over.append(node);
  return node;
}
const ruler = document.createElement('canvas').getContext('2d');
function textWidth(text, font) {
  ruler.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}
// The lines of a text that is no wider than `width`, broken between words.
function wrapped(text, font, width) {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    const longer = last ? `${last} ${word}` : word;
    if (last && textWidth(longer, font) > width) lines.push(word); else lines[lines.length - 1] = longer;
  }
  return lines;
}
const widest = (texts, font) => Math.max(0, ...texts.map((text) => textWidth(text, font)));
const hiddenAxis = { axisLine: { show: false }, axisTick: { show: false }, axisLabel: { show: false }, splitLine: { show: false } };
const axisText = () => ({ color: css('--soft'), fontSize: 12, fontFamily: 'inherit' });
