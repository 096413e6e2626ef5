// What commands say of results that are no profiles.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/fit_verdict.h"
#include "hone/report/results/bench_run.h"
#include "hone/report/results/changed_io.h"
#include "hone/report/results/compiled_function.h"
#include "hone/report/results/conformance_json.h"
#include "hone/report/results/conversion.h"
#include "hone/report/results/fit_json.h"
#include "hone/report/results/inspection.h"
#include "hone/report/results/model_run.h"
#include "hone/report/results/speech_features.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Metric latency(Mode mode) {
  return {.name = "latency", .value = 2, .unit = "ms", .mode = mode, .n = 10, .low = 1, .high = 4};
}

BenchRun bench(Mode mode) {
  BenchRun run{.target = "cpu", .mode = mode, .threads = 3};
  run.networks.push_back(
      {.model = "a",
       .result = BenchResult{
           .latency = latency(mode), .precision = "fp32", .gmacs = 0.5, .arena_bytes = 2048}});
  run.networks.push_back({.model = "b", .error = bad_input("no such file")});
  return run;
}

TEST(BenchRun, OfRunsHasTheShortestAndTheLongest) {
  EXPECT_EQ(document_text(document_of(bench(Mode::Measured))),
            "target cpu, threads 3, batch 1, measured; GOP/s counts two operations per "
            "multiply-accumulate, in the median run\n"
            "network  type  min ms  median ms  max ms  runs  GOP/s     arena\n"
            "-------  ----  ------  ---------  ------  ----  -----  --------\n"
            "a        fp32   1.000      2.000   4.000    10  500.0  2.00 KiB\n"
            "unsteady: the median of a is 2.0 times its shortest run\n"
            "failed: b: no such file\n");
}

TEST(BenchRun, OfAModelHasItsInterval) {
  EXPECT_EQ(document_text(document_of(bench(Mode::Predicted))),
            "target cpu, batch 1, predicted; GOP/s counts two operations per "
            "multiply-accumulate\n"
            "network  type     ms   from     to  GOP/s     arena\n"
            "-------  ----  -----  -----  -----  -----  --------\n"
            "a        fp32  2.000  1.000  4.000  500.0  2.00 KiB\n"
            "failed: b: no such file\n");
}

TEST(BenchRun, NamesWhatRanThroughReferences) {
  BenchRun run = bench(Mode::Measured);
  run.networks[0].result->reference_ops = {"cum_sum", "top_k"};
  run.networks[0].result->plain_kernels = {"depthwise_i8"};
  run.networks[0].result->latency.low = 1.9;
  EXPECT_TRUE(document_text(document_of(run))
                  .ends_with("2.00 KiB\nreferences: no kernel takes cum_sum, top_k of a\n"
                             "plain kernels: the CPU has, or is left, no features for faster "
                             "depthwise_i8 of a\nfailed: "
                             "b: no such file\n"));
}

TEST(BenchRun, NamesWhatFailedOnce) {
  EXPECT_EQ(failure_of({.model = "b", .error = bad_input("b: is empty")}), "b: is empty");
  const Json json = bench_to_json(bench(Mode::Measured))["networks"];
  EXPECT_EQ(json[0]["gops_per_second"], 500.0);
  EXPECT_EQ(json[1], (Json{{"model", "b"}, {"error", "no such file"}}));
}

TEST(BenchRun, ComesBackFromItsFile) {
  BenchRun run = bench(Mode::Measured);
  run.machine = "Neoverse-V1, 3 threads";
  run.networks[0].result->median_low = 1.75;
  run.networks[0].result->median_high = 2.5;
  const Result<BenchRun> back = bench_from_json(bench_to_json(run));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_TRUE(
      document_text(document_of(*back))
          .starts_with("target cpu, threads 3, batch 1, measured on Neoverse-V1, 3 threads; "));
  EXPECT_EQ(document_text(document_of(*back)), document_text(document_of(run)));
  EXPECT_EQ(bench_to_json(*back), bench_to_json(run));
  EXPECT_EQ(certain_range(*back->networks[0].result)->high_ms, 2.5);
  EXPECT_EQ(bench_from_json({{"networks", 3}}).error().message,
            "results.networks is number, expected a list");
}

