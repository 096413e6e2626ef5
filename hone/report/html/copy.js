'use strict';
// Buttons that put the text before them on the clipboard, or select it where a browser does not
// allow that.

async function copy_text(button) {
  const code = button.previousElementSibling;
  const was = button.textContent;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'selected';
  }
  setTimeout(() => {
    button.textContent = was;
  }, 1500);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('button.copy');
  if (button && !['copied', 'selected'].includes(button.textContent)) copy_text(button);
});
