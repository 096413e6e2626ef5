'use strict';
// Runs beside each other: every later one against the first.

function render_compare() {
  by_id('compare').hidden = report.runs.length < 2;
  if (report.runs.length < 2) return;
  if (report.runs.length > 2) by_id('compare_title').textContent = 'Runs compared';
  const shown = Math.max(1, view.run);
  const comparison = report.comparisons[shown - 1];
  replace(
      'compare_body', ratio_line(comparison, shown), run_bars(), change_table(comparison, shown),
      ledger() ?? '');
}

function ratio_line(comparison, shown) {
  const ratio = comparison.ms_a / comparison.ms_b;
  const known = Number.isFinite(ratio) && ratio > 0;
  const tone = {faster: 'good', slower: 'bad', unclear: 'warn'}[comparison.change] ?? '';
  const sentence = !known ? 'No latency to compare' :
      ratio >= 1          ? `${format.digits(ratio)} times as fast` :
                            `Takes ${format.digits(1 / ratio)} times as long`;
  return el(
      'div', {class: 'ratio'},
      el('div', {class: 'big'}, el('span', {class: 'number'}, sentence),
         el('span', {class: `verdict_chip ${tone}`}, comparison.change)),
      el('p', {class: 'sub'},
         `${report.runs[0].label} ${format.ms(comparison.ms_a)} → ${report.runs[shown].label} ${
             format.ms(comparison.ms_b)}; ${comparison.why} `,
         mode_tag(report.runs[shown].profile.mode)));
}

// The median of every run on one scale, with its interval.
function run_bars() {
  const medians = report.runs.map((run) => metric(run.profile.latency, 'median'));
  const most = Math.max(...medians.map((m) => m?.high ?? m?.value ?? 0), 1e-12);
  return el('dl', {class: 'bars wide'}, report.runs.map((run, r) => {
    const m = medians[r];
    if (!m) return el('div', {}, el('dt', {}, run.label), el('dd', {}, 'no latency'));
    const part = (value) => `${100 * value / most}%`;
    return el(
        'div', {title: provenance(m), class: r === view.run ? 'shown' : null},
        el('dt', {}, run.label), el('dd', {}, format.ms(m.value)),
        el('dd', {class: 'line'},
           el('div', {class: 'track'}, el('div', {style: {width: part(m.value)}}),
              m.low !== null && m.high !== null ? el('span', {
                style: {left: part(m.low), width: `calc(${part(m.high)} - ${part(m.low)})`}
              }) :
                                                  null)));
  }));
}

function change_table(comparison, shown) {
  const most = largest(comparison.layers.map((l) => Math.abs(l.us_b - l.us_a)), 1e-12);
  const rows = comparison.layers.map((layer) => change_row(layer, shown, most));
  const head = el('tr', {}, [
    'layer', report.runs[0].label, report.runs[shown].label, 'change', '', 'verdict'
  ].map((title, i) => (el('th', {scope: 'col', class: i > 0 && i < 4 ? 'num' : null}, title))));
  const body = el('tbody', {}, rows.slice(0, 12));
  const more = rows.length > 12 ? button(
                                      {
                                        class: 'ghost',
                                        onclick: () => {
                                          body.append(...rows.slice(12));
                                          more.remove();
                                        }
                                      },
                                      `all ${rows.length} layers`) :
                                  '';
  return el(
      'div', {}, el('h3', {}, 'Layer by layer, the largest change first'),
      el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Changes by layer'},
         el('table', {class: 'data'}, el('thead', {}, head), body)),
      more);
}

function change_row(layer, shown, most) {
  const delta = layer.us_b - layer.us_a;
  const tone = {faster: 'good', slower: 'bad', unclear: 'warn'}[layer.change] ?? '';
  const percent = layer.us_a > 0 && layer.us_b > 0 ?
      `, ${format.signed(format.percent(layer.us_b / layer.us_a - 1), delta)}` :
      '';
  const part = 50 * Math.abs(delta) / most;
  return el(
      'tr', {onclick: () => select_named(layer, shown)},
      el('th', {scope: 'row'}, el('div', {class: 'name'}, name_button(layer.name))),
      el('td', {class: 'num'}, layer.change === 'new' ? '–' : format.us(layer.us_a)),
      el('td', {class: 'num'}, layer.change === 'gone' ? '–' : format.us(layer.us_b)),
      el('td', {class: 'num'}, format.signed(format.us(delta), delta) + percent),
      el('td', {class: 'swing'}, el('div', {
           class: delta > 0 ? 'more' : 'less',
           style: {width: `${part}%`, 'margin-left': `${delta > 0 ? 50 : 50 - part}%`}
         })),
      el('td', {}, el('span', {class: `verdict_chip ${tone}`}, layer.change)));
}

// Selects a layer of a comparison in a run that has it.
function select_named(layer, shown) {
  const r = layer.change === 'gone' ? 0 : view.run > 0 || layer.change !== 'new' ? view.run : shown;
  const row = report.runs[r].rows.find((each) => each.name === layer.name);
  if (!row) return;
  show_run(r);
  select(row.layer);
}

function ledger() {
  if (report.ledger.length === 0) return null;
  const titles = ['what was tried', 'gain predicted', 'gain obtained', 'outputs moved', '', 'why'];
  const head = titles.map(
      (title, i) => el('th', {scope: 'col', class: i > 0 && i < 4 ? 'num' : null}, title));
  return el(
      'div', {}, el('h3', {}, 'What was done'),
      el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What was done'},
         el('table', {class: 'data still'}, el('thead', {}, el('tr', {}, head)),
            el('tbody', {}, report.ledger.map(ledger_row)))));
}

function ledger_row(entry) {
  const ms = (value) => (value === null ? '–' : format.ms(value));
  return el(
      'tr', {},
      el('th', {scope: 'row', class: 'wrap'}, entry.title, el('div', {class: 'dim'}, entry.action)),
      el('td', {class: 'num'}, ms(entry.predicted_ms || null)),
      el('td', {class: 'num'}, ms(entry.obtained_ms), ' ',
         entry.obtained_ms === null ? '' : mode_tag(entry.mode)),
      el('td', {class: 'num', title: 'part of the largest output'},
         entry.error === null ? '–' : format.percent(entry.error)),
      el('td', {},
         el('span', {class: `verdict_chip ${entry.kept ? 'good' : ''}`},
            entry.kept ? 'kept' : entry.obtained_ms === null ? 'left out' : 'undone')),
      el('td', {class: 'wrap'}, entry.why));
}
