'use strict';
// Where the time goes: by operator, and by what the machine would let it wait for.

// Parts of a whole as one bar and its legend. A part is {name, detail, us, share, colour}.
function stacked(parts, label) {
  const bar =
      el('div', {class: 'stack', role: 'img', 'aria-label': label},
         parts.map(
             (part) => el('span', {
               style: {'flex-grow': Math.max(part.share, 0.001), background: `var(${part.colour})`},
               ...hover(() => [part.name, `${format.us(part.us)}, ${format.percent(part.share)}`])
             })));
  const rows = parts.map(
      (part) =>
          el('li', {}, el('span', {class: 'dot', style: {background: `var(${part.colour})`}}),
             el('span', {class: 'what'}, part.name), el('span', {class: 'dim'}, part.detail),
             el('span', {class: 'num'}, format.us(part.us)),
             el('span', {class: 'num strong'}, format.percent(part.share))));
  const rest = rows.length > 9 ? rows.splice(8) : [];
  return el(
      'div', {}, bar, el('ul', {class: 'legend'}, rows),
      rest.length ? el('details', {}, el('summary', {}, `${rest.length} more`),
                       el('ul', {class: 'legend'}, rest)) :
                    null);
}

function steps_text(n) { return n === 1 ? '1 step' : `${n} steps`; }

function render_work() {
  const run = current();
  by_id('work').hidden = run.work.length === 0;
  const parts = run.work.map(
      (work, w) => ({...work, detail: steps_text(work.steps.length), colour: work_colour(w)}));
  replace('work_body', stacked(parts, 'Time by operator'), idle_of(run.profile), limits(run) ?? '');
}

// Bars are of what ran; a GPU also waits.
function idle_of({gpu}) {
  if (!gpu?.run_us || gpu.busy_us >= gpu.run_us) return '';
  const idle = 1 - gpu.busy_us / gpu.run_us;
  return el(
      'p', {class: 'caption'}, `Of what the GPU did. ${format.percent(idle)} of the run it did `,
      'nothing: ', el('a', {href: '#gpu'}, 'GPU and host'), ' says why.');
}

const kOverRoof =
    'Faster than the measured roof: it was measured while other work ran, and should be measured ' +
    'again, or the kernel needs fewer operations than are counted, as Winograd’s form does.';

// What the machine lets the steps wait for, and how near to its roofs they come together.
function limits(run) {
  const steps = run.profile.steps.filter((step) => step.roof_us !== null && step.bound);
  if (steps.length === 0) return null;
  const by_bound = new Map();
  for (const step of steps) {
    const part = by_bound.get(step.bound) ?? {name: step.bound, us: 0, share: 0, roof: 0};
    part.us += step.us;
    part.share += step.share;
    part.roof += step.roof_us;
    by_bound.set(step.bound, part);
  }
  const parts = [...by_bound.values()]
                    .sort((a, b) => b.us - a.us)
                    .map((part, i) => ({
                           ...part,
                           colour: `--b${Math.min(i + 1, 5)}`,
                           detail: `${Math.round(100 * part.roof / part.us)} % of roof`
                         }));
  const us = parts.reduce((sum, part) => sum + part.us, 0),
        roof = parts.reduce((sum, part) => sum + part.roof, 0);
  return el(
      'div', {class: 'limits'}, el('h3', {}, 'By what would limit it on this machine'),
      stacked(parts, 'Time by bound'),
      el('p', {class: 'sub'},
         roof < us ?
             `At its roofs the run would take ${format.us(roof)} instead of ${format.us(us)}. ` :
             `${kOverRoof} `,
         mode_tag('predicted', 'from measured roofs')));
}
