'use strict';
// Charts that are there twice, on logarithmic and on linear axes: the buttons above say which is
// shown.

function show_scale(figure, scale) {
  for (const each of figure.querySelectorAll('[data-scale]')) {
    if (each.tagName === 'BUTTON')
      each.setAttribute('aria-pressed', String(each.dataset.scale === scale));
    else
      each.hidden = each.dataset.scale !== scale;
  }
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button[data-scale]');
  if (button) show_scale(button.closest('figure'), button.dataset.scale);
});
