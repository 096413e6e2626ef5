#include <gtest/gtest.h>

#include <algorithm>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

TEST(ImportNsightSystems, TellsKernelsAndCopiesAsSteps) {
  const Profile profile = import_text("nsight_systems", kNsightSystemsSample);
  EXPECT_EQ(profile.tool, "nsight systems");
  EXPECT_EQ(profile.device, "NVIDIA H200");
  EXPECT_EQ(profile.gpu->capability, "9.0");
  ASSERT_EQ(profile.steps.size(), 3u);
  EXPECT_EQ(kernel_name(profile.steps[0].kind), "copy HtoD, pageable");
  EXPECT_EQ(profile.steps[0].read_bytes, 1000u);
  EXPECT_EQ(profile.steps[1].name, "cutlass_80_simt_sgemm_256x128_8x4_nn_align1 1");
  EXPECT_EQ(profile.steps[1].us_p90, 980);
  EXPECT_EQ(find_metric(profile.steps[1].counters, "blocks")->value, 128);
  EXPECT_EQ(find_metric(profile.steps[1].counters, "threads per block")->value, 256);
  EXPECT_EQ(find_metric(profile.steps[1].counters, "registers per thread")->value, 202);
  EXPECT_EQ(profile.samples_ms, (std::vector<double>{2, 1}));
}

// The same run as PyTorch's profiler tells it, but for the operators.
TEST(ImportNsightSystems, SaysForWhomTheGpuWaited) {
  const GpuTimeline here = *import_text("nsight_systems", kNsightSystemsSample).gpu;
  const GpuTimeline there = *import_text("pytorch", kPytorchSample).gpu;
  EXPECT_EQ(here.run_us, there.run_us);
  EXPECT_EQ(here.busy_us, there.busy_us);
  EXPECT_EQ(here.launching_us, there.launching_us);
  EXPECT_EQ(here.waiting_us, there.waiting_us);
  EXPECT_EQ(here.copying_us, there.copying_us);
  EXPECT_EQ(here.loading_us, there.loading_us);
  EXPECT_EQ(here.host_us, there.host_us);
  ASSERT_EQ(here.copies.size(), 2u);
  EXPECT_EQ(here.copies[0].what, "HtoD, pageable");
  EXPECT_EQ(here.copies[1].what, "DtoH, pinned");
  EXPECT_EQ(here.waits[0].what, "cudaMemcpyAsync");
}

TEST(ImportNsightSystems, DoesWithTheGpuAlone) {
  const size_t calls =
      kNsightSystemsSample.find("\nProcessing [report1.sqlite] with [reports/cuda_api");
  const Profile profile = import_text("nsight_systems", kNsightSystemsSample.substr(0, calls));
  // All kernels of a name are one step where nothing tells runs apart.
  ASSERT_EQ(profile.steps.size(), 4u);
  EXPECT_EQ(profile.steps[2].name, "cutlass_80_simt_sgemm_256x128_8x4_nn_align1");
  EXPECT_EQ(profile.steps[2].us, 1800);
  EXPECT_EQ(profile.notes.at(0), "the trace marks no runs: all of it counts as one");
  EXPECT_EQ(profile.notes.at(1),
            "without the calls of the host (report cuda_api_trace) nothing tells why the GPU "
            "waited");
  EXPECT_EQ(profile.gpu->launching_us, 0);
  EXPECT_NEAR(profile.gpu->unknown_us, profile.gpu->run_us - profile.gpu->busy_us, 1e-6);
}

// The host waits for the graph, and has nothing to do with the time between its kernels.
TEST(ImportNsightSystems, TellsGapsInsideGraphs) {
  const GpuTimeline gpu =
      *import_text("nsight_systems",
                   "Start (ns),Duration (ns),CorrId,GrdX,Name\n"
                   "20000,10000,1,8,a\n35000,10000,1,8,b\n50000,10000,2,8,c\n\n"
                   "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid\n"
                   "10000,5000,cudaGraphLaunch,0,1,5,5\n15000,31000,cudaStreamSynchronize,0,3,5,5\n"
                   "46000,2000,cudaLaunchKernel,0,2,5,5\n")
           .gpu;
  EXPECT_EQ(gpu.graph_us, 5);
  EXPECT_EQ(gpu.busy_us, 30);
  EXPECT_EQ(gpu.run_us, 50);
}

