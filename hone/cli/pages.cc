#include "hone/cli/pages.h"

#include "hone/base/file.h"
#include "hone/base/str.h"
#include "hone/base/version.h"
#include "hone/report/html_report.h"
#include "hone/report/markdown_report.h"

namespace hone {

Provenance provenance_of(const CommandContext& context, const Model* model) {
  Provenance from{.tool = str("hone ", version()), .command = context.command_line};
  if (model == nullptr) return from;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) from.model.emplace_back(key, value);
  };
  add("name", model->name);
  add("format", model->format);
  add("version", model->version);
  add("producer", model->producer);
  if (model->file_bytes > 0) add("bytes", str(model->file_bytes));
  return from;
}

Status check_page(const std::string& path) {
  if (path.empty() || path.ends_with(".html") || path.ends_with(".md")) return Done{};
  return bad_input("--report ", path, ": expected a name that ends in .html or .md");
}

Status write_page(const std::string& path, const Document& document) {
  Report report;
  report.documents = {document};
  return write_file(path, path.ends_with(".md") ? markdown_report(report) : html_report(report));
}

}  // namespace hone
