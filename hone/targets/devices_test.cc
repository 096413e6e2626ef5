#include "hone/targets/devices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "hone/base/file.h"
#include "hone/base/text.h"
#include "hone/device/catalog_file.h"
#include "hone/device/device_folder.h"
#include "hone/targets/device_kind.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string catalog_text(std::string_view name) {
  for (const EmbeddedFile& file : catalog_files()) {
    if (file.name == str(name, ".toml")) return std::string(file.text);
  }
  ADD_FAILURE() << "no " << name;
  return "";
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The line that a piece of text is on, counted from 1.
auto line_of(std::string_view text, std::string_view piece) {
  return 1 + std::ranges::count(text.substr(0, text.find(piece)), '\n');
}

std::string error_of_devices(const std::string& text) {
  const auto device = parse_device(text, "my.toml");
  return device.ok() ? "no error" : device.error().message;
}

struct BadFile {
  std::string_view base;  // Of the catalog.
  std::string_view from;  // What is replaced,
  std::string_view to;    // and by what.
  std::string_view line;  // A text on the line that the message is to name.
  std::string_view message;
};

const BadFile kBadFiles[] = {
    // Figures that no machine has: what is computed from them would be no number.
    {"npu", "clock_mhz = 1000\n", "clock_mhz = 1e-300\n", "clock_mhz",
     "clock_mhz: expected a number from 1e-06 to 1e+18, found a number, 1e-300"},
    {"npu", "clock_mhz = 1000\n", "clock_mhz = 1e22\n", "clock_mhz",
     "clock_mhz: expected a number from 1e-06 to 1e+18, found a number, 1e+22"},
    {"hexagon", "ddr_bytes_per_cycle = 16\n", "ddr_bytes_per_cycle = -1\n", "ddr_bytes_per_cycle",
     "dsp.ddr_bytes_per_cycle: expected 0, or a number from 0.001 to 4096, found a number, -1"},
    {"hexagon", "ddr_latency_cycles = 300\n", "ddr_latency_cycles = 2000000\n",
     "ddr_latency_cycles",
     "dsp.ddr_latency_cycles: expected 0, or a number from 1 to 1e+06, found a number, 2000000"},
    {"hexagon", "vtcm_kib = 256\n", "vtcm_kib = 99999999\n", "vtcm_kib",
     "dsp.vtcm_kib: expected a whole number from 0 to 1048576, found a number, 99999999"},
    {"hexagon", "\nthreads = 4\n", "\nthreads = 0\n", "threads = 0",
     "dsp.threads: expected a whole number from 1 to 16, found a number, 0"},
    // Keys that are missing: the line is that of their table.
    {"npu", "clock_mhz = 1000\n", "", "schema_version",
     "clock_mhz: missing, expected a number greater than 0"},
    {"npu", "rows = 16\n", "", "[matrix]",
     "matrix.rows: missing, expected a whole number from 1 to 65536"},
    {"npu", "mib = 1\n", "", "[sram]",
     "sram.bytes: missing, expected a whole number; or kib, mib, gib"},
    {"cortex-a53-coral", "depthwise = ", "dephtwise = ", "[efficiency]",
     "efficiency.depthwise: missing, expected a number greater than 0 and at most 1 (did you mean "
     "it "
     "by 'dephtwise'?)"},
    // Of the wrong type.
    {"npu", "mib = 1\n", "mib = \"1MB\"\n", "1MB",
     "sram.mib: expected a whole number from 1 to 1073741824, found a text, '1MB'"},
    {"npu", "columns = 64", "columns = 64.5", "64.5",
     "matrix.columns: expected a whole number from 1 to 65536, found a number, 64.5"},
    {"npu", "keeps_weights = false", "keeps_weights = 0", "keeps_weights",
     "sram.keeps_weights: expected true or false, found a number, 0"},
    {"npu", "[dma]", "[[dma]]", "[[dma]]", "dma: expected a table, found an array"},
    {"npu", "[[memory]]", "[memory]", "[memory]",
     "memory: expected an array of tables, found a table"},
    {"npu", "\"weight_stationary\"", "\"weight\"", "dataflow",
     "matrix.dataflow: expected one of weight_stationary, output_stationary, found a text, "
     "'weight'"},
    {"npu", "name = \"npu\"", "name = \"My NPU\"", "name",
     "name: expected small letters, digits, '-', '_' and '.', found a text, 'My NPU'"},
    {"npu", "accumulators = 32768", "accumulators = 1e5", "accumulators",
     "matrix.accumulators: expected a whole number from 1 to 2147483647, found a number, 100000.0"},
    // In another unit.
    {"npu", "clock_mhz = 1000", "clock_hz = 1e9", "clock_hz",
     "clock_hz: expected clock_mhz instead, a number greater than 0"},
    {"npu", "read_gb_per_second = 12.8", "read_mb_per_second = 12800", "read_mb",
     "memory[0].read_mb_per_second: expected read_gb_per_second instead, a number greater than 0"},
    {"npu", "latency_ns = 100", "latency_us = 0.1", "latency_us",
     "memory[0].latency_us: expected latency_ns instead, a number, 0 or greater"},
    {"npu", "mib = 1\n", "mb = 1\n", "mb = 1",
     "sram.mb: expected bytes instead, a whole number; or kib, mib, gib"},
    {"npu", "setup_cycles = 50", "setup_us = 0.05", "setup_us",
     "dma.setup_us: expected setup_cycles instead"},
    {"jetson-nano", "[peak_gops]", "[peak_tops]", "[peak_tops]",
     "peak_tops: expected peak_gops instead, a table"},
    {"npu", "mib = 1\n", "mib = 1\nkib = 1024\n", "mib = 1\n",
     "sram.mib: expected one size, found kib, mib"},
    // Nothing where there must be something.
    {"npu", "read_gb_per_second = 12.8", "read_gb_per_second = 0", "read_gb",
     "memory[0].read_gb_per_second: expected a number greater than 0, found a number, 0"},
    {"npu", "clock_mhz = 1000", "clock_mhz = 0", "clock_mhz",
     "clock_mhz: expected a number greater than 0, found a number, 0"},
    {"npu", "lanes = 64", "lanes = 0", "lanes = 0",
     "vector.lanes: expected a whole number from 1 to 65536, found a number, 0"},
    {"npu", "latency_ns = 100", "latency_ns = -1", "latency_ns",
     "memory[0].latency_ns: expected a number, 0 or greater, found a number, -1"},
    {"npu", "clock_mhz = 1000", "clock_mhz = inf", "clock_mhz",
     "clock_mhz: expected a number greater than 0, found a number, inf"},
    {"npu", "factor = 3", "factor = 0.5", "factor",
     "energy.factor: expected a number, 1 or greater, found a number, 0.5"},
    // Words that are not known.
    {"npu", "rows = 16", "rows = 16\nrosw = 16", "rosw",
     "matrix.rosw: no such key (did you mean 'rows'?)"},
    {"npu", "schema_version = 1", "schema_version = 1\ncolour = \"blue\"", "colour",
     "colour: no such key"},
    {"npu", "softmax = 8", "sotfmax = 8", "sotfmax",
     "vector.cost.sotfmax: no such key (did you mean 'softmax'?)"},
    {"npu", "types = [\"int8\", \"uint8\"]", "types = [\"int8\", \"uint9\"]", "uint9",
     "limits.types: no type 'uint9' (did you mean 'uint8'?); there are: int8, uint8"},
    {"cortex-a53-coral", "dense = ", "dense = 9.5367431640625e-07 # ", "dense",
     "efficiency.dense: expected a number from 1e-06 to 1, found a number, 9.5367431640625e-07"},
    {"h100", "idle_watts = 70", "idle_watts = 170", "typical_watts",
     "power.typical_watts: expected a number, 170 or greater, found a number, 165"},
    {"h100", "max_watts = 700", "max_watts = 7", "max_watts",
     "power.max_watts: expected a number, 165 or greater, found a number, 7"},
    {"npu", "clock_mhz = 1000", "clock_mhz = 1000\nweight_memory = \"flash\"", "weight_memory",
     "weight_memory: expected one of LPDDR4, found a text, 'flash'"},
};

