// Time series as the page needs them: decoded, summed up, cut to pixels.

function decode(packed, length) {
  const series = new Float64Array(length);
  if (!packed) return series;
  if (Array.isArray(packed)) packed.forEach((value, i) => { series[i] = value; });
  else packed.at.forEach((at, i) => { if (at < length) series[at] = packed.value[i]; });
  return series;
}

// Bytes count where a frame's last bit left. What is more than a bucket can carry was on the wire before
// it: in the buckets before, however many a frame takes.
function carriedWithin(bytes, full) {
  const carried = Float64Array.from(bytes);
  for (let i = carried.length - 1; i > 0; i--) {
    const over = carried[i] - full;
    if (over > 0) { carried[i] = full; carried[i - 1] += over; }
  }
  return carried;
}

// One run over time, decoded once.
function openDetail(detail) {
  if (detail.opened) return detail.opened;
  const n = detail.buckets;
  const bucket = detail.bucket_us;
  const joined = Math.round(bucket / detail.recorded_bucket_us);
  const total = new Float64Array(n);
  const ports = detail.ports.map((port) => {
    const full = (port.rate_gbps * 1000 / 8) * bucket;
    const bytes = decode(port.bytes, n);
    const scaled = (packed) => packed && decode(packed, n).map((b) => Math.min(1, (b * joined) / full));
    const frames = decode(port.data_frames, n);
    frames.forEach((f, i) => { total[i] += f; });
    return {
      name: port.name, rate: port.rate_gbps, bytes, frames, drops: decode(port.drops, n),
      queue: decode(port.queue_bytes_max, n), queueLeast: port.queue_bytes_least && decode(port.queue_bytes_least, n),
      use: carriedWithin(bytes, full).map((b) => b / full), useLeast: scaled(port.bytes_least), useMost: scaled(port.bytes_most),
    };
  });
  const rows = detail.counts.map((row) => ({ name: row.name, count: decode(row.count, n) }));
  const run = (DATA.cells.find((c) => c.condition === detail.condition && c.scheme === detail.scheme) || { runs: [] }).runs.find((r) => r.seed === detail.seed);
  const done = run && run.completed ? run.completion_us : null;
  const whole = { queue: ports.map((p) => Math.max(0, ...p.queue)), use: [], share: [], frames: sum(total), end: Math.max(n * bucket, done ?? 0) };
  ports.forEach((p) => {
    whole.use.push(sum(p.bytes) / ((p.rate * 1000 / 8) * (done || whole.end)));
    whole.share.push(whole.frames ? sum(p.frames) / whole.frames : 0);
  });
  detail.opened = { detail, n, bucket, joined, ports, total, rows, run, whole, done };
  return detail.opened;
}
const sum = (series) => series.reduce((a, b) => a + b, 0);

// [from_us, until_us, value] per visible pixel column: `how` joins the buckets of a column.
function columns(series, bucket, range, pixels, how) {
  const first = Math.max(0, Math.floor(range[0] / bucket));
  const last = Math.min(series.length, Math.ceil(range[1] / bucket));
  const step = Math.max(1, Math.ceil((last - first) / pixels));
  const out = [];
  for (let i = first; i < last; i += step) {
    const end = Math.min(i + step, last);
    let value = 0;
    for (let k = i; k < end; k++) value = how === 'most' ? Math.max(value, series[k]) : value + series[k];
    out.push([i * bucket, end * bucket, how === 'mean' ? value / (end - i) : value]);
  }
  return out;
}

// Shares of the ports over time as stacked bands: [from_us, until_us, low, high, port].
function shareBands(opened, range, pixels) {
  const wanted = Math.max(20, Math.floor(pixels / 5));
  const stacks = opened.ports.map((p) => columns(p.frames, opened.bucket, range, wanted, 'sum'));
  const totals = columns(opened.total, opened.bucket, range, wanted, 'sum');
  const bands = [];
  totals.forEach(([from, until, total], i) => {
    let low = 0;
    stacks.forEach((stack, port) => {
      const high = low + (total ? stack[i][2] / total : 0);
      if (high > low) bands.push([from, until, low, high, port]);
      low = high;
    });
  });
  return { bands, width: totals.length ? totals[0][1] - totals[0][0] : opened.bucket };
}

function portsTable(opened) {
  const { detail } = opened;
  const rows = opened.ports.map((p, i) => [p.name, p.rate, opened.whole.queue[i], Number((opened.whole.use[i] * 100).toFixed(2)), sum(p.frames), Number((opened.whole.share[i] * 100).toFixed(2)), sum(p.bytes), sum(p.drops)]);
  return { title: `${detailName(detail)}: ${detail.ports_title || 'recorded ports'}, whole run`, columns: ['port', 'rate_gbps', 'queue_bytes_max', 'utilisation_mean_pct', 'data_frames', 'share_pct', 'bytes', 'dropped_frames'], rows };
}
function seriesTable(opened) {
  const rows = [];
  opened.ports.forEach((p) => {
    for (let i = 0; i < opened.n; i++) rows.push([p.name, Number((i * opened.bucket).toPrecision(12)), opened.bucket, p.bytes[i], p.frames[i], p.queue[i], p.drops[i]]);
  });
  return { title: `${detailName(opened.detail)}: every port and bucket`, columns: ['port', 'from_us', 'bucket_us', 'bytes', 'data_frames', 'queue_bytes_max', 'dropped_frames'], rows };
}
function countsTable(opened) {
  const rows = [];
  for (let i = 0; i < opened.n; i++) {
    if (opened.rows.some((row) => row.count[i])) rows.push([Number((i * opened.bucket).toPrecision(12)), opened.bucket, ...opened.rows.map((row) => row.count[i])]);
  }
  return { title: `${detailName(opened.detail)}: counts over the whole network, buckets in which anything happened`, columns: ['from_us', 'bucket_us', ...opened.rows.map((row) => row.name.replaceAll(' ', '_'))], rows };
}
function eventsTable(opened) {
  const { events } = opened.detail;
  return { title: `${detailName(opened.detail)}: the first ${events.first.length} of ${count(events.total)} scheme events`, columns: ['us', 'flow', 'name'], rows: events.first };
}
const detailName = (d) => [DATA.conditions[d.condition].name, DATA.schemes[d.scheme].name, `seed ${d.seed}`].filter(Boolean).join(', ');
