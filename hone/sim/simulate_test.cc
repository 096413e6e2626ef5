#include "hone/sim/simulate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

#include "hone/sim/sim_testing.h"

namespace hone::sim {
namespace {

NpuSpec no_issue() {
  NpuSpec npu = round_npu();
  npu.queue.issue_cycles = 0;
  return npu;
}

CommandStream stream_of(std::vector<Command> commands) {
  CommandStream stream;
  stream.commands = std::move(commands);
  for (const Command& command : stream.commands) {
    stream.steps = std::max(stream.steps, command.step + 1);
  }
  return stream;
}

void expect_times(const Simulation& simulation, const std::vector<CommandTime>& expected) {
  ASSERT_EQ(simulation.commands.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(simulation.commands[i].start, expected[i].start) << i;
    EXPECT_EQ(simulation.commands[i].end, expected[i].end) << i;
  }
}

double stall(const StepTime& step, Stall cause) {
  return step.stalls[cause];
}
double all_stalls(const StepTime& step) {
  return std::accumulate(step.stalls.cycles.begin(), step.stalls.cycles.end(), 0.0);
}

// 800 bytes: a request of 110 cycles, then 13 bursts of 64 in 104.
//   one channel:   |request 110|bus 104|request 110|bus 104|
//   two channels:  |request 110|bus 104|bus 104|
TEST(Simulate, ASecondChannelHidesLatency) {
  const auto two = [](int channel) {
    return stream_of({{.work = load(Role::Input, 800)}, {.work = load(Role::Input, 800, channel)}});
  };
  expect_times(simulate(no_issue(), two(0)), {{0, 214}, {214, 428}});
  expect_times(simulate(no_issue(), two(1)), {{0, 214}, {0, 318}});
}

// Memories have a bus each.
TEST(Simulate, MemoriesServeAtTheSameTime) {
  NpuSpec npu = no_issue();
  npu.memories.push_back(npu.memories[0]);
  Transfer other = load(Role::Input, 800, 1);
  other.from.space = 2;
  const CommandStream stream = stream_of({{.work = load(Role::Input, 800)}, {.work = other}});
  expect_times(simulate(npu, stream), {{0, 214}, {0, 214}});
}

// Commands come 4 cycles apart, the first after the start of the run.
TEST(Simulate, CommandsAreIssuedInOrder) {
  NpuSpec npu = round_npu();
  npu.queue.start_us = 0.1;
  const Product product = square_product(8, 1, 16, 16);  // 113 cycles, 96 of them busy.
  VectorCommand add;
  add.op = &vector_op_add;
  add.a = add.b = add.output = image(1, 1, 160);  // 20 cycles.
  const Simulation simulation =
      simulate(npu, stream_of({{.work = product}, {.work = add}, {.work = add}}));
  expect_times(simulation, {{104, 217}, {108, 128}, {128, 148}});
  EXPECT_EQ(simulation.cycles, 217);
  EXPECT_EQ(stall(simulation.steps[0], Stall::Dispatch), 104);
  // The tile's first 17 cycles are lost to its weights, but for the 13 of them in which the
  // vector engine computes.
  EXPECT_EQ(stall(simulation.steps[0], Stall::WeightsLate), 4);
  EXPECT_EQ(all_stalls(simulation.steps[0]), 108);
  EXPECT_EQ(simulation.steps[0].busy.matrix, 96);
  EXPECT_EQ(simulation.steps[0].busy.vector, 40);
}

// Four tiles of 800 bytes (a request of 110 cycles, 104 on the bus) and 113 cycles of work each in
// two buffers; a load waits for the work that frees its buffer.
//   dma 0   |--request--|bus|            |--request--|bus|
//   dma 1   |--request------|bus|               |--request--|bus|
//   matrix                  |  W0  ||  W1  |          |  W2  ||  W3  |
//           0             214    327     440        541    654     767
// W0 frees its buffer at 327: the third tile is there 214 later. W1 frees the other at 440, and the
// fourth tile is there at 654, just as W2 ends.
TEST(Simulate, DoubleBuffering) {
  const Product work = square_product(8, 1, 16, 16);
  const CommandStream stream = stream_of({
      {.work = load(Role::Input, 800, 0)},                // 0: L0
      {.work = load(Role::Input, 800, 1)},                // 1: L1
      {.work = work, .waits = {0}},                       // 2: W0
      {.work = load(Role::Input, 800, 0), .waits = {2}},  // 3: L2
      {.work = work, .waits = {1}},                       // 4: W1
      {.work = load(Role::Input, 800, 1), .waits = {4}},  // 5: L3
      {.work = work, .waits = {3}},                       // 6: W2
      {.work = work, .waits = {5}},                       // 7: W3
  });
  const Simulation simulation = simulate(no_issue(), stream);
  expect_times(
      simulation,
      {{0, 214}, {0, 318}, {214, 327}, {327, 541}, {327, 440}, {440, 654}, {541, 654}, {654, 767}});
  // 214 for the first tile, 101 for the third; 17 in each tile.
  const StepTime& step = simulation.steps[0];
  EXPECT_EQ(stall(step, Stall::InputLate), 214 + 101);
  EXPECT_EQ(stall(step, Stall::WeightsLate), 4 * 17);
  EXPECT_EQ(step.busy.matrix, 4 * 96);
  EXPECT_EQ(step.cycles, 767);
  EXPECT_EQ(step.busy.dma, (214 + 318 + 214 + 214) / 2);  // Of two channels.
  EXPECT_EQ(step.memories[0].read_bytes, 3200);
}

// Weights that stream share the bus: a load of 800 bytes keeps it until 214, then 448 bytes take 56
// cycles. The product alone takes 113.
TEST(Simulate, StreamedWeightsTakeTheBus) {
  Product work = square_product(8, 1, 16, 16);
  work.weights = {1, 4096};
  const CommandStream stream = stream_of(
      {{.work = load(Role::Input, 800)}, {.work = work}, {.work = load(Role::Input, 800, 1)}});
  const Simulation simulation = simulate(no_issue(), stream);
  expect_times(simulation, {{0, 214}, {0, 270}, {0, 374}});
  EXPECT_EQ(simulation.steps[0].memories[0].read_bytes, 800 + 800 + 448);
  EXPECT_EQ(stall(simulation.steps[0], Stall::WeightsLate), 270 - 96);
  EXPECT_EQ(stall(simulation.steps[0], Stall::InputLate), 374 - 270);
}

// The host: a microsecond to hand over, 2 to compute.
TEST(Simulate, HostCalls) {
  const Product work = square_product(8, 1, 16, 16);
  const CommandStream stream = stream_of({
      {.work = work, .step = 0},
      {.work = HostCall{.us = 2, .wakes = true}, .step = 1, .waits = {0}},
      {.work = work, .step = 2, .waits = {1}},
      {.work = store(800), .step = 2, .waits = {2}},
  });
  const Simulation simulation = simulate(no_issue(), stream);
  expect_times(simulation, {{0, 113}, {113, 3113}, {3113, 3226}, {3226, 3226 + 110 + 208}});
  EXPECT_EQ(simulation.steps[1].start, 113);
  EXPECT_EQ(simulation.steps[1].cycles, 3000);
  EXPECT_EQ(simulation.steps[1].busy.host, 2000);
  EXPECT_EQ(stall(simulation.steps[1], Stall::Dispatch), 1000);
  EXPECT_EQ(stall(simulation.steps[2], Stall::OutputBlocked), 318);
  EXPECT_EQ(stall(simulation.steps[2], Stall::WeightsLate), 17);
  EXPECT_EQ(simulation.steps[2].memories[0].written_bytes, 800);
}

// What a product waits for may itself have waited to be issued: that part is Dispatch.
TEST(Simulate, LateIssueIsDispatch) {
  NpuSpec npu = round_npu();
  npu.queue.start_us = 0.1;
  const CommandStream stream = stream_of(
      {{.work = load(Role::Input, 800)}, {.work = square_product(8, 1, 16, 16), .waits = {0}}});
  const Simulation simulation = simulate(npu, stream);
  expect_times(simulation, {{104, 318}, {318, 431}});
  EXPECT_EQ(stall(simulation.steps[0], Stall::Dispatch), 104);
  EXPECT_EQ(stall(simulation.steps[0], Stall::InputLate), 214);
}

// Both engines wait, the vector engine less long: until it starts, its input is what is late. It
// computes for 20 cycles; then the products wait for weights.
TEST(Simulate, WhoStartsFirstSaysWhatIsLate) {
  VectorCommand add;
  add.op = &vector_op_add;
  add.a = add.b = add.output = image(1, 1, 160);
  const CommandStream stream = stream_of({
      {.work = load(Role::Input, 800, 0)},                   // Until 214,
      {.work = load(Role::Weights, 800, 1)},                 // until 318.
      {.work = square_product(8, 1, 16, 16), .waits = {1}},  // 17 cycles for weights in it.
      {.work = add, .waits = {0}},
  });
  const StepTime step = simulate(no_issue(), stream).steps[0];
  EXPECT_EQ(stall(step, Stall::InputLate), 214);
  EXPECT_EQ(stall(step, Stall::WeightsLate), 318 - 234 + 17);
}

// A vector operation that waits for products of another step: the time is theirs while they
// compute.
TEST(Simulate, WaitsOnEnginesAreDependencies) {
  VectorCommand add;
  add.op = &vector_op_add;
  add.a = add.b = add.output = image(1, 1, 160);
  const CommandStream stream = stream_of({
      {.work = square_product(8, 1, 16, 16), .step = 1},
      {.work = add, .step = 0, .waits = {0}},
  });
  const Simulation simulation = simulate(no_issue(), stream);
  EXPECT_EQ(simulation.steps[0].cycles, 20);
  EXPECT_EQ(stall(simulation.steps[0], Stall::Dependency), 0);
  EXPECT_EQ(simulation.steps[1].cycles, 113);
}

TEST(Simulate, EnergyAddsUp) {
  NpuSpec npu = no_issue();
  npu.energy = {.pj_per_mac = 2,
                .pj_per_vector_op = 3,
                .pj_per_sram_byte = 5,
                .pj_per_memory_byte = {7},
                .idle_watts = 0.5};
  npu.host.watts = 4;
  VectorCommand add;
  add.op = &vector_op_add;
  add.a = add.b = add.output = image(1, 1, 160);
  const CommandStream stream = stream_of({
      {.work = load(Role::Input, 800)},
      {.work = square_product(8, 1, 16, 16)},
      {.work = add},
      {.work = HostCall{.us = 2}},
  });
  const Simulation simulation = simulate(npu, stream);
  EXPECT_EQ(simulation.cycles, 2000);
  const double sram = 800 + (1024 + 1024 + 448) + 480;
  const double pj = 2.0 * 64 * 16 * 16 + 3 * 160 + 5 * sram + 7 * 800;
  EXPECT_DOUBLE_EQ(simulation.energy_uj, 1e-6 * pj + 2 * 0.5 + 2 * 4.0);
}

TEST(Simulate, NamesTracks) {
  const NpuSpec npu = round_npu();
  EXPECT_EQ(track_names(npu),
            (std::vector<std::string>{"matrix", "vector", "host", "dma 0", "dma 1"}));
  EXPECT_EQ(track_of(npu, {.work = store(1, 1)}), 4u);
  EXPECT_EQ(track_of(npu, {.work = HostCall{}}), 2u);
  NpuSpec vector = npu;
  vector.matrix.depthwise = DepthwiseOn::Vector;
  EXPECT_EQ(track_of(npu, {.work = square_depthwise(4, 3, 8)}), 0u);
  EXPECT_EQ(track_of(vector, {.work = square_depthwise(4, 3, 8)}), 1u);
}

TEST(Simulate, NothingTakesNoTime) {
  EXPECT_EQ(simulate(round_npu(), {}).cycles, 0);
}

bool computes(const Command& command) {
  return !std::holds_alternative<Transfer>(command.work);
}

// The cycles in which a computing engine was at work, cycle by cycle (every time is a whole number
// of them).
double counted_busy(const NpuSpec& npu, const CommandStream& stream, const Simulation& simulation) {
  std::vector<bool> busy(static_cast<size_t>(simulation.cycles));
  for (size_t i = 0; i < stream.commands.size(); ++i) {
    const Command& command = stream.commands[i];
    if (!computes(command)) continue;
    double worked = 0;
    if (const auto* product = std::get_if<Product>(&command.work)) {
      worked = product_time(npu, *product).busy;
    } else if (const auto* vector = std::get_if<VectorCommand>(&command.work)) {
      worked = vector_time(npu, *vector).busy;
    } else {
      worked = whole_cycles(npu.cycles(std::get<HostCall>(command.work).us));
    }
    const double end = simulation.commands[i].end;
    for (double t = end - worked; t < end; ++t) busy[static_cast<size_t>(t)] = true;
  }
  return static_cast<double>(std::count(busy.begin(), busy.end(), true));
}

TEST(Simulate, StepsAndStallsAddUp) {
  Random random(11);
  for (int i = 0; i < 150; ++i) {
    const NpuSpec npu = random_npu(random);
    const CommandStream stream = random_stream(npu, 40, random);
    const Simulation simulation = simulate(npu, stream);
    double cycles = 0, stalls = 0, energy = 0;
    for (const StepTime& step : simulation.steps) {
      cycles += step.cycles;
      stalls += all_stalls(step);
      energy += step.energy_uj;
    }
    EXPECT_EQ(simulation.cycles, cycles);
    EXPECT_EQ(simulation.cycles, stalls + counted_busy(npu, stream, simulation));
    EXPECT_DOUBLE_EQ(simulation.energy_uj, energy);
  }
}

// What was moved and multiplied is what commands say, and takes at least as long as their engine or
// memory needs at its peak.
TEST(Simulate, ConservesWorkAndKeepsBounds) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    const NpuSpec npu = random_npu(random);
    const CommandStream stream = random_stream(npu, 60, random);
    const Simulation simulation = simulate(npu, stream);
    std::vector<double> read(2), written(2);
    double macs = 0, matrix_macs = 0;
    for (const Command& command : stream.commands) {
      if (const auto* transfer = std::get_if<Transfer>(&command.work)) {
        const double bytes = transferred_bytes(npu, *transfer);
        if (transfer->from.in_sram()) {
          written[transfer->to.space - 1u] += bytes;
        } else {
          read[transfer->from.space - 1u] += bytes;
        }
      } else if (const auto* product = std::get_if<Product>(&command.work)) {
        macs += static_cast<double>(product->macs());
        if (!runs_on_vector(npu, *product)) matrix_macs += static_cast<double>(product->macs());
        if (!product->weights.in_sram()) {
          read[product->weights.space - 1u] += streamed_bytes(npu, *product);
        }
      }
    }
    EngineCounters sum;
    for (const StepTime& step : simulation.steps) add(step, sum);
    EXPECT_EQ(sum.cycles, simulation.cycles);
    EXPECT_EQ(sum.macs, macs);
    EXPECT_DOUBLE_EQ(sum.possible_macs,
                     sum.cycles * static_cast<double>(npu.matrix.macs_per_cycle()));
    ASSERT_EQ(sum.memories.size(), read.size());
    for (size_t m = 0; m < read.size(); ++m) {
      EXPECT_DOUBLE_EQ(sum.memories[m].read_bytes, read[m]);
      EXPECT_EQ(sum.memories[m].written_bytes, written[m]);
    }
    EXPECT_GE(simulation.cycles * static_cast<double>(npu.matrix.macs_per_cycle()), matrix_macs);
    for (size_t m = 0; m < 2; ++m) {
      const double seconds = read[m] / npu.memories[m].read_bytes_per_second +
                             written[m] / npu.memories[m].write_bytes_per_second;
      EXPECT_GE(simulation.cycles / npu.clock_hz * (1 + 1e-12), seconds);
    }
  }
}

