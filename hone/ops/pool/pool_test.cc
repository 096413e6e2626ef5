#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

Tensor line(const std::vector<float>& values) {
  return Tensor::of<float>({1, 1, static_cast<int64_t>(values.size())}, values);
}

// Two channels of 2 x 2, in either layout.
const Tensor kNchw = Tensor::of<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
const Tensor kNhwc = Tensor::of<float>({1, 2, 2, 2}, {1, 5, 2, 6, 3, 7, 4, 8});

TEST(Pools, TakeBothLayouts) {
  const Attrs attrs{{"kernel_shape", Ints{1, 2}}};
  Attrs nhwc = attrs;
  nhwc["layout"] = std::string("nhwc");
  expect_tensor<float>(run_op("max_pool", {kNchw}, attrs), {1, 2, 2, 1}, {2, 4, 6, 8});
  expect_tensor<float>(run_op("max_pool", {kNhwc}, nhwc), {1, 2, 1, 2}, {2, 6, 4, 8});
  expect_tensor<float>(run_op("average_pool", {kNchw}, attrs), {1, 2, 2, 1}, {1.5, 3.5, 5.5, 7.5});
  expect_tensor<float>(run_op("average_pool", {kNhwc}, nhwc), {1, 2, 1, 2}, {1.5, 5.5, 3.5, 7.5});
  const Attrs layout{{"layout", std::string("nhwc")}};
  expect_tensor<float>(run_op("global_average_pool", {kNhwc}, layout), {1, 1, 1, 2}, {2.5, 6.5});
  expect_tensor<float>(run_op("global_max_pool", {kNhwc}, layout), {1, 1, 1, 2}, {4, 8});
  expect_tensor<float>(run_op("global_average_pool", {kNchw}), {1, 2, 1, 1}, {2.5, 6.5});
}

TEST(MaxPool, LeavesOutWindowsThatStartInThePadding) {
  const Tensor x = line({1, 2, 3});
  const Attrs attrs{{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"ceil_mode", int64_t{1}}};
  expect_tensor<float>(run_op("max_pool", {x}, attrs), {1, 1, 2}, {1, 3});
  Attrs padded = attrs;
  padded["pads"] = Ints{0, 2};
  padded["kernel_shape"] = Ints{2};
  // Without the rule there would be a third window at 4, in the padding alone.
  expect_tensor<float>(run_op("max_pool", {x}, padded), {1, 1, 2}, {2, 3});
}

TEST(MaxPool, CountsIndicesThroughTheWholeTensor) {
  const auto indices = [](int64_t order) {
    Graph graph;
    Value* x = graph.add_input("x", kNchw.type());
    Node* node = graph.add_node("max_pool", {x}, {ValueType(), ValueType()},
                                {{"kernel_shape", Ints{2, 1}}, {"storage_order", order}});
    graph.add_output(node->outputs[1]);
    EXPECT_TRUE(infer_types(graph).ok());
    auto result = run_graph(graph, {kNchw});
    EXPECT_TRUE(result.ok());
    return to_ints((*result)[0].tensor);
  };
  EXPECT_EQ(indices(0), (std::vector<int64_t>{2, 3, 6, 7}));
  EXPECT_EQ(indices(1), (std::vector<int64_t>{1, 3, 5, 7}));
}

TEST(MaxPool, TakesBytes) {
  const Tensor x = Tensor::of<int8_t>({1, 1, 3}, {-128, -5, -7});
  expect_tensor<int8_t>(run_op("max_pool", {x}, {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 0}}}),
                        {1, 1, 3}, {-128, -5, -5});
}

