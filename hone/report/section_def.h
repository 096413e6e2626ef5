// Sections of documents: each says one thing about a result, in blocks that every writer can write.
#pragma once

#include <string_view>
#include <vector>

#include "hone/base/hint.h"
#include "hone/profile/comparison.h"
#include "hone/profile/model_comparison.h"
#include "hone/report/document/document.h"
#include "hone/report/results/placement_result.h"
#include "hone/report/results/quantization_result.h"
#include "hone/validate/validation.h"

namespace hone {

struct BenchRun;
struct ConformanceResult;
struct DeviceClass;
struct DeviceFile;
struct FittedDevice;
struct HostReport;
struct Inspection;
struct ListeningPower;
struct MeasurementPlan;
struct ModelRun;
struct Report;
struct ReportRun;

struct ShowOptions {
  size_t rows = 20;       // Of long tables; 0: all.
  bool page = false;      // There is more room than on a terminal.
  bool steps = false;     // Of profiles every step by itself, not rolled up to the user's layers.
  bool in_order = false;  // Of profiles in running order, not by time.
  bool passed = false;    // Of tests those that passed, too.
  std::vector<std::string_view> only = {};  // Titles of the sections that are wanted; none: all.
  HintWords words = nullptr;                // For hints; without, none is shown.
};

// A section is about one kind of result, or about several. Without blocks it is left out.
struct SectionDef {
  std::string_view title;
  Blocks (*of_report)(const Report&, const ShowOptions&) = nullptr;  // Several runs together.
  Blocks (*of_run)(const ReportRun&, const ShowOptions&) = nullptr;
  Blocks (*of_validation)(const Validation&, const ShowOptions&) = nullptr;
  Blocks (*of_quantization)(const QuantizationResult&, const ShowOptions&) = nullptr;
  Blocks (*of_comparison)(const DeviceComparison&, const ShowOptions&) = nullptr;
  Blocks (*of_models)(const ModelComparison&, const ShowOptions&) = nullptr;
  Blocks (*of_placement)(const PlacementResult&, const ShowOptions&) = nullptr;
  Blocks (*of_inspection)(const Inspection&, const ShowOptions&) = nullptr;
  Blocks (*of_machine)(const DeviceFile&, const ShowOptions&) = nullptr;  // Its roofs.
  Blocks (*of_host)(const HostReport&, const ShowOptions&) = nullptr;
  Blocks (*of_bench)(const BenchRun&, const ShowOptions&) = nullptr;
  Blocks (*of_conformance)(const ConformanceResult&, const ShowOptions&) = nullptr;
  Blocks (*of_fit)(const FittedDevice&, const ShowOptions&) = nullptr;
  Blocks (*of_class)(const DeviceClass&, const ShowOptions&) = nullptr;
  Blocks (*of_plan)(const MeasurementPlan&, const ShowOptions&) = nullptr;
  Blocks (*of_listening)(const ListeningPower&, const ShowOptions&) = nullptr;
  Blocks (*of_model_run)(const ModelRun&, const ShowOptions&) = nullptr;
};

// In the order of sections.inc, which is their order in a document.
const std::vector<const SectionDef*>& all_sections();

}  // namespace hone
