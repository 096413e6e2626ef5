#include "hone/workbench/optimize_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "hone/base/check.h"
#include "hone/base/text.h"
#include "hone/model/save.h"
#include "hone/quantize/dequantize.h"
#include "hone/workbench/judge.h"
#include "hone/workbench/output_error.h"
#include "hone/workbench/quantize_model.h"
#include "hone/workbench/same_interface.h"
#include "hone/workbench/try_findings.h"

namespace hone {
namespace {

constexpr std::string_view kWriteOnnx = "write_onnx";
constexpr std::string_view kQuantize = "quantize_int8";

// A model as it stands between two remedies.
struct Stage {
  std::unique_ptr<Graph> graph;
  CompileOptions options;
  IoChange io = {};

  Stage copy() const { return {graph->clone(), options, io}; }
  Prescription prescription() { return {graph.get(), &options, &io}; }
};

// The graph becomes what a reader of its file has, which is ONNX where it has no name.
Status as_written(Graph& graph, const std::filesystem::path& file) {
  HONE_TRY(Model read, as_saved(graph, file));
  if (!read.unsupported.empty()) return unsupported(read.unsupported[0].reason);
  graph = std::move(read.graph);
  return Done{};
}

using Tell = std::function<void(const std::string&)>;

// With whatever recovers accuracy, and layers spared, until the limit holds.
Result<QuantizedModel> in_int8(const Graph& graph, const OptimizeData& data,
                               const std::string& target, const Tell& progress) {
  Model model;
  model.graph = std::move(*graph.clone());
  QuantizeRequest request;
  request.recipe.target = target;
  request.judge_on = data.judge_on;
  request.metric = data.metric;
  request.max_drop = data.max_drop;
  request.automatic = true;
  HONE_TRY(QuantizedModel quantized, quantize_model(model, *data.calibrate_on, request, progress));
  if (quantized.layers > 0) return quantized;
  if (quantized.in_float.empty()) return unsupported("no layer can be quantized within the limit");
  return unsupported(target, " computes none of the quantized layers on integers");
}

// The first is the one that gains most.
bool asks_for_int8(const Finding& finding) {
  return finding.rule == "int8_would_pay" || finding.hint.kind == HintKind::QuantizedModel;
}

// What is to be tried, and who asked for it.
struct Trial {
  const RemedyDef& remedy;
  std::string setting = {};
  const Finding* finding = nullptr;
  double gained_ms = 0;  // Of what the finding promised, by another of its rule.

  std::string name() const {
    return setting.empty() ? std::string(remedy.id) : str(remedy.id, " ", setting);
  }
};

class Optimizer {
 public:
  Optimizer(const Model& model, ProfileRequest request, const OptimizeOptions& options,
            const std::function<void(const std::string&)>& progress)
      : model_(model), request_(std::move(request)), options_(options), progress_(progress) {}

  Result<Optimization> run() {
    Stage stage{model_.graph.clone(), request_.compile};
    HONE_TRY(given_, compile(stage));
    HONE_TRY(expected_, outputs_of(*given_, {}));
    HONE_RETURN_IF_ERROR(make_judge());
    HONE_TRY(Diagnosis diagnosis, diagnose(stage));
    result_.before = diagnosis.profile;
    result_.findings = diagnosis.findings;
    HONE_RETURN_IF_ERROR(try_general(Touches::Model, stage));
    if (writable_ && !runs_alike_) {
      HONE_TRY(diagnosis, diagnose(stage));
    }
    HONE_TRY(bool kept, try_int8(diagnosis, stage));
    do {
      if (kept) {
        HONE_TRY(diagnosis, diagnose(stage));
      }
      HONE_TRY(kept, try_findings(diagnosis, stage));
    } while (kept);
    HONE_RETURN_IF_ERROR(try_general(Touches::Running, stage));
    HONE_RETURN_IF_ERROR(finish(stage));
    return std::move(result_);
  }

 private:
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }

  ProfileRequest request_of(const Stage& stage) const {
    ProfileRequest request = request_;
    request.compile = stage.options;
    request.inputs = as_taken(stage.io, request_.inputs);
    return request;
  }

  Result<Diagnosis> measure(const Stage& stage) const {
    tell("measure");
    Model model;
    model.name = model_.name;
    model.graph = std::move(*stage.graph->clone());
    return diagnose_model(model, request_of(stage), options_.least_part);
  }

