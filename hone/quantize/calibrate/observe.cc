#include "hone/quantize/calibrate/observe.h"

#include <algorithm>

#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/targets/target.h"

namespace hone {
namespace {

constexpr int kMostThreads = 8;
constexpr int64_t kChunk = 8;  // Samples that a thread runs before all of them meet.

// Where in a program a point is seen: an output of a step's node.
struct ObservedOutput {
  size_t step;
  const Value* value;
  size_t point;
};

// Samples one by one on a session of its own.
class SampleObserver final : public StepObserver {
 public:
  SampleObserver(const Program& program, const std::vector<ObservedOutput>& observed, size_t points)
      : session_(program.open()),
        by_step_(program.steps().size()),
        points_(points),
        histograms_(points) {
    for (const ObservedOutput& output : observed) by_step_[output.step].push_back(output);
  }

  void begin_chunk() { extremes_.clear(); }

  Status run(const std::vector<Item>& inputs, int64_t sample) {
    sample_ = sample;
    extremes_.emplace_back(points_);
    return session_->run_observed(inputs, outputs_, *this);
  }

  void look(size_t point, std::span<const float> values) {
    if (values.empty()) return;
    extremes_.back()[point] = extremes_of(values);
    if (extremes_.back()[point].finite) add_to_histogram(histograms_[point], values, sample_);
  }

  void begin() override {}
  void step_done(size_t step, std::span<const double>) override {
    for (const ObservedOutput& output : by_step_[step]) {
      const auto view = session_->peek(output.value);
      if (view) look(output.point, view->data<float>());
    }
  }

  const std::vector<Item>& outputs() const { return outputs_; }
  // Of every sample of this chunk, by point.
  const std::vector<std::vector<SampleExtremes>>& extremes() const { return extremes_; }
  const Histogram& histogram(size_t point) const { return histograms_[point]; }

 private:
  std::unique_ptr<Session> session_;
  std::vector<std::vector<ObservedOutput>> by_step_;
  std::vector<Item> outputs_;
  int64_t sample_ = 0;
  size_t points_;
  std::vector<std::vector<SampleExtremes>> extremes_;
  std::vector<Histogram> histograms_;  // Of all samples, by point.
};

// A program that shows every point: in the memory of a step, or as one more output.
class ObservedProgram {
 public:
  ObservedProgram(const Graph& graph, const std::vector<const Value*>& points,
                  const ObserveOptions& options)
      : graph_(graph), points_(points), options_(options), seen_(points.size()) {}

  Result<Observations> run(const SampleSource& samples) {
    const int64_t count = samples.count;
    if (count <= 0) return bad_input("no samples to take the ranges of activations from");
    HONE_RETURN_IF_ERROR(compile());
    const int threads =
        std::min(options_.threads > 0 ? options_.threads : hardware_threads(), kMostThreads);
    std::vector<std::unique_ptr<SampleObserver>> observers;
    for (int64_t i = 0; i < std::min<int64_t>(threads, count); ++i) {
      observers.push_back(std::make_unique<SampleObserver>(*program_, observed_, points_.size()));
    }
    std::optional<Progress> bar;
    if (options_.progress) bar.emplace("calibrate", static_cast<size_t>(count));
    const int64_t round = kChunk * static_cast<int64_t>(observers.size());
    for (int64_t done = 0; done < count; done += round) {
      const int64_t now = std::min(round, count - done);
      HONE_RETURN_IF_ERROR(run_round(samples, done, now, observers));
      if (bar) bar->step(static_cast<size_t>(now));
    }
    for (const auto& observer : observers) {
      for (size_t p = 0; p < points_.size(); ++p) seen_[p].histogram.add(observer->histogram(p));
    }
    return result();
  }

