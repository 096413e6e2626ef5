// Diagnoses a model, tries what can be done about each finding, keeps what proves itself: what
// `hone optimize` does.
#pragma once

#include <functional>

#include "hone/analyze/remedy_def.h"
#include "hone/workbench/diagnose_model.h"

namespace hone {

struct OptimizeOptions {
  double least_part = 0.01;    // Of the run, that a remedy must gain to be kept.
  double max_error = 0.01;     // Of the largest output: how far results may move.
  bool approximate = false;    // Try remedies after which a model should be trained again.
  double compare_seconds = 1;  // For each remedy.
};

// A remedy that was tried: what its finding promised and what it brought.
struct LedgerEntry {
  std::string rule;
  std::string title;        // Of the finding.
  std::string remedy;       // "use_precision bf16".
  double predicted_ms = 0;  // 0 when the rule could not tell.
  double obtained_ms = 0;
  double error = 0;  // Of the largest output, against the model as it was given.
  bool kept = false;
  std::string why = {};  // One sentence.
};

// What was done, in words that can be done again.
struct Recipe {
  std::string model;
  std::string target;
  CompileOptions options;
  struct Entry {
    std::string remedy;
    std::string setting;  // "bf16"; empty where the remedy has none.
  };
  std::vector<Entry> entries;
};

struct Optimization {
  Profile before;
  Profile after;
  std::vector<Finding> findings;  // Of the model as it was given.
  std::vector<LedgerEntry> ledger;
  Recipe recipe;
  Graph graph;  // With what was kept.
};

// Leaves the model's graph as it is. `progress` is told what is being tried.
Result<Optimization> optimize_model(const Model& model, ProfileRequest request,
                                    const OptimizeOptions& options,
                                    const std::function<void(const std::string&)>& progress = {});

// TOML, and back. BadInput names the key.
std::string recipe_text(const Recipe& recipe);
Result<Recipe> parse_recipe(std::string_view text, const std::string& file);

// What the recipe did to its model's graph, done to this one. How to run it stands in the recipe's
// options. Gives the remedies that found nothing to do.
Result<std::vector<std::string>> apply_recipe(const Recipe& recipe, Graph& graph);

}  // namespace hone
