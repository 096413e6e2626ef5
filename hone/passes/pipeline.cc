#include <algorithm>

#include "hone/base/text.h"
#include "hone/passes/pass_def.h"

namespace hone {

#define HONE_PASS(name) extern const PassDef pass_##name;
#include "hone/passes/passes.inc"
#undef HONE_PASS

const std::vector<const PassDef*>& all_passes() {
  static const std::vector<const PassDef*> kPasses = {
#define HONE_PASS(name) &pass_##name,
#include "hone/passes/passes.inc"
#undef HONE_PASS
  };
  return kPasses;
}

std::string_view name_of(PassStage stage) {
  return stage == PassStage::Clean ? "clean" : "engine";
}

int run_pass(Graph& graph, std::string_view name) {
  const auto found = std::ranges::find(all_passes(), name, &PassDef::name);
  HONE_CHECK(found != all_passes().end(), "no pass ", name);
  return (*found)->run(graph);
}

Result<std::vector<PassRun>> optimize(Graph& graph, const PipelineOptions& options) {
  std::vector<std::string> names;
  for (const PassDef* pass : all_passes()) names.emplace_back(pass->name);
  for (const std::string& name : options.disabled) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return bad_input("no pass '", name, "'", did_you_mean(name, names),
                       "; there are: ", join(names));
    }
  }
  std::vector<PassRun> runs;
  for (const PassDef* pass : all_passes()) {
    if (pass->stage > options.last || options.disabled.contains(pass->name)) continue;
    const auto start = std::chrono::steady_clock::now();
    const int rewrites = pass->run(graph);
    const auto time = std::chrono::steady_clock::now() - start;
    runs.push_back(
        {pass->name, rewrites, std::chrono::duration_cast<std::chrono::microseconds>(time)});
    if (rewrites == 0) continue;
    // The graph was valid before, so a failure here is a bug in the pass.
    const Status status = verify(graph);
    HONE_CHECK(status.ok(), "pass ", pass->name, ": ", status.error().message);
  }
  return runs;
}

}  // namespace hone
