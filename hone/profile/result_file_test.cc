#include "hone/profile/result_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

std::string message_for(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "hone_result_file_test.json";
  std::ofstream(path, std::ios::binary) << text;
  const auto document = read_result_file(path);
  std::filesystem::remove(path);
  return document.ok() ? "read" : document.error().message;
}

TEST(ResultFile, ReadsADocumentAndNamesItsKind) {
  EXPECT_EQ(message_for(R"({"schema_version": "1.7", "results": {"kind": "bench"}})"), "read");
  using Json = nlohmann::ordered_json;
  EXPECT_EQ(result_kind(Json::parse(R"({"results": {"kind": "bench"}})")), "bench");
  EXPECT_EQ(result_kind(Json::parse(R"({"results": [1]})")), "");
  EXPECT_EQ(result_kind(Json::parse(R"({"results": {"kind": 3}})")), "");
}

TEST(ResultFile, SaysWhatIsWrongAndWhere) {
  const auto says = [](const std::string& text, const std::string& expected) {
    const std::string message = message_for(text);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_NE(message.find("hone_result_file_test.json: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  says("", "not JSON, or cut off");
  says(R"({"schema_version": "1.0", "resu)", "cut off: stopped at byte ");
  says("[1, 2]", "not a result file of hone");
  says(R"({"results": {}})", "not a result file of hone");
  says(R"({"schema_version": "2.0", "results": {}})", "schema 2.0 is newer than the 1.x");
  says(R"({"schema_version": "x", "results": {}})", "expected 1.x");
  says(R"({"schema_version": "1.0", "results": 1e999})", "not JSON");
}

TEST(ResultFile, RefusesNestingWithoutEnd) {
  // Brackets of a string are none.
  const std::string text = std::string(100, '[') + "\\\"" + std::string(100, '{');
  EXPECT_EQ(message_for(R"({"schema_version": "1.0", "results": ")" + text + "\"}").find("nests"),
            std::string::npos);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_NE(message_for(R"({"schema_version": "1.0", "results": )" + deep + "}").find("nests"),
            std::string::npos);
}

TEST(ResultFile, NamesAFileThatIsNotThere) {
  const auto document = read_result_file("no/such/file.json");
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().message, "no/such/file.json: no such file");
}

}  // namespace
}  // namespace hone
