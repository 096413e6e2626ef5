#include <gtest/gtest.h>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportVela, TellsLayersAsPredictedSteps) {
  const Profile profile = import_text("vela", kVelaSample, {.clock_mhz = 500});
  EXPECT_EQ(profile.tool, "vela");
  EXPECT_EQ(profile.mode, Mode::Predicted);
  ASSERT_EQ(profile.steps.size(), 2u);
  const StepProfile& conv = profile.steps[0];
  EXPECT_EQ(conv.name, "net/conv/Relu, fused");
  EXPECT_EQ(conv.op, "CONV_2D");
  EXPECT_EQ(kernel_name(conv.kind), "Conv2DBias");
  EXPECT_DOUBLE_EQ(conv.us, 16);
  EXPECT_DOUBLE_EQ(conv.share, 0.8);
  EXPECT_EQ(conv.macs, 512000);
  EXPECT_EQ(conv.flops, 1024000);
  EXPECT_EQ(conv.live_during, 12000u);
  EXPECT_EQ(conv.bound, "compute");
  EXPECT_EQ(profile.steps[1].bound, "off-chip flash");
  EXPECT_EQ(profile.arena_bytes, 20000u);
}

TEST(ImportVela, KeepsTheCyclesOfEveryKind) {
  const Profile profile = import_text("vela", kVelaSample, {.clock_mhz = 500});
  const auto value = [&](const char* name) {
    const Metric* metric = find_metric(profile.steps[1].counters, name);
    EXPECT_EQ(metric->mode, Mode::Predicted);
    return *metric->value;
  };
  EXPECT_EQ(value("cycles"), 2000);
  EXPECT_EQ(value("npu_cycles"), 500);
  EXPECT_EQ(value("sram_cycles"), 1000);
  EXPECT_EQ(value("dram_cycles"), 0);
  EXPECT_EQ(value("on_chip_flash_cycles"), 0);
  EXPECT_EQ(value("off_chip_flash_cycles"), 2000);
  EXPECT_EQ(value("mac_utilization"), 1.5);
}

TEST(ImportVela, TellsTheSumAsPredictedLatency) {
  const Profile profile = import_text("vela", kVelaSample, {.clock_mhz = 500});
  ASSERT_EQ(profile.latency.size(), 1u);
  EXPECT_DOUBLE_EQ(*profile.latency[0].value, 0.02);
  EXPECT_EQ(profile.latency[0].mode, Mode::Predicted);
  EXPECT_EQ(profile.notes[0], "Vela's prediction in cycles, at a clock of 500 MHz that was given");
}

TEST(ImportVela, NeedsAClock) {
  const Result<Profile> profile = importer_named("vela").read(kVelaSample, {});
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(profile.error().message,
            "the file counts cycles and does not tell the clock, which has to be given");
}

TEST(ImportVela, TakesTheClockFromTheSummaryInFront) {
  const std::string summary =
      "Network summary for net\n"
      "Accelerator configuration               Ethos_U55_256\n"
      "Accelerator clock                                 250 MHz\n\n";
  const Profile profile = import_text("vela", summary + std::string(kVelaSample));
  EXPECT_EQ(profile.device, "Ethos_U55_256");
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 32);
  EXPECT_EQ(import_error("vela", with(summary, "250", "some") + std::string(kVelaSample)),
            "Accelerator clock is 'some ', expected a number from 0 to 1e+06");
  EXPECT_EQ(import_error("vela", summary + with(kVelaSample, "8000.0", "many")),
            "line 6: Op Cycles is 'many', expected a number from 0 to 1e+18");
}

TEST(ImportVela, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("vela", with(kVelaSample, from, to), {.clock_mhz = 500});
  };
  EXPECT_EQ(error("8000.0", "-1"), "line 2: Op Cycles is '-1', expected a number from 0 to 1e+18");
  EXPECT_EQ(error("8000.0", "9e17"), "line 2: 9e+17 cycles at 500 MHz");
  EXPECT_EQ(error("Op Cycles", "Cycles"), "line 1: no column 'Op Cycles'");
  EXPECT_EQ(error(",\"net/conv/Relu, fused\"", ""), "line 2: no name of a layer in column 15");
  EXPECT_EQ(error("fused\"", "fused"), "line 2: a quote does not end; the file may be cut off");
  EXPECT_EQ(import_error("vela", kVelaSample.substr(0, kVelaSample.find('\n')), {.clock_mhz = 1}),
            "line 1: no layers below");
}

}  // namespace
}  // namespace hone
