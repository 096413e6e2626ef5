// Firmware that runs in an emulator while it is profiled: whose instructions they are, and that a wrong byte
// is an error. Skipped, with the reason, where there is no compiler or emulator.

#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/process.h"
#include "hone/model/load.h"
#include "hone/ops/op_case.h"
#include "hone/profile/profile.h"
#include "hone/targets/c_code/reference_tests.h"
#include "hone/targets/cortex_m/firmware_run.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

#define SKIP_WITHOUT_EMULATOR() \
  if (!cortex_m::missing_tools().empty()) GTEST_SKIP() << cortex_m::missing_tools()

Graph convolution(int64_t outputs) {
  return std::move(*graph_of_case(
      "conv", str("i8[1,8,8,", outputs, "]<0.4:3> = (i8[1,8,8,16]<0.1:5>, const i8[", outputs,
                  ",1,1,16]<0.02:0>, const i32[", outputs, "]) layout=\"nhwc\"")));
}

Result<Profile> profile_of(const std::string& name, const std::string& target,
                           bool estimate = false) {
  HONE_TRY(Model model, open_model(name, {}));
  ProfileRequest request{.target = target};
  request.compile.estimate_only = estimate;
  HONE_TRY(request.inputs, make_inputs(model.graph, {}, 0));
  return profile_model(model, request);
}

Result<cortex_m::FirmwareRun> run_of(const Graph& graph, std::string_view core, bool spoiled) {
  HONE_TRY(const c_code::Plan plan,
           c_code::make_plan(std::move(*graph.clone()), {}, cortex_m::kernels_for(core)));
  HONE_TRY(auto tests, c_code::reference_tests(graph, plan, c_code::noise_inputs(plan, 1)));
  if (spoiled) tests[0].outputs[0].mutable_data<int8_t>()[7] ^= 1;
  const c_code::ProjectNames names{.model = "m", .device = "d", .prefix = "hone_m"};
  const McuSpec mcu{.core = std::string(core), .clock_mhz = 100, .line_cycles = 5};
  return cortex_m::run_firmware(plan, names, tests, *cortex_m::find_core(core), mcu);
}

TEST(FirmwareProfile, CountsOnAccountOfTheLayerThatCalls) {
  SKIP_WITHOUT_EMULATOR();
  // Both multiply in a function of the kernels', of which the second needs half as much.
  const auto wide = run_of(convolution(64), "cortex-m7", false);
  const auto narrow = run_of(convolution(32), "cortex-m7", false);
  ASSERT_TRUE(wide.ok()) << wide.error().message;
  ASSERT_TRUE(narrow.ok()) << narrow.error().message;
  ASSERT_EQ(wide->layers.size(), 1u);
  const double macs = 8 * 8 * 64 * 16;
  const auto instructions = static_cast<double>(wide->layers[0].instructions);
  EXPECT_GT(instructions, 0.5 * macs);
  EXPECT_LT(instructions, 8 * macs);
  EXPECT_NEAR(instructions / static_cast<double>(narrow->layers[0].instructions), 2, 0.2);
  EXPECT_LT(wide->rest.instructions, 100u);
  EXPECT_GT(wide->layers[0].flash, 0);
  // Two begin in a cycle at most.
  EXPECT_GE(wide->layers[0].issue, instructions / 2);
  EXPECT_GE(wide->flash.constants, 64u * 16u);
  // Something is called, and four sums are kept; no kernel has large arrays.
  EXPECT_GT(wide->stack_bytes, 32u);
  EXPECT_LT(wide->stack_bytes, 1024u);
}

TEST(FirmwareProfile, RunsOnEveryCore) {
  SKIP_WITHOUT_EMULATOR();
  for (const char* core :
       {"cortex-m0plus", "cortex-m3", "cortex-m4", "cortex-m33", "cortex-m55", "cortex-m85"}) {
    const auto run = run_of(convolution(6), core, false);
    ASSERT_TRUE(run.ok()) << core << ": " << run.error().message;
    EXPECT_GT(run->layers[0].cycles(), 0) << core;
  }
}

TEST(FirmwareProfile, RefusesAWrongByte) {
  SKIP_WITHOUT_EMULATOR();
  const auto run = run_of(convolution(6), "cortex-m7", true);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind, ErrorKind::Resource);
  EXPECT_EQ(
      run.error().message,
      "firmware for cortex-m7 gives 1 byte that is not the reference's: a fault of hone or of "
      "the compiler, not of the model");
}