  // What other precisions would bring is measured, with data or without; other findings predict.
  Result<Diagnosis> diagnose(const Stage& stage) const {
    HONE_TRY(Diagnosis diagnosis, measure(stage));
    const TryOptions tries{.most = 0,
                           .precisions = true,
                           .seconds = options_.compare_seconds / 2,
                           .least_part = options_.least_part};
    HONE_RETURN_IF_ERROR(
        hone::try_findings(*stage.graph, request_of(stage), tries, diagnosis, progress_));
    return diagnosis;
  }

  Result<std::unique_ptr<Program>> compile(const Stage& stage) const {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    return target->open()->compile(std::move(*stage.graph->clone()), stage.options);
  }

  // Whatever the program takes and gives, inputs and outputs are those of the model as it was.
  Result<OutputSets> outputs_of(const Program& program, const IoChange& io) const {
    const std::unique_ptr<Program> same = with_same_interface(program, io);
    OutputSets sets;
    HONE_TRY(sets.emplace_back(), same->run(request_.inputs));
    for (const std::vector<Item>& inputs : options_.more_inputs) {
      HONE_TRY(sets.emplace_back(), same->run(inputs));
    }
    return sets;
  }

  Result<Score> judged(const Program& program, const Stage& stage) const {
    const std::unique_ptr<Program> same = with_same_interface(program, stage.io);
    return judge_->score(*same, stage.io.empty() ? *stage.graph : model_.graph);
  }

  Status make_judge() {
    if (!options_.data) return Done{};
    tell("judge the model as it is");
    const OptimizeData& data = *options_.data;
    HONE_TRY(judge_, Judge::make(model_.graph,
                                 data.judge_on != nullptr ? *data.judge_on : *data.calibrate_on,
                                 data.metric, request_.target));
    HONE_RETURN_IF_ERROR(judge_->check(data.max_drop));
    result_.metric = judge_->metric();
    result_.metric_before = judge_->reference();
    return Done{};
  }

  // --- what is tried

  // Remedies that no finding asks for.
  Status try_general(Touches touches, Stage& stage) {
    // Only here a run takes another time with other options.
    if (touches == Touches::Running && result_.before.mode != Mode::Measured) return Done{};
    for (const RemedyDef* remedy : all_remedies()) {
      if (!remedy->rules.empty() || remedy->touches != touches) continue;
      std::vector<std::string> settings = {""};
      if (remedy->settings != nullptr) {
        settings = remedy->settings(stage.prescription());
      }
      for (const std::string& setting : settings) {
        HONE_TRY(const bool kept,
                 try_remedy({.remedy = *remedy, .setting = setting, .finding = asks_for(setting)},
                            stage));
        // Numbers of threads compete; a file is written in one way.
        if (kept && touches == Touches::Model) break;
      }
    }
    return Done{};
  }

  // The finding that advises this number of threads, so that what it promised is known.
  const Finding* asks_for(const std::string& setting) const {
    for (const Finding& finding : result_.findings) {
      if (!setting.empty() && finding.hint == Hint{HintKind::Threads, setting}) return &finding;
    }
    return nullptr;
  }

  // Tries remedies for the findings in turn until one is kept; then only those of the same rule,
  // as another precision, which may be better still.
  Result<bool> try_findings(const Diagnosis& diagnosis, Stage& stage) {
    std::string kept_rule;
    double gained_ms = 0;
    for (const Finding& finding : diagnosis.findings) {
      if (!kept_rule.empty() && finding.rule != kept_rule) continue;
      for (const RemedyDef* remedy : all_remedies()) {
        if (!remedy->answers(finding.rule)) continue;
        if (remedy->approximate && !options_.approximate) continue;
        if (remedy->changes_io && !options_.change_io) {
          HONE_RETURN_IF_ERROR(offer({.remedy = *remedy, .finding = &finding}, stage));
          continue;
        }
        // A remedy is tried once for each thing that findings ask of it.
        if (!tried_.insert(str(remedy->id, " ", finding.hint.of, finding.part)).second) continue;
        const Trial trial{.remedy = *remedy, .finding = &finding, .gained_ms = gained_ms};
        HONE_TRY(const bool kept, try_remedy(trial, stage));
        if (!kept) continue;
        kept_rule = finding.rule;
        gained_ms += result_.ledger.back().obtained_ms;
      }
    }
    return !kept_rule.empty();
  }

