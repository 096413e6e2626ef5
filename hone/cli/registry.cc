#include "hone/cli/command_def.h"

namespace hone {

#define HONE_COMMAND(name) extern const CommandDef command_##name;
#include "hone/cli/commands.inc"
#undef HONE_COMMAND

const std::vector<const CommandDef*>& all_commands() {
  static const std::vector<const CommandDef*> kCommands = {
#define HONE_COMMAND(name) &command_##name,
#include "hone/cli/commands.inc"
#undef HONE_COMMAND
  };
  return kCommands;
}

}  // namespace hone
