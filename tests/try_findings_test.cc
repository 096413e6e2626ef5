// What `hone diagnose` advises is tried before it is ranked.

#include "hone/workbench/try_findings.h"

#include <gtest/gtest.h>

#include "hone/analyze/gpu_evidence.h"
#include "hone/base/process.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

class TryFindings : public testing::Test {
 protected:
  // The diagnosis of a network that takes 1 ms, as if a rule had found `finding`.
  Diagnosis try_one(const std::string& network, Finding finding,
                    TryOptions options = {.seconds = 0.1, .least_part = 0.01}) {
    ProfileRequest request;
    request.compile.threads = 1;
    return try_on(request, network, std::move(finding), options);
  }

  Diagnosis try_on(ProfileRequest request, const std::string& network, Finding finding,
                   const TryOptions& options) {
    Model model = *open_model(network);
    request.inputs = *make_inputs(model.graph, {}, 0);
    Diagnosis diagnosis;
    diagnosis.profile.latency = {{.name = "median", .value = 1}};
    if (request.emulate) diagnosis.profile.counters = {{.name = "packets", .value = 1e5}};
    diagnosis.findings = {std::move(finding)};
    const Status tried = try_findings(model.graph, request, options, diagnosis);
    EXPECT_TRUE(tried.ok()) << tried.error().message;
    return diagnosis;
  }

  static Finding promise(const std::string& rule, Hint hint) {
    Finding finding;
    finding.rule = rule;
    finding.subject = "this";
    finding.title = "this would save 99.0 % of the run";
    finding.hint = std::move(hint);
    finding.gain = {.name = "gain", .value = 0.99, .unit = "ms", .mode = Mode::Predicted};
    return finding;
  }
};

// int8 saves less than nearly everything.
TEST_F(TryFindings, SayWhatWasGainedInPlaceOfWhatWasPromised) {
  const Diagnosis diagnosis = try_one("zoo:ds_cnn_kws", promise("int8_would_pay", {}));
  ASSERT_EQ(diagnosis.findings.size() + diagnosis.refuted.size(), 1u);
  const Finding& finding =
      diagnosis.findings.empty() ? diagnosis.refuted[0] : diagnosis.findings[0];
  EXPECT_EQ(finding.gain.mode, Mode::Measured);
  EXPECT_LT(*finding.gain.value, 0.99);
  EXPECT_LE(*finding.gain.low, *finding.gain.value);
  EXPECT_GE(*finding.gain.high, *finding.gain.value);
  EXPECT_TRUE(finding.formula.starts_with("tried: ")) << finding.formula;
  EXPECT_NE(finding.formula.find("with made-up scales"), std::string::npos) << finding.formula;
  EXPECT_EQ(finding.title.find("99.0"), std::string::npos) << finding.title;
}

// What is tried on a DSP says whether it is told by packets, as the run is: one thread is no faster than all.
TEST_F(TryFindings, TellADspByPacketsWhereBothAreCounted) {
  ProfileRequest request{.target = "hexagon"};
  request.emulate = true;
  const TryOptions options{.least_part = 0.01};
  const Diagnosis one =
      try_on(request, "zoo:ds_cnn_kws:int8", promise("threads", {HintKind::Threads, "1"}), options);
  ASSERT_EQ(one.refuted.size(), 1u);
  const bool counted = find_program("clang-19") && find_program("ld.lld-19") &&
                       find_program("llvm-objdump-19") && find_program("qemu-hexagon");
  const std::string& formula = one.refuted[0].formula;
  EXPECT_NE(formula.find(counted ? "an emulator counts of both" : "by rooflines"),
            std::string::npos)
      << formula;
  const Diagnosis floats =
      try_on(request, "zoo:ds_cnn_kws", promise("int8_would_pay", {}), options);
  ASSERT_EQ(floats.findings.size(), 1u);
  EXPECT_NE(floats.findings[0].formula.find("by rooflines"), std::string::npos)
      << floats.findings[0].formula;
}

// Of one input among eight: on a CPU it takes about as long as alone.
TEST_F(TryFindings, RunALargerBatchAndTellOfOneInput) {
  Finding finding = promise("gpu_small_kernels", {});
  finding.evidence = {{.name = kBatchEvidence, .value = 8}};
  int64_t asked = 0;
  const auto batched = [&](int64_t batch) {
    asked = batch;
    return open_model("zoo:ds_cnn_kws", {.shapes = {{"input", {batch, 1, 49, 10}}}});
  };
  const Diagnosis diagnosis =
      try_one("zoo:ds_cnn_kws", finding, {.seconds = 0.1, .least_part = 0.01, .batched = batched});
  EXPECT_EQ(asked, 8);
  EXPECT_EQ(diagnosis.tried, 1u);
  const Finding& tried = diagnosis.findings.empty() ? diagnosis.refuted[0] : diagnosis.findings[0];
  EXPECT_EQ(tried.gain.mode, Mode::Measured);
  EXPECT_GT(*tried.gain.value, -0.8);  // Eight runs of it would lose 7 ms of the one.
  EXPECT_LT(*tried.gain.value, 0.8);
}