Inspection inspected() {
  Inspection inspection{
      .model = "net.onnx",
      .inputs = {{.name = "x", .type = "f32", .shape = {1, 4}, .text = "f32[1,4]"}},
      .parameters = 8,
      .macs = 8,
      .flops = 16,
      .weight_bytes = 32,
      .ops = {{"gemm", 1}, {"relu", 1}}};
  inspection.layers = {{.name = "fc", .op = "gemm", .parameters = 8, .macs = 8, .flops = 16},
                       {.name = "act", .op = "relu", .reads = {0}}};
  inspection.targets = {{"cpu", {}}, {"npu", {{"act", "relu", "no such thing", {}}}}};
  inspection.references = References{};
  return inspection;
}

TEST(Inspection, ComesBackFromItsFile) {
  const Json json = inspection_to_json(inspected());
  EXPECT_EQ(json["operators"], (Json{{"gemm", 1}, {"relu", 1}}));
  EXPECT_EQ(json["metrics"][2]["name"], "macs");
  Result<Inspection> back = inspection_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(inspection_to_json(*back), json);
  back->model = "net.onnx";
  const ShowOptions page{.page = true};
  EXPECT_EQ(document_markdown(document_of(*back, page)),
            document_markdown(document_of(inspected(), page)));
}

TEST(Inspection, SaysInOneSentenceWhatItCostsAndWhereItRuns) {
  EXPECT_EQ(document_of(inspected()).headline,
            "8 parameters in 32 B, 8 MACs a run, 2 layers; npu leaves 1 layer out");
  Inspection everywhere = inspected();
  everywhere.targets.resize(1);
  everywhere.complete = false;
  EXPECT_EQ(document_of(everywhere).headline,
            "8 parameters in 32 B, at least 8 MACs a run, 2 layers; every target runs all of it");
}

TEST(Inspection, CountsTheLayersOfTheFile) {
  Inspection inspection = inspected();
  inspection.layers.push_back(inspection.layers.back());
  inspection.layers[1].origins = inspection.layers[2].origins = {"softmax"};
  const std::string page = document_markdown(document_of(inspection, ShowOptions{.page = true}));
  EXPECT_NE(document_of(inspection).headline.find(", 2 layers;"), std::string::npos);
  EXPECT_NE(page.find("2, as 3 nodes"), std::string::npos) << page;
}

TEST(Inspection, TellsNoWorkWhileExtentsAreOpen) {
  Inspection open = inspected();
  open.complete = false;
  open.open_inputs = true;
  EXPECT_EQ(document_of(open).headline,
            "8 parameters in 32 B, MACs known once extents are given, 2 layers; npu leaves 1 layer "
            "out");
  const std::string page = document_markdown(document_of(open, ShowOptions{.page = true}));
  EXPECT_NE(page.find("MACs and FLOPs are known once the extents of its inputs are given"),
            std::string::npos)
      << page;
  EXPECT_EQ(page.find("of all FLOPs"), std::string::npos) << page;
}

TEST(Inspection, RefusesALayerThatReadsNone) {
  Json json = inspection_to_json(inspected());
  json["layers"][1]["reads"] = {2};
  EXPECT_EQ(inspection_from_json(json).error().message, "layer 'act' reads layer 2 of 2");
}

TEST(ConformanceResult, ListsWhatDidNotPass) {
  using Outcome = ConformanceCase::Outcome;
  const ConformanceResult result{{{"add", Outcome::Passed, ""},
                                  {"conv", Outcome::Failed, "off\nby 1"},
                                  {"fft", Outcome::Unsupported, "no operator"}}};
  const std::string others =
      "failed  conv: off\\nby 1\nunsupported  fft: no operator\n"
      "1 passed, 1 failed, 1 unsupported\n";
  EXPECT_EQ(document_text(document_of(result)), others);
  EXPECT_EQ(document_text(document_of(result, {.passed = true})), "passed  add\n" + others);
  const Json json = conformance_to_json(result);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["cases"][2],
            (Json{{"name", "fft"}, {"outcome", "unsupported"}, {"why", "no operator"}}));
}