TEST(Device, TellsFileLineAndKeyOfWhatIsWrong) {
  for (const BadFile& bad : kBadFiles) {
    const std::string text = replaced(catalog_text(bad.base), bad.from, bad.to);
    EXPECT_EQ(error_of_devices(text),
              str("my.toml: line ", line_of(text, bad.line), ": ", bad.message));
  }
}

TEST(Device, IsOfAKindThatIsKnown) {
  std::vector<std::string> kinds;
  for (const DeviceKindDef* kind : device_kinds()) kinds.emplace_back(kind->name());
  const std::string text = replaced(catalog_text("npu"), "kind = \"npu\"", "kind = \"toaster\"");
  EXPECT_EQ(error_of_devices(text),
            str("my.toml: line ", line_of(text, "kind = "), ": kind: expected one of ", join(kinds),
                ", found a text, 'toaster'"));
}

TEST(Device, NamesTheLineOfAnOperatorItDoesNotKnow) {
  const std::string text =
      replaced(catalog_text("npu"), "types = [", "ops = [\n  \"conv\",\n  \"convv\"]\ntypes = [");
  const std::string error = error_of_devices(text);
  EXPECT_TRUE(error.starts_with(str("my.toml: line ", line_of(text, "\"convv\""),
                                    ": limits.ops: no operator 'convv' (did you mean 'conv'?); "
                                    "there are: conv, depthwise_conv, gemm, ")))
      << error;
}

