// Which number of threads suits a network cannot be told from its work alone: one is tried.

#include <charconv>

#include "hone/analyze/remedy_def.h"
#include "hone/base/parallel.h"
#include "hone/base/str.h"

namespace hone {
namespace {

constexpr int kMostThreads = 1024;  // As --threads takes them.

Result<bool> apply(const Prescription& model, const Finding* finding, std::string& setting) {
  if (finding != nullptr) setting = str(hardware_threads());
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

}  // namespace

extern const RemedyDef remedy_set_threads = {
    .id = "set_threads",
    .summary = "Runs on as many threads as the machine has cores.",
    .rule = "oversubscribed",
    .apply = apply,
};

}  // namespace hone
