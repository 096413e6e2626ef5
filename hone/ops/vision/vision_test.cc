#include <cmath>

#include "hone/ops/testing.h"

namespace hone {
namespace {

Result<Tensor> resize(const std::vector<float>& x, float scale, Attrs attrs) {
  return run_op("resize", {vector_of(x), Tensor(), vector_of<float>({scale})}, std::move(attrs));
}
Result<Tensor> resize_to(const std::vector<float>& x, int64_t size, Attrs attrs) {
  return run_op(
      "resize",
      {vector_of(x), vector_of<float>({}), vector_of<float>({}), vector_of<int64_t>({size})},
      std::move(attrs));
}
Attr text(const char* value) {
  return std::string(value);
}

TEST(Resize, MakesNoTablesOfGigabytes) {
  EXPECT_EQ(resize_to({1, 2}, int64_t{1} << 28, {}).error().message,
            "node '' (resize): an axis resized to 268435456, at most 16777216");
}

TEST(Resize, TakesEmptyTensorsAsLeftOut) {
  expect_tensor<float>(resize_to({1, 2}, 4, {}), {4}, {1, 1, 2, 2});
  expect_bad_input(run_op("resize", {vector_of<float>({1})}));
  expect_bad_input(run_op(
      "resize", {vector_of<float>({1}), Tensor(), vector_of<float>({2}), vector_of<int64_t>({2})}));
}

TEST(Resize, RoundsNearestByItsMode) {
  const auto by = [](const char* mode) {
    return resize_to(
        {1, 2, 3, 4}, 8,
        {{"coordinate_transformation_mode", text("asymmetric")}, {"nearest_mode", text(mode)}});
  };
  expect_tensor<float>(by("floor"), {8}, {1, 1, 2, 2, 3, 3, 4, 4});
  expect_tensor<float>(by("ceil"), {8}, {1, 2, 2, 3, 3, 4, 4, 4});
  expect_tensor<float>(by("round_prefer_floor"), {8}, {1, 1, 2, 2, 3, 3, 4, 4});
  expect_tensor<float>(by("round_prefer_ceil"), {8}, {1, 2, 2, 3, 3, 4, 4, 4});
  expect_unsupported(by("down"));
}

TEST(Resize, HitsWholeCoordinatesExactly) {
  // 3 / (7 / 49.) would be 20.999999999999996.
  std::vector<float> x(49);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  expect_tensor<float>(resize_to(x, 7,
                                 {{"coordinate_transformation_mode", text("asymmetric")},
                                  {"nearest_mode", text("floor")}}),
                       {7}, {0, 7, 14, 21, 28, 35, 42});
}

TEST(Resize, KeepsTheAspectRatio) {
  const Tensor x = Tensor::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto shape = [&](const char* policy) {
    const auto y = run_op("resize", {x, Tensor(), Tensor(), vector_of<int64_t>({4, 4})},
                          {{"keep_aspect_ratio_policy", text(policy)}});
    return y.ok() ? y->shape() : Shape{};
  };
  EXPECT_EQ(shape("stretch"), (Shape{4, 4}));
  EXPECT_EQ(shape("not_larger"), (Shape{2, 4}));
  EXPECT_EQ(shape("not_smaller"), (Shape{4, 8}));
  EXPECT_EQ(shape("larger"), Shape{});
}

TEST(Resize, InterpolatesOnlyTheAxesNamed) {
  const Tensor x = Tensor::of<float>({1, 2, 1}, {0, 4});
  const auto y = run_op("resize", {x, Tensor(), Tensor(), vector_of<int64_t>({3})},
                        {{"axes", Ints{-2}},
                         {"mode", text("linear")},
                         {"coordinate_transformation_mode", text("align_corners")}});
  expect_tensor<float>(y, {1, 3, 1}, {0, 2, 4});
}

TEST(Resize, SpreadsTheKernelToAvoidAliasing) {
  const Attrs attrs{{"mode", text("linear")}, {"antialias", int64_t{1}}};
  // Weights 1, 3, 3, 1 of elements -1 to 2, the first repeating the edge.
  expect_tensor<float>(resize({0, 8, 16, 24}, 0.5f, attrs), {2}, {5, 19});
  expect_unsupported(resize({0, 8}, 0.5f, {{"antialias", int64_t{1}}}));
}

TEST(Resize, ExtrapolatesOutsideTheCrop) {
  const auto y = run_op("resize",
                        {vector_of<float>({1, 2, 3}), vector_of<float>({0.5f, 1.5f}), Tensor(),
                         vector_of<int64_t>({3})},
                        {{"coordinate_transformation_mode", text("tf_crop_and_resize")},
                         {"mode", text("linear")},
                         {"extrapolation_value", -7.0}});
  expect_tensor<float>(y, {3}, {2, 3, -7});
  expect_bad_input(
      resize_to({1}, 2, {{"coordinate_transformation_mode", text("tf_crop_and_resize")}}));
}

TEST(Resize, RefusesHostileFactors) {
  for (const float scale : {0.0f, -1.0f, NAN, INFINITY, 1e30f})
    expect_bad_input(resize({1}, scale, {}));
  expect_tensor<float>(resize({1, 2}, 1e-30f, {}), {0}, {});
  for (const int64_t size : {int64_t{-1}, INT64_MAX}) expect_bad_input(resize_to({1}, size, {}));
  expect_bad_input(resize_to({}, 2, {}));
  expect_bad_input(resize_to({1}, 2, {{"axes", Ints{1}}}));
  expect_bad_input(resize_to({1}, 2, {{"axes", Ints{0, 0}}}));
}

TEST(Resize, MovesAnyElementsInNearestMode) {
  const auto y = run_op(
      "resize", {vector_of<std::string>({"a", "b"}), Tensor(), Tensor(), vector_of<int64_t>({4})});
  expect_tensor<std::string>(y, {4}, {"a", "a", "b", "b"});
  expect_unsupported(run_op("resize",
                            {vector_of<bool>({true}), Tensor(), Tensor(), vector_of<int64_t>({4})},
                            {{"mode", text("linear")}}));
}

TEST(Resize, InfersTheExtentsItCan) {
  auto parsed = parse_graph(
      "graph(%x: f32[?,3,4]) -> (%y) {\n"
      "  %y = resize(%x, _, f32[3]{1 1 2})\n"
      "}");
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  Graph& graph = *parsed;
  ASSERT_TRUE(infer_types(graph).ok());
  EXPECT_EQ(text_of(graph.outputs()[0]->type.tensor), "f32[?,3,8]");
}

TEST(Resize, ReadsUpsample) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {1, 3});
  expect_tensor<float>(run_onnx("Upsample", 7, {x}, {{"scales", Floats{1, 1, 1, 2}}}), {1, 1, 1, 4},
                       {1, 1, 3, 3});
  expect_tensor<float>(
      run_onnx("Upsample", 9, {x, vector_of<float>({1, 1, 1, 2})}, {{"mode", text("linear")}}),
      {1, 1, 1, 4}, {1, 2, 3, 3});
  expect_tensor<float>(
      run_onnx("Upsample", 1, {x},
               {{"height_scale", 1.0}, {"width_scale", 2.0}, {"mode", text("bilinear")}}),
      {1, 1, 1, 4}, {1, 2, 3, 3});
}

