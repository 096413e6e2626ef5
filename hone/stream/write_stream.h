// An always-on program as a project of C: the network as its target writes it (in network/), the front end,
// what joins them, and a program that tries them on a sound file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/audio/mfcc_c.h"
#include "hone/stream/recipe.h"
#include "hone/targets/emulation/writable_code.h"

namespace hone {

struct StreamProject {
  std::string prefix;  // Of every name in C, as the network has it: "hone_kws_int8".
  std::string model;   // As people know it.
  std::string device;
  std::string core;  // Of it, and flags of compilers for that, as the network has them.
  std::string core_flags;
  c_code::Toolchain toolchain = c_code::Toolchain::Arm;
  MfccUnit front_end =
      MfccUnit::Words;        // A DSP's vectors where they have a transform of that size.
  size_t alignment = 8;       // Of the struct.
  size_t work_bytes = 0;      // Of it, what network and front end take turns in.
  size_t ram_bytes = 0;       // The struct, where addresses have 32 bits.
  size_t table_bytes = 0;     // Constants of the front end,
  size_t constant_bytes = 0;  // and of the network.
};

// `network` is the program of the network on the device, which can be written.
StreamProject stream_project(const StreamRecipe& recipe, const emulation::WritableCode& network);

// Their names below the folder, but for those in network/; "stream.json" among them.
std::vector<std::string> stream_files(const StreamProject& project);

Status write_stream(const StreamRecipe& recipe, const StreamProject& project,
                    const emulation::WritableCode& network, const std::filesystem::path& folder);

}  // namespace hone
