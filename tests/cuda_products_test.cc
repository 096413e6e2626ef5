// Every variant of every product on a GPU beside the cpu target, in all types of floats, on shapes that
// fill no tile. Skipped, with the reason, where there is no GPU.

#include <gtest/gtest.h>

#include "hone/targets/cuda/cuda_program.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

struct ProductCase {
  std::string name;
  Graph (*graph)();
};

// x times a matrix that is computed, or constant.
Graph matrices(int64_t rows, int64_t depth, int64_t columns, bool constant) {
  NetworkBuilder net("matrices", 1);
  Value* x = net.input("x", {rows, depth});
  const TensorType type(DType::F32, {depth, columns});
  Value* w = constant ? net.constant("w", random_tensor(type, 3)) : net.input("w", type.shape);
  return net.finish(net.apply("matmul", {x, w}, "product"), "y");
}

// Whatever follows it.
Graph convolution(int64_t batch, int64_t channels, int64_t size, Conv spec,
                  std::string_view activation = "", bool residual = false) {
  NetworkBuilder net("convolution", 1);
  Value* x = net.input("x", {batch, channels, size, size});
  Value* y = net.conv(x, spec, "conv");
  if (residual) y = net.apply("add", {y, x}, "residual");
  return net.finish(activation.empty() ? y : net.apply(activation, {y}, "activation"), "y");
}

const ProductCase kProducts[] = {
    {"few_rows", [] { return matrices(3, 72, 50, true); }},
    {"small", [] { return matrices(70, 40, 36, true); }},
    {"computed", [] { return matrices(150, 72, 96, false); }},
    {"odd_columns", [] { return matrices(65, 33, 41, false); }},
    {"odd_depth", [] { return matrices(130, 45, 64, true); }},
    {"large", [] { return matrices(1100, 200, 264, true); }},
    {"large_computed", [] { return matrices(1030, 136, 328, false); }},
    {"large_and_narrow", [] { return matrices(2056, 72, 72, true); }},
    {"of_a_library", [] { return matrices(1104, 1032, 520, false); }},
    {"shallow", [] { return matrices(1024, 8, 256, true); }},
    {"windows", [] { return convolution(2, 24, 23, {.channels = 40, .kernel = 3, .bias = true}); }},
    {"strides",
     [] {
       return convolution(1, 3, 65, {.channels = 16, .kernel = 7, .stride = 2, .bias = true});
     }},
    {"pixels_of_a_library",
     [] { return convolution(8, 96, 56, {.channels = 256, .bias = true}, "relu"); }},
    {"windows_of_a_library",
     [] {
       return convolution(8, 96, 41, {.channels = 96, .kernel = 3, .bias = true}, "relu", true);
     }},
    {"strides_of_a_library",
     [] { return convolution(8, 64, 83, {.channels = 96, .kernel = 5, .stride = 2}); }},
    {"pixels", [] { return convolution(4, 40, 17, {.channels = 72, .bias = true}); }},
};

// As large as sums of rounded products are off, of the largest result.
double allowed_in(Precision precision) {
  switch (precision) {
    case Precision::F32:
      return 1e-5;
    case Precision::TF32:
    case Precision::F16:
      return 2e-3;
    case Precision::BF16:
      return 1.6e-2;
  }
  return 0;
}

Result<std::vector<Item>> cpu_outputs(const Graph& graph, const std::vector<Item>& inputs) {
  HONE_TRY(const auto program,
           (*find_target("cpu"))->open()->compile(std::move(*graph.clone()), {.threads = 1}));
  return program->run(inputs);
}

// A type, and a case's place among all.
class CudaProducts : public testing::TestWithParam<std::tuple<Precision, size_t>> {
 protected:
  void SetUp() override {
    const Support here = (*find_target("cuda"))->here();
    if (!here.full) GTEST_SKIP() << here.reason;
    const auto gpu = cuda::Gpu::open();
    ASSERT_TRUE(gpu.ok());
    gpu_ = *gpu;
  }

  // Of the plan's one product; 0 when there is no such variant.
  void run_variant(const Graph& graph, size_t variant, size_t& variants,
                   const std::vector<Item>& inputs, const std::vector<Item>& expected) {
    const Precision precision = std::get<0>(GetParam());
    const CompileOptions options{.precision = precision, .tune_seconds = 0};
    auto plan = cuda::make_plan(std::move(*graph.clone()), options, gpu_->info());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const auto product = std::ranges::find_if((*plan)->steps, [](const cuda::Step& step) {
      return step.kind.family == StepFamily::Product;
    });
    ASSERT_NE(product, (*plan)->steps.end());
    ASSERT_FALSE(product->on_host());
    variants = product->variants.size();
    product->chosen = variant;
    const std::string name = product->variant().name;
    const bool library = product->variant().launches[0].library.has_value();
    auto loaded = cuda::load_plan(*gpu_, *std::move(plan));
    if (library && !loaded.ok()) {  // It is not here, or has fewer ways.
      std::cout << "passed over " << name << ": " << loaded.error().message << "\n";
      return;
    }
    libraries_ += library ? 1 : 0;
    ASSERT_TRUE(loaded.ok()) << name << ": " << loaded.error().message;
    const auto actual = cuda::make_cuda_program(*std::move(loaded))->run(inputs);
    ASSERT_TRUE(actual.ok()) << name << ": " << actual.error().message;
    const Difference difference = compare((*actual)[0].tensor, expected[0].tensor);
    ASSERT_TRUE(difference.comparable) << difference.what;
    EXPECT_LE(difference.max_abs, allowed_in(precision) * difference.max_magnitude) << name;
  }

  const cuda::Gpu* gpu_ = nullptr;
  int libraries_ = 0;  // Variants of libraries that were run.
};

TEST_P(CudaProducts, GiveWhatTheCpuGivesInEveryVariant) {
  const ProductCase& one = kProducts[std::get<1>(GetParam())];
  const Graph graph = one.graph();
  const auto inputs = make_inputs(graph, {}, 5);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto expected = cpu_outputs(graph, *inputs);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  size_t variants = 1;
  for (size_t variant = 0; variant < variants; ++variant) {
    run_variant(graph, variant, variants, *inputs, *expected);
    if (HasFatalFailure()) return;
  }
  const bool floats = std::get<0>(GetParam()) == Precision::F32;
  const bool products = one.name == "of_a_library" && !cuda::blas_version().empty();
  const bool windows =
      one.name == "windows_of_a_library" && !cuda::dnn_version().empty() && !floats;
  EXPECT_TRUE(libraries_ > 0 || !(products || windows));
}

INSTANTIATE_TEST_SUITE_P(Types, CudaProducts,
                         testing::Combine(testing::Values(Precision::F32, Precision::TF32,
                                                          Precision::F16, Precision::BF16),
                                          testing::Range(size_t{0}, std::size(kProducts))),
                         [](const auto& param) {
                           return str(name_of(std::get<0>(param.param)), "_",
                                      kProducts[std::get<1>(param.param)].name);
                         });

}  // namespace
}  // namespace hone