  // Says, once for a finding, that leave would let it be tried.
  Status offer(Trial trial, const Stage& stage) {
    Stage changed = stage.copy();
    HONE_TRY(const bool applies,
             trial.remedy.apply(changed.prescription(), trial.finding, trial.setting));
    if (!applies || !offered_.insert(trial.finding->rule).second) return Done{};
    refuse(trial, "changes inputs or outputs, and is tried only with leave");
    result_.ledger.back().hint = {HintKind::ChangedInterface};
    return Done{};
  }

  Result<bool> try_remedy(Trial trial, Stage& stage) {
    Stage changed = stage.copy();
    // General remedies have their setting, as recorded ones have.
    const Finding* asking = trial.remedy.rules.empty() ? nullptr : trial.finding;
    HONE_TRY(const bool applied, trial.remedy.apply(changed.prescription(), asking, trial.setting));
    if (!applied) return false;
    return try_stage(trial, std::move(changed), stage);
  }

  // Without data: says that it could be tried, where the target has integers for what is float.
  Result<bool> offer_int8(const Finding* finding, const Graph& graph) {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    const bool products = std::ranges::any_of(graph.nodes(), [](const Node* node) {
      return node_cost(*node).macs > 0 && kFloat.contains(node->outputs[0]->type.tensor.dtype);
    });
    if (target->integers == nullptr || !products) return false;
    result_.untried_int8 = finding == nullptr ? Metric{} : finding->gain;
    return false;
  }

  Result<bool> try_int8(const Diagnosis& diagnosis, Stage& stage) {
    if (request_.compile.precision != Precision::F32) return false;
    if (has_quantized_activations(*stage.graph)) return false;
    const auto found = std::ranges::find_if(diagnosis.findings, asks_for_int8);
    const Finding* finding = found == diagnosis.findings.end() ? nullptr : &*found;
    if (!options_.data) return offer_int8(finding, *stage.graph);
    const Trial trial{.remedy = *find_remedy(kQuantize), .finding = finding};
    tell(trial.name());
    Result<QuantizedModel> quantized =
        in_int8(*stage.graph, *options_.data, request_.target, progress_);
    if (!quantized.ok()) return refuse(trial, quantized.error().message);
    Stage changed{std::make_unique<Graph>(std::move(quantized->graph)), stage.options};
    return try_stage(trial, std::move(changed), stage);
  }

  // --- how it is judged

  LedgerEntry& new_entry(const Trial& trial) {
    LedgerEntry& entry = result_.ledger.emplace_back();
    entry.remedy = trial.name();
    entry.title = trial.remedy.summary;
    if (trial.finding == nullptr) return entry;
    entry.rule = trial.finding->rule;
    entry.title = trial.finding->title;
    entry.predicted_ms = trial.finding->gain.value.value_or(trial.gained_ms) - trial.gained_ms;
    return entry;
  }

  // Not kept, without a measurement.
  bool refuse(const Trial& trial, const std::string& why) {
    LedgerEntry& entry = new_entry(trial);
    entry.tried = false;
    entry.why = why;
    return false;
  }

  // Whether both do the same, step by step: written as a file, most models run as they did, and what
  // is known of one holds for the other. Weights may differ, the time does not depend on them.
  static bool run_alike(const Program& before, const Program& after) {
    return print(before.graph()) == print(after.graph());
  }

  // A file is what was asked for: it need not be faster, and is given up only when it is slower by
  // more than a trifle, twice.
  Result<Comparison> race(const Contestant& before, const Contestant& after,
                          const RemedyDef& remedy) {
    const bool file = remedy.id == kWriteOnnx;
    // A modelled time has no noise that a trifle would allow for.
    const bool measured = !before.program.modelled();
    const double least =
        file && measured ? std::max(0.05, options_.least_part) : options_.least_part;
    Comparison comparison;
    for (int attempt = 0; attempt < (file ? 2 : 1); ++attempt) {
      HONE_TRY(comparison, compare_programs(before, after, options_.compare_seconds, least));
      if (comparison.change != Change::Slower) break;
    }
    return comparison;
  }

