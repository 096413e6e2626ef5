#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "hone/base/json_text.h"
#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/str.h"
#include "hone/base/version.h"
#include "hone/report/document/charts.h"
#include "hone/report/document/frame.h"
#include "hone/report/document/tone.h"
#include "hone/report/document/writers.h"

namespace hone {

// document.html with its style and scripts, made at build time (cmake/EmbedPage.cmake).
extern const std::string_view report_document;

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestText = 4000;  // Letters of anything: a name can be a book.
constexpr size_t kShortCell = 36;      // Letters that stand on one line of a table,
constexpr size_t kLongCell = 72;       // and on a few narrow ones.
constexpr size_t kLongestBox = 120;    // Of a box in a drawing, which shows some of them.
constexpr size_t kTallTable = 16;      // Rows that a page shows without scrolling.
constexpr size_t kFewCompared = 4;     // Columns that stand beside each other on a page.

std::string in_chip(const std::string& text, Tone tone) {
  return str("<span class=\"verdict_chip ", css_name(tone), "\">", html_plain(text), "</span>");
}

// An arrow of two letters could be broken between them. Commands keep theirs.
std::string html_words(std::string text) {
  for (size_t at = 0; (at = text.find(" -> ", at)) != std::string::npos;) {
    text.replace(at, 4, " → ");
  }
  return html_plain(text);
}

std::string html_of(const Paragraph& paragraph) {
  return str("<p class=\"plain\">", html_words(paragraph.text), "</p>\n");
}

std::string html_of(const Sentences& sentences) {
  std::string html;
  for (const std::string& line : sentences.lines) html += str("<li>", html_words(line), "</li>\n");
  return html.empty() ? "" : str("<ul class=\"notes\">\n", html, "</ul>\n");
}

std::string html_of(const Facts& facts, std::string_view css = "facts") {
  std::string html;
  for (const auto& [name, value] : facts.items) {
    html += str("<div><dt>", html_plain(name), "</dt><dd>", html_plain(value), "</dd></div>\n");
  }
  return html.empty() ? "" : str("<dl class=\"", css, "\">\n", html, "</dl>\n");
}

std::string html_heading(const std::string& heading) {
  return heading.empty() ? "" : str("<p class=\"plain\">", html_plain(heading), "</p>\n");
}

// The page's scripts give the button its meaning (copy.js).
std::string html_command(const std::string& command) {
  return str("<div class=\"copyable\"><code>", html_plain(command),
             "</code><button type=\"button\" class=\"ghost small copy\">copy</button></div>");
}

// `rank` may be empty.
std::string html_of(const ListItem& item, const std::string& rank) {
  return str("<div class=\"finding\"><span class=\"rank\">", rank,
             "</span><div class=\"body\"><h3>", html_plain(item.title), "</h3>",
             html_of(item.facts), "</div></div>\n");
}

std::string html_of(const ItemList& list) {
  std::string html = html_heading(list.heading);
  for (const ListItem& item : list.items) html += html_of(item, "");
  return html;
}

std::string html_of(const NumberedList& list) {
  std::string html = html_heading(list.heading);
  size_t number = list.first;
  for (const ListItem& item : list.items) html += html_of(item, str(number++));
  return html;
}

std::string html_of(const Listing& listing) {
  std::string lines;
  std::istringstream text(listing.text);
  for (std::string line; std::getline(text, line);) lines += html_plain(line) + "\n";
  return lines.empty() ? "" : str("<pre>", lines, "</pre>\n");
}

std::string html_cell_of(const Cell& cell, const Column& column, bool first) {
  const std::string_view tag = first ? "th scope=\"row\"" : "td";
  const size_t letters = cell.text.size();
  const std::string_view css = column.number          ? " class=\"num\""
                               : letters > kLongCell  ? " class=\"words\""
                               : letters > kShortCell ? " class=\"wrap\""
                                                      : "";
  const std::string inside =
      cell.tone == Tone::Plain ? html_words(cell.text) : in_chip(cell.text, cell.tone);
  const std::string whole =
      cell.whole.empty() ? "" : str(" title=\"", html_plain(cell.whole), "\"");
  return str("<", tag, css, whole, ">", inside, first ? "</th>" : "</td>");
}

// A head without a word is no head.
std::string head_of(const Column& column) {
  const std::string_view css = column.number ? " class=\"num\"" : "";
  if (column.name.empty()) return str("<td", css, "></td>");
  return str("<th scope=\"col\"", css, ">", html_plain(column.name), "</th>");
}

// Rows become columns.
DataTable turned(const DataTable& data) {
  DataTable result{.columns = {data.columns[0]}};
  for (const TableRow& row : data.rows) result.columns.push_back({row[0].text});
  for (size_t c = 1; c < data.columns.size(); ++c) {
    TableRow& line = result.rows.emplace_back(TableRow{data.columns[c].name});
    for (const TableRow& row : data.rows) line.push_back(row[c]);
  }
  return result;
}

std::string html_of(const DataTable& data) {
  if (data.rows.empty()) return "";
  if (data.turned && data.columns.size() > kFewCompared + 1) return html_of(turned(data));
  // What is compared by columns has no order of lines.
  std::string html =
      str("<div class=\"scroll", data.rows.size() > kTallTable && !data.turned ? " tall" : "",
          "\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"data still",
          data.turned ? " ordered" : "", "\">\n<thead><tr>");
  for (const Column& column : data.columns) html += head_of(column);
  html += "</tr></thead>\n<tbody>\n";
  for (const TableRow& row : data.rows) {
    html += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) html += html_cell_of(row[c], data.columns[c], c == 0);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string figure(const std::string& title, const std::string& caption, const std::string& svg) {
  if (svg.empty()) return "";
  const std::string below = caption.empty() ? ""
                                            : str("<figcaption class=\"caption\">",
                                                  html_plain(caption), "</figcaption>\n");
  return str("<figure><h3>", html_plain(title),
             "</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"",
             html_plain(title), "\">\n", svg, "</div>\n", below, "</figure>\n");
}

// One of the two is shown, as the buttons say (scales.js); logarithmic unless one asks.
std::string with_scales(const std::string& logarithmic, const std::string& linear) {
  if (logarithmic.empty()) return "";
  return str(
      "<div class=\"segments scales\" role=\"group\" aria-label=\"Scale\">"
      "<button type=\"button\" data-scale=\"log\" aria-pressed=\"true\">logarithmic</button>"
      "<button type=\"button\" data-scale=\"linear\" aria-pressed=\"false\">linear</button></div>\n"
      "<div data-scale=\"log\">\n",
      logarithmic, "</div>\n<div data-scale=\"linear\" hidden>\n", linear, "</div>\n");
}

std::string html_of(const BarChart& chart) {
  if (!chart.logarithmic) return figure(chart.title, chart.caption, svg_of(chart));
  BarChart linear = chart;
  linear.logarithmic = false;
  return figure(chart.title, chart.caption, with_scales(svg_of(chart), svg_of(linear)));
}

std::string html_of(const PartsChart& chart) {
  return figure(chart.title, "", svg_of(chart));
}

std::string html_of(const StackedChart& chart) {
  return figure(chart.title, chart.caption, svg_of(chart));
}

std::string html_of(const StepChart& chart) {
  return figure(chart.title, chart.caption, svg_of(chart));
}

std::string html_of(const ScatterChart& chart) {
  ScatterChart linear = chart;
  linear.linear_x = linear.linear_y = true;
  return figure(chart.title, chart.caption, with_scales(svg_of(chart), svg_of(linear)));
}

Json network_json(const NetworkChart& chart) {
  Json boxes = Json::array();
  for (const NetworkBox& box : chart.boxes) {
    boxes.push_back({{"name", printable(short_name(box.name, kLongestBox))},
                     {"about", printable(box.about, kLongestBox)},
                     {"heat", box.heat ? Json(*box.heat) : Json()},
                     {"reads", box.reads}});
  }
  return boxes;
}

// The page's scripts draw it (network.js).
std::string html_of(const NetworkChart& chart) {
  if (chart.boxes.empty()) return "";
  return str("<figure class=\"wide\"><h3>", html_plain(chart.title),
             "</h3>\n<div class=\"network\" tabindex=\"0\" role=\"group\" aria-label=\"",
             html_plain(chart.title), "\"><script type=\"application/json\">",
             json_for_script(json_text(network_json(chart))),
             "</script></div>\n<figcaption class=\"caption\">", html_plain(chart.caption),
             "</figcaption></figure>\n");
}

// `of`: what result it is of; empty where the page has one.
std::string section_of(const std::string& id, const std::string& title, const std::string& of,
                       const std::string& body) {
  if (body.empty()) return "";
  return str("<section class=\"doc\" id=\"", id, "\" data-nav=\"", html_plain(title), "\">\n<h2",
             of.empty() ? "" : str(" data-of=\"", html_plain(of), "\""), ">", html_plain(title),
             "</h2>\n", body, "</section>\n");
}

std::string html_body(const DocumentSection& section) {
  std::string body;
  for (const Block& block : section.blocks) {
    body += std::visit([](const auto& each) { return html_of(each); }, block);
  }
  return body;
}

std::string html_provenance(const Provenance& from) {
  Facts facts = facts_of(from);
  std::erase_if(facts.items, [](const auto& item) { return item.first == "command"; });
  const std::string command = from.command.empty() ? "" : html_command(from.command) + "\n";
  return command + html_of(facts, "facts wide");
}

std::string html_next(const std::vector<NextStep>& steps) {
  std::string html;
  for (const NextStep& step : steps) {
    html += str("<li>", html_plain(step.what),
                step.command.empty() ? "" : html_command(step.command), "</li>\n");
  }
  return html.empty() ? "" : str("<ul class=\"next\">\n", html, "</ul>\n");
}

std::string hero(const Document& document, const std::string& id) {
  std::string html =
      str("<div class=\"doc_hero\" id=\"", id, "\">\n<h1>", html_plain(document.title), "</h1>\n");
  if (!document.headline.empty()) {
    const std::string_view tone = css_name(document.tone);
    html += str("<p class=\"verdict", tone.empty() ? "" : " state ", tone, "\">",
                html_words(document.headline), "</p>\n");
  }
  return str(html, html_next(document.next), "</div>\n");
}

}  // namespace

std::string_view css_name(Tone tone) {
  switch (tone) {
    case Tone::Plain:
      return "";
    case Tone::Good:
      return "good";
    case Tone::Warn:
      return "warn";
    case Tone::Bad:
      return "bad";
  }
  return "";
}

std::string html_plain(std::string_view text) {
  std::string result;
  for (const char c : printable(text, kLongestText)) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '&') {
      result += "&amp;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string html_document(const Document& document, const std::string& id, bool among_others) {
  const std::string of = among_others ? document.title : "";
  std::string html = hero(document, id);
  for (size_t s = 0; s < document.sections.size(); ++s) {
    const DocumentSection& section = document.sections[s];
    html += section_of(str(id, "_", s), section.title, of, html_body(section));
  }
  return html +
         section_of(id + "_from", "Environment and provenance", of, html_provenance(document.from));
}

namespace {

// What each comes to, so that the first does not speak for all.
std::string list_of(const std::vector<Document>& documents) {
  std::string html = str("<ul class=\"results\">\n");
  for (size_t d = 0; d < documents.size(); ++d) {
    const Document& each = documents[d];
    const std::string_view tone = css_name(each.tone);
    html += str("<li><a href=\"#d", d, "\">", html_plain(each.title), "</a> <span class=\"",
                tone.empty() ? "" : str("state ", tone), "\">", html_words(each.headline),
                "</span></li>\n");
  }
  return html + "</ul>\n";
}

}  // namespace

std::string document_page(const std::vector<Document>& documents) {
  const bool several = documents.size() > 1;
  std::string body = several ? list_of(documents) : "";
  for (size_t d = 0; d < documents.size(); ++d) {
    body += html_document(documents[d], str("d", d), several);
  }
  const std::string title =
      documents.size() == 1 ? documents[0].title : str(documents.size(), " results");
  return fill_frame(report_document, {{"@TITLE@", html_plain(title)},
                                      {"@DOCUMENTS@", body},
                                      {"@VERSION@", std::string(version())}});
}

}  // namespace hone
