#include "hone/validate/layer_errors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hone/validate/value_match.h"

namespace hone {
namespace {

DataSet data_of(Tensor samples, const Graph& graph) {
  Result<DataSet> data = data_set_of(std::move(samples), graph);
  EXPECT_TRUE(data.ok()) << data.error().message;
  return *std::move(data);
}

LayerErrors errors_of(const Graph& candidate, const Graph& reference, const DataSet& data) {
  Result<LayerErrors> errors = layer_errors(candidate, reference, data, {});
  EXPECT_TRUE(errors.ok()) << errors.error().message;
  return errors.ok() ? *std::move(errors) : LayerErrors{};
}

// Doubles, adds a constant, doubles again.
Graph chain(double middle) {
  return *parse_graph(str(R"(graph(%x: f32[2]) -> (%c) {
    %a: f32[2] = add(%x, %x)
    const %k: f32[2] = {)",
                          middle, " ", middle, R"(}
    %b: f32[2] = add(%a, %k)
    %c: f32[2] = add(%b, %b)
  }
)"));
}

TEST(ErrorSums, TellRatioAngleAndLargestError) {
  ErrorSums sums;
  EXPECT_EQ(sums.sqnr_db(), INFINITY);
  EXPECT_EQ(sums.cosine(), 1);
  sums.add({3, 5}, {3, 4});
  EXPECT_NEAR(sums.sqnr_db(), 10 * std::log10(25), 1e-12);
  EXPECT_NEAR(sums.cosine(), 29 / std::sqrt(25 * 34), 1e-12);
  EXPECT_EQ(sums.max_abs, 1);
  ErrorSums more;
  more.add({NAN}, {1});
  sums.add(more);
  EXPECT_EQ(sums.elements, 3);
  EXPECT_EQ(sums.max_abs, INFINITY);
  EXPECT_EQ(sums.sqnr_db(), -INFINITY);
}

TEST(ErrorSums, DoNotCountInfinitiesThatAgree) {
  ErrorSums sums;
  sums.add({-INFINITY, NAN, 5}, {-INFINITY, NAN, 4});
  EXPECT_NEAR(sums.sqnr_db(), 10 * std::log10(16), 1e-12);
  EXPECT_EQ(sums.max_abs, 1);
  sums.add({0}, {INFINITY});
  EXPECT_EQ(sums.sqnr_db(), -INFINITY);
}

// The second layer adds 1.1 in place of 1. The third doubles the error it is given, and has none of
// its own.
TEST(LayerErrors, TellWhatALayerAddsFromWhatItWasGiven) {
  const Graph reference = chain(1), candidate = chain(1.1);
  const DataSet data = data_of(Tensor::of<float>({2, 2}, {1, 2, 0, 4}), reference);
  const LayerErrors errors = errors_of(candidate, reference, data);
  ASSERT_EQ(errors.layers.size(), 3u);
  EXPECT_EQ(errors.samples, 2);
  EXPECT_EQ(errors.unmatched, 0u);
  EXPECT_EQ(errors.layers[0].propagated.noise, 0);
  EXPECT_NEAR(errors.layers[1].local.max_abs, 0.1, 1e-6);
  EXPECT_NEAR(errors.layers[1].local.signal, 9 + 25 + 1 + 81, 1e-6);
  EXPECT_NEAR(errors.layers[2].propagated.max_abs, 0.2, 1e-6);
  EXPECT_EQ(errors.layers[2].local.noise, 0);
  EXPECT_EQ(errors.layers[2].input_sqnr_db, errors.layers[1].propagated.sqnr_db());
}

TEST(LayerErrors, NameTheFirstLayerThatBreaks) {
  const Graph reference = chain(1);
  const DataSet data = data_of(Tensor::of<float>({1, 2}, {1, 2}), reference);
  const LayerErrors near = errors_of(chain(1.01), reference, data);
  EXPECT_EQ(first_broken(near, {}), -1);
  EXPECT_TRUE(break_sentence(near, {}).starts_with("no layer breaks: the lowest local SQNR is 52"))
      << break_sentence(near, {});
  EXPECT_EQ(break_sentence(errors_of(chain(1), reference, data), {}),
            "no layer breaks: all of them give the reference's values");
  LayerErrors few = near;
  few.unmatched = 9;
  EXPECT_TRUE(break_sentence(few, {}).starts_with("none of the 3 that could be compared, of 12 "))
      << break_sentence(few, {});
  const LayerErrors far = errors_of(chain(2), reference, data);
  EXPECT_EQ(first_broken(far, {}), 1);
  EXPECT_EQ(
      break_sentence(far, {}),
      "layer 'b' breaks first: given the reference's inputs it is at 12.3 dB, under the limit "
      "of 20.0 dB");
}

// 0.1 off at 100 is little, but not when 99 is taken away.
TEST(LayerErrors, NameALayerThatFallsFarBelowItsInputs) {
  const auto graph = [](double shift) {
    return *parse_graph(str(R"(graph(%x: f32[1]) -> (%c) {
      const %k: f32[1] = {)",
                            shift, R"(}
      %a: f32[1] = add(%x, %k)
      %c: f32[1] = sub(%a, %x)
    }
)"));
  };
  const Graph reference = graph(1), candidate = graph(1.1);
  const DataSet data = data_of(Tensor::of<float>({1, 1}, {99}), reference);
  const LayerErrors errors = errors_of(candidate, reference, data);
  EXPECT_EQ(first_broken(errors, {}), 1);
  EXPECT_EQ(break_sentence(errors, {}),
            "layer 'c' breaks first: its output is at 20.0 dB, more than 10.0 dB below its inputs' "
            "60.0 dB");
}

// The candidate's scale of 0.5 rounds 1.2 to 1.0 and 2.3 to 2.5.
TEST(LayerErrors, OfIntegersAreThoseOfTheirMeaning) {
  const Graph reference = *parse_graph(R"(graph(%x: f32[2]) -> (%y) {
    %y: f32[2] = relu(%x)
  }
)");
  const Graph candidate = *parse_graph(R"(graph(%x: f32[2]) -> (%y) {
    %y: i8[2]<0.5:3> = quantize_linear(%x, f32[]{0.5}, i8[]{3})
  }
)");
  const DataSet data = data_of(Tensor::of<float>({1, 2}, {1.2F, 2.3F}), reference);
  const LayerErrors errors = errors_of(candidate, reference, data);
  ASSERT_EQ(errors.layers.size(), 1u);
  EXPECT_NEAR(errors.layers[0].local.max_abs, 0.2, 1e-6);
  EXPECT_EQ(*errors.layers[0].step, 0.5);
}

