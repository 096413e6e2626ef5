#include "hone/report/catalogs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hone/report/document/writers.h"
#include "hone/targets/devices.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

bool lists(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Catalogs, HaveALineAndAnEntryForEach) {
  const std::vector<const OpDef*>& ops = all_ops();
  EXPECT_EQ(operators_document(ops).sections[0].blocks.size(), 1u);
  EXPECT_EQ(operators_to_json(ops).size(), ops.size());
  const auto lines_of = [](const Document& document) {
    const std::string text = document_text(document);
    return static_cast<size_t>(std::ranges::count(text, '\n'));
  };
  EXPECT_EQ(lines_of(operators_document(ops)), ops.size() + 2);
  EXPECT_EQ(lines_of(passes_document()), passes_to_json().size() + 2);
  EXPECT_EQ(lines_of(finding_rules_document()), finding_rules_to_json().size() + 2);
  EXPECT_EQ(lines_of(placement_rules_document()), placement_rules_to_json().size() + 4);
}

TEST(Catalogs, ATargetThatIsADeviceShowsTheFileOfIt) {
  Device device = device_catalog()[0];
  device.sources = {{"clock", "a data sheet"}};
  const TargetDef& target = **find_target(device.name);
  const std::string text = target_text(target, &device);
  EXPECT_TRUE(text.starts_with(str("# ", device.name, "  ", mode_name(target.mode), "\n"))) << text;
  const auto back = parse_device(text, "d.toml");
  ASSERT_TRUE(back.ok()) << back.error().message << "\n" << text;
  EXPECT_EQ(device_text(*back), device_text(device));
  EXPECT_EQ(back->sources.at(0).text, "a data sheet");
  const Json json = target_to_json(target, &device);
  EXPECT_TRUE(lists(text, json["figures"].get<std::string>())) << text;
  EXPECT_FALSE(lists(json["figures"].get<std::string>(), "a data sheet"));
  EXPECT_EQ(json["kind"], device.kind);
  EXPECT_FALSE(target_to_json(target, nullptr).contains("kind"));
}

// What is printed of a device is that device again; of other targets one line says that it is none.
TEST(Catalogs, WhatIsPrintedOfEveryTargetCanBeFedBack) {
  for (const Device& device : device_catalog()) {
    const auto back = parse_device(target_text(**find_target(device.name), &device), "d.toml");
    ASSERT_TRUE(back.ok()) << device.name << ": " << back.error().message;
    EXPECT_EQ(device_text(*back), device_text(device)) << device.name;
  }
  for (const TargetDef* target : all_targets()) {
    const std::string text = target_text(*target, nullptr);
    EXPECT_TRUE(lists(text, str("no device file: nothing of ", target->name))) << text;
    const auto back = parse_device(text, "d.toml");
    ASSERT_FALSE(back.ok()) << target->name;
    EXPECT_EQ(back.error().message, "d.toml: holds no device, expected a name, a kind and figures");
  }
}

TEST(Catalogs, TargetsComeBeforeDevices) {
  const Device& device = device_catalog()[0];
  const std::vector<CatalogDevice> devices = {{&device, *find_target(device.name)}};
  const std::string text = document_text(targets_document(devices));
  EXPECT_LT(text.find("cpu"), text.find(device.name)) << text;
  const Json json = targets_to_json(devices);
  EXPECT_EQ(json["targets"].size(), all_targets().size());
  EXPECT_EQ(json["devices"][0]["name"], device.name);
}

}  // namespace
}  // namespace hone
