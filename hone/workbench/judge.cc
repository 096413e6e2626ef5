#include "hone/workbench/judge.h"

#include "hone/quantize/sensitivity.h"
#include "hone/validate/metric_def.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

std::vector<Item> items_of(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

double sqnr_of(const Predictions& expected, const Predictions& actual) {
  NoiseMeter meter;
  for (size_t s = 0; s < expected.samples.size(); ++s) {
    meter.add(items_of(expected.samples[s]), items_of(actual.samples[s]));
  }
  return meter.sqnr_db();
}

Result<std::unique_ptr<Program>> compile_on(const std::string& target, const Graph& graph,
                                            const CompileOptions& options) {
  HONE_TRY(const TargetDef* def, find_target(target));
  return def->open()->compile(std::move(*graph.clone()), options);
}

}  // namespace

Result<Judge> Judge::make(const Graph& graph, DataSet data, const std::string& metric,
                          const std::string& target) {
  HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(graph, data));
  const Graph& reference = *closed;
  Judge judge;
  judge.data_ = std::move(data);
  judge.target_ = target;
  HONE_TRY(MetricChoice choice, choose_metric(metric, judge.data_, reference, true));
  judge.metric_ = std::move(choice.name);
  judge.why_ = std::move(choice.why);
  HONE_RETURN_IF_ERROR(check_metric(judge.metric_, judge.data_, reference));
  HONE_TRY(const MetricDef* def, find_metric_def(judge.metric_));
  judge.more_is_better_ = def->more_is_better;
  HONE_TRY(const std::unique_ptr<Program> program, compile_on(target, reference, {.threads = 1}));
  HONE_TRY(judge.expected_, predict(*program, reference, judge.data_, 0));
  HONE_TRY(const Metric value,
           evaluate(judge.metric_, judge.expected_, judge.data_, reference, &judge.expected_));
  judge.reference_ = *value.value;
  return judge;
}

Result<Score> Judge::score(const Graph& graph, const CompileOptions& options) const {
  HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(graph, data_));
  HONE_TRY(const std::unique_ptr<Program> program, compile_on(target_, *closed, options));
  return score_closed(*program, *closed);
}

Result<Score> Judge::score(const Program& program, const Graph& graph) const {
  HONE_TRY(const std::unique_ptr<Graph> closed, with_extents_of(graph, data_));
  return score_closed(program, *closed);
}

Result<Score> Judge::score_closed(const Program& program, const Graph& graph) const {
  HONE_TRY(const Predictions actual, predict(program, graph, data_, 0));
  HONE_TRY(const Metric value, evaluate(metric_, actual, data_, graph, &expected_));
  Score score;
  score.metric = *value.value;
  score.drop = more_is_better_ ? reference_ - score.metric : score.metric - reference_;
  if (check_metric("agreement", data_, graph).ok()) {
    HONE_TRY(const Metric agreed, evaluate("agreement", actual, data_, graph, &expected_));
    score.agreement = agreed.value;
  }
  score.sqnr_db = sqnr_of(expected_, actual);
  return score;
}

}  // namespace hone
