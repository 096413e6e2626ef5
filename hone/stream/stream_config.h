// What an always-on program listens for, and how: a TOML file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

// Sound comes in pieces of so long.
inline constexpr int64_t kPushMs = 10;

struct KeywordConfig {
  std::string name;      // One of the classes.
  double threshold = 0;  // Of its smoothed probability.
};

struct StreamConfig {
  std::vector<std::string> classes;  // What the network's outputs stand for, in order.
  std::vector<KeywordConfig> keywords;
  int64_t hop_ms = 200;          // From one run of the network to the next.
  int64_t smoothing_ms = 600;    // Runs whose probabilities are averaged.
  int64_t refractory_ms = 1000;  // After a detection, in which there is no other.
  double gate_db = -50;          // Sound below it is silence; 0 is full scale.
  int64_t hold_ms = 1000;        // How long silence is listened to.
  int64_t preroll_ms = 100;      // Sound before the gate opened that is heard nevertheless.
};

// BadInput names the file, the line and the key.
Result<StreamConfig> parse_stream_config(std::string_view text, const std::string& file);
Result<StreamConfig> read_stream_config(const std::filesystem::path& path);

}  // namespace hone
