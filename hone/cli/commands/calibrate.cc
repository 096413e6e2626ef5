#include <algorithm>
#include <array>

#include "hone/base/parallel.h"
#include "hone/base/progress.h"
#include "hone/base/text.h"
#include "hone/cli/calibrate_points.h"
#include "hone/cli/options.h"
#include "hone/profile/host_device.h"
#include "hone/workbench/host_roofs.h"

namespace hone {
namespace {

struct Options {
  int threads = 0;
  std::string output;
  std::string device;
  std::string points;
  JsonOutput json;
};

// On one thread, and on all where there are more.
struct Column {
  std::string threads;
  double Rate::*rate;
};

std::vector<Column> columns_of(const DeviceFile& device) {
  std::vector<Column> columns = {{"1 thread", &Rate::one}};
  if (device.threads > 1) columns.push_back({str(device.threads, " threads"), &Rate::all});
  return columns;
}

// 10^9 per second, three digits.
std::string giga(double rate) {
  return fixed(rate / 1e9, rate < 1e11 ? 1 : 0);
}

std::string compute_table(const DeviceFile& device) {
  std::vector<std::string> header = {"precision", "instruction"};
  for (const Column& column : columns_of(device)) header.push_back(column.threads + ", GOP/s");
  header.push_back("n");
  Table table(header);
  for (const ComputeRoof& roof : device.compute) {
    std::vector<std::string> row = {roof.precision, roof.instruction};
    for (const Column& column : columns_of(device)) row.push_back(giga(roof.ops.*column.rate));
    row.push_back(str(roof.n));
    table.add(std::move(row));
  }
  return table.to_string();
}

std::string memory_table(const DeviceFile& device) {
  std::vector<std::string> header = {"memory", "size"};
  for (const Column& column : columns_of(device)) {
    header.insert(header.end(), {column.threads + ": read, GB/s", "write", "copy"});
  }
  header.push_back("n");
  Table table(header);
  for (const MemoryLevel& level : device.memory) {
    std::vector<std::string> row = {level.name, human_bytes(level.bytes)};
    for (const Column& column : columns_of(device)) {
      for (const Rate& rate : {level.read, level.write, level.copy}) {
        row.push_back(giga(rate.*column.rate));
      }
    }
    row.push_back(str(level.n));
    table.add(std::move(row));
  }
  return table.to_string();
}

// A row per precision, a column per kind of kernel.
std::string kernel_table(const DeviceFile& device) {
  constexpr std::array kKinds = {"product", "winograd", "depthwise", "other"};
  std::vector<std::string> header = {"kernels reach, % of roof"};
  header.insert(header.end(), kKinds.begin(), kKinds.end());
  Table table(header);
  for (const KernelReach& first : device.kernels) {
    if (first.kind != kKinds[0]) continue;
    std::vector<std::string> row = {first.precision};
    for (const std::string_view kind : kKinds) {
      const auto is = [&](const KernelReach& kernel) {
        return kernel.kind == kind && kernel.precision == first.precision;
      };
      const auto found = std::ranges::find_if(device.kernels, is);
      row.push_back(found == device.kernels.end() ? "-" : fixed(100 * found->of_roof, 0));
    }
    table.add(std::move(row));
  }
  return table.to_string();
}

std::string energy_line(const EnergyFigures& energy) {
  std::vector<std::string> parts;
  for (const auto& [precision, pj] : energy.pj_per_op) parts.push_back(str(precision, " ", pj));
  std::string line = str("energy  pJ per operation: ", join(parts));
  parts.clear();
  for (const auto& [level, pj] : energy.pj_per_byte) parts.push_back(str(level, " ", pj));
  return str(line, "; per byte: ", join(parts), "; ", energy.idle_watts, " W idle\n        ",
             mode_name(energy.mode), ", within a factor of ", energy.factor, "; ", energy.source,
             "\n");
}

void print(const DeviceFile& device, std::ostream& out) {
  out << device.name << ", " << device.threads << (device.threads == 1 ? " thread" : " threads")
      << "; " << mode_name(device.mode)
      << ", the best of n bursts; a multiply-add is two operations, a copied byte two bytes\n\n"
      << compute_table(device) << "\n"
      << memory_table(device) << "\n";
  if (!device.kernels.empty()) {
    out << kernel_table(device) << "of a network of common layers, one thread\n\n";
  }
  if (device.dispatch) {
    out << "threads " << fixed(device.dispatch->spinning_us, 1) << " us to give them work, "
        << fixed(device.dispatch->sleeping_us, 1) << " us after a pause (measured, medians)\n";
  }
  if (device.energy) out << energy_line(*device.energy);
}

Json to_json(const Rate& rate) {
  return {{"one", rate.one}, {"all", rate.all}};
}

Json to_json(const DeviceFile& device) {
  Json compute = Json::array(), memory = Json::array();
  for (const ComputeRoof& roof : device.compute) {
    compute.push_back({{"precision", roof.precision},
                       {"instruction", roof.instruction},
                       {"ops_per_second", to_json(roof.ops)},
                       {"n", roof.n}});
  }
  for (const MemoryLevel& level : device.memory) {
    memory.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"line_bytes", level.line_bytes},
                      {"ways", level.ways},
                      {"shared_by", level.shared_by},
                      {"read_bytes_per_second", to_json(level.read)},
                      {"write_bytes_per_second", to_json(level.write)},
                      {"copy_bytes_per_second", to_json(level.copy)},
                      {"n", level.n}});
  }
  Json kernels = Json::array();
  for (const KernelReach& kernel : device.kernels) {
    kernels.push_back(
        {{"kind", kernel.kind}, {"precision", kernel.precision}, {"of_roof", kernel.of_roof}});
  }
  Json json = {{"name", device.name},
               {"kind", device.kind},
               {"mode", mode_name(device.mode)},
               {"date", device.date},
               {"threads", device.threads},
               {"cpus", device.cpus},
               {"compute", std::move(compute)},
               {"memory", std::move(memory)},
               {"kernels", std::move(kernels)}};
  if (device.dispatch) {
    json["dispatch"] = {{"spinning_us", device.dispatch->spinning_us},
                        {"sleeping_us", device.dispatch->sleeping_us}};
  }
  if (device.energy) {
    json["energy"] = {{"mode", mode_name(device.energy->mode)},
                      {"factor", device.energy->factor},
                      {"source", device.energy->source},
                      {"picojoules_per_op", device.energy->pj_per_op},
                      {"picojoules_per_byte", device.energy->pj_per_byte},
                      {"idle_watts", device.energy->idle_watts}};
  }
  return json;
}

