'use strict';
// The network as a graph: a box for every layer, or for those that run as one with their parts,
// below all that it reads.

const kBox = {
  width: 172,
  head: 34,
  part: 15,
  parts: 4,  // Shown of a box; the panel has all.
  margin: 8,
};

const graph = {
  colours: 'time',
  rows: [],  // Of the run, by box.
  box_of: new Map(),
  found: [],
};

// How boxes are coloured: what a box has of it, 0 to 1 or null, and the words for it.
const kColours = {
  time: {
    title: 'time',
    has: () => true,
    part: (row) => (row.steps.length ? Math.sqrt(row.share / graph.most) : null),
    words: (row) => (row.steps.length ? format.us(row.us) : 'no time'),
    legend: 'The warmer, the longer.',
  },
  error: {
    title: 'error',
    has: () => report.errors.length > 0,
    // 50 dB and more are as good as the reference; at 5 dB a third of the signal is noise.
    part: (row) => (row.error === null ? null : Math.min(1, Math.max(0, (50 - row.error) / 45))),
    words: (row) => (row.error === null ? '' : `${format.digits(row.error)} dB`),
    legend:
        'The warmer, the further from the reference (SQNR given the reference’s inputs, measured); white ones were not compared.',
  },
  place: {
    title: 'placement',
    has: () => has_places(current()),
    part: (row) => (row.steps.length ? (is_elsewhere(row) ? 1 : 0.08) : null),
    words: (row) => (row.steps.length ? place_of(row) : ''),
    legend: 'Warm: what the target leaves to its host, or to the slow reference.',
  },
};

function place_of(row) {
  const steps = row.steps.map((s) => current().profile.steps[s]);
  if (steps.some((step) => step.on_host)) return 'on the host';
  return steps.some((step) => step.reference) ? 'by the reference' : current().profile.target;
}
function is_elsewhere(row) { return place_of(row) !== current().profile.target; }
function has_places(run) { return run.profile.steps.some((s) => s.on_host || s.reference); }

function render_graph() {
  const run = current();
  const joined =
      new Set(run.rows.flatMap((row) => [...row.reads, ...(row.reads.length ? [row.layer] : [])]));
  graph.rows = run.rows.filter((row) => joined.has(row.layer));
  by_id('graph').hidden = graph.rows.length === 0;
  if (graph.rows.length === 0) return;
  graph.most = largest(run.rows.map((row) => row.share), 1e-9);
  if (!kColours[graph.colours].has()) graph.colours = 'time';
  sight.plan = plan_graph();
  graph.box_of = new Map(sight.plan.boxes.map((box) => [box.row.layer, box]));
  render_colours();
  mount_graph();
  find_in_graph();
  on_select(show_selected_box);
}

function render_colours() {
  const all = Object.entries(kColours).filter(([, each]) => each.has());
  by_id('graph_colours').hidden = all.length < 2;
  replace(
      'graph_colours',
      ...all.map(
          ([name, each]) => button(
              {'aria-pressed': String(name === graph.colours), onclick: () => colour_graph(name)},
              each.title)));
  by_id('graph_legend').textContent = kColours[graph.colours].legend;
}

function colour_graph(name) {
  graph.colours = name;
  render_colours();
  redraw_graph();
}

function plan_graph() {
  const index = new Map(graph.rows.map((row, i) => [row.layer, i]));
  const boxes = graph.rows.map((row) => ({
                                 width: kBox.width,
                                 height: kBox.head + kBox.part * parts_of(row).length,
                                 reads: row.reads.map((r) => index.get(r))
                               }));
  const window = by_id('graph_body');
  const plan = plan_drawing(boxes, window.clientWidth / Math.max(1, window.clientHeight));
  plan.boxes.forEach((box, i) => {
    box.row = graph.rows[i];
  });
  return plan;
}

// The operators that run as one, where there are several.
function parts_of(row) {
  const parts = row.sources.length > 1 ? row.sources.map((s) => s.op) : [];
  if (parts.length <= kBox.parts) return parts;
  return [...parts.slice(0, kBox.parts - 1), `and ${parts.length - kBox.parts + 1} more`];
}

