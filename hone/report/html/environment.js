'use strict';
// Where the numbers come from: the command, the model, the machine, and what it would not tell.

function render_environment() {
  const run = current();
  const p = run.profile;
  const facts = [
    ['tool', run.tool],
    ['measured by', p.tool === 'hone' ? '' : p.tool],
    ...run.model.map(
        ([
          key, value
        ]) => [`model ${format.name(key)}`, key === 'bytes' ? format.bytes(Number(value)) : value]),
    ['target', p.target],
    ['device', p.device],
    ['precision', p.tracks.length ? '' : p.precision],
    ['threads',
     p.threads > 0       ? String(p.threads) :
         p.tracks.length ? '' :
                           'not told'],
    ['seed', String(p.seed)],
    ['started', p.started.replace('T', ' ').replace('Z', ' UTC')],
    ['copies', p.copies],
  ];
  replace(
      'environment_body', run.command ? copyable(run.command) : '', fact_list(facts, 'wide'),
      el('div', {class: 'columns'}, metric_block('Watching', p.overhead),
         metric_block('System during the measurement', p.system),
         metric_block('Counters', [...p.counters, ...engine_metrics(p.engines, p.mode)]),
         metric_block('Roofs of the machine', p.roofs)),
      el('ul', {class: 'notes'}, p.notes.map((note) => el('li', {}, note))));
}

function metric_block(title, metrics) {
  return metrics.length ? el('div', {}, el('h3', {}, title), metric_table(metrics)) : '';
}

// Metrics with a value line by line; those without, together, by the reason.
function metric_table(metrics) {
  const known = metrics.filter((m) => m.value !== null);
  const reasons = new Map();
  for (const m of metrics) {
    if (m.value === null)
      reasons.set(m.note, [...(reasons.get(m.note) ?? []), format.name(m.name)]);
  }
  return el(
      'table', {class: 'metrics'},
      el('tbody', {},
         known.map(
             (m) =>
                 el('tr', {},
                    el('th', {scope: 'row'}, format.name(m.name),
                       m.note ? el('div', {class: 'dim'}, m.note) : null),
                    el('td', {class: 'num'}, format.value(m.value, m.unit),
                       format.interval(m) ? el('div', {class: 'dim'}, format.interval(m)) : null),
                    el('td', {}, mode_tag(m.mode, provenance(m))))),
         [...reasons].map(
             ([reason, names]) =>
                 el('tr', {class: 'missing'},
                    el('th', {scope: 'row', colspan: 2}, names.join(', '),
                       el('div', {class: 'dim'}, reason)),
                    el('td', {}, el('span', {class: 'tag'}, 'unavailable'))))));
}
