'use strict';
// Operations per byte against operations per second, under what the machine was measured to do.

function render_roofline() {
  const run = current();
  const p = run.profile;
  const points = p.steps.map((step, s) => roofline_point(run, step, s)).filter(Boolean);
  by_id('roofline').hidden = p.steps.length === 0;
  const body = by_id('roofline_body');
  const compute = p.roofs.filter((r) => r.value !== null && r.unit === 'GFLOP/s');
  const memory = p.roofs.filter((r) => r.value !== null && r.unit === 'GB/s');
  by_id('all_roofs').parentElement.hidden = compute.length < 2 || points.length === 0;
  by_id('roofline_caption').replaceChildren();
  if (points.length === 0) {
    body.replaceChildren(el('p', {class: 'empty'}, 'No step of this run has arithmetic that is counted.'));
    return;
  }
  const mode = p.roofs[0]?.mode;
  by_id('roofline_caption').replaceChildren(
    'A point is a step; its size is its share of the time. The line above it is the most this machine gives. ',
    ...(mode ? ['Roofs: ', mode_tag(mode, p.roofs[0].note)]
             : ['The roofs of this machine were left out: profile without --no-roofs to see them.']));
  const box = el('div');
  body.replaceChildren(box);
  chart(box, (width) => (width < 600 ? 360 : 440), 'Roofline', (canvas, width, height) => {
    draw_roofline(canvas, width, height, points, used_roofs(p, compute), memory);
    mark_roofline(canvas);
  });
  on_select(() => mark_roofline(box.firstChild));
}

function roofline_point(run, step, s) {
  const bytes = step.weight_bytes + step.read_bytes + step.written_bytes;
  if (!(step.flops > 0 && bytes > 0 && step.us > 0)) return null;
  return {s, step, layer: run.layer_of_step[s], x: step.flops / bytes, y: step.flops / step.us * 1e-3};
}

// The roofs of the precisions that occur, unless all are asked for.
function used_roofs(p, compute) {
  const used = new Set(p.steps.map((step) => step.precision));
  const mine = compute.filter((roof) => used.has(roof.name.split(' ')[0]));
  return by_id('all_roofs').checked || mine.length === 0 ? compute : mine;
}

function log_range(values, pad) {
  const logs = values.filter((v) => v > 0).map(Math.log10);
  return [Math.min(...logs) - pad, Math.max(...logs) + pad];
}

function draw_roofline(canvas, width, height, points, compute, memory) {
  const left = 48, right = 14, top = 14, bottom = 40;
  const best = Math.max(0, ...compute.map((r) => r.value));
  const ridge = memory.length && best ? [best / Math.min(...memory.map((m) => m.value))] : [];
  const [x0, x1] = log_range([...points.map((p) => p.x), ...ridge], 0.18);
  const [y0, y1] = log_range([...points.map((p) => p.y), best || 1], 0.18);
  const x = (v) => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - right);
  const y = (v) => height - bottom - (Math.log10(v) - y0) / (y1 - y0) * (height - top - bottom);
  const area = {left, right: width - right, top, bottom: height - bottom, x, y, x0, x1, y0, y1};
  draw_log_grid(canvas, area, width, height);
  canvas.append(svg('clipPath', {id: 'roof_area'}, svg('rect', {x: left, y: top, width: area.right - left, height: area.bottom - top})));
  const lines = svg('g', {'clip-path': 'url(#roof_area)'});
  canvas.append(lines);
  const peak = best || Infinity;
  const labels = [];
  for (const roof of memory) draw_diagonal(lines, area, roof, peak, labels);
  for (const roof of compute) draw_flat(lines, area, roof, memory, labels);
  canvas.append(...place_labels(labels, area));
  const sorted = [...points].sort((a, b) => b.step.share - a.step.share);
  for (const point of sorted) canvas.append(draw_point(point, area));
}

// Powers of ten, and what lies between them on a short axis.
function log_ticks(low, high) {
  const between = high - low < 2.6 ? [1, 2, 5] : [1];
  const values = [];
  for (let e = Math.floor(low); e <= high; ++e) values.push(...between.map((b) => b * 10 ** e));
  return values.filter((v) => Math.log10(v) >= low && Math.log10(v) <= high);
}

