'use strict';
// Numbers for people: three digits, and a unit that keeps them short.

const format = {
  // 3 significant digits without an exponent: 0.0123, 1.23, 12.3, 123, 1234.
  digits(value) {
    if (!Number.isFinite(value)) return '–';
    const size = Math.abs(value);
    if (size === 0) return '0';
    if (size >= 100) return format.grouped(Math.round(value));
    return value.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size)))));
  },

  // 1234567 -> "1 234 567", with thin spaces.
  grouped(value) { return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009'); },

  scaled(value, base, units, space = ' ') {
    let unit = 0;
    while (Math.abs(value) >= base && unit + 1 < units.length) {
      value /= base;
      unit += 1;
    }
    return format.digits(value) + space + units[unit];
  },

  us(us) {
    if (us !== 0 && Math.abs(us) < 1) return format.digits(us * 1e3) + ' ns';
    return format.scaled(us, 1000, ['µs', 'ms', 's']);
  },
  ms(ms) { return format.us(ms * 1e3); },
  bytes(bytes) {
    return format.scaled(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
  },
  count(count) {
    if (Math.abs(count) < 1e5) return format.grouped(Math.round(count * 100) / 100);
    return format.scaled(count, 1000, ['', 'k', 'M', 'G', 'T', 'P']);
  },

  percent(part) {
    const value = 100 * part;
    if (value !== 0 && Math.abs(value) < 0.05) return '<0.1 %';
    return (Math.abs(value) >= 99.95 ? Math.round(value) : value.toFixed(1)) + ' %';
  },

  signed(text, value) { return (value > 0 ? '+' : '') + text.replace('-', '\u2212'); },

  // A value in the unit its metric has.
  value(value, unit) {
    if (value === null || value === undefined) return '–';
    if (unit === 'ms') return format.ms(value);
    if (unit === 'us') return format.us(value);
    if (unit === 's') return format.us(value * 1e6);
    if (unit === 'B') return format.bytes(value);
    if (unit === '') return Number.isInteger(value) ? format.count(value) : format.digits(value);
    return format.digits(value).replace('-', '\u2212') + ' ' + unit;
  },

  // "10.6 to 10.7 ms", the unit once where both ends have it; '' for a metric without an interval.
  interval({low, high, unit}) {
    if (low === null || high === null) return '';
    const [from, to] = [format.value(low, unit), format.value(high, unit)];
    const [digits, name] = from.split(' ');
    return `${name && to.endsWith(` ${name}`) ? digits : from} to ${to}`;
  },

  // Labels of an axis in one unit, with the digits that tell its ticks apart.
  axis_us(values) {
    const most = Math.max(...values.map(Math.abs), 1e-9);
    const step = values.length > 1 ? values[1] - values[0] : most;
    const [scale, unit] = most >= 1e6 ? [1e-6, 's'] : most >= 1e3 ? [1e-3, 'ms'] : [1, 'µs'];
    const digits = Math.max(0, Math.min(4, -Math.floor(Math.log10(step * scale) + 1e-9)));
    return values.map((value) => `${(value * scale).toFixed(digits)} ${unit}`);
  },

  // "inputs are copied" -> "Inputs are copied."
  sentence(text) { return `${text[0].toUpperCase()}${text.slice(1)}.`; },

  // What would break a line or turn the direction of writing is shown as what it is.
  plain(text) {
    return text.replace(
        /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  },

  // A layer's name where there is little room: the first of a list joined by ';', without its
  // middle where that is still too long.
  short(name, width = 56) {
    const count = name.match(/ \+ \d+$/)?.[0] ?? '';
    const [first, ...more] = name.slice(0, name.length - count.length).split(';');
    const text = more.length ? `${first};…` : first;
    const room = width - count.length;
    if (text.length <= room) return format.plain(text + count);
    const head = Math.floor((room - 1) / 2);
    return format.plain(`${text.slice(0, head)}…${text.slice(head + 1 - room)}${count}`);
  },

  // The same of names that stand below each other, by their wholes: those that differ stay apart, by what they
  // differ in or, where that is not enough, by numbers.
  short_names(names, width) {
    const alike = new Map();
    for (const name of new Set(names)) {
      const text = format.short(name, width);
      alike.set(text, [...(alike.get(text) ?? []), name]);
    }
    const shown = new Map();
    const taken =
        new Set([...alike].filter(([, group]) => group.length === 1).map(([text]) => text));
    for (const [text, group] of alike) {
      for (const name of group) {
        const apart =
            group.length === 1 ? text : format.apart(name, format.shared(group), width - 4);
        let one = apart;
        for (let i = 2; group.length > 1 && taken.has(one); ++i) one = `${apart} (${i})`;
        taken.add(one);
        shown.set(name, one);
      }
    }
    return shown;
  },

  // How many letters all of them begin with.
  shared(names) {
    const [first, ...rest] = names;
    let shared = 0;
    while (shared < first.length && rest.every((name) => name[shared] === first[shared]))
      shared += 1;
    return shared;
  },

  // The head of a name, and what comes where it parts from others.
  apart(name, shared, width) {
    if (name.length <= width) return format.plain(name);
    const room = width - 10;
    const begin = Math.max(0, shared - 8);
    if (begin <= 9) return format.plain(`${name.slice(0, width - 1)}…`);
    const more = begin + room < name.length ? '…' : '';
    return format.plain(`${name.slice(0, 8)}…${name.slice(begin, begin + room)}${more}`);
  },

  // A name for reading all of it: of one that is no name but a book, its ends.
  whole(name) {
    if (name.length <= 2000) return format.plain(name);
    const [head, tail] = [name.slice(0, 1000), name.slice(-500)];
    return format.plain(`${head}… (${format.grouped(name.length)} letters) …${tail}`);
  },

  // "run_queue_wait" -> "run queue wait".
  name(name) { return name.replaceAll('_', ' '); },
};
