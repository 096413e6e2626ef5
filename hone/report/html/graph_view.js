'use strict';
// Which part of the network's drawing is seen, and how pointer, wheel and keys change it.

// `x`, `y`: what lies in the upper left corner; `scale`: pixels a unit of the drawing. `drawn` is
// the part of the drawing that has elements: more than is seen, so that a short way needs no new
// ones.
const sight = {
  x: 0,
  y: 0,
  scale: 1,
  box: null,     // The element it is seen through,
  canvas: null,  // and the group that moves in it.
  plan: null,    // What layout_graph gave.
  drawn: null,
  draw: null,  // Makes elements for a part of the drawing.
};

const kSight = {
  most: 2.5,
  least: 0.08,
  boxes: 700,  // At most as many are drawn: a larger network is seen in windows.
  step: 80,    // Pixels that a key moves.
};

function seen_part() {
  return {
    left: sight.x,
    top: sight.y,
    right: sight.x + sight.box.clientWidth / sight.scale,
    bottom: sight.y + sight.box.clientHeight / sight.scale
  };
}

function grown(part, by) {
  const [w, h] = [by * (part.right - part.left), by * (part.bottom - part.top)];
  return {left: part.left - w, top: part.top - h, right: part.right + w, bottom: part.bottom + h};
}

function boxes_in(part) {
  return sight.plan.boxes.filter(
      (box) => box.left < part.right && box.left + box.width > part.left && box.top < part.bottom &&
          box.top + box.height > part.top);
}

// The smallest scale at which what is seen can be drawn.
function least_scale() {
  if (sight.plan.boxes.length <= kSight.boxes) return kSight.least;
  const area = sight.plan.width * sight.plan.height / sight.plan.boxes.length;
  const seen = sight.box.clientWidth * sight.box.clientHeight;
  return Math.min(1, Math.max(kSight.least, Math.sqrt(seen / (area * kSight.boxes))));
}

// Keeps some of the drawing in sight, and draws what came into it.
function look() {
  const {box, plan} = sight;
  const room = 0.5;  // Of the window may be beyond an end.
  const [w, h] = [box.clientWidth / sight.scale, box.clientHeight / sight.scale];
  sight.x = Math.min(Math.max(sight.x, -room * w), plan.width - (1 - room) * w);
  sight.y = Math.min(Math.max(sight.y, -room * h), plan.height - (1 - room) * h);
  const part = seen_part();
  const covered = sight.drawn && sight.drawn.left <= part.left && sight.drawn.top <= part.top &&
      sight.drawn.right >= part.right && sight.drawn.bottom >= part.bottom &&
      sight.drawn.coarse === is_coarse();
  if (!covered) {
    sight.drawn = {...grown(part, 0.6), coarse: is_coarse()};
    sight.draw(sight.drawn);
  }
  sight.canvas.setAttribute(
      'transform', `scale(${sight.scale}) translate(${- sight.x} ${- sight.y})`);
}

// Too small for words.
function is_coarse() { return sight.scale < 0.32; }

// Zooms about a place of the window, its middle unless told.
function look_closer(factor, px = sight.box.clientWidth / 2, py = sight.box.clientHeight / 2) {
  const scale = Math.min(kSight.most, Math.max(least_scale(), sight.scale * factor));
  sight.x += px / sight.scale - px / scale;
  sight.y += py / sight.scale - py / scale;
  sight.scale = scale;
  look();
}

function look_at(box) {
  sight.x = box.left + box.width / 2 - sight.box.clientWidth / 2 / sight.scale;
  sight.y = box.top + box.height / 2 - sight.box.clientHeight / 2 / sight.scale;
  look();
}

// All of it where that can be read; otherwise its beginning, as wide as the window.
function look_at_all(readable = 0) {
  const {box, plan} = sight;
  const all = Math.min(box.clientWidth / (plan.width + 24), box.clientHeight / (plan.height + 64));
  const wide = Math.min(1, box.clientWidth / (plan.width + 24));
  const scale = all < readable ? Math.max(wide, readable) : all;
  sight.scale = Math.min(1.2, Math.max(least_scale(), scale));
  const wider = plan.width * sight.scale > box.clientWidth;
  sight.x = wider ? -12 : (plan.width - box.clientWidth / sight.scale) / 2;
  sight.y = all >= sight.scale ? (plan.height - box.clientHeight / sight.scale) / 2 : -12;
  look();
}

function is_seen(box) {
  const part = seen_part();
  return box.left >= part.left && box.left + box.width <= part.right && box.top >= part.top &&
      box.top + box.height <= part.bottom;
}

// Two fingers pinch; one, or the pointer, drags.
function watch_pointers(box) {
  const down = new Map();
  let start = null;
  // A press that hardly moves is a click on what lies under it.
  const is_drag = (event) => box.hasPointerCapture(event.pointerId) ||
      Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > 4;
  const apart = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  box.addEventListener('pointerdown', (event) => {
    down.set(event.pointerId, event);
    start = event;
  });
  box.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before || (down.size === 1 && !is_drag(event))) return;
    const wide = down.size === 2 ? apart() : 0;
    down.set(event.pointerId, event);
    if (!box.hasPointerCapture(event.pointerId)) box.setPointerCapture(event.pointerId);
    if (down.size === 2) {
      const rect = box.getBoundingClientRect();
      const [a, b] = [...down.values()];
      look_closer(
          apart() / Math.max(1, wide), (a.clientX + b.clientX) / 2 - rect.left,
          (a.clientY + b.clientY) / 2 - rect.top);
    } else {
      sight.x -= (event.clientX - before.clientX) / sight.scale;
      sight.y -= (event.clientY - before.clientY) / sight.scale;
      look();
    }
  });
  for (const end of ['pointerup', 'pointercancel'])
    box.addEventListener(end, (event) => down.delete(event.pointerId));
}

// The page keeps its own scrolling: the wheel zooms with Ctrl held, as a pinch on a touchpad does.
function watch_wheel(box) {
  box.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const rect = box.getBoundingClientRect();
    look_closer(Math.exp(-event.deltaY / 300), event.clientX - rect.left, event.clientY - rect.top);
  }, {passive: false});
}

function move_sight(dx, dy) {
  sight.x += dx * kSight.step / sight.scale;
  sight.y += dy * kSight.step / sight.scale;
  look();
}
