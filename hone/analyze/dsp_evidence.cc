#include "hone/analyze/dsp_evidence.h"

#include <algorithm>

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

Metric emulated_evidence(std::string name, double count) {
  return {.name = std::move(name), .value = count, .mode = Mode::Emulated};
}

}  // namespace hone
