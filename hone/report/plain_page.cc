#include "hone/report/plain_page.h"

#include "hone/base/str.h"
#include "hone/report/compare_charts.h"

namespace hone {
namespace {

// Colours follow the browser's.
constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root {
  --paper: #f5f6f8; --surface: #fff; --ink: #14181d; --soft: #4d5661; --faint: #7c8692;
  --line: #e0e4e9; --accent: #2459c4; --measured: #12724a; --simulated: #3a6ecf;
  --predicted: #d1741c; --exact: #98a1ac; --mark: #e6edfb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0e1115; --surface: #161a20; --ink: #e9edf2; --soft: #aab3bf; --faint: #7d8794;
    --line: #2a313a; --accent: #82abff; --measured: #63d0a0; --simulated: #73a1f7;
    --predicted: #f0a355; --exact: #6c7683; --mark: #1c2940;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 64px; display: grid; gap: 20px;
  grid-template-columns: minmax(0, 1fr); }
h1 { font-size: clamp(24px, 4vw, 34px); line-height: 1.2; letter-spacing: -0.02em; margin: 0;
  overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 8px; }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 14px;
  padding: 20px 22px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  gap: 20px; }
.scroll { overflow-x: auto; }
p, li { color: var(--soft); font-size: 13.5px; }
p { margin: 6px 0 0; }
ul { margin: 12px 0 0; padding-left: 18px; }
code { font-size: 0.88em; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 14px 6px 0; text-align: left; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { color: var(--soft); font-weight: 500; }
th.best { color: var(--accent); }
svg { display: block; width: 100%; height: auto; font-size: 12.5px; }
svg.wide { max-width: 900px; }
.grid { stroke: var(--line); }
.tick { fill: var(--faint); }
.axis { fill: var(--soft); }
.name { fill: var(--ink); font-weight: 550; }
.whisker { stroke: var(--ink); stroke-width: 1.5; opacity: 0.55; }
.front { fill: none; stroke: var(--accent); stroke-width: 2; stroke-dasharray: 6 4; }
.spot { fill: var(--surface); stroke-width: 3; stroke: var(--exact); }
.bar { fill: var(--exact); opacity: 0.75; }
.spot.measured { stroke: var(--measured); } .bar.measured { fill: var(--measured); }
.spot.simulated, .spot.emulated { stroke: var(--simulated); }
.bar.simulated, .bar.emulated { fill: var(--simulated); }
.spot.predicted { stroke: var(--predicted); } .bar.predicted { fill: var(--predicted); }
.spot.best.measured { fill: var(--measured); } .spot.best.simulated { fill: var(--simulated); }
.spot.best.predicted { fill: var(--predicted); }
i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin: 0 4px 0 10px; }
</style>
)";

}  // namespace

std::string html_page(const PlainPage& page) {
  return str(kHead, "<title>", page.title, "</title>\n</head>\n<body>\n<main>\n<header><h1>",
             page.heading, "</h1><p>", page.below, "</p></header>\n", page.body,
             "</main>\n</body>\n</html>\n");
}

std::string html_section(const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return str("<section><h2>", title, "</h2>\n", body, "</section>\n");
}

std::string html_list(const std::vector<std::string>& lines) {
  std::string html;
  for (const std::string& line : lines) html += str("<li>", html_plain(line), "</li>\n");
  return html.empty() ? "" : str("<ul>\n", html, "</ul>\n");
}

}  // namespace hone
