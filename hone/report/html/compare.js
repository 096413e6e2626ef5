'use strict';
// Runs beside each other: every later one against its base, which is the first unless both are of one
// optimization.

function render_compare() {
  by_id('compare').hidden = report.runs.length < 2;
  if (report.runs.length < 2) return;
  const shown = compared_run();
  const comparison = report.comparisons[shown - 1];
  if (report.runs.length > 2 || comparison.unrelated) {
    by_id('compare_title').textContent = by_id('compare').dataset.nav = 'Runs compared';
  }
  replace(
      'compare_body', comparison.unrelated ? '' : ratio_line(comparison, shown),
      comparison.models ? el('p', {class: 'caption'}, format.sentence(comparison.models)) : '',
      run_bars(), comparison.unrelated ? '' : change_table(comparison, shown), ledger(shown) ?? '');
}

// The run that is shown; for one that others are compared with, the first of those.
function compared_run() {
  const follower = report.comparisons.findIndex(({base}) => base === view.run) + 1;
  return follower || Math.max(1, view.run);
}

function base_of(shown) { return report.runs[report.comparisons[shown - 1].base]; }

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
         `${base_of(shown).label} ${format.ms(comparison.ms_a)} → ${report.runs[shown].label} ${
             format.ms(comparison.ms_b)}; ${comparison.why} `,
         mode_tag(report.runs[shown].profile.mode)));
}

// What an optimization timed in turns, before and after, instead of two profiles made one after the other; null
// of other runs.
function turned_median(r) {
  const metric_of = (ms, {turns}) => ({
    mode: report.runs[r].profile.mode,
    value: ms,
    n: turns,
    low: null,
    high: null,
    note: 'median of alternating turns'
  });
  const own = report.comparisons[r - 1];
  if (own?.turns > 0) return metric_of(own.ms_b, own);
  const later = report.comparisons.find(({base, turns}) => base === r && turns > 0);
  return later ? metric_of(later.ms_a, later) : null;
}

// The median of every run on one scale, with its interval.
function run_bars() {
  const turned = report.runs.map((run, r) => turned_median(r));
  const bars =
      median_bars(report.runs.map((run, r) => turned[r] ?? metric(run.profile.latency, 'median')));
  return turned.some(Boolean) ? el('div', {}, bars, el('p', {class: 'caption'}, kOfTurns)) : bars;
}

const kOfTurns =
    'Bars before and after an optimization are of its alternating turns, which alone tell how the two ' +
    'compare. Layers, and the latency of each run, are of two profiles, made one after the other: they may ' +
    'differ by more, or by less.';

function median_bars(medians) {
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
  const names = format.short_names(comparison.layers.map(({name}) => name), kNameWidth);
  const rows = comparison.layers.map((layer) => change_row(layer, shown, most, names));
  const head = el('tr', {}, [
    'layer', base_of(shown).label, report.runs[shown].label, 'change', '', 'verdict'
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

function change_row(layer, shown, most, names) {
  const delta = layer.us_b - layer.us_a;
  const tone = {faster: 'good', slower: 'bad', unclear: 'warn'}[layer.change] ?? '';
  const percent = layer.us_a > 0 && layer.us_b > 0 ?
      `, ${format.signed(format.percent(layer.us_b / layer.us_a - 1), delta)}` :
      '';
  const part = 50 * Math.abs(delta) / most;
  return el(
      'tr', {onclick: () => select_named(layer, shown)},
      el('th', {scope: 'row'}, el('div', {class: 'name'}, name_button(layer.name, names))),
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
  const base = report.comparisons[shown - 1].base;
  const r = layer.change === 'gone'          ? base :
      view.run > 0 || layer.change !== 'new' ? view.run :
                                               shown;
  const row = report.runs[r].rows.find((each) => each.name === layer.name);
  if (!row) return;
  show_run(r);
  select(row.layer);
}

function ledger(shown) {
  const entries = report.runs[shown].ledger;
  if (entries.length === 0) return null;
  const titles = ['what was tried', 'gain predicted', 'gain obtained', 'outputs moved', '', 'why'];
  const head = titles.map(
      (title, i) => el('th', {scope: 'col', class: i > 0 && i < 4 ? 'num' : null}, title));
  return el(
      'div', {}, el('h3', {}, 'What was done'),
      el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What was done'},
         el('table', {class: 'data still'}, el('thead', {}, el('tr', {}, head)),
            el('tbody', {}, entries.map(ledger_row)))));
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
            entry.kept                     ? 'kept' :
                entry.obtained_ms === null ? 'left out' :
                                             'undone')),
      el('td', {class: 'wrap'}, entry.why));
}
