// Random graphs give the same on every target. HONE_RANDOM_GRAPHS says how many of each kind; with
// HONE_RANDOM_FOLDER they are left there as .onnx files with inputs and outputs, for other engines.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "hone/model/save.h"
#include "hone/passes/pass_def.h"
#include "hone/tensor/compare.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"
#include "tests/random/random_graph.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

uint64_t graphs_of_a_kind() {
  const char* count = std::getenv("HONE_RANDOM_GRAPHS");
  return count == nullptr ? 60 : std::strtoull(count, nullptr, 10);
}

Result<std::vector<Item>> run_on(const std::string& target, const Graph& graph, int threads,
                                 const std::vector<Item>& inputs) {
  CompileOptions options{.threads = threads};
  HONE_TRY(const TargetDef* def, find_target(target));
  HONE_TRY(const auto program, def->open()->compile(std::move(*graph.clone()), options));
  return program->run(inputs);
}

// The graph as engines run it: Q/DQ pairs are integers there.
std::unique_ptr<Graph> fused(const Graph& graph) {
  std::unique_ptr<Graph> copy = graph.clone();
  const auto passes = optimize(*copy, {.disabled = {}, .last = PassStage::Engine});
  EXPECT_TRUE(passes.ok()) << passes.error().message;
  return copy;
}

// Integers rounded once, as those of pairs are.
Result<std::vector<Item>> run_rounding_once(const Graph& graph, const std::vector<Item>& inputs) {
  CompileOptions options{.threads = 1};
  options.eval.rounding = Rounding::Single;
  HONE_TRY(const auto program,
           (*find_target("ref"))->open()->compile(std::move(*graph.clone()), options));
  return program->run(inputs);
}

Result<std::vector<Item>> run_fused(const Graph& graph, const std::vector<Item>& inputs) {
  return run_rounding_once(*fused(graph), inputs);
}

// Floats that were computed are rounded to integers: one that lies between two may become either.
bool rounds_results(const Graph& graph) {
  const std::unique_ptr<Graph> engine = fused(graph);
  for (const Node* node : engine->nodes()) {
    if (node->op == "quantize_linear" && node->inputs[0]->producer != nullptr) return true;
  }
  return false;
}

bool has_pairs(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->op == "quantize_linear") return true;
  }
  return false;
}

// Sums in another order: each layer may lose a little of the largest magnitude.
bool about_equal(const Tensor& actual, const Tensor& expected) {
  const Difference difference = compare(actual, expected);
  if (!difference.comparable) return false;
  if (!kFloat.contains(expected.dtype())) return difference.different == 0;
  return difference.max_abs <= 1e-4 * std::max(1.0, difference.max_magnitude);
}

class RandomGraphs : public testing::TestWithParam<GraphKind> {
 protected:
  void expect_same(const Result<std::vector<Item>>& actual, const std::vector<Item>& expected,
                   const std::string& where) {
    ASSERT_TRUE(actual.ok()) << where << ": " << actual.error().message;
    ASSERT_EQ(actual->size(), expected.size()) << where;
    for (size_t i = 0; i < expected.size(); ++i) {
      const Tensor& a = (*actual)[i].tensor;
      const Tensor& e = expected[i].tensor;
      EXPECT_TRUE(about_equal(a, e))
          << where << ": output " << i << " is " << a.type() << ", expected " << e.type()
          << ", apart by " << compare(a, e).max_abs;
    }
  }
};

// Where rounding differs no more can be asked than to be close: within `steps` steps of the
// coarsest scale, or by the ratio of signal to noise.
void expect_near(const std::vector<Item>& actual, const std::vector<Item>& expected, double steps,
                 double decibels) {
  constexpr double kCoarsestScale = 0.05;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    EXPECT_TRUE(difference.comparable) << difference.what;
    EXPECT_TRUE(difference.max_abs <= kCoarsestScale * steps || difference.sqnr_db > decibels)
        << "output " << i << " is off by " << difference.max_abs << ", " << difference.sqnr_db
        << " dB";
  }
}

