#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "hone/profile/import/import_testing.h"

namespace hone {
namespace {

Profile sample() {
  return import_text("pytorch", kPytorchSample);
}

TEST(ImportPytorch, TellsWhatTheGpuDidByOperator) {
  const Profile profile = sample();
  EXPECT_EQ(profile.tool, "pytorch");
  EXPECT_EQ(profile.target, "cuda");
  EXPECT_EQ(profile.device, "NVIDIA H200");
  ASSERT_EQ(profile.steps.size(), 3u);  // Not that in front of the runs.
  EXPECT_EQ(profile.steps[0].name, "aten::to 1");
  EXPECT_EQ(profile.steps[0].op, "aten::copy_");
  EXPECT_EQ(profile.steps[0].read_bytes, 1024u);
  EXPECT_EQ(profile.steps[0].kind.family, StepFamily::Movement);
  EXPECT_EQ(profile.steps[1].name, "aten::linear 1");
  EXPECT_EQ(profile.steps[1].op, "aten::addmm");
  EXPECT_EQ(profile.steps[1].macs, 2 * 8 * 4);
  EXPECT_EQ(kernel_name(profile.steps[1].kind),
            "cutlass_80_simt_sgemm_256x128_8x4_nn_align1 fp32 cores");
  EXPECT_EQ(profile.steps[1].kind.precision, Arithmetic::Fp32);
  EXPECT_EQ(profile.steps[1].us_p90, 980);  // 1000 and 800 us: one step in both runs.
  EXPECT_EQ(profile.steps[2].name, "aten::item 1");
}

TEST(ImportPytorch, KeepsExtentsOfWhatTakesEachValueByItself) {
  constexpr std::string_view kName =
      "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm_"
      "256x128_8x4_nn_align1::Params)";
  const std::string text =
      with(kPytorchSample, kName, "void at::native::vectorized_elementwise_kernel<4>(P)");
  EXPECT_EQ(import_text("pytorch", text).steps.at(1).output, "[8,4]");
  EXPECT_EQ(sample().steps.at(1).output, "");  // Of a product they do not tell it.
}

TEST(ImportPytorch, KeepsHowAKernelWasLaunched) {
  const Profile profile = sample();
  const std::vector<Metric>& counters = profile.steps[1].counters;
  EXPECT_EQ(find_metric(counters, "blocks")->value, 128);
  EXPECT_EQ(find_metric(counters, "threads per block")->value, 256);
  EXPECT_EQ(find_metric(counters, "registers per thread")->value, 202);
  EXPECT_EQ(find_metric(counters, "shared memory per block")->value, 49152);
  EXPECT_EQ(find_metric(counters, "estimated occupancy")->mode, Mode::Predicted);
}

// The first from its own start, the second from the end of the first to the end of its kernel.
TEST(ImportPytorch, RunsEndWhenHostAndGpuAreDone) {
  EXPECT_EQ(sample().samples_ms, (std::vector<double>{2, 1}));
  const std::string one = with(kPytorchSample, "step#1", "other");
  EXPECT_EQ(import_text("pytorch", with(one, "step#0", "first")).samples_ms.size(), 1u);
}

TEST(ImportPytorch, KeepsTheFirstOfThreeRunsApart) {
  std::string text(kPytorchSample);
  const size_t second = text.find(R"({"ph": "X", "cat": "user_annotation", "name": "step#1")");
  const size_t end = text.find(R"({"name": "process_name")");
  std::string third = text.substr(second, end - second);
  for (const auto& [from, to] :
       {std::pair("step#1", "step#2"), std::pair("3100.0", "4100.0"), std::pair("3150.0", "4150.0"),
        std::pair("3160.0", "4160.0"), std::pair("3200.0", "4200.0"),
        std::pair("\"correlation\": 6", "\"correlation\": 7"),
        std::pair("\"correlation\": 6", "\"correlation\": 7")}) {
    third = with(third, from, to);
  }
  const Profile profile = import_text("pytorch", text.insert(end, third));
  EXPECT_EQ(profile.samples_ms, (std::vector<double>{1, 1}));
  EXPECT_EQ(profile.notes.at(1), "the first of 3 runs is kept apart");
}

// Of the first run, the nearest to the median: times are read off the sample.
TEST(ImportPytorch, SaysForWhomTheGpuWaited) {
  const Profile profile = sample();
  ASSERT_TRUE(profile.gpu.has_value());
  const GpuTimeline& gpu = *profile.gpu;
  EXPECT_EQ(gpu.gpu, "NVIDIA H200");
  EXPECT_EQ(gpu.capability, "9.0");
  EXPECT_EQ(gpu.processors, 132);
  EXPECT_EQ(gpu.kernels, 1);
  EXPECT_EQ(gpu.run_us, 2000);
  EXPECT_EQ(gpu.busy_us, 120 + 1000 + 10);
  EXPECT_EQ(gpu.loading_us, 420);  // Until the host copies what it made.
  EXPECT_EQ(gpu.copying_us, 30 + 10);
  EXPECT_EQ(gpu.launching_us, 40 + 10 + 10 + 10);  // The last between kernel and copy.
  EXPECT_EQ(gpu.waiting_us, 30);
  EXPECT_EQ(gpu.host_us, 310);  // Behind the last call.
  EXPECT_EQ(gpu.busy_us + gpu.loading_us + gpu.copying_us + gpu.launching_us + gpu.waiting_us +
                gpu.host_us,
            gpu.run_us);
  EXPECT_EQ(gpu.capturable, 0);  // One launch is no reason for a graph.
  ASSERT_EQ(gpu.waits.size(), 1u);
  EXPECT_EQ(gpu.waits[0].what, "aten::item");
  EXPECT_EQ(gpu.waits[0].count, 1);
  EXPECT_EQ(gpu.waits[0].us, 1020);
  ASSERT_EQ(gpu.copies.size(), 2u);
  EXPECT_EQ(gpu.copies[0].what, "HtoD, pageable");
  EXPECT_EQ(gpu.copies[0].bytes, 1024u);
  EXPECT_EQ(gpu.copies[1].what, "DtoH, pinned");
}

TEST(ImportPytorch, TheTimelineHasStreamsAndWhatTheGpuWaitedFor) {
  const Profile profile = sample();
  EXPECT_EQ(profile.tracks, (std::vector<std::string>{"stream 7", "GPU idle"}));
  std::vector<std::string> seen;
  double busy = 0;
  double idle = 0;
  for (const TimelineEvent& event : profile.timeline) {
    seen.push_back(event.what.empty() ? profile.steps[event.step].name : event.what);
    (event.thread == 0 ? busy : idle) += event.us;
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"aten::to 1", "aten::linear 1", "aten::item 1",
                                            "data being prepared", "feeding a copy",
                                            "feeding a copy", "launching", "launching", "waiting",
                                            "other work of the host"}));
  EXPECT_EQ(busy, profile.gpu->busy_us);
  EXPECT_EQ(busy + idle, profile.gpu->run_us);
  EXPECT_EQ(profile.timeline[6].step, 1u);  // Launching the product.
}

// Time in which the host makes no call is loading when a copy follows, or a loader is at work.
TEST(ImportPytorch, TellsLoadingFromOtherWorkOfTheHost) {
  const std::string other =
      with(kPytorchSample, "HtoD (Pageable -> Device)", "DtoD (Device -> Device)");
  const GpuTimeline gpu = *import_text("pytorch", other).gpu;
  EXPECT_EQ(gpu.loading_us, 0);
  EXPECT_EQ(gpu.host_us, 310 + 420);
  ASSERT_EQ(gpu.host_work.size(), 3u);
  EXPECT_EQ(gpu.host_work[0].what, "outside operators");
  EXPECT_EQ(gpu.host_work[0].us, 400 + 240);
  EXPECT_EQ(gpu.host_work[1].what, "aten::item");  // Until it returns.
  EXPECT_EQ(gpu.host_work[1].us, 70);
  EXPECT_EQ(gpu.host_work[2].what, "aten::to");

  const std::string loader = with(other, R"("cpu_op", "name": "aten::to")",
                                  R"("user_annotation", "name": "enumerate(DataLoader)#next")");
  const GpuTimeline loading = *import_text("pytorch", loader).gpu;
  EXPECT_EQ(loading.loading_us, 420);
  EXPECT_EQ(loading.preparing_us, 200);  // All of it, and not only what the GPU waits.
  EXPECT_EQ(gpu.preparing_us, 0);
  EXPECT_EQ(loading.host_us, 310);
}

TEST(ImportPytorch, TellsOfTheBusiestOfSeveralGpus) {
  std::string text = with(kPytorchSample, R"({"id": 0, )",
                          R"({"id": 1, "name": "NVIDIA H100", "computeMajor": 9}, {"id": 0, )");
  // Both products.
  for (int i = 0; i < 2; ++i) {
    const size_t product =
        text.find(R"("cat": "kernel", "name": "void cutlass)", i * text.find("step#1"));
    const size_t args = text.find(R"("args": {)", product) + 9;
    text.insert(args, R"("device": 1, )");
  }
  const Profile profile = import_text("pytorch", text);
  EXPECT_EQ(profile.device, "NVIDIA H100");
  ASSERT_EQ(profile.steps.size(), 1u);
  EXPECT_EQ(profile.steps[0].name, "aten::linear 1");
  EXPECT_NE(std::ranges::find(profile.notes, "of 2 GPUs that which was busiest, number 1"),
            profile.notes.end());
}

// In place of what the host does before it copies.
TEST(ImportPytorch, TakingMemoryIsNotLaunching) {
  const size_t second =
      kPytorchSample.find(R"({"ph": "X", "cat": "user_annotation", "name": "step#0")");
  std::string text(kPytorchSample);
  text.insert(second,
              R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaMalloc", "pid": 5, "tid": 5,)"
              R"( "ts": 1100.0, "dur": 200, "args": {"correlation": 90}},)");
  const GpuTimeline gpu = *import_text("pytorch", text).gpu;
  EXPECT_EQ(gpu.allocating_us, 200);
  EXPECT_EQ(gpu.busy_us + gpu.loading_us + gpu.copying_us + gpu.launching_us + gpu.waiting_us +
                gpu.host_us + gpu.allocating_us,
            gpu.run_us);
  ASSERT_EQ(gpu.allocations.size(), 1u);
  EXPECT_EQ(gpu.allocations[0].what, "cudaMalloc");
  EXPECT_EQ(gpu.allocations[0].us, 200);
  EXPECT_TRUE(sample().gpu->allocations.empty());
}

TEST(ImportPytorch, SaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view from, std::string_view to) {
    return import_error("pytorch", with(kPytorchSample, from, to));
  };
  EXPECT_EQ(error("\"ts\": 905.0", "\"ts\": \"soon\""),
            "line 6: event 'warm_up': ts is 'soon', expected a number from 0 to 1e+16");
  EXPECT_EQ(error("\"traceEvents\"", "\"events\""), "line 29: no list 'traceEvents'");
  EXPECT_EQ(error("\"dur\": 9,", "\"dur\": -9,"),
            "line 6: event 'warm_up': dur is '-9', expected a number from 0 to 1e+12");
  EXPECT_EQ(error("\"name\": \"warm_up\"", "\"name\": \"\""),
            "line 6: event '': no 'name', expected that of a kernel");
  std::string no_kernels(kPytorchSample);
  for (const char* kind : {"\"kernel\"", "\"gpu_memcpy\""}) {
    while (no_kernels.find(kind) != std::string::npos) no_kernels = with(no_kernels, kind, "\"x\"");
  }
  EXPECT_EQ(import_error("pytorch", no_kernels),
            "the GPU did nothing in it: let the profiler record its activity");
  EXPECT_EQ(import_error("pytorch", kPytorchSample.substr(0, 2000)),
            "line 16: not JSON, or cut off");
}

// Two kernels of 100 us, the second from the middle of the first on: the GPU was busy for 150.
TEST(ImportPytorch, KernelsAtOnceShareTheirTime) {
  const Profile profile = import_text("pytorch", R"json({"traceEvents": [
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0,
     "dur": 1, "args": {"correlation": 1}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2,
     "dur": 1, "args": {"correlation": 2}},
    {"ph": "X", "cat": "kernel", "name": "left", "pid": 0, "tid": 7, "ts": 10, "dur": 100,
     "args": {"correlation": 1, "device": 0, "stream": 7}},
    {"ph": "X", "cat": "kernel", "name": "right", "pid": 0, "tid": 8, "ts": 60, "dur": 100,
     "args": {"correlation": 2, "device": 0, "stream": 8}}]})json");
  ASSERT_EQ(profile.steps.size(), 2u);
  EXPECT_DOUBLE_EQ(profile.steps[0].us, 75);
  EXPECT_DOUBLE_EQ(profile.steps[1].us, 75);
  EXPECT_DOUBLE_EQ(profile.gpu->busy_us, 150);
  EXPECT_TRUE(std::ranges::any_of(profile.notes, [](const std::string& note) {
    return note.starts_with("kernels ran at once");
  }));
}

}  // namespace
}  // namespace hone
