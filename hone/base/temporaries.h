// What is on the disk only while the program runs, and goes with it also when a signal ends it.
#pragma once

#include <filesystem>

namespace hone {

// A file, or a folder without folders in it; -1 when there are too many, which then stay behind.
int enter_temporary(const std::filesystem::path& path);
// It is gone, or no temporary any more; `entry` becomes -1.
void leave_temporary(int& entry);

// Removes all of them, for a handler of signals that end the program: it takes no lock and no memory.
void remove_temporaries();

}  // namespace hone
