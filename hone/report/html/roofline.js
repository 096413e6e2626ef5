'use strict';
// Operations per byte against operations per second, under what the machine was measured to do.

function render_roofline() {
  const run = current();
  const p = run.profile;
  const points = p.steps.map((step, s) => roofline_point(run, step, s)).filter(Boolean);
  // A modelled machine has roofs of its own that are not these; other tools need not count arithmetic.
  by_id('roofline').hidden = points.length === 0 || p.tracks.length > 0;
  const body = by_id('roofline_body');
  const compute = p.roofs.filter((r) => r.value !== null && r.unit === 'GFLOP/s');
  const memory = p.roofs.filter((r) => r.value !== null && r.unit === 'GB/s');
  by_id('all_roofs').parentElement.hidden = compute.length < 2 || points.length === 0;
  by_id('roofline_caption').replaceChildren();
  if (points.length === 0) return body.replaceChildren();
  const mode = p.roofs[0]?.mode;
  by_id('roofline_caption')
      .replaceChildren(
          'A point is a step; its size is its share of the time. ',
          'The line above it is the most this machine gives. ',
          ...(mode ? ['Roofs: ', mode_tag(mode, p.roofs[0].note)] : [
            p.tool === 'hone' && p.gpu !== null ?
                'No roofs of this GPU are known: it has not been calibrated.' :
                'The roofs of this machine were left out of the profile.'
          ]));
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
  const x = step.flops / bytes, y = step.flops / step.us * 1e-3;
  if (!(x > 0 && y > 0 && x < 1e15 && y < 1e15)) return null;
  return {s, step, x, y, layer: run.layer_of_step[s]};
}

// The roofs of the precisions that occur, unless all are asked for.
function used_roofs(p, compute) {
  const used = new Set(p.steps.map((step) => step.precision));
  const mine = compute.filter((roof) => used.has(roof.name.split(' ')[0]));
  return by_id('all_roofs').checked || mine.length === 0 ? compute : mine;
}

function log_range(values, pad) {
  const logs = values.filter((v) => v > 0).map(Math.log10);
  return [-largest(logs.map((v) => -v), -Infinity) - pad, largest(logs, -Infinity) + pad];
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
  canvas.append(
      svg('clipPath', {id: 'roof_area'},
          svg('rect', {x: left, y: top, width: area.right - left, height: area.bottom - top})));
  const lines = svg('g', {'clip-path': 'url(#roof_area)'});
  canvas.append(lines);
  const peak = best || Infinity;
  const labels = [];
  for (const roof of memory) draw_diagonal(lines, area, roof, peak, labels);
  for (const roof of compute) draw_flat(lines, area, roof, memory, labels);
  const sorted = [...points].sort((a, b) => b.step.share - a.step.share);
  canvas.append(
      svg('g', {}, sorted.map((point) => draw_point(point, area))), ...place_labels(labels, area));
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
    canvas.append(
        svg_line('grid', at, area.top, at, area.bottom),
        svg_text('tick', at, area.bottom + 16, 'middle', text(tick)));
  }
  for (const tick of log_ticks(area.y0, area.y1)) {
    const at = area.y(tick);
    canvas.append(
        svg_line('grid', area.left, at, area.right, at),
        svg_text('tick', area.left - 6, at + 4, 'end', text(tick)));
  }
  const turned = {transform: 'rotate(-90)'};
  canvas.append(
      svg_text(
          'label', (area.left + area.right) / 2, height - 6, 'middle', 'operations per byte moved'),
      svg_text('label', -(area.top + area.bottom) / 2, 12, 'middle', 'GOP/s', turned));
}

function roof_text(roof) { return `${roof.name} ${format.value(roof.value, roof.unit)}`; }

function roof_title(roof) { return svg('title', {}, `${roof.name}: ${provenance(roof)}`); }

// Bytes per second: a diagonal up to the best arithmetic.
function draw_diagonal(lines, area, roof, peak, labels) {
  const from = 10 ** area.x0;
  const to = Math.min(peak / roof.value, 10 ** area.x1);
  lines.append(svg_line(
      'roof', area.x(from), area.y(from * roof.value), area.x(to), area.y(to * roof.value),
      roof_title(roof)));
  const start = Math.max(from, 10 ** area.y0 / roof.value);
  const slope = Math.atan2(area.y(10 * roof.value) - area.y(roof.value), area.x(10) - area.x(1)) *
      180 / Math.PI;
  const at = start * 10 ** (0.03 * (area.x1 - area.x0));
  labels.push({x: area.x(at), y: area.y(at * roof.value), slope, text: roof_text(roof)});
}

function draw_flat(lines, area, roof, memory, labels) {
  const fastest = Math.max(...memory.map((m) => m.value), 0);
  const from = fastest ? Math.max(roof.value / fastest, 10 ** area.x0) : 10 ** area.x0;
  const y = area.y(roof.value);
  lines.append(svg_line('roof', area.x(from), y, area.right, y, roof_title(roof)));
  labels.push({x: area.right - 2, y: y - 5, end: true, text: roof_text(roof)});
}

// Labels of the flat roofs are moved apart where lines lie close together; of the diagonals, those
// are left out that would cover the one below.
function place_labels(labels, area) {
  const flat = labels.filter((l) => l.end).sort((a, b) => b.y - a.y);
  flat.forEach((label, i) => {
    if (i > 0) label.y = Math.min(label.y, flat[i - 1].y - 13);
  });
  const sloped = labels.filter((l) => !l.end).sort((a, b) => b.y - a.y);
  const kept = [];
  for (const label of sloped)
    if (kept.length === 0 || kept.at(-1).y - label.y > 15) kept.push(label);
  const level = flat.filter((l) => l.y > area.top - 4)
                    .map((l) => svg_text('roof_label', l.x, l.y, 'end', l.text));
  const turned = kept.map(
      (l) => svg_text(
          'roof_label', l.x, l.y, 'start', l.text,
          {dy: -4, transform: `rotate(${l.slope} ${l.x} ${l.y})`}));
  return [...level, ...turned];
}

function draw_point(point, area) {
  const {step} = point;
  const attained = step.roof_us !== null ?
      `${format.percent(step.roof_us / step.us)} of its roof (${step.bound})` :
      '';
  return svg('circle', {
    class: 'point',
    'data-layer': point.layer,
    cx: area.x(point.x),
    cy: area.y(point.y),
    r: 3.5 + 26 * Math.sqrt(step.share / Math.PI),
    style: {fill: `var(${step_colour(point.s)})`},
    onclick: () => select_step(point.s),
    ...hover(
        () =>
            [format.short(step.name), `${step.op} · ${step.kernel}`,
             `${format.digits(point.y)} GOP/s at ${format.digits(point.x)} per byte`,
             `${format.us(step.us)}, ${format.percent(step.share)}`, attained])
  });
}

function mark_roofline(canvas) {
  if (!canvas) return;
  const points = [...canvas.querySelectorAll('.point')];
  for (const point of points) {
    const mine = Number(point.dataset.layer) === view.layer;
    point.classList.toggle('selected', mine);
    point.classList.toggle('faded', view.layer >= 0 && !mine);
    if (mine) point.parentNode.append(point);
  }
}
