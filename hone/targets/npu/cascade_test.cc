#include "hone/targets/npu/cascade.h"

#include <gtest/gtest.h>

#include <random>

namespace hone::npu {
namespace {

// A chain of depthwise convolutions on images of one channel, with random windows.
ProgramOutline random_chain(std::mt19937& random, size_t layers) {
  ProgramOutline program;
  int64_t height = 20 + static_cast<int64_t>(random() % 30);
  for (size_t i = 0; i < layers; ++i) {
    sim::Window2d window;
    window.kernel_h = 1 + static_cast<int64_t>(random() % 5);
    window.stride_h = 1 + static_cast<int64_t>(random() % 3);
    window.dilation_h = 1 + static_cast<int64_t>(random() % 2);
    window.pad_top = static_cast<int64_t>(random() % static_cast<size_t>(window.kernel_h));
    const int64_t reach = (window.kernel_h - 1) * window.dilation_h + 1;
    Layer layer;
    layer.inputs = {{nullptr, {height, 1, 1}}};
    height = std::max<int64_t>(1, (height + window.pad_top - reach) / window.stride_h + 1);
    layer.output.image = {height, 1, 1};
    layer.cuts_rows = true;
    sim::Product product;
    product.window = window;
    layer.work = product;
    ProgramStep step;
    step.on_npu = true;
    step.layers.push_back(layer);
    program.steps.push_back(std::move(step));
  }
  return program;
}

TEST(Cascade, ComputesEveryRowOnceAndBeforeItIsRead) {
  std::mt19937 random(4);
  int cascades = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t layers = 2 + random() % 3;
    const ProgramOutline program = random_chain(random, layers);
    Cascade cascade{.last_step = layers - 1};
    cascade.rows = 1 + static_cast<int64_t>(random() % 6);
    if (!size_links(program, cascade)) continue;
    ++cascades;
    std::vector<int64_t> done(layers, 0);
    Stripes stripes(program, cascade);
    while (const auto stripe = stripes.next()) {
      for (size_t i = 0; i < layers; ++i) {
        if (stripe->output[i].count() == 0) continue;
        EXPECT_EQ(stripe->output[i].first, done[i]) << "a row left out, or made twice";
        if (i > 0) {
          EXPECT_LE(stripe->input[i].last, done[i - 1]) << "read before it is there";
          EXPECT_LE(stripe->input[i].count(), cascade.link_rows[i - 1]) << "more than is kept";
        }
        done[i] = stripe->output[i].last;
      }
    }
    EXPECT_EQ(done.back(), program.steps.back().layers[0].output.image.height);
  }
  EXPECT_GT(cascades, 100);
}

}  // namespace
}  // namespace hone::npu
