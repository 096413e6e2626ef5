// What the tests of this folder share.
#pragma once

#include <random>

#include "hone/sim/simulate.h"
#include "hone/sim/vector_op.h"

namespace hone::sim {

// A machine with round numbers, at 1 GHz, so that a nanosecond is a cycle: 16 x 16 products, tiles
// of weights in 16 cycles, 192 bytes of SRAM a cycle, a memory of 8 bytes a cycle (4 to write) that
// answers after 100.
inline NpuSpec round_npu() {
  NpuSpec npu;
  npu.clock_hz = 1e9;
  npu.matrix = {.dataflow = Dataflow::WeightStationary,
                .rows = 16,
                .columns = 16,
                .accumulators = 1024,
                .weight_bytes_per_cycle = 16,
                .outputs_per_cycle = 16,
                .fill_cycles = 32};
  npu.vector = {.lanes = 16, .start_cycles = 10};
  npu.sram = {.bytes = 1 << 20, .banks = 4, .bank_bytes_per_cycle = 64};
  npu.memories = {{.name = "DRAM",
                   .bytes = 1 << 30,
                   .read_bytes_per_second = 8e9,
                   .write_bytes_per_second = 4e9,
                   .latency_ns = 100,
                   .burst_bytes = 64}};
  npu.dma = {.channels = 2, .bytes_per_cycle = 16, .setup_cycles = 10};
  npu.queue = {.issue_cycles = 4};
  npu.host = {.name = "host", .dispatch_us = 1};
  return npu;
}

inline View image(int64_t height, int64_t width, int64_t channels, Address at = {}) {
  return {.at = at,
          .height = height,
          .width = width,
          .channels = channels,
          .row_stride = width * channels,
          .pixel_stride = channels};
}

// A square kernel at stride 1 over an input that is as large as it needs.
inline Product square_product(int64_t size, int64_t kernel, int64_t depth, int64_t channels) {
  Product product;
  product.input = image(size + kernel - 1, size + kernel - 1, depth);
  product.output = image(size, size, channels);
  product.window = {.kernel_h = kernel, .kernel_w = kernel};
  return product;
}
inline Product square_depthwise(int64_t size, int64_t kernel, int64_t channels) {
  Product product = square_product(size, kernel, channels, channels);
  product.depthwise = true;
  return product;
}

inline Transfer load(Role role, int64_t bytes, int channel = 0) {
  return {.role = role, .from = {1, 0}, .to = {0, 0}, .row_bytes = bytes, .channel = channel};
}
inline Transfer store(int64_t bytes, int channel = 0) {
  return {
      .role = Role::Output, .from = {0, 0}, .to = {1, 0}, .row_bytes = bytes, .channel = channel};
}

class Random {
 public:
  explicit Random(unsigned seed) : rng_(seed) {}
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  }
  bool coin() { return pick(0, 1) == 1; }
  std::mt19937& rng() { return rng_; }

 private:
  std::mt19937 rng_;
};

