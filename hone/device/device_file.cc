#include "hone/device/device_file.h"

#include <limits>

#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/device/toml_text.h"

namespace hone {
namespace fs = std::filesystem;

namespace {

constexpr int64_t kDeviceFileSchemaVersion = 1;

Result<Rate> read_rate(const TomlSection& in, std::string_view key) {
  HONE_TRY(const TomlSection both, in.section(key));
  Rate rate;
  HONE_TRY(rate.one, both.number("one"));
  HONE_TRY(rate.all, both.number("all"));
  return rate;
}

Result<double> number_or_zero(const TomlSection& in, std::string_view key) {
  return in.has(key) ? in.number(key) : Result<double>(0.0);
}

Result<ComputeRoof> read_roof(const TomlSection& in) {
  ComputeRoof roof;
  HONE_TRY(roof.precision, in.text("precision"));
  HONE_TRY(roof.instruction, in.text("instruction"));
  HONE_TRY(roof.ops, read_rate(in, "ops_per_second"));
  HONE_TRY(roof.n, in.small_count_or("n", 1));
  HONE_TRY(roof.below, number_or_zero(in, "median_below"));
  return roof;
}

Result<KernelReach> read_kernel(const TomlSection& in) {
  KernelReach kernel;
  HONE_TRY(kernel.kind, in.text("kind"));
  HONE_TRY(kernel.precision, in.text("precision"));
  HONE_TRY(kernel.of_roof, in.positive("of_roof"));
  if (!in.has("parts")) return kernel;
  HONE_TRY(const TomlSection parts, in.section("parts"));
  kernel.parts.emplace();
  HONE_TRY(kernel.parts->multiply_of_roof, parts.positive("multiply_of_roof"));
  HONE_TRY(kernel.parts->ns_per_output, parts.number("ns_per_output"));
  return kernel;
}

Result<MemoryLevel> read_level(const TomlSection& in) {
  MemoryLevel level;
  HONE_TRY(level.name, in.text("name"));
  HONE_TRY(const int64_t bytes, in.count("bytes", 1, std::numeric_limits<int64_t>::max()));
  level.bytes = static_cast<uint64_t>(bytes);
  if (in.has("stays_bytes")) {
    HONE_TRY(const int64_t stays, in.count("stays_bytes", 1, bytes));
    level.stays_bytes = static_cast<uint64_t>(stays);
  }
  HONE_TRY(level.line_bytes, in.small_count_or("line_bytes", 0));
  HONE_TRY(level.ways, in.small_count_or("ways", 0));
  HONE_TRY(level.shared_by, in.small_count_or("shared_by", 1));
  HONE_TRY(level.read, read_rate(in, "read_bytes_per_second"));
  HONE_TRY(level.write, read_rate(in, "write_bytes_per_second"));
  HONE_TRY(level.copy, read_rate(in, "copy_bytes_per_second"));
  HONE_TRY(level.n, in.small_count_or("n", 1));
  HONE_TRY(level.below, number_or_zero(in, "median_below"));
  return level;
}

Result<EnergyFigures> read_energy(const TomlSection& in) {
  EnergyFigures energy;
  HONE_TRY(energy.mode, in.mode("mode"));
  HONE_TRY(energy.factor, in.number_from("factor", 1));
  HONE_TRY(energy.source, in.text("source"));
  HONE_TRY(energy.pj_per_op, in.numbers("picojoules_per_op"));
  HONE_TRY(energy.pj_per_byte, in.numbers("picojoules_per_byte"));
  HONE_TRY(energy.idle_watts, in.number("idle_watts"));
  return energy;
}

Result<LinkRates> read_link(const TomlSection& in) {
  LinkRates link;
  HONE_TRY(link.to_device, in.number("to_device_bytes_per_second"));
  HONE_TRY(link.from_device, in.number("from_device_bytes_per_second"));
  HONE_TRY(link.n, in.small_count_or("n", 1));
  HONE_TRY(link.below, number_or_zero(in, "median_below"));
  return link;
}

Result<LaunchCost> read_launch(const TomlSection& in) {
  LaunchCost cost;
  HONE_TRY(cost.waited_us, in.number("waited_us"));
  HONE_TRY(cost.queued_us, in.number("queued_us"));
  HONE_TRY(cost.graph_node_us, in.number("graph_node_us"));
  HONE_TRY(cost.n, in.small_count_or("n", 1));
  return cost;
}

// What accelerators have besides.
Status read_accelerator(const TomlSection& in, DeviceFile& device) {
  HONE_TRY(device.processors, in.small_count_or("processors", 0));
  if (in.has("driver")) {
    HONE_TRY(device.driver, in.text("driver"));
  }
  if (in.has("link")) {
    HONE_TRY(const TomlSection link, in.section("link"));
    HONE_TRY(device.link, read_link(link));
  }
  if (in.has("launch")) {
    HONE_TRY(const TomlSection launch, in.section("launch"));
    HONE_TRY(device.launch, read_launch(launch));
  }
  return Done{};
}

Result<DeviceFile> read_machine(const TomlSection& in, const std::string& file) {
  HONE_TRY(const int64_t schema,
           in.count("schema_version", 1, std::numeric_limits<int64_t>::max()));
  if (schema > kDeviceFileSchemaVersion) {
    return unsupported(file, ": schema_version ", schema, " is newer than ",
                       kDeviceFileSchemaVersion, ", the newest this version of hone reads");
  }
  DeviceFile device;
  HONE_TRY(device.name, in.text("name"));
  HONE_TRY(device.kind, in.text("kind"));
  HONE_TRY(device.mode, in.mode("mode"));
  HONE_TRY(device.date, in.text("date"));
  HONE_TRY(device.tool_version, in.text("tool_version"));
  HONE_TRY(const int64_t threads, in.count("threads", 1, std::numeric_limits<int>::max()));
  device.threads = static_cast<int>(threads);
  if (in.has("cpus")) {
    HONE_TRY(device.cpus, in.text("cpus"));
  }
  if (in.has("without")) {
    HONE_TRY(device.without, in.text("without"));
  }
  HONE_TRY(const std::vector<TomlSection> roofs, in.sections("compute"));
  for (const TomlSection& roof : roofs) {
    HONE_TRY(device.compute.emplace_back(), read_roof(roof));
  }
  HONE_TRY(const std::vector<TomlSection> levels, in.sections("memory"));
  for (const TomlSection& level : levels) {
    HONE_TRY(device.memory.emplace_back(), read_level(level));
  }
  if (in.has("kernels")) {
    HONE_TRY(const std::vector<TomlSection> kernels, in.sections("kernels"));
    for (const TomlSection& kernel : kernels) {
      HONE_TRY(device.kernels.emplace_back(), read_kernel(kernel));
    }
  }
  if (in.has("dispatch")) {
    HONE_TRY(const TomlSection dispatch, in.section("dispatch"));
    device.dispatch.emplace();
    HONE_TRY(device.dispatch->spinning_us, dispatch.number("spinning_us"));
    HONE_TRY(device.dispatch->sleeping_us, dispatch.number("sleeping_us"));
  }
  if (in.has("energy")) {
    HONE_TRY(const TomlSection energy, in.section("energy"));
    HONE_TRY(device.energy, read_energy(energy));
  }
  HONE_RETURN_IF_ERROR(read_accelerator(in, device));
  return device;
}

toml::table to_toml(const Rate& rate) {
  toml::table table{{"one", rate.one}, {"all", rate.all}};
  table.is_inline(true);
  return table;
}

toml::table to_toml(const ComputeRoof& roof) {
  toml::table table{{"precision", roof.precision},
                    {"instruction", roof.instruction},
                    {"ops_per_second", to_toml(roof.ops)},
                    {"n", roof.n}};
  if (roof.below > 0) table.insert("median_below", roof.below);
  return table;
}

toml::table to_toml(const ProductParts& parts) {
  toml::table table{{"multiply_of_roof", parts.multiply_of_roof},
                    {"ns_per_output", parts.ns_per_output}};
  table.is_inline(true);
  return table;
}

toml::table to_toml(const KernelReach& kernel) {
  toml::table table{
      {"kind", kernel.kind}, {"precision", kernel.precision}, {"of_roof", kernel.of_roof}};
  if (kernel.parts) table.insert("parts", to_toml(*kernel.parts));
  return table;
}

toml::table to_toml(const MemoryLevel& level) {
  toml::table table{{"name", level.name},
                    {"bytes", static_cast<int64_t>(level.bytes)},
                    {"shared_by", level.shared_by},
                    {"read_bytes_per_second", to_toml(level.read)},
                    {"write_bytes_per_second", to_toml(level.write)},
                    {"copy_bytes_per_second", to_toml(level.copy)},
                    {"n", level.n}};
  if (level.stays_bytes > 0) {
    table.insert("stays_bytes", static_cast<int64_t>(level.stays_bytes));
  }
  if (level.line_bytes > 0) table.insert("line_bytes", level.line_bytes);
  if (level.ways > 0) table.insert("ways", level.ways);
  if (level.below > 0) table.insert("median_below", level.below);
  return table;
}

toml::table to_toml(const LinkRates& link) {
  return toml::table{{"to_device_bytes_per_second", link.to_device},
                     {"from_device_bytes_per_second", link.from_device},
                     {"n", link.n},
                     {"median_below", link.below}};
}

toml::table to_toml(const LaunchCost& cost) {
  return toml::table{{"waited_us", cost.waited_us},
                     {"queued_us", cost.queued_us},
                     {"graph_node_us", cost.graph_node_us},
                     {"n", cost.n}};
}

toml::table to_toml(const std::map<std::string, double>& values) {
  toml::table table;
  for (const auto& [name, value] : values) table.insert(name, value);
  return table;
}

toml::table to_toml(const EnergyFigures& energy) {
  return toml::table{{"mode", mode_name(energy.mode)},
                     {"factor", energy.factor},
                     {"source", energy.source},
                     {"picojoules_per_op", to_toml(energy.pj_per_op)},
                     {"picojoules_per_byte", to_toml(energy.pj_per_byte)},
                     {"idle_watts", energy.idle_watts}};
}

template <class T>
toml::array to_toml(const std::vector<T>& list) {
  toml::array array;
  for (const T& element : list) array.push_back(to_toml(element));
  return array;
}

}  // namespace

std::optional<ComputeRoof> DeviceFile::compute_roof(std::string_view precision) const {
  std::optional<ComputeRoof> best;
  for (const ComputeRoof& roof : compute) {
    if (roof.precision == precision && (!best || roof.ops.one > best->ops.one)) best = roof;
  }
  const bool is_half = precision == "fp16" || precision == "bf16";
  return best || !is_half ? best : compute_roof("fp32");
}

const KernelReach* DeviceFile::kernels_of(std::string_view kernels_kind,
                                          std::string_view precision) const {
  for (const std::string_view wanted : {kernels_kind, std::string_view("product")}) {
    for (const KernelReach& kernel : kernels) {
      if (kernel.kind == wanted && kernel.precision == precision) return &kernel;
    }
  }
  return nullptr;
}

std::optional<double> DeviceFile::kernel_reach(std::string_view kernels_kind,
                                               std::string_view precision) const {
  const KernelReach* kernel = kernels_of(kernels_kind, precision);
  return kernel == nullptr ? std::nullopt : std::optional(kernel->of_roof);
}

std::optional<MemoryLevel> DeviceFile::level_for(uint64_t bytes) const {
  for (const MemoryLevel& level : memory) {
    if ((level.stays_bytes > 0 ? level.stays_bytes : level.bytes) >= bytes) return level;
  }
  if (memory.empty()) return std::nullopt;
  return memory.back();
}

Result<DeviceFile> parse_device_file(std::string_view text, const std::string& file) {
  return parse_toml(text, file, [&](const TomlSection& in) { return read_machine(in, file); });
}

Result<DeviceFile> read_device_file(const fs::path& path) {
  HONE_TRY(const std::string text, read_text(path));
  return parse_device_file(text, path.string());
}

std::string device_file_text(const DeviceFile& device) {
  toml::table table{{"schema_version", kDeviceFileSchemaVersion},
                    {"name", device.name},
                    {"kind", device.kind},
                    {"mode", mode_name(device.mode)},
                    {"date", device.date},
                    {"tool_version", device.tool_version},
                    {"threads", device.threads},
                    {"compute", to_toml(device.compute)},
                    {"memory", to_toml(device.memory)}};
  if (!device.cpus.empty()) table.insert("cpus", device.cpus);
  if (!device.without.empty()) table.insert("without", device.without);
  if (!device.kernels.empty()) table.insert("kernels", to_toml(device.kernels));
  if (device.dispatch) {
    table.insert("dispatch", toml::table{{"spinning_us", device.dispatch->spinning_us},
                                         {"sleeping_us", device.dispatch->sleeping_us}});
  }
  if (device.energy) table.insert("energy", to_toml(*device.energy));
  if (device.processors > 0) table.insert("processors", device.processors);
  if (!device.driver.empty()) table.insert("driver", device.driver);
  if (device.link) table.insert("link", to_toml(*device.link));
  if (device.launch) table.insert("launch", to_toml(*device.launch));
  return str(table, "\n");
}

Status write_device_file(const DeviceFile& device, const fs::path& path) {
  if (path.has_parent_path()) HONE_RETURN_IF_ERROR(make_folder(path.parent_path()));
  return write_file(path, device_file_text(device));
}

}  // namespace hone
