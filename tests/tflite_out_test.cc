// What is written as .tflite and read again computes what the network computed before.

#include <gtest/gtest.h>

#include <set>

#include "hone/model/save_tflite.h"
#include "hone/ops/infer_types.h"
#include "hone/ops/interpreter.h"
#include "hone/ops/op_case.h"
#include "hone/targets/common/prepare_graph.h"
#include "hone/tensor/compare.h"
#include "hone/validate/value_match.h"
#include "hone/wire/tflite_write.h"
#include "hone/workbench/full_integers.h"
#include "hone/workbench/workbench.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

SharedBytes shared_bytes(std::string text) {
  auto bytes = std::make_shared<std::string>(std::move(text));
  const auto* start = reinterpret_cast<const std::byte*>(bytes->data());
  return {bytes, {start, bytes->size()}};
}

Result<Model> written_and_read(const Graph& graph) {
  HONE_TRY(const TfliteModel file, export_tflite(graph));
  HONE_TRY(std::string bytes, write_tflite_bytes(file));
  HONE_TRY(const TfliteModel again, read_tflite_bytes(shared_bytes(std::move(bytes))));
  return import_tflite(again);
}

std::vector<Item> reference_outputs(const Graph& graph, const std::vector<Item>& inputs,
                                    Rounding rounding) {
  auto outputs = run_graph(graph, inputs, {.eval = {.rounding = rounding}, .after_node = nullptr});
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
  return outputs.ok() ? *std::move(outputs) : std::vector<Item>();
}

// Integers are equal; floats may be summed in another order.
void expect_equal(const std::vector<Item>& actual, const std::vector<Item>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    ASSERT_TRUE(difference.comparable) << difference.what;
    const bool floats = kFloat.contains(expected[i].tensor.dtype());
    const double allowed = floats ? 1e-5 * std::max(1.0, difference.max_magnitude) : 0;
    EXPECT_LE(difference.max_abs, allowed) << "output " << i;
  }
}

// The cases of every operator: written or refused, but never something else.
TEST(TfliteOut, ComputesWhatEveryOperatorComputes) {
  int written = 0;
  for (const OpDef* op : all_ops()) {
    for (const std::string_view text : op->cases) {
      SCOPED_TRACE(str(op->name, text));
      const Result<Graph> graph = graph_of_case(op->name, text);
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      const Result<Model> again = written_and_read(*graph);
      if (!again.ok()) {
        EXPECT_EQ(again.error().kind, ErrorKind::Unsupported) << again.error().message;
        continue;
      }
      if (!again->unsupported.empty()) {
        ADD_FAILURE() << again->unsupported[0].reason;
        continue;
      }
      const auto inputs = make_inputs(*graph, {}, 1);
      ASSERT_TRUE(inputs.ok()) << inputs.error().message;
      expect_equal(reference_outputs(again->graph, *inputs, Rounding::Double),
                   reference_outputs(*graph, *inputs, Rounding::Double));
      ++written;
    }
  }
  EXPECT_GT(written, 100);
}

class TfliteRoundTrip : public testing::TestWithParam<const char*> {};

void expect_same_interface(std::span<Value* const> a, std::span<Value* const> b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i]->name, b[i]->name);
    EXPECT_EQ(text_of(a[i]->type.tensor), text_of(b[i]->type.tensor));
    ASSERT_EQ(a[i]->type.tensor.quantized(), b[i]->type.tensor.quantized());
    if (a[i]->type.tensor.quantized()) {
      EXPECT_EQ(*a[i]->type.tensor.quant, *b[i]->type.tensor.quant);
    }
  }
}

// The operators of a file with their versions, each kind once.
std::set<std::string> kinds_of(const TfliteModel& model) {
  std::set<std::string> kinds;
  for (const TfliteOp& op : model.subgraphs[0].ops) kinds.insert(str(op.name, ":", op.version));
  return kinds;
}

