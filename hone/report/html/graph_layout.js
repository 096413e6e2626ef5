'use strict';
// Where the boxes of a layered drawing lie: every box below all that it reads, in an order with few
// crossings, as nearly below its neighbours as the room allows.

const kLayout = {
  gap: 18,        // Between boxes of a rank,
  lane: 10,       // and beside a line that passes through.
  between: 34,    // From rank to rank.
  rounds: 6,      // Of ordering and of placing.
  points: 30000,  // At most as many bends: beyond, long lines are drawn straight.
};

// `boxes` are {width, height, reads: [index]}. Gives each {x, y, rank} of its middle and top, lines
// as {from, to, bends: [{x, y, rank, height}]}, and the tops of the ranks.
function layout_graph(boxes) {
  const ranks = ranks_of(boxes);
  const {cells, lines, rows} = cells_of(boxes, ranks);
  order_rows(cells, rows);
  const tops = row_tops(rows);
  place_rows(cells, rows);
  const left = cells.reduce((least, cell) => Math.min(least, cell.x - cell.width / 2), 0);
  for (const cell of cells) cell.x -= left;
  const place = (c) => ({x: cells[c].x, y: tops[cells[c].rank], rank: cells[c].rank});
  return {
    places: boxes.map((_, i) => place(i)),
    lines: lines.map(({from, to, bends}) => ({
                       from,
                       to,
                       bends: bends.map((c) => ({...place(c), height: rows[cells[c].rank].height}))
                     })),
    tops,
    width: cells.reduce((most, cell) => Math.max(most, cell.x + cell.width / 2), 1),
    height: rows.length ? tops.at(-1) + rows.at(-1).height : 1,
  };
}

// Every box one below the lowest that it reads, and then as near above its readers as it can be.
function ranks_of(boxes) {
  const order = reading_order(boxes);
  const turn = boxes.map(() => 0);
  order.forEach((box, i) => {
    turn[box] = i;
  });
  const reads_of = (box) => boxes[box].reads.filter((read) => turn[read] < turn[box]);
  const ranks = boxes.map(() => 0);
  for (const box of order) {
    for (const read of reads_of(box)) ranks[box] = Math.max(ranks[box], ranks[read] + 1);
  }
  const nearest = boxes.map(() => Infinity);
  for (const box of order.reverse()) {
    if (nearest[box] < Infinity) ranks[box] = nearest[box] - 1;
    for (const read of reads_of(box)) nearest[read] = Math.min(nearest[read], ranks[box]);
  }
  return ranks;
}

// What is read comes before its readers. Layers that run as one can read of each other in a circle:
// where all that is left does, the first of it goes on, and its lines back are not drawn.
function reading_order(boxes) {
  const readers = boxes.map(() => []);
  const missing = boxes.map((box) => box.reads.length);
  boxes.forEach((box, i) => box.reads.forEach((read) => readers[read].push(i)));
  const order = boxes.map((_, i) => i).filter((i) => missing[i] === 0);
  let first = 0;
  for (let at = 0; at < boxes.length; ++at) {
    if (at === order.length) {
      while (missing[first] <= 0) ++first;
      missing[first] = 0;
      order.push(first);
    }
    for (const reader of readers[order[at]]) {
      if (--missing[reader] === 0) order.push(reader);
    }
  }
  return order;
}

