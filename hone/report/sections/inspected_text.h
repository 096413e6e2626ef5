// What several sections say of an inspected model.
#pragma once

#include <string>
#include <vector>

#include "hone/report/results/inspection.h"

namespace hone {

// Targets that leave out the same nodes for the same reasons.
struct AlikeTargets {
  std::vector<std::string> names = {};
  const std::vector<UnsupportedLayer>* unsupported = nullptr;
};
std::vector<AlikeTargets> alike_targets(const Inspection& inspection);

// As `hone profile` and `hone diff` count them: of some layers the graph has several nodes.
size_t layers_of_file(const Inspection& inspection);

// Some of its work follows from extents that its inputs leave open.
bool waits_for_extents(const Inspection& inspection);

// "3.50 M parameters in 13.4 MiB, 300 M MACs a run, 65 layers; every target runs all of it".
std::string inspection_headline(const Inspection& inspection);

}  // namespace hone
