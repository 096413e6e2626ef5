// ONNX backend tests: folders with model.onnx and test_data_set_*/input_*.pb, output_*.pb.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/targets/target.h"

namespace hone {

struct ConformanceCase {
  enum class Outcome { Passed, Failed, Unsupported };
  std::string name;  // The folder, relative to the one given.
  Outcome outcome;
  std::string why;  // Empty when passed.
};

// "passed", "failed", "unsupported".
std::string_view name_of(ConformanceCase::Outcome outcome);

struct ConformanceResult {
  std::vector<ConformanceCase> cases;  // Sorted by name.
  int count(ConformanceCase::Outcome outcome) const;
};

struct ConformanceOptions {
  std::string filter = {};  // Only folders whose name contains it.
  int threads = 0;          // 0: as many as the hardware has.
  bool round_trip = false;  // Write each model as ONNX and run what is read back.
};

// Runs every test folder at or below `folder`. BadInput when there is none.
Result<ConformanceResult> run_conformance(const std::filesystem::path& folder, const Target& target,
                                          const ConformanceOptions& options);

}  // namespace hone
