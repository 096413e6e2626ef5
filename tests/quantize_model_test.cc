// Quantization of whole networks: accuracy on real data, ONNX Runtime's answers, speed and memory
// of calibration.

#include "hone/workbench/quantize_model.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "hone/base/file.h"
#include "hone/device/cpu_features.h"
#include "hone/model/save.h"
#include "hone/passes/match.h"
#include "hone/quantize/dequantize.h"
#include "hone/targets/devices.h"
#include "hone/tensor/compare.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

Model open(const std::string& spec) {
  auto model = open_model(spec);
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
  return *std::move(model);
}

// The trained network of examples/kws.
struct Example {
  fs::path folder = source_dir() / "examples" / "kws";
  Model model = open((folder / "kws.onnx").string());
  DataSet calibration = *open_data_set(folder / "calibration", model.graph);
  DataSet evaluation = *open_data_set(folder / "eval", model.graph);
};

TEST(QuantizeModel, TheExampleKeepsItsAccuracy) {
  const Example example;
  QuantizeRequest request;
  request.judge_on = &example.evaluation;
  const auto result = quantize_model(example.model, example.calibration, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->metric, "top1");
  EXPECT_LE(result->trials.back().score.drop, 0.01);
  EXPECT_GE(result->trials.back().score.agreement, 0.97);
  EXPECT_LT(result->weight_bytes_after * 3, result->weight_bytes_before);
  EXPECT_EQ(result->float_layers, 0);
}

// Scores are those of the float network, and inputs not looked at: the same for every one.
Graph that_knows_nothing(const Graph& network) {
  Graph graph = std::move(*network.clone());
  for (Node* node : graph.nodes()) {
    if (node->op != "conv") continue;
    Tensor weights = *constant_of(*node, 1);
    std::ranges::fill(weights.mutable_data<float>(), 0.0f);
    graph.set_input(node, 1, graph.add_constant("zeros", std::move(weights)));
  }
  return graph;
}

// What is written is what will run.
TEST(QuantizeModel, IsJudgedByTheFileThatIsWritten) {
  const Example example;
  QuantizeRequest request;
  request.judge_on = &example.evaluation;
  request.max_drop = DropLimit{0.01, false, "1pt"};
  request.write = [&](const Graph&) -> Result<WrittenModel> {
    return WrittenModel{that_knows_nothing(example.model.graph), {}};
  };
  const auto result = quantize_model(example.model, example.calibration, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result->trials.size(), 2u);
  EXPECT_LE(result->trials[0].score.drop, 0.01);
  EXPECT_EQ(result->trials[1].what, "as the file has it");
  EXPECT_GT(result->trials[1].score.drop, 0.5);
  EXPECT_FALSE(result->holds);
}

// A device that takes one weight scale a tensor gets such weights, and computes them.
TEST(QuantizeModel, FollowsTheDevicesLimitOnWeightScales) {
  const Example example;
  Device device = **find_device("npu");
  device.name = "one-scale";
  device.npu()->limits.per_channel = false;
  const fs::path file = fs::path(testing::TempDir()) / "hone_one_scale.toml";
  ASSERT_TRUE(write_file(file, device_text(device)).ok());
  QuantizeRequest request;
  request.judge_on = &example.evaluation;
  request.recipe.target = file.string();
  const auto result = quantize_model(example.model, example.calibration, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->recipe.plan.scheme.per_channel);
  EXPECT_EQ(result->notes[0],
            "one weight scale per tensor: one-scale computes no layers with scales per channel on "
            "integers");
  const auto target = find_target(file.string());
  ASSERT_TRUE(target.ok());
  const auto program = (*target)->open()->compile(std::move(*result->graph.clone()), {});
  ASSERT_TRUE(program.ok()) << program.error().message;
  for (const Placement& placement : (*program)->placements()) {
    EXPECT_TRUE(placement.on_target || placement.node->op != "conv") << placement.reason;
  }
  fs::remove(file);
}