  // `stage` becomes `changed` when it proves itself.
  Result<bool> try_stage(const Trial& trial, Stage changed, Stage& stage) {
    tell(trial.name());
    HONE_RETURN_IF_ERROR(verify(*changed.graph).in(trial.name()));
    if (trial.remedy.touches == Touches::Model) {
      if (trial.remedy.id != kWriteOnnx && !writable_) {
        return refuse(trial, "the model cannot be written with the same results");
      }
      if (const Status written = as_written(*changed.graph, options_.output); !written.ok()) {
        return refuse(trial, str("cannot be written: ", written.error().message));
      }
    }
    HONE_TRY(const std::unique_ptr<Program> before, compile(stage));
    HONE_TRY(const std::unique_ptr<Program> after, compile(changed));
    const std::vector<Item> inputs_before = as_taken(stage.io, request_.inputs);
    const std::vector<Item> inputs_after = as_taken(changed.io, request_.inputs);
    const bool same_options = trial.remedy.id == kWriteOnnx && trial.setting.empty();
    runs_alike_ = same_options && run_alike(*before, *after);
    Result<Comparison> comparison = Comparison();
    if (!runs_alike_) {
      comparison = race({*before, inputs_before}, {*after, inputs_after}, trial.remedy);
    }
    if (!comparison.ok()) return refuse(trial, comparison.error().message);
    LedgerEntry& entry = new_entry(trial);
    entry.obtained_ms = comparison->gain_ms;
    HONE_TRY(const OutputSets outputs, outputs_of(*after, changed.io));
    entry.error = output_error(outputs, expected_);
    if (judge_) {
      HONE_TRY(const Score score, judged(*after, changed));
      entry.drop = score.drop;
    }
    decide(trial.remedy, *comparison, entry);
    if (trial.remedy.id == kWriteOnnx && entry.kept) writable_ = true;
    if (!entry.kept) return false;
    result_.recipe.entries.push_back({std::string(trial.remedy.id), trial.setting});
    stage = std::move(changed);
    return true;
  }

  double largest_drop() const {
    const DropLimit& limit = options_.data->max_drop;
    return limit.relative ? limit.value * std::abs(judge_->reference()) : limit.value;
  }

  // Where there is data it decides; where not, how far the outputs move.
  bool holds(const LedgerEntry& entry) const {
    return judge_ ? *entry.drop <= largest_drop() : entry.error <= options_.max_error;
  }

  // " falls by 0.0100", " stays".
  std::string change_of(double drop) const {
    constexpr double kLeast = 0.00005;  // Of four digits.
    if (drop > largest_drop() && drop < kLeast) return " falls by less than 0.0001";
    if (std::abs(drop) < kLeast) return " stays";
    return str(drop > 0 ? " falls by " : " rises by ", fixed(std::abs(drop), 4));
  }

  std::string moved(const LedgerEntry& entry) const {
    const std::string error =
        std::isfinite(entry.error)
            ? str("by ", fixed(100 * entry.error, 2), " % of the largest output")
            : std::string("to other shapes, infinity or NaN");
    std::string text = str("results move ", error);
    if (judge_) {
      text += str(", ", judge_->metric(), change_of(*entry.drop));
    }
    return text;
  }

  static std::string times_of(const Comparison& comparison) {
    const std::string how = comparison.mode == Mode::Measured
                                ? str("in ", comparison.n, " alternating turns")
                                : std::string(mode_name(comparison.mode));
    return str(millis(comparison.ms_a), " to ", millis(comparison.ms_a - comparison.gain_ms),
               " ms ", how);
  }

  void decide(const RemedyDef& remedy, const Comparison& comparison, LedgerEntry& entry) const {
    const std::string times = runs_alike_ ? "each step runs as it did" : times_of(comparison);
    if (!holds(entry) && !(remedy.approximate && !judge_)) {
      const std::string limit =
          judge_ ? options_.data->max_drop.text : str(fixed(100 * options_.max_error, 2), " %");
      entry.why = str(moved(entry), ", more than ", limit, "; ", times);
      return;
    }
    const bool file = remedy.id == kWriteOnnx;
    entry.kept =
        comparison.change == Change::Faster || (file && comparison.change != Change::Slower);
    entry.why = str(name_of(comparison.change), ", ", times, "; ", moved(entry));
  }

