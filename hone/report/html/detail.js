'use strict';
// The panel that tells everything about the selected layer.

function render_detail() {
  const panel = by_id('detail');
  const run = current();
  const row = run.rows[view.layer];
  panel.hidden = !row;
  document.body.classList.toggle('with_detail', Boolean(row));
  if (!row) return;
  const close =
      button({class: 'ghost small', 'aria-label': 'Close', onclick: () => select(-1)}, '✕');
  const near = (by) => button(
      {
        class: 'ghost small',
        'aria-label': by < 0 ? 'Layer before' : 'Layer after',
        disabled: !run.rows[row.layer + by]?.steps.length,
        onclick: () => select(row.layer + by)
      },
      by < 0 ? '←' : '→');
  panel.replaceChildren(
      el('div', {class: 'headline'},
         el('h2', {title: format.whole(row.name)}, format.short(row.name)),
         el('div', {class: 'tools'}, near(-1), near(1), close)),
      el('div', {class: 'scrolling', tabindex: 0, role: 'group', 'aria-label': 'Details'},
         row.steps.length ? detail_summary(run, row) :
                            el('p', {class: 'sub'}, `Took no time: ${row.ended}`),
         el('div', {}, row.steps.map((s) => step_detail(run, s, row.steps.length > 1)))));
}

function detail_summary(run, row) {
  const rank = 1 + run.rows.filter((other) => other.us > row.us).length;
  const runs = run.rows.filter((other) => other.steps.length).length;
  return el(
      'div', {},
      big(format.us(row.us), mode_tag(run.profile.mode, run.profile.step_times),
          `${format.percent(row.share)} of the run, number ${rank} of ${runs}`),
      row.roof === null ? '' : roof_gauge(row), row.sources.length ? source_list(row) : '');
}

// How far a layer is from what the machine could do.
function roof_gauge(row) {
  const over = row.roof > 1.005;
  const reached = `${Math.round(100 * row.roof)} % of its roof`;
  const best = `at best ${format.us(row.us * row.roof)}, bound by ${row.bound} `;
  return el(
      'div', {class: 'gauge'},
      el('div', {class: 'track'}, el('div', {style: {width: `${Math.min(100, 100 * row.roof)}%`}})),
      el('div', {class: 'sub', title: over ? kOverRoof : null},
         over ? `${reached}: faster than measured ` : `${reached}; ${best}`,
         mode_tag('predicted', 'from measured roofs')));
}

function step_detail(run, s, several) {
  const step = run.profile.steps[s];
  const bytes = step.weight_bytes + step.read_bytes + step.written_bytes;
  const facts = [
    ['operator', step.op],
    ['kernel', step.kernel],
    ['precision', step.precision],
    ['layout', step.layout],
    ['output', step.output],
    [
      'time',
      step.us_p10 === step.us_p90 ?
          format.us(step.us) :
          `${format.us(step.us)}; p10 ${format.us(step.us_p10)}, p90 ${format.us(step.us_p90)}`
    ],
    ['threads busy', step.busy === null ? '' : format.percent(step.busy)],
    [
      'operations',
      step.flops ?
          `${format.count(step.flops)} (${format.digits(step.flops / step.us * 1e-3)} GOP/s)` :
          'none counted'
    ],
    [
      'bytes',
      `${format.bytes(bytes)}: weights ${format.bytes(step.weight_bytes)}, read ${
          format.bytes(step.read_bytes)}, written ${format.bytes(step.written_bytes)}`
    ],
    ['flops per byte', step.flops && bytes ? format.digits(step.flops / bytes) : ''],
    [
      'arena in use',
      step.live_during ?
          `${format.bytes(step.live_during)} (before ${format.bytes(step.live_before)}, after ${
              format.bytes(step.live_after)})` :
          ''
    ],
    ['over time', block_bars(step)],
    ...all_counters(step).map(
        (m) =>
            [format.name(m.name),
             m.value === null ? `unavailable: ${m.note}` :
                                `${format.value(m.value, m.unit)} (${m.mode})`]),
  ];
  return el(
      'section', {class: `step_detail${s === view.step ? ' chosen' : ''}`},
      several ? el('h3', {}, dot(s), format.whole(step.name)) : '',
      step.reference ?
          el('p', {class: 'state warn'}, 'No kernel took it: it runs through the slow reference.') :
          '',
      step_engines(step), fact_list(facts, 'wide'));
}

// But for those that step_engines shows as bars.
function all_counters(step) {
  const engines = engine_metrics(step.engines, current().profile.mode);
  return [...step.counters, ...engines].filter((m) => m.value !== 0);
}

// What the engines did in the step's time, and what they waited for.
function step_engines(step) {
  if (step.engines === null) return '';
  const use = engine_use([step.engines]);
  return el(
      'div', {class: 'engine_bars'},
      el('div', {}, el('h3', {}, step.on_host ? 'On the host' : 'Engines'), engine_bars(use)),
      el('div', {}, el('h3', {}, 'Waiting for'), wait_bars(use)));
}

// Medians of consecutive parts of the measurement: equal bars are a steady step.
function block_bars(step) {
  if (step.us_blocks.length < 2) return '';
  const most = Math.max(...step.us_blocks, 1e-12);
  const bar = (us) =>
      el('span', {style: {height: `${Math.max(4, 100 * us / most)}%`}, title: format.us(us)});
  return el(
      'div', {class: 'blocks', title: 'median time in consecutive parts of the measurement'},
      step.us_blocks.map(bar));
}

function source_list(row) {
  return el(
      'div', {class: 'sources'},
      el('h3', {},
         row.sources.length === 1 ? 'Layer of the file' :
                                    `${row.sources.length} layers of the file`),
      el('ul', {},
         row.sources.map(
             (s) => el('li', {}, el('b', {}, format.short(s.op)), ' ', format.whole(s.name)))));
}
