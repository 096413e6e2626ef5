#include <limits>
#include <numeric>

#include "hone/ops/testing.h"

namespace hone {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
constexpr int64_t kTiny = std::numeric_limits<int64_t>::min();

Tensor counting(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(elements(shape)));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::of<float>(shape, values);
}

Tensor ints(const std::vector<int64_t>& values) {
  return Tensor::of_ints(values);
}

Result<Tensor> reshape(const Shape& from, const Ints& to, int64_t allow_zero = 0) {
  return run_op("reshape", {counting(from), ints(to)}, {{"allowzero", allow_zero}});
}

void expect_shape(const Result<Tensor>& result, const Shape& shape) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->shape(), shape);
}

TEST(Reshape, FillsInZerosAndMinusOne) {
  expect_shape(reshape({2, 3, 4}, {0, -1}), {2, 12});
  expect_shape(reshape({2, 3, 4}, {-1, 0, 2}), {4, 3, 2});
  expect_shape(reshape({0, 3}, {0, -1}), {0, 3});
  expect_shape(reshape({0, 3}, {3, 0}, 1), {3, 0});
  expect_shape(reshape({1}, {}), {});
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  for (const Ints& to :
       {Ints{5, 5}, Ints{-1, -1}, Ints{-2}, Ints{-1, 7}, Ints{6, 4, 0, 0}, Ints{kHuge, kHuge},
        Ints{int64_t{1} << 32, int64_t{1} << 32, 24}, Ints{kTiny}}) {
    expect_bad_input(reshape({2, 3, 4}, to));
  }
  expect_bad_input(reshape({0, 3}, {0, -1}, 1));
}

TEST(Reshape, InfersThroughUnknownExtents) {
  Graph graph;
  Value* x = graph.add_input("x", {DType::F32, {kUnknown, 4, 5}});
  Node* node =
      graph.add_node("reshape", {x, graph.add_constant("to", ints({0, -1}))}, {ValueType()});
  ASSERT_TRUE(infer_types(graph).ok());
  EXPECT_EQ(node->outputs[0]->type.tensor.shape, (Shape{kUnknown, 20}));
}

TEST(Reshape, OldVersionsHaveTheShapeAsAttribute) {
  expect_shape(run_onnx("Reshape", 1, {counting({4})}, {{"shape", Ints{2, 2}}}), {2, 2});
}

TEST(Reshape, AShapeInputOfAbsurdLengthIsRefused) {
  const TensorType x{DType::F32, {2}};
  expect_bad_input(infer_op("reshape", {x, {DType::I64, {1 << 30}}}));
  expect_bad_input(infer_op("reshape", {x, {DType::I64, {2, 2}}}));
  EXPECT_EQ(*infer_op("reshape", {x, {DType::I64, {2}}}),
            (TensorType{DType::F32, {kUnknown, kUnknown}}));
}

TEST(Shape, CutsToTheAxesAskedFor) {
  const auto shape = [](int64_t start, int64_t end) {
    return run_op("shape", {counting({2, 3, 4})}, {{"start", start}, {"end", end}});
  };
  expect_tensor<int64_t>(shape(1, kHuge), {2}, {3, 4});
  expect_tensor<int64_t>(shape(kTiny, -1), {2}, {2, 3});
  expect_tensor<int64_t>(shape(2, 1), {0}, {});
}

TEST(Flatten, AcceptsEveryAxisUpToTheRank) {
  expect_shape(run_op("flatten", {counting({2, 3})}, {{"axis", int64_t{2}}}), {6, 1});
  expect_shape(run_op("flatten", {counting({})}, {{"axis", int64_t{0}}}), {1, 1});
  expect_bad_input(run_op("flatten", {counting({2, 3})}, {{"axis", int64_t{3}}}));
}

TEST(Squeeze, RefusesAxesThatAreNotOne) {
  expect_bad_input(run_op("squeeze", {counting({1, 2}), ints({1})}));
  expect_bad_input(run_op("squeeze", {counting({1, 2}), ints({0, -2})}));
  expect_shape(run_op("squeeze", {counting({1, 2, 1})}), {2});
  expect_shape(run_onnx("Squeeze", 11, {counting({1, 2})}, {{"axes", Ints{0}}}), {2});
}

