#include "hone/workbench/run_energy.h"

#include <chrono>

namespace hone {

Result<Metric> measured_energy(EnergyMeters& meters, const Program& program,
                               const std::vector<Item>& inputs, double seconds) {
  const std::unique_ptr<Session> session = program.open();
  std::vector<Item> outputs;
  HONE_RETURN_IF_ERROR(session->run(inputs, outputs));
  int64_t runs = 0;
  meters.start();
  const auto begin = std::chrono::steady_clock::now();
  double passed = 0;
  do {
    HONE_RETURN_IF_ERROR(session->run(inputs, outputs));
    ++runs;
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } while (passed < seconds);
  double joules = 0;
  std::vector<std::string> meters_read;
  for (const Metric& meter : meters.stop(passed)) {
    joules += meter.value.value_or(0);
    meters_read.push_back(meter.name);
  }
  return Metric{.name = "energy",
                .value = 1e3 * joules / static_cast<double>(runs),
                .unit = "mJ",
                .n = runs,
                .note = str("of one run; sum of ", join(meters_read), ", idle power included")};
}

}  // namespace hone
