#include <filesystem>

#include "hone/base/file.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/reference_pages.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct DocsArguments {
  std::string folder = "docs/generated";
  bool check = false;
  JsonOutput json;
};

bool is_current(const fs::path& path, const std::string& text) {
  const auto file = read_file(path);
  if (!file.ok()) return false;
  const auto bytes = file->bytes;
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == text;
}

Result<Exit> run_docs(const DocsArguments& options, CommandContext& context) {
  const std::vector<ReferencePage> pages = reference_pages();
  std::vector<std::string> stale;
  for (const ReferencePage& page : pages) {
    if (!is_current(fs::path(options.folder) / page.file, page.text)) stale.push_back(page.file);
  }
  if (!options.check) {
    for (const ReferencePage& page : pages) {
      HONE_RETURN_IF_ERROR(check_unnamed_output(context, fs::path(options.folder) / page.file));
    }
    HONE_RETURN_IF_ERROR(make_folder(options.folder));
    for (const ReferencePage& page : pages) {
      HONE_RETURN_IF_ERROR(write_file(fs::path(options.folder) / page.file, page.text));
    }
  }
  if (!options.json.to_stdout()) {
    for (const std::string& file : stale) {
      context.out << (options.check ? "not current: " : "wrote ") << options.folder << "/" << file
                  << "\n";
    }
    if (stale.empty()) context.out << "all " << pages.size() << " pages are current\n";
    if (options.check && !stale.empty()) context.out << "run `hone docs` to write them\n";
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "",
                                            {{"folder", options.folder}, {"not_current", stale}}));
  }
  return options.check && !stale.empty() ? Exit::GateFailed : Exit::Pass;
}

CommandDef::Action declare_docs(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<DocsArguments>();
  flags.text("-o,--output DIR", options->folder, "the folder to write to");
  flags.toggle("--check", options->check,
               "only say whether the pages are current; exit code 1 if not");
  options->json.declare(flags);
  return [options, &context] { return run_docs(*options, context); };
}

}  // namespace

extern const CommandDef command_docs = {
    .name = "docs",
    .summary = "Writes the reference pages: commands, operators, targets, built-in networks.",
    .examples = {"hone docs", "hone docs --check"},
    .declare = declare_docs,
};

}  // namespace hone