TEST(Unsqueeze, RefusesRepeatedAxes) {
  expect_bad_input(run_op("unsqueeze", {counting({2}), ints({0, 0})}));
  expect_bad_input(run_op("unsqueeze", {counting({2}), ints({3})}));
  expect_shape(run_op("unsqueeze", {counting({2}), ints({-1, 0})}), {1, 2, 1});
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  for (const Ints& perm : {Ints{0}, Ints{0, 0}, Ints{0, 2}, Ints{-1, 0}, Ints{}}) {
    expect_bad_input(run_op("transpose", {counting({2, 3})}, {{"perm", perm}}));
  }
}

TEST(Transpose, MovesFourBitElements) {
  const TensorType type{DType::I4, {2, 3}};
  const std::vector<int8_t> values = {-8, 1, 2, 3, 4, 7};
  const auto result = run_op("transpose", {pack_small(type, values)});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(unpack_small(*result), (std::vector<int8_t>{-8, 3, 1, 4, 2, 7}));
}

TEST(Concat, RefusesShapesThatDisagree) {
  const Attrs axis = {{"axis", int64_t{1}}};
  expect_bad_input(run_op("concat", {counting({2, 3}), counting({3, 3})}, axis));
  expect_bad_input(run_op("concat", {counting({2, 3}), counting({2})}, axis));
  expect_tensor<float>(
      run_op("concat", {counting({2, 1}), counting({2, 0}), counting({2, 2})}, axis), {2, 3},
      {0, 0, 1, 1, 2, 3});
  expect_shape(run_onnx("Concat", 1, {counting({1, 2}), counting({1, 3})}), {1, 5});
}

TEST(Split, TheLastPartMayBeShorter) {
  Graph graph;
  Value* x = graph.add_input("x", {DType::F32, {7}});
  Node* node = graph.add_node("split", {x}, std::vector<ValueType>(3));
  ASSERT_TRUE(infer_types(graph).ok());
  EXPECT_EQ(node->outputs[0]->type.tensor.shape, (Shape{3}));
  EXPECT_EQ(node->outputs[2]->type.tensor.shape, (Shape{1}));
}

TEST(Split, RefusesLengthsThatDoNotAddUp) {
  for (const Ints& lengths : {Ints{2, 3}, Ints{4}, Ints{-1, 5}, Ints{kHuge, kHuge}}) {
    expect_bad_input(run_op("split", {counting({4}), ints(lengths)}, {}, 2));
  }
  expect_bad_input(run_op("split", {counting({4})}, {{"num_outputs", int64_t{3}}}, 2));
}

Result<Tensor> slice(int64_t start, int64_t end, int64_t step, int64_t n = 5) {
  return run_op("slice", {counting({n}), ints({start}), ints({end}), ints({0}), ints({step})});
}

TEST(Slice, FollowsPythonAtTheEnds) {
  expect_tensor<float>(slice(kHuge, kTiny, -1), {5}, {4, 3, 2, 1, 0});
  expect_tensor<float>(slice(-2, kHuge, 1), {2}, {3, 4});
  expect_tensor<float>(slice(0, kHuge, kHuge), {1}, {0});
  expect_tensor<float>(slice(4, kTiny, kTiny), {1}, {4});
  expect_tensor<float>(slice(4, 1, 1), {0}, {});
  expect_tensor<float>(slice(0, 3, -1, 0), {0}, {});
}

TEST(Slice, RefusesZeroStepsAndUnequalLists) {
  expect_bad_input(slice(0, 5, 0));
  expect_bad_input(run_op("slice", {counting({5}), ints({0, 1}), ints({1})}));
  expect_bad_input(run_op("slice", {counting({5}), ints({0}), ints({1}), ints({1})}));
  expect_bad_input(run_op("slice", {counting({5}), ints({0, 0}), ints({1, 1}), ints({0, -1})}));
}