TEST(Device, TellsTheLineOfASyntaxError) {
  EXPECT_TRUE(error_of_devices("schema_version = 1\nname = \n").starts_with("my.toml: line 2: "));
  const std::string truncated = catalog_text("npu").substr(0, 300);
  EXPECT_NE(error_of_devices(truncated), "no error");
  EXPECT_EQ(parse_device("schema_version = 2", "my.toml").error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(read_device("nowhere/my.toml").error().message, "nowhere/my.toml: no such file");
}

TEST(Device, NamesAGroupThatItsClassesDoNotHave) {
  const fs::path file = fs::temp_directory_path() / "hone_devices_group_test.toml";
  const std::string text = catalog_text("raspberry-pi-3");
  std::ofstream(file) << replaced(text, "\"cortex-a53\"", "\"cortex-a5333\"");
  const auto misspelt = read_device(file);
  ASSERT_FALSE(misspelt.ok());
  EXPECT_TRUE(misspelt.error().message.starts_with(
      file.string() +
      ": class.group: no group 'cortex-a5333' in its classes (did you mean "
      "'cortex-a53'?); expected nothing, or one of: cortex-a17, "))
      << misspelt.error().message;
  std::ofstream(file) << replaced(text, "\"cortex-a53\"", "\"\"");
  const auto none = read_device(file);
  EXPECT_TRUE(none.ok());
  EXPECT_EQ(none->path, file.string());
  fs::remove(file);
}

TEST(Device, ReadsUnitsAndDefaults) {
  const auto device = parse_device(catalog_text("npu"), "npu.toml");
  ASSERT_TRUE(device.ok()) << device.error().message;
  const NpuSpec& npu = *device->npu();
  EXPECT_EQ(npu.clock_hz, 1e9);
  EXPECT_EQ(npu.matrix.lanes, 1);
  EXPECT_EQ(npu.matrix.macs_per_cycle(), 1024);
  EXPECT_EQ(npu.sram.bytes, 1 << 20);
  EXPECT_EQ(npu.memories.at(0).read_bytes_per_second, 12.8e9);
  EXPECT_EQ(npu.memories.at(0).bytes, int64_t{2} << 30);
  EXPECT_EQ(npu.energy.pj_per_memory_byte, std::vector<double>{40});
  EXPECT_EQ(npu.vector.cost_of("softmax"), 8);
  EXPECT_EQ(npu.vector.cost_of("add"), 1);
  EXPECT_TRUE(npu.limits.ops.empty());
}

TEST(Device, ReadsBackWhatItWrites) {
  for (Device device : device_catalog()) {
    device.summary += " \"quoted\" \\ \t";
    device.fit = CalibrationFit{.points = 4,
                                .error = 0.125,
                                .least_macs = 1e6,
                                .most_macs = 1e9,
                                .least_bytes = 1e5,
                                .most_bytes = 1e8,
                                .date = "2026-11-15"};
    const std::string text = device_text(device);
    const auto back = parse_device(text, "d.toml");
    ASSERT_TRUE(back.ok()) << back.error().message << "\n" << text;
    EXPECT_EQ(device_text(*back), text);
    EXPECT_EQ(back->name, device.name);
    EXPECT_EQ(back->summary, device.summary);
    EXPECT_EQ(back->price_usd, device.price_usd);
    EXPECT_EQ(back->usd_per_hour, device.usd_per_hour);
    EXPECT_EQ(back->sources.size(), device.sources.size());
    EXPECT_EQ(back->fit->error, 0.125);
    EXPECT_EQ(back->npu() == nullptr, device.npu() == nullptr);
    if (const NpuSpec* npu = device.npu(); npu != nullptr) {
      EXPECT_EQ(back->npu()->clock_hz, npu->clock_hz);
      EXPECT_EQ(back->npu()->weight_memory, npu->weight_memory);
      EXPECT_EQ(back->npu()->vector.cost, npu->vector.cost);
      EXPECT_EQ(back->npu()->limits.ops, npu->limits.ops);
      EXPECT_EQ(back->npu()->matrix.depthwise, npu->matrix.depthwise);
    } else if (device.analytic() != nullptr) {
      EXPECT_EQ(back->analytic()->peak_ops, device.analytic()->peak_ops);
      EXPECT_EQ(back->analytic()->efficiency, device.analytic()->efficiency);
    }
  }
}

TEST(Device, WritesOperatorsOfItsOwn) {
  Device device = **find_device("npu");
  device.npu()->operators = {
      {.name = "acme.SwishBeta", .expression = "x*sigmoid(beta*x)", .cycles_per_element = 0.5}};
  const auto back = parse_device(device_text(device), "d.toml");
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->npu()->operators.at(0).expression, "x*sigmoid(beta*x)");
  EXPECT_EQ(back->npu()->operators.at(0).cycles_per_element, 0.5);
}

