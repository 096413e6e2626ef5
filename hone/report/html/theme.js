'use strict';
// Light or dark, chosen before the page is drawn: what the system prefers, until one is picked.

const kThemes = ['auto', 'light', 'dark'];
const prefers_dark = matchMedia('(prefers-color-scheme: dark)');

// A browser may keep nothing for files; then the choice lasts as long as the page.
function stored_theme() {
  try {
    return localStorage.getItem('hone_theme');
  } catch {
    return null;
  }
}

function store_theme(theme) {
  try {
    localStorage.setItem('hone_theme', theme);
  } catch {
    return;
  }
}

let theme = kThemes.find((name) => name === stored_theme()) ?? 'auto';

function apply_theme() {
  const dark = theme === 'dark' || (theme === 'auto' && prefers_dark.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}

// Paper is light.
addEventListener('beforeprint', () => {
  document.documentElement.dataset.theme = 'light';
});
addEventListener('afterprint', apply_theme);

function next_theme() {
  theme = kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length];
  store_theme(theme);
  apply_theme();
}

apply_theme();