TEST(FirmwareProfile, TellsEveryLayerOfANetwork) {
  SKIP_WITHOUT_EMULATOR();
  const auto profile = profile_of("zoo:ds_cnn_kws:int8", "cortex-m7");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->mode, Mode::Predicted);
  double sum = 0, us = 0;
  for (const StepProfile& step : profile->steps) {
    const Metric* instructions = find_metric(step.counters, "instructions");
    ASSERT_NE(instructions, nullptr) << step.name;
    EXPECT_EQ(instructions->mode, Mode::Emulated);
    EXPECT_GT(*instructions->value, 0) << step.name;
    EXPECT_EQ(find_metric(step.counters, "cycles")->mode, Mode::Predicted);
    sum += *instructions->value;
    us += step.us;
  }
  // Layers of one shape multiply in a function that all of them call.
  std::vector<double> alike;
  for (const StepProfile& step : profile->steps) {
    if (step.kind.work == "pixels_fours") {
      alike.push_back(*find_metric(step.counters, "instructions")->value);
    }
  }
  ASSERT_EQ(alike.size(), 4u);
  EXPECT_LT(*std::ranges::max_element(alike), 1.01 * *std::ranges::min_element(alike));
  const Metric* all = find_metric(profile->counters, "instructions");
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(*all->value,
            sum + *find_metric(profile->counters, "instructions_between_layers")->value);
  EXPECT_NEAR(median_ms(*profile), us / 1e3, 0.01 * us / 1e3);
  EXPECT_NE(find_metric(profile->memory, "code"), nullptr);
}

TEST(FirmwareProfile, RunsNothingForAnEstimate) {
  const auto profile = profile_of("zoo:ds_cnn_kws:int8", "cortex-m7", true);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(find_metric(profile->counters, "instructions"), nullptr);
}

// Whether a note tells that the firmware did not run, and names this.
bool tells_why_not(const Profile& profile, std::string_view why) {
  return std::ranges::any_of(profile.notes, [&](const std::string& note) {
    return note.find("the firmware itself was not run") != std::string::npos &&
           note.find(why) != std::string::npos;
  });
}

TEST(FirmwareProfile, PredictsFloatsAndSaysWhyTheyDidNotRun) {
  const auto profile = profile_of("zoo:ds_cnn_kws", "cortex-m7");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_TRUE(tells_why_not(*profile, "none is written"));
  EXPECT_TRUE(std::ranges::any_of(profile->notes, [](const std::string& note) {
    return note.starts_with("Hone writes no firmware of it: ") &&
           note.find("expected int8") != std::string::npos;
  }));
}

TEST(FirmwareProfile, PredictsWithoutToolsAndSaysWhatToInstall) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto profile = profile_of("zoo:ds_cnn_kws:int8", "cortex-m7");
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_TRUE(tells_why_not(*profile, "apt-get install gcc-arm-none-eabi"));
  EXPECT_TRUE(tells_why_not(*profile, "qemu-system-arm"));
}

// The same C on this machine, which stands in where there is no emulator.
TEST(FirmwareProfile, IsTestedOnThisMachine) {
  if (!find_program("cc")) GTEST_SKIP() << "no C compiler: cc is not here";
  const Graph graph = convolution(6);
  const auto plan = c_code::make_plan(std::move(*graph.clone()), {});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  auto tests = c_code::reference_tests(graph, *plan, c_code::noise_inputs(*plan, 1));
  ASSERT_TRUE(tests.ok()) << tests.error().message;
  const c_code::ProjectNames names{.model = "m", .device = "d", .prefix = "hone_m"};
  const auto right = emulation::test_on_host(*plan, names, *tests);
  ASSERT_TRUE(right.ok()) << right.error().message;
  EXPECT_TRUE(*right);
  (*tests)[0].outputs[0].mutable_data<int8_t>()[0] ^= 1;
  const auto wrong = emulation::test_on_host(*plan, names, *tests);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(
      wrong.error().message,
      "firmware for this machine gives 1 byte that is not the reference's: a fault of hone or "
      "of the compiler, not of the model");
}

}  // namespace
}  // namespace hone
