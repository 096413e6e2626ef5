'use strict';
// What diagnose found, as cards. A click on one shows where it happens.

function render_findings() {
  const silent = ({findings, nothing_found}) => findings.length + nothing_found.length === 0;
  by_id('findings').hidden = report.runs.every(silent);
  replace('findings_body', ...report.runs.flatMap(run_cards));
}

// In the order and the parts of the text, with its numbers.
function run_cards(run, r) {
  if (run.nothing_found.length) return run.nothing_found.map((line) => el('p', {}, line));
  const parts = [...new Set(run.findings.map((finding) => finding.part))];
  return parts.flatMap((part) => {
    const cards = run.findings.flatMap(
        (finding, i) => (finding.part === part ? [finding_card(finding, r, i + 1)] : []));
    const title = part || 'What would save time';
    return [el('h3', {class: 'part'}, title, el('span', {class: 'count'}, cards.length)), ...cards];
  });
}

function finding_card(finding, r, rank) {
  const run = report.runs[r];
  const median = metric(run.profile.latency, 'median')?.value ?? 0;
  const facts = [
    ['gain', gain_bar(finding.gain, median)],
    ['fix', finding.fix],
    ['try', finding.command ? copyable(finding.command) : finding.advice],
    ['where', places(finding, r)],
  ];
  return el(
      'article', {class: 'finding', 'data-run': r}, el('div', {class: 'rank'}, String(rank)),
      el('div', {class: 'body'},
         el('div', {class: 'title'}, el('h4', {}, finding.title),
            el('span', {class: 'bound'}, finding.bound),
            finding.confidence ? el('span', {class: 'chip'}, `confidence ${finding.confidence}`) :
                                 null,
            report.runs.length > 1 ? el('span', {class: 'chip'}, run.label) : null),
         fact_list(facts), why(finding)));
}

// The gain on the scale of the whole run: sure up to the low end, hatched up to the high one.
function gain_bar(gain, median) {
  if (!gain || gain.value === null) return gain?.note || 'not known';
  const part = (value) => Math.max(0, Math.min(100, 100 * value / median));
  const interval = gain.low !== null && gain.high !== null;
  const [low, high] = interval ? [gain.low, gain.high] : [gain.value, gain.value];
  return el(
      'div', {class: 'gain'},
      el('div', {}, el('b', {}, format.ms(gain.value)),
         median ? `, ${format.percent(gain.value / median)} of the run` : '',
         interval ? `; ${format.interval(gain)} ` : ' ', mode_tag(gain.mode, gain.note)),
      median ?
          el('div', {class: 'track'}, el('div', {style: {width: `${part(low)}%`}}), el('span', {
               class: 'maybe',
               style: {left: `${part(low)}%`, width: `${part(high) - part(low)}%`}
             }),
             el('span', {class: 'at', style: {left: `${part(gain.value)}%`}})) :
          null);
}

// The layers it happens in, as buttons.
function places(finding, r) {
  const run = report.runs[r];
  const layers =
      [...new Set(finding.steps.map((s) => run.layer_of_step[s]))].filter((layer) => layer >= 0);
  if (layers.length === 0) return null;
  const link = (layer) => button(
      {
        class: 'link',
        onclick: () => {
          show_run(r);
          select(layer, finding.steps.find((s) => run.layer_of_step[s] === layer));
        }
      },
      format.short(run.rows[layer].name));
  const box =
      el('div', {class: 'places'}, layers.length === 1 ? '' : `${layers.length} layers: `,
         layers.slice(0, 6).flatMap((layer, i) => [i ? ', ' : '', link(layer)]));
  if (layers.length > 6) {
    box.append(
        ', ',
        button(
            {
              class: 'link',
              onclick: (event) => (event.target.replaceWith(
                  ...layers.slice(6).flatMap((layer, i) => [i ? ', ' : '', link(layer)])))
            },
            `${layers.length - 6} more`));
  }
  return box;
}

function why(finding) {
  if (finding.evidence.length === 0 && !finding.formula) return null;
  return el(
      'details', {}, el('summary', {}, 'Evidence'),
      finding.formula ? el('p', {class: 'formula'}, finding.formula) : null,
      finding.evidence.length ? metric_table(finding.evidence) : null,
      el('p', {class: 'dim'}, `rule ${finding.rule}`));
}
