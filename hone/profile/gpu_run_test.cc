#include "hone/profile/gpu_run.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(GpuRun, GivesWhatIsNobodysToTheHost) {
  const Samples samples{.plain = {400e-6},
                        .device = {250e-6},
                        .watched = {{.whole = 410e-6,
                                     .copying_in = 60e-6,
                                     .copying_out = 10e-6,
                                     .on_host = 30e-6,
                                     .binding = 8e-6,
                                     .giving = 5e-6}}};
  const Accelerator gpu{.name = "a GPU",
                        .capability = "9.0",
                        .processors = 132,
                        .launches = 59,
                        .copies_in = 1,
                        .copies_out = 2,
                        .bytes_in = 600,
                        .bytes_out = 8};
  const GpuTimeline timeline = gpu_timeline_of(gpu, samples);
  EXPECT_EQ(timeline.gpu, "a GPU");
  EXPECT_EQ(timeline.kernels, 59);
  EXPECT_NEAR(timeline.run_us, 400, 1e-6);
  EXPECT_NEAR(timeline.busy_us, 320, 1e-6);
  EXPECT_NEAR(timeline.host_us, 30, 1e-6);
  EXPECT_NEAR(timeline.copying_us, 13, 1e-6);
  EXPECT_NEAR(timeline.launching_us, 37, 1e-6);
  ASSERT_EQ(timeline.copies.size(), 2u);
  EXPECT_EQ(timeline.copies[1].what, "DtoH, pinned");
  EXPECT_EQ(timeline.copies[1].count, 2);
  EXPECT_EQ(timeline.copies[0].bytes, 600u);
}

TEST(GpuRun, IsNeverShorterThanItsParts) {
  const Samples samples{
      .plain = {100e-6}, .device = {90e-6}, .watched = {{.whole = 110e-6, .copying_in = 20e-6}}};
  const GpuTimeline timeline = gpu_timeline_of({}, samples);
  EXPECT_NEAR(timeline.run_us, 110, 1e-6);
  EXPECT_NEAR(timeline.launching_us, 0, 1e-6);
}

}  // namespace
}  // namespace hone
