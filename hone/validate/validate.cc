#include "hone/validate/validate.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>

#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"

namespace hone {
namespace {

// Puts the samples' outputs one after the other; an output's leading extent of 1 is the sample
// axis.
Result<Tensor> stack(const std::vector<Tensor>& rows) {
  TensorType type = rows[0].type();
  if (!type.shape.empty() && type.shape[0] == 1) type.shape.erase(type.shape.begin());
  type.shape.insert(type.shape.begin(), static_cast<int64_t>(rows.size()));
  HONE_RETURN_IF_ERROR(type.check());
  Tensor all(type);
  const std::span<std::byte> bytes = all.mutable_bytes();
  size_t offset = 0;
  for (const Tensor& row : rows) {
    if (row.shape() != rows[0].shape()) {
      return unsupported("samples give outputs of different shapes: ", text_of(rows[0].shape()),
                         " and ", text_of(row.shape()));
    }
    if (!row.bytes().empty()) {
      std::memcpy(bytes.data() + offset, row.bytes().data(), row.bytes().size());
    }
    offset += row.bytes().size();
  }
  return all;
}

// Sessions of a program, each lent to one thread at a time.
class SessionPool {
 public:
  explicit SessionPool(const Program& program) : program_(program) {}

  std::unique_ptr<Session> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return program_.open();
    std::unique_ptr<Session> session = std::move(free_.back());
    free_.pop_back();
    return session;
  }
  void give_back(std::unique_ptr<Session> session) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(session));
  }

 private:
  const Program& program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> free_;
};

Result<std::vector<Item>> run_sample(SessionPool& sessions, const Graph& graph, const DataSet& data,
                                     int64_t sample) {
  std::vector<Item> inputs;
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    const Value& input = *graph.inputs()[i];
    HONE_TRY(
        Tensor value,
        sample_as(data.inputs[i], sample, input.type.tensor).in(str("input '", input.name, "'")));
    inputs.emplace_back(std::move(value));
  }
  std::unique_ptr<Session> session = sessions.take();
  std::vector<Item> outputs;
  HONE_RETURN_IF_ERROR(session->run(inputs, outputs));
  sessions.give_back(std::move(session));
  return outputs;
}

// Real values of a tensor: dequantized when it is quantized per tensor.
std::vector<double> real_values(const Tensor& tensor) {
  std::vector<double> values = to_doubles(tensor);
  const auto& quant = tensor.type().quant;
  if (!quant || !quant->per_tensor()) return values;
  for (double& value : values) value = (value - quant->zero_point()) * quant->scale();
  return values;
}

Result<std::vector<int64_t>> labels_of(const DataSet& data, const std::string& metric) {
  if (!data.labels) return bad_input("metric ", metric, " needs labels.npy in the data folder");
  return to_ints(*data.labels);
}

Metric metric_of(const std::string& name, double value, int64_t samples) {
  return {.name = name, .value = value, .unit = "", .mode = Mode::Measured, .n = samples};
}

Result<Metric> top(int k, const Predictions& predictions, const DataSet& data) {
  const std::string name = str("top", k);
  HONE_TRY(const std::vector<int64_t> labels, labels_of(data, name));
  const std::vector<double> scores = real_values(predictions.outputs[0]);
  const size_t classes = scores.size() / labels.size();
  int64_t hits = 0;
  for (size_t s = 0; s < labels.size(); ++s) {
    if (labels[s] < 0 || labels[s] >= static_cast<int64_t>(classes)) {
      return bad_input("label ", labels[s], " of sample ", s, " is outside the ", classes,
                       " outputs of the model");
    }
    const auto label = static_cast<size_t>(labels[s]);
    // How many classes come before the label: larger ones, and equal ones of a smaller number.
    size_t before = 0;
    for (size_t c = 0; c < classes; ++c) {
      const double other = scores[s * classes + c], own = scores[s * classes + label];
      before += other > own || (other == own && c < label) ? 1 : 0;
    }
    hits += before < static_cast<size_t>(k) ? 1 : 0;
  }
  const auto n = static_cast<int64_t>(labels.size());
  return metric_of(name, static_cast<double>(hits) / static_cast<double>(n), n);
}

// Mean squared difference per sample.
Result<std::vector<double>> squared_errors(const Tensor& outputs, const std::vector<double>& wanted,
                                           int64_t samples) {
  const std::vector<double> actual = real_values(outputs);
  if (actual.size() != wanted.size()) {
    return bad_input("the model gives ", actual.size(), " values for the data set, but there are ",
                     wanted.size(), " to compare with");
  }
  std::vector<double> errors(static_cast<size_t>(samples));
  const size_t per_sample = actual.size() / errors.size();
  for (size_t i = 0; i < actual.size(); ++i) {
    const double difference = actual[i] - wanted[i];
    errors[i / per_sample] += difference * difference / static_cast<double>(per_sample);
  }
  return errors;
}

