'use strict';
// Puts the sections together, and keeps them in step with what is selected.

const kSections = [
  render_hero, render_cards, render_compare, render_work, render_latency, render_graph, render_map,
  render_engines, render_gpu, render_host, render_timeline, render_roofline, render_layers,
  render_environment
];

function render() {
  view.listeners = [];
  for (const section of kSections) section();
  on_select(render_detail);
  render_detail();
  name_sections();
  render_nav();
}

// Results on the page: runs, and documents of other kinds.
function count_of_results() {
  return report.runs.length + document.querySelectorAll('.doc_hero').length;
}

// Of several results, a section says which it is of.
function name_sections() {
  if (count_of_results() < 2) return;
  for (const section of document.querySelectorAll('main section[data-nav]:not(.doc)')) {
    if (section.id === 'compare' || section.id === 'findings') continue;
    section.querySelector('h2').dataset.of = current().label;
  }
}

function show_run(r) {
  if (r === view.run) return;
  [view.run, view.layer, view.step] = [r, -1, -1];
  render();
  render_picker();
}

function render_nav() {
  const sections =
      [...document.querySelectorAll('[data-nav]')].filter((section) => !section.hidden);
  replace(
      'nav',
      ...sections.map(
          (section) => el(
              'a', {href: `#${section.id}`, title: section.querySelector('h2').dataset.of ?? null},
              section.dataset.nav)));
}

function render_picker() {
  by_id('picker').hidden = report.runs.length < 2;
  replace(
      'picker',
      ...report.runs.map(
          (run, r) => button(
              {
                'aria-pressed': String(r === view.run),
                title: run.label,
                onclick: () => show_run(r)
              },
              run.label)));
}

function show_theme() {
  by_id('theme').textContent = {auto: '◐', light: '☀', dark: '☾'}[theme];
  by_id('theme').setAttribute('aria-label', `Colours: ${theme}`);
  by_id('theme').title = `Colours: ${theme}`;
  zoom.draw?.();
}

function start() {
  document.title = `${current().profile.model} – Hone`;
  by_id('theme').addEventListener('click', () => {
    next_theme();
    show_theme();
  });
  prefers_dark.addEventListener('change', () => {
    apply_theme();
    show_theme();
  });
  by_id('search').addEventListener('input', fill_layers);
  start_graph();
  by_id('all_roofs').addEventListener('change', render_roofline);
  by_id('zoom_in').addEventListener('click', () => zoom_by(0.5));
  by_id('zoom_out').addEventListener('click', () => zoom_by(2));
  by_id('zoom_all').addEventListener('click', () => zoom_to(0, zoom.whole));
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') select(-1);
  });
  replace('footer', `Made by hone ${report.hone}. This file loads nothing from anywhere.`);
  show_theme();
  render_findings();
  render_picker();
  render();
}

start();
