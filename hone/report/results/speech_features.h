// What `hone mfcc` wrote.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hone/audio/mfcc.h"
#include "hone/tensor/tensor.h"

namespace hone {

struct SpeechFeatures {
  std::string file = {};
  TensorType type = {};  // [clips, frames, coefficients, 1].
  MfccOptions options = {};
};

std::string features_text(const SpeechFeatures& features);
// What stands under "results" of a result file.
nlohmann::ordered_json features_to_json(const SpeechFeatures& features);

}  // namespace hone
