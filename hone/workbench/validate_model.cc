#include "hone/workbench/validate_model.h"

#include <algorithm>
#include <cmath>

#include "hone/base/parallel.h"
#include "hone/validate/metric_def.h"
#include "hone/wire/npy.h"
#include "hone/workbench/open_device.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/validate_speed.h"

namespace hone {
namespace {

// Samples run side by side, each on one thread.
Result<Predictions> predictions_of(const Model& model, const ValidateRequest& request,
                                   Precision precision, const DataSet& data) {
  CompileOptions options = request.compile;
  options.threads = 1;
  options.precision = precision;
  HONE_TRY(const TargetDef* target, find_target(request.target));
  HONE_TRY(const std::unique_ptr<Program> program,
           target->open()->compile(std::move(*model.graph.clone()), options).in(model.name));
  return predict(*program, model.graph, data, request.compile.threads).in(model.name);
}

// What stands and falls with options that are not there.
Status check_request(const ValidateRequest& request) {
  const Budgets& budgets = request.budgets;
  const bool stored_metric = request.baseline && request.baseline->metric;
  if (request.layers && request.reference == nullptr) {
    return bad_input("errors of layers need a reference model").needs({HintKind::Reference});
  }
  if (budgets.drop && request.reference == nullptr && !stored_metric) {
    return bad_input(
               "a limit on the drop needs a reference model, or the result of an earlier "
               "validation")
        .needs({HintKind::AccuracyBaseline});
  }
  const bool has_base =
      request.baseline_model != nullptr || request.baseline || request.reference != nullptr;
  if (budgets.slowdown && !has_base) {
    return bad_input("a limit on the slowdown needs a model, or its result, to be compared with")
        .needs({HintKind::SpeedBaseline});
  }
  const bool needs_data = request.layers || budgets.drop || !request.arithmetic.empty() ||
                          !request.expected.empty() || !request.metric.empty();
  if (request.data.empty() && needs_data) {
    return bad_input("this needs samples").needs({HintKind::Samples});
  }
  const bool timed =
      budgets.latency || budgets.slowdown || budgets.peak_memory || budgets.size || budgets.energy;
  if (timed && request.target == "null") {
    return bad_input("target null computes nothing, of which no limit says anything");
  }
  if (request.data.empty() && !timed) {
    return bad_input("nothing to validate: expected samples, or a limit")
        .needs({HintKind::SamplesOrLimit});
  }
  return Done{};
}

// What cannot run passes nothing, not even a limit on its size.
Status check_can_run(const Model& model) {
  if (model.unsupported.empty()) return Done{};
  const UnsupportedNode& first = model.unsupported[0];
  return unsupported(model.name, ": node '", first.node->name, "' cannot run: ", first.reason);
}

// Samples with neither labels nor targets may be there for their outputs alone.
bool can_score(const ValidateRequest& request, const DataSet& data) {
  return data.labels || data.targets || !request.metric.empty() ||
         (request.expected.empty() && request.reference == nullptr && request.arithmetic.empty());
}

class Accuracy {
 public:
  Accuracy(const Model& model, const ValidateRequest& request, const DataSet& data,
           Validated& result)
      : model_(model), request_(request), data_(data), result_(result) {}

  // Says what does not fit before anything runs.
  Status prepare() {
    if (request_.reference != nullptr) {
      HONE_TRY(
          reference_data_,
          open_data_set(request_.data, request_.reference->graph).in(request_.reference->name));
    }
    if (!request_.expected.empty()) {
      HONE_TRY(expected_, read_npy(request_.expected));
    }
    if (!can_score(request_, data_)) {
      // Without labels, a model can still be held to the answers of another.
      if (request_.reference == nullptr) return Done{};
    }
    HONE_TRY(MetricChoice choice,
             choose_metric(request_.metric, data_, model_.graph, request_.reference != nullptr));
    metric_ = choice.name;
    result_.validation.metric_why = std::move(choice.why);
    HONE_RETURN_IF_ERROR(check_metric(metric_, data_, model_.graph));
    const bool compares = metric_ == "agreement" || metric_ == "fidelity";
    if (compares && request_.reference == nullptr) {
      return bad_input("metric ", metric_, " needs a reference model").needs({HintKind::Reference});
    }
    return Done{};
  }

  Status run() {
    Validation& validation = result_.validation;
    HONE_TRY(result_.predictions,
             predictions_of(model_, request_, request_.compile.precision, data_));
    if (request_.reference != nullptr) HONE_RETURN_IF_ERROR(run_reference());
    if (!metric_.empty()) {
      HONE_TRY(validation.metric, score(model_, result_.predictions));
      HONE_TRY(const MetricDef* def, find_metric_def(metric_));
      validation.more_is_better = def->more_is_better;
    }
    if (expected_) {
      HONE_TRY(const Tensor outputs, stacked(result_.predictions, 0));
      HONE_TRY(validation.expected,
               compare_outputs(outputs, *expected_, request_.rtol).in(request_.expected));
    }
    if (request_.layers) HONE_RETURN_IF_ERROR(run_layers());
    if (!request_.arithmetic.empty()) HONE_RETURN_IF_ERROR(run_arithmetic());
    return request_.budgets.drop ? check_drop() : Status(Done{});
  }

 private:
  Result<Metric> score(const Model& model, const Predictions& predictions) const {
    const Predictions* reference = reference_.samples.empty() ? nullptr : &reference_;
    return evaluated(metric_, predictions, model, reference);
  }

