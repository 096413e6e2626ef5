#include "hone/targets/cuda/concat_parts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hone/base/str.h"
#include "hone/targets/cuda/plan.h"

namespace hone::cuda {
namespace {

GpuInfo some_gpu() {
  GpuInfo gpu;
  gpu.major = 9;
  gpu.multiprocessors = 132;
  gpu.l2_bytes = size_t{50} << 20;
  gpu.most_shared_bytes = 232448;
  return gpu;
}

// Copies that the plan makes for its concatenations, and where their parts lie that are in place.
struct Placed {
  size_t copies = 0;
  std::vector<size_t> within;
};

Placed placed(std::string_view body) {
  Result<Graph> graph = parse_graph(body);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto plan = make_plan(*std::move(graph), {}, some_gpu());
  EXPECT_TRUE(plan.ok()) << plan.error().message;
  Placed result;
  for (const Step& step : (*plan)->steps) {
    if (step.kind.work == "copy") result.copies += step.variant().launches.size();
    const SlotInfo& slot = (*plan)->slots[step.writes[0]];
    if (slot.root != step.writes[0]) result.within.push_back(slot.within);
  }
  return result;
}

TEST(ConcatParts, AreWrittenWhereTheyBelong) {
  const Placed rows = placed(R"(graph(%x: f32[2,3,8], %z: f32[2,3,16]) -> (%y) {
  %a: f32[2,3,8] = relu(%x)
  %b: f32[2,3,16] = sqrt(%z)
  %y: f32[2,3,24] = concat(%a, %b) axis=-1
}
)");
  EXPECT_EQ(rows.copies, 0u);
  EXPECT_EQ(rows.within, (std::vector<size_t>{0, 32}));
}

TEST(ConcatParts, AreSeenThroughViews) {
  const Placed rows = placed(R"(graph(%x: f32[1,3,2,8], %z: f32[1,6,8]) -> (%y) {
  const %s: i64[3] = {1 6 8}
  %a: f32[1,3,2,8] = relu(%x)
  %v: f32[1,6,8] = reshape(%a, %s)
  %b: f32[1,6,8] = sqrt(%z)
  %y: f32[1,12,8] = concat(%v, %b) axis=1
}
)");
  EXPECT_EQ(rows.copies, 0u);
  EXPECT_EQ(rows.within, (std::vector<size_t>{0, 6 * 8 * 4}));
}

TEST(ConcatParts, AreCopiedWhereOthersReadThemOrTheyDoNotFit) {
  // %a is an output as well, and an input is made by nobody. %c begins anywhere, element by element;
  // products do not.
  const Placed copied = placed(R"(graph(%x: f32[2,1], %z: f32[2,8]) -> (%y, %a) {
  const %w: f32[8,1] = {1 2 3 4 5 6 7 8}
  %a: f32[2,1] = relu(%x)
  %c: f32[2,8] = sqrt(%z)
  %m: f32[2,1] = gemm(%z, %w)
  %y: f32[2,18] = concat(%a, %c, %z, %m) axis=1
}
)");
  EXPECT_EQ(copied.copies, 3u);
  EXPECT_EQ(copied.within, std::vector<size_t>{4});
}

TEST(ConcatParts, AreTakenOutOfASplitWithoutACopy) {
  const Placed rows = placed(R"(graph(%x: f32[2,3,5]) -> (%y) {
  %a: f32[2,3,2], %b: f32[2,3,3] = split(%x, i64[2]{2 3}) axis=-1
  %c: f32[2,3,2] = relu(%a)
  %d: f32[2,3,3] = sqrt(%b)
  %y: f32[2,3,5] = concat(%d, %c) axis=-1
}
)");
  EXPECT_EQ(rows.copies, 0u);
  EXPECT_EQ(rows.within, (std::vector<size_t>{12, 0}));
  // What an output of the network is has to be there.
  const Placed kept = placed(R"(graph(%x: f32[2,3,5]) -> (%a, %d) {
  %a: f32[2,3,2], %b: f32[2,3,3] = split(%x, i64[2]{2 3}) axis=-1
  %d: f32[2,3,3] = sqrt(%b)
}
)");
  EXPECT_EQ(kept.copies, 2u);
}

}  // namespace
}  // namespace hone::cuda
