'use strict';
// The network as a row of layers in running order: height and colour are time. Arcs are values that
// a later layer than the next one reads, as far as the plan of the arena tells.

const kMap = {
  arcs: 44,
  bars: 96,
  cells: 12,
  least: 9,
  layers: 2000,  // A row of more is no map.
  gap: 2,
  left: 44
};

const kArcs =
    'Arcs join the layer that makes a value to the last one that reads it, where that is ' +
    'not the next: skip connections and branches, read from the buffer plan.';

function render_map() {
  const run = current();
  const rows = run.rows.filter((row) => row.steps.length > 0);
  const drawn = rows.length > 0 && rows.length <= kMap.layers;
  by_id('map').hidden = !drawn;
  if (!drawn) return;
  const arcs = long_values(run);
  by_id('map_caption')
      .replaceChildren(
          'Every layer in running order; height and colour are its time, ',
          'the stripe below its operator. ', arcs.length ? kArcs : '');
  const box = by_id('map_body');
  const inner = el('div');
  box.replaceChildren(inner);
  on_width(box, (width) => {
    const canvas = draw_map(run, rows, arcs, width);
    inner.replaceChildren(canvas);
    mark_map(canvas);
  });
  on_select(() => mark_map(inner.firstChild));
}

// Pairs of layers that a buffer joins over others.
function long_values(run) {
  const pairs = new Map();
  for (const buffer of run.profile.buffers) {
    const from = run.layer_of_step[buffer.first_step] ?? -1;
    const to = run.layer_of_step[buffer.last_step] ?? -1;
    if (from < 0 || to - from < 2) continue;
    pairs.set(`${from} ${to}`, {from, to, value: buffer.value, bytes: buffer.bytes});
  }
  return [...pairs.values()];
}

function draw_map(run, rows, arcs, width) {
  const {arcs: arc_height, bars, cells, left} = kMap;
  const step = Math.max(kMap.least, (width - left - 4) / rows.length);
  const total = left + step * rows.length + 4;
  const top = arcs.length ? arc_height : 22;
  const height = top + bars + cells + 26;
  const most = largest(rows.map((row) => row.share), 1e-9);
  const place = new Map(rows.map((row, i) => [row.layer, left + step * i]));
  const canvas = svg('svg', {
    width: total,
    height,
    viewBox: `0 0 ${total} ${height}`,
    role: 'img',
    'aria-label': 'Map of the layers'
  });
  for (const part of ticks(0, most, 2).filter((t) => t > 0)) {
    const y = top + bars * (1 - part / most);
    canvas.append(
        svg_line('grid', left, y, total, y),
        svg_text('tick', left - 6, y + 4, 'end', format.percent(part)));
  }
  for (const arc of arcs) canvas.append(draw_arc(arc, place, step, top));
  for (const row of rows) canvas.append(draw_cell(row, place.get(row.layer), step, top, most));
  canvas.append(
      svg_text('tick', left, height - 6, 'start', 'first layer'),
      svg_text('tick', total - 4, height - 6, 'end', 'last layer'));
  return canvas;
}

function draw_arc(arc, place, step, top) {
  const a = place.get(arc.from) + step / 2, b = place.get(arc.to) + step / 2;
  const foot = top - 4;
  const head = foot - 1.3 * Math.min(kMap.arcs - 8, 6 + (b - a) / 7);
  return svg(
      'path', {class: 'arc', d: `M${a} ${foot}C${a} ${head} ${b} ${head} ${b} ${foot}`},
      svg('title', {}, `${format.short(arc.value)}, ${format.bytes(arc.bytes)}`));
}

function draw_cell(row, x, step, top, most) {
  const {bars, cells, gap} = kMap;
  const part = row.share / most;
  const high = Math.max(1.5, bars * part);
  const hot = Math.round(100 * Math.sqrt(part));
  const heat = `color-mix(in oklab, var(--heat-high) ${hot}%, var(--heat-low))`;
  const [left, width] = [x + gap / 2, step - gap];
  return svg(
      'g', {
        class: 'cell',
        'data-layer': row.layer,
        onclick: () => select(row.layer),
        ...hover(
            () =>
                [format.short(row.name), `${row.op} · ${row.kernel}`,
                 `${format.us(row.us)}, ${format.percent(row.share)}`])
      },
      svg('rect', {class: 'hit', x, y: top, width: step, height: bars + cells + 6}),
      svg('rect',
          {x: left, y: top + bars - high, width, height: high, rx: 1.5, style: {fill: heat}}),
      svg('rect', {
        x: left,
        y: top + bars + 4,
        width,
        height: cells - 5,
        rx: 1.5,
        style: {fill: `var(${step_colour(row.main)})`}
      }));
}

function mark_map(canvas) {
  if (!canvas) return;
  for (const cell of canvas.querySelectorAll('.cell')) {
    cell.classList.toggle('selected', Number(cell.dataset.layer) === view.layer);
  }
}
