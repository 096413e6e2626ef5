#pragma once

#include <functional>

#include "hone/workbench/break_even.h"
#include "hone/workbench/diagnose_model.h"

namespace hone {

struct TryOptions {
  size_t most = 4;         // Findings to try, the best first, ...
  bool precisions = true;  // ... and whatever says what int8 and other precisions would bring.
  double seconds = 0.5;    // For each.
  double least_part = 0;   // Of the run, that a finding must gain to stay.
  // The model for several inputs at a time; empty: larger batches are not tried.
  BatchedModel batched = {};
};

// Does what the best findings advise, as far as Hone can do it by itself, and puts the gain that
// was measured in the place of the one that was predicted; what gains too little becomes `refuted`.
// The accuracy is not judged, and int8 has ranges of random inputs. `graph` is the one that the
// diagnosis is of. `progress` is told what is being tried.
Status try_findings(const Graph& graph, const ProfileRequest& request, const TryOptions& options,
                    Diagnosis& diagnosis,
                    const std::function<void(const std::string&)>& progress = {});

}  // namespace hone
