'use strict';
// How the runs spread: a histogram, and the runs in the order they were made.

function render_latency() {
  const p = current().profile;
  const samples = p.samples_ms;
  by_id('latency').hidden = samples.length < 2;
  if (samples.length < 2) return;
  by_id('latency_caption')
      .replaceChildren(
          `${format.grouped(samples.length)} whole runs. `,
          p.copies ? `${format.sentence(p.copies)} ` : '', mode_tag(p.mode));
  const histogram = el('div'), strip = el('div');
  replace('latency_body', histogram, strip);
  const scale = latency_scale(samples);
  chart(
      histogram, 230, 'Histogram of latency',
      (canvas, width, height) => (draw_histogram(canvas, width, height, samples, p, scale)));
  chart(
      strip, 140, 'Latency of every run in order',
      (canvas, width, height) => (draw_strip(canvas, width, height, samples, p, scale)));
}

// The axis leaves out the few runs that lie beyond by far; they are counted beside it.
function latency_scale(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const low = sorted[0];
  const wide = at(0.5) + 4 * Math.max(at(0.9) - low, 0.002 * at(0.5));
  const high = Math.max(Math.min(sorted.at(-1), Math.max(wide, at(0.95))), low * 1.001 + 1e-9);
  const pad = 0.04 * (high - low);
  return {
    low: Math.max(0, low - pad),
    high: high + pad,
    beyond: sorted.filter((s) => s > high + pad).length
  };
}

function draw_histogram(canvas, width, height, samples, p, scale) {
  const left = 8, right = 8, top = 46, bottom = 24;
  const bins =
      Math.max(10, Math.min(60, Math.round(Math.sqrt(samples.length) * 2), Math.floor(width / 9)));
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
    canvas.append(svg('rect', {
      class: 'bin',
      x: left + b * step + 0.5,
      y: y(count),
      width: Math.max(1, step - 1),
      height: height - bottom - y(count),
      rx: 1.5,
      ...hover(
          () =>
              [`${count} of ${samples.length} runs`,
               `${format.ms(from)} to ${format.ms(from + (scale.high - scale.low) / bins)}`])
    }));
  });
  canvas.append(
      svg_line('axis', left, height - bottom + 0.5, width - right, height - bottom + 0.5));
  const marks = ticks(scale.low, scale.high, Math.max(3, width / 110));
  const labels = format.axis_us(marks.map((ms) => ms * 1e3));
  marks.forEach(
      (tick, i) => canvas.append(
          svg_text('tick', Math.min(x(tick), width - 24), height - 8, 'middle', labels[i])));
  draw_marks(canvas, p, scale, x, top, height - bottom, width);
  if (scale.beyond > 0) {
    canvas.append(svg_text('tick', width - right, top + 8, 'end', `${scale.beyond} slower →`));
  }
}

// Median, p90 and p99 as lines, each label on the first of three rows where it has room.
function draw_marks(canvas, p, scale, x, top, bottom, width) {
  const ends = [-Infinity, -Infinity, -Infinity];
  for (const name of ['median', 'p90', 'p99']) {
    const mark = metric(p.latency, name);
    if (!mark || mark.value > scale.high || mark.value < scale.low) continue;
    const at = x(mark.value);
    const text = `${name} ${format.ms(mark.value)}`;
    const half = text.length * 3.5;
    const middle = Math.min(Math.max(at, half + 2), width - half - 2);
    const row = Math.max(0, ends.findIndex((end) => end < middle - half));
    ends[row] = middle + half + 8;
    canvas.append(
        svg_line(`mark ${name}`, at, top - 30 + 14 * row, at, bottom),
        svg_text(`label ${name}`, middle, top - 34 + 14 * row, 'middle', text));
  }
}

function draw_strip(canvas, width, height, samples, p, scale) {
  const left = 8, right = 8, top = 8, bottom = 22;
  const x = (i) => left + (i + 0.5) / samples.length * (width - left - right);
  const part = (ms) => (Math.min(ms, scale.high) - scale.low) / (scale.high - scale.low);
  const y = (ms) => height - bottom - part(ms) * (height - top - bottom);
  const median = metric(p.latency, 'median');
  if (median) {
    canvas.append(svg_line('mark median', left, y(median.value), width - right, y(median.value)));
  }
  canvas.append(svg('path', {
    class: 'samples',
    'stroke-width': samples.length > 800 ? 2.5 :
        samples.length > 200             ? 3.5 :
                                           5,
    d: samples.map((ms, i) => `M${x(i).toFixed(1)} ${y(ms).toFixed(1)}h0`).join('')
  }));
  const last = `run ${format.grouped(samples.length)}`;
  canvas.append(
      svg_line('axis', left, height - bottom + 0.5, width - right, height - bottom + 0.5),
      svg_text('tick', left, height - 6, 'start', 'first run'),
      svg_text('tick', width - right, height - 6, 'end', last));
}
