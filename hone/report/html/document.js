'use strict';
// A page of documents needs scripts for the bar on top alone.

function show_theme() {
  const button = document.getElementById('theme');
  button.textContent = {auto: '◐', light: '☀', dark: '☾'}[theme];
  button.title = `Colours: ${theme}`;
  button.setAttribute('aria-label', button.title);
}

function fill_nav() {
  for (const section of document.querySelectorAll('[data-nav]')) {
    const link = document.createElement('a');
    link.href = `#${section.id}`;
    link.textContent = section.dataset.nav;
    const {of} = section.querySelector('h2').dataset;
    if (of) link.title = of;
    document.getElementById('nav').append(link);
  }
}

document.getElementById('theme').addEventListener('click', () => {
  next_theme();
  show_theme();
});
prefers_dark.addEventListener('change', apply_theme);
show_theme();
fill_nav();
