#include "hone/cli/import_options.h"

#include <algorithm>

#include "hone/workbench/host_roofs.h"

namespace hone {
namespace {

// Say what was measured, not how to measure it.
constexpr std::string_view kOfTheFile[] = {"--model", "--shapes", "--op", "--ops", "--threads"};

}  // namespace

void ImportSource::declare(Flags& flags) {
  measuring = flags.declared();
  std::erase_if(measuring, [](const Flag& flag) {
    return std::ranges::find(kOfTheFile, flag.name()) != std::end(kOfTheFile);
  });
  const Flag from =
      flags.text("--import FILE", file,
                 "read what another tool measured: ONNX Runtime, trtexec, benchmark_app, "
                 "benchmark_model, Vela, PyTorch's profiler, Nsight Systems, Nsight Compute, or "
                 "Hone elsewhere; with MODEL, told in its layers; with --threads, beside the roofs "
                 "of this machine, on which it ran");
  flags
      .number("--clock MHZ", options.clock_mhz,
              "of the accelerator, for imported files that count cycles")
      .range(1e-3, 1e6)
      .needs(from)
      .hide_default();
}

Result<std::optional<DeviceFile>> ImportSource::roofs(int threads) const {
  if (threads == 0) return std::optional<DeviceFile>();
  HONE_TRY(DeviceFile device, host_roofs());
  return std::optional(std::move(device));
}

Result<Profile> ImportSource::read() const {
  for (const Flag& flag : measuring) {
    if (!flag.given()) continue;
    return bad_input("--import reads what was measured already, and takes no ", flag.name());
  }
  return import_profile(file, options);
}

}  // namespace hone
