'use strict';
// The first screen: what was measured, the verdict, and the figures behind it.

function render_hero() {
  const run = current();
  const p = run.profile;
  const chips = [
    count_of_results() > 1 ? run.label : '', p.target, p.device === p.target ? '' : p.device,
    p.tracks.length ? '' : p.precision, p.tool === 'hone' ? '' : `measured by ${p.tool}`,
    p.started.slice(0, 10)
  ].filter(Boolean);
  replace(
      'hero', el('div', {class: 'chips'}, chips.map((chip) => el('span', {class: 'chip'}, chip))),
      el('h1', {}, format.whole(p.model) || 'A model without a name'),
      el('p', {class: 'verdict', id: 'verdict'}, in_words(run.headline)), stability(p),
      next_steps(run.next), ...p.notes.map((note) => el('p', {class: 'caption'}, note)));
}

// With signs that a command line may lack; an arrow of two letters could be broken between them.
function in_words(headline) {
  return headline.replaceAll(/(\d) us\b/g, '$1 µs').replaceAll(' -> ', ' → ');
}

// Commands that follow from the result.
function next_steps(steps) {
  return el(
      'ul', {class: 'next'},
      steps.map(({what, command}) => el('li', {}, what, command ? copyable(command) : null)));
}

function stability(p) {
  if (p.unstable.length === 0) {
    const n = p.samples_ms.length;
    return n < 2 ?
        '' :
        el('p', {class: 'state good'}, el('b', {}, 'Steady'), ` over ${format.grouped(n)} runs`);
  }
  return el(
      'div', {class: 'state warn'}, el('b', {}, 'Unstable: read these times with care'),
      el('ul', {}, p.unstable.map((reason) => el('li', {}, reason))));
}

function card(title, ...body) {
  return el('article', {class: 'card'}, el('h3', {}, title), ...body);
}

function big(text, tag, sub = '') {
  return el(
      'div', {class: 'big'}, el('span', {class: 'number'}, text), tag,
      sub ? el('div', {class: 'sub'}, sub) : null);
}

// A list of small figures under a large one.
function figures(pairs, form = '') {
  return el(
      'dl', {class: `figures ${form}`},
      pairs.map(
          ([name, value, why]) =>
              (el('div', {title: why ?? null}, el('dt', {}, name), el('dd', {}, value)))));
}

function latency_card(p) {
  const median = metric(p.latency, 'median');
  if (!median) return null;
  const interval = format.interval(median);
  const turned =
      turned_median(view.run) ? 'measured by itself; the verdict is of alternating turns' : '';
  const rest = ['min', 'p90', 'p99', 'max']
                   .map((name) => metric(p.latency, name))
                   .filter(Boolean)
                   .map((m) => [m.name, format.ms(m.value), provenance(m)]);
  const cov = metric(p.latency, 'cov');
  if (cov) rest.push(['CoV', format.percent(cov.value), 'standard deviation over mean']);
  rest.push(['n', format.grouped(median.n), 'runs']);
  return card(
      'Median latency',
      big(format.ms(median.value), mode_tag(median.mode, provenance(median)),
          [interval, median.note, turned].filter(Boolean).join('; ')),
      figures(rest));
}

function bar_list(items) {
  const most = Math.max(...items.map((item) => item.value), 1e-12);
  return el(
      'dl', {class: 'bars'},
      items.map(
          (item) => (
              el('div', {title: item.why ?? null}, el('dt', {}, item.name), el('dd', {}, item.text),
                 el('dd', {class: 'line'},
                    el('div', {class: 'track'},
                       el('div', {style: {width: `${100 * item.value / most}%`}})))))));
}

function phases_card(p) {
  const items = p.phases.filter((m) => m.value !== null).map((m) => ({
                                                               name: format.name(m.name),
                                                               value: m.value,
                                                               text: format.ms(m.value),
                                                               why: provenance(m)
                                                             }));
  const median = metric(p.latency, 'median');
  if (median?.mode === p.phases[0]?.mode) {  // A modelled run is not of this machine.
    items.push({
      name: 'steady run',
      value: median.value,
      text: format.ms(median.value),
      why: provenance(median)
    });
  }
  if (items.length < 2) return null;
  return card(
      p.mode === 'measured' ? 'From cold to steady' : 'What it took here', bar_list(items),
      mode_tag(p.phases[0]?.mode ?? p.mode));
}

