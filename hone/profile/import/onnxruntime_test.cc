#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportOnnxruntime, TellsNodesAsSteps) {
  const Profile profile = import_text("onnxruntime", kOnnxruntimeSample);
  EXPECT_EQ(profile.tool, "onnxruntime");
  EXPECT_EQ(profile.mode, Mode::Measured);
  EXPECT_EQ(profile.target, "CUDAExecutionProvider + CPUExecutionProvider");
  EXPECT_EQ(profile.threads, 0);
  EXPECT_EQ(profile.precision, "");
  ASSERT_EQ(profile.steps.size(), 2u);
  const StepProfile& conv = profile.steps[0];
  EXPECT_EQ(conv.name, "conv1");
  EXPECT_EQ(conv.op, "Conv");
  EXPECT_EQ(kernel_name(conv.kind), "CUDAExecutionProvider");
  EXPECT_EQ(conv.kind.precision, Arithmetic::Fp16);
  EXPECT_EQ(conv.output, "f16[1,8,8,8]");
  EXPECT_EQ(conv.weight_bytes, 1024u);
  EXPECT_EQ(conv.read_bytes, 4096u);
  EXPECT_EQ(conv.written_bytes, 8192u);
  EXPECT_FALSE(conv.kind.reference);
  EXPECT_EQ(profile.steps[1].kind.precision, Arithmetic::Unknown);
  EXPECT_EQ(profile.steps[1].bytes(), 0u);
  ASSERT_EQ(profile.layers.size(), 2u);
  EXPECT_EQ(profile.layers[1].name, "top");
  EXPECT_EQ(profile.layers[1].steps, std::vector<size_t>{1});
  EXPECT_EQ(profile.sources[1].op, "TopK");
}

// Steady runs take 160, 200 and 250 us; the half around the median is the runs of 200 and 160.
TEST(ImportOnnxruntime, TakesTimesFromSteadyRuns) {
  const Profile profile = import_text("onnxruntime", kOnnxruntimeSample);
  EXPECT_EQ(profile.samples_ms, (std::vector<double>{0.16, 0.2, 0.25}));
  EXPECT_DOUBLE_EQ(median_ms(profile), 0.2);
  EXPECT_EQ(find_metric(profile.latency, "median")->n, 3);
  EXPECT_DOUBLE_EQ(profile.steps[0].us, (110 + 100) / 2.0);
  EXPECT_DOUBLE_EQ(profile.steps[1].us, (42 + 40) / 2.0);
  EXPECT_DOUBLE_EQ(profile.steps[0].us_p10, 102);
  EXPECT_DOUBLE_EQ(profile.steps[0].us_p90, 126);
  EXPECT_EQ(profile.steps[0].us_blocks, (std::vector<double>{100, 110, 130}));
  EXPECT_DOUBLE_EQ(profile.steps[0].share + profile.steps[1].share, 1);
  EXPECT_DOUBLE_EQ(profile.layers[0].us, profile.steps[0].us);
  EXPECT_DOUBLE_EQ(*find_metric(profile.overhead, "sum_of_steps")->value, 100 * 146 / 200.0);
}

TEST(ImportOnnxruntime, KeepsThePhasesAndTheMedianRunsTimeline) {
  const Profile profile = import_text("onnxruntime", kOnnxruntimeSample);
  EXPECT_DOUBLE_EQ(*find_metric(profile.phases, "read")->value, 1.5);
  EXPECT_DOUBLE_EQ(*find_metric(profile.phases, "compile")->value, 4);
  EXPECT_DOUBLE_EQ(*find_metric(profile.phases, "first_run")->value, 0.5);
  ASSERT_EQ(profile.timeline.size(), 2u);
  EXPECT_EQ(profile.timeline[0].start_us, 10);
  EXPECT_EQ(profile.timeline[0].us, 110);
  EXPECT_EQ(profile.timeline[0].thread, 0);
  EXPECT_EQ(profile.timeline[1].start_us, 130);
  EXPECT_EQ(profile.timeline[1].thread, 1);
}

