// Remedies: what `hone optimize` can do about a finding by itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/analyze/finding.h"
#include "hone/graph/graph.h"
#include "hone/passes/device_io.h"
#include "hone/targets/target.h"

namespace hone {

// A model as it is to be run: what remedies change.
struct Prescription {
  Graph* graph;  // As read: the target's own passes come later.
  CompileOptions* options;
  IoChange* io;  // Receives what whoever calls the model must do otherwise.
};

// What a remedy touches.
enum class Touches {
  Model,    // The graph: a file that holds the change is written.
  Running,  // Only the options it is run with.
};

struct RemedyDef {
  std::string_view id;       // "drop_softmax", as recipes name it.
  std::string_view summary;  // One sentence.
  std::vector<std::string_view> rules =
      {};  // Findings that it answers; none: tried on every model.
  Touches touches = Touches::Model;
  // Results change by more than rounding, so that only --allow-approximation lets it be tried.
  bool approximate = false;
  // Inputs or outputs change their type or order, so that only --allow-io-change lets it be tried.
  bool changes_io = false;
  // Changes the model or how it is run; false when there is nothing to change. `finding` is null
  // when a recipe is replayed, and `setting` is then what was recorded; else it receives it.
  // BadInput when a recipe's setting is none of this remedy's.
  Result<bool> (*apply)(const Prescription& model, const Finding* finding, std::string& setting);
  // For one without a rule: the settings to try in turn, as if they were recorded. Null: the empty
  // one.
  std::vector<std::string> (*settings)(const Prescription& model) = nullptr;

  bool answers(std::string_view rule) const;
};

// In the order of remedies.inc.
const std::vector<const RemedyDef*>& all_remedies();
const RemedyDef* find_remedy(std::string_view id);

}  // namespace hone
