#include "hone/sim/listing.h"

#include <gtest/gtest.h>

#include "hone/sim/sim_testing.h"

namespace hone::sim {
namespace {

TEST(Listing, ALinePerCommand) {
  CommandStream stream;
  stream.steps = 2;
  Product product = square_product(8, 3, 16, 24);
  product.output.at.offset = 2048;
  product.window.stride_h = product.window.stride_w = 2;
  product.weights = {1, 64};
  Transfer output = store(24, 1);
  output.rows = 64;
  output.from.offset = 2048;
  output.from_stride = 24;
  output.to_stride = 48;
  VectorCommand add;
  add.op = &vector_op_add;
  add.a = add.b = add.output = image(8, 8, 24, {0, 2048});
  stream.commands = {
      {.work = load(Role::Input, 1600)},
      {.work = product, .waits = {0}},
      {.work = add, .step = 1, .waits = {1}},
      {.work = output, .step = 1, .waits = {1, 2}},
      {.work = HostCall{.call = 3, .us = 2.5, .wakes = true}, .step = 1, .waits = {3}},
  };
  const NpuSpec npu = round_npu();
  const std::string text = "\n" + listing(npu, stream, simulate(npu, stream), {"conv_1", "add_2"});
  EXPECT_EQ(text, R"(
command  engine  start   end  step    what                                                                               waits for
-------  ------  -----  ----  ------  ---------------------------------------------------------------------------------  ---------
      0  dma 0       4   314  conv_1  input 1600 B: DRAM+0 -> SRAM+0
      1  matrix    314  1515  conv_1  product 3x3 / 2x2: 10x10x16 SRAM+0 -> 8x8x24 SRAM+2048, weights 3744 B at DRAM+64  0
      2  vector   1515  1621  add_2   add: 8x8x24 SRAM+2048, 8x8x24 SRAM+2048 -> 8x8x24 SRAM+2048                        1
      3  dma 1    1621  2755  add_2   output 64 x 24 B: SRAM+2048 -> DRAM+0                                              1 2
      4  host     2755  6255  add_2   call 3, 2.5 us, wakes                                                              3
)");
}

}  // namespace
}  // namespace hone::sim
