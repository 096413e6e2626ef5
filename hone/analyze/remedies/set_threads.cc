// Which number of threads suits a network cannot be told from its work alone: one is tried.

#include "hone/analyze/remedy_def.h"
#include "hone/base/parallel.h"
#include "hone/base/str.h"

namespace hone {
namespace {

bool apply(const Prescription& model, const Finding* finding, std::string& setting) {
  if (finding != nullptr) setting = str(hardware_threads());
  const int threads = std::stoi(setting);
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
