// Files that were written to their end, for whoever interrupts the program.
#pragma once

#include <filesystem>

namespace hone {

void keep_file(const std::filesystem::path& path);

// "hone: interrupted; kept: a.json, b.onnx" on standard error, of those that still exist. For a
// handler of signals: it takes no lock and no memory.
void tell_kept_files();

}  // namespace hone
