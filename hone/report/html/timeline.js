'use strict';
// One run: threads or engines as rows, steps as boxes, and the memory in use on the same axis.
// Drawn on a canvas, since a run of many threads has tens of thousands of boxes.

const kTime = {
  left: 62,
  right: 10,
  top: 6,
  gap: 3,
  memory: 96,
  above: 18,
  axis: 24,
  threads: 64
};

function render_timeline() {
  const run = current();
  by_id('timeline').hidden = run.profile.steps.length === 0;
  if (run.profile.steps.length === 0) return;
  const plan = plan_timeline(run);
  zoom.whole = largest(plan.events.map((e) => e.start_us + e.us), 1e-9);
  [zoom.low, zoom.high] = [0, zoom.whole];
  by_id('timeline_caption').replaceChildren(...timeline_caption(run.profile, plan));
  const canvas = el('canvas', {tabindex: 0, role: 'img', 'aria-label': 'Timeline of one run'});
  replace('timeline_body', canvas);
  const box = by_id('timeline_body');
  zoom.draw = () => draw_timeline(canvas, box.clientWidth, plan);
  on_width(box, zoom.draw);
  on_select(zoom.draw);
  listen_to_timeline(canvas, plan);
}

function plan_timeline(run) {
  const {timeline, steps} = run.profile;
  const laid = (step, s) => ({step: s, thread: 0, start_us: run.step_span[s][0], us: step.us});
  const all = timeline.length ? timeline : steps.map(laid);
  const tracks = run.profile.tracks.map((_, track) => track);
  const ids = [...new Set([...tracks, ...all.map((e) => e.thread)])]
                  .sort((a, b) => a - b)
                  .slice(0, kTime.threads);
  const rows = new Map(ids.map((id, row) => [id, row]));
  const events =
      all.filter((e) => rows.has(e.thread)).map((e) => ({...e, row: rows.get(e.thread)}));
  const row = ids.length > 8 ? 16 : 30;
  const memory = steps.some((step) => step.live_during > 0) ? kTime.memory : 0;
  const top = kTime.top + ids.length * (row + kTime.gap) + (memory ? kTime.above : 0);
  return {run, events, threads: ids, row, memory, top, height: top + memory + kTime.axis};
}

function timeline_source(p) {
  if (p.timeline.length === 0)
    return 'Steps laid end to end from their times: no timeline was recorded. ';
  if (p.gpu !== null && p.tracks.length)
    return 'What the GPU did, and for whom it waited, in the run nearest to the median. ';
  return p.tracks.length ? 'Every command on its engine. ' :
                           'The watched run nearest to the median. ';
}

function timeline_caption(p, plan) {
  return [
    timeline_source(p),
    'Drag to zoom, Ctrl and wheel or the keys + − ← → as well; a click selects. ',
    plan.memory ? 'Below: bytes of the arena in use. ' : '',
    mode_tag(p.mode),
  ];
}

// A pen for the canvas that knows the page's colours by name.
function timeline_pen(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const style = getComputedStyle(document.documentElement);
  const colours = new Map();
  pen.colour = (name) => {
    if (!colours.has(name)) colours.set(name, style.getPropertyValue(name).trim());
    return colours.get(name);
  };
  pen.write = (text, x, y, align, tone) => {
    pen.fillStyle = pen.colour(tone);
    pen.textAlign = align;
    pen.fillText(text, x, y);
  };
  pen.tint = (tone, alpha, x, y, w, h) => {
    pen.fillStyle = pen.colour(tone);
    pen.globalAlpha = alpha;
    pen.fillRect(x, y, w, h);
    pen.globalAlpha = 1;
  };
  return pen;
}

// Draws only between the left and right ends of the axis.
function clipped(pen, width, height, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(kTime.left, 0, width - kTime.left - kTime.right, height);
  pen.clip();
  draw();
  pen.restore();
}

function draw_timeline(canvas, width, plan) {
  const pen = timeline_pen(canvas, width, plan.height);
  plan.threads.forEach((id, row) => {
    const y = thread_y(plan, row);
    pen.tint('--sunken', 1, kTime.left, y, width - kTime.left - kTime.right, plan.row);
    pen.write(track_label(pen, plan, id), kTime.left - 8, y + plan.row / 2, 'right', '--soft');
  });
  clipped(pen, width, plan.height, () => {
    for (const event of plan.events) draw_event(pen, width, plan, event);
    if (plan.memory) draw_memory(pen, width, plan);
  });
  draw_axes(pen, width, plan);
  if (zoom.drag) {
    const {from, to} = zoom.drag;
    pen.tint(
        '--accent', 0.18, Math.min(from, to), 0, Math.abs(to - from), plan.height - kTime.axis);
  }
}

function track_label(pen, plan, id) {
  const {tracks, gpu} = plan.run.profile;
  const name = tracks[id] ?? (gpu ? (id > 0 ? 'host' : 'GPU') : id > 0 ? `worker ${id}` : 'caller');
  return fitted(pen, name, kTime.left - 10);
}