// Runs of 100 us, of which the second has a copy of 20 us. The first is kept apart, and two of the others count.
TEST(ImportNsightSystems, CountsWhatOnlySomeRunsHaveInPart) {
  std::string works = "Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Name\n";
  std::string marks = "\nStart (ns),End (ns),Duration (ns),Name,TID,RangeId\n";
  for (int run = 0; run < 5; ++run) {
    const int start = 100'000 * run;
    works += str(start + 1000, ",5000,1,8,,a\n");
    if (run == 1) works += str(start + 10'000, ",20000,2,,1.0,[CUDA memcpy Host-to-Device]\n");
    marks += str(start, ",", start + 100'000, ",100000,:step,5,", run + 1, "\n");
  }
  const Profile profile = import_text("nsight_systems", works + marks);
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_EQ(profile.steps[0].us, 5);
  EXPECT_EQ(profile.steps[1].us, 10);
  EXPECT_EQ(profile.steps[1].read_bytes, 500'000u);
}

TEST(ImportNsightSystems, RefusesRowsThatAreCutOff) {
  const size_t cut = kNsightSystemsSample.find("cuLaunchKernelEx,0,6");
  EXPECT_NE(
      import_error("nsight_systems", kNsightSystemsSample.substr(0, cut + 16)).find("cut off"),
      std::string::npos);
}

TEST(ImportNsightSystems, SaysThatCopiesRanBesideKernels) {
  const Profile profile = import_text("nsight_systems",
                                      "Start (ns),Duration (ns),CorrId,GrdX,Strm,Name\n"
                                      "1000,10000,1,8,1,a\n"
                                      "2000,5000,2,,2,[CUDA memcpy Host-to-Device]\n");
  EXPECT_EQ(profile.gpu->busy_us, 10);
  EXPECT_TRUE(std::ranges::any_of(profile.notes, [](const std::string& note) {
    return note.starts_with("copies ran beside kernels");
  }));
}

TEST(ImportNsightSystems, KnowsTheUnitsOfTime) {
  std::string text(kNsightSystemsSample);
  const std::string gpu =
      with(text, "Start (ns),Duration (ns),CorrId", "Start (us),Duration (us),CorrId");
  const size_t calls = gpu.find("\nProcessing [report1.sqlite] with [reports/cuda_api");
  EXPECT_EQ(import_text("nsight_systems", gpu.substr(0, calls)).steps[2].us, 1.8e6);
}

TEST(ImportNsightSystems, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("nsight_systems", with(kNsightSystemsSample, from, to));
  };
  EXPECT_EQ(error("905000,9000", "905000,long"),
            "line 3: Duration (ns) is 'long', expected a number from 0 to 1e+15");
  EXPECT_EQ(error("Start (ns)", "Start (h)"),
            "line 2: column 'Start (h)', expected ns, us, ms or s in brackets");
  EXPECT_EQ(error("7,warm_up", "7,"), "line 3: no 'Name'");
  EXPECT_EQ(error("7,warm_up", "7,warm_up,more"), "line 3: 22 columns, expected 21");
  const size_t cut = kNsightSystemsSample.find("T1::Params");
  EXPECT_EQ(import_error("nsight_systems", kNsightSystemsSample.substr(0, cut)),
            "line 5: a quote does not end; the file may be cut off");
  EXPECT_EQ(import_error("nsight_systems", "Start (ns),Duration (ns),CorrId,GrdX,Name\n"),
            "the GPU did nothing in it: let the profiler record its activity");
}

// A column that says ns and has seconds, or the other way round.
TEST(ImportNsightSystems, DoesNotTakeSecondsForNanoseconds) {
  const std::string text = "Start (ns),Duration (ns),CorrId,GrdX,Name\n0.5,0.001,1,8,k\n";
  EXPECT_EQ(import_error("nsight_systems", text),
            "the longest that the GPU did takes 1e-06 us, which is less than anything does: times "
            "may be in seconds");
  EXPECT_EQ(import_text("nsight_systems", with(text, "0.001", "1000")).steps.at(0).us, 1);
}

TEST(ImportNsightSystems, ACopyBackAndItsWaitAreOneWait) {
  const GpuTimeline gpu = *import_text("nsight_systems", kNsightSystemsSample).gpu;
  ASSERT_EQ(gpu.waits.size(), 1u);
  EXPECT_EQ(gpu.waits[0].what, "cudaMemcpyAsync");
  EXPECT_EQ(gpu.waits[0].count, 1);
  EXPECT_EQ(gpu.waits[0].us, 1020);
}

TEST(ImportNsightSystems, TellsOfTheBusiestOfSeveralGpus) {
  const std::string text =
      with(with(kNsightSystemsSample, "NVIDIA H200 (0),1,,7,\"void", "NVIDIA H100 (1),1,,7,\"void"),
           "NVIDIA H200 (0),1,,7,\"void", "NVIDIA H100 (1),1,,7,\"void");
  const Profile profile = import_text("nsight_systems", text);
  EXPECT_EQ(profile.device, "NVIDIA H100");
  EXPECT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.notes.back(), "of 2 GPUs that which was busiest, number 1");
}

}  // namespace
}  // namespace hone
