#include "hone/workbench/quantize_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "hone/base/text.h"
#include "hone/quantize/dequantize.h"
#include "hone/quantize/fit_target.h"
#include "hone/quantize/recover/adaround.h"
#include "hone/quantize/recover/correct_bias.h"
#include "hone/quantize/recover/equalize.h"
#include "hone/quantize/recover/smooth_quant.h"
#include "hone/quantize/silence_channels.h"
#include "hone/quantize/unvaried_layers.h"
#include "hone/workbench/float_layers.h"
#include "hone/workbench/layer_times.h"
#include "hone/workbench/same_interface.h"
#include "hone/workbench/summary.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

using Clock = std::chrono::steady_clock;

PairPrecision precision_of(const QuantizePlan& plan) {
  const Scheme& scheme = plan.scheme;
  const bool wide = scheme.activations == DType::I16;
  return {.weight_bits = scheme.weights == DType::I4 ? 4
                         : scheme.reduce_range       ? 7
                                                     : 8,
          .activation_bits = !scheme.quantizes_activations() ? 0
                             : wide                          ? 16
                                                             : 8,
          .per_channel = scheme.per_channel};
}

// The float network in a form that is quantized, and what calibration saw of it.
struct Variant {
  Graph graph;
  Calibration calibration;
};

struct Attempt {
  Quantized quantized;
  QuantizeRecipe recipe;
  QuantizeTrial trial;
};

class Quantizer {
 public:
  Quantizer(const Model& model, const DataSet& data, const QuantizeRequest& request,
            const std::function<void(const std::string&)>& progress)
      : model_(model), data_(data), request_(request), progress_(progress) {}

  Result<QuantizedModel> run() {
    HONE_RETURN_IF_ERROR(prepare());
    if (request_.sensitivity) {
      HONE_RETURN_IF_ERROR(measure_sensitivity(result_.recipe));
      return std::move(result_);
    }
    HONE_TRY(Attempt best, attempt(result_.recipe, describe(result_.recipe.plan.scheme)));
    if (request_.automatic) HONE_RETURN_IF_ERROR(climb(best));
    if (request_.mixed || (request_.automatic && !holds(best.trial.score))) {
      HONE_RETURN_IF_ERROR(mix(best));
    }
    return finish(std::move(best));
  }

 private:
  Status prepare() {
    result_.recipe = request_.recipe;
    result_.recipe.model = model_.name;
    HONE_TRY(const TargetDef* target, find_target(request_.recipe.target));
    result_.notes = fit_to_target(result_.recipe.plan, *target);
    result_.weight_bytes_before = constant_bytes(model_.graph);
    float_ = std::move(*model_.graph.clone());
    HONE_RETURN_IF_ERROR(prepare_for_quantization(float_));
    HONE_RETURN_IF_ERROR(check_data());
    split_data();
    HONE_RETURN_IF_ERROR(note_extents());
    HONE_TRY(judge_, Judge::make(float_, judged_, request_.metric, request_.recipe.target));
    if (request_.max_drop) HONE_RETURN_IF_ERROR(judge_->check(*request_.max_drop));
    result_.metric = judge_->metric();
    if (!judge_->why().empty()) {
      result_.notes.push_back(str("metric ", judge_->metric(), ": ", judge_->why()));
    }
    result_.reference = judge_->reference();
    return Done{};
  }

