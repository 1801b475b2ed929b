/* The look of pages, in light and dark and on paper. */
#ifndef CAS_PAGE_STYLE_H
#define CAS_PAGE_STYLE_H

static const char cas_page_style[] =
    ":root{color-scheme:light "
    "dark;--text:#1b1f24;--back:#fff;--soft:#f3f5f7;--line:#d5dae0;--blue:#0b5cad}"
    "@media(prefers-color-scheme:dark){:root{--text:#e3e6ea;--back:#14171b;--soft:#1f242a;--line:#"
    "3a414a;"
    "--blue:#7db7f0}}"
    "body{font:16px/1.5 "
    "system-ui,sans-serif;color:var(--text);background:var(--back);max-width:64rem;"
    "margin:0 auto;padding:1.5rem}"
    "h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid "
    "var(--line)}"
    "pre,code{font:13px/1.4 ui-monospace,monospace}"
    "pre{background:var(--soft);padding:.75rem;overflow-x:auto;border-radius:4px;margin:.5rem 0}"
    ".verdict{border-left:4px solid var(--blue);padding:.25rem .75rem;margin:.5rem "
    "0;background:var(--soft)}"
    "figure{margin:1rem 0;background:#fff;border:1px solid "
    "var(--line);border-radius:4px;padding:.5rem}"
    "figure svg{max-width:100%;height:auto;display:block;margin:auto}"
    "figcaption{color:#444;font-size:.9rem;text-align:center}"
    "table{border-collapse:collapse}th{text-align:left;font-weight:600;padding:.15rem 1rem .15rem "
    "0;"
    "vertical-align:top}td{padding:.15rem 0;overflow-wrap:anywhere}"
    "@media print{body{max-width:none;padding:0;font-size:10pt;color:#000;background:#fff}"
    "pre{white-space:pre-wrap;background:none;border:1px solid #ccc;font-size:7.5pt}"
    "figure,.verdict{break-inside:avoid;background:#fff}h2{break-after:avoid}}";

#endif