FittedDevice fitted() {
  FittedDevice fit;
  fit.device.name = "board";
  fit.device.fit = CalibrationFit{.points = 1, .error = 0.1, .most_macs = 2e6, .most_bytes = 3e6};
  fit.points = {{.measured = {"net", 2, {}}, .before_ms = 1, .after_ms = 2.2}};
  fit.intervals = {{.error = 0.1, .how = "assumed"}};
  return fit;
}

TEST(FittedDevice, ShowsPointsBeforeAndAfter) {
  EXPECT_EQ(document_text(document_of(fitted())),
            "board, fitted to 1 measured point\n"
            "\n"
            "no parameter of this device moves these predictions\n"
            "\n"
            "model  measured ms  before ms  error %  after ms  error %  left out %\n"
            "-----  -----------  ---------  -------  --------  -------  ----------\n"
            "net          2.000      1.000    -50.0     2.200    +10.0  -\n"
            "\n"
            "interval  a factor of 1.100 either way: assumed\n"
            "covers    0 to 2.00 M MACs, 0 to 3.00 M bytes moved; predictions outside of that say "
            "so\n");
}

TEST(FittedDevice, ShowsParametersAndEnergiesWhereThereAreAny) {
  FittedDevice fit = fitted();
  fit.parameters = {{"queue.start_us", 1, 2.5}};
  fit.points[0].measured.energy_mj = 0.5;
  const std::string text = document_text(document_of(fit));
  EXPECT_NE(text.find("fitted          before  after\n"), std::string::npos) << text;
  EXPECT_NE(text.find("queue.start_us   1.000  2.500\n"), std::string::npos) << text;
  EXPECT_NE(text.find("net         0.5000     0.0000    0.0000\n"), std::string::npos) << text;
  const Json json = fit_to_json(fit);
  EXPECT_EQ(json["points"][0]["measured_mj"], 0.5);
  EXPECT_TRUE(json["points"][0]["left_out_error"].is_null());
  EXPECT_TRUE(json["points"][0]["precision"].is_null());
  EXPECT_TRUE(json["points"][0]["batch"].is_null());
}

TEST(FittedDevice, ComesBackFromItsFile) {
  FittedDevice fit = fitted();
  fit.parameters = {{"queue.start_us", 1, 2.5}};
  fit.points[0].measured.precision = "fp16";
  const Result<FittedDevice> back = fit_from_json(fit_to_json(fit));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(document_text(document_of(*back)), document_text(document_of(fit)));
  EXPECT_EQ(fit_to_json(*back), fit_to_json(fit));
  Json none = fit_to_json(fit);
  none["points"][0]["measured_ms"] = 0;
  EXPECT_EQ(fit_from_json(none).error().message, "point 'net' has no measured_ms above 0");
}

TEST(FittedDevice, SaysWhichPointsLieOutsideOfItsInterval) {
  FittedDevice fit = fitted();
  EXPECT_EQ(
      fit_verdict(fit),
      "1 of 1 measured point lies where the fitted board expects them; times were off by a "
      "factor of 2.00 at most before the fit, by 1.10 now; other networks are expected within a "
      "factor of 1.10 either way (predicted)");
  fit.points[0].after_ms = 1.6;
  EXPECT_FALSE(is_held(fit, fit.points[0]));
  const std::string page = document_page({document_of(fit, {}, {.page = true})});
  EXPECT_NE(page.find("net took longer than expected"), std::string::npos);
}

