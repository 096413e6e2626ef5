'use strict';
// Tables of documents sort by a press on the head of a column: numbers as such, with their units,
// and what is not known last.

const kUnits = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3
};

// null where the text begins with no number.
function number_in(text) {
  const found = text.trim().match(/^([+-]?[0-9.]+(?:e[+-]?[0-9]+)?)\s*([A-Za-z]*)/);
  return found && Number.isFinite(Number(found[1])) ? Number(found[1]) * (kUnits[found[2]] ?? 1) :
                                                      null;
}

function compare_texts(a, b, sign) {
  const [x, y] = [number_in(a), number_in(b)];
  if (x !== null && y !== null) return sign * (x - y);
  if (x !== null || y !== null) return x === null ? 1 : -1;
  return sign * a.localeCompare(b, 'en', {numeric: true});
}

function sort_table(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const was = heads[column].getAttribute('aria-sort');
  const sign = was === 'ascending' ? -1 : 1;
  for (const head of heads) {
    if (head.hasAttribute('aria-sort')) head.setAttribute('aria-sort', 'none');
  }
  heads[column].setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
  const text = (row) => row.cells[column].textContent;
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => compare_texts(text(a), text(b), sign)));
}

// A table of one line needs no order, and one that compares columns has its own.
for (const table of document.querySelectorAll('.doc table.data:not(.ordered)')) {
  if (table.tBodies[0].rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.tagName !== 'TH') return;
    const press = document.createElement('button');
    press.type = 'button';
    press.append(...head.childNodes);
    press.addEventListener('click', () => sort_table(table, column));
    head.setAttribute('aria-sort', 'none');
    head.append(press);
  });
}
