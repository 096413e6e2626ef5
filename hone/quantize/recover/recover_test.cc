// The methods one after the other on a network whose channels are planted with bad scales,
// quantized with one weight scale per tensor: what each adds, in decibels of the network's result,
// on samples that none of them has seen.

#include <gtest/gtest.h>

#include <iostream>

#include "hone/quantize/recover/adaround.h"
#include "hone/quantize/recover/correct_bias.h"
#include "hone/quantize/recover/equalize.h"
#include "hone/quantize/recover/recover_testing.h"

namespace hone {
namespace {

struct Story {
  double plain = 0;
  double equalized = 0;
  double corrected = 0;  // Each layer for itself.
  double in_order = 0;
  double rounded = 0;
};

Story recover(int bits) {
  Graph graph = small_mobilenet();
  plant_bad_scales(graph, 100, 5);
  const SampleSource samples = random_samples(graph, 32, 1);
  const SampleSource unseen = random_samples(graph, 64, 2);
  const PlainQuantizer quantizer{.bits = bits, .per_tensor = true};
  Story story;
  story.plain = sqnr_db(quantize_plainly(graph, samples, quantizer), graph, unseen);

  const EqualizeOptions options{.precision = {.weight_bits = bits}};
  EXPECT_TRUE(equalize(graph, &samples, options).ok());
  Graph quantized = quantize_plainly(graph, samples, quantizer);
  story.equalized = sqnr_db(quantized, graph, unseen);

  EXPECT_TRUE(correct_bias(quantized, graph, samples, {.way = BiasOptions::Way::Local}).ok());
  story.corrected = sqnr_db(quantized, graph, unseen);
  EXPECT_TRUE(correct_bias(quantized, graph, samples).ok());
  story.in_order = sqnr_db(quantized, graph, unseen);
  EXPECT_TRUE(adaround(quantized, graph, samples).ok());
  story.rounded = sqnr_db(quantized, graph, unseen);
  std::cout << bits << " bits: plain " << story.plain << " dB, equalized " << story.equalized
            << ", biases corrected " << story.corrected << ", in order " << story.in_order
            << ", rounded " << story.rounded << "\n";
  return story;
}

TEST(Recover, EachMethodAddsToTheOnesBeforeAtEightBits) {
  const Story story = recover(8);
  EXPECT_GT(story.equalized, story.plain + 20);
  EXPECT_GT(story.corrected, story.equalized + 3);
  EXPECT_GT(story.in_order, story.corrected + 1);
  // Weights of 8 bits are not what limits the result any more, but quantized activations.
  EXPECT_GT(story.rounded, story.in_order - 0.5);
}

TEST(Recover, EachMethodAddsToTheOnesBeforeAtFourBits) {
  const Story story = recover(4);
  EXPECT_GT(story.equalized, story.plain + 10);
  EXPECT_GT(story.corrected, story.equalized + 4);
  EXPECT_GT(story.in_order, story.corrected + 2);
  EXPECT_GT(story.rounded, story.in_order + 3);
}

}  // namespace
}  // namespace hone
