#include "hone/base/gunzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace hone {
namespace {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += std::to_string(i);
  return text;
}

TEST(Gunzip, GivesWhatWasPacked) {
  for (const std::string& text : {std::string("a line\n"), std::string(), long_text()}) {
    const std::string packed = gzipped(text);
    EXPECT_TRUE(is_gzip(packed));
    const Result<std::string> back = gunzip(packed);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, text);
  }
  EXPECT_FALSE(is_gzip("{}"));
}

TEST(Gunzip, GivesFilesBehindOneAnother) {
  EXPECT_EQ(*gunzip(gzipped("one, ") + gzipped("two")), "one, two");
}

TEST(Gunzip, SaysWhatIsWrong) {
  const std::string packed = gzipped(long_text());
  for (const size_t size : {size_t{2}, size_t{12}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_EQ(gunzip(packed.substr(0, size)).error().message, "the gzip file is cut off") << size;
  }
  std::string damaged = packed;
  damaged[packed.size() / 2] ^= 0x55;
  EXPECT_EQ(gunzip(damaged).error().message, "the gzip file is damaged");
  EXPECT_EQ(gunzip("\x1f\x8b{}, but it is not").error().message, "the gzip file is damaged");
  EXPECT_EQ(gunzip(packed, 1 << 20).error().message,
            "more than 1.00 MiB are packed in the gzip file");
}

}  // namespace
}  // namespace hone
