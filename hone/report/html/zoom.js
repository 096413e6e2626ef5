'use strict';
// Which part of a run the timeline shows, and how pointer, wheel and keys change it.

// What is visible, in microseconds, and how to draw it again.
const zoom = {
  low: 0,
  high: 1,
  whole: 1,
  draw: null,
  drag: null
};

function time_x(us, width) {
  return kTime.left + (us - zoom.low) / (zoom.high - zoom.low) * (width - kTime.left - kTime.right);
}

function time_at(x, width) {
  return zoom.low + (x - kTime.left) / (width - kTime.left - kTime.right) * (zoom.high - zoom.low);
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

// What lies under a pointer: the event on its thread, or in the chart below on any.
function event_under(event, canvas, plan) {
  const box = canvas.getBoundingClientRect();
  const us = time_at(event.clientX - box.left, canvas.clientWidth);
  const row = Math.floor((event.clientY - box.top - kTime.top) / (plan.row + kTime.gap));
  return plan.events.find(
      (e) => (row >= plan.threads.length || e.row === row) && us >= e.start_us &&
          us <= e.start_us + e.us);
}

function show_event_tip(event, found, run) {
  if (!found) return tip.hide();
  const step = run.profile.steps[found.step];
  return tip.show(
      event, format.short(step.name),
      `${step.op} · ${step.kernel}${found.what ? ` · ${found.what}` : ''}`,
      `${format.us(found.us)} here, from ${format.us(found.start_us)}`,
      `${format.bytes(step.live_during)} in use`);
}

function listen_to_drag(canvas, plan) {
  const place = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') canvas.setPointerCapture(event.pointerId);
    zoom.drag = {from: place(event), to: place(event)};
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!zoom.drag || !event.buttons) {
      show_event_tip(event, event_under(event, canvas, plan), plan.run);
      return;
    }
    zoom.drag.to = place(event);
    zoom.draw();
  });
  canvas.addEventListener('pointerleave', tip.hide);
  canvas.addEventListener('pointercancel', () => {
    zoom.drag = null;
  });
  canvas.addEventListener('pointerup', (event) => {
    const drag = zoom.drag;
    zoom.drag = null;
    if (drag && Math.abs(drag.to - drag.from) > 6) {
      const ends = [drag.from, drag.to].map((x) => time_at(x, canvas.clientWidth));
      zoom_to(Math.min(...ends), Math.max(...ends));
      return;
    }
    const found = drag && event_under(event, canvas, plan);
    if (found) select_step(found.step);
  });
}

// Only with Ctrl does the wheel zoom: without, the page must scroll on.
function listen_to_wheel(canvas) {
  canvas.addEventListener('wheel', (event) => {
    const at = time_at(event.clientX - canvas.getBoundingClientRect().left, canvas.clientWidth);
    const shift = event.deltaX / 600 * (zoom.high - zoom.low);
    if (event.ctrlKey || event.metaKey) {
      zoom_by(event.deltaY > 0 ? 1.25 : 0.8, at);
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      zoom_to(zoom.low + shift, zoom.high + shift);
    } else {
      return;
    }
    event.preventDefault();
  }, {passive: false});
}

function listen_to_keys(canvas) {
  const move = (part) => {
    const by = part * (zoom.high - zoom.low);
    zoom_to(zoom.low + by, zoom.high + by);
  };
  const keys = {
    '+': () => zoom_by(0.6),
    '=': () => zoom_by(0.6),
    '-': () => zoom_by(1.7),
    '0': () => zoom_to(0, zoom.whole),
    'ArrowLeft': () => move(-0.2),
    'ArrowRight': () => move(0.2),
  };
  canvas.addEventListener('keydown', (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    keys[event.key]();
    event.preventDefault();
  });
}

function listen_to_timeline(canvas, plan) {
  listen_to_drag(canvas, plan);
  listen_to_wheel(canvas);
  listen_to_keys(canvas);
  canvas.addEventListener('dblclick', () => zoom_to(0, zoom.whole));
}
