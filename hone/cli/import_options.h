#pragma once

#include "hone/cli/measure_options.h"
#include "hone/profile/import/import.h"

namespace hone {

// --import and --clock: what another tool measured, in place of a measurement.
struct ImportSource {
  std::string file;
  ImportOptions options;
  std::vector<Flag> measuring;  // Options that say how to measure: not to be given with --import.

  // After the options of the measurement, which it goes without.
  void declare(Flags& flags);
  bool given() const { return !file.empty(); }
  // Those of this machine, if it is said that the file was made on so many of its threads.
  Result<std::optional<DeviceFile>> roofs(int threads) const;
  // The profile as the file tells it. BadInput when it was also asked for a measurement.
  Result<Profile> read() const;
};

}  // namespace hone
