// What a command may write over. Asked before long work begins; --force allows everything.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/result.h"
#include "hone/cli/command_def.h"

namespace hone {

// BadInput when `path` is, by its name or by a link, a file that the command reads, or one with
// something in it that hone did not write.
Status check_output(const CommandContext& context, const std::filesystem::path& path);

// Where a model or a result is to be written, which is a file by its name, its folder is there.
Status check_folder(const std::filesystem::path& path);

// As check_output for a file that the user did not name, as a recipe beside the model: nor may it be named
// for another output.
Status check_unnamed_output(const CommandContext& context, const std::filesystem::path& path);

// The same for files that are written together into a folder; if `witness`, one of them, is of
// hone's making, all are.
Status check_output_folder(const CommandContext& context, const std::filesystem::path& folder,
                           const std::vector<std::string>& files, const std::string& witness);

// Writes a device or a class so that hone knows it again, and the folders on the way.
Status write_toml(const std::filesystem::path& path, std::string_view text);

// By what is in it, whatever its kind.
bool is_written_by_hone(const std::filesystem::path& path);

}  // namespace hone
