#include <cmath>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

std::string with_unit(const Metric& metric) {
  const std::string value = metric_number(*metric.value);
  return metric.unit.empty() ? value : str(value, " ", metric.unit);
}

TableRow metric_row(const std::string& what, const Metric& metric) {
  std::string from = str(mode_name(metric.mode), ", n ", metric.n);
  if (!metric.note.empty()) from += "; " + metric.note;
  return {what, with_unit(metric), from};
}

// A model agrees with itself always.
bool is_agreement(const Metric& metric) {
  return metric.name == "agreement" || metric.name == "fidelity";
}

void add_reference(const Validation& validation, DataTable& table) {
  const Metric& reference = *validation.reference_metric;
  table.rows.push_back(metric_row(str(reference.name, " of ", validation.reference), reference));
  const double drop = drop_of(*validation.metric, reference, validation.more_is_better);
  const double part = 100 * drop / std::abs(*reference.value);
  table.rows.push_back({"drop", metric_number(drop),
                        std::isfinite(part) ? str(fixed(part, 2), " % of the reference") : ""});
}

Sentences sentences_of(const Validation& validation) {
  Sentences sentences;
  if (!validation.data_how.empty()) sentences.lines.push_back(validation.data_how);
  if (validation.metric && !validation.metric_why.empty()) {
    sentences.lines.push_back(str("metric ", validation.metric->name, ": ", validation.metric_why));
  }
  if (validation.expected) {
    const ExpectedOutputs& expected = *validation.expected;
    sentences.lines.push_back(
        str("expected outputs  ", expected.equal, " of ", expected.samples,
            " samples equal, largest error ", expected.max_error,
            " of the largest magnitude: ", expected.within ? "pass" : "FAIL"));
  }
  return sentences;
}

Blocks accuracy_blocks(const Validation& validation, const ShowOptions&) {
  if (!validation.metric && !validation.expected) return {};
  DataTable table{.columns = {{"what"}, {"value", true}, {"from"}}};
  if (validation.metric) {
    table.rows.push_back(metric_row(validation.metric->name, *validation.metric));
  }
  if (validation.metric && validation.reference_metric && !is_agreement(*validation.metric)) {
    add_reference(validation, table);
  }
  if (validation.agreement) table.rows.push_back(metric_row("agreement", *validation.agreement));
  return {table, sentences_of(validation)};
}

}  // namespace

extern const SectionDef section_accuracy = {.title = "Accuracy", .of_validation = accuracy_blocks};

}  // namespace hone
