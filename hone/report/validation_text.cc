#include "hone/report/validation_text.h"

#include <algorithm>
#include <cmath>

#include "hone/base/printable.h"
#include "hone/base/text.h"
#include "hone/base/version.h"
#include "hone/report/compare_charts.h"
#include "hone/report/markdown.h"
#include "hone/report/plain_page.h"
#include "hone/validate/layer_name.h"

namespace hone {
namespace {

using Cells = std::vector<std::string>;

// A heading, sentences, and a table: what both forms are made of.
struct Section {
  std::string title;
  std::vector<std::string> sentences = {};  // After the table.
  Cells header = {};
  std::vector<Cells> rows = {};
};

std::string number(double value, int digits) {
  if (std::isfinite(value)) return fixed(value, digits);
  return value > 0 ? "inf" : "-inf";
}

std::string with_unit(const Metric& metric) {
  const std::string value = metric_number(*metric.value);
  return metric.unit.empty() ? value : str(value, " ", metric.unit);
}

Cells metric_row(const std::string& what, const Metric& metric) {
  std::string from = str(mode_name(metric.mode), ", n ", metric.n);
  if (!metric.note.empty()) from += "; " + metric.note;
  return {what, with_unit(metric), from};
}

Section metrics(const Validation& validation) {
  Section section{.title = "Accuracy", .header = {"what", "value", "from"}};
  if (validation.metric) {
    section.rows.push_back(metric_row(validation.metric->name, *validation.metric));
  }
  // A model agrees with itself always.
  const bool agrees = validation.metric && (validation.metric->name == "agreement" ||
                                            validation.metric->name == "fidelity");
  if (validation.reference_metric && !agrees) {
    const Metric& reference = *validation.reference_metric;
    section.rows.push_back(
        metric_row(str(reference.name, " of ", validation.reference), reference));
    const double drop = drop_of(*validation.metric, reference, validation.more_is_better);
    const double part = 100 * drop / std::abs(*reference.value);
    section.rows.push_back({"drop", metric_number(drop),
                            std::isfinite(part) ? str(fixed(part, 2), " % of the reference") : ""});
  }
  if (validation.agreement) section.rows.push_back(metric_row("agreement", *validation.agreement));
  if (validation.metric && !validation.metric_why.empty()) {
    section.sentences.push_back(
        str("metric ", validation.metric->name, ": ", validation.metric_why));
  }
  if (validation.expected) {
    const ExpectedOutputs& expected = *validation.expected;
    section.sentences.push_back(
        str("expected outputs  ", expected.equal, " of ", expected.samples,
            " samples equal, largest error ", expected.max_error,
            " of the largest magnitude: ", expected.within ? "pass" : "FAIL"));
  }
  return section;
}

Cells layer_row(const LayerError& layer) {
  const auto lsb = [&](const ErrorSums& sums) {
    return layer.step ? number(sums.max_abs / *layer.step, 1) : std::string("-");
  };
  return {short_layer_name(layer.name),
          layer.op,
          number(layer.local.sqnr_db(), 1),
          number(layer.local.cosine(), 5),
          lsb(layer.local),
          number(layer.propagated.sqnr_db(), 1),
          number(layer.propagated.cosine(), 5),
          lsb(layer.propagated)};
}

// The layers that are shown, in running order.
std::vector<size_t> shown_layers(const LayerErrors& errors, size_t rows) {
  std::vector<size_t> order(errors.layers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (rows == 0 || rows >= order.size()) return order;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return errors.layers[i].local.sqnr_db(); });
  order.resize(rows);
  std::ranges::sort(order);
  return order;
}

Section layers(const Validation& validation, size_t rows) {
  const LayerErrors& errors = *validation.layers;
  Section section{
      .title = "Layers",
      .header = {"layer", "op", "local dB", "cosine", "LSB", "propagated dB", "cosine", "LSB"}};
  const std::vector<size_t> shown = shown_layers(errors, rows);
  for (const size_t i : shown) section.rows.push_back(layer_row(errors.layers[i]));
  if (shown.size() < errors.layers.size()) {
    section.sentences.push_back(
        str("the ", shown.size(), " worst of ", errors.layers.size(),
            " layers by local SQNR, in the order they run in; --rows 0 shows all"));
  }
  section.sentences.push_back(str("measured against ", validation.reference,
                                  " with the operators' references, n ", errors.samples, "; ",
                                  errors.unmatched, " nodes have no counterpart"));
  section.sentences.push_back(break_sentence(errors, validation.breaks));
  return section;
}

std::string list_of(const std::vector<int64_t>& samples) {
  constexpr size_t kMost = 20;
  const size_t shown = std::min(samples.size(), kMost);
  const std::vector<int64_t> first(samples.begin(),
                                   samples.begin() + static_cast<std::ptrdiff_t>(shown));
  return str(join(first), samples.size() > shown ? ", ..." : "");
}

Section arithmetic(const Validation& validation) {
  const ArithmeticChange& change = *validation.arithmetic;
  Section section{.title = "Arithmetic " + change.name};
  section.sentences.push_back(str(change.name, " against ", change.against, ", measured on target ",
                                  change.target, ": of ", change.samples, " samples ",
                                  change.answers.size(), " answers and ", change.outputs.size(),
                                  " outputs change"));
  if (!change.answers.empty()) {
    section.sentences.push_back(str("answers change of samples ", list_of(change.answers)));
  } else if (!change.outputs.empty()) {
    section.sentences.push_back(str("outputs change of samples ", list_of(change.outputs)));
  }
  if (change.example) {
    section.sentences.push_back(str("on sample ", *change.example, " '",
                                    short_layer_name(change.layer), "' differs first, in ",
                                    change.different, " of ", change.elements, " elements"));
  }
  if (change.metric) {
    section.sentences.push_back(
        str(change.metric->name, " with ", change.name, ": ", with_unit(*change.metric)));
  }
  return section;
}

Section gate(const Validation& validation) {
  Section section{.title = "Verdict", .header = {"what", "asked", "reached", "from", "verdict"}};
  for (const GateRow& row : validation.gate) {
    section.rows.push_back(
        {row.what, row.asked, row.reached, row.from, std::string(name_of(row.verdict))});
    if (!row.why.empty()) section.sentences.push_back(str(row.what, ": ", row.why));
  }
  section.sentences.push_back(str("verdict: ", name_of(verdict_of(validation))));
  return section;
}

std::vector<Section> sections(const Validation& validation, size_t rows) {
  std::vector<Section> list;
  if (validation.metric || validation.expected) list.push_back(metrics(validation));
  if (validation.layers) list.push_back(layers(validation, rows));
  if (validation.arithmetic) list.push_back(arithmetic(validation));
  if (!validation.gate.empty()) list.push_back(gate(validation));
  return list;
}

std::string html_table(const Section& section) {
  const auto line = [](const Cells& cells, std::string_view tag) {
    std::string html = "<tr>";
    for (const std::string& cell : cells) {
      html += str("<", tag, ">", html_plain(cell), "</", tag, ">");
    }
    return html + "</tr>\n";
  };
  std::string html = str("<div class=\"scroll\"><table>\n", line(section.header, "th"));
  for (const Cells& row : section.rows) html += line(row, "td");
  return html + "</table></div>\n";
}

}  // namespace

