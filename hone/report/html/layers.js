'use strict';
// Every layer with its figures; sorted by a click on a column, searched by a text.

const kNameColumn = {
  key: 'name',
  title: 'layer',
  text: true
};

const kTimeColumns = [
  {key: 'us', title: 'time', cell: (row) => format.us(row.us)},
  {key: 'share', title: 'share', why: 'of the sum of all steps', cell: share_cell},
];

const kRoofColumns = [
  {
    key: 'roof',
    title: 'of roof',
    why: 'least time on this machine for its operations and bytes, over the time it took',
    cell: roof_cell
  },
  {key: 'bound', title: 'bound', text: true, why: 'what sets the least time', cell: bound_cell},
  {key: 'op', title: 'operator', text: true},
  {key: 'kernel', title: 'kernel', text: true, cell: kernel_cell},
  {key: 'gflops', title: 'GOP/s', cell: (row) => number_cell(row.gflops)},
  {
    key: 'gbytes',
    title: 'GB/s',
    why: 'bytes of weights, inputs and outputs, each counted once',
    cell: (row) => number_cell(row.gbytes)
  },
  {key: 'intensity', title: 'flops/byte', cell: (row) => number_cell(row.intensity)},
];

const kEngineColumns = [
  {
    key: 'mac_part',
    title: 'MACs',
    why: 'of those that the array could have done in that time',
    cell: (row) => part_meter(row.mac_part)
  },
  {
    key: 'wait_part',
    title: 'waits',
    why: 'part of its time in which no engine computed, for the cause that took longest',
    cell: (row) => (row.waits ? format.percent(row.wait_part) : '')
  },
  {key: 'waits', title: 'for', text: true, cell: (row) => bound_cell({bound: row.waits})},
  {key: 'op', title: 'operator', text: true},
  {key: 'kernel', title: 'engine', text: true, cell: kernel_cell},
  {
    key: 'off_chip',
    title: 'off chip',
    why: 'bytes read from and written to memories off the chip',
    cell: (row) => (row.off_chip > 0 ? format.bytes(row.off_chip) : '')
  },
];

const kPlaceColumns = [
  {key: 'precision', title: 'precision', text: true},
  {key: 'output', title: 'output', text: true},
  {
    key: 'live',
    title: 'memory',
    why: 'bytes of the arena in use while it runs',
    cell: (row) => (row.live > 0 ? format.bytes(row.live) : '')
  },
];

function layer_columns() {
  const own = has_engines(current().profile) ? kEngineColumns : kRoofColumns;
  return [kNameColumn, ...kTimeColumns, ...own, ...kPlaceColumns];
}

const kLines = 500;
const kNameWidth = 44;  // Letters of a name in a table.

const order = {
  key: 'us',
  down: true,
  open: new Set()
};

function bound_cell(row) { return row.bound ? el('span', {class: 'bound'}, row.bound) : ''; }

function number_cell(value) { return value === null ? '' : format.digits(value); }

function kernel_cell(row) {
  return [
    row.kernel,
    row.reference ?
        el('span',
           {class: 'bound warn', title: 'no kernel took it: it ran through the slow reference'},
           'reference') :
        null,
    row.steps.length > 1 ? el('span', {class: 'dim'}, ` +${row.steps.length - 1}`) : null
  ];
}

function share_cell(row) {
  return el(
      'div', {class: 'meter'}, el('span', {style: {width: `${100 * row.share / order.most}%`}}),
      el('i', {}, format.percent(row.share)));
}

function part_meter(part) {
  if (part === null) return '';
  return el(
      'div', {class: 'meter roof'}, el('span', {style: {width: `${100 * part}%`}}),
      el('i', {}, format.percent(part)));
}

function roof_cell(row) {
  if (row.roof === null) return '';
  const over = row.roof > 1.005;
  return el(
      'div', {class: `meter roof${over ? ' over' : ''}`, title: over ? kOverRoof : null},
      el('span', {style: {width: `${Math.min(100, 100 * row.roof)}%`}}),
      el('i', {}, `${Math.round(100 * row.roof)} %`));
}

function render_layers() {
  const run = current();
  const p = run.profile;
  by_id('layers').hidden = run.rows.length === 0;
  order.open.clear();
  order.most = largest(run.rows.map((row) => row.share), 1e-9);
  by_id('layers_caption')
      .replaceChildren(
          'Layers of the file; those that run as one are one line. Times: ',
          mode_tag(p.mode, p.step_times), ' operations and bytes: ', mode_tag('exact'),
          ...(p.roofs.length ? [' of roof: ', mode_tag('predicted', 'from measured roofs')] : []));
  const head = el(
      'tr', {},
      layer_columns().map(
          (column) => el(
              'th', {scope: 'col', 'data-key': column.key, class: column.text ? null : 'num'},
              button(
                  {title: column.why ?? null, onclick: () => sort_layers(column)}, column.title))));
  replace(
      'layers_body',
      el('div', {class: 'scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Layers'},
         el('table', {class: 'data', id: 'layer_table'}, el('thead', {}, head), el('tbody'))),
      el('p', {class: 'caption', id: 'layer_count', role: 'status'}), idle_layers(run) ?? '');
  fill_layers();
  on_select(show_selected_layer);
}

