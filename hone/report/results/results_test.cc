#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/device/host.h"
#include "hone/profile/comparison.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/report_examples.h"
#include "hone/report/results/listening_json.h"
#include "hone/report/results/run_json.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

QuantizationResult quantization() {
  return {.model = "net.onnx",
          .target = "cpu",
          .file = "int8.onnx",
          .metric = "top1",
          .reference = 0.95,
          .calibrated_on = 10,
          .judged_on = 20,
          .notes = {"a note"},
          .layers = 3,
          .float_layers = 1,
          .in_float = {"up;x", "b"},
          .bytes_before = 4096,
          .bytes_after = 1024,
          .holds = false,
          .trials = {{.tried = "int8", .metric = 0.9, .drop = 0.05, .sqnr_db = 20, .seconds = 1},
                     {.tried = "+ bias", .metric = 0.95, .agreement = 1}},
          .sensitivity = {{"conv", "conv", 12.5}, {"relu", "relu", {}}},
          .mixed = SparedLayers{{"conv"}, 4, 1500, Mode::Predicted}};
}

PlacementResult placement() {
  return {.model = "net.onnx",
          .target = "npu",
          .mode = Mode::Simulated,
          .compile_seconds = 0.5,
          .steps = 4,
          .nodes_on_device = 3,
          .nodes_on_host = 2,
          .operators = {{"conv", 3, 0}, {"softmax", 0, 2}},
          .host = {{"a", "softmax", "'a' is f32", "quantize 'a'", 1024, 2},
                   {"b", "softmax", "'b' is f32", "quantize 'b'", 1024, 1}},
          .latency = Metric{.name = "latency", .value = 2, .unit = "ms", .mode = Mode::Simulated},
          .memory = {{.name = "weights", .value = 2048, .unit = "B", .mode = Mode::Exact}},
          .notes = {"checked"}};
}

TEST(QuantizationResult, IsTextForATerminal) {
  EXPECT_EQ(document_text(document_of(quantization(), {})),
            "a note\n"
            "calibrated on 10 samples, judged on 20 others; float top1 0.9500\n"
            "\n"
            "tried     top1    drop  agreement  SQNR dB    s\n"
            "------  ------  ------  ---------  -------  ---\n"
            "int8    0.9000  0.0500          -  20.0     1.0\n"
            "+ bias  0.9500  0.0000     1.0000  equal    0.0\n"
            "\n"
            "spared layers (4 evaluations, 1.500 ms of the gain given up, predicted):\n"
            "  conv\n"
            "\n"
            "3 layers on integers, 1 layer with weights stays float; constants 4.0 -> 1.0 KiB\n"
            "cpu computes 2 of the layers with quantized values in float: up, b\n");
}

TEST(QuantizationResult, ReadsBackWhatItWrote) {
  const Json json = quantization_to_json(quantization());
  EXPECT_EQ(json["kind"], "quantization");
  EXPECT_FALSE(json["trials"][1].contains("sqnr_db"));
  const Result<QuantizationResult> back = quantization_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(quantization_to_json(*back), json);
  const QuantizationResult narrowed{.file = "h.onnx", .changed = 7, .changed_to = "are float16"};
  EXPECT_EQ(document_text(document_of(*quantization_from_json(quantization_to_json(narrowed)), {})),
            "7 are float16\n");
}

TEST(PlacementResult, GroupsTheHostsNodesByReason) {
  EXPECT_EQ(document_text(document_of(placement(), {})),
            "net.onnx compiled for npu in 500 ms\n"
            "nodes     3 on npu, 2 on its host\n"
            "\n"
            "on the host  n  operator  why         nearest change     moved   us\n"
            "-----------  -  --------  ----------  --------------  --------  ---\n"
            "a, b         2  softmax   'a' is f32  quantize 'a'    2.00 KiB  3.0\n"
            "\n"
            "memory    weights 2.00 KiB\n"
            "latency   2 ms (simulated)\n"
            "note: checked\n");
}

TEST(PlacementResult, BeginsWithTheTimeOfARunAndLeavesItsNoteBelow) {
  PlacementResult result = placement();
  result.latency->low = 1;
  result.latency->high = 3;
  result.latency->note = "nine of ten expected within; its own are too few";
  const Document document = document_of(result, {});
  EXPECT_EQ(document.headline, "3 of 5 nodes run on npu; 2 ms a run (simulated, 1 to 3)");
  EXPECT_NE(document_text(document).find("its own are too few"), std::string::npos);
}