// A graph that leaves extents open is judged with those of the samples, and keeps them open.
TEST(QuantizeModel, OpenExtentsAreThoseOfTheSamples) {
  Model model;
  model.name = "open";
  auto graph = parse_graph(R"(graph(%x: f32[?,2,?,?]) -> (%y) {
    %c = conv(%x, f32[3,2,1,1]{0.5 1 -1 0.25 2 1}, f32[3]{1 0 2}) name "c"
    %r = relu(%c) name "r"
    %y = conv(%r, f32[1,3,1,1]{0.25 1 -2}, f32[1]{-1}) name "d"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  model.graph = *std::move(graph);
  const auto data = data_set_of(random_tensor({DType::F32, {8, 2, 5, 6}}, 1), model.graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto result = quantize_model(model, *data, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->layers, 2);
  EXPECT_EQ(result->float_layers, 0);
  EXPECT_EQ(result->in_float, std::vector<std::string>());
  EXPECT_EQ(std::ranges::count(result->notes,
                               "where the model leaves extents open, layers are judged and counted "
                               "with those of the samples: 'x' of f32[1,2,5,6]"),
            1);
  EXPECT_EQ(text_of(result->graph.inputs()[0]->type.tensor), "f32[?,2,?,?]");
}

// Samples of nothing quantize without an error, and the result is of no use.
TEST(QuantizeModel, SaysWhatTheSamplesDoNotTell) {
  const Example example;
  const Shape shape = example.calibration.sample(0, example.model.graph)->at(0).tensor.shape();
  Shape all = shape;
  all[0] = 4;
  const auto zeros = data_set_of(Tensor({DType::F32, all}), example.model.graph);
  ASSERT_TRUE(zeros.ok()) << zeros.error().message;
  const auto result = quantize_model(example.model, *zeros, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto is_told = [](const std::string& note) {
    return note.find(" read nothing but zeros in every sample") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(result->notes, is_told), 1);
  const auto real = quantize_model(example.model, example.calibration, {});
  ASSERT_TRUE(real.ok()) << real.error().message;
  EXPECT_EQ(std::ranges::count_if(real->notes, is_told), 0);
}

// What is said to be on integers is, on that target: a resize between pixels and a transposed
// convolution have no integer form.
TEST(QuantizeModel, CountsLayersAsTheTargetComputesThem) {
  auto graph = parse_graph(R"(graph(%x: f32[1,1,4,4]) -> (%y) {
    %c: f32[1,1,4,4] = conv(%x, f32[1,1,1,1]{0.5}, f32[1]{1}) name "c"
    %r: f32[1,1,8,8] = resize(%c, _, f32[4]{1 1 2 2}, _) mode="linear" name "r"
    %d: f32[1,1,8,8] = conv(%r, f32[1,1,1,1]{0.25}, f32[1]{-1}) name "d"
    %y: f32[1,1,16,16] = conv_transpose(%d, f32[1,1,2,2]{1 2 3 4}) strides=[2,2] name "t"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  Model model;
  model.name = "mixed";
  model.graph = *std::move(graph);
  const auto data =
      data_set_of(random_tensor(TensorType{DType::F32, {4, 1, 4, 4}}, 1), model.graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  for (const char* target : {"cpu", "npu"}) {
    QuantizeRequest request;
    request.recipe.target = target;
    const auto result = quantize_model(model, *data, request);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->layers, 2) << target;
    EXPECT_EQ(result->float_layers, 1) << target;
    EXPECT_EQ(result->in_float, std::vector<std::string>{"r"}) << target;
  }
  // Nor are weights with a scale for every block of inputs multiplied as integers.
  const Example example;
  QuantizeRequest blocks;
  blocks.recipe.plan.scheme = **scheme_named("int4");
  blocks.recipe.plan.scheme.block_size = 16;
  const auto result = quantize_model(example.model, example.calibration, blocks);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_GT(result->float_layers, 0);
  EXPECT_EQ(static_cast<int>(result->in_float.size()), result->float_layers);
}

// Three bits would be too few; with a metric to hold, layers are spared until it does.
TEST(QuantizeModel, SparesLayersUntilTheDropHolds) {
  const Example example;
  QuantizeRequest request;
  request.judge_on = &example.evaluation;
  request.metric = "agreement";
  request.max_drop = DropLimit{0.02, false, "0.02"};
  request.mixed = true;
  request.recipe.plan.scheme.weights = DType::I4;
  request.recipe.plan.scheme.per_channel = false;
  const auto result = quantize_model(example.model, example.calibration, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_TRUE(result->mixed);
  EXPECT_TRUE(result->holds);
  EXPECT_GT(result->trials.front().score.drop, 0.02) << "nothing to spare: the test says nothing";
  EXPECT_LE(result->trials.back().score.drop, 0.02);
  EXPECT_FALSE(result->mixed->wide.empty());
  EXPECT_LT(result->mixed->wide.size(), result->sensitivity.size());

  // The recipe says it all.
  const std::string text = quantize_recipe_text(result->recipe);
  const auto recipe = parse_quantize_recipe(text, "recipe.toml");
  ASSERT_TRUE(recipe.ok()) << recipe.error().message << "\n" << text;
  QuantizeRequest again;
  again.recipe = *recipe;
  again.judge_on = &example.evaluation;
  again.metric = "agreement";
  const auto replayed = quantize_model(example.model, example.calibration, again);
  ASSERT_TRUE(replayed.ok()) << replayed.error().message;
  EXPECT_EQ(replayed->trials.back().score.agreement, result->trials.back().score.agreement);
}

TEST(QuantizeModel, BadRecipesAreNamed) {
  EXPECT_FALSE(parse_quantize_recipe("schema_version = '2.0'", "r").ok());
  const auto type = parse_quantize_recipe("schema_version = '1.0'\ntype = 'int9'", "r.toml");
  ASSERT_FALSE(type.ok());
  EXPECT_NE(type.error().message.find("int9"), std::string::npos);
  const auto scope =
      parse_quantize_recipe("schema_version = '1.0'\n[[layer]]\ntype = 'float'", "r");
  ASSERT_FALSE(scope.ok());
  EXPECT_NE(scope.error().message.find("scope"), std::string::npos);
}

TEST(QuantizeModel, KeywordSpottingIsAsGoodAsItsPublishedInt8) {
  const fs::path models = shared_dir() / "models" / "mlperf_tiny";
  HONE_SKIP_WITHOUT(models);
  const Model model = open((models / "kws_fp32.tflite").string());
  const auto data = open_data_set(shared_dir() / "data" / "kws", model.graph);
  ASSERT_TRUE(data.ok());
  const auto result = quantize_model(model, *data, {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->calibrated_on, 100);
  EXPECT_EQ(result->judged_on, 900);
  const Model published = open((models / "kws_int8.tflite").string());
  std::vector<int64_t> judged;  // All but every tenth.
  for (int64_t i = 0; i < 1000; ++i) {
    if (i % 10 != 9) judged.push_back(i);
  }
  const auto judge = Judge::make(published.graph, data->pick(judged), "top1", "cpu");
  ASSERT_TRUE(judge.ok());
  const double accuracy = result->trials.back().score.metric;
  std::printf("float %.4f, Hone's int8 %.4f, the published int8 %.4f\n", result->reference,
              accuracy, judge->reference());
  EXPECT_LE(result->trials.back().score.drop, 0.005);
  EXPECT_GE(accuracy, judge->reference());
}

// The first output of every sample by ONNX Runtime; nothing where it is not installed.
std::optional<Tensor> by_onnx_runtime(const fs::path& model, const fs::path& inputs) {
  const fs::path peers = source_dir() / "build" / "peers";
  if (!fs::exists(peers / "node_modules" / "onnxruntime-node")) return std::nullopt;
  const fs::path outputs = fs::path(testing::TempDir()) / "ort_outputs.npy";
  fs::remove(outputs);
  const std::string command =
      str("cd '", peers.string(), "' && node '", (source_dir() / "tools/ort_outputs.mjs").string(),
          "' '", fs::absolute(model).string(), "' '", fs::absolute(inputs).string(), "' '",
          outputs.string(), "'");
  if (std::system(command.c_str()) != 0) return std::nullopt;
  auto read = read_npy(outputs);
  return read.ok() ? std::optional(*std::move(read)) : std::nullopt;
}

size_t largest(std::span<const float> values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

// On x86-64 without VNNI its products of int8 saturate, but for weights of 7 bits.
bool onnx_runtime_saturates() {
#if defined(__x86_64__)
  return (detected_cpu_features() & (kAvx512Vnni | kAvxVnni)) == 0;
#else
  return false;
#endif
}

TEST(QuantizeModel, OnnxRuntimeGivesTheSameAnswers) {
  if (!fs::exists(source_dir() / "build/peers/node_modules/onnxruntime-node")) {
    GTEST_SKIP() << "no onnxruntime-node in build/peers; scripts/bench-peers installs it";
  }
  const Example example;
  for (const char* type : {"int8", "uint8", "int16", "int4", "int8-weights"}) {
    QuantizeRequest request;
    request.recipe.plan.scheme = **scheme_named(type);
    request.recipe.plan.scheme.reduce_range =
        type == std::string("int8") && onnx_runtime_saturates();
    const auto result = quantize_model(example.model, example.calibration, request);
    ASSERT_TRUE(result.ok()) << result.error().message;
    const fs::path file = fs::path(testing::TempDir()) / "quantized.onnx";
    ASSERT_TRUE(save_onnx(result->graph, file).ok());
    const auto expected = by_onnx_runtime(file, example.folder / "eval" / "inputs.npy");
    ASSERT_TRUE(expected) << "ONNX Runtime refused the " << type << " model";
    const Model again = open(file.string());
    const auto program =
        (*find_target("cpu"))->open()->compile(std::move(*again.graph.clone()), {});
    ASSERT_TRUE(program.ok());
    const auto actual = predict(**program, again.graph, example.evaluation, 0);
    ASSERT_TRUE(actual.ok());
    const size_t classes = static_cast<size_t>(expected->elements() / example.evaluation.samples);
    int same = 0;
    for (size_t s = 0; s < actual->samples.size(); ++s) {
      const auto theirs = expected->data<float>().subspan(s * classes, classes);
      same += largest(actual->samples[s][0].data<float>()) == largest(theirs) ? 1 : 0;
    }
    const double agreement =
        static_cast<double>(same) / static_cast<double>(example.evaluation.samples);
    std::printf("%s: %.4f of %lld answers agree\n", type, agreement,
                static_cast<long long>(example.evaluation.samples));
    EXPECT_GE(agreement, 0.995) << type;
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// HONE_TIMED=1 holds the time; without it the test only runs it.
TEST(Calibration, CostsLittleMoreThanRunning) {
  const bool timed = std::getenv("HONE_TIMED") != nullptr;
  const int64_t count = timed ? 1000 : 8;
  Model model = open("zoo:mobilenet_v2");
  ASSERT_TRUE(prepare_for_quantization(model.graph).ok());
  const Tensor image = random_tensor(model.graph.inputs()[0]->type.tensor, 1);
  const SampleSource samples{count, [&](int64_t i) -> Result<std::vector<Item>> {
                               Tensor next = image;
                               next.mutable_data<float>()[0] = static_cast<float>(i);
                               return std::vector<Item>{Item(std::move(next))};
                             }};
  const auto program = (*find_target("cpu"))->open()->compile(std::move(*model.graph.clone()), {});
  ASSERT_TRUE(program.ok());
  const auto session = (*program)->open();
  std::vector<Item> outputs;
  const auto plain = [&] {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(session->run(*samples.sample(i), outputs).ok());
    return seconds_since(start);
  };
  plain();
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(calibrate(model.graph, samples, {.progress = false}).ok());
  const double calibrating = seconds_since(start);
  const double running = plain();
  std::printf("calibrating %.3f s, running %.3f s: %.2f times\n", calibrating, running,
              calibrating / running);
  if (timed) {
    EXPECT_LE(calibrating, running * 1.3);
  }
}

}  // namespace
}  // namespace hone
