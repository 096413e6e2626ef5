#include "hone/device/device_format.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

enum class Heat { Low, High };

struct Slot {
  int64_t bytes = 0;
};

// A kind that no file of Hone's has.
struct ToasterSpec {
  double clock_hz = 0;
  Heat heat = Heat::Low;
  int slices = 2;
  bool bagels = false;
  std::vector<Slot> slots = {};
  std::optional<Slot> tray = {};
  std::map<std::string, double, std::less<>> cost = {};
};

constexpr Word<Heat> kHeats[] = {{"low", Heat::Low}, {"high", Heat::High}};
constexpr std::string_view kCosts[] = {"bread", "bagel"};

void fields(DeviceIo& io, Slot& slot) {
  io.size(slot.bytes);
}

void fields(DeviceIo& io, ToasterSpec& spec) {
  io.positive("clock_mhz", spec.clock_hz, 1e6);
  io.choice("heat", spec.heat, kHeats);
  io.count("slices", spec.slices, 1, Need::Optional);
  io.flag("bagels", spec.bagels, Need::Optional);
  io.list("slot", spec.slots, Need::Required);
  io.maybe_section("tray", spec.tray);
  io.table("cost", spec.cost, kCosts, 1, Need::Optional);
}

const SpecFormat kKinds[] = {spec_format<Slot>("slot"), spec_format<ToasterSpec>("toaster")};

constexpr const char* kToaster = R"(schema_version = 1
name = "mine"
summary = "A toaster."
kind = "toaster"
clock_mhz = 2
heat = "high"
slices = 4
bagels = true

[[slot]]
bytes = 1024

[[slot]]
bytes = 2048

[cost]
bagel = 3
)";

TEST(DeviceFormat, ReadsAndWritesAKindByOneListOfFields) {
  const auto device = parse_device(kToaster, "mine.toml", kKinds);
  ASSERT_TRUE(device.ok()) << device.error().message;
  const auto* spec = std::any_cast<ToasterSpec>(&device->spec);
  ASSERT_NE(spec, nullptr);
  EXPECT_EQ(device->npu(), nullptr);
  EXPECT_EQ(spec->clock_hz, 2e6);
  EXPECT_EQ(spec->heat, Heat::High);
  EXPECT_EQ(spec->slices, 4);
  ASSERT_EQ(spec->slots.size(), 2u);
  EXPECT_EQ(spec->slots[1].bytes, 2048);
  EXPECT_FALSE(spec->tray);
  EXPECT_EQ(spec->cost.at("bagel"), 3);
  EXPECT_EQ(device_text(*device, kKinds), kToaster);
}

TEST(DeviceFormat, TellsWhatIsWrongInTheKindsPart) {
  const auto error = [](std::string text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    return parse_device(text, "mine.toml", kKinds).error().message;
  };
  EXPECT_EQ(error(kToaster, "\"high\"", "\"hot\""),
            "mine.toml: line 6: heat: expected one of low, high, found a text, 'hot'");
  EXPECT_EQ(
      error(kToaster, "bytes = 2048", "bites = 2048"),
      "mine.toml: line 13: slot[1].bytes: missing, expected a whole number; or kib, mib, gib (did "
      "you mean it by 'bites'?)");
  EXPECT_EQ(error(kToaster, "\"toaster\"", "\"oven\""),
            "mine.toml: line 4: kind: expected one of slot, toaster, found a text, 'oven'");
}

// A [system] of which every figure is the same.
std::string system_text(const std::string& figure) {
  std::string text = "\n[system]\nof = \"a kitchen\"\n";
  for (const char* key : {"suspended_mw", "idle_mw", "core_mw", "capture_mw", "interrupt_us",
                          "wake_mj", "microphone_mw", "island_mw", "memory_mw", "dsp_mw"}) {
    text += str("[system.", key, "]\n", figure, "source = \"assumed\"\n");
  }
  return text;
}

TEST(DeviceFormat, HoldsPowerAgainstItsInterval) {
  const auto error = [](const std::string& figure) {
    const auto device = parse_device(kToaster + system_text(figure), "mine.toml", kKinds);
    return device.ok() ? "ok" : device.error().message;
  };
  EXPECT_EQ(error("value = 2\nlow = 1\nhigh = 4\n"), "ok");
  EXPECT_EQ(error("value = 2\nlow = 2\nhigh = 2\n"), "ok");
  EXPECT_EQ(error("value = 2\nlow = 3\nhigh = 4\n"),
            "mine.toml: line 23: system.suspended_mw.low: expected a number from 0 to 2, found a "
            "number, 3");
  EXPECT_EQ(error("value = 2\nlow = 1\nhigh = 1.5\n"),
            "mine.toml: line 24: system.suspended_mw.high: expected a number from 2 to 1e+09, "
            "found a number, 1.5");
  EXPECT_EQ(error("value = -2\nlow = 1\nhigh = 4\n"),
            "mine.toml: line 22: system.suspended_mw.value: expected a number from 0 to 1e+09, "
            "found a number, -2");
}

}  // namespace
}  // namespace hone