std::string validation_text(const Validation& validation, size_t rows) {
  std::string text;
  for (const Section& section : sections(validation, rows)) {
    if (!text.empty()) text += "\n";
    if (!section.rows.empty()) {
      Table table(section.header);
      for (const Cells& row : section.rows) table.add(row);
      text += table.to_string();
    }
    for (const std::string& sentence : section.sentences) text += printable(sentence) + "\n";
  }
  return text;
}

std::string validation_page(const Validation& validation, size_t rows, const std::string& command) {
  std::string body;
  for (const Section& section : sections(validation, rows)) {
    std::string content = section.rows.empty() ? "" : html_table(section);
    content += html_list(section.sentences);
    body += html_section(html_plain(section.title), content);
  }
  const std::string title =
      str("Validation of ", html_plain(validation.model), " on ", html_plain(validation.target));
  return html_page({.title = title,
                    .heading = str(title, ": ", name_of(verdict_of(validation))),
                    .below = str(html_plain(validation.device), "<br><code>", html_plain(command),
                                 "</code>, Hone ", version()),
                    .body = body});
}

std::string validation_markdown(const Validation& validation, size_t rows) {
  std::string text =
      str("# Validation of ", markdown_plain(validation.model), " on ",
          markdown_plain(validation.target), "\n\n", markdown_plain(validation.device), "\n\n");
  for (const Section& section : sections(validation, rows)) {
    text += str("## ", markdown_plain(section.title), "\n\n");
    std::vector<Cells> cells;
    for (const Cells& row : section.rows) {
      cells.emplace_back();
      for (const std::string& cell : row) cells.back().push_back(markdown_plain(cell));
    }
    if (!cells.empty()) text += markdown_table(section.header, cells);
    for (const std::string& sentence : section.sentences) {
      text += str("- ", markdown_plain(sentence), "\n");
    }
    text += "\n";
  }
  return text;
}

}  // namespace hone
