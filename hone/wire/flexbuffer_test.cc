#include "hone/wire/flexbuffer.h"

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

std::vector<std::byte> options() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("count", 10);
    builder.Float("limit", 0.5f);
    builder.Bool("fast", true);
    builder.String("name", "boxes");
    builder.Vector("list", [&] { builder.Int(1); });
  });
  builder.Finish();
  const std::vector<uint8_t>& bytes = builder.GetBuffer();
  const auto* start = reinterpret_cast<const std::byte*>(bytes.data());
  return {start, start + bytes.size()};
}

TEST(Flexbuffer, ReadsWhatOptionsAreMadeOf) {
  const auto map = read_flexbuffer_map(options());
  ASSERT_TRUE(map.ok()) << map.error().message;
  const std::map<std::string, TfliteOption> expected = {
      {"count", int64_t{10}}, {"limit", 0.5}, {"fast", true}, {"name", std::string("boxes")}};
  EXPECT_EQ(*map, expected);
}

TEST(Flexbuffer, SurvivesDamage) {
  EXPECT_FALSE(read_flexbuffer_map({}).ok());
  const std::vector<std::byte> whole = options();
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_FALSE(read_flexbuffer_map(std::span(whole).first(i)).ok() && i < 3);
    for (const int value : {0, 1, 7, 0x24, 0x7f, 0xff}) {
      std::vector<std::byte> damaged = whole;
      damaged[i] = static_cast<std::byte>(value);
      (void)read_flexbuffer_map(damaged);
    }
  }
}

}  // namespace
}  // namespace hone