function thread_y(plan, row) { return kTime.top + row * (plan.row + kTime.gap); }

function draw_event(pen, width, plan, event) {
  const from = time_x(event.start_us, width), to = time_x(event.start_us + event.us, width);
  if (to < kTime.left || from > width) return;
  const y = thread_y(plan, event.row);
  const mine = plan.run.layer_of_step[event.step] === view.layer;
  const wide = Math.max(0.6, to - from - (to - from > 3 ? 1 : 0));
  const idle = plan.run.profile.gpu !== null && event.what;
  pen.tint(idle ? '--b5' : step_colour(event.step), view.layer < 0 || mine ? 1 : 0.4, from, y, wide, plan.row);
  if (mine) {
    pen.strokeStyle = pen.colour('--ink');
    pen.lineWidth = 2;
    pen.strokeRect(from + 1, y + 1, Math.max(1, wide - 2), plan.row - 2);
  }
  const left = Math.max(from, kTime.left);
  const room = Math.min(to, width - kTime.right) - left - 10;
  if (room < 40 || plan.row < 20 || (view.layer >= 0 && !mine)) return;
  const what = idle ? event.what : format.short(plan.run.profile.steps[event.step].name);
  const name = fitted(pen, what, room);
  pen.write(name, left + 5, y + plan.row / 2 + 0.5, 'left', '--on-colour');
}

// The end of a name tells more than its beginning: "features.2.conv.0" -> "…conv.0".
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let cut = Math.max(1, text.length - Math.floor(room / 5));
  while (cut < text.length && pen.measureText(`…${text.slice(cut)}`).width > room) cut += 1;
  const rest = text.slice(cut);
  const word = rest.search(/[./_:-][^./_:-]/);  // Cut between words, where that leaves enough.
  const shown = word >= 0 && rest.length - word > 4 ? rest.slice(word + 1) : rest;
  return shown.length < 3 ? '' : `…${shown}`;
}

function most_memory(plan) {
  const {steps, arena_bytes} = plan.run.profile;
  return largest(steps.map((step) => step.live_during), Math.max(arena_bytes, 1));
}

// Bytes in use, constant during a step; the steps that set the peak or are selected stand out.
function draw_memory(pen, width, plan) {
  const {steps} = plan.run.profile;
  const bottom = plan.top + plan.memory;
  const most = most_memory(plan);
  const y = (s) => bottom - steps[s].live_during / most * plan.memory;
  pen.beginPath();
  let last = bottom;
  plan.run.step_span.forEach((span, s) => {
    if (!span) return;
    const x = time_x(span[0], width);
    pen.lineTo(x, last);
    last = y(s);
    pen.lineTo(x, last);
    pen.lineTo(time_x(span[1], width), last);
  });
  pen.lineTo(time_x(zoom.whole, width), bottom);
  pen.fillStyle = pen.strokeStyle = pen.colour('--accent');
  pen.globalAlpha = 0.16;
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineWidth = 1.25;
  pen.stroke();
  const peak =
      steps.reduce((best, step, s) => (step.live_during > steps[best].live_during ? s : best), 0);
  const chosen = view.step >= 0 ? view.step : plan.run.rows[view.layer]?.main ?? -1;
  for (const [s, tone] of [[peak, '--warn-line'], [chosen, '--ink']]) {
    const span = plan.run.step_span[s];
    if (!span) continue;
    const [from, to] = span.map((us) => time_x(us, width));
    pen.tint(tone, 0.35, from, y(s), Math.max(2, to - from), bottom - y(s));
  }
  write_peak(pen, width, plan, peak);
}

function write_peak(pen, width, plan, peak) {
  const span = plan.run.step_span[peak];
  const step = plan.run.profile.steps[peak];
  if (!span) return;
  const text = `peak ${format.bytes(step.live_during)} in ${format.short(step.name)}`;
  const half = pen.measureText(text).width / 2 + 2;
  const middle = time_x((span[0] + span[1]) / 2, width);
  const x = Math.max(kTime.left + half, Math.min(middle, width - kTime.right - half));
  pen.write(text, x, plan.top - 8, 'center', '--ink');
}

function draw_axes(pen, width, plan) {
  const bottom = plan.height - kTime.axis;
  if (plan.memory) {
    pen.write(format.bytes(most_memory(plan)), kTime.left - 8, plan.top + 2, 'right', '--faint');
    pen.write('0', kTime.left - 8, bottom - 3, 'right', '--faint');
  }
  const marks = ticks(zoom.low, zoom.high, (width - kTime.left) / 90);
  const labels = format.axis_us(marks);
  marks.forEach((tick, i) => {
    const x = time_x(tick, width);
    pen.tint('--line', 1, Math.round(x), bottom, 1, 5);
    pen.write(labels[i], Math.min(x, width - 24), bottom + 14, 'center', '--faint');
  });
}