function mount_graph() {
  const box = by_id('graph_body');
  sight.box = box;
  sight.drawn = null;
  sight.canvas = svg('g');
  sight.draw = draw_graph;
  box.replaceChildren(svg('svg', {'aria-hidden': 'true'}, sight.canvas));
  let width = 0;
  on_width(box, () => {
    if (sight.box !== box || !sight.plan) return;
    if (width === 0) look_at_all(0.4);
    width = box.clientWidth;
    sight.drawn = null;
    look();
  });
}

function redraw_graph() {
  sight.drawn = null;
  if (sight.box?.clientWidth) look();
}

function draw_graph(part) {
  const inside = boxes_in(part);
  const lines = sight.plan.lines.filter((line) => crosses(line, part));
  sight.canvas.replaceChildren(
      ...lines.map(draw_line), ...inside.map((box) => draw_box(box, part.coarse)));
  mark_graph();
  by_id('graph_count').textContent = graph.rows.length > kSight.boxes ?
      `${format.grouped(graph.rows.length)} boxes, of which a part is drawn at a time.` :
      '';
}

// Lines from column to column are few, and pass anywhere.
function crosses({from, to, bends}, part) {
  const {boxes} = sight.plan;
  if (boxes[from].column !== boxes[to].column) return true;
  if (boxes[to].top < part.top || boxes[from].top + boxes[from].height > part.bottom) return false;
  const xs = [boxes[from], boxes[to]].map((box) => box.left + box.width / 2);
  xs.push(...bends.map((bend) => bend.x));
  return largest(xs, -Infinity) >= part.left &&
      -largest(xs.map((x) => -x), -Infinity) <= part.right;
}

function draw_line(line) {
  const {boxes} = sight.plan;
  return svg('path', {
    class: 'wire',
    d: line_path(sight.plan, line),
    'data-from': boxes[line.from].row.layer,
    'data-to': boxes[line.to].row.layer
  });
}

function draw_box(box, coarse) {
  const {row} = box;
  const part = kColours[graph.colours].part(row);
  const hot = part === null ? null : Math.round(100 * part);
  const heat = `color-mix(in oklab, var(--heat-high) ${hot}%, var(--heat-low))`;
  const tint = coarse ? heat : `color-mix(in oklab, ${heat} ${20 + 0.2 * hot}%, var(--surface))`;
  const shape = {x: box.left, y: box.top, width: box.width, height: box.height, rx: 6};
  return svg(
      'g', {
        class: `box${row.steps.length ? '' : ' idle'}`,
        'data-layer': row.layer,
        onclick: () => select(row.layer),
        ...hover(() => box_tip(row))
      },
      svg('rect', {...shape, class: 'body', style: hot === null ? {} : {fill: tint}}),
      hot === null || coarse ? null :
                               svg('rect', {...shape, width: 5, rx: 2.5, style: {fill: heat}}),
      ...(coarse ? [] : box_words(box)));
}

