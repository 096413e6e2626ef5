// PyTorch programs that are slow by design on an H200: what holds each back must be named first, and
// what the cure is said to gain must be near to what it did gain. Their traces are one run each, cut
// out by tools/cut_pytorch_trace.py.

#include <gtest/gtest.h>

#include <iostream>

#include "hone/profile/import/import.h"
#include "hone/profile/profile_json.h"
#include "hone/workbench/diagnose_model.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

// Times without the profiler, in ms, of the whole run and of the cured program.
struct SlowProgram {
  std::string name;
  std::string rule;
  double slow_ms;
  double cured_ms;
  // What the test holds of the run, where that is cut short.
  double (*part)(const GpuTimeline& gpu) = [](const GpuTimeline&) { return 1.0; };
};

double part_of_launches(const GpuTimeline& gpu) {
  return static_cast<double>(gpu.kernels) / 243;
}
double part_of_waits(const GpuTimeline& gpu) {
  double waits = 0;
  for (const GpuCost& cost : gpu.waits) waits += static_cast<double>(cost.count);
  return waits / 48;
}

const SlowProgram kPrograms[] = {
    {"data_loading", "gpu_data_loading", 73.8, 1.88},
    {"launch_bound", "gpu_launch_bound", 4.514, 0.497, part_of_launches},
    {"synchronising", "gpu_synchronising", 3.357, 2.745, part_of_waits},
    {"fp32_products", "gpu_fp32_products", 16.317, 1.107},
    {"copies", "gpu_copies", 35.522, 2.899},
};

Diagnosis diagnosis_of(const std::string& name) {
  Result<Profile> profile =
      import_profile(source_dir() / "tests" / "profiles" / "pytorch" / (name + ".json"));
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? diagnose_imported(*std::move(profile)) : Diagnosis();
}

TEST(GpuFindings, TheCauseIsNamedFirstAndPriced) {
  for (const SlowProgram& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const Diagnosis diagnosis = diagnosis_of(program.name);
    ASSERT_FALSE(diagnosis.findings.empty());
    const Finding& first = diagnosis.findings[0];
    EXPECT_EQ(first.rule, program.rule);
    ASSERT_TRUE(first.gain.value.has_value());
    const double obtained =
        (program.slow_ms - program.cured_ms) * program.part(*diagnosis.profile.gpu);
    std::cout << program.name << ": predicted " << *first.gain.value << " ms, obtained " << obtained
              << " ms\n";
    EXPECT_NEAR(*first.gain.value / obtained, 1, 0.3);
    EXPECT_LE(*first.gain.low, obtained);
  }
}

// Each rule is silent about programs without its flaw.
TEST(GpuFindings, OthersAreNotBlamed) {
  for (const SlowProgram& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const Diagnosis diagnosis = diagnosis_of(program.name);
    const double run_ms = median_ms(diagnosis.profile);
    for (const Finding& finding : diagnosis.findings) {
      if (finding.rule == program.rule || !finding.gain.value) continue;
      EXPECT_LT(*finding.gain.value, 0.1 * run_ms) << finding.rule;
    }
  }
}

const Finding* finding_of(const Diagnosis& diagnosis, const std::string& rule) {
  for (const Finding& finding : diagnosis.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

// Kernels of a run under Nsight Compute, where no time lies between them: a product, a convolution
// in another layout than the rest, a softmax, each of too little to fill an H200, and two kernels
// that make random numbers.
TEST(GpuFindings, CountersTellWhatHoldsKernelsBack) {
  Result<Profile> profile = import_profile(source_dir() / "tests" / "profiles" / "ncu.csv");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->gpu->processors, 132);
  const Diagnosis diagnosis = diagnose_imported(*std::move(profile));
  const std::vector<StepProfile>& steps = diagnosis.profile.steps;
  ASSERT_EQ(steps.size(), 8u);

  const Finding* small = finding_of(diagnosis, "gpu_small_kernels");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(diagnosis.findings[0].rule, "gpu_small_kernels");
  EXPECT_EQ(small->steps, (std::vector<size_t>{2, 3, 4, 5, 6, 7}));

  const Finding* layout = finding_of(diagnosis, "gpu_layout_changes");
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->steps, (std::vector<size_t>{4, 6}));
  EXPECT_NEAR(*layout->gain.value, 1e-3 * (steps[4].us + steps[6].us), 1e-9);

  const Finding* tail = finding_of(diagnosis, "gpu_tail_wave");  // 1.55 and 1.19 waves.
  ASSERT_NE(tail, nullptr);
  EXPECT_EQ(tail->steps, (std::vector<size_t>{0, 1}));
  EXPECT_NEAR(*tail->gain.value,
              1e-3 * (steps[0].us * (1 - 1.55 / 2) + steps[1].us * (1 - 1.19 / 2)), 1e-9);

  const Finding* occupancy = finding_of(diagnosis, "gpu_low_occupancy");
  ASSERT_NE(occupancy, nullptr);
  EXPECT_EQ(occupancy->steps, (std::vector<size_t>{0, 1}));
  EXPECT_NE(occupancy->title.find("held back by registers"), std::string::npos) << occupancy->title;
}

