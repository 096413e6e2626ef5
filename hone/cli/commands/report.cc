#include "hone/report/report.h"

#include <algorithm>
#include <filesystem>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/cli/next_commands.h"
#include "hone/cli/options.h"
#include "hone/cli/output_paths.h"
#include "hone/report/html_report.h"
#include "hone/report/markdown_report.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::string format;
  JsonOutput json;
};

// A form of the report, with the ends of file names that ask for it.
struct Format {
  std::string_view name;
  std::vector<std::string_view> extensions;
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {{"html", {".html", ".htm"}},
                                          {"markdown", {".md", ".markdown"}},
                                          {"text", {".txt"}},
                                          {"json", {".json"}}};
  return all;
}

Result<std::string> format_of(const ReportArguments& options) {
  if (!options.format.empty()) return options.format;
  if (options.output.empty() || options.output == "-") return std::string("html");
  const std::string extension = fs::path(options.output).extension().string();
  for (const Format& format : formats()) {
    if (std::ranges::find(format.extensions, extension) != format.extensions.end()) {
      return std::string(format.name);
    }
  }
  return bad_input(options.output,
                   ": expected a name that ends in .html, .md, .txt or .json, or --format");
}

std::string output_of(const ReportArguments& options, const std::string& format) {
  if (!options.output.empty()) return options.output;
  for (const Format& each : formats()) {
    if (each.name == format) return str("report", each.extensions[0]);
  }
  return "report.html";
}

Status check_output_of(const ReportArguments& options, const std::string& output,
                       const CommandContext& context) {
  std::error_code ignored;
  if (fs::is_directory(output, ignored)) return bad_input(output, ": is a folder");
  return options.output.empty() ? check_unnamed_output(context, output) : Done{};
}

Status write_report(const std::vector<ReportInput>& inputs, const std::string& format,
                    const std::string& output, const CommandContext& context) {
  HONE_TRY(Report report, make_report(inputs, {.page = format != "text"}));
  if (format == "html") add_next_commands(inputs, report);
  if (format == "json") {
    return JsonOutput{output}.write(context, nullptr, "", merge_inputs(inputs));
  }
  const std::string text = format == "html"       ? html_report(report)
                           : format == "markdown" ? markdown_report(report)
                                                  : text_report(report);
  if (output != "-") return write_file(output, text);
  context.document << text;
  return Done{};
}

Result<Exit> run_report(const ReportArguments& options, const CommandContext& context) {
  HONE_TRY(const std::string format, format_of(options));
  const std::string output = output_of(options, format);
  HONE_RETURN_IF_ERROR(check_output_of(options, output, context));
  HONE_TRY(const std::vector<ReportInput> inputs, read_report_inputs(options.inputs));
  HONE_RETURN_IF_ERROR(write_report(inputs, format, output, context));
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", merge_inputs(inputs)));
  }
  if (output == "-" || options.json.to_stdout()) return Exit::Pass;
  std::error_code no_plain_file;
  const uintmax_t bytes = fs::file_size(output, no_plain_file);
  context.notes() << "wrote " << output;
  if (!no_plain_file) context.notes() << ", " << human_bytes(bytes);
  context.notes() << "\n";
  return Exit::Pass;
}

CommandDef::Action declare_report(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<ReportArguments>();
  flags
      .texts("results RESULT.json", options->inputs,
             "result files of `hone profile`, `diagnose`, `optimize`, `quantize`, `validate`, "
             "`compare`, `compile`, `inspect`, `bench`, `calibrate --points` or `stream --power`; "
             "the first profile is what others are "
             "compared with")
      .required();
  flags.output("-o,--output FILE", options->output,
               "the file to write, - for standard output; report.html if not given");
  flags
      .text("--format", options->format,
            "of the report; by the end of the file's name if not given. json: the results "
            "merged into one file")
      .one_of({"html", "markdown", "text", "json"});
  options->json.declare(flags);
  return [options, &context] { return run_report(*options, context); };
}

}  // namespace

extern const CommandDef command_report = {
    .name = "report",
    .summary =
        "Makes one offline HTML file, Markdown or text of the results of profile, diagnose, "
        "optimize, "
        "quantize, validate, compare, compile, inspect, bench, calibrate and stream: where the "
        "time goes, what changed, what runs where.",
    .examples = {"hone report profile.json -o report.html",
                 "hone report before.json after.json -o report.html",
                 "hone report quantization.json validation.json -o release.html",
                 "hone report profile.json --format markdown -o -"},
    .declare = declare_report,
};

}  // namespace hone
