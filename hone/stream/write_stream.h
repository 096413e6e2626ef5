// An always-on program as a project of C: the network as its target writes it (in network/), the front end,
// what joins them, and a program that tries them on a sound file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/stream/recipe.h"
#include "hone/targets/target.h"

namespace hone {

struct StreamProject {
  std::string prefix;  // Of every name in C, as the network has it: "hone_kws_int8".
  std::string model;   // As people know it.
  std::string device;
  size_t work_bytes = 0;   // Of it, what network and front end take turns in.
  size_t ram_bytes = 0;    // The struct, where addresses have 32 bits.
  size_t table_bytes = 0;  // Constants of the front end.
};

// `graph` is the network's, as it was given; `arena_bytes` are what it works in.
StreamProject stream_project(const Graph& graph, const std::string& device,
                             const StreamRecipe& recipe, size_t arena_bytes);

// Their names below the folder, but for those in network/; "stream.json" among them.
std::vector<std::string> stream_files(const StreamProject& project);

// `network` is the program of the network on the device.
Status write_stream(const StreamRecipe& recipe, const StreamProject& project,
                    const Program& network, const std::filesystem::path& folder);

}  // namespace hone
