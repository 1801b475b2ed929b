// Formulas of the pages, by KaTeX; again after each page that Material loads in place.
document$.subscribe(function () {
  document.querySelectorAll(".arithmatex").forEach(function (formula) {
    var text = formula.textContent.trim().replace(/^\\\[|\\\]$/g, "");
    katex.render(text, formula, {displayMode: true, throwOnError: false});
  });
});
