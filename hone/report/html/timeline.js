'use strict';
// One run: threads as rows, steps as boxes, and the memory in use on the same axis. Drawn on a
// canvas, since a run of many threads has tens of thousands of boxes.

const kTime = {left: 62, right: 10, top: 6, gap: 3, memory: 96, axis: 24};

// What is visible, in microseconds, and how to draw it again.
const zoom = {low: 0, high: 1, whole: 1, draw: null, drag: null};

function render_timeline() {
  const run = current();
  const p = run.profile;
  by_id('timeline').hidden = p.steps.length === 0;
  if (p.steps.length === 0) return;
  const events = timeline_events(run);
  zoom.whole = Math.max(...events.map((e) => e.start_us + e.us), 1e-9);
  [zoom.low, zoom.high] = [0, zoom.whole];
  by_id('timeline_caption').replaceChildren(
    p.timeline.length ? 'The watched run nearest to the median. ' : 'Steps laid end to end from their mean times: no timeline was recorded. ',
    'Drag to zoom, Ctrl and wheel or the keys + − ← → as well; a click selects. Below: bytes of the arena in use. ',
    mode_tag(p.timeline.length ? p.mode : 'predicted'));
  const threads = Math.max(...events.map((e) => e.thread)) + 1;
  const row = threads > 8 ? 16 : 30;
  const memory = p.steps.some((s) => s.live_during > 0) ? kTime.memory : 0;
  const height = kTime.top + threads * (row + kTime.gap) + (memory ? memory + 18 : 0) + kTime.axis;
  const canvas = el('canvas', {tabindex: 0, role: 'img', 'aria-label': 'Timeline of one run'});
  replace('timeline_body', canvas);
  const box = by_id('timeline_body');
  zoom.draw = () => draw_timeline(canvas, box.clientWidth, {height, row, threads, memory, events, run});
  on_width(box, zoom.draw);
  on_select(zoom.draw);
  listen_to_timeline(canvas, {row, threads, events, run});
}

function timeline_events(run) {
  if (run.profile.timeline.length) return run.profile.timeline;
  return run.profile.steps.map((step, s) => ({step: s, thread: 0, start_us: run.step_span[s][0], us: step.us}));
}

function time_x(us, width) {
  return kTime.left + (us - zoom.low) / (zoom.high - zoom.low) * (width - kTime.left - kTime.right);
}

function time_at(x, width) {
  return zoom.low + (x - kTime.left) / (width - kTime.left - kTime.right) * (zoom.high - zoom.low);
}