TEST(Resize, OfOpset10RoundsUpWhenShrinking) {
  Graph graph;
  const Tensor x = vector_of<float>({1, 2, 3, 4});
  OnnxImport in{
      .graph = graph,
      .name = "r",
      .op_type = "Resize",
      .opset = 10,
      .inputs = {graph.add_input("x", x.type()), graph.add_constant("s", vector_of<float>({0.6f}))},
      .attrs = {},
      .outputs = 1,
      .op = "resize"};
  ASSERT_TRUE(find_onnx_op("Resize", "")->rule->upgrade(in).ok());
  graph.add_output(in.add(in.op, in.inputs, in.attrs)->outputs[0]);
  ASSERT_TRUE(infer_types(graph).ok());
  const auto y = run_graph(graph, {x});
  ASSERT_TRUE(y.ok());
  expect_tensor<float>((*y)[0].tensor, {2}, {1, 3});
  expect_unsupported(run_onnx("Resize", 10, {x, vector_of<float>({2})}));
}

TEST(GridSample, TakesVolumesAndHostileCoordinates) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 1, 2}, {1, 3});
  const auto at = [&](float value, const char* padding, const char* mode) {
    const auto y = run_op("grid_sample", {x, Tensor::of<float>({1, 1, 1, 1, 3}, {value, 0, 0})},
                          {{"padding_mode", text(padding)}, {"mode", text(mode)}});
    return y.ok() ? y->data<float>()[0] : NAN;
  };
  EXPECT_EQ(at(0, "zeros", "linear"), 2);
  EXPECT_EQ(at(-1, "zeros", "linear"), 0.5);
  EXPECT_EQ(at(-1, "border", "linear"), 1);
  EXPECT_EQ(at(2, "reflection", "nearest"), 3);
  for (const char* padding : {"zeros", "border", "reflection"}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      for (const float value : {1e30f, -1e30f, INFINITY, NAN}) {
        EXPECT_FALSE(std::isnan(at(value, padding, mode))) << padding << mode << value;
      }
    }
  }
}

TEST(GridSample, NearestTakesTheEvenPixelOfATie) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 1, 4}, {1, 2, 3, 4});
  const Tensor grid = Tensor::of<float>({1, 1, 1, 3, 3}, {-0.5f, 0, 0, 0, 0, 0, 0.5f, 0, 0});
  expect_tensor<float>(run_op("grid_sample", {x, grid}, {{"mode", text("nearest")}}),
                       {1, 1, 1, 1, 3}, {1, 3, 3});
}

