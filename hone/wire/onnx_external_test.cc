#include <gtest/gtest.h>

#include "hone/wire/onnx.h"
#include "hone/wire/onnx_test_util.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string entry(const char* key, std::string_view value) {
  return field(13, field(1, key) + field(2, value));
}

// A float tensor of two elements in a file.
std::string external_tensor(const std::string& entries) {
  return tensor_message({2}, 1, field(14, 1) + entries);
}

class OnnxExternal : public ::testing::Test {
 protected:
  OnnxExternal() {
    fs::create_directories(outside_ / "model/sub");
    write_text(folder_ / "w.bin", raw_bytes<float>({1, 2, 3}));
    write_text(folder_ / "sub/w.bin", raw_bytes<float>({4, 5}));
    write_text(outside_ / "secret", raw_bytes<float>({6, 7}));
  }

  std::string error(const std::string& entries) {
    const auto tensor = read_initializer(external_tensor(entries), folder_);
    EXPECT_TRUE(tensor.ok() || tensor.error().kind == ErrorKind::BadInput);
    return message_of(tensor);
  }

  TempFolder outside_;
  fs::path folder_ = outside_ / "model";
};

TEST_F(OnnxExternal, DataIsReadFromAnOffset) {
  const auto tensor = read_initializer(
      external_tensor(entry("location", "w.bin") + entry("offset", "4") + entry("length", "8")),
      folder_);
  ASSERT_TRUE(tensor.ok()) << message_of(tensor);
  EXPECT_EQ(to_doubles(*tensor), (std::vector<double>{2, 3}));
}

TEST_F(OnnxExternal, OffsetAndLengthMayBeLeftOut) {
  const auto tensor = read_initializer(external_tensor(entry("location", "sub/w.bin")), folder_);
  ASSERT_TRUE(tensor.ok()) << message_of(tensor);
  EXPECT_EQ(to_doubles(*tensor), (std::vector<double>{4, 5}));
}

TEST_F(OnnxExternal, TheModelsFolderIsWhereTheFileIs) {
  write_text(folder_ / "m.onnx",
             model_message(field(5, external_tensor(entry("location", "w.bin")))));
  const fs::path before = fs::current_path();
  EXPECT_TRUE(read_onnx(folder_ / "m.onnx").ok());
  fs::current_path(folder_);
  EXPECT_TRUE(read_onnx("m.onnx").ok());
  fs::current_path(before);
}

TEST_F(OnnxExternal, AMissingFileIsNamed) {
  EXPECT_EQ(error(entry("location", "no.bin")),
            str("initializer 'w': external data 'no.bin': ",
                (fs::canonical(folder_) / "no.bin").string(), ": no such file"));
}

TEST_F(OnnxExternal, AShortFileIsRefused) {
  EXPECT_NE(error(entry("location", "w.bin") + entry("offset", "8")).find("outside the file"),
            std::string::npos);
  EXPECT_NE(error(entry("location", "w.bin") + entry("offset", "18446744073709551615"))
                .find("outside the file"),
            std::string::npos);
}

TEST_F(OnnxExternal, ALengthOtherThanTheTensorsIsRefused) {
  EXPECT_EQ(error(entry("location", "w.bin") + entry("length", "12")),
            "initializer 'w': external data 'w.bin': holds 12 bytes, expected 8");
}

TEST_F(OnnxExternal, NumbersAreReadStrictly) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x10", "1e3", "99999999999999999999"}) {
    EXPECT_EQ(error(entry("location", "w.bin") + entry("offset", text)),
              str("initializer 'w': external data offset '", text, "' is not a number"));
  }
}

TEST_F(OnnxExternal, NoLocationIsRefused) {
  EXPECT_EQ(error(""), "initializer 'w': external data has no location");
}

TEST_F(OnnxExternal, PathsThatLeaveTheFolderAreRefused) {
  for (const char* location : {"../secret", "sub/../../secret", "no/../../secret", ".."}) {
    EXPECT_EQ(error(entry("location", location)), str("initializer 'w': external data '", location,
                                                      "': lies outside the model's folder"));
  }
  const std::string absolute = (outside_ / "secret").string();
  EXPECT_EQ(error(entry("location", absolute)), str("initializer 'w': external data '", absolute,
                                                    "': must be a path relative to the model"));
  const std::string_view zero("w.bin\0/../../secret", 19);
  EXPECT_NE(error(entry("location", zero)).find("holds a zero byte"), std::string::npos);
}

TEST_F(OnnxExternal, AFolderWhoseNameOnlyBeginsTheSameIsOutside) {
  fs::create_directory(outside_ / "model2");
  write_text(outside_ / "model2/w.bin", raw_bytes<float>({4, 5}));
  EXPECT_NE(error(entry("location", "../model2/w.bin")).find("lies outside"), std::string::npos);
}

TEST_F(OnnxExternal, LinksThatLeaveTheFolderAreRefused) {
  fs::create_symlink(outside_ / "secret", folder_ / "link");
  fs::create_directory_symlink(outside_.path(), folder_ / "dir");
  EXPECT_NE(error(entry("location", "link")).find("lies outside"), std::string::npos);
  EXPECT_NE(error(entry("location", "dir/secret")).find("lies outside"), std::string::npos);
}

TEST_F(OnnxExternal, LinksInsideTheFolderAreFollowed) {
  fs::create_symlink("sub/w.bin", folder_ / "link");
  EXPECT_EQ(error(entry("location", "link")), "ok");
}

TEST_F(OnnxExternal, FoldersAreNotData) {
  EXPECT_NE(error(entry("location", "sub")).find("not a regular file"), std::string::npos);
  EXPECT_NE(error(entry("location", ".")).find("not a regular file"), std::string::npos);
}

TEST_F(OnnxExternal, BytesWithoutAFolderHaveNoExternalData) {
  EXPECT_EQ(message_of(read_initializer(external_tensor(entry("location", "w.bin")))),
            "initializer 'w': external data 'w.bin': cannot be read without the model's folder");
}

}  // namespace
}  // namespace hone
