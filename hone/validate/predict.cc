#include <cstring>
#include <mutex>

#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/validate/validate.h"

namespace hone {
namespace {

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

Result<std::vector<Tensor>> run_sample(SessionPool& sessions, const Graph& graph,
                                       const DataSet& data, int64_t sample) {
  HONE_TRY(const std::vector<Item> inputs, data.sample(sample, graph));
  std::unique_ptr<Session> session = sessions.take();
  std::vector<Item> items;
  HONE_RETURN_IF_ERROR(session->run(inputs, items));
  sessions.give_back(std::move(session));
  std::vector<Tensor> outputs;
  for (size_t o = 0; o < items.size(); ++o) {
    if (!items[o].is_tensor() || items[o].tensor.dtype() == DType::String) {
      return unsupported("output '", graph.outputs()[o]->name, "' is not a tensor of numbers");
    }
    outputs.push_back(std::move(items[o].tensor));
  }
  return outputs;
}

}  // namespace

Result<Predictions> predict(const Program& program, const Graph& graph, const DataSet& data,
                            int threads) {
  if (data.samples < 1) return bad_input("the data set holds no samples");
  const auto samples = static_cast<size_t>(data.samples);
  Predictions predictions;
  predictions.samples.resize(samples);
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
      predictions.samples[sample] = *std::move(outputs);
      return;
    }
    const std::lock_guard lock(mutex);
    if (!first_error) first_error = std::move(outputs).error().in(str("sample ", sample));
  });
  if (first_error) return *std::move(first_error);
  return predictions;
}

Result<Tensor> stacked(const Predictions& predictions, size_t output) {
  const Tensor& first = predictions.samples[0][output];
  TensorType type = first.type();
  if (!type.shape.empty() && type.shape[0] == 1) type.shape.erase(type.shape.begin());
  type.shape.insert(type.shape.begin(), static_cast<int64_t>(predictions.samples.size()));
  HONE_RETURN_IF_ERROR(type.check());
  Tensor all(type);
  const std::span<std::byte> bytes = all.mutable_bytes();
  size_t offset = 0;
  for (const std::vector<Tensor>& outputs : predictions.samples) {
    const Tensor& row = outputs[output];
    if (row.shape() != first.shape()) {
      return unsupported("samples give outputs of different shapes: ", text_of(first.shape()),
                         " and ", text_of(row.shape()));
    }
    if (!row.bytes().empty()) {
      std::memcpy(bytes.data() + offset, row.bytes().data(), row.bytes().size());
    }
    offset += row.bytes().size();
  }
  return all;
}

}  // namespace hone
