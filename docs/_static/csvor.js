// The button says "Search Ctrl+K": its name is its text, and no other.
addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.removeAttribute("aria-label");
  }
});