function draw_timeline(canvas, width, plan) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = plan.height * scale;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${plan.height}px`;
  const style = getComputedStyle(document.documentElement);
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  pen.font = '11px system-ui, sans-serif';
  pen.textBaseline = 'middle';
  const colour = (name) => style.getPropertyValue(name).trim();
  draw_threads(pen, width, plan, colour);
  pen.save();
  pen.beginPath();
  pen.rect(kTime.left, 0, width - kTime.left - kTime.right, plan.height);
  pen.clip();
  for (const event of plan.events) draw_event(pen, width, plan, event, colour);
  pen.restore();
  if (plan.memory) draw_memory(pen, width, plan, colour);
  draw_time_axis(pen, width, plan, colour);
  if (zoom.drag && Math.abs(zoom.drag.to - zoom.drag.from) > 3) {
    pen.fillStyle = colour('--accent');
    pen.globalAlpha = 0.18;
    pen.fillRect(Math.min(zoom.drag.from, zoom.drag.to), 0, Math.abs(zoom.drag.to - zoom.drag.from), plan.height - kTime.axis);
    pen.globalAlpha = 1;
  }
}

function thread_y(plan, thread) { return kTime.top + thread * (plan.row + kTime.gap); }

function draw_threads(pen, width, plan, colour) {
  for (let t = 0; t < plan.threads; ++t) {
    const y = thread_y(plan, t);
    pen.fillStyle = colour('--sunken');
    pen.fillRect(kTime.left, y, width - kTime.left - kTime.right, plan.row);
    pen.fillStyle = colour('--soft');
    pen.textAlign = 'right';
    pen.fillText(t === 0 ? 'caller' : `worker ${t}`, kTime.left - 8, y + plan.row / 2);
  }
}

function draw_event(pen, width, plan, event, colour) {
  const from = time_x(event.start_us, width), to = time_x(event.start_us + event.us, width);
  if (to < kTime.left || from > width) return;
  const y = thread_y(plan, event.thread);
  const mine = plan.run.layer_of_step[event.step] === view.layer;
  const wide = Math.max(0.6, to - from - (to - from > 3 ? 1 : 0));
  pen.globalAlpha = view.layer < 0 || mine ? 1 : 0.4;
  pen.fillStyle = colour(step_colour(event.step));
  pen.fillRect(from, y, wide, plan.row);
  if (mine) {
    pen.strokeStyle = colour('--ink');
    pen.lineWidth = 2;
    pen.strokeRect(from + 1, y + 1, Math.max(1, wide - 2), plan.row - 2);
  }
  const left = Math.max(from, kTime.left);
  const room = Math.min(to, width - kTime.right) - left - 10;
  if (room > 40 && plan.row > 20) {
    pen.fillStyle = colour('--on-colour');
    pen.textAlign = 'left';
    pen.fillText(fitted(pen, plan.run.profile.steps[event.step].name, room), left + 5, y + plan.row / 2 + 0.5);
  }
  pen.globalAlpha = 1;
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

// Bytes in use as steps, with the peak and who sets it.
function draw_memory(pen, width, plan, colour) {
  const {steps, arena_bytes} = plan.run.profile;
  const top = thread_y(plan, plan.threads) + 18, bottom = top + plan.memory;
  const most = Math.max(arena_bytes, ...steps.map((s) => s.live_during), 1);
  const y = (bytes) => bottom - bytes / most * plan.memory;
  pen.save();
  pen.beginPath();
  pen.rect(kTime.left, top - 16, width - kTime.left - kTime.right, plan.memory + 17);
  pen.clip();
  pen.beginPath();
  let last = null;
  plan.run.step_span.forEach((span, s) => {
    if (!span) return;
    const x = time_x(span[0], width);
    pen.lineTo(x, last ?? bottom);
    last = y(steps[s].live_during);
    pen.lineTo(x, last);
    pen.lineTo(time_x(span[1], width), last);
  });
  pen.lineTo(time_x(zoom.whole, width), bottom);
  pen.fillStyle = colour('--accent');
  pen.globalAlpha = 0.16;
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = colour('--accent');
  pen.lineWidth = 1.25;
  pen.stroke();
  draw_peak(pen, width, plan, colour, y, top, bottom);
  pen.restore();
  pen.fillStyle = colour('--faint');
  pen.textAlign = 'right';
  pen.fillText(format.bytes(most), kTime.left - 8, top + 2);
  pen.fillText('0', kTime.left - 8, bottom - 3);
}

function draw_peak(pen, width, plan, colour, y, top, bottom) {
  const {steps} = plan.run.profile;
  const peak = steps.reduce((best, step, s) => (step.live_during > steps[best].live_during ? s : best), 0);
  const span = plan.run.step_span[peak];
  for (const [s, tone] of [[peak, '--warn-line'], [view.step >= 0 ? view.step : plan.run.rows[view.layer]?.main ?? -1, '--ink']]) {
    const at = plan.run.step_span[s];
    if (!at) continue;
    pen.fillStyle = colour(tone);
    pen.globalAlpha = 0.35;
    pen.fillRect(time_x(at[0], width), y(steps[s].live_during), Math.max(2, time_x(at[1], width) - time_x(at[0], width)), bottom - y(steps[s].live_during));
    pen.globalAlpha = 1;
  }
  if (!span) return;
  const text = `peak ${format.bytes(steps[peak].live_during)} in ${steps[peak].name}`;
  const size = pen.measureText(text).width;
  const x = Math.min(Math.max(time_x((span[0] + span[1]) / 2, width), kTime.left + size / 2 + 2), width - kTime.right - size / 2 - 2);
  pen.fillStyle = colour('--ink');
  pen.textAlign = 'center';
  pen.fillText(text, x, top - 8);
}

function draw_time_axis(pen, width, plan, colour) {
  const y = plan.height - kTime.axis;
  pen.strokeStyle = colour('--line');
  pen.lineWidth = 1;
  pen.fillStyle = colour('--faint');
  pen.textAlign = 'center';
  const marks = ticks(zoom.low, zoom.high, (width - kTime.left) / 90);
  const labels = format.axis_us(marks);
  marks.forEach((tick, i) => {
    const x = Math.round(time_x(tick, width)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x, y + 5);
    pen.stroke();
    pen.fillText(labels[i], Math.min(x, width - 24), y + 14);
  });
}

function zoom_to(low, high) {
  const least = zoom.whole * 1e-4;
  const span = Math.min(zoom.whole, Math.max(least, high - low));
  zoom.low = Math.min(Math.max(0, low), zoom.whole - span);
  zoom.high = zoom.low + span;
  zoom.draw?.();
}

function zoom_by(factor, middle = (zoom.low + zoom.high) / 2) {
  zoom_to(middle - (middle - zoom.low) * factor, middle + (zoom.high - middle) * factor);
}

function listen_to_timeline(canvas, plan) {
  const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const hit = (event) => {
    const us = time_at(place(event), canvas.clientWidth);
    const thread = Math.floor((event.clientY - canvas.getBoundingClientRect().top - kTime.top) / (plan.row + kTime.gap));
    const memory = thread >= plan.threads;
    return plan.events.find((e) => (memory || e.thread === thread) && us >= e.start_us && us <= e.start_us + e.us);
  };
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') canvas.setPointerCapture(event.pointerId);
    zoom.drag = {from: place(event), to: place(event)};
  });
  canvas.addEventListener('pointermove', (event) => {
    if (zoom.drag && event.buttons) {
      zoom.drag.to = place(event);
      zoom.draw();
      return;
    }
    const found = hit(event);
    if (!found) return tip.hide();
    const step = plan.run.profile.steps[found.step];
    tip.show(event, step.name, `${step.op} · ${step.kernel}`, `${format.us(found.us)} here, from ${format.us(found.start_us)}`,
             `${format.bytes(step.live_during)} in use`);
  });
  canvas.addEventListener('pointerleave', tip.hide);
  canvas.addEventListener('pointercancel', () => { zoom.drag = null; });
  canvas.addEventListener('pointerup', (event) => {
    const drag = zoom.drag;
    zoom.drag = null;
    if (!drag) return;
    if (Math.abs(drag.to - drag.from) > 6) {
      const ends = [time_at(drag.from, canvas.clientWidth), time_at(drag.to, canvas.clientWidth)].sort((a, b) => a - b);
      zoom_to(...ends);
      return;
    }
    const found = hit(event);
    if (found) select_step(found.step);
  });
  canvas.addEventListener('dblclick', () => zoom_to(0, zoom.whole));
  canvas.addEventListener('wheel', (event) => {
    const span = zoom.high - zoom.low;
    if (event.ctrlKey || event.metaKey) zoom_by(event.deltaY > 0 ? 1.25 : 0.8, time_at(place(event), canvas.clientWidth));
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) zoom_to(zoom.low + event.deltaX / 600 * span, zoom.high + event.deltaX / 600 * span);
    else return;
    event.preventDefault();
  }, {passive: false});
  canvas.addEventListener('keydown', (event) => {
    const span = zoom.high - zoom.low;
    const keys = {'+': () => zoom_by(0.6), '=': () => zoom_by(0.6), '-': () => zoom_by(1.7), 0: () => zoom_to(0, zoom.whole),
                  ArrowLeft: () => zoom_to(zoom.low - span / 5, zoom.high - span / 5),
                  ArrowRight: () => zoom_to(zoom.low + span / 5, zoom.high + span / 5)};
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
  });
}