TEST(ModelRun, SaysWhatCameOutAndWhere) {
  ModelRun run{.latency = latency(Mode::Measured)};
  run.outputs = {{"y", {Tensor::of<float>({2}, {1, 4})}, "out/y.npy"},
                 {"a/b", {Tensor::of<std::string>({1}, {"x"})}, "out/a_b.npy"},
                 {"none", {}, ""}};
  EXPECT_EQ(document_text(document_of(run)),
            "y  f32[2]  min 1 max 4 mean 2.5  first 1 4\n"
            "a/b  string[1]\n"
            "none  nothing\n"
            "latency  " +
                describe(run.latency) +
                "\n"
                "wrote out/y.npy\n"
                "wrote out/a_b.npy, output 'a/b'\n");
  const Json json = model_run_to_json(run);
  EXPECT_EQ(json["outputs"][0]["mean"], 2.5);
  EXPECT_FALSE(json["outputs"][1].contains("mean"));
  EXPECT_EQ(json["files"], (Json{"out/y.npy", "out/a_b.npy"}));
}

TEST(CompiledFunction, HoldsOrDoesNot) {
  CompiledFunction function{.expression = "x*x",
                            .kind = "pwl",
                            .made_of = "2 straight lines",
                            .bytes = 24,
                            .error = {.worst = 1.5, .worst_at = -3, .mean = 0.25, .codes = 256},
                            .worst_x = -0.3,
                            .max_error = 1};
  EXPECT_FALSE(function.holds());
  EXPECT_EQ(function_text(function),
            "x*x  2 straight lines, 24 B\n"
            "worst error 1.500 units of the last place, at code -3 (x = -0.3); mean 0.2500; "
            "checked at all 256 codes\n");
  EXPECT_EQ(function_to_json(function)["worst_at_code"], -3);
  const PiecewiseFunction parabolas{.degree = 2, .shift = 7, .pieces = {{1, 2, 3, 4}}};
  EXPECT_EQ(describe(parabolas), "1 parabolas");
  EXPECT_EQ(implementation_json(parabolas)["pieces"][0]["b"], 3);
  const LookupTable table{.step_bits = 4, .entries = {5, 6}};
  EXPECT_EQ(describe(table), "2 entries, straight lines between them");
}

TEST(Conversion, SaysWhatBecameIntegersAndWhatDidNot) {
  Graph graph;
  Value* x = graph.add_input("x", TensorType{DType::I8, {1}});
  Value* wide = graph.add_input("a\nb", TensorType{DType::F32, {1}});
  graph.add_output(x);
  graph.add_output(wide);
  Conversion done{.file = "a.onnx", .nodes = 3, .integer_io = true, .graph = &graph};
  done.passes = {{"fold", 2, std::chrono::microseconds(7)}};
  done.io.integers.inputs = {{.position = 0, .name = "x", .scale = 0.5, .zero_point = 3}};
  done.io.channels_last = {1};
  EXPECT_EQ(conversion_text(done),
            "fold  2 rewrites\n"
            "input 'x' is i8, scale 0.5, zero point 3\n"
            "input 'a\\nb' stays f32: more than a quantization reads it\n"
            "output 'a\\nb' stays f32: it is no dequantized value\n"
            "wrote a.onnx, 3 nodes\n");
  EXPECT_EQ(channels_last_text({1}, graph), "input 'a\\nb' takes its channels last\n");
  const Json json = conversion_to_json(done);
  EXPECT_EQ(json["passes"][0]["us"], 7);
  EXPECT_EQ(json["integer_inputs"][0]["zero_point"], 3);
  EXPECT_EQ(json["channels_last"], Json{"a\nb"});
}

TEST(SpeechFeatures, CountsClips) {
  const SpeechFeatures one{"a.npy", TensorType{DType::F32, {1, 49, 10, 1}}, {}};
  EXPECT_EQ(features_text(one),
            "wrote a.npy, f32[1,49,10,1]: 1 clip, 49 frames of 10 coefficients each\n");
  const SpeechFeatures two{"a.npy", TensorType{DType::F32, {2, 49, 10, 1}}, {}};
  EXPECT_NE(features_text(two).find(": 2 clips, "), std::string::npos);
  EXPECT_EQ(features_to_json(two)["shape"][0], 2);
}

}  // namespace
}  // namespace hone