// The sum of a matrix and another one's transpose, and of two that lie alike: 8192 x 8192 floats.
TEST(GpuFindings, CountersTellOfBytesThatAreFetchedForNothing) {
  Result<Profile> profile =
      import_profile(source_dir() / "tests" / "profiles" / "ncu_uncoalesced.csv");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const Diagnosis diagnosis = diagnose_imported(*std::move(profile));
  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings[0].rule, "gpu_uncoalesced");
  EXPECT_EQ(diagnosis.findings[0].steps, std::vector<size_t>{0});
  constexpr double kObtainedMs = 0.494 - 0.187;  // Without the profiler.
  EXPECT_NEAR(*diagnosis.findings[0].gain.value / kObtainedMs, 1, 0.3);
  // The other one takes what its memory takes.
  const Finding* memory = finding_of(diagnosis, "gpu_memory_bound");
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->steps, std::vector<size_t>{1});
}

// The ten longest steps of a MobileNet on an H200, as if its power had been limited: the clock and its
// reason are put in, the rest was measured.
TEST(GpuFindings, AClockThatIsHeldBackIsSeenInAResultFile) {
  Result<Profile> profile =
      read_profile(source_dir() / "tests" / "profiles" / "gpu_throttled.json");
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  const double kernels = profile->gpu->busy_us - 47;  // Without copies.
  const Diagnosis diagnosis = diagnose_imported(*profile);
  const Finding* clock = finding_of(diagnosis, "gpu_throttled");
  ASSERT_NE(clock, nullptr);
  EXPECT_NEAR(1e3 * *clock->gain.value, kernels * (1 - 1320.0 / 1980), 0.1);
  EXPECT_NE(clock->title.find("power limit"), std::string::npos) << clock->title;
  profile->gpu->running_mhz = 1980;
  const Diagnosis full = diagnose_imported(*profile);
  EXPECT_EQ(finding_of(full, "gpu_throttled"), nullptr);
}

// A MobileNet of one image: batch norms that were not folded, activations of their own.
TEST(GpuFindings, ChainsOfElementwiseKernelsAreSeen) {
  Profile profile = diagnosis_of("launch_bound").profile;
  // As if nothing but the GPU took time, as in a CUDA graph.
  profile.latency = {{.name = "median", .value = profile.gpu->busy_us * 1e-3, .unit = "ms"}};
  const Diagnosis diagnosis = diagnose_imported(profile);
  const Finding* chains = finding_of(diagnosis, "gpu_elementwise_chain");
  ASSERT_NE(chains, nullptr);
  for (const size_t s : chains->steps) {
    const StepFamily family = profile.steps[s].kind.family;
    EXPECT_TRUE(family == StepFamily::Elementwise || family == StepFamily::Conversion);
  }
  const double part = *chains->gain.value / (profile.gpu->busy_us * 1e-3);
  EXPECT_GT(part, 0.2);
  EXPECT_LT(part, 0.5);
}

TEST(GpuFindings, TimesOfTheGpuAddUpToTheRun) {
  for (const SlowProgram& program : kPrograms) {
    const Profile profile = diagnosis_of(program.name).profile;
    ASSERT_TRUE(profile.gpu.has_value());
    const GpuTimeline& gpu = *profile.gpu;
    EXPECT_NEAR(gpu.busy_us + gpu.launching_us + gpu.waiting_us + gpu.copying_us + gpu.loading_us +
                    gpu.host_us,
                gpu.run_us, 1e-3)
        << program.name;
  }
}

}  // namespace
}  // namespace hone
