#include "hone/targets/hexagon/dsp_threads.h"

#include <algorithm>

#include "hone/targets/c_code/vtcm_text.h"

namespace hone::hexagon {
namespace {

ThreadShares shares_of_layer(const c_code::Plan& plan, const DspRun& run, size_t s) {
  const std::vector<PacketCost>& parts = run.parts[s];
  ThreadShares shares{.busy = run.layers[s].cycles(), .slowest = run.layers[s].cycles()};
  if (parts.empty()) return shares;
  const c_code::CoreKernels& core = plan.options.core;
  shares.parts = parts.size();
  shares.threads = std::min(parts.size(), c_code::workers_for(plan.steps[s], core));
  std::vector<double> threads(shares.threads, 0);
  for (size_t i = 0; i < parts.size(); ++i) threads[i % threads.size()] += parts[i].cycles();
  shares.slowest = std::ranges::max(threads);
  const size_t pieces = c_code::in_pieces(plan, s) ? plan.vtcm.steps[s].pieces.size() : 1;
  shares.waking = core.wake_cycles * static_cast<double>(pieces);
  return shares;
}

}  // namespace

std::vector<ThreadShares> thread_shares(const c_code::Plan& plan, const DspRun& run) {
  std::vector<ThreadShares> layers;
  for (size_t s = 0; s < plan.steps.size(); ++s) layers.push_back(shares_of_layer(plan, run, s));
  return layers;
}

}  // namespace hone::hexagon
