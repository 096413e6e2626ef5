#include "hone/device/device_file.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone {
namespace {

DeviceFile example() {
  return {
      .name = "Example \"1\"",
      .kind = "cpu",
      .mode = Mode::Measured,
      .date = "2026-11-14",
      .tool_version = "0.1.0",
      .threads = 2,
      .compute = {{.precision = "fp32", .instruction = "fmla", .ops = {8.32e10, 1.66e11}, .n = 50},
                  {.precision = "int8", .instruction = "sdot", .ops = {3.3e11, 6.6e11}, .n = 40},
                  {.precision = "int8", .instruction = "smmla", .ops = {6.65e11, 1.3e12}, .n = 60}},
      .memory = {{.name = "L1",
                  .bytes = 64 << 10,
                  .line_bytes = 64,
                  .ways = 4,
                  .shared_by = 1,
                  .read = {1.23e11, 2.4e11},
                  .write = {8e10, 1.6e11},
                  .copy = {1.6e11, 3.2e11},
                  .n = 50},
                 {.name = "DRAM",
                  .bytes = uint64_t{24} << 30,
                  .shared_by = 2,
                  .read = {3e10, 5.7e10},
                  .write = {5e10, 9e10},
                  .copy = {5e10, 9e10},
                  .n = 5}},
      .kernels = {{.kind = "product", .precision = "fp32", .of_roof = 0.75},
                  {.kind = "product",
                   .precision = "int8",
                   .of_roof = 0.5,
                   .parts = ProductParts{.multiply_of_roof = 0.625, .ns_per_output = 0.125}},
                  {.kind = "winograd", .precision = "fp32", .of_roof = 1.25}},
      .dispatch = DispatchCost{.spinning_us = 1.5, .sleeping_us = 40},
      .energy = EnergyFigures{.mode = Mode::Predicted,
                              .factor = 2,
                              .source = "a guess",
                              .pj_per_op = {{"fp32", 12.0}, {"int8", 1.5}},
                              .pj_per_byte = {{"L1", 1.0}, {"DRAM", 160.0}},
                              .idle_watts = 1}};
}

DeviceFile example_gpu() {
  return {.name = "card",
          .kind = "gpu",
          .date = "2026-11-14",
          .tool_version = "0.1.0",
          .processors = 132,
          .driver = "CUDA 13.0",
          .compute = {{.precision = "fp16",
                       .instruction = "wgmma",
                       .ops = {8e14, 8e14},
                       .n = 15,
                       .below = 0.03125}},
          .memory = {{.name = "HBM",
                      .bytes = uint64_t{139} << 30,
                      .read = {4e12, 4e12},
                      .write = {3e12, 3e12},
                      .copy = {4e12, 4e12},
                      .n = 15,
                      .below = 0.25}},
          .link = LinkRates{.to_device = 5e10, .from_device = 4e10, .n = 15, .below = 0.5},
          .launch = LaunchCost{.waited_us = 7, .queued_us = 2, .graph_node_us = 0.5, .n = 15}};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto device = parse_device_file(text, "d.toml");
  return device.ok() ? "no error" : device.error().message;
}

TEST(DeviceFile, ReadsWhatItWritesOfAnAccelerator) {
  const std::string text = device_file_text(example_gpu());
  const auto device = parse_device_file(text, "d.toml");
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device_file_text(*device), text);
  EXPECT_EQ(device->processors, 132);
  EXPECT_EQ(device->driver, "CUDA 13.0");
  EXPECT_EQ(device->compute[0].below, 0.03125);
  EXPECT_EQ(device->memory[0].below, 0.25);
  EXPECT_EQ(device->link->from_device, 4e10);
  EXPECT_EQ(device->launch->graph_node_us, 0.5);
}

TEST(DeviceFile, ReadsWhatItWrites) {
  const std::string text = device_file_text(example());
  const auto device = parse_device_file(text, "d.toml");
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ(device_file_text(*device), text);
  EXPECT_EQ(device->name, "Example \"1\"");
  EXPECT_EQ(device->mode, Mode::Measured);
  EXPECT_EQ(device->threads, 2);
  ASSERT_EQ(device->compute.size(), 3u);
  EXPECT_EQ(device->compute[1].instruction, "sdot");
  EXPECT_EQ(device->compute[1].ops.all, 6.6e11);
  EXPECT_EQ(device->compute[1].n, 40);
  ASSERT_EQ(device->kernels.size(), 3u);
  EXPECT_EQ(device->kernels[2].kind, "winograd");
  EXPECT_EQ(device->kernels[2].of_roof, 1.25);
  EXPECT_FALSE(device->kernels[0].parts);
  ASSERT_TRUE(device->kernels[1].parts);
  EXPECT_EQ(device->kernels[1].parts->multiply_of_roof, 0.625);
  EXPECT_EQ(device->kernels[1].parts->ns_per_output, 0.125);
  ASSERT_EQ(device->memory.size(), 2u);
  EXPECT_EQ(device->memory[0].ways, 4);
  EXPECT_EQ(device->memory[0].write.one, 8e10);
  EXPECT_EQ(device->memory[1].bytes, uint64_t{24} << 30);
  EXPECT_EQ(device->memory[1].line_bytes, 0);
  EXPECT_EQ(device->dispatch->sleeping_us, 40);
  EXPECT_EQ(device->energy->mode, Mode::Predicted);
  EXPECT_EQ(device->energy->pj_per_byte.at("DRAM"), 160);
}