function drawn_width(text, font) {
  const ruler = graph.ruler ??= document.createElement('canvas').getContext('2d');
  ruler.font = `${font} ${graph.face ??= getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

// Of a name, as much as so many pixels have room for: capitals are wider than other letters.
function short_within(name, room, font) {
  const fits = (letters) => drawn_width(format.short(name, letters), font) <= room;
  let letters = Math.min(name.length, 40);
  while (letters > 4 && !fits(letters)) --letters;
  return format.short(name, letters);
}

function box_words({row, left, top}) {
  const x = left + 13;
  const room = kBox.width - 13 - kBox.margin;
  const kind = row.sources.length === 1 ? row.sources[0].op : row.op;
  const words = kColours[graph.colours].words(row);
  const about = words ? ` · ${words}` : '';
  return [
    svg_text('title', x, top + 14, 'start', short_within(row.name, room, '600 11.5px')),
    svg_text(
        'about', x, top + 27, 'start',
        short_within(kind, room - drawn_width(about, '11px'), '11px') + about),
    ...parts_of(row).flatMap((part, i) => {
      const y = top + kBox.head - 2 + kBox.part * i;
      return [
        svg('rect',
            {class: 'part_box', x: x - 2, y, width: kBox.width - 20, height: kBox.part - 2, rx: 3}),
        svg_text('part_name', x + 3, y + 10, 'start', short_within(part, room - 8, '10px'))
      ];
    })
  ];
}

function box_tip(row) {
  return [
    format.short(row.name), row.steps.length ? `${row.op} · ${row.kernel}` : row.ended,
    row.steps.length ? `${format.us(row.us)}, ${format.percent(row.share)}` : 'took no time',
    ...(row.error === null ? [] : [`${format.digits(row.error)} dB from the reference`])
  ];
}

function mark_graph() {
  const searched = by_id('graph_search').value.trim() !== '';
  const found = new Set(graph.found);
  for (const each of sight.canvas.querySelectorAll('.box')) {
    const layer = Number(each.dataset.layer);
    each.classList.toggle('selected', layer === view.layer);
    each.classList.toggle('faded', searched && !found.has(layer));
  }
  for (const wire of sight.canvas.querySelectorAll('.wire')) {
    const ends = [Number(wire.dataset.from), Number(wire.dataset.to)];
    wire.classList.toggle('selected', ends.includes(view.layer));
  }
}

function show_selected_box() {
  const box = graph.box_of.get(view.layer);
  if (box && sight.box.clientWidth && !is_seen(box)) look_at(box);
  mark_graph();
}

// What is typed fades all other boxes; Enter goes from one that is left to the next.
function find_in_graph() {
  const words = by_id('graph_search').value.toLowerCase().split(/\s+/).filter(Boolean);
  graph.found =
      words.length ? graph.rows.filter((row) => matches(row, words)).map((row) => row.layer) : [];
  by_id('graph_found').textContent = words.length ? `${graph.found.length} found` : '';
  mark_graph();
}

function next_found(by) {
  if (graph.found.length === 0) return;
  const at = graph.found.indexOf(view.layer);
  const next = at < 0 ? 0 : (at + by + graph.found.length) % graph.found.length;
  select(graph.found[next]);
  look_at(graph.box_of.get(graph.found[next]));
}

// The box that a key leads to: what it reads, who reads it, and its neighbours beside it.
function box_towards(key) {
  const box = graph.box_of.get(view.layer);
  if (!box) return sight.plan.boxes[0];
  const {boxes} = sight.plan;
  const beside = (sign) =>
      boxes.filter((b) => b.rank === box.rank && sign * (b.left - box.left) > 0)
          .sort((a, b) => sign * (a.left - b.left))[0];
  if (key === 'ArrowUp') return graph.box_of.get(box.row.reads[0]);
  if (key === 'ArrowDown') return boxes.find((b) => b.row.reads.includes(view.layer));
  return beside(key === 'ArrowLeft' ? -1 : 1);
}

const kMoves = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0]
};

function graph_key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in kMoves && event.shiftKey) {
    move_sight(...kMoves[event.key]);
  } else if (event.key in kMoves) {
    const box = box_towards(event.key);
    if (box) select(box.row.layer);
  } else if (event.key === '+' || event.key === '=') {
    look_closer(1.4);
  } else if (event.key === '-') {
    look_closer(1 / 1.4);
  } else if (event.key === '0') {
    look_at_all();
  } else {
    return;
  }
  event.preventDefault();
}

function start_graph() {
  const box = by_id('graph_body');
  watch_pointers(box);
  watch_wheel(box);
  box.addEventListener('keydown', graph_key);
  const on_click = (id, act) => by_id(id).addEventListener('click', () => {
    if (graph.rows.length) act();
  });
  on_click('graph_in', () => look_closer(1.4));
  on_click('graph_out', () => look_closer(1 / 1.4));
  on_click('graph_all', () => look_at_all());
  by_id('graph_search').addEventListener('input', find_in_graph);
  by_id('graph_search').addEventListener('keydown', (event) => {
    if (event.key === 'Enter') next_found(event.shiftKey ? -1 : 1);
  });
}
