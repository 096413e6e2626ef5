#include "hone/targets/cpu/tasks.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone::cpu {
namespace {

TEST(Tasks, CoverEveryRowAndPanelOnce) {
  for (const size_t rows : {1, 7, 49, 196, 3137}) {
    for (const size_t panels : {1, 5, 16}) {
      for (const size_t threads : {1, 4}) {
        for (const bool packs : {false, true}) {
          const Tasks tasks(
              rows, panels,
              {.row_bytes = 2304, .rows_step = 6, .threads = threads, .packs_rows = packs});
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
  const Tasks tasks(49, 16, {.row_bytes = 4608, .rows_step = 32, .threads = 4, .packs_rows = true});
  EXPECT_GE(tasks.tasks(), 4u);
  EXPECT_LE(tasks.tasks(), 8u);
}

TEST(Tasks, NoBlockIsOfAFewRowsBesideLargeOnes) {
  const Tasks tasks(49, 1, {.row_bytes = 1 << 20, .rows_step = 6, .threads = 1});
  for (size_t task = 0; task < tasks.tasks(); ++task) {
    const Tasks::Range range = tasks.range(task);
    EXPECT_GE(range.row_end - range.row_begin, 12u);
  }
}

}  // namespace
}  // namespace hone::cpu
