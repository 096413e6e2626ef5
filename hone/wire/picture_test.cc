#include "hone/wire/picture.h"

#include <unistd.h>

#include <fstream>

#include "hone/base/file.h"
#include "hone/wire/picture_testing.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

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

TEST(NamesPicture, GoesByTheEndOfTheName) {
  EXPECT_TRUE(names_picture("cats/A.JPG"));
  EXPECT_TRUE(names_picture("a.jpeg"));
  EXPECT_TRUE(names_picture("a.png"));
  EXPECT_FALSE(names_picture("a.npy"));
  EXPECT_FALSE(names_picture("png"));
}

}  // namespace
}  // namespace hone
