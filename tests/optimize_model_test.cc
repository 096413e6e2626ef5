// `hone optimize` from end to end on a model with flaws that it can repair.

#include "hone/workbench/optimize_model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "hone/ops/interpreter.h"
#include "hone/tensor/compare.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/output_error.h"
#include "hone/workbench/same_interface.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

// Products and sums with constants, one behind the other: many passes over memory where two do.
Model flawed_model() {
  NetworkBuilder net("flawed", 1);
  Value* x = net.input("x", {1, 16, 64, 64});
  x = net.conv(x, {.channels = 32, .bias = true}, "conv");
  x = net.activation(x, Nonlinearity::Relu, "relu");
  for (int i = 0; i < 16; ++i) {
    x = net.apply(i % 2 == 0 ? "mul" : "add", {x, net.scalar(i % 2 == 0 ? 1.1f : -0.1f)},
                  str("scale", i));
  }
  Model model;
  model.name = "flawed";
  model.graph = net.finish(net.global_average_pool(x, "mean"), "y");
  return model;
}

class OptimizeModel : public testing::Test {
 protected:
  Result<Optimization> optimize(OptimizeOptions options) {
    static const Result<DeviceFile> roofs = host_roofs();
    EXPECT_TRUE(roofs.ok());
    ProfileRequest request;
    request.compile.threads = 1;
    request.roofs = &*roofs;
    request.inputs = *make_inputs(model_.graph, {}, 0);
    request.measure = {.stop = {.seconds = 0.2}, .counters = CounterSource::None};
    options.output = output_;
    return optimize_model(model_, request, options);
  }

  void TearDown() override { std::filesystem::remove(output_); }

  Model model_ = flawed_model();
  std::string output_ = str(testing::TempDir(), "hone_optimize_", getpid(), ".onnx");
};

const LedgerEntry* entry_of(const Optimization& result, std::string_view remedy) {
  for (const LedgerEntry& entry : result.ledger) {
    if (entry.remedy.starts_with(remedy)) return &entry;
  }
  return nullptr;
}

