#include <algorithm>

#include "hone/base/printable.h"
#include "hone/base/str.h"
#include "hone/profile/engines.h"
#include "hone/report/profile_text.h"

namespace hone {
namespace {

constexpr size_t kLongestCell = 32'000;  // Of 32,767 that Excel takes.

// Spreadsheets compute cells that begin like this; a name from a file is none of their formulas.
bool is_formula(const std::string& text) {
  return !text.empty() && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
}

// As much of a text as a cell of a spreadsheet holds, on one line.
std::string quoted(const std::string& from) {
  std::string text = printable(from, kLongestCell);
  if (is_formula(text)) text.insert(0, 1, '\'');
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string sources_of(const Profile& profile, const StepProfile& step) {
  std::vector<std::string> names;
  for (const size_t source : step.sources) names.push_back(profile.sources[source].name);
  return join(names, " ");
}

template <class T>
std::string or_empty(const std::optional<T>& value) {
  return value ? str(*value) : "";
}

// Counts of operations and bytes, and what follows from them. Other tools may not tell them: then
// they are empty, not 0.
std::string counts_of(const Profile& profile, const StepProfile& step) {
  const bool ours = profile.tool == "hone";
  const double us = step.us > 0 ? step.us : 1e-9;
  const auto cell = [](bool told, auto value) { return told ? str(value, ",") : ","; };
  const bool flops = ours || step.flops > 0;
  const bool bytes = ours || step.bytes() > 0;
  return cell(flops, step.macs) + cell(flops, step.flops) + cell(bytes, step.weight_bytes) +
         cell(bytes, step.read_bytes) + cell(bytes, step.written_bytes) +
         cell(flops && bytes, intensity(step)) +
         cell(flops, static_cast<double>(step.flops) / us * 1e-3) +
         cell(bytes, static_cast<double>(step.bytes()) / us * 1e-3);
}

// Of any step, in the order they first occur: steps need not all have the same.
std::vector<std::string> counter_names(const Profile& profile) {
  std::vector<std::string> names;
  for (const StepProfile& step : profile.steps) {
    for (const Metric& metric : all_counters(profile, step)) {
      if (std::ranges::find(names, metric.name) == names.end()) names.push_back(metric.name);
    }
  }
  return names;
}

std::string counters_of(const std::vector<Metric>& counters,
                        const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const Metric* metric = find_metric(counters, name);
    text += "," + (metric == nullptr ? "" : or_empty(metric->value));
  }
  return text;
}

}  // namespace

std::string profile_csv(const Profile& profile) {
  std::string text =
      "step,name,op,kernel,precision,layout,output,reference,us_median,us_p10,us_p90,share,busy,"
      "macs,flops,weight_bytes,read_bytes,written_bytes,flops_per_byte,gflops,gbytes_per_second,"
      "roof_us,bound,arena_offset,live_before,live_during,live_after,mode,layers";
  const std::vector<std::string> counters = counter_names(profile);
  for (const std::string& name : counters) text += "," + quoted(name);
  text += "\n";
  for (size_t s = 0; s < profile.steps.size(); ++s) {
    const StepProfile& step = profile.steps[s];
    text += str(
        s, ",", quoted(step.name), ",", quoted(step.op), ",", quoted(kernel_name(step.kind)), ",",
        name_of(step.kind.precision), ",", step.layout, ",", quoted(step.output), ",",
        step.kind.reference, ",", step.us, ",", step.us_p10, ",", step.us_p90, ",", step.share, ",",
        or_empty(step.busy), ",", counts_of(profile, step), or_empty(step.roof_us), ",", step.bound,
        ",", or_empty(step.arena_offset), ",", step.live_before, ",", step.live_during, ",",
        step.live_after, ",", mode_name(profile.mode), ",", quoted(sources_of(profile, step)),
        counters_of(all_counters(profile, step), counters), "\n");
  }
  return text;
}

}  // namespace hone
