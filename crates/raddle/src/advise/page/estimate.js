// The same arithmetic as the program's, of what is needed to rank: from steps in states and costs of
// changes, by rates, to work done.

function broken(rates) {
  return rates.mtbf_s === null ? 0 : rates.mttr_s / (rates.mtbf_s + rates.mttr_s);
}

function downs(rates) {
  return rates.mtbf_s === null ? 0 : 1 / (rates.mtbf_s + rates.mttr_s);
}

function pairs(n) {
  return n * (n - 1) / 2;
}

/** The probability that exactly k of n are broken, each with the chance u. */
function chance(n, k, u) {
  if (k > n) return 0;
  if (u <= 0) return k === 0 ? 1 : 0;
  if (u >= 1) return k === n ? 1 : 0;
  let ways = 0;
  for (let i = 0; i < k; i++) ways += Math.log((n - i) / (i + 1));
  return Math.exp(ways + k * Math.log(u) + (n - k) * Math.log1p(-u));
}

function safe(kind) {
  return kind.parts - kind.critical;
}

function countsWeight(counts, classes, rates) {
  return counts.reduce((all, k, i) => all * chance(safe(classes[i]), k, broken(rates[i])), 1);
}

function weight(stratum, classes, rates) {
  if (stratum.placed === 'as_they_come') return 1 - countsWeight(classes.map(() => 0), classes, rates);
  const all = countsWeight(stratum.counts, classes, rates);
  const twice = stratum.counts.indexOf(2);
  const total = stratum.counts.reduce((a, b) => a + b, 0);
  const share = total === 2 && twice >= 0
    ? classes[twice].together / Math.max(pairs(safe(classes[twice])), 1) : 1;
  if (stratum.placed === 'together') return all * share;
  if (stratum.placed === 'apart') return all * (1 - share);
  return all;
}

function cutShare(stratum, classes, cut) {
  const total = stratum.counts.reduce((a, b) => a + b, 0);
  if (total !== 2 || stratum.placed === 'apart') return 0;
  const own = stratum.counts.flatMap((k, i) => k > 0 ? [i] : []);
  const a = own[0];
  const b = own.length === 2 ? own[1] : own[0];
  const cutting = cut.filter(c => c[0] === a && c[1] === b).reduce((sum, c) => sum + c[2], 0);
  const all = stratum.placed === 'together' ? classes[a].together
    : a === b ? pairs(safe(classes[a])) : safe(classes[a]) * safe(classes[b]);
  return all > 0 ? Math.min(cutting / all, 1) : 0;
}