  // --- what comes out

  // Writes the file, reads it, and says of what was read how fast it is and what it gives.
  Status finish(Stage& stage) {
    result_.recipe.model = model_.name;
    result_.recipe.target = request_.target;
    result_.recipe.options = stage.options;
    result_.io = stage.io;
    result_.written = writable_ && !options_.output.empty();
    if (result_.written) {
      tell(str("measure ", options_.output.filename().string()));
      HONE_RETURN_IF_ERROR(save_model(*stage.graph, options_.output));
      HONE_TRY(Model written, load_model(options_.output));
      *stage.graph = std::move(written.graph);
    }
    HONE_TRY(const std::unique_ptr<Program> program, compile(stage));
    const std::vector<Item> inputs = as_taken(stage.io, request_.inputs);
    HONE_TRY(result_.compared, compare_programs({*given_, request_.inputs}, {*program, inputs},
                                                2 * options_.compare_seconds, 0));
    HONE_TRY(const OutputSets outputs, outputs_of(*program, stage.io));
    result_.error = output_error(outputs, expected_);
    if (judge_) {
      HONE_TRY(const Score score, judged(*program, stage));
      result_.metric_after = score.metric;
    }
    HONE_TRY(Diagnosis diagnosis, measure(stage));
    result_.after = std::move(diagnosis.profile);
    if (result_.written) result_.after.model = options_.output.filename().string();
    return Done{};
  }

  const Model& model_;
  ProfileRequest request_;
  const OptimizeOptions& options_;
  const std::function<void(const std::string&)>& progress_;
  std::unique_ptr<Program> given_;
  OutputSets expected_;
  std::optional<Judge> judge_;
  bool writable_ = false;    // As its file, with the same results.
  bool runs_alike_ = false;  // What was tried last, and what it was tried on.
  std::set<std::string> tried_;
  std::set<std::string> offered_;  // Rules.
  Optimization result_;
};

}  // namespace

Result<Optimization> optimize_model(const Model& model, ProfileRequest request,
                                    const OptimizeOptions& options,
                                    const std::function<void(const std::string&)>& progress) {
  HONE_TRY(const TargetDef* target, find_target(request.target));
  // Every change would have its kernels chosen anew, and none is known that a GPU alone gains by.
  if (target->device != nullptr) {
    return unsupported("models are not optimized for target ", target->name,
                       " yet: diagnose it there, and optimize for the cpu");
  }
  return Optimizer(model, std::move(request), options, progress).run();
}

namespace {

// Samples decide again how: other ones than those of the recipe may spare other layers.
Status quantize_again(const Recipe& recipe, const std::optional<OptimizeData>& data, Graph& graph) {
  if (!data) return unsupported("needs samples").needs({HintKind::Samples});
  HONE_TRY(QuantizedModel quantized, in_int8(graph, *data, recipe.target, {}));
  if (!quantized.holds) {
    return unsupported(quantized.metric, " falls by ", fixed(quantized.trials.back().score.drop, 4),
                       " on these samples, more than ", data->max_drop.text);
  }
  graph = std::move(quantized.graph);
  return Done{};
}

}  // namespace

Result<Replay> apply_recipe(const Recipe& recipe, Graph& graph,
                            const std::optional<OptimizeData>& data) {
  Replay replay;
  CompileOptions options;
  for (const Recipe::Entry& entry : recipe.entries) {
    const RemedyDef* remedy = find_remedy(entry.remedy);
    if (remedy == nullptr) return bad_input("recipe: no remedy '", entry.remedy, "'");
    std::string setting = entry.setting;
    bool used = true;
    if (entry.remedy == kQuantize) {
      HONE_RETURN_IF_ERROR(quantize_again(recipe, data, graph).in(str("remedy ", entry.remedy)));
    } else {
      HONE_TRY(used, remedy->apply({&graph, &options, &replay.io}, nullptr, setting)
                         .in(str("remedy ", entry.remedy)));
    }
    if (!used) replay.unused.push_back(entry.remedy);
    HONE_RETURN_IF_ERROR(verify(graph).in(entry.remedy));
    // As it was then: what came next was done to what had been written.
    if (remedy->touches == Touches::Model) HONE_RETURN_IF_ERROR(as_written(graph, {}));
  }
  return replay;
}

}  // namespace hone