function draw_log_grid(canvas, area, width, height) {
  const text = (v) => (v >= 1 ? format.grouped(v) : String(Number(v.toPrecision(1))));
  for (const tick of log_ticks(area.x0, area.x1)) {
    const at = area.x(tick);
    canvas.append(svg('line', {class: 'grid', x1: at, x2: at, y1: area.top, y2: area.bottom}),
                  svg('text', {class: 'tick', x: at, y: area.bottom + 16, 'text-anchor': 'middle'}, text(tick)));
  }
  for (const tick of log_ticks(area.y0, area.y1)) {
    const at = area.y(tick);
    canvas.append(svg('line', {class: 'grid', x1: area.left, x2: area.right, y1: at, y2: at}),
                  svg('text', {class: 'tick', x: area.left - 6, y: at + 4, 'text-anchor': 'end'}, text(tick)));
  }
  canvas.append(svg('text', {class: 'label', x: (area.left + area.right) / 2, y: height - 6, 'text-anchor': 'middle'}, 'operations per byte moved'),
                svg('text', {class: 'label', x: -(area.top + area.bottom) / 2, y: 12, transform: 'rotate(-90)', 'text-anchor': 'middle'}, 'GFLOP/s'));
}

// Bytes per second: a diagonal up to the best arithmetic.
function draw_diagonal(lines, area, roof, peak, labels) {
  const from = 10 ** area.x0;
  const to = Math.min(peak / roof.value, 10 ** area.x1);
  lines.append(svg('line', {class: 'roof', x1: area.x(from), y1: area.y(from * roof.value), x2: area.x(to), y2: area.y(to * roof.value)}));
  const start = Math.max(from, 10 ** area.y0 / roof.value);
  const slope = Math.atan2(area.y(10 * roof.value) - area.y(roof.value), area.x(10) - area.x(1)) * 180 / Math.PI;
  const at = start * 10 ** (0.03 * (area.x1 - area.x0));
  labels.push({x: area.x(at), y: area.y(at * roof.value), slope, text: `${roof.name} ${format.digits(roof.value)} GB/s`, why: provenance(roof)});
}

function draw_flat(lines, area, roof, memory, labels) {
  const fastest = Math.max(...memory.map((m) => m.value), 0);
  const from = fastest ? Math.max(roof.value / fastest, 10 ** area.x0) : 10 ** area.x0;
  lines.append(svg('line', {class: 'roof', x1: area.x(from), y1: area.y(roof.value), x2: area.right, y2: area.y(roof.value)}));
  labels.push({x: area.right - 2, y: area.y(roof.value) - 5, end: true, text: `${roof.name} ${format.digits(roof.value)} GFLOP/s`, why: provenance(roof)});
}

// Labels of the flat roofs, moved apart where lines lie close together.
function place_labels(labels, area) {
  const flat = labels.filter((l) => l.end).sort((a, b) => b.y - a.y);
  flat.forEach((label, i) => { if (i > 0) label.y = Math.min(label.y, flat[i - 1].y - 13); });
  return labels.filter((l) => l.y > area.top - 4).map((l) => svg('text', {
    class: 'roof_label', x: l.x, y: l.y, 'text-anchor': l.end ? 'end' : 'start',
    dy: l.slope ? -4 : null,
    transform: l.slope ? `rotate(${l.slope} ${l.x} ${l.y})` : null}, l.text, svg('title', {}, l.why)));
}

function draw_point(point, area) {
  const {step} = point;
  const attained = step.roof_us !== null ? `${format.percent(step.roof_us / step.us)} of its roof (${step.bound})` : '';
  return svg('circle', {class: 'point', 'data-layer': point.layer, cx: area.x(point.x), cy: area.y(point.y),
    r: 3.5 + 26 * Math.sqrt(step.share / Math.PI), style: {fill: `var(${step_colour(point.s)})`},
    onclick: () => select_step(point.s),
    onpointermove: (event) => tip.show(event, step.name, `${step.op} · ${step.kernel}`,
      `${format.digits(point.y)} GFLOP/s at ${format.digits(point.x)} per byte`,
      `${format.us(step.us)}, ${format.percent(step.share)}`, attained),
    onpointerleave: tip.hide});
}

function mark_roofline(canvas) {
  if (!canvas) return;
  const points = [...canvas.querySelectorAll('.point')];
  for (const point of points) {
    const mine = Number(point.dataset.layer) === view.layer;
    point.classList.toggle('selected', mine);
    point.classList.toggle('faded', view.layer >= 0 && !mine);
    if (mine) canvas.append(point);
  }
}
