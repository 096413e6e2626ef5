// Plans of VTCM: by hand, and of networks that chance makes, none of which may write over what is still read.

#include "hone/targets/c_code/vtcm.h"

#include <gtest/gtest.h>

#include <random>

namespace hone::c_code {
namespace {

StepConstants panels_of(size_t count, size_t bytes, size_t common = 0) {
  return {.common = common, .panels = count, .panel = bytes, .last_panel = bytes};
}

std::vector<Residence> residences(const VtcmPlan& plan) {
  std::vector<Residence> list;
  for (const VtcmStep& step : plan.steps) list.push_back(step.residence);
  return list;
}

TEST(Vtcm, NoneIsPlannedWhereThereIsNone) {
  const VtcmPlan plan = plan_vtcm({panels_of(1, 1024)}, {{128, 0, 0}}, 0);
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_TRUE(plan.tensors.empty());
}

TEST(Vtcm, KeepsEverythingThatFits) {
  const VtcmPlan plan =
      plan_vtcm({panels_of(2, 1024, 100), panels_of(1, 512)}, {{256, 0, 1}, {200, 1, 1}}, 4096);
  EXPECT_EQ(residences(plan), (std::vector{Residence::Kept, Residence::Kept}));
  EXPECT_EQ(plan.bytes, 2048u + 128 + 512 + 256 + 256);
  EXPECT_EQ(plan.steps[0].pieces.size(), 1u);
  EXPECT_EQ(plan.steps[0].pieces[0].end, 2u);
  EXPECT_TRUE(plan.tensors[0] && plan.tensors[1]);
}

// Two pieces at a time, in turn: the third lies where the first did.
TEST(Vtcm, FetchesPiecesInTwoPlaces) {
  const VtcmPlan plan = plan_vtcm({panels_of(3, 1024)}, {}, 2048);
  ASSERT_EQ(plan.steps[0].residence, Residence::Fetched);
  const std::vector<VtcmPiece>& pieces = plan.steps[0].pieces;
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].first, 2u);
  EXPECT_EQ(pieces[2].first, 0u);
  EXPECT_EQ(pieces[0].offset, 0u);
  EXPECT_EQ(pieces[1].offset, 1024u);
  EXPECT_EQ(pieces[2].offset, 0u);
  EXPECT_EQ(plan.bytes, 2048u);
}

TEST(Vtcm, LeavesAwayWhatHasNoRoomForTwoPieces) {
  const VtcmPlan plan = plan_vtcm({panels_of(2, 4096), panels_of(2, 512)}, {}, 6144);
  EXPECT_EQ(residences(plan), (std::vector{Residence::Away, Residence::Kept}));
  EXPECT_TRUE(plan.steps[0].pieces.empty());
  EXPECT_EQ(least_bytes(panels_of(2, 4096)), 8192u);
  EXPECT_EQ(least_bytes(panels_of(1, 4096, 1)), 4096u + 128);
}

TEST(Vtcm, SpillsTheTensorsThatTakeMost) {
  const VtcmPlan plan = plan_vtcm({{}, {}}, {{4096, 0, 1}, {1024, 0, 0}, {1024, 1, 1}}, 2048);
  EXPECT_FALSE(plan.tensors[0]);
  EXPECT_EQ(plan.tensors[1], 0u);
  EXPECT_EQ(plan.tensors[2], 0u);
}

// A block of memory that is written or read in some slots.
struct Use {
  size_t offset, bytes, first, last;
  std::string what;
};

class RandomVtcm : public testing::TestWithParam<uint32_t> {
 protected:
  size_t any(size_t low, size_t high) {
    return std::uniform_int_distribution<size_t>(low, high)(random_);
  }

  void make() {
    for (size_t s = any(1, 12); s > 0; --s) {
      const size_t panels = any(0, 5), bytes = 128 * any(1, 40);
      steps_.push_back({.common = any(0, 2000),
                        .panels = panels,
                        .panel = panels == 0 ? 0 : bytes,
                        .last_panel = panels == 0 ? 0 : any(1, bytes)});
    }
    for (size_t t = any(0, 20); t > 0; --t) {
      const size_t first = any(0, steps_.size() - 1);
      tensors_.push_back({any(1, 9000), first, any(first, steps_.size() - 1)});
    }
    vtcm_bytes_ = 128 * any(1, 300);
    plan_ = plan_vtcm(steps_, tensors_, vtcm_bytes_);
  }

  // In the order of time: fetched in the slot before, or there all the time.
  std::vector<Use> uses() const {
    std::vector<Use> uses;
    const size_t end = plan_.steps.back().last_slot();
    for (size_t s = 0; s < steps_.size(); ++s) {
      const VtcmStep& step = plan_.steps[s];
      if (step.residence == Residence::Away) continue;
      const bool kept = step.residence == Residence::Kept;
      if (steps_[s].common > 0) {
        uses.push_back({step.common_offset, steps_[s].common, kept ? 0 : step.first_slot - 1,
                        kept ? end : step.last_slot(), "common"});
      }
      for (size_t i = 0; i < step.pieces.size(); ++i) {
        const VtcmPiece& piece = step.pieces[i];
        const size_t slot = step.first_slot + i;
        uses.push_back({piece.offset, steps_[s].bytes_of(piece.first, piece.end),
                        kept ? 0 : slot - 1, kept ? end : slot, "piece"});
      }
    }
    for (size_t t = 0; t < tensors_.size(); ++t) {
      if (!plan_.tensors[t]) continue;
      uses.push_back({*plan_.tensors[t], tensors_[t].bytes,
                      tensors_[t].first == 0 ? 0 : plan_.steps[tensors_[t].first].first_slot,
                      plan_.steps[tensors_[t].last].last_slot(), "tensor"});
    }
    return uses;
  }

  std::mt19937 random_{GetParam()};
  std::vector<StepConstants> steps_;
  std::vector<BufferLife> tensors_;
  size_t vtcm_bytes_ = 0;
  VtcmPlan plan_;
};

TEST_P(RandomVtcm, NothingIsWrittenOverThatIsRead) {
  make();
  const std::vector<Use> all = uses();
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].offset % kVtcmAlignment, 0u) << all[i].what;
    EXPECT_LE(all[i].offset + all[i].bytes, plan_.bytes) << all[i].what;
    for (size_t j = 0; j < i; ++j) {
      const bool together = all[i].first <= all[j].last && all[j].first <= all[i].last;
      const bool apart = all[i].offset + all[i].bytes <= all[j].offset ||
                         all[j].offset + all[j].bytes <= all[i].offset;
      EXPECT_TRUE(!together || apart) << all[i].what << " and " << all[j].what;
    }
  }
  EXPECT_LE(plan_.bytes, vtcm_bytes_);
}

TEST_P(RandomVtcm, PiecesHaveEveryPanelOnceInSlotsOfTheirOwn) {
  make();
  size_t slot = 1;
  for (size_t s = 0; s < steps_.size(); ++s) {
    const VtcmStep& step = plan_.steps[s];
    EXPECT_EQ(step.first_slot, slot);
    slot = step.last_slot() + 1;
    if (step.residence == Residence::Away) {
      EXPECT_TRUE(step.pieces.empty());
      continue;
    }
    size_t end = steps_[s].panels;
    for (const VtcmPiece& piece : step.pieces) {
      EXPECT_EQ(piece.end, end);
      EXPECT_LT(piece.first, piece.end);
      end = piece.first;
    }
    EXPECT_EQ(end, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, RandomVtcm, testing::Range(0u, 200u));

}  // namespace
}  // namespace hone::c_code
