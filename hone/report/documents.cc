#include "hone/report/documents.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/device/device_class.h"
#include "hone/device/device_file.h"
#include "hone/device/fitted_device.h"
#include "hone/device/host.h"
#include "hone/device/measurement_plan.h"
#include "hone/report/bench_verdict.h"
#include "hone/report/compare_verdict.h"
#include "hone/report/fit_verdict.h"
#include "hone/report/report.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/results/inspection.h"
#include "hone/report/results/model_run.h"
#include "hone/report/sections/inspected_text.h"
#include "hone/report/sections/listening_text.h"
#include "hone/report/sections/roof_columns.h"
#include "hone/report/sections/verdict_tone.h"
#include "hone/report/verdict.h"
#include "hone/validate/conformance.h"

namespace hone {
namespace {

// Of one sample nothing is said.
std::string batch_text(const DeviceComparison& comparison) {
  if (comparison.terms.batch <= 1) return "";
  return str(", ", comparison.inputs, ": runs of ", comparison.terms.batch, " samples");
}

std::string counted(int64_t count, std::string_view what) {
  return str(count, " ", what, count == 1 ? "" : "s");
}

template <class T>
using SectionOf = Blocks (*)(const T&, const ShowOptions&);

template <class T>
void add_sections(const T& result, SectionOf<T> SectionDef::*of, const ShowOptions& show,
                  Document& document) {
  for (const SectionDef* section : all_sections()) {
    const bool wanted = show.only.empty() || std::ranges::count(show.only, section->title) > 0;
    if (section->*of == nullptr || !wanted) continue;
    Blocks blocks = (section->*of)(result, show);
    if (!blocks.empty()) {
      document.sections.push_back({std::string(section->title), std::move(blocks)});
    }
  }
}

// Why it is not a pass, or what passed.
std::string reason_of(const Validation& validation, Verdict verdict) {
  for (const GateRow& row : validation.gate) {
    if (verdict == Verdict::Pass || row.verdict != verdict) continue;
    return str(": ", row.what, " ", row.reached, ", asked ", row.asked,
               row.why.empty() ? "" : "; " + row.why);
  }
  const size_t limits = validation.gate.size();
  if (verdict != Verdict::Pass || limits == 0) return "";
  return limits == 1 ? str(": ", validation.gate[0].what, " ", validation.gate[0].reached,
                           ", asked ", validation.gate[0].asked)
                     : str(": within all ", limits, " limits");
}

std::string headline_of(const Validation& validation) {
  const Verdict verdict = verdict_of(validation);
  const std::string where = validation.device.empty() ? "" : str(", on ", validation.device);
  return str(name_of(verdict), where, reason_of(validation, verdict));
}

std::string headline_of(const QuantizationResult& result) {
  if (result.trials.empty()) return "";
  const QuantizationTrial& kept = result.trials.back();
  return str(result.metric, " ", fixed(result.reference, 4), " -> ", fixed(kept.metric, 4),
             ", constants ", human_bytes(result.bytes_before), " -> ",
             human_bytes(result.bytes_after),
             result.holds ? "" : "; the drop is more than was allowed");
}

std::string headline_of(const PlacementResult& result) {
  std::string text;
  if (result.nodes_on_device + result.nodes_on_host > 0) {
    text = str(result.nodes_on_device, " of ", result.nodes_on_device + result.nodes_on_host,
               " nodes run on ", result.target);
  }
  if (!result.latency || !result.latency->value) return text;
  Metric figure = *result.latency;
  figure.unit += " a run";
  figure.note.clear();  // The section on costs has it.
  return str(text, text.empty() ? "" : "; ", describe(figure));
}

// Who ran what where, as far as it was told.
std::string subject_of(const Profile& profile) {
  std::string text = str(profile.model, " on ", profile.target);
  if (!profile.device.empty() && profile.device != profile.target) {
    text += str(", ", profile.device);
  }
  // Steps of a modelled device have the precision of the model's values.
  const bool asked = profile.mode == Mode::Measured;
  if (asked && !profile.precision.empty()) text += str(", ", profile.precision);
  return text;
}

Provenance provenance_of_run(const ReportRun& run) {
  const Profile& profile = run.profile;
  Provenance from = run.from;
  from.run = {{"target", profile.target},
              {"device", profile.device},
              {"precision", profile.mode == Mode::Measured ? profile.precision : ""},
              {"seed", str(profile.seed)},
              {"started", profile.started}};
  return from;
}

}  // namespace

Document document_of(const ReportRun& run, const ShowOptions& show) {
  const Profile& profile = run.profile;
  const std::string told =
      profile.tool == "hone" ? str("seed ", profile.seed) : "told by " + profile.tool;
  Document document{.title = str(profile.model, " on ", profile.target),
                    .headline = latency_headline(profile),
                    .lead = str(subject_of(profile), ", ", told),
                    .from = provenance_of_run(run)};
  add_sections(run, &SectionDef::of_run, show, document);
  return document;
}

Document findings_document(const ReportRun& run) {
  const Profile& profile = run.profile;
  const bool modelled = profile.mode != Mode::Measured;
  const Metric* typical = typical_latency(profile);
  const int64_t n =
      typical == nullptr ? static_cast<int64_t>(profile.samples_ms.size()) : typical->n;
  Document document = document_of(run, {.only = {"Findings"}});
  document.lead = str(subject_of(profile), ": median ", millis(median_ms(profile)), " ms, ",
                      modelled ? "" : str("n ", n, ", "), mode_name(profile.mode));
  return document;
}

Document document_of(const Report& report, const ShowOptions& show) {
  const Profile& last = report.runs.back().profile;
  Document document{.title = str(last.model, " on ", last.target)};
  add_sections(report, &SectionDef::of_report, show, document);
  return document;
}

std::vector<Document> documents_of(const Report& report, const ShowOptions& show) {
  std::vector<Document> documents;
  const bool several = report.runs.size() > 1;
  if (several) documents.push_back(document_of(report, show));
  for (const ReportRun& run : report.runs) {
    Document& document = documents.emplace_back(document_of(run, show));
    if (several) document.title = str(run.label, ": ", document.title);
  }
  documents.insert(documents.end(), report.documents.begin(), report.documents.end());
  return documents;
}

Document document_of(const Validation& validation, Provenance from, const ShowOptions& show) {
  Document document{.title = str("Validation of ", validation.model, " on ", validation.target),
                    .headline = headline_of(validation),
                    .tone = tone_of(verdict_of(validation)),
                    .from = std::move(from)};
  add_sections(validation, &SectionDef::of_validation, show, document);
  return document;
}

Document document_of(const QuantizationResult& result, Provenance from, const ShowOptions& show) {
  Document document{.title = str(result.model, " quantized"),
                    .headline = headline_of(result),
                    .tone = result.holds ? Tone::Plain : Tone::Bad,
                    .from = std::move(from)};
  if (!result.target.empty()) document.title += " for " + result.target;
  add_sections(result, &SectionDef::of_quantization, show, document);
  return document;
}

Document document_of(const DeviceComparison& result, Provenance from, const ShowOptions& show) {
  const auto ran = std::ranges::count(result.devices, "", &DeviceFigures::failed);
  Document document{.title = str(result.model, " on ", counted(ran, "device")),
                    .headline = comparison_verdict(result),
                    .lead = result.model + batch_text(result),
                    .from = std::move(from)};
  add_sections(result, &SectionDef::of_comparison, show, document);
  return document;
}

Document document_of(const ModelComparison& result, Provenance from, const ShowOptions& show) {
  const size_t devices = result.devices.size();
  const std::string where = devices == 1 ? result.devices[0].device : str(devices, " devices");
  Document document{.title = str(result.models.size(), " models on ", where),
                    .headline = models_verdict(result),
                    .from = std::move(from)};
  document.lead = document.title;
  add_sections(result, &SectionDef::of_models, show, document);
  return document;
}

Document document_of(const PlacementResult& result, Provenance from, const ShowOptions& show) {
  Document document{.title = str(result.model, " compiled for ", result.target),
                    .headline = headline_of(result),
                    .lead = str(result.model, " compiled for ", result.target, " in ",
                                human_duration(result.compile_seconds)),
                    .from = std::move(from)};
  add_sections(result, &SectionDef::of_placement, show, document);
  return document;
}

Document document_of(const Inspection& inspection, Provenance from, const ShowOptions& show) {
  Document document{.title = inspection.model,
                    .headline = inspection_headline(inspection),
                    .from = std::move(from)};
  add_sections(inspection, &SectionDef::of_inspection, show, document);
  return document;
}

Document document_of(const Inspection& inspection, const ShowOptions& show) {
  return document_of(inspection, {}, show);
}

namespace {

// "132 multiprocessors, CUDA 13.0", or "2 threads".
std::string parts_of(const DeviceFile& machine) {
  if (machine.processors > 0) {
    return str(machine.processors, " multiprocessors, ", machine.driver);
  }
  return str(machine.threads, machine.threads == 1 ? " thread" : " threads");
}

// "at most 95.3 GOP/s in fp32 and 21.0 GB/s read from DRAM, on 2 threads (measured)".
std::string headline_of(const DeviceFile& machine) {
  const RoofColumn all = roof_columns(machine).back();
  std::vector<std::string> parts;
  if (!machine.compute.empty()) {
    const ComputeRoof& roof = machine.compute[0];
    parts.push_back(str(giga(roof.ops.*all.rate), " GOP/s in ", roof.precision));
  }
  if (!machine.memory.empty()) {
    const MemoryLevel& level = machine.memory.back();
    parts.push_back(str(giga(level.read.*all.rate), " GB/s read from ", level.name));
  }
  if (parts.empty()) return "";
  return str("at most ", join(parts, " and "), ", on ", all.threads, " (", mode_name(machine.mode),
             ")");
}

}  // namespace

Document document_of(const DeviceFile& machine) {
  Document document{
      .title = str("Roofs of ", machine.name),
      .headline = headline_of(machine),
      .lead = str(machine.name, ", ", parts_of(machine),
                  machine.without.empty() ? "" : str(", without ", machine.without), "; ",
                  mode_name(machine.mode),
                  ", the best of n bursts; a multiply-add is two operations, a copied byte two "
                  "bytes")};
  add_sections(machine, &SectionDef::of_machine, {}, document);
  return document;
}

Document document_of(const HostReport& host) {
  Document document{.title = "This machine"};
  add_sections(host, &SectionDef::of_host, {}, document);
  return document;
}

namespace {

// Files by their names, as long as these are all different.
BenchRun by_file_names(const BenchRun& run) {
  const auto name_of = [](const std::string& model) {
    return std::filesystem::path(model).filename().string();
  };
  BenchRun named = run;
  for (BenchedNetwork& network : named.networks) {
    const std::string name = name_of(network.model);
    const bool alone = std::ranges::none_of(run.networks, [&](const BenchedNetwork& other) {
      return other.model != network.model && name_of(other.model) == name;
    });
    if (!network.result || name.empty() || name == network.model || !alone) continue;
    network.whole = std::exchange(network.model, name);
  }
  return named;
}

}  // namespace

Document document_of(const BenchRun& given, Provenance from, const ShowOptions& show) {
  const BenchRun run = show.page ? by_file_names(given) : given;
  const bool all_timed =
      std::ranges::all_of(run.networks, [](const auto& each) { return each.result.has_value(); });
  Document document{.title = str("Networks on ", run.target),
                    .headline = bench_verdict(run),
                    .tone = all_timed ? Tone::Plain : Tone::Warn,
                    .from = std::move(from)};
  add_sections(run, &SectionDef::of_bench, show, document);
  return document;
}

Document document_of(const BenchRun& run, const ShowOptions& show) {
  return document_of(run, {}, show);
}

Document document_of(const ConformanceResult& result, const ShowOptions& show) {
  Document document{.title = "Conformance"};
  add_sections(result, &SectionDef::of_conformance, show, document);
  return document;
}

Document document_of(const FittedDevice& fit, Provenance from, const ShowOptions& show) {
  const int64_t points = fit.device.fit->points;
  Document document{.title = str(fit.device.name, ", fitted"),
                    .headline = fit_verdict(fit),
                    .lead = str(fit.device.name, ", fitted to ", points,
                                points == 1 ? " measured point" : " measured points"),
                    .from = std::move(from)};
  add_sections(fit, &SectionDef::of_fit, show, document);
  return document;
}

Document document_of(const FittedDevice& fit) {
  return document_of(fit, {}, {});
}

Document document_of(const DeviceClass& learned) {
  const ClassEvidence& from = learned.evidence;
  Document document{
      .title = str(learned.name, ", learned"),
      .lead =
          str(learned.name, ", ", learned.precision, ": learned from ", counted(from.rows, "time"),
              " of ", counted(from.networks, "network"), " on ", counted(from.devices, "device"))};
  add_sections(learned, &SectionDef::of_class, {}, document);
  return document;
}

Document document_of(const MeasurementPlan& plan) {
  Document document{
      .title = str("What to measure on ", plan.device),
      .lead = str(plan.device, ", class ", plan.of_class, ", ", plan.precision,
                  ", points: ", plan.points, "; typical interval of the class's networks now: +",
                  fixed(100 * plan.half_width, 0), " % (predicted)")};
  add_sections(plan, &SectionDef::of_plan, {}, document);
  return document;
}

Document document_of(const ModelRun& run) {
  Document document{.title = "A run"};
  add_sections(run, &SectionDef::of_model_run, {}, document);
  return document;
}

Document document_of(const ListeningPower& power, Provenance from, const ShowOptions& show) {
  Document document{.title = str(power.model, " listens all day"),
                    .headline = listening_headline(power),
                    .lead = str(power.model, " listens all day on ", power.system),
                    .from = std::move(from)};
  add_sections(power, &SectionDef::of_listening, show, document);
  return document;
}

}  // namespace hone
