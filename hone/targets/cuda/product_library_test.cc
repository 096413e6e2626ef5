#include "hone/targets/cuda/product_library.h"

#include <gtest/gtest.h>

#include "hone/targets/cuda/plan.h"

namespace hone::cuda {
namespace {

// How many variants of the one step are a library's, which come last.
size_t library_variants(const std::string& text, Precision precision = Precision::F32) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  GpuInfo gpu;
  gpu.major = 9;
  gpu.multiprocessors = 132;
  gpu.most_shared_bytes = 232448;
  const auto plan = make_plan(std::move(*graph), {.precision = precision}, gpu);
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  size_t count = 0;
  for (const Step& step : (*plan)->steps) {
    for (const Variant& variant : step.variants) {
      const bool library = variant.launches[0].library.has_value();
      EXPECT_TRUE(library || count == 0) << variant.name;
      count += library ? 1 : 0;
    }
  }
  return count;
}

TEST(LibraryProducts, AreCandidatesOfLargeProducts) {
  const std::string large = R"(graph(%x: f32[1024,1024], %w: f32[1024,1024]) -> (%y) {
  %y: f32[1024,1024] = matmul(%x, %w)
}
)";
  EXPECT_EQ(library_variants(large), 4u);
  EXPECT_EQ(library_variants(large, Precision::TF32), 4u);
  EXPECT_EQ(library_variants(R"(graph(%x: f32[128,128], %w: f32[128,128]) -> (%y) {
  %y: f32[128,128] = matmul(%x, %w)
}
)"),
            0u);
}

TEST(LibraryProducts, HaveRowsOfWholePieces) {
  // Of 16 bytes.
  EXPECT_EQ(library_variants(R"(graph(%x: f32[1024,1023], %w: f32[1023,1024]) -> (%y) {
  %y: f32[1024,1024] = matmul(%x, %w)
}
)"),
            0u);
}

// 4 GFLOP and more with the activation behind them.
std::string pixels(std::string_view activation, int kernel = 1) {
  std::string weights;
  for (int i = 0; i < 32 * kernel * kernel * 16; ++i) weights += "1 ";
  const int size = 257 - kernel;
  return str("graph(%x: f32[64,256,256,16]) -> (%y) {\n  const %w: f32[32,", kernel, ",", kernel,
             ",16] = {", weights, "}\n  %c: f32[64,", size, ",", size,
             ",32] = conv(%x, %w) layout=\"nhwc\"\n  %y: f32[64,", size, ",", size,
             ",32] = ", activation, "(%c)\n}\n");
}

TEST(LibraryProducts, LeaveNoRest) {
  EXPECT_EQ(library_variants(pixels("relu")), 4u);
  EXPECT_EQ(library_variants(pixels("sigmoid")), 0u);
  EXPECT_EQ(library_variants(pixels("sigmoid", 3), Precision::TF32), 0u);
}

TEST(LibraryProducts, OfConstantsOnTensorCoresAreConvolutions) {
  EXPECT_EQ(library_variants(pixels("relu"), Precision::TF32), 4u + 4u);
  EXPECT_EQ(library_variants(pixels("relu", 3), Precision::TF32), 4u);
  EXPECT_EQ(library_variants(pixels("relu", 3)), 0u);
}

}  // namespace
}  // namespace hone::cuda