function memory_bytes(p, name) { return metric(p.memory, name)?.value ?? 0; }
function memory_bar(p, name, from) {
  return {
    name,
    value: memory_bytes(p, from),
    text: format.bytes(memory_bytes(p, from)),
    why: provenance(metric(p.memory, from))
  };
}

// Of firmware RAM and flash are two memories, of which no sum is any.
function firmware_memory_card(p) {
  const bytes = (name) => memory_bytes(p, name);
  return card(
      'Memory',
      big(`${format.bytes(bytes('activations') + bytes('stack'))} of RAM`,
          mode_tag('emulated', 'the arena, inputs and outputs exact, the stack emulated')),
      el('div', {class: 'sub'}, `${format.bytes(bytes('code') + bytes('weights'))} of flash`),
      bar_list([
        memory_bar(p, 'RAM: arena, inputs, outputs', 'activations'),
        memory_bar(p, 'RAM: stack', 'stack'), memory_bar(p, 'flash: weights, tables', 'weights'),
        memory_bar(p, 'flash: code', 'code')
      ]));
}

// A DSP has all of it in one.
function dsp_memory_card(p) {
  const bytes = (name) => memory_bytes(p, name);
  return card(
      'Memory',
      big(format.bytes(bytes('activations') + bytes('weights') + bytes('code')),
          mode_tag('exact', 'as planned and linked, without the stack')),
      bar_list([
        memory_bar(p, 'arena, inputs, outputs', 'activations'),
        memory_bar(p, 'weights, tables', 'weights'), memory_bar(p, 'code', 'code')
      ]));
}

function memory_card(p) {
  if (metric(p.memory ?? [], 'stack')) return firmware_memory_card(p);
  if (metric(p.memory ?? [], 'code')) return dsp_memory_card(p);
  if (has_engines(p) || (p.arena_bytes === 0 && p.weight_bytes === 0)) return null;
  const peak = current().rows.reduce((a, b) => (b.live > a.live ? b : a), {live: 0});
  return card(
      'Memory',
      big(format.bytes(p.arena_bytes + p.weight_bytes), mode_tag('exact', 'planned, not sampled')),
      bar_list([
        {name: 'weights', value: p.weight_bytes, text: format.bytes(p.weight_bytes)}, {
          name: 'arena',
          value: p.arena_bytes,
          text: format.bytes(p.arena_bytes),
          why: 'one block that holds every value between layers'
        }
      ]),
      peak.live > 0 ? el('div', {class: 'sub'}, `most in use ${format.bytes(peak.live)}, in `,
                         layer_link(peak)) :
                      null);
}

// A button that selects a layer.
function layer_link(row) {
  return button(
      {class: 'link', title: format.whole(row.name), onclick: () => select(row.layer)},
      format.short(row.name));
}

function energy_card(p) {
  const energy = p.energy[0];
  if (!energy) return null;
  if (energy.value === null)
    return card('Energy', el('p', {class: 'sub'}, `unavailable: ${energy.note}`));
  return card(
      'Energy of a run',
      big(format.value(energy.value, energy.unit), mode_tag(energy.mode, provenance(energy)),
          format.interval(energy)),
      energy.note ? el('p', {class: 'sub'}, energy.note) : null);
}

function watching_card(p) {
  const watching = metric(p.overhead, 'watching');
  if (!watching) return null;
  const rest = p.overhead.filter((m) => m !== watching && m.value !== null)
                   .map((m) => [format.name(m.name), format.value(m.value, m.unit), provenance(m)]);
  const interval = format.interval(watching);
  return card(
      'Cost of watching',
      big(format.value(watching.value, watching.unit),
          mode_tag(watching.mode, provenance(watching)), interval ? `${interval} of a run` : ''),
      figures(rest, 'single'));
}

function render_cards() {
  const p = current().profile;
  const cards = [latency_card(p), phases_card(p), memory_card(p), energy_card(p), watching_card(p)];
  replace('cards', ...cards.filter(Boolean));
}