TEST(Slice, OldVersionsHaveAttributes) {
  expect_tensor<float>(
      run_onnx("Slice", 1, {counting({4})}, {{"starts", Ints{1}}, {"ends", Ints{-1}}}), {2},
      {1, 2});
}

Result<Tensor> pad(const Tensor& x, const Ints& pads, const char* mode) {
  return run_op("pad", {x, ints(pads)}, {{"mode", std::string(mode)}});
}

TEST(Pad, RepeatsAsOftenAsNeeded) {
  expect_tensor<float>(pad(counting({3}), {5, 4}, "reflect"), {12},
                       {1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2});
  expect_tensor<float>(pad(counting({3}), {4, 2}, "wrap"), {9}, {2, 0, 1, 2, 0, 1, 2, 0, 1});
  expect_tensor<float>(pad(counting({1}), {2, 1}, "reflect"), {4}, {0, 0, 0, 0});
  expect_tensor<float>(pad(counting({2}), {1, 1}, "edge"), {4}, {0, 0, 1, 1});
}

TEST(Pad, NegativePadsCrop) {
  expect_tensor<float>(pad(counting({4}), {-1, 1}, "constant"), {4}, {1, 2, 3, 0});
  expect_bad_input(pad(counting({4}), {-3, -3}, "constant"));
}

// What is removed is no longer there to be repeated.
TEST(Pad, NegativePadsCropBeforeOthersRepeat) {
  expect_tensor<float>(pad(counting({4}), {-1, 2}, "edge"), {5}, {1, 2, 3, 3, 3});
  expect_tensor<float>(pad(counting({4}), {2, -1}, "edge"), {5}, {0, 0, 0, 1, 2});
  expect_tensor<float>(pad(counting({4}), {-2, 3}, "reflect"), {5}, {2, 3, 2, 3, 2});
  expect_tensor<float>(pad(counting({4}), {-1, 2}, "wrap"), {5}, {1, 2, 3, 1, 2});
  expect_tensor<float>(pad(counting({2, 3}), {-1, 1, 0, -1}, "reflect"), {1, 3}, {4, 3, 4});
  expect_tensor<float>(pad(counting({4}), {-1, -3}, "edge"), {0}, {});
  expect_bad_input(pad(counting({4}), {-4, 1}, "edge"));
  expect_bad_input(pad(counting({4}), {3, -5}, "reflect"));
}

TEST(Pad, RefusesNonsense) {
  expect_bad_input(pad(counting({4}), {1}, "constant"));
  expect_bad_input(pad(counting({4}), {kHuge, kHuge}, "constant"));
  expect_bad_input(pad(counting({0}), {1, 1}, "edge"));
  expect_unsupported(pad(counting({4}), {1, 1}, "symmetric"));
}

TEST(Pad, FillsQuantizedTensorsWithTheirZeroPoint) {
  const auto quant = std::make_shared<Quantization>(Quantization{{0.5f}, {-7}});
  const Tensor x = vector_of<int8_t>({1}).with_quantization(quant);
  expect_tensor<int8_t>(pad(x, {1, 1}, "constant"), {3}, {-7, 1, -7});
}

TEST(Pad, OldVersionsHaveAttributes) {
  expect_tensor<float>(run_onnx("Pad", 2, {counting({2})}, {{"pads", Ints{1, 0}}, {"value", 5.0}}),
                       {3}, {5, 0, 1});
  expect_tensor<float>(run_onnx("Pad", 1, {counting({2})}, {{"paddings", Ints{0, 1}}}), {3},
                       {0, 1, 0});
}

TEST(Tile, RefusesNonsense) {
  expect_bad_input(run_op("tile", {counting({2}), ints({-1})}));
  expect_bad_input(run_op("tile", {counting({2}), ints({kHuge})}));
  expect_bad_input(run_op("tile", {counting({2}), ints({1, 1})}));
  expect_unsupported(run_onnx("Tile", 1, {counting({2}), ints({1}), ints({0})}));
  expect_tensor<float>(run_op("tile", {counting({2}), ints({0})}), {0}, {});
}

