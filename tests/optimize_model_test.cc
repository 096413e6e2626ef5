// `hone optimize` from end to end on a model with flaws that it can repair.

#include "hone/workbench/optimize_model.h"

#include <gtest/gtest.h>

#include "hone/tensor/compare.h"
#include "hone/workbench/host_roofs.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

// The batch norm runs through the reference, which any kernel beats by far.
Model flawed_model() {
  NetworkBuilder net("flawed", 1);
  Value* x = net.input("x", {1, 16, 64, 64});
  x = net.conv(x, {.channels = 32, .bias = true}, "conv");
  x = net.activation(x, Nonlinearity::Relu, "relu");
  x = net.batch_norm(x, "norm");
  Model model;
  model.name = "flawed";
  model.graph = net.finish(net.global_average_pool(x, "mean"), "y");
  return model;
}

class OptimizeModel : public testing::Test {
 protected:
  Result<Optimization> optimize(const OptimizeOptions& options) {
    static const Result<DeviceFile> roofs = host_roofs();
    EXPECT_TRUE(roofs.ok());
    ProfileRequest request;
    request.compile.threads = 1;
    request.roofs = &*roofs;
    request.inputs = *make_inputs(model_.graph, {}, 0);
    request.measure = {.stop = {.seconds = 0.2}, .counters = CounterSource::None};
    return optimize_model(model_, request, options);
  }

  Model model_ = flawed_model();
};

TEST_F(OptimizeModel, KeepsWhatProvesItselfAndSaysSo) {
  const Result<Optimization> result = optimize({.max_error = 1e-4, .compare_seconds = 0.1});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_FALSE(result->ledger.empty());
  const LedgerEntry& first = result->ledger[0];
  EXPECT_EQ(first.rule, "batch_norm_left");
  EXPECT_EQ(first.remedy, "scale_for_batch_norm");
  EXPECT_TRUE(first.kept) << first.why;
  EXPECT_GT(first.predicted_ms, 0);
  EXPECT_GT(first.obtained_ms, 0);
  EXPECT_LT(median_ms(result->after), median_ms(result->before));
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
  const Result<std::vector<std::string>> unused = apply_recipe(*recipe, again.graph);
  ASSERT_TRUE(unused.ok()) << unused.error().message;
  EXPECT_TRUE(unused->empty());
  EXPECT_EQ(print(again.graph), print(result->graph));
}

TEST(Recipe, BadOnesAreRefusedInOneLine) {
  const auto message = [](const char* text) {
    const Result<Recipe> recipe = parse_recipe(text, "r.toml");
    return recipe.ok() ? std::string("read") : recipe.error().message;
  };
  EXPECT_EQ(message("schema_version = '2.0'"),
            "r.toml: line 1: schema_version: expected '1.x', found a text, '2.0'");
  EXPECT_EQ(message("schema_version = '1.0'\nprecision = 'fp8'"),
            "r.toml: line 2: precision: expected one of fp32, fp16, bf16, found a text, 'fp8'");
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
    const auto unused = apply_recipe(recipe, graph);
    ASSERT_FALSE(unused.ok());
    EXPECT_NE(unused.error().message.find(str("remedy ", remedy, ": setting is 'many', expected")),
              std::string::npos)
        << unused.error().message;
  }
}

}  // namespace
}  // namespace hone