bool has_source(const Device& device, std::string_view figure) {
  return std::ranges::any_of(device.sources, [&](const DeviceSource& source) {
    return source.figure.find(figure) != std::string::npos && !source.text.empty();
  });
}

TEST(DeviceCatalog, TellsWhereItsFiguresAreFrom) {
  ASSERT_GE(device_catalog().size(), 30u);
  for (const Device& device : device_catalog()) {
    EXPECT_TRUE(device.summary.ends_with(".")) << device.name;
    EXPECT_TRUE(has_source(device, "memory")) << device.name;
    const bool learned = device.analytic() != nullptr && device.analytic()->membership;
    for (const std::string_view figure : kind_of(device).sourced) {
      // A class says what efficiencies and overheads say of other devices.
      const bool in_class = learned && (figure == "efficiency" || figure == "overhead");
      EXPECT_TRUE(has_source(device, in_class ? "class" : figure)) << device.name << " " << figure;
    }
    EXPECT_TRUE(has_source(device, "price")) << device.name;
    EXPECT_EQ(has_source(device, "usd_per_hour"), device.usd_per_hour.has_value()) << device.name;
    const bool linked = device.analytic() != nullptr && device.analytic()->link.has_value();
    EXPECT_EQ(has_source(device, "link") && device.analytic() != nullptr, linked) << device.name;
  }
}

// Cards have memory of their own; what boards compute on is their host's, too.
TEST(DeviceCatalog, KnowsHowCardsAreLinkedToTheirHost) {
  const auto linked = [](const char* name) {
    return (*find_device(name))->analytic()->link.has_value();
  };
  for (const char* card : {"h200", "h100", "a100", "t4", "gtx-1080-ti", "titan-x"}) {
    EXPECT_TRUE(linked(card)) << card;
  }
  for (const char* board : {"jetson-nano", "xeon-8280-class", "raspberry-pi-4"}) {
    EXPECT_FALSE(linked(board)) << board;
  }
}