// Boxes and, on every rank that a line passes through, a bend of it: cells of the rows.
function cells_of(boxes, ranks) {
  const cells = boxes.map(
      ({width, height}, i) => ({rank: ranks[i], width, height, above: [], below: [], x: 0}));
  const lines = [];
  boxes.forEach((box, to) => box.reads.forEach((from) => {
    if (ranks[from] < ranks[to]) lines.push({from, to, bends: []});
  }));
  const bends = lines.reduce((sum, line) => sum + ranks[line.to] - ranks[line.from] - 1, 0);
  for (const line of lines) {
    let last = line.from;
    const join = (cell) => {
      cells[last].below.push(cell);
      cells[cell].above.push(last);
      last = cell;
    };
    const through = bends > kLayout.points ? 0 : ranks[line.to] - ranks[line.from] - 1;
    for (let i = 1; i <= through; ++i) {
      line.bends.push(cells.length);
      cells.push({
        rank: ranks[line.from] + i,
        width: 0,
        height: 0,
        above: [],
        below: [],
        x: 0,
        bend: true
      });
      join(cells.length - 1);
    }
    join(line.to);
  }
  return {cells, lines, rows: rows_of(cells)};
}

function rows_of(cells) {
  const rows = Array.from(
      {length: cells.reduce((most, cell) => Math.max(most, cell.rank + 1), 0)},
      () => ({cells: [], height: 0}));
  cells.forEach((cell, c) => {
    rows[cell.rank].cells.push(c);
    rows[cell.rank].height = Math.max(rows[cell.rank].height, cell.height);
  });
  return rows;
}

// Down and up in turns: each cell goes to the mean place of its neighbours in the row before.
function order_rows(cells, rows) {
  const number = ({cells: list}) => list.forEach((c, i) => {
    cells[c].order = i;
  });
  rows.forEach(number);
  for (let round = 0; round < kLayout.rounds; ++round) {
    const side = round % 2 ? 'below' : 'above';
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      const wish = new Map(row.cells.map((c) => {
        const near = cells[c][side];
        const sum = near.reduce((total, n) => total + cells[n].order, 0);
        return [c, near.length ? sum / near.length : cells[c].order];
      }));
      row.cells.sort((a, b) => wish.get(a) - wish.get(b));
      number(row);
    }
  }
}

function row_tops(rows) {
  let top = 0;
  return rows.map(({height}) => {
    const here = top;
    top += height + kLayout.between;
    return here;
  });
}

// How much it matters that two joined cells are below each other: bends of a long line most, then
// boxes that follow each other. Where a line leaves or enters a box it may turn.
function pull(a, b) { return a.bend && b.bend ? 8 : a.bend || b.bend ? 0.5 : 2; }

// In turns from above and below: cells come as near as their order and widths allow to the weighted
// mean of their neighbours.
function place_rows(cells, rows) {
  const still = (cell) => ({sum: 0.1 * cell.x, weight: 0.1});
  rows.forEach((row) => settle(cells, row, still));
  for (let round = 0; round < kLayout.rounds; ++round) {
    const side = round % 2 ? 'below' : 'above';
    for (const row of round % 2 ? [...rows].reverse() : rows) {
      settle(cells, row, (cell) => cell[side].reduce((wish, n) => {
        const weight = pull(cell, cells[n]);
        return {sum: wish.sum + weight * cells[n].x, weight: wish.weight + weight};
      }, still(cell)));
    }
  }
}

// The places in one row with the least squares of the ways to what is wished, by pooling neighbours
// that would be out of order.
function settle(cells, row, wish_of) {
  const pools = [];
  let offset = 0, last = null;
  for (const c of row.cells) {
    const cell = cells[c];
    if (last)
      offset +=
          (last.width + cell.width) / 2 + (last.bend || cell.bend ? kLayout.lane : kLayout.gap);
    last = cell;
    const {sum, weight} = wish_of(cell);
    pools.push({sum: sum - weight * offset, weight, members: [{cell, offset}]});
    while (pools.length > 1 && mean(pools.at(-1)) < mean(pools.at(-2))) {
      const later = pools.pop();
      const pool = pools.at(-1);
      pool.sum += later.sum;
      pool.weight += later.weight;
      pool.members.push(...later.members);
    }
  }
  for (const pool of pools) {
    for (const member of pool.members) member.cell.x = mean(pool) + member.offset;
  }
}

function mean(pool) { return pool.sum / pool.weight; }
