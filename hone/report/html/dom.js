'use strict';
// Elements, charts and tooltips. Names come from files that nobody checked, so text enters the page
// only as text nodes and attributes, never as markup.

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on'))
      node.addEventListener(key.slice(2), value);
    else if (key === 'style')
      Object.entries(value).forEach(([k, v]) => node.style.setProperty(k, v));
    else
      node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function button(attributes, ...children) {
  return el('button', {type: 'button', ...attributes}, ...children);
}

// Names and what they are; pairs without a value are left out.
function fact_list(pairs, form = '') {
  return el(
      'dl', {class: `facts ${form}`},
      pairs.filter(([, value]) => value)
          .map(([name, value]) => (el('div', {}, el('dt', {}, name), el('dd', {}, value)))));
}

function svg_line(kind, x1, y1, x2, y2, ...children) {
  return svg('line', {class: kind, x1, y1, x2, y2}, ...children);
}

// `anchor`: start, middle or end of the text lies at x.
function svg_text(kind, x, y, anchor, text, attributes = {}) {
  return svg('text', {class: kind, x, y, 'text-anchor': anchor, ...attributes}, text);
}

function by_id(id) { return document.getElementById(id); }

function replace(id, ...children) { by_id(id).replaceChildren(...children); }

// Calls draw(width) now and whenever the box changes its width.
function on_width(box, draw) {
  let last = 0;
  const update = () => {
    const width = Math.floor(box.clientWidth);
    if (width === last || width === 0) return;
    last = width;
    draw(width);
  };
  update();
  new ResizeObserver(() => requestAnimationFrame(update)).observe(box);
}

// An SVG that is drawn at its real width, so that its text stays readable on a phone.
function chart(box, height, label, draw) {
  on_width(box, (width) => {
    const size = typeof height === 'function' ? height(width) : height;
    const canvas = svg(
        'svg',
        {width, height: size, viewBox: `0 0 ${width} ${size}`, role: 'img', 'aria-label': label});
    draw(canvas, width, size);
    box.replaceChildren(canvas);
  });
}

// Math.max for lists of any length.
function largest(values, least) { return values.reduce((a, b) => Math.max(a, b), least); }

// Round values between low and high, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * power >= raw) * power;
  const first = Math.ceil(low / step);
  const values = Array.from({length: 100}, (_, i) => (first + i) * step);
  return values.filter((value) => value <= high + step * 1e-9);
}

// Where a number comes from, as a small word beside it.
function mode_tag(mode, why = '') {
  return el('span', {class: `tag ${mode}`, title: why || null}, mode);
}

// Everything a metric tells of itself, for a tooltip.
function provenance(metric) {
  const parts = [metric.mode];
  if (metric.n > 1) parts.push(`n ${metric.n}`);
  if (format.interval(metric)) parts.push(format.interval(metric));
  if (metric.note) parts.push(metric.note);
  return parts.join('; ');
}

const tip = {
  show(event, ...lines) {
    const box = by_id('tip');
    box.replaceChildren(
        ...lines.map((line, i) => el('div', {class: i === 0 ? 'first' : null}, line)));
    box.hidden = false;
    const x = Math.min(event.clientX + 14, window.innerWidth - box.offsetWidth - 8);
    const below = event.clientY + 16;
    const y = below + box.offsetHeight > window.innerHeight ?
        event.clientY - box.offsetHeight - 10 :
        below;
    box.style.left = `${Math.max(8, x)}px`;
    box.style.top = `${Math.max(8, y)}px`;
  },
  hide() { by_id('tip').hidden = true; },
};

// Attributes of an element that shows lines() while the pointer is on it.
function hover(lines) {
  return {onpointermove: (event) => tip.show(event, ...lines()), onpointerleave: tip.hide};
}

// A text and the button that copies it (copy.js).
function copyable(text) {
  return el(
      'div', {class: 'copyable'}, el('code', {}, text),
      button({class: 'ghost small copy'}, 'copy'));
}
