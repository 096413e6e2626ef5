#include <algorithm>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/profile/engines.h"
#include "hone/report/report.h"
#include "hone/targets/common/references.h"

namespace hone {
namespace {

// Those with a value one by one; those without in one line per reason.
Facts facts_of(const std::vector<Metric>& metrics) {
  Facts facts;
  std::vector<std::pair<std::string, std::string>> missing;  // Reason, names.
  for (const Metric& metric : metrics) {
    if (metric.value) {
      facts.items.emplace_back(metric.name, describe(metric));
    } else if (!missing.empty() && missing.back().first == metric.note) {
      missing.back().second += str(", ", metric.name);
    } else {
      missing.emplace_back(metric.note, metric.name);
    }
  }
  for (const auto& [reason, names] : missing) {
    facts.items.emplace_back(names, str("unavailable: ", reason));
  }
  return facts;
}

// Of the steps that have a name here.
using NameOfStep = std::string (*)(const StepProfile& step);

References steps_named(const Profile& profile, NameOfStep name_of_step) {
  References found{.steps = profile.steps.size(), .ops = {}, .percent = {}};
  double us = 0, all = 0;
  for (const StepProfile& step : profile.steps) {
    all += step.us;
    const std::string name = name_of_step(step);
    if (name.empty()) continue;
    ++found.count;
    ++found.ops[name];
    us += step.us;
  }
  found.percent = 100 * us / std::max(all, 1e-9);
  return found;
}

std::string op_without_kernel(const StepProfile& step) {
  return step.kind.reference ? step.op : "";
}

std::string plain_kernel(const StepProfile& step) {
  return runs_plain_kernel(step.kind) ? step.kind.work : "";
}

Facts references_of(const Profile& profile) {
  if (profile.mode != Mode::Measured) return {};
  const References references = steps_named(profile, op_without_kernel);
  const References plain = steps_named(profile, plain_kernel);
  Facts facts;
  if (references.count > 0) facts.items.emplace_back("references", text_of(references));
  if (plain.count > 0) {
    facts.items.emplace_back(
        "plain kernels", text_of(plain, "the CPU has, or is left, no features for faster ones"));
  }
  return facts;
}

// Of firmware it is known what is linked and, on microcontrollers, how deep its stack was.
Facts memory_of_firmware(const Profile& profile) {
  const auto bytes = [&](std::string_view name) {
    const Metric* metric = find_metric(profile.memory, name);
    return metric == nullptr ? 0 : static_cast<uint64_t>(metric->value.value_or(0));
  };
  const uint64_t code = bytes("code"), weights = bytes("weights");
  const uint64_t activations = bytes("activations"), stack = bytes("stack");
  if (find_metric(profile.memory, "stack") == nullptr) {
    Facts facts{
        {{"memory", str("code ", human_bytes(code), ", weights and tables ", human_bytes(weights),
                        ", arena, inputs and outputs ", human_bytes(activations), " (exact)")}}};
    if (const Metric* vtcm = find_metric(profile.memory, "vtcm")) {
      facts.items.emplace_back("VTCM", str(human_bytes(bytes("vtcm")), " (exact); ", vtcm->note));
    }
    return facts;
  }
  return {{{"flash", str(human_bytes(code + weights), " (exact): code ", human_bytes(code),
                         ", weights and tables ", human_bytes(weights))},
           {"RAM",
            str(human_bytes(activations + stack), ": arena, inputs and outputs ",
                human_bytes(activations), " (exact), stack ", human_bytes(stack), " (emulated)")}}};
}

Facts memory_of(const Profile& profile) {
  if (find_metric(profile.memory, "code") != nullptr) return memory_of_firmware(profile);
  if (profile.arena_bytes == 0) return {};
  return {{{"memory", str("arena ", human_bytes(profile.arena_bytes), ", weights ",
                          human_bytes(profile.weight_bytes))}}};
}

Sentences notes_of(const Profile& profile) {
  Sentences sentences;
  for (const std::string& note : profile.notes) sentences.lines.push_back("note: " + note);
  for (const std::string& why : profile.unstable) sentences.lines.push_back("unstable: " + why);
  return sentences;
}

// On a page one list is easier to read than five.
void add_facts(const Facts& facts, bool page, Blocks& blocks) {
  Facts* last = blocks.empty() ? nullptr : std::get_if<Facts>(&blocks.back());
  if (!page || last == nullptr) {
    blocks.push_back(facts);
  } else {
    last->items.insert(last->items.end(), facts.items.begin(), facts.items.end());
  }
}

Blocks measurement_blocks(const ReportRun& run, const ShowOptions& show) {
  const Profile& profile = run.profile;
  const bool engines = has_engines(profile);
  Blocks blocks;
  const auto add = [&](const Facts& facts) { add_facts(facts, show.page, blocks); };
  add(references_of(profile));
  add(facts_of(profile.overhead));
  add(facts_of(profile.system));
  if (!engines) add(facts_of(profile.counters));
  add(facts_of(profile.energy));
  if (!engines) add(memory_of(profile));
  if (show.page) add(facts_of(profile.roofs));
  blocks.push_back(notes_of(profile));
  return blocks;
}

}  // namespace

extern const SectionDef section_measurement = {.title = "How it was measured",
                                               .of_run = measurement_blocks};

}  // namespace hone
