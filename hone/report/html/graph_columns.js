'use strict';
// A drawing that is much taller than its window, in columns beside each other: a network of a
// hundred layers is seen as a whole.

const kColumns = {
  gutter: 64,  // Between columns; lines from the foot of one to the head of the next pass there.
  turn: 18,    // Above and below, where they turn.
  lane: 5,     // Between such lines.
  lanes: 9,
  ranks: 6,  // A column has at least as many.
};

// Where boxes and lines lie in a window that is `aspect` times as wide as high: what layout_graph
// gives, in columns.
function plan_drawing(boxes, aspect) {
  const plan = layout_graph(boxes);
  fold_columns(plan, boxes, aspect);
  plan.lines.forEach((line, i) => {
    line.number = i;
  });
  plan.boxes = boxes.map(({width, height}, i) => ({
                           left: plan.places[i].x - width / 2,
                           top: plan.places[i].y,
                           rank: plan.places[i].rank,
                           column: plan.places[i].column,
                           width,
                           height
                         }));
  return plan;
}

// Moves the places of a plan into as many columns as make it about as wide as the window, which is
// `aspect` times as wide as high.
function fold_columns(plan, boxes, aspect) {
  const ranks = plan.tops.length;
  const wide = plan.width + kColumns.gutter;
  const count = Math.min(
      Math.floor(ranks / kColumns.ranks), Math.round(Math.sqrt(aspect * plan.height / wide)));
  const breaks = count > 1 ? column_breaks(plan, count) : [];
  const column_of = plan.tops.map((_, rank) => breaks.filter((b) => b <= rank).length);
  const columns = Array.from({length: breaks.length + 1}, (_, c) => ({
                                                            top: plan.tops[c ? breaks[c - 1] : 0],
                                                            least: Infinity,
                                                            most: -Infinity,
                                                          }));
  const cells = [
    ...plan.places.map((place, i) => ({place, half: boxes[i].width / 2})),
    ...plan.lines.flatMap(({bends}) => bends.map((place) => ({place, half: 0})))
  ];
  for (const {place, half} of cells) {
    place.column = column_of[place.rank];
    const column = columns[place.column];
    column.least = Math.min(column.least, place.x - half);
    column.most = Math.max(column.most, place.x + half);
  }
  let left = 0;
  for (const column of columns) {
    column.left = left;
    left += column.most - column.least + kColumns.gutter;
  }
  for (const {place} of cells) {
    const column = columns[place.column];
    place.x += column.left - column.least;
    place.y -= column.top;
  }
  plan.columns = columns.map((column) => column.left);
  plan.width = left - kColumns.gutter;
  plan.height = largest(plan.places.map((place, i) => place.y + boxes[i].height), 1);
}

// Ranks that begin a column: near equal parts of the height, where few lines pass.
function column_breaks(plan, count) {
  const passing = plan.tops.map(() => 0);
  for (const {from, to} of plan.lines) {
    for (let r = plan.places[from].rank + 1; r <= plan.places[to].rank; ++r) ++passing[r];
  }
  const part = plan.height / count;
  return Array.from({length: count - 1}, (_, c) => {
    const wish = (c + 1) * part;
    const far = (rank) => Math.abs(plan.tops[rank] - wish) / part;
    const near = plan.tops.map((_, rank) => rank).filter((rank) => rank > 0 && far(rank) < 0.3);
    const price = (rank) => passing[rank] + 4 * far(rank);
    return near.reduce((best, rank) => (price(rank) < price(best) ? rank : best), near[0]);
  });
}

// The way from the foot of a column to the head of another, beside those of other lines.
function around_columns(plan, line, to) {
  const lane = (line % kColumns.lanes - (kColumns.lanes - 1) / 2) * kColumns.lane;
  const gutter = plan.columns[to.column] - kColumns.gutter / 2 + lane;
  const foot = plan.height + kColumns.turn + lane / 2;
  const head = -kColumns.turn + lane / 2;
  return `V${foot}H${gutter}V${head}H${to.x}V${to.y}`;
}

// Upright where it leaves, passes and enters.
function line_path(plan, {from, to, bends, number}) {
  const [a, b] = [plan.boxes[from], plan.boxes[to]];
  let [x, y, column] = [a.left + a.width / 2, a.top + a.height, a.column];
  let d = `M${x} ${y}`;
  const go = (next) => {
    const half = (y + next.y) / 2;
    if (next.column !== column)
      d += around_columns(plan, number, next);
    else
      d += x === next.x ? `V${next.y}` : `C${x} ${half} ${next.x} ${half} ${next.x} ${next.y}`;
    ({x, y, column} = next);
  };
  for (const bend of bends) {
    go(bend);
    go({...bend, y: bend.y + bend.height});
  }
  go({x: b.left + b.width / 2, y: b.top, column: b.column});
  return d;
}
