// Which number of threads suits a network cannot be told from its work alone: they are tried.

#include <charconv>

#include "hone/analyze/remedy_def.h"
#include "hone/base/parallel.h"
#include "hone/base/str.h"

namespace hone {
namespace {

constexpr int kMostThreads = 1024;  // As many as may be asked for.

Result<bool> apply_set_threads(const Prescription& model, const Finding*, std::string& setting) {
  int threads = 0;
  const char* const last = setting.data() + setting.size();
  const auto [end, error] = std::from_chars(setting.data(), last, threads);
  if (error != std::errc() || end != last || threads < 0 || threads > kMostThreads) {
    return bad_input("setting is '", setting, "', expected a number of threads, at most ",
                     kMostThreads);
  }
  if (model.options->threads == threads) return false;
  model.options->threads = threads;
  return true;
}

// A number that the user chose stays, unless there are no cores for it. 0 is one for each core.
std::vector<std::string> thread_settings(const Prescription& model) {
  const int cores = hardware_threads();
  if (model.options->threads > cores) return {str(cores)};
  std::vector<std::string> numbers;
  if (model.options->threads > 0) return numbers;
  for (int threads = 1; threads < cores; threads *= 2) numbers.push_back(str(threads));
  return numbers;
}

}  // namespace

extern const RemedyDef remedy_set_threads = {
    .id = "set_threads",
    .summary = "Runs on fewer threads where that is faster, unless their number was chosen.",
    .touches = Touches::Running,
    .apply = apply_set_threads,
    .settings = thread_settings,
};

}  // namespace hone