// TFLite's own converter wrote most of them; one has a float product at the version of hybrid ones,
// and one has operators of its own.
TEST_P(TfliteRoundTrip, KeepsOperatorsAndTheirVersions) {
  const std::string_view name = GetParam();
  if (name.ends_with("kws_fp32.tflite") || name.starts_with("selfie")) return;
  const std::filesystem::path path = shared_dir() / "models" / GetParam();
  HONE_SKIP_WITHOUT(path);
  const auto file = read_tflite(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto model = import_tflite(*file);
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto written = export_tflite(model->graph);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(kinds_of(*written), kinds_of(*file));
}

TEST_P(TfliteRoundTrip, GivesTheSameIntegers) {
  const std::filesystem::path path = shared_dir() / "models" / GetParam();
  HONE_SKIP_WITHOUT(path);
  const auto model = open_model(path.string());
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto again = written_and_read(model->graph);
  ASSERT_TRUE(again.ok()) << again.error().message;
  expect_same_interface(model->graph.inputs(), again->graph.inputs());
  expect_same_interface(model->graph.outputs(), again->graph.outputs());
  EXPECT_EQ(again->graph.node_count(), model->graph.node_count());
  for (const uint64_t seed : {uint64_t{1}, uint64_t{2}}) {
    const auto inputs = make_inputs(model->graph, {}, seed);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    expect_equal(reference_outputs(again->graph, *inputs, Rounding::Double),
                 reference_outputs(model->graph, *inputs, Rounding::Double));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shared, TfliteRoundTrip,
    testing::Values("mlperf_tiny/ad_fp32.tflite", "mlperf_tiny/ad_int8.tflite",
                    "mlperf_tiny/ic_fp32.tflite", "mlperf_tiny/ic_int8.tflite",
                    "mlperf_tiny/kws_fp32.tflite", "mlperf_tiny/kws_int8.tflite",
                    "mlperf_tiny/vww_fp32.tflite", "mlperf_tiny/vww_int8.tflite",
                    "coral/mobilenet_v1_025_128_uint8.tflite", "coral/mobilenet_v2_ptq_int8.tflite",
                    "coral/mobilenet_v2_uint8.tflite", "selfie_segmentation_fp16w.tflite"),
    [](const auto& model) { return std::filesystem::path(model.param).stem().string(); });

// What the references give for pairs as engines make integers of them, which round once.
std::vector<Item> integers_of_pairs(const Graph& graph, const std::vector<Item>& inputs) {
  const std::unique_ptr<Graph> fused = graph.clone();
  const auto options = prepare_graph(*fused, {});
  EXPECT_TRUE(options.ok()) << options.error().message;
  return reference_outputs(*fused, inputs, options->eval.rounding);
}

struct OfPairs {
  const char* network;
  double apart;  // Of the largest output: 0 where every layer has the same arithmetic.
};

class TfliteOfPairs : public testing::TestWithParam<OfPairs> {};

TEST_P(TfliteOfPairs, ComputesWhatThePairsCompute) {
  const auto model = open_model(str("zoo:", GetParam().network, ":int8"));
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto again = written_and_read(model->graph);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const auto inputs = make_inputs(model->graph, {}, 3);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto expected = integers_of_pairs(model->graph, *inputs);
  const auto actual = reference_outputs(again->graph, *inputs, Rounding::Single);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const Difference difference = compare(actual[i].tensor, expected[i].tensor);
    ASSERT_TRUE(difference.comparable) << difference.what;
    EXPECT_LE(difference.max_abs, GetParam().apart * difference.max_magnitude);
  }
}

// The last two have a softmax, and a hard_swish and hard_sigmoid, of integers.
INSTANTIATE_TEST_SUITE_P(Zoo, TfliteOfPairs,
                         testing::Values(OfPairs{"autoencoder", 0}, OfPairs{"micronet_kws_m", 0},
                                         OfPairs{"mobilenet_v2_035", 0},
                                         OfPairs{"ds_cnn_kws", 0.01},
                                         OfPairs{"mobilenet_v3_small", 0.05}),
                         [](const auto& each) { return std::string(each.param.network); });

// Integers from input to output, channels last: nothing that a microcontroller's or an NPU's tools
// would leave to somebody else.
TEST(TfliteOut, HasIntegersThroughout) {
  auto model = open_model("zoo:mobilenet_v3_small:int8", {.shapes = {{"input", {1, 3, 64, 64}}}});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const IoChange io = use_full_integers(model->graph);
  EXPECT_EQ(io.integers.inputs.size(), 1u);
  EXPECT_EQ(io.integers.outputs.size(), 1u);
  EXPECT_EQ(io.channels_last.size(), 1u);
  const auto file = export_tflite(model->graph);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const TfliteSubgraph& main = file->subgraphs[0];
  EXPECT_EQ(main.tensors[static_cast<size_t>(main.inputs[0])].type.shape, (Shape{1, 64, 64, 3}));
  for (const TfliteOp& op : main.ops) {
    for (const int output : op.outputs) {
      const TensorType& type = main.tensors[static_cast<size_t>(output)].type;
      EXPECT_EQ(type.dtype, DType::I8) << op.name;
      EXPECT_TRUE(type.quantized()) << op.name;
    }
    for (const char* word : {"TRANSPOSE", "QUANTIZE", "DEQUANTIZE"}) EXPECT_NE(op.name, word);
  }
}

// Devices compute of the file what the references compute of it.
TEST(TfliteOut, RunsOnDevicesOfIntegers) {
  auto model = open_model("zoo:ds_cnn_kws:int8");
  ASSERT_TRUE(model.ok()) << model.error().message;
  use_full_integers(model->graph);
  const auto file = written_and_read(model->graph);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto inputs = make_inputs(file->graph, {}, 5);
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const auto expected = reference_outputs(file->graph, *inputs, Rounding::Double);
  for (const char* device : {"cpu", "npu", "ethos-u55-128", "edge-tpu-usb"}) {
    SCOPED_TRACE(device);
    const auto target = find_target(device);
    ASSERT_TRUE(target.ok()) << target.error().message;
    const auto program = (*target)->open()->compile(std::move(*file->graph.clone()), {});
    ASSERT_TRUE(program.ok()) << program.error().message;
    const auto outputs = (*program)->run(*inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message;
    expect_equal(*outputs, expected);
  }
}

// What compares the file with the floats it was made of finds its layers by their names.
TEST(TfliteOut, LayersKeepTheirNames) {
  for (const char* network : {"zoo:mobilenet_v2_035", "zoo:ds_cnn_kws"}) {
    SCOPED_TRACE(network);
    auto integers = open_model(str(network, ":int8"));
    ASSERT_TRUE(integers.ok()) << integers.error().message;
    use_full_integers(integers->graph);
    const auto file = written_and_read(integers->graph);
    ASSERT_TRUE(file.ok()) << file.error().message;
    const auto floats = open_model(network);
    ASSERT_TRUE(floats.ok()) << floats.error().message;
    std::set<const Node*> found;
    for (const ValueMatch& match : match_values(file->graph, floats->graph))
      found.insert(match.node);
    for (const Node* node : file->graph.nodes()) {
      if (node->op == "pad" || node->op == "reshape") continue;
      EXPECT_TRUE(found.contains(node)) << node->name;
    }
  }
}

// Readers of TFLite before 2024 take no scales per channel for FULLY_CONNECTED.
TEST(TfliteOut, GivesDenseLayersOneScale) {
  const auto model = open_model("zoo:ds_cnn_kws");
  ASSERT_TRUE(model.ok()) << model.error().message;
  QuantizePlan plan;
  plan.rules.push_back({"mine", std::nullopt});
  const std::vector<std::string> layers = give_dense_one_scale(plan, model->graph);
  ASSERT_EQ(layers.size(), 1u);
  ASSERT_EQ(plan.rules.size(), 2u);
  EXPECT_EQ(plan.rules[0].scope, exactly(layers[0]));
  EXPECT_FALSE(plan.rules[0].scheme->per_channel);
  EXPECT_EQ(plan.rules[1].scope, "mine");
  plan.scheme.per_channel = false;
  EXPECT_TRUE(give_dense_one_scale(plan, model->graph).empty());
}

}  // namespace
}  // namespace hone
