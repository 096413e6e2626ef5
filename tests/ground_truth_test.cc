// Predictions of the catalog's NPUs and CPUs against published measurements: the files that may lie
// beside the repository, and further rows of the same tables. docs/accuracy.md has all of them, and
// says what was fitted to what.

#include <gtest/gtest.h>

#include "tests/ground_truth.h"

namespace hone {
namespace {

constexpr double kMostMedian = 0.2;
constexpr double kLeastHeld = 0.85;  // Of what the stated intervals should hold, 0.9.
constexpr size_t kFewRows = 4;       // A median of less tells nothing.

size_t predicted_rows(const std::vector<PublishedTime>& rows, std::string_view device) {
  return static_cast<size_t>(std::ranges::count_if(
      rows, [&](const PublishedTime& row) { return can_predict(row) && row.device == device; }));
}

class GroundTruth : public testing::Test {
 protected:
  size_t held_ = 0;  // Rows of NPUs within what is stated.
  size_t checked_ = 0;

  // Rows of large networks are left out.
  static void read(const std::filesystem::path& path, std::vector<PublishedTime>& rows) {
    const auto some = read_published(path);
    ASSERT_TRUE(some.ok()) << some.error().message;
    std::ranges::copy_if(*some, std::back_inserter(rows), [](const PublishedTime& row) {
      return row.network == nullptr || !row.network->large;
    });
  }

  static void predict_and_print(std::vector<PublishedTime>& rows) {
    const Status status = predict(rows);
    ASSERT_TRUE(status.ok()) << status.error().message;
    for (const PublishedTime& row : rows) std::cout << line_of(row) << "\n";
  }

  static void hold(const std::vector<PublishedTime>& rows, std::string_view device) {
    const double median = median_error(rows, device);
    std::cout << device << ": median " << fixed(100 * median, 1) << " % of "
              << predicted_rows(rows, device) << " rows\n";
    EXPECT_LE(median, kMostMedian) << device;
  }

  void hold_interval(const std::vector<PublishedTime>& rows, const Device& device) {
    ASSERT_TRUE(device.checked) << device.name;
    const std::vector<double> errors = checked_errors(rows, device.name);
    const size_t held = held_rows(errors, device.checked->factor);
    std::cout << device.name << ": " << held << " of " << errors.size()
              << " rows within a factor of " << device.checked->factor << "\n";
    held_ += held;
    checked_ += errors.size();
  }
};

TEST_F(GroundTruth, MediansAreWithinAFifth) {
  HONE_SKIP_WITHOUT(shared_dir() / "models");
  std::vector<PublishedTime> rows;
  for (const char* name : {"edge_tpu.csv", "ethos_u.csv"}) {
    const std::filesystem::path path = shared_dir() / "ground_truth" / name;
    HONE_SKIP_WITHOUT(path);
    read(path, rows);
  }
  const size_t given = rows.size();
  read(source_dir() / "tests" / "published_times.csv", rows);
  ASSERT_GT(rows.size(), given);
  predict_and_print(rows);
  if (HasFatalFailure()) return;

  const std::vector<PublishedTime> files(rows.begin(),
                                         rows.begin() + static_cast<std::ptrdiff_t>(given));
  std::cout << "median of the files: " << fixed(100 * median_error(files), 1) << " %\n"
            << "median of all: " << fixed(100 * median_error(rows), 1) << " %\n";
  EXPECT_LE(median_error(files), kMostMedian);
  EXPECT_LE(median_error(rows), kMostMedian);
  for (const KnownDevice& device : kDevices) {
    ASSERT_GE(predicted_rows(rows, device.name), kFewRows) << device.name;
    hold(rows, device.name);
    const Device& model = **find_device(device.name);
    if (model.npu() != nullptr) hold_interval(rows, model);
  }
  EXPECT_GE(static_cast<double>(held_), kLeastHeld * static_cast<double>(checked_));
}

}  // namespace
}  // namespace hone
