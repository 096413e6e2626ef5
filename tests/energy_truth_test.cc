// Predicted energies of microcontrollers against those of MLPerf Tiny, whatever software they were
// measured with. docs/accuracy.md has the figures.

#include <gtest/gtest.h>

#include <map>

#include "tests/ground_truth.h"

namespace hone {
namespace {

constexpr double kMostMedianFactor = 1.5;

struct EnergyBoard {
  std::string_view part;  // Of the board's name, in upper case.
  std::string_view device;
};

constexpr EnergyBoard kBoards[] = {{"L4R5ZI", "cortex-m4"}, {"H7A3ZI", "cortex-m7"}};

struct PublishedEnergy {
  std::string_view device = {};
  std::string benchmark = {};
  double mj = 0;
};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// Rows of 8-bit networks on boards that the catalog has.
Result<std::vector<PublishedEnergy>> read_energies(const std::filesystem::path& path) {
  HONE_TRY(const SharedBytes file, read_file(path));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
  HONE_TRY(const std::vector<Row> rows, read_csv(text));
  HONE_TRY(const Column board, find_column(rows.at(0), "board"));
  HONE_TRY(const Column benchmark, find_column(rows.at(0), "benchmark"));
  HONE_TRY(const Column energy, find_column(rows.at(0), "energy_uJ"));
  std::vector<PublishedEnergy> energies;
  for (size_t r = 1; r < rows.size(); ++r) {
    const std::string name = upper(cell_of(rows[r], board));
    const auto known = std::ranges::find_if(kBoards, [&](const EnergyBoard& candidate) {
      return name.find(candidate.part) != std::string::npos;
    });
    if (known == std::end(kBoards) || cell_of(rows[r], energy).empty()) continue;
    HONE_TRY(const double uj, number_of(rows[r], energy, kMostCount));
    energies.push_back({known->device, std::string(cell_of(rows[r], benchmark)), uj / 1e3});
  }
  return energies;
}

Result<Metric> predicted_energy(const PublishedEnergy& row) {
  const std::filesystem::path path =
      shared_dir() / "models" / "mlperf_tiny" / str(row.benchmark, "_int8.tflite");
  HONE_TRY(Model model, open_model(path.string()));
  HONE_TRY(const TargetDef* target, find_target(row.device));
  HONE_TRY(const std::unique_ptr<Program> program,
           target->open()->compile(std::move(model.graph), {.threads = 1}));
  return program->modelled()->energy.at(0);
}

struct EnergyErrors {
  std::vector<double> logs = {};
  size_t held = 0;  // By the interval.
};

double median_factor(std::vector<double> logs) {
  std::ranges::sort(logs);
  return std::exp((logs[(logs.size() - 1) / 2] + logs[logs.size() / 2]) / 2);
}

void print(std::string_view what, const EnergyErrors& errors) {
  std::cout << "| " << what << " | " << errors.logs.size() << " | "
            << fixed(median_factor(errors.logs), 2) << " | "
            << held_rows(errors.logs, kMostMedianFactor) << " | " << errors.held << " |\n";
}

TEST(EnergyTruth, MediansAreWithinAFactor) {
  const std::filesystem::path path = shared_dir() / "ground_truth" / "mlperf_tiny.csv";
  HONE_SKIP_WITHOUT(path);
  HONE_SKIP_WITHOUT(shared_dir() / "models");
  const auto rows = read_energies(path);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  std::map<std::string, Metric> predicted;
  std::map<std::string_view, EnergyErrors> by_device;
  EnergyErrors all;
  for (const PublishedEnergy& row : *rows) {
    const std::string key = str(row.device, " ", row.benchmark);
    if (!predicted.contains(key)) {
      const auto energy = predicted_energy(row);
      ASSERT_TRUE(energy.ok()) << energy.error().message;
      predicted.emplace(key, *energy);
    }
    const Metric& energy = predicted.at(key);
    ASSERT_TRUE(energy.value) << energy.note;
    for (EnergyErrors* errors : {&all, &by_device[row.device]}) {
      errors->logs.push_back(std::abs(std::log(*energy.value / row.mj)));
      errors->held += *energy.low <= row.mj && row.mj <= *energy.high ? 1 : 0;
    }
  }
  ASSERT_FALSE(all.logs.empty());
  std::cout << "| device | rows | median factor | within 1.5 | in the interval |\n";
  for (const auto& [device, errors] : by_device) print(device, errors);
  print("both", all);
  EXPECT_LE(median_factor(all.logs), kMostMedianFactor);
}

}  // namespace
}  // namespace hone