  // Where the target computes a layer depends on extents; the graph keeps those that it leaves open.
  Status note_extents() {
    HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(float_, data_));
    const std::string inputs = closed_inputs_text(float_, *closed);
    if (inputs.empty()) return Done{};
    result_.notes.push_back(
        str("where the model leaves extents open, layers are judged and counted with those of the "
            "samples: ",
            inputs));
    return Done{};
  }

  // All of it, the samples that only calibrate too: what is wrong there is wrong with the set.
  Status check_data() const {
    if (!data_.labels && !data_.targets) return Done{};
    const bool judges = request_.judge_on == nullptr;
    HONE_TRY(const MetricChoice choice,
             choose_metric(judges ? request_.metric : std::string(), data_, float_));
    return check_metric(choice.name, data_, float_);
  }

  // Samples spread evenly over the set calibrate, since sets may be sorted by class; the others
  // judge; all do both when there are none left.
  void split_data() {
    const int64_t asked = request_.recipe.subset_size;
    const int64_t count = asked <= 0 ? data_.samples : std::min(asked, data_.samples);
    std::vector<int64_t> calibrate, judge;
    for (int64_t i = 0; i < data_.samples; ++i) {
      const bool taken = (i + 1) * count / data_.samples > i * count / data_.samples;
      (taken ? calibrate : judge).push_back(i);
    }
    calibration_ = data_.pick(calibrate);
    result_.calibrated_on = count;
    result_.judged_on_calibration = request_.judge_on == nullptr && judge.empty();
    if (request_.judge_on != nullptr) {
      judged_ = *request_.judge_on;
    } else {
      judged_ = judge.empty() ? data_ : data_.pick(judge);
    }
    result_.judged_on = judged_.samples;
  }

  SampleSource samples() const {
    return {calibration_.samples, [this](int64_t i) { return calibration_.sample(i, float_); }};
  }

  void say(const std::string& what) const {
    if (progress_) progress_(what);
  }

  // In the metric's own unit; infinite where nothing is asked.
  double largest_drop() const {
    const auto& limit = request_.max_drop;
    if (!limit) return std::numeric_limits<double>::infinity();
    return limit->relative ? limit->value * std::abs(judge_->reference()) : limit->value;
  }

  bool holds(const Score& score) const { return score.drop <= largest_drop(); }

  // As it is, or equalized or smoothed, and calibrated; made once for every combination.
  Result<const Variant*> variant(const Recovery& recovery) {
    const auto key = std::pair(recovery.equalize, recovery.smooth_quant);
    if (const auto found = variants_.find(key); found != variants_.end()) return &found->second;
    const bool plain = !recovery.equalize && !recovery.smooth_quant;
    HONE_TRY(Variant made, plain ? plain_variant() : changed_variant(recovery));
    return &variants_.emplace(key, std::move(made)).first->second;
  }

  Result<Variant> plain_variant() {
    Variant made{std::move(*float_.clone()), {}};
    HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(made.graph, data_));
    HONE_TRY(made.calibration, calibrate(*closed, samples(), {}));
    HONE_TRY(const UnvariedLayers unvaried,
             unvaried_layers(*closed, result_.recipe.plan, made.calibration));
    if (std::string told = unvaried_text(unvaried); !told.empty()) {
      result_.notes.push_back(std::move(told));
    }
    if (const int silenced = silence_dead_channels(made.graph, made.calibration); silenced > 0) {
      result_.notes.push_back(str(silenced, " channels are always zero behind their relu: what ",
                                  "reads them no longer has a say in the scales"));
    }
    return made;
  }

  Result<Variant> changed_variant(const Recovery& recovery) {
    HONE_TRY(const Variant* plain, variant({}));
    Variant made{std::move(*plain->graph.clone()), {}};
    const SampleSource source = samples();
    if (recovery.equalize) {
      HONE_TRY(const EqualizeReport report,
               equalize(made.graph, &source, {.precision = precision_of(result_.recipe.plan)}));
      result_.notes.push_back(str("equalization: ", report.pairs, " pairs of layers; channels' ",
                                  "ranges differed by ", fixed(report.worst_ratio_before, 1),
                                  " times at worst, now by ", fixed(report.worst_ratio_after, 1)));
    }
    if (recovery.smooth_quant) {
      HONE_TRY(const SmoothQuantReport report, smooth_quant(made.graph, source));
      result_.notes.push_back(str("smooth_quant: ", report.places.size(), " places"));
    }
    HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(made.graph, data_));
    HONE_TRY(made.calibration, calibrate(*closed, source, {}));
    return made;
  }

  Result<Quantized> quantized(const QuantizeRecipe& recipe) {
    HONE_TRY(const Variant* base, variant(recipe.recovery));
    HONE_TRY(Quantized made,
             quantize_graph(base->graph, recipe.plan, base->calibration,
                            {.method = recipe.method, .percentile = recipe.percentile}));
    const SampleSource source = samples();
    if (recipe.recovery.correct_bias) {
      HONE_RETURN_IF_ERROR(correct_bias(made.graph, base->graph, source));
    }
    if (recipe.recovery.adaround) {
      HONE_RETURN_IF_ERROR(adaround(made.graph, base->graph, source));
    }
    return made;
  }

  Result<Attempt> attempt(const QuantizeRecipe& recipe, const std::string& what) {
    say(what);
    const auto start = Clock::now();
    HONE_TRY(Quantized made, quantized(recipe));
    HONE_TRY(const Score score, judge_->score(made.graph));
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    result_.trials.push_back({what, score, seconds});
    return Attempt{std::move(made), recipe, result_.trials.back()};
  }

  static bool better(const Score& a, const Score& b) {
    return a.drop != b.drop ? a.drop < b.drop : a.sqnr_db > b.sqnr_db;
  }

  // Recoveries in order of what they cost, each on top of the best so far.
  Status climb(Attempt& best) {
    struct Rung {
      const char* what;
      void (*take)(QuantizeRecipe&);
    };
    static constexpr Rung kRungs[] = {
        {"+ mse ranges", [](QuantizeRecipe& r) { r.method = RangeMethod::Mse; }},
        {"+ bias correction", [](QuantizeRecipe& r) { r.recovery.correct_bias = true; }},
        {"+ equalization", [](QuantizeRecipe& r) { r.recovery.equalize = true; }},
        {"+ adaround", [](QuantizeRecipe& r) { r.recovery.adaround = true; }},
    };
    for (const Rung& rung : kRungs) {
      if (request_.max_drop && holds(best.trial.score)) return Done{};
      QuantizeRecipe recipe = best.recipe;
      rung.take(recipe);
      HONE_TRY(Attempt next, attempt(recipe, rung.what));
      if (better(next.trial.score, best.trial.score)) best = std::move(next);
    }
    return Done{};
  }

  Status measure_sensitivity(const QuantizeRecipe& recipe) {
    say("every layer alone");
    HONE_TRY(const Variant* base, variant(recipe.recovery));
    SampleSource few = samples();
    few.count = std::min(few.count, request_.sensitivity_samples);
    HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(base->graph, data_));
    HONE_TRY(result_.sensitivity,
             layer_sensitivity(*closed, recipe.plan, base->calibration,
                               {.method = recipe.method, .percentile = recipe.percentile}, few));
    return Done{};
  }

  // What each layer gains: its time in the float network less that in the quantized one.
  Result<std::vector<LayerPrice>> prices(const Attempt& best) {
    HONE_TRY(const Variant* base, variant(best.recipe.recovery));
    HONE_TRY(const std::vector<Item> inputs, samples().sample(0));
    const std::string& target = request_.recipe.target;
    HONE_TRY(const std::unique_ptr<Graph> before, with_extents_of(base->graph, data_));
    HONE_TRY(const std::unique_ptr<Graph> after, with_extents_of(best.quantized.graph, data_));
    HONE_TRY(const LayerTimes floats, layer_times(*before, target, inputs));
    HONE_TRY(const LayerTimes integers, layer_times(*after, target, inputs));
    std::vector<LayerPrice> list;
    for (const LayerSensitivity& layer : result_.sensitivity) {
      const double gain = us_of(floats, layer.layer) - us_of(integers, layer.layer);
      list.push_back({layer.layer, layer.noise(), gain});
    }
    return list;
  }

  Status mix(Attempt& best) {
    if (request_.max_drop && holds(best.trial.score)) return Done{};
    HONE_RETURN_IF_ERROR(measure_sensitivity(best.recipe));
    HONE_TRY(std::vector<LayerPrice> list, prices(best));
    const DropOf drop_of = [&](const QuantizePlan& plan) -> Result<double> {
      QuantizeRecipe recipe = best.recipe;
      recipe.plan = plan;
      HONE_TRY(const Quantized made, quantized(recipe));
      HONE_TRY(const Score score, judge_->score(made.graph));
      say(str("mixed: ", plan.rules.size() - best.recipe.plan.rules.size(), " layers spared, drop ",
              fixed(score.drop, 4)));
      return score.drop;
    };
    const MixedOptions options{
        .max_drop = largest_drop(), .wide = request_.wide, .evaluations = request_.evaluations};
    HONE_TRY(result_.mixed, spend_bits(best.recipe.plan, std::move(list), options, drop_of));
    QuantizeRecipe recipe = best.recipe;
    recipe.plan = result_.mixed->plan;
    HONE_TRY(Attempt mixed, attempt(recipe, str("mixed precision, ", result_.mixed->wide.size(),
                                                " layers spared")));
    best = std::move(mixed);
    return Done{};
  }

  Status count_layers(const Quantized& made) {
    HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(made.graph, data_));
    HONE_TRY(const std::vector<QuantizedLayer> in_float,
             computed_in_float(made, *closed, request_.recipe.target));
    result_.layers = static_cast<int>(made.layers.size() - in_float.size());
    result_.float_layers = made.float_layers;
    for (const QuantizedLayer& layer : in_float) {
      result_.in_float.push_back(layer.name);
      if (layer.has_weights) ++result_.float_layers;
    }
    return Done{};
  }

  Result<QuantizedModel> finish(Attempt best) {
    // The one that was kept stands last.
    if (result_.trials.back().what != best.trial.what) result_.trials.push_back(best.trial);
    result_.holds = holds(best.trial.score);
    result_.recipe = best.recipe;
    // What the target computes on integers is asked again when the recipe is replayed.
    result_.recipe.plan.op_types = request_.recipe.plan.op_types;
    result_.recipe.plan.functions = request_.recipe.plan.functions;
    HONE_RETURN_IF_ERROR(count_layers(best.quantized));
    result_.graph = std::move(best.quantized.graph);
    result_.weight_bytes_after = constant_bytes(result_.graph);
    if (request_.write) HONE_RETURN_IF_ERROR(judge_file());
    return std::move(result_);
  }

  Status judge_file() {
    say("judge the file");
    const auto begin = Clock::now();
    HONE_TRY(WrittenModel file, request_.write(result_.graph));
    HONE_TRY(const TargetDef* target, find_target(request_.recipe.target));
    HONE_TRY(const std::unique_ptr<Program> program,
             target->open()->compile(std::move(file.graph), {.threads = 1}));
    const std::unique_ptr<Program> same = with_same_interface(*program, file.io);
    HONE_TRY(const Score score, judge_->score(*same, float_));
    const std::chrono::duration<double> took = Clock::now() - begin;
    result_.trials.push_back({"as the file has it", score, took.count()});
    result_.holds = holds(score);
    return Done{};
  }

  const Model& model_;
  const DataSet& data_;
  const QuantizeRequest& request_;
  const std::function<void(const std::string&)>& progress_;
  QuantizedModel result_;
  Graph float_;
  DataSet calibration_;
  DataSet judged_;
  std::optional<Judge> judge_;
  std::map<std::pair<bool, bool>, Variant> variants_;
};

}  // namespace

Result<QuantizedModel> quantize_model(const Model& model, const DataSet& data,
                                      const QuantizeRequest& request,
                                      const std::function<void(const std::string&)>& progress) {
  return Quantizer(model, data, request, progress).run();
}

}  // namespace hone
