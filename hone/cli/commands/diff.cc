#include "hone/profile/diff.h"
#include "hone/base/printable.h"
#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/cli/options.h"
#include "hone/profile/profile_json.h"

namespace hone {
namespace {

struct Options {
  std::string a;
  std::string b;
  DiffLimits limits;
  size_t rows = 15;
  JsonOutput json;
};

std::string percent(double from, double to) {
  if (from <= 0) return "-";
  return str(to >= from ? "+" : "", fixed(100 * (to / from - 1), 1));
}

std::string verdict(const LayerChange& layer) {
  if (layer.only_in_a) return "gone";
  if (layer.only_in_b) return "new";
  return std::string(name_of(layer.change));
}

Json to_json(const ProfileDiff& diff, const Profile& a, const Profile& b) {
  Json layers = Json::array();
  for (const LayerChange& layer : diff.layers) {
    layers.push_back({{"name", layer.name},
                      {"us_a", layer.us_a},
                      {"us_b", layer.us_b},
                      {"change", verdict(layer)}});
  }
  return {{"kind", "diff"},
          {"ms_a", diff.ms_a},
          {"ms_b", diff.ms_b},
          {"mode_a", mode_name(a.mode)},
          {"mode_b", mode_name(b.mode)},
          {"change", name_of(diff.change)},
          {"why", diff.why},
          {"models", diff.models},
          {"layers", std::move(layers)}};
}

void print(const ProfileDiff& diff, size_t rows, std::ostream& out) {
  if (!diff.models.empty()) out << printable(diff.models) << "\n";
  out << name_of(diff.change) << ": " << millis(diff.ms_a) << " -> " << millis(diff.ms_b) << " ms ("
      << percent(diff.ms_a, diff.ms_b) << " %); " << diff.why << "\n";
  Table table({"layer", "before us", "after us", "change us", "change %", "verdict"});
  for (size_t i = 0; i < diff.layers.size() && (rows == 0 || i < rows); ++i) {
    const LayerChange& layer = diff.layers[i];
    table.add({short_name(layer.name), fixed(layer.us_a, 1), fixed(layer.us_b, 1),
               fixed(layer.delta_us(), 1), percent(layer.us_a, layer.us_b), verdict(layer)});
  }
  out << table.to_string();
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  HONE_TRY(const Profile a, read_profile(options.a));
  HONE_TRY(const Profile b, read_profile(options.b));
  const ProfileDiff diff = diff_profiles(a, b, options.limits);
  if (!options.json.to_stdout()) print(diff, options.rows, context.out);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", to_json(diff, a, b)));
  }
  if (diff.change == Change::Slower) return Exit::GateFailed;
  return diff.change == Change::Unclear ? Exit::Inconclusive : Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags.text("before A.json", options->a, "result file of `hone profile`").required();
  flags.text("after B.json", options->b, "another one").required();
  flags
      .number("--max-change", options->limits.run_part,
              "part of the whole run that counts as no change")
      .range(0.0, 10.0);
  flags
      .number("--max-layer-change", options->limits.layer_part,
              "part of a layer's time that counts as no change")
      .range(0.0, 10.0);
  flags.number("--rows", options->rows, "rows of the table; 0 for all");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_diff = {
    .name = "diff",
    .summary =
        "Compares two profiles layer by layer: what got slower, beyond noise. Exit code 1 "
        "when the run did, 2 when that is unclear.",
    .examples = {"hone diff before.json after.json", "hone diff a.json b.json --max-change 0.05"},
    .declare = declare,
};

}  // namespace hone