inline NpuSpec random_npu(Random& random) {
  NpuSpec npu = round_npu();
  npu.clock_hz = static_cast<double>(random.pick(100, 2000)) * 1e6;
  npu.matrix.dataflow = random.coin() ? Dataflow::WeightStationary : Dataflow::OutputStationary;
  npu.matrix.rows = 1 << random.pick(2, 6);
  npu.matrix.columns = 1 << random.pick(2, 6);
  npu.matrix.lanes = 1 << random.pick(0, 2);
  npu.matrix.depth_step = random.coin() ? 0 : 1 << random.pick(2, 5);
  npu.matrix.tap_step = random.coin() ? 0 : 1 << random.pick(0, 2);
  npu.matrix.accumulators = random.pick(64, 65536);
  npu.matrix.weight_bytes_per_cycle = static_cast<double>(random.pick(1, 256));
  npu.matrix.outputs_per_cycle = static_cast<double>(random.pick(1, 64));
  npu.matrix.fill_cycles = static_cast<int>(random.pick(0, 64));
  npu.matrix.depthwise = static_cast<DepthwiseOn>(random.pick(0, 2));
  npu.matrix.weight_compression = static_cast<double>(random.pick(5, 10)) / 10;
  npu.vector.lanes = static_cast<int>(random.pick(1, 64));
  npu.sram.banks = static_cast<int>(random.pick(1, 8));
  npu.sram.bank_bytes_per_cycle = static_cast<double>(random.pick(1, 64));
  npu.memories.push_back({.name = "flash", .bytes = 1 << 30});
  for (NpuMemory& memory : npu.memories) {
    memory.read_bytes_per_second = static_cast<double>(random.pick(100, 20000)) * 1e6;
    memory.write_bytes_per_second = static_cast<double>(random.pick(100, 20000)) * 1e6;
    memory.latency_ns = static_cast<double>(random.pick(0, 2000));
    memory.burst_bytes = 1 << random.pick(0, 6);
  }
  npu.dma = {.channels = static_cast<int>(random.pick(1, 4)),
             .bytes_per_cycle = static_cast<double>(random.pick(1, 64)),
             .setup_cycles = static_cast<int>(random.pick(0, 50))};
  npu.queue = {.issue_cycles = static_cast<int>(random.pick(0, 20)),
               .start_us = static_cast<double>(random.pick(0, 20))};
  npu.host.watts = 2;
  npu.energy = {.pj_per_mac = 1,
                .pj_per_vector_op = 2,
                .pj_per_sram_byte = 3,
                .pj_per_memory_byte = {100, 200},
                .idle_watts = 0.5};
  return npu;
}

inline Command random_command(const NpuSpec& npu, Random& random) {
  const auto address = [&] { return Address{static_cast<uint8_t>(random.pick(1, 2)), 0}; };
  switch (random.pick(0, 9)) {
    case 0:
      return {.work =
                  HostCall{.us = static_cast<double>(random.pick(0, 30)), .wakes = random.coin()}};
    case 1:
    case 2: {
      VectorCommand vector;
      vector.op = vector_ops()[static_cast<size_t>(random.pick(0, std::ssize(vector_ops()) - 1))];
      vector.a = image(random.pick(1, 20), random.pick(1, 20), random.pick(1, 64));
      vector.b = vector.output = vector.a;
      vector.window = {.kernel_h = random.pick(1, 3), .kernel_w = random.pick(1, 3)};
      return {.work = vector};
    }
    case 3:
    case 4:
    case 5: {
      const int64_t size = random.pick(1, 20), kernel = random.pick(1, 5);
      Product product = random.coin()
                            ? square_product(size, kernel, random.pick(1, 80), random.pick(1, 80))
                            : square_depthwise(size, kernel, random.pick(1, 80));
      if (random.coin()) product.weights = address();
      return {.work = product};
    }
    default: {
      Transfer transfer;
      transfer.role = static_cast<Role>(random.pick(0, 2));
      (transfer.role == Role::Output ? transfer.to : transfer.from) = address();
      transfer.rows = random.pick(1, 30);
      transfer.row_bytes = random.pick(1, 2000);
      transfer.from_stride = transfer.row_bytes + (random.coin() ? 0 : 64);
      transfer.to_stride = transfer.row_bytes + (random.coin() ? 0 : 64);
      transfer.channel = static_cast<int>(random.pick(0, npu.dma.channels - 1));
      return {.work = transfer};
    }
  }
}

// Commands of steps that mostly follow one another, each waiting for a few before it.
inline CommandStream random_stream(const NpuSpec& npu, size_t commands, Random& random) {
  CommandStream stream;
  stream.steps = 1 + commands / 8;
  for (size_t i = 0; i < commands; ++i) {
    Command command = random_command(npu, random);
    const int64_t step = static_cast<int64_t>(i / 8) + (random.pick(0, 9) == 0 ? -1 : 0);
    command.step = static_cast<size_t>(std::max<int64_t>(0, step));
    for (int64_t wait = random.pick(0, 3); wait > 0 && i > 0; --wait) {
      const int64_t back = random.pick(1, std::min<int64_t>(12, static_cast<int64_t>(i)));
      command.waits.push_back(static_cast<uint32_t>(i - static_cast<size_t>(back)));
    }
    stream.commands.push_back(std::move(command));
  }
  return stream;
}

}  // namespace hone::sim
