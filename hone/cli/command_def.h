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
  std::ostream& out;       // Results, for people: made printable on their way.
  std::ostream& document;  // Standard output as it is, for what other programs read.
  std::ostream& err;
  std::string command_line;
  // Known once the command line is parsed, for output_paths.
  std::vector<std::string> inputs = {};   // Paths of files that the command reads.
  std::vector<std::string> outputs = {};  // Paths that the user named for outputs.
  bool force = false;                     // --force: write over whatever is there.
  bool quiet = false;                     // --quiet: neither progress nor notes.

  // Where notes go: nowhere with --quiet. A result is what was asked for and what qualifies it: figures,
  // findings, verdicts, how sure they are. A note says what was done besides, such as which files
  // were written, or how to go on.
  std::ostream& notes() const;
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

// The same taken apart, for manuals and shells.
struct OptionText {
  std::vector<std::string> names = {};  // "-o", "--output"; none of what has its place only.
  std::string value = {};               // "FILE"; empty: a toggle.
  std::string help = {};
  std::vector<std::string> choices = {};  // Where the value is one of some.
  bool output = false;                    // A path to write.
};
struct CommandText {
  const CommandDef* command = nullptr;
  std::vector<std::string> positionals = {};  // "model", "[model]", "models...".
  std::vector<OptionText> options = {};
};
std::vector<CommandText> command_texts();

}  // namespace hone