// A pair of conversions belongs to the layer in front of it: 2.4 and 4.6 become 2.5 and 4.5.
TEST(LayerErrors, OfQdqGraphsAreThoseBehindThePair) {
  const Graph reference = *parse_graph(R"(graph(%x: f32[2]) -> (%z) {
    %y: f32[2] = add(%x, %x)
    %z: f32[2] = relu(%y)
  }
)");
  const Graph candidate = *parse_graph(R"(graph(%x: f32[2]) -> (%z) {
    %y: f32[2] = add(%x, %x)
    const %s: f32[] = {0.5}
    const %o: i8[] = {0}
    %y.q: i8[2] = quantize_linear(%y, %s, %o)
    %y.dq: f32[2] = dequantize_linear(%y.q, %s, %o)
    %z.float: f32[2] = relu(%y.dq)
    %z.q: i8[2] = quantize_linear(%z.float, %s, %o)
    %z: f32[2] = dequantize_linear(%z.q, %s, %o)
  }
)");
  const DataSet data = data_of(Tensor::of<float>({1, 2}, {1.2F, 2.3F}), reference);
  const LayerErrors errors = errors_of(candidate, reference, data);
  ASSERT_EQ(errors.layers.size(), 2u);
  EXPECT_NEAR(errors.layers[0].propagated.max_abs, 0.1, 1e-6);
  EXPECT_EQ(errors.layers[0].step, 0.5);
  // relu of what is on the grid already adds nothing, but it is compared with the float original.
  EXPECT_NEAR(errors.layers[1].local.max_abs, 0.1, 1e-6);
  EXPECT_EQ(errors.unmatched, 0u);
}