 private:
  // A chunk for each observer, side by side; what they saw is taken in the order of the samples.
  Status run_round(const SampleSource& samples, int64_t first, int64_t count,
                   const std::vector<std::unique_ptr<SampleObserver>>& observers) {
    const size_t chunks = static_cast<size_t>((count + kChunk - 1) / kChunk);
    std::vector<Status> states(chunks, Status(Done{}));
    parallel_for(chunks, static_cast<int>(chunks), [&](size_t t) {
      const int64_t begin = static_cast<int64_t>(t) * kChunk;
      observers[t]->begin_chunk();
      for (int64_t i = begin; i < std::min(begin + kChunk, count) && states[t].ok(); ++i) {
        states[t] = run_sample(samples, first + i, *observers[t]);
      }
    });
    for (size_t t = 0; t < chunks; ++t) {
      HONE_RETURN_IF_ERROR(states[t]);
      for (const std::vector<SampleExtremes>& sample : observers[t]->extremes()) {
        for (size_t p = 0; p < points_.size(); ++p) add_extremes(seen_[p], sample[p]);
      }
    }
    return Done{};
  }

  Status run_sample(const SampleSource& samples, int64_t index, SampleObserver& observer) const {
    HONE_TRY(const std::vector<Item> inputs, samples.sample(index));
    HONE_RETURN_IF_ERROR(observer.run(inputs, index));
    for (size_t p = 0; p < points_.size(); ++p) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (graph_.inputs()[i] == points_[p]) observer.look(p, inputs[i].tensor.data<float>());
      }
    }
    for (size_t t = 0; t < taps_.size(); ++t) {
      const Item& item = observer.outputs()[graph_.outputs().size() + t];
      if (item.is_tensor()) observer.look(taps_[t], item.tensor.data<float>());
    }
    return Done{};
  }

  // Values that the engine's passes took away must be asked for as outputs, which changes what the
  // passes do; so until nothing is missing.
  Status compile() {
    HONE_TRY(const TargetDef* cpu, find_target("cpu"));
    const std::unique_ptr<Target> target = cpu->open();
    for (;;) {
      const std::unique_ptr<Graph> copy = graph_.clone();
      for (const size_t tap : taps_) copy->add_output(copy->find_value(points_[tap]->name));
      HONE_TRY(program_, target->compile(std::move(*copy), {.threads = 1, .keep_values = true}));
      if (!find_observed()) return Done{};
    }
  }

  // True when there are points now that must become outputs.
  bool find_observed() {
    const std::vector<StepInfo> steps = program_->steps();
    std::unordered_map<std::string, std::pair<size_t, const Value*>> made;
    for (size_t step = 0; step < steps.size(); ++step) {
      for (const Value* output : steps[step].node->outputs) made[output->name] = {step, output};
    }
    observed_.clear();
    const size_t before = taps_.size();
    for (size_t p = 0; p < points_.size(); ++p) {
      if (graph_.is_input(points_[p]) || std::ranges::find(taps_, p) != taps_.end()) continue;
      const auto found = made.find(points_[p]->name);
      if (found == made.end() || !same_elements(*found->second.second, *points_[p])) {
        taps_.push_back(p);
      } else {
        observed_.push_back({found->second.first, found->second.second, p});
      }
    }
    return taps_.size() > before;
  }

  static bool same_elements(const Value& a, const Value& b) {
    const TensorType& x = a.type.tensor;
    const TensorType& y = b.type.tensor;
    return x.known() && y.known() && x.dtype == DType::F32 && x.elements() == y.elements();
  }

  Result<Observations> result() {
    Observations observations;
    for (size_t p = 0; p < points_.size(); ++p) {
      if (!seen_[p].finite) {
        return bad_input("value '", points_[p]->name, "' is not finite for a sample");
      }
      observations[points_[p]] = std::move(seen_[p]);
    }
    return observations;
  }

  const Graph& graph_;
  const std::vector<const Value*>& points_;
  const ObserveOptions& options_;
  std::vector<Observation> seen_;  // By point.
  std::vector<size_t> taps_;       // Points that are outputs behind the graph's own.
  std::vector<ObservedOutput> observed_;
  std::unique_ptr<Program> program_;
};

}  // namespace

Result<Observations> observe(const Graph& graph, const std::vector<const Value*>& points,
                             const SampleSource& samples, const ObserveOptions& options) {
  return ObservedProgram(graph, points, options).run(samples);
}

}  // namespace hone