TEST(AveragePool, CountsPaddingOnlyWhenAsked) {
  const Tensor x = line({2, 4, 6});
  Attrs attrs{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"pads", Ints{1, 0}}};
  expect_tensor<float>(run_op("average_pool", {x}, attrs), {1, 1, 2}, {2, 5});
  attrs["count_include_pad"] = int64_t{1};
  expect_tensor<float>(run_op("average_pool", {x}, attrs), {1, 1, 2}, {1, 5});
  // What ceil_mode adds beyond the padding does not count.
  attrs = {{"kernel_shape", Ints{2}},
           {"strides", Ints{2}},
           {"ceil_mode", int64_t{1}},
           {"count_include_pad", int64_t{1}}};
  expect_tensor<float>(run_op("average_pool", {x}, attrs), {1, 1, 2}, {3, 6});
}

TEST(Pools, RefuseWhatDoesNotFit) {
  const Tensor x = line({1, 2, 3});
  for (const char* op : {"max_pool", "average_pool", "lp_pool"}) {
    expect_bad_input(run_op(op, {x}));
    expect_bad_input(run_op(op, {x}, {{"kernel_shape", Ints{4}}}));
    expect_bad_input(run_op(op, {x}, {{"kernel_shape", Ints{0}}}));
    expect_bad_input(run_op(op, {x}, {{"kernel_shape", Ints{INT64_MAX}}}));
    expect_bad_input(run_op(op, {x}, {{"kernel_shape", Ints{1, 1}}}));
    expect_bad_input(run_op(op, {x}, {{"kernel_shape", Ints{1}}, {"strides", Ints{0}}}));
    expect_bad_input(run_op(op, {vector_of<float>({1})}, {{"kernel_shape", Ints{1}}}));
  }
  // A kernel far larger than the image costs no more than the image.
  const int64_t huge = int64_t{1} << 30;
  expect_tensor<float>(
      run_op("max_pool", {x},
             {{"kernel_shape", Ints{huge}}, {"pads", Ints{huge, huge}}, {"strides", Ints{huge}}}),
      {1, 1, 2}, {-INFINITY, 3});
}

TEST(LpPool, TookAFloatInOpset1) {
  const Attrs attrs{{"kernel_shape", Ints{2}}, {"p", 1.0}};
  expect_tensor<float>(run_onnx("LpPool", 1, {line({1, -2})}, attrs), {1, 1, 1}, {3});
  expect_tensor<float>(run_onnx("GlobalLpPool", 1, {line({3, -4})}), {1, 1, 1}, {5});
}

TEST(MaxUnpool, RefusesIndicesOutside) {
  const Tensor x = line({5, 6});
  const Attrs attrs{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}};
  const auto unpool = [&](std::vector<int64_t> indices) {
    return run_op("max_unpool", {x, Tensor::of<int64_t>({1, 1, 2}, indices)}, attrs);
  };
  expect_tensor<float>(unpool({1, 2}), {1, 1, 4}, {0, 5, 6, 0});
  expect_bad_input(unpool({1, 4}));
  expect_bad_input(unpool({-1, 2}));
  expect_bad_input(run_op("max_unpool", {x, vector_of<int64_t>({1, 2})}, attrs));
}

TEST(MaxRoiPool, CutsRegionsAtTheImage) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const Attrs attrs{{"pooled_shape", Ints{1, 2}}};
  expect_tensor<float>(
      run_op("max_roi_pool", {x, Tensor::of<float>({1, 5}, {0, 0, 0, 1, 1})}, attrs), {1, 1, 1, 2},
      {3, 4});
  expect_tensor<float>(
      run_op("max_roi_pool", {x, Tensor::of<float>({1, 5}, {0, 5, 5, 1e30f, 9})}, attrs),
      {1, 1, 1, 2}, {0, 0});
  expect_bad_input(run_op("max_roi_pool", {x, Tensor::of<float>({1, 5}, {1, 0, 0, 1, 1})}, attrs));
  expect_bad_input(
      run_op("max_roi_pool", {x, Tensor::of<float>({1, 5}, {NAN, 0, 0, 1, 1})}, attrs));
}

}  // namespace
}  // namespace hone
