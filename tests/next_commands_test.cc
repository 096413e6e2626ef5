// The commands on pages: whole ones, or words where no command is whole.

#include "hone/cli/next_commands.h"

#include <gtest/gtest.h>

#include "hone/profile/comparison.h"
#include "hone/report/results/inspection.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

Report diagnosed(const std::string& command, ReportFinding finding) {
  Report report;
  ReportRun& run = report.runs.emplace_back();
  run.from = {.command = command, .model = {{"name", "net.onnx"}}};
  run.profile.tool = "hone";
  run.profile.target = "cpu";
  run.diagnosed = true;
  finding.gain = Metric{.name = "gain", .value = 1, .unit = "ms"};
  run.findings = {std::move(finding)};
  add_next_commands({}, report);
  return report;
}

ReportFinding finding_after(ReportFinding finding,
                            const std::string& command = "hone diagnose a/net.onnx") {
  return diagnosed(command, std::move(finding)).runs[0].findings[0];
}

TEST(NextCommands, AFindingThatOptimizeAnswersHasItsCommand) {
  EXPECT_EQ(finding_after({.rule = "softmax_before_argmax"}).command,
            "hone optimize a/net.onnx -o optimized.onnx");
  const ReportFinding chosen = finding_after({.rule = "expensive_activation"});
  EXPECT_EQ(chosen.command, "hone optimize a/net.onnx --allow-approximation -o optimized.onnx");
  EXPECT_EQ(chosen.advice, "");
  EXPECT_EQ(finding_after({.rule = "x", .command = "--threads 1"}).command,
            "hone profile a/net.onnx --threads 1");
}

TEST(NextCommands, RunOnAsManyThreads) {
  const std::string on_two = "hone diagnose a/net.onnx --threads 2";
  EXPECT_EQ(finding_after({.rule = "unsteady", .bound = "measurement"}, on_two).command,
            "hone diagnose a/net.onnx --threads 2 -t 30s");
  EXPECT_EQ(finding_after({.rule = "x", .command = "--threads 1"}, on_two).command,
            "hone profile a/net.onnx --threads 1");
}

TEST(NextCommands, ActOnWhatTheResultIsOf) {
  const std::string how =
      "hone diagnose --batch=2 --threads 2 --precision fp16 --disable-pass a b --json d.json "
      "--shapes x:1x3x96x96 'y[1, 2]' a/net.onnx";
  EXPECT_EQ(finding_after({.rule = "unsteady", .bound = "measurement"}, how).command,
            "hone diagnose a/net.onnx --shapes x:1x3x96x96 'y[1, 2]' --batch 2 --threads 2 "
            "--precision fp16 --disable-pass a b -t 30s");
  // What the finding asks for takes the place of what was.
  EXPECT_EQ(finding_after({.rule = "x", .command = "--batch 8"}, how).command,
            "hone profile a/net.onnx --shapes x:1x3x96x96 'y[1, 2]' --threads 2 --precision fp16 "
            "--disable-pass a b --batch 8");
  // A command is given what it takes, and no more.
  EXPECT_EQ(
      finding_after({.rule = "x", .command = "hone quantize MODEL --data d -d npu"}, how).command,
      "hone quantize a/net.onnx --data d -d npu --shapes x:1x3x96x96 'y[1, 2]'");
}

TEST(NextCommands, APrecisionBehindTheDeviceGoesAlong) {
  Document document{.from = {.command = "hone inspect m.onnx -d cpu:fp16 --shapes x:1x8",
                             .model = {{"name", "m.onnx"}}}};
  add_next_commands(Json{{"kind", "inspection"}}, document);
  EXPECT_EQ(document.next.at(0).command, "hone profile m.onnx --shapes x:1x8 --precision fp16");
}

TEST(NextCommands, OpenExtentsAreATemplateAndNoCommand) {
  Inspection inspection{.model = "m.onnx", .open_inputs = true};
  const auto next = [&] {
    Document document{.from = {.command = "hone inspect m.onnx", .model = {{"name", "m.onnx"}}}};
    add_next_commands(inspection_to_json(inspection), document);
    return document.next.at(0);
  };
  inspection.inputs = {{.name = "x", .type = "f32", .shape = {-1, 3, -1, -1}}};
  EXPECT_EQ(next().command, "");
  EXPECT_TRUE(next().what.ends_with(": hone profile m.onnx --shapes 'x:1x3x?x?'")) << next().what;
  inspection.inputs[0].shape = {-1, 3, 8, 8};
  EXPECT_EQ(next().command, "hone profile m.onnx");
}

TEST(NextCommands, WhatWasWrittenRunsAsItWasMeasured) {
  Report report;
  for (const int threads : {2, 1}) {
    ReportRun& run = report.runs.emplace_back();
    run.from = {.command = "hone optimize m.onnx -o fast.onnx", .model = {{"name", "m.onnx"}}};
    run.profile.tool = "hone";
    run.profile.target = "cpu";
    run.profile.threads = threads;
  }
  report.runs[1].profile.precision = "fp16";
  report.runs[1].outcome = ReportOutcome{.file = "fast.onnx"};
  add_next_commands({}, report);
  EXPECT_EQ(report.runs[1].next.back().command,
            "hone diagnose fast.onnx --threads 1 --precision fp16");
}

