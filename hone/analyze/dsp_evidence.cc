#include "hone/analyze/dsp_evidence.h"

#include <algorithm>

#include "hone/analyze/pricing.h"
#include "hone/base/str.h"
#include "hone/base/text.h"

namespace hone {

bool is_dsp_run(const Profile& profile) {
  return std::ranges::find(profile.counters, "packets", &Metric::name) != profile.counters.end();
}

double dsp_count(const Evidence& in, size_t s, std::string_view counter) {
  const std::vector<Metric>& counters = in.step(s).counters;
  const auto found = std::ranges::find(counters, counter, &Metric::name);
  return found == counters.end() ? 0 : found->value.value_or(0);
}

double dsp_count(const Evidence& in, const std::vector<size_t>& steps, std::string_view counter) {
  double sum = 0;
  for (const size_t s : steps) sum += dsp_count(in, s, counter);
  return sum;
}

bool is_scalar_code(const Evidence& in, size_t s) {
  constexpr double kFew = 0.1;  // Of a packet: copies of a C library are by vectors.
  return packets_of(in, s) > 0 &&
         dsp_count(in, s, "vector_instructions") < kFew * packets_of(in, s);
}

double waited_us(const Evidence& in, size_t s) {
  constexpr double kMuch = 0.1;  // Of a layer's cycles.
  const double cycles = dsp_count(in, s, "cycles"), waits = dsp_count(in, s, "waits");
  return waits > kMuch * cycles ? in.step(s).us * waits / cycles : 0;
}

bool waits_for_tensors(const Evidence& in, size_t s) {
  return dsp_count(in, s, "spilled_bytes") > 0 &&
         2 * dsp_count(in, s, "spilled_bytes") >= dsp_count(in, s, "ddr_bytes");
}

double waited_us(const Evidence& in, const std::vector<size_t>& steps) {
  double sum = 0;
  for (const size_t s : steps) sum += waited_us(in, s);
  return sum;
}

void set_waited(const Evidence& in, const std::vector<size_t>& steps, std::string_view bytes,
                Finding& finding) {
  const double waited = waited_us(in, steps);
  finding.evidence = {time_evidence("time", sum_us(in, steps)), time_evidence("waiting", waited),
                      count_evidence(std::string(bytes), dsp_count(in, steps, bytes)),
                      emulated_evidence("packets", dsp_count(in, steps, "packets"))};
  finding.steps = steps;
  finding.gain = predicted_gain(waited, 4);
  finding.formula = str("all of ", fixed(waited, 1), " us that they wait for main memory");
  finding.confidence = "low";
}

Metric emulated_evidence(std::string name, double count) {
  return {.name = std::move(name), .value = count, .mode = Mode::Emulated};
}

}  // namespace hone
