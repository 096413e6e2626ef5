// MobileNetV2 at 224 x 224, layer by layer: its bytes (Machine) and its times (simulate). Weights
// come to the SRAM by a transfer for each layer, as most devices have it, or stream.

#include <benchmark/benchmark.h>

#include "hone/sim/machine.h"
#include "hone/sim/sim_testing.h"

namespace hone::sim {
namespace {

class Builder {
 public:
  explicit Builder(bool streams) : streams_(streams) {}

  void add(int64_t size, int64_t stride, int64_t kernel, int64_t depth, int64_t channels,
           bool depthwise) {
    Product product;
    product.depthwise = depthwise;
    product.input = image(size, size, depth, {0, buffer_ * kBuffer});
    buffer_ = 1 - buffer_;
    product.output = image(size / stride, size / stride, channels, {0, buffer_ * kBuffer});
    const int64_t pad = kernel / 2;
    product.window = {kernel, kernel, stride, stride, 1, 1, pad, pad};
    const int64_t bytes = product.weight_bytes();
    const Address stored = {1, weights_.size()};
    for (int64_t i = 0; i < bytes; ++i) weights_.push_back(static_cast<std::byte>(i * 37 % 251));
    while (weights_.size() % 16 != 0) weights_.push_back({});
    product.weights = streams_ ? stored : Address{0, 2 * kBuffer};
    if (!streams_) {
      Transfer transfer = load(Role::Weights, bytes);
      transfer.from = stored;
      transfer.to = product.weights;
      stream_.commands.push_back({.work = transfer, .step = stream_.steps});
    }
    stream_.commands.push_back({.work = product, .step = stream_.steps++});
    macs_ += product.macs();
  }

  CommandStream finish() {
    stream_.space_bytes = {2 * kBuffer + 2000000, weights_.size()};
    stream_.images.push_back({{1, 0}, std::move(weights_)});
    return std::move(stream_);
  }
  int64_t macs() const { return macs_; }

 private:
  static constexpr uint64_t kBuffer = 1300000;
  bool streams_;
  uint64_t buffer_ = 0;
  std::vector<std::byte> weights_;
  CommandStream stream_;
  int64_t macs_ = 0;
};

// Expansion, channels, repeats and first stride of each group of blocks.
Builder mobilenet_v2(bool streams) {
  Builder builder(streams);
  builder.add(224, 2, 3, 3, 32, false);
  int64_t size = 112, depth = 32;
  const int64_t groups[][4] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  for (const auto& [expansion, channels, repeats, first] : groups) {
    for (int64_t i = 0; i < repeats; ++i) {
      const int64_t wide = expansion * depth, stride = i == 0 ? first : 1;
      if (expansion > 1) builder.add(size, 1, 1, depth, wide, false);
      builder.add(size, stride, 3, wide, wide, true);
      size /= stride;
      builder.add(size, 1, 1, wide, channels, false);
      depth = channels;
    }
  }
  builder.add(size, 1, 1, depth, 1280, false);
  builder.add(1, 1, 1, 1280, 1000, false);
  return builder;
}

class NoHost final : public HostCalls {
 public:
  Status run(size_t) override { return Done{}; }
};

void run_machine(benchmark::State& state) {
  Builder builder = mobilenet_v2(state.range(0) != 0);
  const CommandStream stream = builder.finish();
  Machine machine(stream);
  NoHost host;
  (void)machine.run(host);
  for (auto _ : state) (void)machine.run(host);
  state.counters["GMAC/s"] = benchmark::Counter(1e-9 * static_cast<double>(builder.macs()),
                                                benchmark::Counter::kIsIterationInvariantRate);
  state.counters["Mcycles/s"] = benchmark::Counter(1e-6 * simulate(round_npu(), stream).cycles,
                                                   benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(run_machine)->ArgName("streams")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void run_simulate(benchmark::State& state) {
  Random random(1);
  const NpuSpec npu = random_npu(random);
  const CommandStream stream = random_stream(npu, static_cast<size_t>(state.range(0)), random);
  for (auto _ : state) benchmark::DoNotOptimize(simulate(npu, stream).cycles);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(run_simulate)->Arg(1000)->Arg(200000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hone::sim