TEST(NextCommands, WhatOnlyTheAuthorCanDoIsSaidInWords) {
  const ReportFinding finding = finding_after({.rule = "depthwise_share"});
  EXPECT_EQ(finding.command, "");
  EXPECT_EQ(finding.advice, "no command does this: it is for whoever makes the model, or runs it");
  EXPECT_EQ(finding_after({.rule = "unsteady", .bound = "measurement"}).command,
            "hone diagnose a/net.onnx -t 30s");
}

TEST(NextCommands, WhatNobodyToldIsNoPartOfACommand) {
  const ReportFinding option = {.rule = "int8_would_pay", .option = true};
  EXPECT_EQ(finding_after(option).command, "");
  EXPECT_NE(finding_after(option).advice.find("once it has samples"), std::string::npos);
  EXPECT_EQ(finding_after(option, "hone diagnose net.onnx --data eval").command,
            "hone optimize net.onnx --data eval -o optimized.onnx");
  const ReportFinding quantize = {.rule = "x", .command = "hone quantize MODEL --data DIR -d npu"};
  EXPECT_EQ(finding_after(quantize).command, "");
  EXPECT_EQ(finding_after(quantize).advice,
            "with what only you know in its place: hone quantize a/net.onnx --data DIR -d npu");
  EXPECT_EQ(finding_after(quantize, "hone diagnose net.onnx --data eval").command,
            "hone quantize net.onnx --data eval -d npu");
}

// Steps after a comparison in which a device is the fastest with what ran on it.
std::vector<NextStep> after_compare(const std::string& command, const std::string& model,
                                    const std::string& device, const std::string& ran) {
  DeviceComparison comparison{.model = model};
  DeviceFigures& figures = comparison.devices.emplace_back();
  figures.device = device;
  figures.model = ran;
  figures.latency = {{.name = "median", .value = 1, .unit = "ms", .mode = Mode::Predicted}};
  Document document{.from = {.command = command, .model = {{"name", model}}}};
  add_next_commands(comparison_to_json(comparison), document);
  return document.next;
}

TEST(NextCommands, NamesWithSpacesStayWords) {
  EXPECT_EQ(
      finding_after({.rule = "softmax_before_argmax"}, "hone diagnose 'my nets/net.onnx'").command,
      "hone optimize 'my nets/net.onnx' -o optimized.onnx");
}

TEST(NextCommands, AQuantizationIsHeldToWhatItWasNotCalibratedOn) {
  const auto check_after = [](const std::string& command) {
    Document document{.from = {.command = command, .model = {{"name", "m.onnx"}}}};
    add_next_commands(Json{{"kind", "quantization"}, {"file", "int8.onnx"}}, document);
    return document.next.at(0).command;
  };
  EXPECT_EQ(check_after("hone quantize m.onnx --data some -o int8.onnx"),
            "hone validate int8.onnx --reference m.onnx --data some --max-drop 1pt");
  EXPECT_EQ(check_after("hone quantize m.onnx --data some --validation-data others -o int8.onnx"),
            "hone validate int8.onnx --reference m.onnx --data others --max-drop 1pt");
  EXPECT_EQ(check_after("hone quantize m.onnx --data some --shapes x:1x8 -o int8.onnx"),
            "hone validate int8.onnx --reference m.onnx --data some --max-drop 1pt --shapes x:1x8");
}

TEST(NextCommands, AfterAComparisonRunWhatWasCompared) {
  const auto as_is = after_compare("hone compare m.onnx -d jetson-nano:fp16", "m.onnx",
                                   "jetson-nano:fp16", "m.onnx");
  ASSERT_EQ(as_is.size(), 1u);
  EXPECT_EQ(as_is[0].command, "hone diagnose m.onnx -d jetson-nano --precision fp16");
  const auto built_in = after_compare("hone compare zoo:resnet8 -d npu", "zoo:resnet8", "npu",
                                      "zoo:resnet8, quantized to int8");
  ASSERT_EQ(built_in.size(), 1u);
  EXPECT_EQ(built_in[0].command, "hone diagnose zoo:resnet8:int8 -d npu");
}

TEST(NextCommands, AfterAComparisonTheModelIsReadTheSameWay) {
  const auto steps = after_compare("hone compare zoo:resnet8 -d npu,cpu --shapes x:1x8 --threads 1",
                                   "zoo:resnet8", "npu", "zoo:resnet8, quantized to int8");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].command, "hone diagnose zoo:resnet8:int8 -d npu --threads 1 --shapes x:1x8");
}

TEST(NextCommands, WhatAComparisonQuantizedIsWrittenFirst) {
  const auto with_data = after_compare("hone compare m.onnx -d npu --data eval", "m.onnx", "npu",
                                       "m.onnx, quantized to int8");
  ASSERT_EQ(with_data.size(), 2u);
  EXPECT_EQ(with_data[0].command, "hone quantize m.onnx --data eval -d npu -o int8.onnx");
  EXPECT_EQ(with_data[1].command, "hone diagnose int8.onnx -d npu");
  const auto without =
      after_compare("hone compare m.onnx -d npu", "m.onnx", "npu", "m.onnx, quantized to int8");
  ASSERT_EQ(without.size(), 1u);
  EXPECT_EQ(without[0].command, "");
  EXPECT_NE(without[0].what.find("once it has samples"), std::string::npos);
}

}  // namespace
}  // namespace hone
