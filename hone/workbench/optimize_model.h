// Diagnoses a model, tries what can be done about it, keeps what proves itself, writes that as a
// file and measures the file: what `hone optimize` does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "hone/analyze/remedy_def.h"
#include "hone/profile/compare_programs.h"
#include "hone/validate/data_set.h"
#include "hone/validate/limits.h"
#include "hone/workbench/diagnose_model.h"

namespace hone {

// Samples that decide, in place of how far outputs move.
struct OptimizeData {
  const DataSet* calibrate_on = nullptr;  // Never null.
  const DataSet* judge_on = nullptr;      // Null: those that calibration leaves.
  std::string metric;                     // Empty: chosen from the data.
  DropLimit max_drop;
};

struct OptimizeOptions {
  double least_part = 0.01;    // Of the run, that a remedy must gain to be kept.
  double max_error = 0.01;     // Of the largest output: how far results may move.
  bool approximate = false;    // Try remedies after which a model should be trained again.
  bool change_io = false;      // Try remedies that change the type or order of inputs and outputs.
  double compare_seconds = 1;  // For each remedy.
  std::vector<std::vector<Item>> more_inputs = {};  // Results are compared on these, too.
  std::optional<OptimizeData> data = {};            // Lets int8 be tried.
  // The .onnx file to write. Empty: none, and what it would hold is measured.
  std::filesystem::path output = {};
};

// A remedy that was tried: what its finding promised and what it brought.
struct LedgerEntry {
  std::string rule;         // Empty when no finding asked for it.
  std::string title;        // Of the finding, or what the remedy does.
  std::string remedy;       // "use_precision bf16".
  double predicted_ms = 0;  // 0 when no rule could tell.
  double obtained_ms = 0;
  double error = 0;                 // Of the largest output, against the model as it was given.
  std::optional<double> drop = {};  // Of the metric, where there is data.
  bool tried = true;                // Otherwise there is nothing obtained, and `why` says why.
  bool kept = false;
  std::string why = {};  // One sentence.
  Hint hint = {};        // What would let it be tried.
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
  Profile before;       // Of the model as it was given.
  Profile after;        // Of the file, or of the model run another way where none was written.
  Comparison compared;  // Both in alternation.
  double error = 0;     // As of a ledger entry, of what `after` describes.
  std::vector<Finding> findings;  // Of the model as it was given.
  std::vector<LedgerEntry> ledger;
  Recipe recipe;
  bool written = false;  // OptimizeOptions::output is there, and `after` is measured on it.
  IoChange io = {};      // What whoever calls the model does otherwise from now on.
  // Where data would let int8 be tried: what a finding expects of it, if any does.
  std::optional<Metric> untried_int8 = {};
  // Where there is data: the metric's name, and its value before and after.
  std::string metric = {};
  double metric_before = 0;
  double metric_after = 0;
};

// Leaves the model's graph as it is. `progress` is told what is being tried.
Result<Optimization> optimize_model(const Model& model, ProfileRequest request,
                                    const OptimizeOptions& options,
                                    const std::function<void(const std::string&)>& progress = {});

// TOML, and back. BadInput names the key.
std::string recipe_text(const Recipe& recipe);
Result<Recipe> parse_recipe(std::string_view text, const std::string& file);

// What the recipe did to its model's graph, done to this one; int8 needs the samples, and is judged
// by them as it was. How to run it stands in the recipe's options.
struct Replay {
  std::vector<std::string> unused = {};  // Remedies that found nothing to do.
  IoChange io = {};
};
Result<Replay> apply_recipe(const Recipe& recipe, Graph& graph,
                            const std::optional<OptimizeData>& data = {});

}  // namespace hone
