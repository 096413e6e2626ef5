// accuracy_tables FILE.csv...: published and predicted times as Markdown, a table for each device,
// and the rows for which there is no network. Writes the tables of docs/accuracy.md.

#include <iostream>

#include "tests/ground_truth.h"

namespace hone {
namespace {

// Three digits, as far as there are any before the point.
std::string number(double value) {
  return fixed(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

void print_device(const std::vector<PublishedTime>& rows, std::string_view device) {
  bool first = true;
  for (const PublishedTime& row : rows) {
    if (row.device != device || !can_predict(row)) continue;
    if (first) {
      std::cout << "\n### " << device << "\n\n| row | network | published, "
                << (row.cycles ? "cycles" : "ms")
                << " | predicted | error | |\n|---|---|---|---|---|---|\n";
    }
    first = false;
    std::cout << "| " << row.model << " | " << row.network->spec;
    if (row.network->pixels > 0) std::cout << " at " << row.network->pixels;
    std::cout << " | " << row.text << " | " << number(row.predicted) << " | "
              << (row.error() > 0 ? "+" : "") << fixed(100 * row.error(), 1) << " % | "
              << row.network->note << " |\n";
  }
  if (!first) {
    std::cout << "\nMedian of the absolute errors: " << fixed(100 * median_error(rows, device), 1)
              << " %.\n";
  }
}

// What [checked] of the device files is made of.
void print_interval(const std::vector<PublishedTime>& rows, std::string_view device) {
  const std::vector<double> errors = checked_errors(rows, device);
  const std::optional<double> factor = interval_factor(errors);
  std::cout << "| " << (device.empty() ? "all NPUs" : device) << " | " << errors.size() << " | "
            << (factor ? fixed(*factor, 2) : "too few") << " | "
            << (errors.empty() ? "" : fixed(std::exp(errors.back()), 2)) << " | ";
  const Result<const Device*> found = find_device(device);
  if (found.ok() && (*found)->checked) {
    const double stated = (*found)->checked->factor;
    std::cout << stated << " | " << held_rows(errors, stated) << " |\n";
  } else {
    std::cout << "- | - |\n";
  }
}

void print_intervals(const std::vector<PublishedTime>& rows) {
  std::cout << "\n| device | rows | factor | worst | stated | held |\n|---|---|---|---|---|---|\n";
  for (const KnownDevice& device : kDevices) {
    if ((*find_device(device.name))->npu() != nullptr) print_interval(rows, device.name);
  }
  print_interval(rows, "");
}

Status print_tables(int argc, char** argv) {
  std::vector<PublishedTime> rows;
  for (int i = 1; i < argc; ++i) {
    HONE_TRY(const std::vector<PublishedTime> some, read_published(argv[i]));
    rows.insert(rows.end(), some.begin(), some.end());
  }
  HONE_RETURN_IF_ERROR(predict(rows));
  for (const KnownDevice& device : kDevices) print_device(rows, device.name);
  std::cout << "\nMedian of all: " << fixed(100 * median_error(rows), 1) << " %.\n";
  print_intervals(rows);
  for (const PublishedTime& row : rows) {
    if (!can_predict(row)) std::cout << "not predicted: " << line_of(row) << "\n";
  }
  return Done{};
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const hone::Status status = hone::print_tables(argc, argv);
  if (status.ok()) return 0;
  std::cerr << status.error().message << "\n";
  return 1;
}
