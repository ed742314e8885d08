// Names for those who hear the page, and keys for those who have no mouse.
addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll(".search-button-field")) {
    button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());
  }
  for (const summary of document.querySelectorAll("nav details > summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link.textContent.trim()}`);
  }
  for (const formula of document.querySelectorAll("div.formula")) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
});
