#include "hone/sim/timing.h"

#include <gtest/gtest.h>

#include "hone/sim/sim_testing.h"

namespace hone::sim {
namespace {

void expect_time(const EngineTime& time, double cycles, double busy) {
  EXPECT_EQ(time.cycles, cycles);
  EXPECT_EQ(time.busy, busy);
}

// 64 pixels, 16 products deep, 16 channels: one tile of weights.
//   load 16 | fill 32 | 64 pixels | the last pixel's 16 sums leave in 1
TEST(WeightStationary, OneTile) {
  expect_time(product_time(round_npu(), square_product(8, 1, 16, 16)), 16 + 32 + 64 + 1, 64 + 32);
}

// 9 taps x 16 = 9 passes over 64 pixels, 576 cycles for each of 3 blocks of columns; their weights
// (9 x 16 = 144 cycles) load behind. The last block has 8 columns: half a cycle to leave.
TEST(WeightStationary, PassesAndPartlyFilledColumns) {
  expect_time(product_time(round_npu(), square_product(8, 3, 16, 40)), 16 + 32 + 3 * 576 + 1,
              3 * 576 + 32);
}

// One pixel, 64 deep, 32 channels: 4 x 2 tiles. Loads, 16 cycles each, are all there is; the last
// tile's pixel takes a cycle, its sums another.
TEST(WeightStationary, FullyConnectedWaitsForWeights) {
  const EngineTime time = product_time(round_npu(), square_product(1, 1, 64, 32));
  expect_time(time, 8 * 16 + 1 + 32 + 1, 8 + 32);
  EXPECT_EQ(time.cause, Stall::WeightsLate);
}

// 256 pixels do not fit into 1024 accumulators of 16 columns: 4 blocks of 64 pixels and 2 passes.
TEST(WeightStationary, BlocksOfPixels) {
  expect_time(product_time(round_npu(), square_product(16, 1, 32, 16)), 16 + 32 + 4 * 128 + 1,
              4 * 128 + 32);
}

// 2 sums a cycle: 64 pixels x 16 channels take 512 cycles to leave. The first block's pass hides
// behind that; the last one's sums leave from its first pixel on, 64 cycles before it ends.
TEST(WeightStationary, SlowOutputs) {
  NpuSpec npu = round_npu();
  npu.matrix.outputs_per_cycle = 2;
  const EngineTime time = product_time(npu, square_product(8, 1, 16, 32));
  expect_time(time, 16 + 32 + 512 + 64 + (512 - 64), 2 * 64 + 32);
  EXPECT_EQ(time.cause, Stall::OutputBlocked);
}

// 4 pixels a cycle, 8 products for 8 channels; a pass's weights come in a cycle.
NpuSpec output_stationary() {
  NpuSpec npu = round_npu();
  npu.matrix = {.dataflow = Dataflow::OutputStationary,
                .rows = 8,
                .columns = 8,
                .lanes = 4,
                .depth_step = 32,
                .tap_step = 4,
                .accumulators = 512,
                .weight_bytes_per_cycle = 64,
                .outputs_per_cycle = 8,
                .fill_cycles = 8};
  return npu;
}

// 16 deep: taps together take 12 x 2 = 24 passes, depth first 9 x 32 / 8 = 36. 64 pixels in 16
// groups: 384 cycles, then 64 x 8 sums leave in 64.
TEST(OutputStationary, TakesTheCheaperOrder) {
  const EngineTime time = product_time(output_stationary(), square_product(8, 3, 16, 8));
  expect_time(time, 1 + 8 + 24 * 16 + 64, 24 * 16 + 8);
  EXPECT_EQ(time.cause, Stall::OutputBlocked);
  // 64 deep: 9 x 64 / 8 = 72 against 12 x 8 = 96.
  expect_time(product_time(output_stationary(), square_product(8, 3, 64, 8)), 1 + 8 + 72 * 16 + 64,
              72 * 16 + 8);
}

// Every block of 64 pixels fills anew: 256 pixels are 4, 16 channels 2 blocks.
TEST(OutputStationary, FillsEachBlock) {
  expect_time(product_time(output_stationary(), square_product(16, 1, 32, 16)),
              1 + 8 * (8 + 4 * 16) + 64, 8 * (8 + 4 * 16));
}

// 9 taps count as 12; 24 channels are 3 blocks of 12 x 16 cycles. 8 bytes of weights for a pass
// come in an eighth of a cycle.
TEST(Depthwise, OnColumns) {
  expect_time(product_time(output_stationary(), square_depthwise(8, 3, 24)), 3 * (8 + 192) + 64 + 1,
              3 * (8 + 192));
}

// 64 rows have room for the 9 taps of 7 channels, so 14 take two tiles of 64 cycles to load, each
// as long as its 64 pixels. 7 sums of 64 a cycle: the last pixel leaves in the cycle begun.
TEST(Depthwise, OnTheDiagonal) {
  NpuSpec npu = round_npu();
  npu.matrix.depthwise = DepthwiseOn::Diagonal;
  npu.matrix.rows = npu.matrix.columns = 64;
  npu.matrix.weight_bytes_per_cycle = npu.matrix.outputs_per_cycle = 64;
  npu.matrix.accumulators = 64 * 64;
  expect_time(product_time(npu, square_depthwise(8, 3, 14)), 64 + 32 + 2 * 64 + 1, 2 * 64 + 32);
  // 81 taps: two passes for each single channel. 14 x 2 tiles of 64 cycles.
  expect_time(product_time(npu, square_depthwise(8, 9, 14)), 64 + 32 + 28 * 64 + 1, 28 * 64 + 32);
}

// 9 taps for 1024 outputs, 16 at a time.
TEST(Depthwise, OnTheVectorEngine) {
  NpuSpec npu = round_npu();
  npu.matrix.depthwise = DepthwiseOn::Vector;
  EXPECT_TRUE(runs_on_vector(npu, square_depthwise(8, 3, 16)));
  EXPECT_FALSE(runs_on_vector(npu, square_product(8, 3, 16, 16)));
  expect_time(product_time(npu, square_depthwise(8, 3, 16)), 10 + 9 * 64, 10 + 9 * 64);
}

// One bank gives half of its 4 bytes a cycle to engines. 16 channels: 1024 bytes of input, 1024 of
// output and 256 + 192 of weights and constants.
TEST(Product, IsBoundBySram) {
  NpuSpec npu = round_npu();
  npu.sram.banks = 1;
  npu.sram.bank_bytes_per_cycle = 4;
  const EngineTime time = product_time(npu, square_product(8, 1, 16, 16));
  expect_time(time, (1024 + 1024 + 448) / 2, 64 + 32);
  EXPECT_EQ(time.cause, Stall::InputLate);
  // The input goes in once for each of 2 blocks of columns.
  EXPECT_EQ(sram_bytes(npu, {.work = square_product(8, 1, 16, 32)}),
            2 * 1024 + 2048 + 512 + 3 * 4 * 32);
  // Weights go in once for each of 4 blocks of pixels.
  EXPECT_EQ(sram_bytes(npu, {.work = square_product(16, 1, 32, 16)}),
            8192 + 4096 + 4 * (512 + 3 * 4 * 16));
}

// 64 x 64 weights and 64 x 12 bytes of constants at half their size: 2432 bytes at 8 a cycle.
TEST(Product, IsBoundByStreamedWeights) {
  NpuSpec npu = round_npu();
  npu.matrix.weight_compression = 0.5;
  npu.matrix.weight_bytes_per_cycle = 1024;
  Product product = square_product(1, 1, 64, 64);
  EXPECT_EQ(streamed_bytes(npu, product), 0);
  product.weights = {1, 0};
  EXPECT_EQ(streamed_bytes(npu, product), 2432);
  const EngineTime time = product_time(npu, product);
  expect_time(time, 2432 / 8, 32 + 4 * 4);
  EXPECT_EQ(time.cause, Stall::WeightsLate);
}

VectorCommand vector_command(const VectorOpDef* op, const View& a, const View& output) {
  VectorCommand command;
  command.op = op;
  command.a = command.b = a;
  command.output = output;
  return command;
}

TEST(Vector, TakesLanesAndCosts) {
  NpuSpec npu = round_npu();
  const View row = image(1, 1, 1000);
  expect_time(vector_time(npu, vector_command(&vector_op_add, row, row)), 10 + 63, 10 + 63);
  expect_time(vector_time(npu, vector_command(&vector_op_softmax, row, row)), 10 + 4 * 63,
              10 + 4 * 63);
  npu.vector.cost["add"] = 1.5;
  EXPECT_EQ(vector_time(npu, vector_command(&vector_op_add, row, row)).cycles, 10 + 95);
  // 4 x 4 x 16 outputs of 9 values each.
  VectorCommand pool = vector_command(&vector_op_max_pool, image(6, 6, 16), image(4, 4, 16));
  pool.window = {.kernel_h = 3, .kernel_w = 3};
  EXPECT_EQ(vector_time(npu, pool).cycles, 10 + 9 * 16);
  EXPECT_EQ(vector_operations(pool), 9 * 256);
  EXPECT_EQ(
      vector_time(npu, vector_command(&vector_op_mean, image(7, 7, 32), image(1, 1, 32))).cycles,
      10 + 49 * 2);
  VectorCommand priced = vector_command(&vector_op_table, row, row);
  priced.cycles_per_element = 2;
  EXPECT_EQ(vector_time(npu, priced).cycles, 10 + 2000);
}

// In and out: 19200 bytes at 192 a cycle, and nothing but that.
TEST(Vector, CopiesAreBoundBySram) {
  const View all = image(10, 10, 96);
  expect_time(vector_time(round_npu(), vector_command(&vector_op_copy, all, all)), 110, 110);
  // Three views at 8 bytes a cycle keep an addition from its lanes; a repeated row is read once.
  NpuSpec npu = round_npu();
  npu.sram.banks = 2;
  npu.sram.bank_bytes_per_cycle = 8;
  VectorCommand add = vector_command(&vector_op_add, all, all);
  expect_time(vector_time(npu, add), 10 + 3600, 10 + 600);
  add.b.row_stride = 0;
  expect_time(vector_time(npu, add), 10 + 2520, 10 + 600);
}

// 10 rows of 100 bytes, 2 bursts of 64 each: 1280 bytes.
TEST(Transfer, RoundsRowsUpToBursts) {
  Transfer transfer = load(Role::Input, 100);
  transfer.rows = 10;
  transfer.from_stride = 256;
  transfer.to_stride = 100;
  EXPECT_EQ(transfer_time(round_npu(), transfer).request_cycles, 10 + 100);
  EXPECT_EQ(transfer_time(round_npu(), transfer).bus_cycles, 1280 / 8);
  // Side by side they are 16 bursts.
  transfer.from_stride = 100;
  EXPECT_EQ(transfer_time(round_npu(), transfer).bus_cycles, 1024 / 8);
  // Gaps in SRAM do not matter.
  transfer.to_stride = 256;
  EXPECT_EQ(transfer_time(round_npu(), transfer).bus_cycles, 1024 / 8);
}

TEST(Transfer, IsAsFastAsTheSlowerOfMemoryAndChannel) {
  NpuSpec npu = round_npu();
  EXPECT_EQ(transfer_time(npu, store(1024)).bus_cycles, 1024 / 4);
  npu.dma.bytes_per_cycle = 2;
  EXPECT_EQ(transfer_time(npu, store(1024)).bus_cycles, 1024 / 2);
  EXPECT_EQ(transfer_time(npu, load(Role::Input, 1024)).bus_cycles, 1024 / 2);
}

TEST(Transfer, TakesNoTimeWithinOneMemory) {
  NpuSpec npu = round_npu();
  npu.sram.is_first_memory = true;
  npu.memories.push_back(npu.memories[0]);
  EXPECT_EQ(transfer_time(npu, store(1024)).bus_cycles, 0);
  EXPECT_EQ(transfer_time(npu, load(Role::Input, 1024)).request_cycles, 0);
  Transfer weights = load(Role::Weights, 1024);
  weights.from.space = 2;
  EXPECT_EQ(transfer_time(npu, weights).bus_cycles, 1024 / 8);
}

TEST(Product, IsNeverFasterThanItsProducts) {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    const NpuSpec npu = random_npu(random);
    const int64_t size = random.pick(1, 30), kernel = random.pick(1, 6);
    const bool depthwise = random.coin();
    Product product = depthwise
                          ? square_depthwise(size, kernel, random.pick(1, 200))
                          : square_product(size, kernel, random.pick(1, 200), random.pick(1, 200));
    if (random.coin()) product.weights = {1, 0};
    const EngineTime time = product_time(npu, product);
    const int64_t rate =
        runs_on_vector(npu, product) ? npu.vector.lanes : npu.matrix.macs_per_cycle();
    EXPECT_GE(time.busy * static_cast<double>(rate), static_cast<double>(product.macs()));
    EXPECT_GE(time.cycles, time.busy);
    EXPECT_GE(time.cycles * npu.sram.engine_bytes_per_cycle() * (1 + 1e-12),
              sram_bytes(npu, {.work = product}));
  }
}

}  // namespace
}  // namespace hone::sim