  // Results that a machine's model computed are simulated, whatever is found in them.
  Result<Metric> evaluated(const std::string& name, const Predictions& predictions,
                           const Model& model, const Predictions* reference) const {
    HONE_TRY(const TargetDef* target, find_target(request_.target));
    HONE_TRY(Metric metric,
             evaluate(name, predictions, data_, model.graph, reference).in(model.name));
    if (target->mode == Mode::Simulated) metric.mode = Mode::Simulated;
    return metric;
  }

  Status run_reference() {
    HONE_TRY(reference_,
             predictions_of(*request_.reference, request_, Precision::F32, *reference_data_));
    if (!metric_.empty()) {
      HONE_TRY(result_.validation.reference_metric, score(*request_.reference, reference_));
    }
    // Of images and boxes the largest element says nothing.
    if (metric_ != "top1" && metric_ != "top5") return Done{};
    HONE_TRY(result_.validation.agreement,
             evaluated("agreement", result_.predictions, model_, &reference_));
    return Done{};
  }

  Status run_layers() {
    HONE_TRY(result_.validation.layers, layer_errors(model_.graph, request_.reference->graph, data_,
                                                     {.samples = request_.layer_samples,
                                                      .eval = request_.compile.eval,
                                                      .threads = request_.compile.threads}));
    result_.validation.broken = find_break(*result_.validation.layers, request_.breaks);
    return Done{};
  }

  Status run_arithmetic() {
    HONE_TRY(ArithmeticComparison comparison,
             compare_arithmetic(model_.graph, data_, request_.arithmetic, request_.compile.threads)
                 .in(model_.name));
    if (!metric_.empty()) {
      HONE_TRY(comparison.change.metric, score(model_, comparison.predictions));
    }
    result_.validation.arithmetic = std::move(comparison.change);
    return Done{};
  }

  Status check_drop() {
    Validation& validation = result_.validation;
    std::optional<Metric> against = validation.reference_metric;
    if (!against) against = request_.baseline->metric;
    if (!validation.metric || validation.metric->name != against->name) {
      return bad_input("no drop can be told: the baseline has the metric ", against->name,
                       ", this validation ",
                       validation.metric ? validation.metric->name : std::string("none"));
    }
    if (against->value) {
      HONE_RETURN_IF_ERROR(check_can_fail(*request_.budgets.drop, against->name, *against->value,
                                          validation.more_is_better));
    }
    GateRow row = accuracy_row(*validation.metric, *against, validation.more_is_better,
                               *request_.budgets.drop);
    // Whatever a metric makes of it: a sum of squares, a largest element.
    if (const std::string broken = no_numbers(); !broken.empty()) {
      row.verdict = Verdict::Fail;
      row.why = broken;
    }
    if (row.verdict == Verdict::Pass && validation.agreement) {
      row.why = chance_note(*validation.agreement, *validation.metric, *against);
    }
    if (row.why.empty()) {
      row.why = grain_note(*validation.metric, *against, *request_.budgets.drop);
    }
    validation.gate.push_back(std::move(row));
    return Done{};
  }

  static bool has_nan(const Tensor& tensor) {
    if (!kFloat.contains(tensor.dtype())) return false;
    return std::ranges::any_of(to_doubles(tensor), [](double value) { return std::isnan(value); });
  }

  // The first output that is no number where the reference's is; empty when there is none.
  std::string no_numbers() const {
    for (size_t s = 0; s < result_.predictions.samples.size(); ++s) {
      const std::vector<Tensor>& outputs = result_.predictions.samples[s];
      for (size_t o = 0; o < outputs.size(); ++o) {
        if (!has_nan(outputs[o])) continue;
        const bool known = s < reference_.samples.size() && o < reference_.samples[s].size();
        if (known && has_nan(reference_.samples[s][o])) continue;
        return str("output '", model_.graph.outputs()[o]->name, "' of sample ", s, " holds NaN",
                   known ? str(", that of ", request_.reference->name, " does not") : "");
      }
    }
    return "";
  }

  const Model& model_;
  const ValidateRequest& request_;
  const DataSet& data_;
  Validated& result_;
  std::string metric_;
  std::optional<DataSet> reference_data_;
  std::optional<Tensor> expected_;
  Predictions reference_;
};

}  // namespace

Result<Validated> validate_model(const Model& model, const ValidateRequest& request) {
  HONE_RETURN_IF_ERROR(check_request(request));
  HONE_RETURN_IF_ERROR(check_can_run(model));
  Validated result;
  Validation& validation = result.validation;
  validation.model = model.name;
  validation.target = request.target;
  const int threads = request.compile.threads;
  HONE_TRY(const std::optional<Device> device, open_device(request.target));
  validation.device =
      device ? device->name : device_name(threads > 0 ? threads : hardware_threads());
  if (request.reference != nullptr) validation.reference = request.reference->name;
  validation.breaks = request.breaks;
  std::optional<DataSet> data;
  if (!request.data.empty()) {
    HONE_TRY(data, open_data_set(request.data, model.graph));
    validation.data_how = data->how;
    Accuracy accuracy(model, request, *data, result);
    HONE_RETURN_IF_ERROR(accuracy.prepare());
    HONE_RETURN_IF_ERROR(accuracy.run());
  }
  HONE_RETURN_IF_ERROR(check_budgets(model, request, data ? &*data : nullptr, validation));
  return result;
}

}  // namespace hone
