// Devices of the catalog whose efficiencies were fitted to published latencies, against those
// latencies. The networks are the float ones of the zoo; so that they count as 8 bits, floats get
// the rate of bytes, and the memory is four times as fast.

#include <gtest/gtest.h>

#include "hone/targets/analytic/analytic_target.h"
#include "hone/targets/devices.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

struct Row {
  const char* device;
  const char* network;
  double ms;  // Published.
};

// coral.ai/docs/edgetpu/benchmarks.
const Row kRows[] = {
    {"xeon-desktop-tflite", "mobilenet_v1", 53},  {"xeon-desktop-tflite", "inception_v1", 90},
    {"xeon-desktop-tflite", "inception_v4", 700}, {"xeon-desktop-tflite", "mobilenet_v1_ssd", 109},
    {"cortex-a53-coral", "mobilenet_v1", 164},    {"cortex-a53-coral", "inception_v1", 392},
    {"cortex-a53-coral", "inception_v4", 3157},   {"cortex-a53-coral", "mobilenet_v1_ssd", 353},
};

Device for_bytes(const char* name) {
  Device device = **find_device(name);
  AnalyticSpec& spec = *device.analytic();
  spec.peak_ops["fp32"] = spec.peak_ops.at("int8");
  spec.bytes_per_second *= 4;
  return device;
}

TEST(AnalyticFit, PredictsWhatItWasFittedTo) {
  for (const Row& row : kRows) {
    auto model = open_model(str("zoo:", row.network));
    ASSERT_TRUE(model.ok()) << model.error().message;
    const auto program = make_analytic_target(for_bytes(row.device))
                             ->compile(std::move(model->graph), {.threads = 1});
    ASSERT_TRUE(program.ok()) << program.error().message;
    const double ms = *(*program)->modelled()->latency.value;
    std::cout << row.device << " " << row.network << ": " << ms << " ms, published " << row.ms
              << "\n";
    EXPECT_NEAR(ms, row.ms, 0.1 * row.ms) << row.device << " " << row.network;
  }
}

}  // namespace
}  // namespace hone