TEST(DeviceFile, LivesInAFolderMadeForIt) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "hone_device_file";
  std::filesystem::remove_all(folder);
  const auto path = folder / "a/b.toml";
  const Status status = write_device_file(example(), path);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(read_device_file(path).ok());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(read_device_file(path).error().message, path.string() + ": no such file");
}

TEST(DeviceFile, DispatchAndEnergyMayBeLeftOut) {
  DeviceFile device = example();
  device.dispatch.reset();
  device.energy.reset();
  const auto read = parse_device_file(device_file_text(device), "d.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->dispatch);
  EXPECT_FALSE(read->energy);
}

TEST(DeviceFile, PassesOverKeysItDoesNotKnow) {
  const std::string text =
      "colour = 'blue'\n" + device_file_text(example()) + "\n[future]\nx = 1\n";
  EXPECT_TRUE(parse_device_file(text, "d.toml").ok());
}

// What `error_of` says, with the line on which `piece` stands.
std::string at(const std::string& text, std::string_view piece, std::string_view message) {
  const auto lines = std::ranges::count(text.substr(0, text.find(piece)), '\n');
  return str("d.toml: line ", lines + 1, ": ", message);
}

TEST(DeviceFile, NamesLineKeyAndExpectation) {
  const std::string good = device_file_text(example());
  EXPECT_EQ(error_of(replaced(good, "kind = 'cpu'", "")),
            "d.toml: line 1: kind: missing, expected a text");
  const auto check = [&](std::string_view from, std::string_view to, std::string_view message) {
    const std::string text = replaced(good, from, to);
    EXPECT_EQ(error_of(text), at(text, to, message));
  };
  check("kind = 'cpu'", "kind = 7", "kind: expected a text, found a number, 7");
  check("mode = 'measured'", "mode = 'dreamt'",
        "mode: expected one of exact, measured, emulated, simulated, predicted, found a text, "
        "'dreamt'");
  check("bytes = 65536", "bytes = 0",
        "memory[0].bytes: expected a whole number from 1 to 9223372036854775807, found a number, "
        "0");
  check("one = 83200000000.0", "one = -1",
        "compute[0].ops_per_second.one: expected a number, 0 or greater, found a number, -1");
  check("one = 83200000000.0", "one = nan",
        "compute[0].ops_per_second.one: expected a number, 0 or greater, found a number, nan");
  EXPECT_NE(error_of(replaced(good, "factor = 2.0", "factor = 0.5")).find("energy.factor"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(good, "of_roof = 0.75", "of_roof = 0")).find("kernels[0].of_roof"),
            std::string::npos);
  EXPECT_TRUE(error_of(replaced(good, "[energy]", "[not_energy]"))
                  .ends_with(": energy.mode: missing, expected a text"));
}

TEST(DeviceFile, TellsTheLineOfASyntaxError) {
  EXPECT_TRUE(error_of("schema_version = 1\nname = \n").starts_with("d.toml: line 2: "));
  EXPECT_TRUE(error_of("name = '\xff'").starts_with("d.toml: line 1: "));
  EXPECT_EQ(error_of(""),
            "d.toml: line 1: schema_version: missing, expected a whole number from 1 to "
            "9223372036854775807");
  EXPECT_EQ(error_of("schema_version = 1\nname = 'x'\nkind = 'cpu'\nmode = 'measured'\ndate = ''\n"
                     "tool_version = ''\nthreads = 1\ncompute = [1]"),
            "d.toml: line 8: compute: expected an array of tables, found an array");
}

TEST(DeviceFile, RefusesALaterSchema) {
  const auto device = parse_device_file("schema_version = 2", "d.toml");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(device.error().message,
            "d.toml: schema_version 2 is newer than 1, the newest this version of hone reads");
}

TEST(DeviceFile, RoofOfAPrecisionIsThatOfItsFastestInstruction) {
  const DeviceFile device = example();
  EXPECT_EQ(device.compute_roof("int8")->instruction, "smmla");
  EXPECT_EQ(device.compute_roof("fp32")->instruction, "fmla");
  EXPECT_FALSE(device.compute_roof("fp64"));
  EXPECT_EQ(device.compute_roof("bf16")->instruction, "fmla");  // It has none of its own.
  EXPECT_FALSE(DeviceFile().compute_roof("fp16"));
  EXPECT_EQ(device.kernel_reach("winograd", "fp32"), 1.25);
  EXPECT_EQ(device.kernel_reach("winograd", "int8"), 0.5);  // Integers have no Winograd.
  EXPECT_FALSE(device.kernel_reach("product", "bf16"));
}

TEST(DeviceFile, LevelIsTheNearestThatHoldsTheBytes) {
  const DeviceFile device = example();
  EXPECT_EQ(device.level_for(0)->name, "L1");
  EXPECT_EQ(device.level_for(64 << 10)->name, "L1");
  EXPECT_EQ(device.level_for((64 << 10) + 1)->name, "DRAM");
  EXPECT_EQ(device.level_for(uint64_t{1} << 50)->name, "DRAM");
  EXPECT_FALSE(DeviceFile().level_for(1));
}

TEST(DeviceFile, CacheThatOthersFillHoldsWhatStaysInIt) {
  DeviceFile device = example();
  device.memory[0].stays_bytes = 32 << 10;
  const auto read = parse_device_file(device_file_text(device), "host.toml");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->memory[0].stays_bytes, 32u << 10);
  EXPECT_EQ(read->level_for(32 << 10)->name, "L1");
  EXPECT_EQ(read->level_for((32 << 10) + 1)->name, "DRAM");
}

}  // namespace
}  // namespace hone
