'use strict';
// The data of the page, what is selected in it, and who wants to know.

const report = JSON.parse(by_id('data').textContent);

// The run, layer and step that are shown as selected; -1 for none.
const view = {
  run: report.runs.length - 1,
  layer: -1,
  step: -1,
  listeners: []
};

function current() { return report.runs[view.run]; }

function on_select(listener) { view.listeners.push(listener); }

function select(layer, step = -1) {
  if (layer === view.layer && step === view.step) return;
  view.layer = layer;
  view.step = step;
  for (const listener of view.listeners) listener();
}

function select_step(step) { select(current().layer_of_step[step], step); }

// The colour of a kind of work; the eight longest have one each.
function work_colour(work) { return work < 8 ? `--c${work + 1}` : '--c0'; }
function step_colour(step) { return work_colour(current().work_of_step[step]); }

function metric(list, name) { return list.find((m) => m.name === name && m.value !== null); }

// Times below it are shown as 0.0, of which no rate can be told.
const kShownUs = 0.05;

// One line of the layer table: steps that belong together, or a single one.
function make_row(run, name, steps, extra = {}) {
  const all = steps.map((s) => run.profile.steps[s]);
  const sum = (get) => all.reduce((total, step) => total + get(step), 0);
  const main = steps.reduce(
      (a, b) => (a < 0 || run.profile.steps[b].us > run.profile.steps[a].us ? b : a), -1);
  const longest = run.profile.steps[main];
  const us = sum((s) => s.us);
  const flops = sum((s) => s.flops);
  const bytes = sum((s) => s.weight_bytes + s.read_bytes + s.written_bytes);
  const known = all.length > 0 && all.every((s) => s.roof_us !== null) && us > 0;
  return {
    name,
    steps,
    main,
    us,
    flops,
    bytes,
    share: sum((s) => s.share),
    op: longest?.op ?? '',
    kernel: longest?.kernel ?? '',
    bound: longest?.bound ?? '',
    precision: longest?.precision ?? '',
    output: all.at(-1)?.output ?? '',
    reference: all.some((s) => s.reference),
    gflops: us >= kShownUs && flops > 0 ? flops / us * 1e-3 : null,
    gbytes: us >= kShownUs && bytes > 0 ? bytes / us * 1e-3 : null,
    intensity: bytes > 0 && flops > 0 ? flops / bytes : null,
    roof: known ? sum((s) => s.roof_us) / us : null,
    live: largest(all.map((s) => s.live_during), 0),
    ...engine_figures(engine_use(all.map((s) => s.engines))),
    ...extra,
  };
}

// Of the layers that a validation in this report compared with its reference, in dB: the least.
const error_of = new Map(report.errors.map(({layer, db}) => [layer, db]));
function worst_error(names) {
  const known = names.map((name) => error_of.get(name)).filter((db) => db !== undefined);
  return known.length ? Math.min(...known) : null;
}

// Adds to a run what the sections share: rows in running order, and maps from steps.
function prepare(run) {
  const {steps, layers, sources} = run.profile;
  const groups = layers.length ?
      layers :
      steps.map(
          (step, s) =>
              ({name: step.name, sources: step.sources, steps: [s], ended: '', reads: []}));
  const rows = groups.map((g) => make_row(run, g.name, g.steps, {
                            ended: g.ended,
                            reads: g.reads,
                            sources: g.sources.map((s) => sources[s]),
                            error: worst_error(g.sources.map((s) => sources[s].name))
                          }));
  run.rows = [...rows].sort((a, b) => (a.steps[0] ?? Infinity) - (b.steps[0] ?? Infinity));
  run.layer_of_step = steps.map(() => -1);
  run.rows.forEach((row, layer) => {
    row.layer = layer;
  });
  run.rows.forEach((row, layer) => {
    row.reads = row.reads.map((group) => rows[group].layer);
    row.steps.forEach((s) => {
      run.layer_of_step[s] = layer;
    });
  });
  run.work_of_step = steps.map(() => 99);
  run.work.forEach((work, w) => work.steps.forEach((s) => {
    run.work_of_step[s] = w;
  }));
  run.step_span = step_spans(run.profile);
  const names = [...run.rows.map(({name}) => name), ...steps.map(({name}) => name)];
  run.short_names = format.short_names(names, 44);
}

// When each step ran, over all threads. Without a timeline, steps follow each other; so do those of
// engines, which fetch ahead for later ones.
function step_spans(profile) {
  const spans = profile.steps.map(() => null);
  const of_gpu = profile.gpu !== null;
  const in_turn = profile.timeline.length === 0 || (profile.tracks.length > 0 && !of_gpu);
  for (const event of in_turn ? [] : profile.timeline) {
    if (of_gpu && event.what) continue;
    const end = event.start_us + event.us;
    const span = spans[event.step];
    spans[event.step] =
        span ? [Math.min(span[0], event.start_us), Math.max(span[1], end)] : [event.start_us, end];
  }
  if (in_turn) {
    let at = 0;
    profile.steps.forEach((step, s) => {
      spans[s] = [at, at + step.us];
      at += step.us;
    });
  }
  return spans;
}

report.runs.forEach(prepare);