// Half a pixel to the left of the first: all weights but two fall on it.
TEST(GridSample, CubicTakesTheBorderPixelByPixel) {
  const Tensor grid = Tensor::of<float>({1, 1, 2, 2}, {-1, 0, -2, 0});
  const auto at = [&](const std::vector<float>& pixels) {
    return run_op("grid_sample", {Tensor::of<float>({1, 1, 1, 3}, pixels), grid},
                  {{"mode", text("cubic")}, {"padding_mode", text("border")}});
  };
  // x = -0.5 has taps -2, -1, 0, 1 of weights -3/32, 19/32, 19/32, -3/32; x = -2 sees only pixel 0.
  expect_tensor<float>(at({32, 0, 0}), {1, 1, 1, 2}, {35, 32});
  expect_tensor<float>(at({0, 32, 0}), {1, 1, 1, 2}, {-3, 0});
}

TEST(GridSample, HadOtherNamesBeforeOpset20) {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {1, 3});
  const Tensor grid = Tensor::of<float>({1, 1, 1, 2}, {0, 0});
  expect_tensor<float>(run_onnx("GridSample", 16, {x, grid}), {1, 1, 1, 1}, {2});
  expect_tensor<float>(run_onnx("GridSample", 20, {x, grid}, {{"mode", text("linear")}}),
                       {1, 1, 1, 1}, {2});
  expect_unsupported(run_onnx("GridSample", 20, {x, grid}, {{"mode", text("bilinear")}}));
  expect_bad_input(run_op("grid_sample", {x, Tensor::of<float>({1, 1, 1, 3}, {0, 0, 0})}));
}

TEST(RoiAlign, RefusesRegionsOfAbsurdSize) {
  const Tensor x = Tensor::of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const auto align = [&](std::vector<float> roi, int64_t image) {
    return run_op("roi_align", {x, Tensor::of<float>({1, 4}, roi), vector_of<int64_t>({image})});
  };
  expect_tensor<float>(align({0, 0, 2, 2}, 0), {1, 1, 1, 1}, {2.5});
  expect_tensor<float>(align({2, 2, 0, 0}, 0), {1, 1, 1, 1}, {0});
  expect_bad_input(align({0, 0, 1e30f, 2}, 0));
  expect_bad_input(align({NAN, 0, 2, 2}, 0));
  expect_bad_input(align({0, 0, 2, 2}, 1));
  expect_bad_input(align({0, 0, 2, 2}, -1));
}

TEST(NonMaxSuppression, SelectsNothingByDefault) {
  const Tensor boxes = Tensor::of<float>({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});
  const Tensor scores = Tensor::of<float>({1, 1, 2}, {NAN, 1});
  expect_tensor<int64_t>(run_op("non_max_suppression", {boxes, scores}), {0, 3}, {});
  expect_tensor<int64_t>(run_op("non_max_suppression", {boxes, scores, Tensor::scalar<int64_t>(9)}),
                         {1, 3}, {0, 0, 1});
  expect_bad_input(run_op("non_max_suppression", {boxes, Tensor::of<float>({1, 1, 3}, {1, 2, 3})}));
}

TEST(AffineGrid, CentresASinglePixel) {
  const Tensor theta = Tensor::of<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  const auto grid = [&](std::vector<int64_t> size, int64_t corners) {
    return run_op("affine_grid", {theta, vector_of(size)}, {{"align_corners", corners}});
  };
  expect_tensor<float>(grid({1, 1, 1, 2}, 1), {1, 1, 2, 2}, {-1, 0, 1, 0});
  expect_tensor<float>(grid({1, 1, 1, 2}, 0), {1, 1, 2, 2}, {-0.5, 0, 0.5, 0});
  expect_bad_input(grid({1, 1, 1}, 0));
  expect_bad_input(grid({2, 1, 1, 2}, 0));
  expect_bad_input(grid({1, 1, -1, 2}, 0));
}

TEST(Col2Im, AddsWhereBlocksOverlap) {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 10, 20});
  const auto fold = [&](std::vector<int64_t> image, std::vector<int64_t> block) {
    return run_op("col2im", {x, vector_of(image), vector_of(block)});
  };
  expect_tensor<float>(fold({3}, {2}), {1, 1, 3}, {1, 12, 20});
  expect_bad_input(fold({4}, {2}));
  expect_bad_input(fold({3}, {3}));
  expect_bad_input(fold({3}, {0}));
  expect_bad_input(fold({-3}, {2}));
  expect_bad_input(fold({INT64_MAX}, {2}));
}

}  // namespace
}  // namespace hone