TEST(PlacementResult, ReadsBackWhatItWrote) {
  const Json json = placement_to_json(placement());
  const Result<PlacementResult> back = placement_from_json(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(placement_to_json(*back), json);
}

// What a command writes is what make_report reads.
TEST(RunJson, OfAnOptimizationIsReadBack) {
  const Result<Report> report = make_report({optimization_input()});
  ASSERT_TRUE(report.ok()) << report.error().message;
  Report told = *report;
  told.runs[1].outcome = ReportOutcome{"fast.onnx", 0.01, "top1", 0.9, 0.8};
  told.runs[1].compared = {.before_ms = 2, .after_ms = 1, .change = "faster", .n = 9};
  told.runs[1].ledger[0].drop = 0.1;
  const Json json = optimization_to_json(told);
  const Result<Report> back = make_report({{"o.json", enveloped(json)}});
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(optimization_to_json(*back), json);
  EXPECT_EQ(document_text(document_of(*back, {.only = {"Before and after", "What was done"}})),
            "net.onnx on cpu, Board, 1 thread: 2.000 -> 1.000 ms, 2.00 times as fast (measured, "
            "medians of 9 alternating turns)\n"
            "fast.onnx as it was written and read again: outputs within 1.00 % of the largest, "
            "top1 0.9000 -> 0.8000\n"
            "\n"
            "remedy  for           predicted ms  obtained ms        why\n"
            "------  ------------  ------------  -----------  ----  ------\n"
            "--fp16  memory_bound        0.5000  -            kept  faster\n");
}

TEST(HostReport, SaysWhatIsThereAndWhatIsMissing) {
  HostReport host;
  host.system = "Linux";
  host.kernel = "6.1";
  host.cpu.name = "Core";
  host.cpu.cores = 1;
  host.cpu.cpus = 2;
  host.cpu.threads = 1;
  host.memory = {.total_bytes = 2048, .available_bytes = 1024};
  host.cpu.features = kAvx2;
  host.cpu.taken = kAvx512f | kAmxTile;
  host.kernels = {{"int8", "matrix product", "avx2"}, {"fp16", "depthwise", "reference"}};
  host.parts = {{.name = "g++", .purpose = "compiles", .found = true, .detail = "12"}};
  EXPECT_EQ(document_text(document_of(host)),
            "system    Linux, 6.1\n"
            "cpu       Core, 1 cores, 2 CPUs, of which this process may use 1 (affinity or quota)\n"
            "features  avx2\n"
            "without   avx512f amx_tile (HONE_CPU_FEATURES)\n"
            "memory    2.00 KiB, 1.00 KiB available\n"
            "\n"
            "precision  work            kernel\n"
            "---------  --------------  ---------\n"
            "int8       matrix product  avx2\n"
            "fp16       depthwise       reference\n"
            "\n"
            "for       part  found  detail\n"
            "--------  ----  -----  ------\n"
            "compiles  g++   yes        12\n"
            "\n"
            "nothing is missing\n");
}

TEST(QuantizationResult, HasNoAgreementWhereThereAreNoClasses) {
  QuantizationResult result = quantization();
  result.metric = "fidelity";
  EXPECT_EQ(document_text(document_of(result, {})).find("agreement"), std::string::npos);
}

TEST(HostReport, SaysThatNothingIsTaken) {
  HostReport host;
  host.cpu.takes_nothing = true;
  const std::string text = document_text(document_of(host));
  EXPECT_NE(text.find("features  none\nwithout   nothing: this CPU has none of what "),
            std::string::npos)
      << text;
}

// All kinds beside a profile; of older files that of `hone compile` says no kind.
TEST(Report, TakesEveryKindOfResult) {
  Json old = placement_to_json(placement());
  old.erase("kind");
  old.erase("operators");
  const ExampleFile quantized("hone_results_q.json",
                              enveloped(quantization_to_json(quantization())));
  const ExampleFile placed("hone_results_p.json", enveloped(old));
  const auto inputs = read_report_inputs({quantized.path, placed.path});
  ASSERT_TRUE(inputs.ok()) << inputs.error().message;
  const Result<Report> report = make_report(*inputs);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->runs.empty());
  ASSERT_EQ(report->documents.size(), 2u);
  EXPECT_EQ(report->documents[0].title, "net.onnx quantized for cpu");
  EXPECT_EQ(report->documents[1].title, "net.onnx compiled for npu");
  EXPECT_EQ(report->documents[1].from.command, "hone profile net.onnx");
}

TEST(Report, NamesTheKeyOfAResultThatIsWrong) {
  Json json = quantization_to_json(quantization());
  json["trials"][0]["drop"] = "much";
  const Result<Report> report = make_report({{"q.json", enveloped(json)}});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "q.json: results.trials[0].drop is string, expected a number");
}

TEST(ComparisonResult, HasDevices) {
  const Result<DeviceComparison> read = comparison_from_json({{"kind", "comparison"}});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "results.devices: is empty, expected one or more");
}

// What is read from a file gives the page that was made of the result itself.
TEST(ListeningJson, ComesBackAsItWas) {
  ListeningPower power;
  power.model = "kws.onnx";
  power.device = "hexagon";
  power.system = "a phone";
  power.cpu = {10, 1, 60, 20, 0.5};
  power.dsp = {10, 1, 2.5, 1.8, 0.75};
  power.ratio = {5, 4, 6, 3, 8};
  power.added_ratio = {12, 10, 14, 8, 25};
  power.wanted = 20;
  power.break_even = 40;
  power.battery_mwh = 11000;
  power.minute = {{"waiting", 60, 71, 13.5}};
  for (size_t i = 0; i < kPowerInputs; ++i) {
    const double value = static_cast<double>(i + 1);
    power.assumptions[i] = {str("input ", i), "ms", {value, value / 2, 2 * value, "a source"}};
    power.values.of[i] = 1e-3 * value;
  }
  // What is counted an hour is so in the file, too.
  for (const PowerInput counted : {PowerInput::Keywords, PowerInput::FalseAccepts}) {
    const auto i = static_cast<size_t>(counted);
    power.assumptions[i].unit = "an hour";
    power.values.of[i] = power.assumptions[i].figure.value;
  }
  power.sensitivity = {{3, 9, 15, 1e-3 * 5}, {1, 11, 13, {}}};
  const Json json = Json::parse(listening_to_json(power).dump());
  const Result<ListeningPower> again = listening_from_json(json);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const ShowOptions show{.page = true};
  EXPECT_EQ(document_page({document_of(*again, {}, show)}),
            document_page({document_of(power, {}, show)}));
  EXPECT_EQ(again->sensitivity[0].crossing, 5);  // In the assumption's unit.
}

TEST(ListeningJson, OfOtherAssumptionsIsRefused) {
  const Result<ListeningPower> read =
      listening_from_json({{"kind", "listening_power"}, {"assumptions", Json::array()}});
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "results.assumptions has 0 entries, expected 23");
}

}  // namespace
}  // namespace hone