// What others find without being told must be of the whole machine.
Result<std::string> output_of(const Options& options) {
  if (!options.output.empty()) return options.output;
  if (options.threads != 0 && options.threads != hardware_threads()) {
    return bad_input("--threads ", options.threads,
                     " needs -o FILE: the cached roofs are those of all ", hardware_threads(),
                     " threads");
  }
  HONE_TRY(const std::filesystem::path path, host_device_path());
  return path.string();
}

Result<Exit> run(const Options& options, const CommandContext& context) {
  if (!options.device.empty() || !options.points.empty()) {
    if (options.threads != 0) return bad_input("--threads is for the roofs of this machine");
    return calibrate_points({options.device, options.points, options.output}, options.json,
                            context);
  }
  HONE_TRY(const std::string output, output_of(options));
  std::optional<Progress> bar;
  const auto progress = [&](size_t done, size_t total) {
    if (!bar) bar.emplace("calibrate", total);
    if (done > 0) bar->step();
  };
  HONE_TRY(const DeviceFile device, calibrate_machine(options.threads, progress));
  bar.reset();
  HONE_RETURN_IF_ERROR(write_device_file(device, output));
  if (!options.json.to_stdout()) {
    print(device, context.out);
    context.out << "\nwrote " << output << "\n";
  }
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(
        options.json.write(context, nullptr, "", {{"path", output}, {"device", to_json(device)}}));
  }
  return Exit::Pass;
}

CommandDef::Action declare(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<Options>();
  flags
      .number("--threads", options->threads,
              "threads for the figures of all threads; 0: as many as this process may use")
      .range(0, 1024);
  flags.output("-o,--output FILE", options->output,
               "the device file to write, TOML; by default where other commands look for it");
  flags.text("-d,--device DEVICE", options->device,
             "a device that is not here: fit its model to --points");
  flags.text("--points FILE.csv", options->points,
             "what was measured on it, with the columns model,latency_ms[,energy_mj]; a model is "
             "zoo:NAME or a file beside the CSV file");
  options->json.declare(flags);
  return [options, &context] { return run(*options, context); };
}

}  // namespace

extern const CommandDef command_calibrate = {
    .name = "calibrate",
    .summary =
        "Measures the roofs of this machine (arithmetic, memory, threads) and what Hone's kernels "
        "reach of them; 8 to 15 seconds. With "
        "--points, fits the model of another device to what was measured on it.",
    .examples = {"hone calibrate", "hone calibrate -o board.toml --json board.json",
                 "hone calibrate -d ethos-u55-128 --points board.csv"},
    .declare = declare,
};

}  // namespace hone
