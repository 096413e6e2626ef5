'use strict';
// Networks in documents: a box for every layer, below all that it reads. The drawing is as large as
// it is and scrolls inside its window.

const kLayerBox = {
  width: 172,
  height: 34,
  letters: 21,
  margin: 28,  // Around the drawing, where lines turn.
};

function draw_layer({name, about, heat}, {left, top, width, height}) {
  const shape = {x: left, y: top, width, height, rx: 6};
  const part = Math.round(100 * (heat ?? 0));
  const warm = `color-mix(in oklab, var(--heat-high) ${part}%, var(--heat-low))`;
  const tint = `color-mix(in oklab, ${warm} ${20 + 0.2 * part}%, var(--surface))`;
  return svg(
      'g', {class: 'box still'}, svg('title', {}, `${name}\n${about}`),
      svg('rect', {...shape, class: 'body', style: heat === null ? {} : {fill: tint}}),
      heat === null ? null : svg('rect', {...shape, width: 5, rx: 2.5, style: {fill: warm}}),
      svg_text('title', left + 13, top + 14, 'start', format.short(name, kLayerBox.letters)),
      svg_text('about', left + 13, top + 27, 'start', about));
}

function draw_network(box) {
  const layers = JSON.parse(box.querySelector('script').textContent);
  const {width, height, margin} = kLayerBox;
  const plan = plan_drawing(
      layers.map(({reads}) => ({width, height, reads})),
      box.clientWidth / Math.max(1, box.clientHeight));
  const [w, h] = [plan.width + 2 * margin, plan.height + 2 * margin];
  const lines = plan.lines.map((line) => svg('path', {class: 'wire', d: line_path(plan, line)}));
  const boxes = layers.map((layer, i) => draw_layer(layer, plan.boxes[i]));
  box.append(
      svg('svg', {width: w, height: h, viewBox: `${- margin} ${- margin} ${w} ${h}`}, ...lines,
          ...boxes));
}

for (const box of document.querySelectorAll('.network')) draw_network(box);
