'use strict';
// How the runs spread: a histogram, and the runs in the order they were made.

function render_latency() {
  const p = current().profile;
  const samples = p.samples_ms;
  by_id('latency').hidden = samples.length < 2;
  if (samples.length < 2) return;
  by_id('latency_caption').replaceChildren(
    `${format.grouped(samples.length)} whole runs. ${p.copies ? `${p.copies[0].toUpperCase()}${p.copies.slice(1)}. ` : ''}`,
    mode_tag(p.mode));
  const histogram = el('div'), strip = el('div');
  replace('latency_body', histogram, strip);
  const scale = latency_scale(samples);
  chart(histogram, 190, 'Histogram of latency', (canvas, width, height) => (
    draw_histogram(canvas, width, height, samples, p, scale)));
  chart(strip, 120, 'Latency of every run in order', (canvas, width, height) => (
    draw_strip(canvas, width, height, samples, p, scale)));
}

// The axis ends where one run in a hundred lies beyond by far; what lies beyond is counted.
function latency_scale(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const low = sorted[0];
  const wide = at(0.5) + 4 * Math.max(at(0.9) - low, 0.002 * at(0.5));
  const high = Math.max(Math.min(sorted.at(-1), Math.max(wide, at(0.98))), low * 1.001 + 1e-9);
  const pad = 0.04 * (high - low);
  return {low: Math.max(0, low - pad), high: high + pad, beyond: sorted.filter((s) => s > high + pad).length};
}

function draw_histogram(canvas, width, height, samples, p, scale) {
  const left = 8, right = 8, top = 34, bottom = 24;
  const bins = Math.max(10, Math.min(60, Math.round(Math.sqrt(samples.length) * 2), Math.floor(width / 9)));
  const counts = new Array(bins).fill(0);
  for (const sample of samples) {
    const bin = Math.floor((sample - scale.low) / (scale.high - scale.low) * bins);
    if (bin >= 0 && bin < bins) counts[bin] += 1;
  }
  const most = Math.max(...counts);
  const x = (ms) => left + (ms - scale.low) / (scale.high - scale.low) * (width - left - right);
  const y = (count) => height - bottom - count / most * (height - top - bottom);
  const step = (width - left - right) / bins;
  counts.forEach((count, b) => {
    if (count === 0) return;
    const from = scale.low + b * (scale.high - scale.low) / bins;
    canvas.append(svg('rect', {class: 'bin', x: left + b * step + 0.5, y: y(count), width: Math.max(1, step - 1),
      height: height - bottom - y(count), rx: 1.5,
      onpointermove: (event) => tip.show(event, `${count} of ${samples.length} runs`,
        `${format.ms(from)} to ${format.ms(from + (scale.high - scale.low) / bins)}`),
      onpointerleave: tip.hide}));
  });
  canvas.append(svg('line', {class: 'axis', x1: left, x2: width - right, y1: height - bottom + 0.5, y2: height - bottom + 0.5}));
  const marks = ticks(scale.low, scale.high, Math.max(3, width / 110));
  const labels = format.axis_us(marks.map((ms) => ms * 1e3));
  marks.forEach((tick, i) => canvas.append(
    svg('text', {class: 'tick', x: x(tick), y: height - 8, 'text-anchor': 'middle'}, labels[i])));
  draw_marks(canvas, p, scale, x, top, height - bottom, width);
  if (scale.beyond > 0) {
    canvas.append(svg('text', {class: 'tick', x: width - right, y: height - bottom - 6, 'text-anchor': 'end'},
                      `${scale.beyond} slower →`));
  }
}

// Median, p90 and p99 as lines, each label on the first of two rows where it has room.
function draw_marks(canvas, p, scale, x, top, bottom, width) {
  const ends = [-Infinity, -Infinity];
  for (const name of ['median', 'p90', 'p99']) {
    const mark = metric(p.latency, name);
    if (!mark || mark.value > scale.high) continue;
    const at = x(mark.value);
    const text = `${name} ${format.ms(mark.value)}`;
    const half = text.length * 3.5;
    const middle = Math.min(Math.max(at, half + 2), width - half - 2);
    const row = ends[0] < middle - half ? 0 : 1;
    ends[row] = middle + half + 8;
    canvas.append(
      svg('line', {class: `mark ${name}`, x1: at, x2: at, y1: top - 18 + 14 * row + 2, y2: bottom}),
      svg('text', {class: `label ${name}`, x: middle, y: top - 22 + 14 * row, 'text-anchor': 'middle'}, text));
  }
}

function draw_strip(canvas, width, height, samples, p, scale) {
  const left = 8, right = 8, top = 8, bottom = 22;
  const x = (i) => left + (i + 0.5) / samples.length * (width - left - right);
  const y = (ms) => height - bottom - (Math.min(ms, scale.high) - scale.low) / (scale.high - scale.low) * (height - top - bottom);
  const median = metric(p.latency, 'median');
  if (median) {
    canvas.append(svg('line', {class: 'mark median', x1: left, x2: width - right, y1: y(median.value), y2: y(median.value)}));
  }
  canvas.append(svg('path', {class: 'samples', 'stroke-width': samples.length > 800 ? 2.5 : samples.length > 200 ? 3.5 : 5,
    d: samples.map((ms, i) => `M${x(i).toFixed(1)} ${y(ms).toFixed(1)}h0`).join('')}));
  canvas.append(svg('line', {class: 'axis', x1: left, x2: width - right, y1: height - bottom + 0.5, y2: height - bottom + 0.5}));
  canvas.append(svg('text', {class: 'tick', x: left, y: height - 6}, 'first run'),
                svg('text', {class: 'tick', x: width - right, y: height - 6, 'text-anchor': 'end'}, `run ${format.grouped(samples.length)}`));
}
