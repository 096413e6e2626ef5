#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"

namespace hone {

class Flags;

// Exit codes of every command. Errors map to the last three in one place, run_cli.
enum class Exit {
  Pass = 0,
  GateFailed = 1,
  Inconclusive = 2,
  BadInput = 3,
  Unsupported = 4,
  Resource = 5,
};

// What a command may write to, and what goes into its result file.
struct CommandContext {
  std::ostream& out;       // Text for people: made printable on its way.
  std::ostream& document;  // Standard output as it is, for what other programs read.
  std::ostream& err;
  std::string command_line;
  // Known once the command line is parsed, for output_paths.
  std::vector<std::string> inputs = {};   // Paths of files that the command reads.
  std::vector<std::string> outputs = {};  // Paths that the user named for outputs.
  bool force = false;                     // --force: write over whatever is there.
};

struct CommandDef {
  using Action = std::function<Result<Exit>()>;

  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> examples;
  // Declares the options and gives what to do once they are parsed. `context` outlives it.
  Action (*declare)(Flags& flags, CommandContext& context);
};

// In the order of commands.inc.
const std::vector<const CommandDef*>& all_commands();

// The whole program: parses, runs, writes, and gives the exit code.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

// What `hone NAME --help` prints, for every command in the order of all_commands.
std::vector<std::string> command_helps();

}  // namespace hone