Result<std::vector<double>> anomaly_scores(const Predictions& predictions, const DataSet& data) {
  const Tensor& outputs = predictions.outputs[0];
  const int64_t per_sample = outputs.elements() / data.samples;
  if (outputs.elements() == data.inputs[0].elements()) {
    return squared_errors(outputs, to_doubles(data.inputs[0]), data.samples);
  }
  if (per_sample != 1 && per_sample != 2) {
    return bad_input(
        "metric auc needs one score per sample, two classes, or a reconstruction; the "
        "model gives ",
        per_sample, " values");
  }
  const std::vector<double> values = real_values(outputs);
  std::vector<double> scores;
  for (size_t i = static_cast<size_t>(per_sample) - 1; i < values.size();
       i += static_cast<size_t>(per_sample)) {
    scores.push_back(values[i]);
  }
  return scores;
}

// The share of (positive, negative) pairs in which the positive scores higher; ties count half.
Result<Metric> auc(const Predictions& predictions, const DataSet& data) {
  HONE_TRY(const std::vector<int64_t> labels, labels_of(data, "auc"));
  HONE_TRY(const std::vector<double> scores, anomaly_scores(predictions, data));
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return scores[i]; });
  double pairs_won = 0, positives = 0, negatives = 0;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    double tied_positives = 0, tied_negatives = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      (labels[order[end]] != 0 ? tied_positives : tied_negatives) += 1;
    }
    pairs_won += tied_positives * (negatives + tied_negatives / 2);
    positives += tied_positives;
    negatives += tied_negatives;
    begin = end;
  }
  if (positives == 0 || negatives == 0) {
    return bad_input("metric auc needs samples of label 0 and of label 1");
  }
  return metric_of("auc", pairs_won / (positives * negatives), data.samples);
}

Result<Metric> mse(const Predictions& predictions, const DataSet& data) {
  const Tensor& wanted = data.targets ? *data.targets : data.inputs[0];
  HONE_TRY(const std::vector<double> errors,
           squared_errors(predictions.outputs[0], to_doubles(wanted), data.samples));
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return metric_of("mse", sum / static_cast<double>(errors.size()), data.samples);
}

}  // namespace

Result<Predictions> predict(const Program& program, const Graph& graph, const DataSet& data,
                            int threads) {
  if (data.samples < 1) return bad_input("the data set holds no samples");
  const auto samples = static_cast<size_t>(data.samples);
  std::vector<std::vector<Item>> results(samples);
  std::optional<Error> first_error;
  std::mutex mutex;
  SessionPool sessions(program);
  Progress progress("validate", samples);
  parallel_for(samples, threads, [&](size_t sample) {
    {
      const std::lock_guard lock(mutex);
      if (first_error) return;
    }
    auto outputs = run_sample(sessions, graph, data, static_cast<int64_t>(sample));
    progress.step();
    if (outputs.ok()) {
      results[sample] = *std::move(outputs);
      return;
    }
    const std::lock_guard lock(mutex);
    if (!first_error) first_error = std::move(outputs).error().in(str("sample ", sample));
  });
  if (first_error) return *std::move(first_error);
  Predictions predictions;
  for (size_t o = 0; o < graph.outputs().size(); ++o) {
    std::vector<Tensor> rows;
    for (std::vector<Item>& items : results) {
      if (!items[o].is_tensor() || items[o].tensor.dtype() == DType::String) {
        return unsupported("output '", graph.outputs()[o]->name, "' is not a tensor of numbers");
      }
      rows.push_back(std::move(items[o].tensor));
    }
    HONE_TRY(Tensor all, stack(rows));
    predictions.outputs.push_back(std::move(all));
  }
  return predictions;
}

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> kNames = {"top1", "top5", "auc", "mse"};
  return kNames;
}

Result<Metric> evaluate(const std::string& metric, const Predictions& predictions,
                        const DataSet& data, const Graph& graph) {
  if (graph.outputs().empty()) return bad_input("the model has no output");
  if (metric == "top1") return top(1, predictions, data);
  if (metric == "top5") return top(5, predictions, data);
  if (metric == "auc") return auc(predictions, data);
  if (metric == "mse") return mse(predictions, data);
  if (!metric.empty()) {
    return bad_input("no metric '", metric, "'", did_you_mean(metric, metric_names()),
                     "; there are: ", join(metric_names()));
  }
  if (!data.labels) return mse(predictions, data);
  const int64_t per_sample = predictions.outputs[0].elements() / data.samples;
  const bool reconstructs = predictions.outputs[0].elements() == data.inputs[0].elements();
  return per_sample > 1 && !reconstructs ? top(1, predictions, data) : auc(predictions, data);
}

}  // namespace hone
