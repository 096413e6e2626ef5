#include "hone/report/documents.h"

#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/sections/verdict_tone.h"

namespace hone {
namespace {

template <class T>
using SectionOf = Blocks (*)(const T&, const ShowOptions&);

template <class T>
void add_sections(const T& result, SectionOf<T> SectionDef::*of, const ShowOptions& show,
                  Document& document) {
  for (const SectionDef* section : all_sections()) {
    if (section->*of == nullptr) continue;
    Blocks blocks = (section->*of)(result, show);
    if (!blocks.empty()) {
      document.sections.push_back({std::string(section->title), std::move(blocks)});
    }
  }
}

std::string headline_of(const Validation& validation) {
  const std::string verdict(name_of(verdict_of(validation)));
  return validation.device.empty() ? verdict : str(verdict, ", on ", validation.device);
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
  return str(text, text.empty() ? "" : "; ", describe(*result.latency), " a run");
}

}  // namespace

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
  Document document{.title = str(result.model, " on ", result.devices.size(), " devices"),
                    .lead = result.model,
                    .from = std::move(from)};
  add_sections(result, &SectionDef::of_comparison, show, document);
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

}  // namespace hone
