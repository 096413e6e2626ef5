// Layers whose names are markup, quotes, what a terminal obeys, what turns the direction of writing,
// formulas, and a megabyte of text: nothing that Hone writes is harmed by them.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hone/base/str.h"
#include "hone/cli/command_def.h"
#include "hone/wire/onnx.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {
      "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>",
      "a\"b','c;`id`$(id)\\",
      "line\nbreak\r\ttab\x1b[31mred\x1b]0;title\x07 nul-like \x01\x7f",
      "abc\xE2\x80\xAE"
      "fdp.exe\xE2\x81\xA6\xE2\x80\xA8",  // U+202E, U+2066, U+2028.
      "=cmd|' /C calc'!A0",
      "\xFF\xFE bytes that are no text",
      std::string(1 << 20, 'M') + "end"};
  return names;
}

// A chain of Relu and Sigmoid nodes of those names, and values of the same.
OnnxModel hostile_model() {
  OnnxModel model;
  model.ir_version = 8;
  model.opsets[""] = 13;
  model.graph.name = hostile_names()[0];
  const OnnxType type{.dtype = DType::F32, .shape = std::vector<OnnxDim>{{1, ""}, {64, ""}}};
  std::string last = "x";
  model.graph.inputs = {{last, type}};
  for (size_t i = 0; i < hostile_names().size(); ++i) {
    const std::string& name = hostile_names()[i];
    model.graph.nodes.push_back(
        OnnxNode{name, i % 2 == 0 ? "Sigmoid" : "Softmax", "", {last}, {name + "_out"}, {}, {}});
    last = name + "_out";
  }
  model.graph.outputs = {{last, type}};
  return model;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

size_t longest_line(const std::string& text) {
  size_t longest = 0, line = 0;
  for (const char c : text) {
    line = c == '\n' ? 0 : line + 1;
    longest = std::max(longest, line);
  }
  return longest;
}

size_t count_in(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// A terminal is sent nothing but text and line ends.
void expect_harmless(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    ASSERT_FALSE((byte < ' ' && c != '\n') || byte == 0x7F) << int(byte);
  }
  for (const char* turn : {"\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x80\xA8"}) {
    EXPECT_EQ(text.find(turn), std::string::npos);
  }
  EXPECT_LT(longest_line(text), 20'000u);
}

class HostileNames : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / "hone_hostile_names_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    const Status written = write_onnx(hostile_model(), file("model.onnx"));
    ASSERT_TRUE(written.ok()) << written.error().message;
    hone({"profile", file("model.onnx"), "-n", "5", "--no-roofs", "--threads", "1", "--json",
          file("p.json"), "--csv", file("p.csv"), "--trace", file("t.json")});
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string file(const char* name) { return (folder_ / name).string(); }

  // What the command says to a person.
  static std::string hone(const std::vector<std::string>& arguments) {
    std::ostringstream output;
    const int exit = run_cli(arguments, output, output);
    EXPECT_EQ(exit, 0) << arguments[0] << ": " << output.str().substr(0, 2000);
    return output.str();
  }

  static inline fs::path folder_;
};

TEST_F(HostileNames, ATerminalIsNotSteered) {
  const std::string model = file("model.onnx");
  expect_harmless(hone({"inspect", model}));
  expect_harmless(hone({"profile", model, "-n", "3", "--no-roofs", "--rows", "0"}));
  expect_harmless(hone({"diagnose", model, "-n", "3"}));
  expect_harmless(hone({"compare", model, "-d", "cpu,jetson-nano", "--runs", "3", "--no-roofs"}));
  expect_harmless(hone({"report", file("p.json"), "--format", "text", "-o", "-"}));
}

TEST_F(HostileNames, ATableOfASpreadsheetHasALineForEachStep) {
  const std::string csv = text_of(file("p.csv"));
  const auto lines = static_cast<size_t>(std::ranges::count(csv, '\n'));
  EXPECT_EQ(lines, 1 + hostile_names().size());
  expect_harmless(std::string(csv).substr(0, 10'000));
  EXPECT_EQ(csv.find("\n=cmd"), std::string::npos);
  EXPECT_EQ(csv.find(",=cmd"), std::string::npos);
}

TEST_F(HostileNames, ATraceAndAResultFileAreJson) {
  EXPECT_TRUE(Json::accept(text_of(file("t.json"))));
  const Json result = Json::parse(text_of(file("p.json")));
  EXPECT_EQ(result["results"]["steps"].size(), hostile_names().size());
}

// Whatever a name holds, the page has the scripts and the markup that it has of a harmless model.
TEST_F(HostileNames, APageHasNoOtherMarkup) {
  hone({"profile", "op:relu:1x64", "-n", "3", "--no-roofs", "--json", file("plain.json")});
  hone({"report", file("plain.json"), "-o", file("plain.html")});
  hone({"report", file("p.json"), "-o", file("p.html")});
  const std::string plain = text_of(file("plain.html")), page = text_of(file("p.html"));
  for (const char* mark : {"<script", "</script", "<!--", "<img"}) {
    EXPECT_EQ(count_in(page, mark), count_in(plain, mark)) << mark;
  }
}

TEST_F(HostileNames, APageOfDocumentsHasNoOtherMarkup) {
  hone({"compare", file("model.onnx"), "-d", "cpu,jetson-nano", "--runs", "3", "--no-roofs",
        "--report", file("c.html"), "--json", file("c.json")});
  hone({"validate", file("model.onnx"), "--max-peak-memory", "1GB", "--json", file("v.json")});
  hone({"report", file("v.json"), "-o", file("v.html")});
  for (const char* name : {"c.html", "v.html"}) {
    const std::string page = text_of(file(name));
    EXPECT_EQ(page.find("<img"), std::string::npos) << name;
    EXPECT_EQ(page.find("alert(1)"), std::string::npos) << name;
    EXPECT_EQ(page.find("\x1b"), std::string::npos) << name;
  }
}

// A path is a word of a shell's command, not more of it.
TEST_F(HostileNames, ACommandToCopyQuotesThem) {
  const std::string name = "it's $(id);x.onnx";
  fs::copy_file(file("model.onnx"), folder_ / name, fs::copy_options::overwrite_existing);
  hone({"profile", (folder_ / name).string(), "-n", "3", "--no-roofs", "--json", file("q.json")});
  hone({"report", file("q.json"), "-o", file("q.html")});
  EXPECT_NE(text_of(file("q.html")).find("it'\\\\''s $(id);x.onnx'"), std::string::npos);
}

}  // namespace
}  // namespace hone
