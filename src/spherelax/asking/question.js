"use strict";
(() => {
  let isSent = false;
  addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
    document.body.setAttribute("aria-busy", "true");
  });
  addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const button = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button) {
      event.preventDefault();
      button.click();
    }
  });
  // A page that the browser has kept shows a question that was answered since.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
})();