TEST_F(OptimizeModel, KeepsWhatProvesItselfAndSaysSo) {
  const Result<Optimization> result = optimize({.max_error = 1e-4, .compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const LedgerEntry* scaled = entry_of(*result, "merge_scales");
  ASSERT_NE(scaled, nullptr);
  EXPECT_EQ(scaled->rule, "elementwise_chain");
  EXPECT_TRUE(scaled->kept) << scaled->why;
  EXPECT_GT(scaled->predicted_ms, 0);
  EXPECT_GT(scaled->obtained_ms, 0);
  EXPECT_LT(result->compared.ms_b, result->compared.ms_a);
  for (const LedgerEntry& entry : result->ledger) EXPECT_FALSE(entry.title.empty());
  for (const LedgerEntry& entry : result->ledger) {
    // Sixteen bits move the results by more than a ten-thousandth.
    if (entry.remedy.starts_with("use_precision")) {
      EXPECT_FALSE(entry.kept) << entry.why;
    }
  }
  EXPECT_EQ(model_.graph.node_count(), flawed_model().graph.node_count());
}

TEST_F(OptimizeModel, RecipeReadsBackAndDoesTheSameAgain) {
  const Result<Optimization> result = optimize({.max_error = 1e-4, .compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const std::string text = recipe_text(result->recipe);
  const Result<Recipe> recipe = parse_recipe(text, "recipe.toml");
  ASSERT_TRUE(recipe.ok()) << recipe.error().message;
  EXPECT_EQ(recipe_text(*recipe), text);
  Model again = flawed_model();
  const Result<Replay> replay = apply_recipe(*recipe, again.graph);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_TRUE(replay->unused.empty());
  // The file was read from what had been written: its outputs are those of the recipe.
  const Result<Model> written = open_model(output_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto inputs = make_inputs(again.graph, {}, 0);
  const auto expected = run_graph(again.graph, *inputs);
  const auto actual = run_graph(written->graph, *inputs);
  ASSERT_TRUE(expected.ok() && actual.ok());
  EXPECT_TRUE(all_close((*actual)[0].tensor, (*expected)[0].tensor, 1e-5, 1e-5));
}

// What is said of the result holds for the file, as a stranger finds it.
TEST_F(OptimizeModel, TheFileGivesWhatIsSaidOfIt) {
  const Result<Optimization> result = optimize({.compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_TRUE(result->written);
  Result<Model> written = open_model(output_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto inputs = make_inputs(model_.graph, {}, 0);
  const auto given = (*find_target("cpu"))->open()->compile(std::move(*model_.graph.clone()), {});
  const auto file =
      (*find_target("cpu"))->open()->compile(std::move(written->graph), result->recipe.options);
  const OutputSets expected{*(*given)->run(*inputs)}, actual{*(*file)->run(*inputs)};
  EXPECT_LE(output_error(actual, expected), 1.01 * result->error + 1e-6);
}

// Integers under floats round away what floats keep: as ONNX the outputs are others, and without
// leave to change them no file is written.
TEST_F(OptimizeModel, WritesNoFileWithOtherResults) {
  Result<Graph> graph = parse_graph(R"(graph(%x: f32[1,8,8,3]) -> (%y) {
    %y: f32[1,8,8,2] = conv(%x, i8[2,1,1,3]<0.5:0>{1 2 -3 4 5 -6}) layout="nhwc"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  model_.graph = *std::move(graph);
  const Result<Optimization> result = optimize({.max_error = 1e-6, .compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->written);
  EXPECT_FALSE(std::filesystem::exists(output_));
  EXPECT_FALSE(entry_of(*result, "write_onnx")->kept);
  EXPECT_EQ(result->error, 0);
}

// Its file gives the same steps, so that there is nothing to measure, whatever else a machine does.
TEST_F(OptimizeModel, AFileThatRunsAlikeIsNotMeasured) {
  NetworkBuilder net("alike", 1);
  Value* x = net.input("x", {1, 16, 16, 16});
  x = net.conv_bn(x, {.channels = 32}, Nonlinearity::Relu, "conv");
  model_.graph = net.finish(net.global_average_pool(x, "mean"), "y");
  const Result<Optimization> result = optimize({.compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const LedgerEntry* file = entry_of(*result, "write_onnx");
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(file->kept);
  EXPECT_EQ(file->obtained_ms, 0);
  EXPECT_TRUE(file->why.starts_with("same, each step runs as it did; ")) << file->why;
}

// Where ONNX's rounding gives the same within the limit, TFLite's is not asked for.
TEST_F(OptimizeModel, WritesAFileInOneWay) {
  Result<Graph> graph = parse_graph(R"(graph(%x: i8[1,8,8,3]<0.5:0>) -> (%y) {
    %y: i8[1,8,8,2]<0.5:0> = conv(%x, i8[2,1,1,3]<0.5:0>{1 2 -3 4 5 -6}) layout="nhwc"
  })");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(infer_types(*graph).ok());
  model_.graph = *std::move(graph);
  // Whatever the speed on a busy machine: 90 % would have to be lost.
  const Result<Optimization> result =
      optimize({.least_part = 0.9, .max_error = 1, .compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->written);
  EXPECT_TRUE(result->recipe.options.qdq_rounds_once);
  EXPECT_EQ(std::ranges::count_if(
                result->ledger, [](const LedgerEntry& e) { return e.remedy.starts_with("write"); }),
            1);
}

// Bytes of another type at the entry, uint8 weights with a zero point, a softmax at the end:
// written as ONNX they are Q/DQ pairs, out of which a device's integers are made again.
TEST_F(OptimizeModel, AQuantizedFileIsAsFastAsTheModelWasAndIsCalledTheSame) {
  constexpr const char* kModels[] = {
      R"(graph(%x: u8[1,16,16,3]<0.5:128>) -> (%y) {
        %i: i8[1,16,16,3]<0.5:0> = requantize(%x)
        %c: i8[1,16,16,2]<0.25:3> = conv(%i, i8[2,1,1,3]<0.5:0>{1 2 -3 4 5 -6}) layout="nhwc"
        %y: i8[1,16,16,2]<0.00390625:-128> = softmax(%c) axis=3
      })",
      R"(graph(%x: u8[1,16,16,3]<0.5:3>) -> (%y) {
        %c: u8[1,16,16,2]<2:3> = conv(%x, u8[2,1,1,3]<0.5:120>{1 2 130 4 5 160}) layout="nhwc"
        %y: u8[1,16,16,2]<0.00390625:0> = softmax(%c) axis=3
      })"};
  for (const char* text : kModels) {
    Result<Graph> graph = parse_graph(text);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    ASSERT_TRUE(infer_types(*graph).ok());
    model_.graph = *std::move(graph);
    ProfileRequest request;
    request.target = "npu";
    request.inputs = *make_inputs(model_.graph, {}, 0);
    const Result<Optimization> result = optimize_model(model_, request, {.output = output_});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(result->written) << result->ledger[0].why;
    EXPECT_EQ(result->compared.ms_b, result->compared.ms_a);
    const Result<Model> written = open_model(output_);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(str(written->graph.inputs()[0]->type.tensor), "u8[1,16,16,3]");
    EXPECT_EQ(written->graph.outputs()[0]->type.tensor.dtype,
              model_.graph.outputs()[0]->type.tensor.dtype);
  }
}

// A model whose file has float images, channels first, and a device that would convert them.
class OptimizeInterface : public testing::Test {
 protected:
  static Model open() { return *open_model("zoo:mobilenet_v1_025:int8"); }

  Result<Optimization> optimize(bool change_io) {
    ProfileRequest request;
    request.target = "ethos-u55-128";
    request.inputs = *make_inputs(model_.graph, {}, 0);
    return optimize_model(model_, request, {.change_io = change_io, .output = output_});
  }

  void TearDown() override { std::filesystem::remove(output_); }

  Model model_ = open();
  std::string output_ = str(testing::TempDir(), "hone_interface_", getpid(), ".onnx");
};

TEST_F(OptimizeInterface, StaysWithoutLeave) {
  const Result<Optimization> result = optimize(false);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const LedgerEntry* offered = entry_of(*result, "use_integer_io");
  ASSERT_NE(offered, nullptr);
  EXPECT_FALSE(offered->tried || offered->kept);
  EXPECT_GT(offered->predicted_ms, 0);
  EXPECT_EQ(offered->hint.kind, HintKind::ChangedInterface);
  EXPECT_EQ(entry_of(*result, "use_channels_last"), nullptr) << "one row for one finding";
  EXPECT_TRUE(result->io.empty());
  const Result<Model> written = open_model(output_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(written->graph.inputs()[0]->type.tensor, model_.graph.inputs()[0]->type.tensor);
}

TEST_F(OptimizeInterface, ChangesWithLeaveAndGivesTheSameResults) {
  const Result<Optimization> result = optimize(true);
  ASSERT_TRUE(result.ok()) << result.error().message;
  for (const char* remedy : {"use_integer_io", "use_channels_last"}) {
    const LedgerEntry* entry = entry_of(*result, remedy);
    ASSERT_NE(entry, nullptr) << remedy;
    EXPECT_TRUE(entry->kept) << entry->why;
    EXPECT_NEAR(entry->obtained_ms, entry->predicted_ms, 0.3 * entry->predicted_ms);
  }
  EXPECT_EQ(result->error, 0);
  EXPECT_EQ(result->io.channels_last, std::vector<size_t>{0});
  const Result<Model> written = open_model(output_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(str(written->graph.inputs()[0]->type.tensor), "i8[1,224,224,3]");

  // As whoever has the file runs it.
  const std::vector<Item> inputs = *make_inputs(model_.graph, {}, 5);
  const auto expected = run_graph(model_.graph, inputs);
  auto actual = run_graph(written->graph, as_taken(result->io, inputs));
  ASSERT_TRUE(expected.ok() && actual.ok());
  EXPECT_EQ(output_error({as_given(result->io, *std::move(actual))}, {*expected}), 0);

  Model again = open();
  const Result<Replay> replay = apply_recipe(result->recipe, again.graph);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  EXPECT_TRUE(replay->unused.empty());
  EXPECT_EQ(replay->io.channels_last, result->io.channels_last);
  EXPECT_EQ(print(again.graph), print(written->graph));
}

// Labels decide about a model that is called otherwise as they do about the one it was.
TEST_F(OptimizeInterface, IsJudgedAsTheModelWas) {
  const Shape& shape = model_.graph.inputs()[0]->type.tensor.shape;
  const Result<DataSet> data =
      data_set_of(Tensor(TensorType{DType::F32, {2, shape[1], shape[2], shape[3]}}), model_.graph);
  ASSERT_TRUE(data.ok()) << data.error().message;
  ProfileRequest request;
  request.target = "ethos-u55-128";
  request.inputs = *make_inputs(model_.graph, {}, 0);
  OptimizeOptions options{.change_io = true, .output = output_};
  options.data = OptimizeData{.calibrate_on = &*data, .metric = "fidelity", .max_drop = {}};
  const Result<Optimization> result = optimize_model(model_, request, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_FALSE(result->io.empty());
  EXPECT_EQ(result->metric_after, result->metric_before);
}

// Float models with data.
class OptimizeToInt8 : public testing::Test {
 protected:
  static Model open() {
    NetworkBuilder net("float", 1);
    Value* x = net.input("x", {1, 16, 32, 32});
    x = net.conv(x, {.channels = 64, .bias = true}, "conv");
    x = net.conv(x, {.channels = 64, .bias = true}, "conv_1");
    Model model;
    model.name = "float";
    model.graph = net.finish(net.global_average_pool(x, "mean"), "y");
    return model;
  }

  Result<Optimization> optimize(std::optional<DropLimit> max_drop) {
    ProfileRequest request;
    request.target = "npu";
    request.inputs = *make_inputs(model_.graph, {}, 0);
    OptimizeOptions options{.max_error = 1, .output = output_};
    if (max_drop) {
      options.data =
          OptimizeData{.calibrate_on = &data_, .metric = "fidelity", .max_drop = *max_drop};
    }
    return optimize_model(model_, request, options);
  }

  void TearDown() override { std::filesystem::remove(output_); }

  Model model_ = open();
  DataSet data_ =
      *data_set_of(random_tensor(TensorType{DType::F32, {4, 16, 32, 32}}, 1), model_.graph);
  std::string output_ = str(testing::TempDir(), "hone_to_int8_", getpid(), ".onnx");
};

// A limit that no integers hold spares every layer: what is left is no int8 to keep.
TEST_F(OptimizeToInt8, IsRefusedWhereNoLayerIsLeft) {
  const Result<Optimization> result = optimize(DropLimit{0, false, "0"});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const LedgerEntry* entry = entry_of(*result, "quantize_int8");
  ASSERT_NE(entry, nullptr);
  EXPECT_FALSE(entry->tried || entry->kept);
  EXPECT_EQ(entry->why, "no layer can be quantized within the limit");
  EXPECT_TRUE(std::ranges::none_of(result->recipe.entries, [](const Recipe::Entry& done) {
    return done.remedy == "quantize_int8";
  }));
}

TEST_F(OptimizeToInt8, ARecipeDoesItAgainWithData) {
  const Result<Optimization> result = optimize(DropLimit{0.1, false, "0.1"});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_TRUE(entry_of(*result, "quantize_int8")->kept) << entry_of(*result, "quantize_int8")->why;
  Model again = open();
  const OptimizeData data{
      .calibrate_on = &data_, .metric = "fidelity", .max_drop = DropLimit{0.1, false, "0.1"}};
  const Result<Replay> replay = apply_recipe(result->recipe, again.graph, data);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const Result<Model> written = open_model(output_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(print(again.graph), print(written->graph));

  Model without = open();
  const Result<Replay> refused = apply_recipe(result->recipe, without.graph);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "remedy quantize_int8: needs samples");
}

// An NPU's finding about what its host computes says what int8 would gain.
TEST_F(OptimizeToInt8, TakesThePredictionOfTheDevicesFinding) {
  const Result<Optimization> result = optimize(DropLimit{0.1, false, "0.1"});
  ASSERT_TRUE(result.ok()) << result.error().message;
  const LedgerEntry* entry = entry_of(*result, "quantize_int8");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->rule, "npu_fallback");
  EXPECT_GT(entry->predicted_ms, 0);
  EXPECT_FALSE(result->untried_int8);

  const Result<Optimization> without = optimize({});
  ASSERT_TRUE(without.ok()) << without.error().message;
  EXPECT_EQ(entry_of(*without, "quantize_int8"), nullptr);
  ASSERT_TRUE(without->untried_int8);
  EXPECT_EQ(without->untried_int8->value, entry->predicted_ms);
}

TEST_F(OptimizeToInt8, SaysThatAMetricStays) {
  const Result<Optimization> result = optimize(DropLimit{0.1, false, "0.1"});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(entry_of(*result, "write_onnx")->why.ends_with("fidelity stays"))
      << entry_of(*result, "write_onnx")->why;
}

// What is quantized already is no row, with data or without.
TEST_F(OptimizeToInt8, IsNotTriedTwice) {
  const Result<Optimization> first = optimize(DropLimit{0.1, false, "0.1"});
  ASSERT_TRUE(first.ok()) << first.error().message;
  model_ = *open_model(output_);
  for (const std::optional<DropLimit>& limit :
       {std::optional<DropLimit>(), std::optional(DropLimit{0.1, false, "0.1"})}) {
    const Result<Optimization> result = optimize(limit);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(entry_of(*result, "quantize_int8"), nullptr);
    EXPECT_FALSE(result->untried_int8);
  }
}

TEST(Recipe, BadOnesAreRefusedInOneLine) {
  const auto message = [](const char* text) {
    const Result<Recipe> recipe = parse_recipe(text, "r.toml");
    return recipe.ok() ? std::string("read") : recipe.error().message;
  };
  EXPECT_EQ(message("schema_version = '2.0'"),
            "r.toml: line 1: schema_version: expected '1.x', found a text, '2.0'");
  EXPECT_EQ(
      message("schema_version = '1.0'\nprecision = 'fp8'"),
      "r.toml: line 2: precision: expected one of fp32, tf32, fp16, bf16, found a text, 'fp8'");
  EXPECT_EQ(message("schema_version = '1.0'\n[[remedy]]\nname = 'magic'"),
            "r.toml: line 3: remedy[0].name: no remedy 'magic'");
  EXPECT_NE(message("schema_version = '1.0'\ntarget = 'abacus'")
                .find("r.toml: line 2: target: no target 'abacus'"),
            std::string::npos);
  EXPECT_NE(message("schema_version = '1.0'\nthreads = 'many'").find("line 2: threads"),
            std::string::npos);
  EXPECT_EQ(message("schema_version = '1.0'\nset_threads = 'many'"),
            "r.toml: line 2: set_threads: no such key");
  std::string deep = "a";
  for (int i = 0; i < 50'000; ++i) deep += ".a";
  EXPECT_EQ(message((deep + " = 1").c_str()), "r.toml: line 1: a key of more than 16 parts");
  EXPECT_NE(message("schema_version = ").find("line 1"), std::string::npos);
}

TEST(Recipe, SettingsOfRemediesAreChecked) {
  for (const char* remedy : {"set_threads", "use_precision"}) {
    Recipe recipe;
    recipe.entries = {{remedy, "many"}};
    Graph graph;
    const Result<Replay> replay = apply_recipe(recipe, graph);
    ASSERT_FALSE(replay.ok());
    EXPECT_NE(replay.error().message.find(str("remedy ", remedy, ": setting is 'many', expected")),
              std::string::npos)
        << replay.error().message;
  }
}

}  // namespace
}  // namespace hone