TEST(ImportOnnxruntime, KnowsTheLayersOfNodesThatWereReplaced) {
  const auto layer = [](std::string_view name) {
    const std::string text = with(kOnnxruntimeSample, "conv1_kernel_time", name);
    const Profile profile = import_text("onnxruntime", text);
    EXPECT_EQ(profile.layers[0].name + "_kernel_time", name);
    return profile.sources[0].name;
  };
  EXPECT_EQ(layer("layer4.2.conv2_token_170_kernel_time"), "layer4.2.conv2");
  EXPECT_EQ(layer("a_token_b_token_7_kernel_time"), "a_token_b");
  EXPECT_EQ(layer("a_token_x_kernel_time"), "a_token_x");
  EXPECT_EQ(layer("_token_3_kernel_time"), "_token_3");
  EXPECT_EQ(layer("fused conv1_kernel_time"), "conv1");
  EXPECT_EQ(layer("relu1_nchwc_kernel_time"), "relu1");
  EXPECT_EQ(layer("/layer1/relu/Relu_output_0_nchwc_kernel_time"), "/layer1/relu/Relu");
  EXPECT_EQ(layer("relu1_nchwc_token_7_kernel_time"), "relu1");
  EXPECT_EQ(layer("_nchwc_kernel_time"), "_nchwc");
  EXPECT_EQ(layer("x_output_0_kernel_time"), "x_output_0");
}

TEST(ImportOnnxruntime, OneRunIsAMedianToo) {
  const Profile profile = import_text("onnxruntime", R"([
{"cat":"Node","tid":1,"dur":5,"ts":1,"name":"_kernel_time","args":{"op_name":"Add"}},
{"cat":"Session","tid":1,"dur":9,"ts":0,"name":"model_run"}])");
  EXPECT_DOUBLE_EQ(median_ms(profile), 0.009);
  EXPECT_EQ(find_metric(profile.phases, "first_run"), nullptr);
  EXPECT_EQ(profile.unstable, std::vector<std::string>{"only 1 run"});
}

// A loop of 100 us whose body took 30 + 40.
TEST(ImportOnnxruntime, CountsTheBodyOfALoopOnce) {
  const Profile profile = import_text("onnxruntime", R"([
{"cat":"Node","tid":1,"dur":10,"ts":5,"name":"before_kernel_time","args":{"op_name":"Add","node_index":"0"}},
{"cat":"Node","tid":1,"dur":30,"ts":22,"name":"body_kernel_time","args":{"op_name":"Mul","node_index":"0"}},
{"cat":"Node","tid":1,"dur":40,"ts":60,"name":"body_kernel_time","args":{"op_name":"Mul","node_index":"0"}},
{"cat":"Node","tid":1,"dur":100,"ts":20,"name":"loop_kernel_time","args":{"op_name":"Loop","node_index":"1"}},
{"cat":"Session","tid":1,"dur":130,"ts":0,"name":"model_run"}])");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(profile.steps[0].us, 10);
  EXPECT_EQ(profile.steps[1].us, 70);
  EXPECT_EQ(profile.steps[2].us, 30);
}

TEST(ImportOnnxruntime, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("onnxruntime", with(kOnnxruntimeSample, from, to));
  };
  EXPECT_EQ(error(R"("dur" :300)", R"("dur" :"fast")"),
            "line 4: event 'conv1_kernel_time': dur is 'fast', expected a number from 0 to 1e+12");
  EXPECT_EQ(error(R"("dur" :300)", R"("dur" :-3)"),
            "line 4: event 'conv1_kernel_time': dur is '-3', expected a number from 0 to 1e+12");
  EXPECT_EQ(error(R"("dur" :300,)", ""),
            "line 4: event 'conv1_kernel_time': no 'dur', expected a number");
  EXPECT_EQ(error(R"("1024")", R"("1 kB")"),
            "line 4: event 'conv1_kernel_time': parameter_size is '1 kB', expected a number from 0 "
            "to 1e+18");
  EXPECT_EQ(error(R"("ts" :30000)", R"("ts" :20100)"),
            "line 13: event 'model_run': begins before the run in front of it ends: make one run "
            "at a time");
  EXPECT_EQ(import_error("onnxruntime", kOnnxruntimeSample.substr(0, 400)),
            "line 4: not JSON, or cut off");
  EXPECT_EQ(import_error("onnxruntime", "[]"), "no event 'model_run', expected one for every run");
}

}  // namespace
}  // namespace hone