// A TFLite model written as ONNX has its names on the integers between the conversions.
TEST(MatchValues, ByNamesInsideAPair) {
  const Graph integers = *parse_graph(R"(graph(%x: i8[2]<0.5:0>) -> (%y) {
    %y: i8[2]<0.5:0> = add(%x, %x)
  }
)");
  const Graph pairs = *parse_graph(R"(graph(%x: i8[2]) -> (%y) {
    const %s: f32[] = {0.5}
    const %o: i8[] = {0}
    %x.float: f32[2] = dequantize_linear(%x, %s, %o)
    %y.float: f32[2] = add(%x.float, %x.float)
    %y: i8[2] = quantize_linear(%y.float, %s, %o)
    %z: f32[2] = dequantize_linear(%y, %s, %o)
  }
)");
  const std::vector<ValueMatch> as_candidate = match_values(pairs, integers);
  ASSERT_EQ(as_candidate.size(), 1u);
  EXPECT_EQ(as_candidate[0].value->name, "y.float");
  EXPECT_EQ(as_candidate[0].dequantize->outputs[0]->name, "z");
  const std::vector<ValueMatch> as_reference = match_values(integers, pairs);
  ASSERT_EQ(as_reference.size(), 1u);
  EXPECT_EQ(as_reference[0].reference->name, "z");
}

// In a .tflite file a tensor has the name of its layer, and the reference may have a value of that name in
// the midst of the nodes that one of its layers is read as.
TEST(MatchValues, AFilesLayersByWhatTheyGive) {
  Graph reference = *parse_graph(R"(graph(%x: f32[2,2]) -> (%y) {
    source "soft" Softmax 0
    %soft: f32[2,2] = relu(%x) from [0]
    %soft_1: f32[2,2] = softmax(%soft) from [0]
    %y: f32[2,2] = abs(%soft_1) from []
  }
)");
  Graph candidate = *parse_graph(R"(graph(%x: f32[2,2]) -> (%y) {
    source "soft" SOFTMAX 0
    %soft: f32[2,2] = softmax(%x) from [0]
    %y: f32[2,2] = abs(%soft) from []
  }
)");
  const std::vector<ValueMatch> of_file = match_values(candidate, reference);
  ASSERT_EQ(of_file.size(), 2u);
  EXPECT_EQ(of_file[0].reference->name, "soft_1");
  // Other files have names of values that are not those of layers.
  candidate.sources[0].op = "Softmax";
  EXPECT_EQ(match_values(candidate, reference)[0].reference->name, "soft");
}

TEST(LayerErrors, SeeThroughAnotherLayout) {
  const Graph reference = *parse_graph(R"(graph(%x: f32[1,2,3,1]) -> (%y) {
    %y: f32[1,2,3,1] = relu(%x)
  }
)");
  const Graph candidate = *parse_graph(R"(graph(%x: f32[1,3,1,2]) -> (%y) {
    %y: f32[1,3,1,2] = relu(%x)
  }
)");
  const DataSet data = data_of(Tensor::of<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}), reference);
  const LayerErrors errors = errors_of(candidate, reference, data);
  ASSERT_EQ(errors.layers.size(), 1u);
  EXPECT_EQ(errors.layers[0].propagated.noise, 0);
}

TEST(MatchValues, ByTheLastLayerANodeStandsFor) {
  Graph reference = *parse_graph(R"(graph(%x: f32[2]) -> (%r) {
    %c: f32[2] = add(%x, %x)
    %r: f32[2] = relu(%c)
  }
)");
  reference.sources = {{"conv_1", "Conv", 0}, {"relu_1", "Relu", 1}};
  reference.node(0)->origins = {0};
  reference.node(1)->origins = {1};
  Graph candidate = *parse_graph(R"(graph(%x: f32[2]) -> (%fused) {
    %fused: f32[2] = add(%x, %x)
  }
)");
  candidate.sources = reference.sources;
  candidate.node(0)->origins = {0, 1};
  const std::vector<ValueMatch> matches = match_values(candidate, reference);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].reference->name, "r");
}

TEST(LayerErrors, RefuseNetworksThatHaveNothingInCommon) {
  const Graph reference = chain(1);
  const Graph candidate =
      *parse_graph("graph(%x: f32[2]) -> (%other) {\n  %other: f32[2] = relu(%x)\n}\n");
  const DataSet data = data_of(Tensor::of<float>({1, 2}, {1, 2}), reference);
  const auto errors = layer_errors(candidate, reference, data, {});
  ASSERT_FALSE(errors.ok());
  EXPECT_EQ(errors.error().message,
            "no layer has a counterpart of its name in the reference model");
}

}  // namespace
}  // namespace hone
