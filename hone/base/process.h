#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

struct ProcessOutput {
  int status;        // Exit status; 128 + n when signal n ended the program.
  std::string text;  // Standard output and standard error, in the order written.
};
// More of a program's text is let go.
inline constexpr size_t kUsualText = size_t{1} << 20;

// The program on PATH (or the path itself if it has a slash); empty when there is none to execute.
std::optional<std::filesystem::path> find_program(std::string_view name);

// Runs a program with empty standard input and waits for it. No shell: arguments arrive as they
// are. Resource when it cannot be started or runs past the limit, at which point it is ended with
// all that it started: asked first, so that it can clear up, and killed a second later.
Result<ProcessOutput> run_program(const std::vector<std::string>& arguments, double limit_seconds,
                                  size_t most_text = kUsualText);

// Ends, in the same way, what run_program waits for: for a handler of signals that end this program,
// which has it in a group of its own that a terminal does not interrupt. It takes no lock and no
// memory.
void end_programs();

// What a function answers in a copy of this process, which takes nobody along when a library that
// it calls crashes or never returns. Resource says which: "crashes: Segmentation fault", "does not
// answer within 15 s". Other threads are not in the copy, and it writes nothing but the answer.
Result<std::string> ask_in_child(const std::function<std::string()>& question,
                                 double limit_seconds);

}  // namespace hone