// As many threads as before gain nothing.
TEST_F(TryFindings, ListWhatDoesNotHelp) {
  const Diagnosis diagnosis =
      try_one("zoo:ds_cnn_kws", promise("oversubscribed", {HintKind::Threads, "1"}));
  if (diagnosis.refuted.empty()) {
    // A busy machine may leave it open, but says so.
    ASSERT_EQ(diagnosis.findings.size(), 1u);
    EXPECT_LT(*diagnosis.findings[0].gain.low, 0.5);
  }
}

// A predicted device says of int8 what it says of the network that is quantized for it, and how surely.
TEST_F(TryFindings, TellOfInt8OnAPredictedDeviceWhatItsModelSays) {
  const auto diagnosed = [](const std::string& device) {
    ProfileRequest request{.target = device};
    Model model = *open_model("zoo:mobilenet_v2");
    const std::unique_ptr<Graph> graph = model.graph.clone();
    request.inputs = *make_inputs(*graph, {}, 0);
    Result<Diagnosis> diagnosis = diagnose_model(model, request, 0.01);
    EXPECT_TRUE(diagnosis.ok()) << diagnosis.error().message;
    EXPECT_TRUE(try_findings(*graph, request, {.least_part = 0.01}, *diagnosis).ok());
    return *std::move(diagnosis);
  };
  const auto modelled_ms = [](const std::string& network, const std::string& device) {
    Model model = *open_model(network);
    const auto compiled = compile_model(model, {.target = device});
    EXPECT_TRUE(compiled.ok()) << compiled.error().message;
    return *compiled->program->modelled()->latency.value;
  };
  const auto is_int8 = [](const Finding& finding) { return finding.rule == "int8_would_pay"; };
  const Diagnosis faster = diagnosed("raspberry-pi-4");
  const auto found = std::ranges::find_if(faster.findings, is_int8);
  ASSERT_NE(found, faster.findings.end());
  const Metric& gain = found->gain;
  EXPECT_EQ(gain.mode, Mode::Predicted);
  EXPECT_NEAR(*gain.value,
              modelled_ms("zoo:mobilenet_v2", "raspberry-pi-4") -
                  modelled_ms("zoo:mobilenet_v2:int8", "raspberry-pi-4"),
              1e-6);
  EXPECT_LT(*gain.low, 0);
  EXPECT_GT(*gain.high, *gain.value);
  // On one with half floats int8 is slower, which is said.
  const Diagnosis slower = diagnosed("raspberry-pi-5");
  EXPECT_EQ(std::ranges::count_if(slower.findings, is_int8), 0);
  EXPECT_EQ(std::ranges::count_if(slower.refuted, is_int8), 1);
}

// However many flaws come before them.
TEST_F(TryFindings, TryPrecisionsBesidesTheBestFindings) {
  const Finding in_fp16 = promise("wide_precision", {HintKind::Precision, "fp16"});
  const Diagnosis tried = try_one("zoo:ds_cnn_kws", in_fp16, {.most = 0, .seconds = 0.1});
  EXPECT_EQ(tried.tried, 1u);
  const Finding& finding = tried.findings.empty() ? tried.refuted[0] : tried.findings[0];
  EXPECT_EQ(finding.gain.mode, Mode::Measured);
  EXPECT_EQ(finding.formula.find("scales"), std::string::npos) << finding.formula;

  const Diagnosis predicted =
      try_one("zoo:ds_cnn_kws", in_fp16, {.most = 0, .precisions = false, .seconds = 0.1});
  ASSERT_EQ(predicted.findings.size(), 1u);
  EXPECT_EQ(predicted.findings[0].gain.mode, Mode::Predicted);
}

// Whatever rule advises another precision: what the whole network gains by it counts.
TEST_F(TryFindings, TryThePrecisionThatAFindingAdvises) {
  const Diagnosis diagnosis =
      try_one("zoo:ds_cnn_kws", promise("weight_bound", {HintKind::Precision, "fp16"}));
  ASSERT_EQ(diagnosis.tried, 1u);
  const Finding& finding =
      diagnosis.findings.empty() ? diagnosis.refuted[0] : diagnosis.findings[0];
  EXPECT_TRUE(finding.formula.starts_with("tried: ")) << finding.formula;
}

TEST_F(TryFindings, LeaveAPredictionWhereHoneCannotDoIt) {
  const Diagnosis diagnosis = try_one("zoo:ds_cnn_kws", promise("shallow_products", {}));
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].gain.mode, Mode::Predicted);
  EXPECT_EQ(*diagnosis.findings[0].gain.value, 0.99);
}

}  // namespace
}  // namespace hone