function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** Work done on one candidate, as a share of its healthy work, and how often the job ends. */
function estimate(work, rates, drawnBy, job) {
  if (work.healthy_s.length === 0 || work.healthy_s.includes(null)) return null;
  const healthy = mean(work.healthy_s);
  const classes = work.classes;
  const running = job.spare ? 1 : classes.reduce((all, kind, i) =>
    all * Math.exp(kind.critical * Math.log1p(-Math.min(broken(rates[i]), 1 - 1e-12))), 1);
  const inCut = job.spare ? 1 : 0;
  const repairs = counts => counts.reduce((sum, k, i) => sum + k / Math.max(rates[i].mttr_s, 1e-9), 0);
  let effective = Infinity;
  const parts = work.strata.map(own => {
    const all = weight(own.stratum, classes, rates);
    const cut = cutShare(own.stratum, classes, work.cut_pairs);
    const tilts = own.draws.map(draw => {
      if (own.stratum.placed !== 'as_they_come') return 1;
      const before = countsWeight(draw.counts, classes, drawnBy);
      return before > 0 ? countsWeight(draw.counts, classes, rates) / before : 0;
    });
    const sum = tilts.reduce((a, b) => a + b, 0);
    const squares = tilts.reduce((a, b) => a + b * b, 0);
    if (own.stratum.placed === 'as_they_come' && tilts.some(tilt => tilt !== 1)) {
      effective = Math.min(effective, squares > 0 ? sum * sum / squares : 0);
    }
    const rate = draw => draw.step_s === null ? (draw.cut ? inCut : 0) : draw.healthy_s / draw.step_s;
    const rateMean = sum > 0
      ? own.draws.reduce((all, draw, i) => all + rate(draw) * tilts[i], 0) / sum : 1;
    return { weight: all * (1 - cut), cut: all * cut, mean: rateMean, own, tilts, sum };
  });
  const alone = countsWeight(classes.map(() => 0), classes, rates);
  const covered = alone + parts.reduce((sum, part) => sum + part.weight + part.cut, 0);
  const leftOut = Math.max(1 - covered, 0);
  const worse = parts.reduce((sum, part) => sum + part.weight, 0);
  const like = worse > 0 ? parts.reduce((sum, part) => sum + part.weight * part.mean, 0) / worse : 1;
  let stops = 0;
  classes.forEach((kind, i) => {
    if (rates[i].mtbf_s !== null) stops += kind.critical / rates[i].mtbf_s;
    if (rates[i].lasts_s >= job.stops_after_s) stops += kind.critical * rates[i].flaps_per_s;
  });
  const total = counts => counts.reduce((a, b) => a + b, 0);
  let stuck = 0;
  let first = 0;
  for (const part of parts.filter(own => total(own.own.stratum.counts) === 1)) {
    const draws = part.own.draws;
    stuck += part.weight * draws.reduce((all, draw) => all + draw.stuck, 0) / Math.max(draws.length, 1);
    first += part.weight;
  }
  const runsBefore = first > 0 ? 1 - stuck / first : 1;
  for (const part of parts) {
    stops += part.cut * repairs(part.own.stratum.counts);
    part.own.draws.forEach((draw, i) => {
      const counts = draw.counts ? draw.counts : part.own.stratum.counts;
      // Of many broken parts it is two that stop the job: whose repairs set it going.
      const leadsOut = Math.min(2 / Math.max(total(counts), 1), 1);
      const share = part.sum > 0 ? part.tilts[i] / part.sum : 0;
      stops += part.weight * share * draw.stuck * repairs(counts) * leadsOut
        * (total(counts) === 1 ? 1 : runsBefore);
    });
  }
  let changes = 0;
  let notRun = 0;
  classes.forEach((kind, i) => {
    for (const events of work.events.filter(own => own.class === i)) {
      const each = events.not_run || [0, 0];
      const often = [downs(rates[i]), rates[i].flaps_per_s];
      const before = [downs(drawnBy[i]), drawnBy[i].flaps_per_s];
      const unknown = safe(kind) > 0 && often.some((now, n) => now > 0 && before[n] === 0);
      notRun += unknown ? Infinity : safe(kind) * (often[0] * each[0] + often[1] * each[1]);
      const add = (often, costs) => { if (costs.length > 0) changes += often * mean(costs); };
      add(safe(kind) * downs(rates[i]), events.down_s);
      add(safe(kind) * downs(rates[i]), events.up_s);
      add(safe(kind) * rates[i].flaps_per_s, events.flap_s);
    }
    if (rates[i].lasts_s < job.stops_after_s) {
      changes += kind.critical * rates[i].flaps_per_s * rates[i].lasts_s;
    }
  });
  const steady = alone + parts.reduce((sum, part) => sum + part.weight * part.mean + part.cut * inCut, 0)
    + leftOut * like;
  const goodput = Math.max(running * (steady - (changes + stops * job.restart_s)), 0);
  return {
    healthy, goodput, stops: running * stops, leftOut: running * leftOut, effective,
    changes: changes + stops * job.restart_s, notRun: running * notRun,
  };
}

/** Candidates in order, the best first. */
function ranked(data, asked) {
  const found = [];
  let reference = null;
  data.measured.candidates.forEach((own, candidate) => {
    if (own.works.length !== data.measured.works.length) return;
    const works = own.works.map(work => estimate(work, asked.rates, data.measured.rates, asked.job));
    if (works.includes(null)) return;
    reference = reference || works.map(work => work.healthy);
    const sum = asked.weights.reduce((a, b) => a + b, 0);
    const over = value => works.reduce((all, work, i) => all + asked.weights[i] / sum * value(work, i), 0);
    const done = over((work, i) => work.goodput * reference[i] / work.healthy);
    const value = {
      goodput: done,
      step_mean: 1 / over((work, i) => work.healthy / reference[i] / Math.max(work.goodput, 1e-300)),
      cost_per_goodput: done / Math.max(asked.costs[candidate] || 0, Number.MIN_VALUE),
    }[data.objective];
    found.push({
      candidate, name: own.name, value: value === undefined ? done : value,
      goodput: over(work => work.goodput), stops: over(work => work.stops) * data.horizon_s,
      leftOut: Math.max(...works.map(work => work.leftOut)),
      effective: Math.min(...works.map(work => work.effective)),
      changes: Math.max(...works.map(work => work.changes)),
      notRun: Math.max(...works.map(work => work.notRun)),
    });
  });
  return found.sort((a, b) => b.value - a.value || a.candidate - b.candidate);
}