void leave(const fs::path& folder, const Graph& graph, const std::vector<Item>& inputs,
           const std::vector<Item>& outputs) {
  fs::create_directories(folder);
  ASSERT_TRUE(save_onnx(graph, folder / "model.onnx").ok());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = graph.inputs()[i]->name + ".npy";
    ASSERT_TRUE(write_npy(inputs[i].tensor, folder / ("in_" + name)).ok());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = str("out_", i, ".npy");
    ASSERT_TRUE(write_npy(outputs[i].tensor, folder / name).ok());
  }
}

TEST_P(RandomGraphs, AreTheSameEverywhere) {
  const char* folder = std::getenv("HONE_RANDOM_FOLDER");
  for (uint64_t seed = 0; seed < graphs_of_a_kind(); ++seed) {
    const Graph graph = random_graph(GetParam(), seed);
    if (graph.outputs().empty()) continue;
    SCOPED_TRACE(str(name_of(GetParam()), " ", seed, "\n", print(graph)));
    const Status valid = verify(graph);
    ASSERT_TRUE(valid.ok()) << valid.error().message;
    const auto inputs = make_inputs(graph, {}, seed);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    const auto expected = run_on("ref", graph, 1, *inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    if (folder != nullptr) {
      leave(fs::path(folder) / str(name_of(GetParam()), "_", seed), graph, *inputs, *expected);
    }
    const auto on_cpu = run_on("cpu", graph, 1, *inputs);
    if (has_pairs(graph)) {
      const auto integers = run_fused(graph, *inputs);
      ASSERT_TRUE(integers.ok()) << integers.error().message;
      ASSERT_TRUE(on_cpu.ok()) << on_cpu.error().message;
      if (rounds_results(graph)) {
        expect_near(*on_cpu, *integers, 1, 30);
      } else {
        expect_same(on_cpu, *integers, "cpu");
      }
      expect_near(*integers, *expected, 2, 15);
    } else {
      expect_same(on_cpu, *expected, "cpu");
    }
    if (!on_cpu.ok()) continue;
    expect_same(run_on("cpu", graph, 3, *inputs), *on_cpu, "cpu, 3 threads");
    for (const char* npu : {"npu", "ethos-u55-128", "edge-tpu-usb"}) {
      expect_same(run_on(npu, graph, 1, *inputs), *on_cpu, npu);
    }
    if (HasFailure()) break;  // The first one is enough to look at.
  }
}

// What TFLite has words for is the same after it was written and read: integers to the bit.
TEST_P(RandomGraphs, AreTheSameInATfliteFile) {
  uint64_t written = 0;
  for (uint64_t seed = 0; seed < graphs_of_a_kind(); ++seed) {
    const Graph graph = random_graph(GetParam(), seed);
    if (graph.outputs().empty()) continue;
    SCOPED_TRACE(str(name_of(GetParam()), " ", seed, "\n", print(graph)));
    const Result<Model> file = as_saved(graph, "any.tflite");
    if (!file.ok()) {
      EXPECT_EQ(file.error().kind, ErrorKind::Unsupported) << file.error().message;
      continue;
    }
    ASSERT_TRUE(file->unsupported.empty()) << file->unsupported[0].reason;
    const auto inputs = make_inputs(graph, {}, seed);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    const auto expected = run_on("ref", graph, 1, *inputs);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    if (has_pairs(graph)) {
      const auto actual = run_rounding_once(file->graph, *inputs);
      ASSERT_TRUE(actual.ok()) << actual.error().message;
      expect_near(*actual, *expected, 3, 15);
    } else {
      expect_same(run_on("ref", file->graph, 1, *inputs), *expected, "TFLite");
    }
    if (HasFailure()) break;
    ++written;
  }
  if (GetParam() != GraphKind::Recurrent) {
    EXPECT_GT(written, graphs_of_a_kind() / 10);
  }
  RecordProperty("written", static_cast<int>(written));
}

INSTANTIATE_TEST_SUITE_P(All, RandomGraphs, testing::ValuesIn(kGraphKinds),
                         [](const auto& param) { return std::string(name_of(param.param)); });

}  // namespace
}  // namespace hone