TEST(Expand, BroadcastsBothWays) {
  expect_tensor<float>(run_op("expand", {counting({2, 1}), ints({1, 2})}), {2, 2}, {0, 0, 1, 1});
  expect_bad_input(run_op("expand", {counting({2}), ints({3})}));
  expect_bad_input(run_op("expand", {counting({2}), ints({-5, 2})}));
}

TEST(DepthToSpace, AgreesBetweenLayouts) {
  for (const char* mode : {"DCR", "CRD"}) {
    const Attrs nchw = {{"blocksize", int64_t{2}}, {"mode", std::string(mode)}};
    Attrs nhwc = nchw;
    nhwc["layout"] = std::string("nhwc");
    const Tensor x = counting({1, 8, 2, 3});
    const auto expected = run_op("depth_to_space", {x}, nchw);
    const auto moved = run_op("transpose", {x}, {{"perm", Ints{0, 2, 3, 1}}});
    const auto shuffled = run_op("depth_to_space", {*moved}, nhwc);
    const auto back = run_op("transpose", {*shuffled}, {{"perm", Ints{0, 3, 1, 2}}});
    ASSERT_TRUE(expected.ok() && back.ok());
    const auto values = expected->data<float>();
    expect_tensor<float>(back, {1, 2, 4, 6}, {values.begin(), values.end()});
  }
}

TEST(DepthToSpace, SpaceToDepthUndoesIt) {
  const Tensor x = counting({1, 4, 4, 3});
  const Attrs attrs = {{"blocksize", int64_t{2}}, {"layout", std::string("nhwc")}};
  const auto there = run_op("space_to_depth", {x}, attrs);
  ASSERT_TRUE(there.ok());
  const auto values = x.data<float>();
  expect_tensor<float>(run_op("depth_to_space", {*there}, attrs), {1, 4, 4, 3},
                       {values.begin(), values.end()});
}

TEST(DepthToSpace, RefusesBlocksThatDoNotDivide) {
  for (const int64_t block : {int64_t{0}, int64_t{-2}, int64_t{3}, kHuge}) {
    expect_bad_input(run_op("depth_to_space", {counting({1, 4, 1, 1})}, {{"blocksize", block}}));
  }
}

TEST(ConstantOfShape, RefusesNegativeAndAbsurdShapes) {
  expect_bad_input(run_op("constant_of_shape", {ints({-1})}));
  expect_bad_input(run_op("constant_of_shape", {ints({kHuge, kHuge})}));
  expect_bad_input(run_op("constant_of_shape", {ints({1})}, {{"value", ints({1, 2})}}));
  expect_tensor<float>(run_op("constant_of_shape", {ints({})}), {}, {0});
}

TEST(Range, CountsWithoutOverflow) {
  const auto range = [](int64_t start, int64_t limit, int64_t delta) {
    return run_op("range", {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)});
  };
  expect_tensor<int64_t>(range(3, 3, -1), {0}, {});
  expect_tensor<int64_t>(range(kTiny, kHuge, kHuge), {3}, {kTiny, -1, kHuge - 1});
  expect_bad_input(range(kTiny, kHuge, 1));
  expect_bad_input(range(0, 1, 0));
  const Tensor nan = Tensor::scalar(std::numeric_limits<float>::quiet_NaN());
  expect_bad_input(run_op("range", {nan, nan, nan}));
}

TEST(ReverseSequence, RefusesLengthsBeyondTheTime) {
  expect_bad_input(run_op("reverse_sequence", {counting({2, 2}), ints({1, 3})}));
  expect_bad_input(run_op("reverse_sequence", {counting({2, 2}), ints({1})}));
}

TEST(CenterCropPad, PutsTheLargerHalfBehind) {
  expect_tensor<float>(run_op("center_crop_pad", {counting({4}), ints({1})}), {1}, {1});
  expect_tensor<float>(run_op("center_crop_pad", {vector_of<float>({7}), ints({4})}), {4},
                       {0, 7, 0, 0});
}

}  // namespace
}  // namespace hone