// Unfolds the layer of a selected step, and marks what is selected.
function show_selected_layer() {
  const several = current().rows[view.layer]?.steps.length > 1;
  if (view.step >= 0 && several && !order.open.has(view.layer)) {
    order.open.add(view.layer);
    fill_layers();
    return;
  }
  for (const line of document.querySelectorAll('#layer_table tbody tr')) {
    line.setAttribute('aria-selected', is_selected(line.dataset));
  }
}

// A line stands for a layer, or for a step of one.
function is_selected({layer, step}) {
  return step === undefined ? Number(layer) === view.layer : Number(step) === view.step;
}

function sort_layers(column) {
  order.down = order.key === column.key ? !order.down : !column.text;
  order.key = column.key;
  fill_layers();
}

function sorted_rows(rows) {
  const sign = order.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = a[order.key], y = b[order.key];
    if (typeof x === 'string')
      return sign * x.localeCompare(y, 'en', {numeric: true}) || a.layer - b.layer;
    return sign * ((x ?? -Infinity) - (y ?? -Infinity)) || a.layer - b.layer;
  });
}

function matches(row, words) {
  const text = [
    row.name, row.op, row.kernel, row.bound, row.waits, row.precision, row.output,
    ...row.sources.map((s) => `${s.name} ${s.op}`)
  ].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function fill_layers() {
  const rows = current().rows.filter((row) => row.steps.length > 0);
  const words = by_id('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = sorted_rows(rows.filter((row) => matches(row, words)));
  for (const th of document.querySelectorAll('#layer_table th')) {
    const mine = th.dataset.key === order.key;
    th.setAttribute('aria-sort', mine ? (order.down ? 'descending' : 'ascending') : 'none');
  }
  show_lines(shown);
  const us = shown.reduce((sum, row) => sum + row.us, 0);
  const share = shown.reduce((sum, row) => sum + row.share, 0);
  by_id('layer_count').textContent = words.length ?
      `${shown.length} of ${rows.length} layers, ${format.us(us)}, ${
          format.percent(share)} of the time` :
      `${rows.length} layers`;
}

// The first of them; the others behind a button, so that a page of thousands opens at once.
function show_lines(shown) {
  const body = document.querySelector('#layer_table tbody');
  body.replaceChildren(...shown.slice(0, kLines).flatMap(layer_lines));
  if (shown.length <= kLines) return;
  const all = button(
      {class: 'ghost', onclick: () => body.replaceChildren(...shown.flatMap(layer_lines))},
      `show all ${format.grouped(shown.length)} layers`);
  body.append(el('tr', {}, el('td', {colspan: layer_columns().length}, all)));
}

// The line of a layer and, when it is unfolded, those of its steps.
function layer_lines(row) {
  const name = [fold_button(row), dot(row.main), name_button(row.name, current().short_names)];
  const line = table_line('layer', {layer: row.layer}, () => select(row.layer), row, name);
  return order.open.has(row.layer) ? [line, ...row.steps.map(step_line)] : [line];
}

function step_line(s) {
  const row = make_row(current(), current().profile.steps[s].name, [s]);
  const name = [el('span', {class: 'fold'}), dot(s), name_button(row.name, current().short_names)];
  return table_line('step', {step: s}, () => select_step(s), row, name);
}

function table_line(kind, about, pick, row, name) {
  const line = el('tr', {class: kind, onclick: pick}, table_cells(row, name));
  Object.assign(line.dataset, about);
  line.setAttribute('aria-selected', is_selected(line.dataset));
  return line;
}

function fold_button(row) {
  if (row.steps.length < 2) return el('span', {class: 'fold'});
  const open = order.open.has(row.layer);
  const turn = (event) => {
    event.stopPropagation();  // A click on the line selects.
    if (!order.open.delete(row.layer)) order.open.add(row.layer);
    fill_layers();
  };
  const label = {'aria-expanded': String(open), 'aria-label': `Steps of ${format.short(row.name)}`};
  return button({class: 'fold', onclick: turn, ...label}, open ? '▾' : '▸');
}

// As the names of its table are told apart.
function name_button(name, short_names) {
  const text = short_names.get(name) ?? format.short(name, kNameWidth);
  return button({class: 'pick', title: format.whole(name)}, el('bdi', {dir: 'ltr'}, text));
}

function dot(step) {
  return el('span', {class: 'dot', style: {background: `var(${step_colour(step)})`}});
}

function table_cells(row, name) {
  return layer_columns().map((column, c) => {
    if (c === 0) return el('th', {scope: 'row'}, el('div', {class: 'name'}, name));
    return el(
        'td', {class: column.text ? `col_${column.key}` : 'num'},
        column.cell ? column.cell(row) : row[column.key]);
  });
}

// Layers that took no time, by the reason.
function idle_layers(run) {
  const idle = run.rows.filter((row) => row.steps.length === 0);
  if (idle.length === 0) return null;
  const reasons = new Map();
  for (const row of idle) {
    const why = row.ended || 'no step stands for it';
    reasons.set(why, [...(reasons.get(why) ?? []), ...row.sources.map((s) => s.name)]);
  }
  return el(
      'details', {class: 'idle'},
      el('summary', {},
         idle.length === 1 ? '1 layer took no time: why' :
                             `${idle.length} layers took no time: why`),
      el('dl', {},
         [...reasons].map(
             ([why, names]) => el(
                 'div', {}, el('dt', {}, why), el('dd', {}, names.map(format.whole).join(', '))))));
}
