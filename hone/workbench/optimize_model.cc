#include "hone/workbench/optimize_model.h"

#include <cmath>
#include <set>

#include "hone/base/check.h"
#include "hone/base/text.h"
#include "hone/profile/compare_programs.h"
#include "hone/tensor/compare.h"

namespace hone {
namespace {

// A model as it stands between two remedies.
struct Stage {
  std::unique_ptr<Graph> graph;
  CompileOptions options;

  Stage copy() const { return {graph->clone(), options}; }
};

class Optimizer {
 public:
  Optimizer(const Model& model, ProfileRequest request, const OptimizeOptions& options,
            const std::function<void(const std::string&)>& progress)
      : model_(model), request_(std::move(request)), options_(options), progress_(progress) {}

  Result<Optimization> run() {
    Stage stage{model_.graph.clone(), request_.compile};
    HONE_TRY(Diagnosis diagnosis, diagnose(stage));
    HONE_TRY(expected_, outputs_of(stage));
    result_.before = diagnosis.profile;
    result_.findings = diagnosis.findings;
    bool kept = true;
    while (kept) {
      HONE_TRY(kept, try_findings(diagnosis, stage));
      if (kept) {
        HONE_TRY(diagnosis, diagnose(stage));
      }
    }
    result_.after = std::move(diagnosis.profile);
    result_.recipe.model = model_.name;
    result_.recipe.target = request_.target;
    result_.recipe.options = stage.options;
    result_.graph = std::move(*stage.graph);
    return std::move(result_);
  }

 private:
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }

  Result<Diagnosis> diagnose(const Stage& stage) {
    tell("measure");
    Model model;
    model.name = model_.name;
    model.graph = std::move(*stage.graph->clone());
    ProfileRequest request = request_;
    request.compile = stage.options;
    return diagnose_model(model, request, options_.least_part);
  }

  Result<std::unique_ptr<Program>> compile(const Stage& stage) const {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    return target->open()->compile(std::move(*stage.graph->clone()), stage.options);
  }

  Result<std::vector<Item>> outputs_of(const Stage& stage) const {
    HONE_TRY(const std::unique_ptr<Program> program, compile(stage));
    return program->run(request_.inputs);
  }

  // Tries remedies for the findings in turn until one is kept.
  Result<bool> try_findings(const Diagnosis& diagnosis, Stage& stage) {
    for (const Finding& finding : diagnosis.findings) {
      for (const RemedyDef* remedy : all_remedies()) {
        if (remedy->rule != finding.rule) continue;
        if (remedy->approximate && !options_.approximate) continue;
        // A remedy is tried once for each thing that findings ask of it.
        if (!tried_.insert(str(remedy->id, finding.command)).second) continue;
        HONE_TRY(const bool kept, try_remedy(*remedy, finding, stage));
        if (kept) return true;
      }
    }
    return false;
  }

  Result<bool> try_remedy(const RemedyDef& remedy, const Finding& finding, Stage& stage) {
    Stage changed = stage.copy();
    std::string setting;
    HONE_TRY(const bool applied,
             remedy.apply({changed.graph.get(), &changed.options}, &finding, setting));
    if (!applied) return false;
    const std::string name =
        setting.empty() ? std::string(remedy.id) : str(remedy.id, " ", setting);
    tell(name);
    HONE_RETURN_IF_ERROR(verify(*changed.graph).in(name));
    HONE_TRY(const std::unique_ptr<Program> before, compile(stage));
    HONE_TRY(const std::unique_ptr<Program> after, compile(changed));
    HONE_TRY(const Comparison comparison,
             compare_programs({*before, request_.inputs}, {*after, request_.inputs},
                              options_.compare_seconds, options_.least_part));
    HONE_TRY(const std::vector<Item> outputs, after->run(request_.inputs));
    LedgerEntry entry{.rule = finding.rule,
                      .title = finding.title,
                      .remedy = name,
                      .predicted_ms = finding.gain.value.value_or(0),
                      .obtained_ms = comparison.ms_a - comparison.ms_b,
                      .error = error_of(outputs)};
    judge(remedy, comparison, entry);
    const bool kept = entry.kept;
    result_.ledger.push_back(std::move(entry));
    if (!kept) return false;
    result_.recipe.entries.push_back({std::string(remedy.id), setting});
    stage = std::move(changed);
    return true;
  }

  void judge(const RemedyDef& remedy, const Comparison& comparison, LedgerEntry& entry) const {
    const std::string error = str(fixed(100 * entry.error, 2), " % of the largest output");
    if (entry.error > options_.max_error && !remedy.approximate) {
      entry.why =
          str("results move by ", error, ", more than ", fixed(100 * options_.max_error, 2), " %");
      return;
    }
    entry.kept = comparison.change == Change::Faster;
    const std::string how = comparison.mode == Mode::Measured
                                ? str("in ", comparison.n, " alternating runs")
                                : std::string(mode_name(comparison.mode));
    entry.why = str(name_of(comparison.change), ", ", fixed(comparison.ms_a, 3), " to ",
                    fixed(comparison.ms_b, 3), " ms ", how, "; results move by ", error);
  }

  // The largest difference from what the model gave at first, of the largest element; infinite when
  // types or extents changed.
  double error_of(const std::vector<Item>& outputs) const {
    double largest = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].is_tensor() || outputs[i].tensor.dtype() == DType::String) continue;
      const Difference difference = compare(outputs[i].tensor, expected_[i].tensor);
      if (!difference.comparable) return std::numeric_limits<double>::infinity();
      const double magnitude = std::max(difference.max_magnitude, 1e-30);
      largest = std::max(largest, difference.max_abs / magnitude);
    }
    return largest;
  }

  const Model& model_;
  ProfileRequest request_;
  const OptimizeOptions& options_;
  const std::function<void(const std::string&)>& progress_;
  std::vector<Item> expected_;
  std::set<std::string> tried_;
  Optimization result_;
};

}  // namespace

Result<Optimization> optimize_model(const Model& model, ProfileRequest request,
                                    const OptimizeOptions& options,
                                    const std::function<void(const std::string&)>& progress) {
  return Optimizer(model, std::move(request), options, progress).run();
}

Result<std::vector<std::string>> apply_recipe(const Recipe& recipe, Graph& graph) {
  std::vector<std::string> unused;
  CompileOptions options;
  for (const Recipe::Entry& entry : recipe.entries) {
    const RemedyDef* remedy = find_remedy(entry.remedy);
    if (remedy == nullptr) return bad_input("recipe: no remedy '", entry.remedy, "'");
    std::string setting = entry.setting;
    HONE_TRY(const bool used,
             remedy->apply({&graph, &options}, nullptr, setting).in(str("remedy ", entry.remedy)));
    if (!used) unused.push_back(entry.remedy);
    HONE_RETURN_IF_ERROR(verify(graph).in(entry.remedy));
  }
  return unused;
}

}  // namespace hone
