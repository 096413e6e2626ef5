#include "hone/report/results/speech_features.h"

#include <nlohmann/json.hpp>

#include "hone/base/str.h"

namespace hone {

using Json = nlohmann::ordered_json;

std::string features_text(const SpeechFeatures& features) {
  const Shape& shape = features.type.shape;
  return str("wrote ", features.file, ", ", features.type, ": ", shape[0],
             shape[0] == 1 ? " clip, " : " clips, ", shape[1], " frames of ", shape[2],
             " coefficients each\n");
}

Json features_to_json(const SpeechFeatures& features) {
  const MfccOptions& options = features.options;
  return {{"file", features.file},
          {"shape", features.type.shape},
          {"rate", options.rate},
          {"clip_samples", options.clip},
          {"frame_samples", options.frame},
          {"step_samples", options.step},
          {"bands", options.bands},
          {"lowest_hz", options.lowest_hz},
          {"highest_hz", options.highest_hz},
          {"coefficients", options.coefficients}};
}

}  // namespace hone
