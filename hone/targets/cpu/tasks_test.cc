#include "hone/targets/cpu/tasks.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::cpu {
namespace {

// Four threads, and tiles of two parts as AMX has them.
Tasks::Sizes sizes_in_parts(size_t row_bytes, Tasks::Costs costs) {
  return {.row_bytes = row_bytes, .rows_step = 32, .threads = 4, .grain = 16, .costs = costs};
}

TEST(Tasks, CoverEveryRowAndPanelOnce) {
  for (const size_t rows : {1, 7, 49, 196, 3137}) {
    for (const size_t panels : {1, 5, 16}) {
      for (const size_t threads : {1, 4}) {
        for (const size_t grain : {6, 3}) {
          const Tasks tasks(
              rows, panels,
              {.row_bytes = 2304, .rows_step = 6, .threads = threads, .grain = grain});
          std::vector<int> met(rows * panels);
          for (size_t task = 0; task < tasks.tasks(); ++task) {
            const Tasks::Range range = tasks.range(task);
            EXPECT_LE(range.row_end - range.row_begin, tasks.rows_per_block);
            for (size_t row = range.row_begin; row < range.row_end; ++row) {
              for (size_t p = range.panel_begin; p < range.panel_end; ++p) ++met[row * panels + p];
            }
          }
          EXPECT_EQ(met, std::vector<int>(rows * panels, 1)) << rows << " x " << panels;
        }
      }
    }
  }
}

// A task packs what it multiplies: 49 rows for 16 ranges of panels would be packed 16 times.
TEST(Tasks, FewRowsAreNotPackedForEveryPanel) {
  const Tasks tasks(
      49, 16, {.row_bytes = 4608, .rows_step = 32, .threads = 4, .costs = {.pack = 1, .fetch = 4}});
  EXPECT_GE(tasks.tasks(), 4u);
  EXPECT_LE(tasks.tasks(), 8u);
}

// Of 784 rows a thread's share is 196; in tiles of 32 rows one has 224 at best.
TEST(Tasks, ThreadsHaveLikeSharesOfRowsInGrains) {
  const Tasks tasks(784, 4, sizes_in_parts(1152, {.pack = 1, .fetch = 2, .share = 1}));
  for (size_t thread = 0; thread < 4; ++thread) {
    size_t share = 0;
    for (size_t task = thread * tasks.tasks() / 4; task < (thread + 1) * tasks.tasks() / 4;
         ++task) {
      const Tasks::Range range = tasks.range(task);
      share += (range.row_end - range.row_begin) * (range.panel_end - range.panel_begin);
    }
    EXPECT_LE(share, 4u * 208);
  }
}

// 196 rows in blocks of whole parts of 16 rows leave 4 to the last thread.
TEST(Tasks, BlocksOfAnyHeightAreAlike) {
  Tasks::Sizes sizes = sizes_in_parts(1024, {.fetch = 2, .end = 0.5, .share = 1});
  sizes.block_step = 1;
  const Tasks tasks(196, 1, sizes);
  ASSERT_EQ(tasks.tasks(), 4u);
  for (size_t task = 0; task < 4; ++task) {
    EXPECT_EQ(tasks.range(task).row_end - tasks.range(task).row_begin, 49u);
  }
}

// What ends a panel costs as much in a small task as in a large one.
TEST(Tasks, PanelsThatAreDearToEndMakeLargerBlocks) {
  const Tasks::Sizes sizes = sizes_in_parts(256, {});
  Tasks::Sizes dear = sizes;
  dear.costs.end = 4;
  EXPECT_GT(Tasks(3136, 2, dear).rows_per_block, Tasks(3136, 2, sizes).rows_per_block);
}

TEST(Tasks, ThreadsShareNoRowsWhereThatIsDearToWrite) {
  const Tasks::Sizes sizes = sizes_in_parts(256, {.fetch = 2, .share = 1});
  Tasks::Sizes dear = sizes;
  dear.costs.share_outputs = 1;
  const auto shared = [](const Tasks& tasks) { return tasks.range(0).panel_end < 32; };
  EXPECT_TRUE(shared(Tasks(196, 32, sizes)));
  EXPECT_FALSE(shared(Tasks(196, 32, dear)));
}

TEST(Tasks, NoBlockIsOfAFewRowsBesideLargeOnes) {
  const Tasks tasks(49, 1, {.row_bytes = 1 << 20, .rows_step = 6, .threads = 1});
  for (size_t task = 0; task < tasks.tasks(); ++task) {
    const Tasks::Range range = tasks.range(task);
    EXPECT_GE(range.row_end - range.row_begin, 12u);
  }
}

// Steps have memory for as many rows as a task has, which may be parts of tiles.
TEST(ForBlocks, HaveNoMoreRowsThanAllowed) {
  for (const size_t most : {112, 96, 32}) {
    size_t next = 0;
    for_blocks(0, 1000, most, 32, [&](size_t begin, size_t end) {
      EXPECT_EQ(begin, next);
      EXPECT_LE(end - begin, most);
      next = end;
    });
    EXPECT_EQ(next, 1000u);
  }
}

}  // namespace
}  // namespace hone::cpu