// Whatever its kind, a device is found, opened and asked as every other target.
TEST(DeviceCatalog, IsMadeOfTargets) {
  for (const Device& device : device_catalog()) {
    const DeviceKindDef& kind = kind_of(device);
    const auto target = find_target(device.name);
    ASSERT_TRUE(target.ok()) << target.error().message;
    EXPECT_EQ((*target)->name, device.name);
    EXPECT_EQ((*target)->summary, device.summary);
    EXPECT_EQ((*target)->mode, kind.mode);
    EXPECT_EQ((*target)->integers, kind.integers == nullptr ? nullptr : kind.integers(device));
    EXPECT_NE((*target)->open(), nullptr);
    EXPECT_EQ(*find_target(device.name), *target);
  }
}

TEST(DeviceCatalog, IsFoundByName) {
  EXPECT_EQ((*find_device("ethos-u55-128"))->npu()->matrix.macs_per_cycle(), 128);
  EXPECT_EQ((*find_device("ethos-u65-512"))->npu()->matrix.macs_per_cycle(), 512);
  const auto none = find_device("ethos-u55-129");
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().message.starts_with(
      "no device 'ethos-u55-129' (did you mean 'ethos-u55-128'?); there are: a100, "))
      << none.error().message;
}

TEST(DeviceCatalog, PrefersTheUsersFit) {
  const fs::path cache = fs::path(testing::TempDir()) / "hone_device_fit";
  fs::remove_all(cache);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const Device* plain = *find_device("jetson-nano");
  EXPECT_FALSE(plain->fit);

  Device fitted = *plain;
  fitted.fit = CalibrationFit{.points = 3, .error = 0.1, .date = "2026-11-15"};
  const fs::path path = *device_fit_path("jetson-nano");
  EXPECT_EQ(path, cache / "hone/devices/jetson-nano.toml");
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(write_file(path, device_text(fitted)).ok());
  const Device* found = *find_device("jetson-nano");
  EXPECT_EQ(found->fit->points, 3);
  EXPECT_EQ(*find_device("jetson-nano"), found);

  fitted.name = "t4";
  ASSERT_TRUE(write_file(path, device_text(fitted)).ok());
  EXPECT_EQ(find_device("jetson-nano").error().message,
            path.string() + ": name: expected jetson-nano, found t4");
  ASSERT_TRUE(write_file(path, "name = ").ok());
  EXPECT_TRUE(find_device("jetson-nano").error().message.starts_with(path.string() + ": line 1: "));
  unsetenv("XDG_CACHE_HOME");
  fs::remove_all(cache);
}

// Of NPUs that there are, checked or made like those that were; invented ones say that.
TEST(DeviceCatalog, NpusStateAnIntervalOrWhyNot) {
  for (const Device& device : device_catalog()) {
    if (device.npu() == nullptr) continue;
    SCOPED_TRACE(device.name);
    const bool invented = std::ranges::any_of(device.sources, [](const DeviceSource& source) {
      return source.figure == "latency" && source.text.starts_with("no interval: ");
    });
    EXPECT_NE(device.checked.has_value(), invented);
    if (!device.checked) continue;
    EXPECT_GE(device.checked->rows, 9) << "fewer tell no nine of ten";
    EXPECT_GT(device.checked->factor, 1);
    EXPECT_LT(device.checked->factor, 3);
  }
}

TEST(DeviceCatalog, TypicalDrawIsLessThanTheMost) {
  for (const Device& device : device_catalog()) {
    if (device.analytic() == nullptr) continue;
    SCOPED_TRACE(device.name);
    const DevicePower& power = device.analytic()->power;
    EXPECT_LT(power.idle_watts, power.typical_watts);
    EXPECT_GT(power.factor, 1);
    EXPECT_LT(power.typical_watts, power.max_watts.value_or(1e9));
  }
}

}  // namespace
}  // namespace hone