// Engines and memories do one thing at a time, in the order of the program.
TEST(Simulate, TracksAreInOrder) {
  Random random(13);
  for (int i = 0; i < 100; ++i) {
    const NpuSpec npu = random_npu(random);
    const CommandStream stream = random_stream(npu, 60, random);
    const Simulation simulation = simulate(npu, stream);
    std::vector<double> free(track_names(npu).size());
    for (size_t c = 0; c < stream.commands.size(); ++c) {
      const CommandTime& time = simulation.commands[c];
      double& track = free[track_of(npu, stream.commands[c])];
      EXPECT_GE(time.start, track);
      track = time.end;
      for (const uint32_t wait : stream.commands[c].waits) {
        EXPECT_GE(time.start, simulation.commands[wait].end);
      }
    }
  }
}

// A machine that is better in any figure is never slower, and no step of a stream ends later.
TEST(Simulate, IsMonotone) {
  const std::vector<void (*)(NpuSpec&)> improvements = {
      [](NpuSpec& npu) { npu.memories[0].read_bytes_per_second *= 1.3; },
      [](NpuSpec& npu) { npu.memories[1].write_bytes_per_second *= 1.7; },
      [](NpuSpec& npu) { npu.memories[0].latency_ns /= 2; },
      [](NpuSpec& npu) { npu.sram.bank_bytes_per_cycle *= 1.5; },
      [](NpuSpec& npu) { npu.sram.banks += 1; },
      [](NpuSpec& npu) { npu.dma.bytes_per_cycle *= 1.2; },
      [](NpuSpec& npu) { npu.dma.setup_cycles /= 2; },
      [](NpuSpec& npu) { npu.matrix.weight_bytes_per_cycle *= 1.4; },
      [](NpuSpec& npu) { npu.matrix.outputs_per_cycle *= 1.4; },
      [](NpuSpec& npu) { npu.matrix.fill_cycles /= 2; },
      [](NpuSpec& npu) { npu.matrix.weight_compression *= 0.7; },
      [](NpuSpec& npu) { npu.vector.lanes *= 2; },
      [](NpuSpec& npu) { npu.vector.start_cycles /= 2; },
      [](NpuSpec& npu) { npu.queue.issue_cycles /= 2; },
      [](NpuSpec& npu) { npu.queue.start_us /= 2; },
      [](NpuSpec& npu) { npu.host.dispatch_us /= 2; },
  };
  Random random(14);
  for (int i = 0; i < 60; ++i) {
    const NpuSpec npu = random_npu(random);
    const CommandStream stream = random_stream(npu, 60, random);
    const Simulation before = simulate(npu, stream);
    for (size_t change = 0; change < improvements.size(); ++change) {
      NpuSpec better = npu;
      improvements[change](better);
      const Simulation after = simulate(better, stream);
      for (size_t c = 0; c < stream.commands.size(); ++c) {
        ASSERT_LE(after.commands[c].end, before.commands[c].end) << change << " " << c;
      }
    }
  }
}

TEST(Simulate, IsDeterministic) {
  Random random(15);
  const NpuSpec npu = random_npu(random);
  const CommandStream stream = random_stream(npu, 500, random);
  const Simulation first = simulate(npu, stream), second = simulate(npu, stream);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.energy_uj, second.energy_uj);
  for (size_t c = 0; c < stream.commands.size(); ++c) {
    EXPECT_EQ(first.commands[c].start, second.commands[c].start);
    EXPECT_EQ(first.commands[c].end, second.commands[c].end);
  }
}

TEST(Simulate, IsFast) {
  Random random(16);
  const NpuSpec npu = random_npu(random);
  const CommandStream stream = random_stream(npu, 200000, random);
  const auto start = std::chrono::steady_clock::now();
  const Simulation simulation = simulate(npu, stream);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_GT(simulation.cycles, 0);
  RecordProperty("ms", static_cast<int>(1e3 * time.count()));
  EXPECT_LT(time.count(), 1.0);  // About 25 ms; a quadratic pass would take minutes.
}

}  // namespace
}  // namespace hone::sim
