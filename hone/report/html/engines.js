'use strict';
// An accelerator's run: what its engines did, what they waited for, and what was left to the host.

function has_engines(profile) { return profile.engines !== null; }

// Numbers of a run or of several steps together; null for steps without engines.
function sum_engines(list) {
  const sum = {cycles: 0, busy: {}, macs: 0, possible_macs: 0, stalls: {}, off_chip: 0};
  const add = (to, from) => {
    for (const [key, value] of Object.entries(from)) to[key] = (to[key] ?? 0) + value;
  };
  for (const engines of list.filter((one) => one !== null)) {
    for (const key of ['cycles', 'macs', 'possible_macs']) sum[key] += engines[key];
    add(sum.busy, engines.busy);
    add(sum.stalls, engines.stalls);
    for (const memory of engines.memories) sum.off_chip += memory.read_bytes + memory.written_bytes;
  }
  return sum;
}

// The same as parts of their time; stalls with the longest first.
function engine_use(list) {
  const {cycles, busy, macs, possible_macs, stalls, off_chip} = sum_engines(list);
  const part = (some, whole) => (whole > 0 ? (some ?? 0) / whole : 0);
  return {
    cycles,
    matrix: part(busy.matrix, cycles),
    vector: part(busy.vector, cycles),
    dma: part(busy.dma, cycles),
    host: part(busy.host, cycles),
    macs: part(macs, possible_macs),
    off_chip,
    stalls: Object.entries(stalls)
                .filter(([, waited]) => waited > 0)
                .map(([cause, waited]) => ({cause: format.name(cause), part: waited / cycles}))
                .sort((a, b) => b.part - a.part),
  };
}

// What neither bars of engines nor of waits show, as metrics.
function engine_metrics(engines, mode) {
  if (engines === null) return [];
  const one = (name, value, unit) =>
      ({name, value, unit, mode, n: 1, low: null, high: null, note: ''});
  const traffic = engines.memories.flatMap(({name, read_bytes, written_bytes}) => {
    return [one(`${name} read`, read_bytes, 'B'), one(`${name} written`, written_bytes, 'B')];
  });
  return [
    one('cycles', engines.cycles, ''), one('commands', engines.commands, ''),
    one('sram_bytes', engines.sram_bytes, 'B'), ...traffic, one('energy', engines.energy_uj, 'uJ')
  ];
}

// What the table of layers shows of it.
function engine_figures(use) {
  return {
    use,
    mac_part: use.macs > 0 ? use.macs : null,
    waits: use.stalls.length ? use.stalls[0].cause : '',
    wait_part: use.stalls[0]?.part ?? 0,
    off_chip: use.off_chip,
  };
}

const kEngineNames = {
  matrix: 'matrix engine',
  macs: 'MACs it could do',
  vector: 'vector engine',
  dma: 'DMA',
  host: 'host'
};

// Bars on the scale of the whole time.
function part_bars(parts) {
  return el(
      'dl', {class: 'bars'},
      parts.map(
          ([name, part]) =>
              el('div', {}, el('dt', {}, name), el('dd', {}, format.percent(part)),
                 el('dd', {class: 'line'},
                    el('div', {class: 'track'},
                       el('div', {style: {width: `${100 * Math.min(1, part)}%`}}))))));
}

function engine_bars(use) {
  return part_bars(Object.entries(kEngineNames).map(([key, name]) => [name, use[key]]));
}

function wait_bars(use) {
  if (use.stalls.length === 0) return el('p', {class: 'sub'}, 'nothing');
  return part_bars(use.stalls.map(({cause, part}) => [cause, part]));
}

function render_engines() {
  const p = current().profile;
  by_id('engines').hidden = !has_engines(p);
  if (!has_engines(p)) return;
  const use = engine_use([p.engines]);
  const memory = p.memory.filter((m) => m.value > 0);
  const bytes = memory.map(
      (m) =>
          ({name: format.name(m.name), value: m.value, text: format.bytes(m.value), why: m.note}));
  replace(
      'engines_body', card('Busy', engine_bars(use), mode_tag(p.mode)),
      card('Waiting', wait_bars(use), mode_tag(p.mode)),
      bytes.length ? card('Memories', bar_list(bytes), mode_tag(memory[0].mode)) : '');
}

// Every operator that the accelerator did not take: why, what would bring it back, its price.
function render_host() {
  const run = current();
  const {host, steps} = run.profile;
  by_id('host').hidden = host.length === 0;
  const us_of = (one) => steps.find((step) => step.on_host && step.name === one.name)?.us ?? 0;
  const line = (one) => el(
      'tr', {}, el('th', {scope: 'row', title: one.name}, format.short(one.name, 40)),
      el('td', {}, one.op), el('td', {class: 'num'}, us_of(one) > 0 ? format.us(us_of(one)) : ''),
      el('td', {class: 'num'}, one.boundary_bytes > 0 ? format.bytes(one.boundary_bytes) : ''),
      el('td', {class: 'num'}, one.boundary_us > 0 ? format.us(one.boundary_us) : ''),
      el('td', {class: 'words'}, one.reason), el('td', {class: 'words'}, one.change));
  const titles =
      ['layer', 'operator', 'time', 'over the border', 'border', 'why', 'nearest change'];
  replace(
      'host_body',
      el('div', {class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'On the host'},
         el('table', {class: 'data still'},
            el('thead', {},
               el('tr', {},
                  titles.map(
                      (title, i) =>
                          el('th', {scope: 'col', class: i > 1 && i < 5 ? 'num' : null}, title)))),
            el('tbody', {}, host.map(line)))),
      el('p', {class: 'caption'}, 'Time of the step: ', mode_tag(run.profile.mode),
         ' bytes: ', mode_tag('exact'), ' of the border: ', mode_tag('predicted')));
}
