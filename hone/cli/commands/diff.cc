#include "hone/profile/diff.h"

#include "hone/cli/options.h"
#include "hone/profile/profile_json.h"
#include "hone/report/document/writers.h"
#include "hone/report/documents.h"
#include "hone/report/results/run_json.h"

namespace hone {
namespace {

struct DiffArguments {
  std::string a;
  std::string b;
  DiffLimits limits;
  size_t rows = 15;
  JsonOutput json;
};

Result<Exit> run_diff(const DiffArguments& options, const CommandContext& context) {
  Report report;
  for (const std::string& path : {options.a, options.b}) {
    HONE_TRY(report.runs.emplace_back().profile, read_profile(path));
  }
  const ProfileDiff diff =
      diff_profiles(report.runs[0].profile, report.runs[1].profile, options.limits);
  report.comparisons = {diff};
  if (!options.json.to_stdout()) {
    context.out << document_text(document_of(report, {.rows = options.rows}));
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", diff_to_json(report)));
  }
  if (diff.change == Change::Slower) return Exit::GateFailed;
  return diff.change == Change::Unclear ? Exit::Inconclusive : Exit::Pass;
}

CommandDef::Action declare_diff(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<DiffArguments>();
  flags.text("before A.json", options->a, "result file of `hone profile`").required();
  flags.text("after B.json", options->b, "another one").required();
  flags
      .part("--max-change PART", options->limits.run_part,
            "of the whole run that counts as no change, such as 5% or 0.05")
      .range(0.0, 10.0);
  flags
      .part("--max-layer-change PART", options->limits.layer_part,
            "of a layer's time that counts as no change, such as 5% or 0.05")
      .range(0.0, 10.0);
  flags.number("--rows", options->rows, "rows of the table; 0 for all");
  options->json.declare(flags);
  return [options, &context] { return run_diff(*options, context); };
}

}  // namespace

extern const CommandDef command_diff = {
    .name = "diff",
    .summary =
        "Compares two profiles layer by layer: what got slower, beyond noise. Exit code 1 "
        "when the run did, 2 when that is unclear.",
    .examples = {"hone diff before.json after.json", "hone diff a.json b.json --max-change 5%"},
    .declare = declare_diff,
};

}  // namespace hone
