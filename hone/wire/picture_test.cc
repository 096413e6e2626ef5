#include "hone/wire/picture.h"

#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "hone/base/file.h"
#include "hone/wire/picture_testing.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string big_endian_text(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const uLong sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian_text(static_cast<uint32_t>(data.size())) + body +
         big_endian_text(static_cast<uint32_t>(sum));
}

class PictureTest : public ::testing::Test {
 protected:
  PictureTest() : folder_(fs::temp_directory_path() / str("hone_picture_", getpid())) {
    fs::create_directories(folder_);
  }
  ~PictureTest() override { fs::remove_all(folder_); }

  // What reading says, without the folder's name; "ok" when it says nothing.
  std::string picture_error(const std::string& name) const {
    const auto picture = read_picture(folder_ / name);
    if (picture.ok()) return "ok";
    return picture.error().message.substr(folder_.string().size() + 1);
  }

  // The first part of a file, as another.
  void cut_off(const std::string& name, double part, const std::string& as) const {
    const auto size = static_cast<double>(fs::file_size(folder_ / name));
    const auto bytes = static_cast<uint64_t>(size * part);
    const auto start = read_file_range(folder_ / name, 0, bytes);
    ASSERT_TRUE(start.ok());
    std::ofstream(folder_ / as, std::ios::binary)
        .write(reinterpret_cast<const char*>(start->bytes.data()),
               static_cast<std::streamsize>(bytes));
  }

  fs::path folder_;
  // 2 x 3: black, white and four colours.
  Picture small_{2, 3, {0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30}};
};

TEST_F(PictureTest, PngKeepsEveryPixel) {
  write_png(small_, folder_ / "a.png");
  const auto picture = read_picture(folder_ / "a.png");
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  EXPECT_EQ(picture->height, 2);
  EXPECT_EQ(picture->width, 3);
  EXPECT_EQ(picture->rgb, small_.rgb);
}

TEST_F(PictureTest, GreyBecomesThreeEqualChannelsAndTransparencyIsLeftOut) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = image.width = 1;
  const uint8_t grey_with_alpha[] = {77, 10};
  image.format = PNG_FORMAT_GA;
  ASSERT_NE(
      png_image_write_to_file(&image, (folder_ / "a.png").c_str(), 0, grey_with_alpha, 0, nullptr),
      0);
  const auto picture = read_picture(folder_ / "a.png");
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  EXPECT_EQ(picture->rgb, (std::vector<uint8_t>{77, 77, 77}));
}

// At full quality a picture of one colour comes back within rounding.
TEST_F(PictureTest, JpegIsReadWhateverItIsCalled) {
  Picture even{16, 24, {}};
  for (int i = 0; i < 16 * 24; ++i) even.rgb.insert(even.rgb.end(), {200, 100, 50});
  write_jpeg(even, folder_ / "a.png");
  const auto picture = read_picture(folder_ / "a.png");
  ASSERT_TRUE(picture.ok()) << picture.error().message;
  EXPECT_EQ(picture->height, 16);
  EXPECT_EQ(picture->width, 24);
  for (size_t i = 0; i < picture->rgb.size(); ++i) {
    ASSERT_NEAR(picture->rgb[i], even.rgb[i], 2) << i;
  }
}

TEST_F(PictureTest, DamagedFilesAreNamed) {
  Picture noisy{64, 64, {}};
  for (uint32_t i = 0; i < 3 * 64 * 64; ++i) {
    noisy.rgb.push_back(static_cast<uint8_t>((i * 2654435761U) >> 24));
  }
  write_png(noisy, folder_ / "whole.png");
  write_jpeg(noisy, folder_ / "whole.jpg");
  EXPECT_EQ(picture_error("whole.png"), "ok");
  EXPECT_EQ(picture_error("whole.jpg"), "ok");
  cut_off("whole.png", 0.5, "cut.png");
  EXPECT_TRUE(picture_error("cut.png").starts_with("cut.png: damaged PNG: "))
      << picture_error("cut.png");
  cut_off("whole.jpg", 0.5, "cut.jpg");
  EXPECT_EQ(picture_error("cut.jpg"), "cut.jpg: damaged JPEG: Premature end of JPEG file");
  cut_off("whole.jpg", 0.01, "start.jpg");
  EXPECT_TRUE(picture_error("start.jpg").starts_with("start.jpg: damaged JPEG: "))
      << picture_error("start.jpg");
  std::ofstream(folder_ / "text.jpg") << "no picture";
  EXPECT_EQ(picture_error("text.jpg"), "text.jpg: is neither PNG nor JPEG");
  EXPECT_EQ(picture_error("none.jpg"), "none.jpg: no such file");
}

// A kilobyte that unpacks to a megabyte, where the header has 16 pixels.
TEST_F(PictureTest, APngThatPacksMoreThanItsHeaderSaysIsRefused) {
  const std::vector<uint8_t> zeros(size_t{1} << 20);
  const auto with_data = [&](size_t bytes) {
    uLongf size = compressBound(bytes);
    std::string data(size, '\0');
    compress(reinterpret_cast<Bytef*>(data.data()), &size, zeros.data(), bytes);
    data.resize(size);
    const std::string header("\0\0\0\4\0\0\0\4\10\2\0\0\0", 13);
    std::ofstream(folder_ / "a.png", std::ios::binary)
        << "\x89PNG\r\n\x1a\n"
        << png_chunk("IHDR", header) << png_chunk("IDAT", data) << png_chunk("IEND", "");
  };
  with_data(4 * 13);
  EXPECT_EQ(picture_error("a.png"), "ok");
  with_data(4 * 13 + 1);
  EXPECT_EQ(picture_error("a.png"),
            "a.png: damaged PNG: packs more than the 52 bytes that its header has pixels for");
  with_data(zeros.size());
  EXPECT_NE(picture_error("a.png").find("packs more than the 52 bytes"), std::string::npos);
}

TEST_F(PictureTest, PngsOfAllFormsAreWhatTheirHeadersSay) {
  for (const uint32_t format : std::initializer_list<uint32_t>{
           PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA, PNG_FORMAT_LINEAR_Y,
           PNG_FORMAT_LINEAR_RGB_ALPHA}) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.height = 5;
    image.width = 7;
    image.format = format;
    const std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image), 99);
    ASSERT_NE(
        png_image_write_to_file(&image, (folder_ / "a.png").c_str(), 0, pixels.data(), 0, nullptr),
        0);
    EXPECT_EQ(picture_error("a.png"), "ok") << format;
  }
}

TEST(NamesPicture, GoesByTheEndOfTheName) {
  EXPECT_TRUE(names_picture("cats/A.JPG"));
  EXPECT_TRUE(names_picture("a.jpeg"));
  EXPECT_TRUE(names_picture("a.png"));
  EXPECT_FALSE(names_picture("a.npy"));
  EXPECT_FALSE(names_picture("png"));
}

}  // namespace
}  // namespace hone
