#include <filesystem>

#include "hone/base/file.h"
#include "hone/cli/completions.h"
#include "hone/cli/man_pages.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/cli/reference_pages.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct DocsArguments {
  std::string folder = "docs/generated";
  std::string man;
  std::string completions;
  bool check = false;
  JsonOutput json;
};

bool is_current(const fs::path& path, const std::string& text) {
  const auto file = read_file(path);
  if (!file.ok()) return false;
  const auto bytes = file->bytes;
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == text;
}

Status write_pages(const std::vector<ReferencePage>& pages, const std::string& folder,
                   CommandContext& context) {
  for (const ReferencePage& page : pages) {
    HONE_RETURN_IF_ERROR(check_unnamed_output(context, fs::path(folder) / page.file));
  }
  HONE_RETURN_IF_ERROR(make_folder(folder));
  for (const ReferencePage& page : pages) {
    HONE_RETURN_IF_ERROR(write_file(fs::path(folder) / page.file, page.text));
  }
  return Done{};
}

// For `man` and for shells, where they were asked for.
Status write_for_installing(const DocsArguments& options, CommandContext& context) {
  if (!options.man.empty()) {
    HONE_RETURN_IF_ERROR(write_pages(man_pages(), options.man, context));
  }
  if (options.completions.empty()) return Done{};
  return write_pages(completions(), options.completions, context);
}

Result<Exit> run_docs(const DocsArguments& options, CommandContext& context) {
  if (!options.man.empty() || !options.completions.empty()) {
    HONE_RETURN_IF_ERROR(write_for_installing(options, context));
    return Exit::Pass;
  }
  const std::vector<ReferencePage> pages = reference_pages();
  std::vector<std::string> stale;
  for (const ReferencePage& page : pages) {
    if (!is_current(fs::path(options.folder) / page.file, page.text)) stale.push_back(page.file);
  }
  if (!options.check) HONE_RETURN_IF_ERROR(write_pages(pages, options.folder, context));
  if (!options.json.to_stdout()) {
    for (const std::string& file : stale) {
      std::ostream& to = options.check ? context.out : context.notes();
      to << (options.check ? "not current: " : "wrote ") << options.folder << "/" << file << "\n";
    }
    if (stale.empty()) context.out << "all " << pages.size() << " pages are current\n";
    if (options.check && !stale.empty()) context.notes() << "run `hone docs` to write them\n";
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
  flags.text("--man DIR", options->man, "write manual pages there instead");
  flags.text("--completions DIR", options->completions,
             "write what bash, zsh and fish complete there instead");
  options->json.declare(flags);
  return [options, &context] { return run_docs(*options, context); };
}

}  // namespace

extern const CommandDef command_docs = {
    .name = "docs",
    .summary = "Writes the reference pages: commands, operators, targets, built-in networks.",
    .examples = {"hone docs", "hone docs --check", "hone docs --man man1 --completions shells"},
    .declare = declare_docs,
};

}  // namespace hone
