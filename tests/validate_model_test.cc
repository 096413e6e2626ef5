// `hone validate` as a whole: accuracy against a reference, layers, arithmetic, and exit codes.

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "hone/cli/command_def.h"
#include "hone/wire/npy.h"
#include "hone/workbench/validate_model.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// Two classes, told apart by the signs of two numbers; `gain` scales what speaks for class 1.
Model classifier(const std::string& name, double gain) {
  Model model;
  model.name = name;
  model.graph = *parse_graph(str(R"(graph(%x: f32[1,2]) -> (%y) {
    const %w: f32[2,2] = {1 0 0 )",
                                 gain, R"(}
    %y: f32[1,2] = gemm(%x, %w, _) transB=1
  }
)"));
  return model;
}

class ValidateModel : public testing::Test {
 protected:
  ValidateModel() : folder_(fs::temp_directory_path() / str("hone_validate_model_", getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("inputs", Tensor::of<float>({4, 2}, {3, 1, 1, 3, 2, 3, 4, 1}));
    write("labels", Tensor::of<int64_t>({4}, {0, 1, 1, 0}));
    request_.data = folder_.string();
    request_.compile.threads = 1;
  }
  ~ValidateModel() override { fs::remove_all(folder_); }

  void write(const std::string& name, const Tensor& tensor) {
    ASSERT_TRUE(write_npy(tensor, folder_ / (name + ".npy")).ok());
  }
  Validation validate(const Model& model) {
    auto result = validate_model(model, request_);
    EXPECT_TRUE(result.ok()) << result.error().message;
    Validation validation = result.ok() ? std::move(result->validation) : Validation{};
    // So that a test that expects a verdict fails rather than crashes.
    if (validation.gate.empty()) validation.gate.push_back({.what = "none"});
    return validation;
  }
  std::string error(const Model& model) {
    const auto result = validate_model(model, request_);
    return result.ok() ? "ok" : result.error().message;
  }

  fs::path folder_;
  ValidateRequest request_;
};

TEST_F(ValidateModel, ComparesWithAReference) {
  const Model reference = classifier("float", 1), weak = classifier("weak", 0.5);
  request_.reference = &reference;
  request_.layers = true;
  request_.budgets.drop = *parse_drop("10%");
  const Validation validation = validate(weak);
  EXPECT_EQ(*validation.metric->value, 0.75);  // The third sample is lost.
  EXPECT_EQ(*validation.reference_metric->value, 1);
  EXPECT_EQ(*validation.agreement->value, 0.75);
  ASSERT_EQ(validation.gate.size(), 1u);
  EXPECT_EQ(validation.gate[0].verdict, Verdict::Fail);
  EXPECT_EQ(validation.gate[0].reached, "25.00 % (1.0000 -> 0.7500)");
  ASSERT_TRUE(validation.layers);
  EXPECT_EQ(first_broken(*validation.layers, validation.breaks), 0);
  request_.budgets.drop = *parse_drop("30pt");
  EXPECT_EQ(validate(weak).gate[0].verdict, Verdict::Pass);
}

// Whatever a metric makes of it.
TEST_F(ValidateModel, FailsWhatIsNoNumber) {
  const Model reference = classifier("float", 1);
  const Model broken = classifier("broken", std::numeric_limits<float>::infinity());
  request_.reference = &reference;
  request_.metric = "agreement";
  request_.budgets.drop = *parse_drop("99%");
  write("inputs", Tensor::of<float>({4, 2}, {3, 0, 3, 1, 3, 1, 3, 1}));
  const GateRow row = validate(broken).gate[0];
  EXPECT_EQ(row.verdict, Verdict::Fail) << row.reached;
  EXPECT_EQ(row.why, "output 'y' of sample 0 holds NaN, that of float does not");
  request_.target = "null";
  request_.budgets.latency = 1;
  EXPECT_EQ(error(reference), "target null computes nothing, of which no limit says anything");
}

// A model that answers otherwise may be right as often.
TEST_F(ValidateModel, SaysWhereTheMetricHoldsByChance) {
  write("labels", Tensor::of<int64_t>({4}, {0, 1, 0, 1}));
  write("inputs", Tensor::of<float>({4, 2}, {1, 3, 2, 3, -1, -3, -2, -3}));
  const Model reference = classifier("float", 1), opposite = classifier("opposite", -1);
  request_.reference = &reference;
  request_.budgets.drop = *parse_drop("10%");
  EXPECT_EQ(validate(reference).gate[0].why,
            "one of 4 samples is 25.00 pt of top1: so few do not tell whether the limit holds for "
            "others");
  const GateRow row = validate(opposite).gate[0];
  EXPECT_EQ(row.verdict, Verdict::Pass) << row.reached;
  EXPECT_EQ(row.why,
            "0.0 % of the samples have the reference's answer, where 100.0 % could: top1 may hold "
            "by chance");
}

TEST_F(ValidateModel, HoldsAModelToTheAnswersOfAnotherWithoutLabels) {
  fs::remove(folder_ / "labels.npy");
  const Model reference = classifier("float", 1), weak = classifier("weak", 0.5);
  request_.reference = &reference;
  request_.budgets.drop = *parse_drop("10%");
  const Validation validation = validate(weak);
  EXPECT_EQ(validation.metric->name, "agreement");
  EXPECT_EQ(*validation.metric->value, 0.75);
  EXPECT_EQ(*validation.reference_metric->value, 1);
  EXPECT_EQ(validation.gate[0].verdict, Verdict::Fail);
}

// One number per sample: every such model has the same largest output.
Model regressor(const std::string& name, double gain) {
  Model model;
  model.name = name;
  model.graph = *parse_graph(str("graph(%x: f32[1,2]) -> (%y) {\n  const %w: f32[1,2] = {1 ", gain,
                                 "}\n  %y: f32[1,1] = gemm(%x, %w, _) transB=1\n}\n"));
  return model;
}

TEST_F(ValidateModel, HoldsOneNumberToItsValueRatherThanToItsPlace) {
  fs::remove(folder_ / "labels.npy");
  const Model reference = regressor("float", 1), wrong = regressor("wrong", -1);
  request_.reference = &reference;
  request_.budgets.drop = *parse_drop("1%");
  const Validation validation = validate(wrong);
  EXPECT_EQ(validation.metric->name, "fidelity");
  EXPECT_EQ(validation.gate[0].verdict, Verdict::Fail) << validation.gate[0].reached;
  EXPECT_EQ(validation.metric_why,
            "the data has neither labels nor targets, and the model gives one number, which has no "
            "largest element");
  EXPECT_EQ(validate(reference).gate[0].verdict, Verdict::Pass);
  request_.metric = "agreement";
  EXPECT_TRUE(error(wrong).starts_with("metric agreement asks which of several outputs"))
      << error(wrong);
}

TEST_F(ValidateModel, ComparesWithTheMetricOfAnEarlierResult) {
  Baseline baseline{
      .path = "base.json", .target = {}, .device = {}, .samples_ms = {}, .metric = {}};
  baseline.metric = Metric{.name = "top1", .value = 1, .n = 4};
  request_.baseline = baseline;
  request_.budgets.drop = *parse_drop("0.3");
  EXPECT_EQ(validate(classifier("weak", 0.5)).gate[0].verdict, Verdict::Pass);
  request_.baseline->metric->name = "top5";
  EXPECT_EQ(error(classifier("weak", 0.5)),
            "no drop can be told: the baseline has the metric top5, this validation top1");
}

TEST_F(ValidateModel, SaysWhatIsMissingBeforeAnythingRuns) {
  const Model model = classifier("model", 1);
  request_.layers = true;
  EXPECT_EQ(error(model), "errors of layers need a reference model");
  request_.layers = false;
  request_.budgets.drop = *parse_drop("1%");
  EXPECT_EQ(error(model),
            "a limit on the drop needs a reference model, or the result of an earlier validation");
  request_.budgets.drop.reset();
  request_.budgets.slowdown = SlowdownLimits{};
  EXPECT_EQ(error(model),
            "a limit on the slowdown needs a model, or its result, to be compared with");
  request_.budgets.slowdown.reset();
  request_.metric = "agreement";
  EXPECT_EQ(error(model), "metric agreement needs a reference model");
  request_.metric = "top1";
  write("labels", Tensor::of<int64_t>({4}, {0, 1, 2, 0}));
  EXPECT_EQ(error(model), "labels.npy: label 2 of sample 2 is outside the 2 outputs of the model");
  request_.data.clear();
  EXPECT_EQ(error(model), "this needs samples");
  request_.metric.clear();
  EXPECT_EQ(error(model), "nothing to validate: expected samples, or a limit");
}

TEST_F(ValidateModel, HoldsOutputsToExpectedOnes) {
  write("expected", Tensor::of<float>({4, 2}, {3, 1, 1, 3, 2, 3, 4, 1.01F}));
  request_.expected = (folder_ / "expected.npy").string();
  Validation validation = validate(classifier("model", 1));
  EXPECT_EQ(validation.expected->equal, 3);
  EXPECT_FALSE(validation.expected->within);
  request_.rtol = 0.01;
  EXPECT_TRUE(validate(classifier("model", 1)).expected->within);
}

struct Outcome {
  int exit;
  std::string text;
};

Outcome run(std::vector<std::string> arguments) {
  std::ostringstream out;
  arguments.insert(arguments.begin(), "validate");
  const int exit = run_cli(arguments, out, out);
  return {exit, out.str()};
}

TEST(ValidateCommand, OfKeywordSpottingInAllItsParts) {
  HONE_SKIP_WITHOUT(shared_dir());
  const std::string models = (shared_dir() / "models/mlperf_tiny").string();
  const Outcome outcome =
      run({models + "/kws_int8.tflite", "--data", (shared_dir() / "data/kws").string(),
           "--reference", models + "/kws_fp32.tflite", "--layers", "--layer-samples", "2",
           "--max-drop", "1%", "--max-size", "60KB"});
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  for (const char* line : {"top1                     0.9010  measured, n 1000\n",
                           "top1 of kws_fp32.tflite  0.9050  measured, n 1000\n",
                           "0.44 % (0.9050 -> 0.9010)", "no layer breaks: ", "verdict: pass\n"}) {
    EXPECT_NE(outcome.text.find(line), std::string::npos) << line << "\n" << outcome.text;
  }
}

TEST(ValidateCommand, FindsASabotagedLayer) {
  HONE_SKIP_WITHOUT(shared_dir());
  const std::string path = (shared_dir() / "models/mlperf_tiny/kws_int8.tflite").string();
  const auto reference = open_model(path);
  auto broken = open_model(path);
  ASSERT_TRUE(reference.ok() && broken.ok());
  // The weights of the fourth node, a convolution, get a tenth of their scale.
  Node* node = broken->graph.node(3);
  ASSERT_EQ(node->op, "conv");
  const Tensor& weights = *node->inputs[1]->constant;
  Quantization quant = *weights.type().quant;
  for (float& scale : quant.scales) scale *= 0.1F;
  node->inputs[1]->constant =
      weights.with_quantization(std::make_shared<Quantization>(std::move(quant)));
  node->inputs[1]->type.tensor.quant = node->inputs[1]->constant->type().quant;
  const auto data = read_data_set(shared_dir() / "data/kws", reference->graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto errors = layer_errors(broken->graph, reference->graph, *data, {.samples = 2});
  ASSERT_TRUE(errors.ok()) << errors.error().message;
  EXPECT_EQ(first_broken(*errors, {}), 3) << break_sentence(*errors, {});
  for (size_t i = 0; i < errors->layers.size(); ++i) {
    // Only that layer adds an error of its own; all behind it inherit it.
    EXPECT_EQ(errors->layers[i].local.noise > 0, i == 3) << errors->layers[i].name;
    EXPECT_EQ(errors->layers[i].propagated.noise > 0, i >= 3) << errors->layers[i].name;
  }
}

TEST(ValidateCommand, TellsWhichAnswersOtherArithmeticChanges) {
  HONE_SKIP_WITHOUT(shared_dir());
  const Outcome outcome =
      run({(shared_dir() / "models/mlperf_tiny/kws_int8.tflite").string(), "--data",
           (shared_dir() / "data/kws").string(), "--arithmetic", "tflite-neon"});
  EXPECT_EQ(outcome.exit, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("of 1000 samples 0 answers and 4 outputs change"), std::string::npos)
      << outcome.text;
}

}  // namespace
}  // namespace hone
