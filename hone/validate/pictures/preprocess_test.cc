#include "hone/validate/pictures/preprocess.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Preprocess preprocess_of(const std::string& text) {
  const auto how = parse_preprocess(text, "preprocess.toml");
  EXPECT_TRUE(how.ok()) << how.error().message;
  return how.ok() ? *how : Preprocess();
}

std::string preprocess_error(const std::string& text) {
  const auto how = parse_preprocess(text, "preprocess.toml");
  return how.ok() ? "ok" : how.error().message;
}

std::vector<double> sample_values(const Picture& picture, const std::string& text,
                                  const TensorType& type) {
  const auto input = picture_input(preprocess_of(text), type);
  EXPECT_TRUE(input.ok()) << input.error().message;
  const auto sample = sample_of(picture, *input);
  EXPECT_TRUE(sample.ok()) << sample.error().message;
  return to_doubles(*sample);
}

const Picture kTwoPixels{1, 2, {255, 0, 51, 102, 204, 0}};

TEST(Preprocess, LeftOutItScalesToOneInTheModelsLayout) {
  const auto planes = sample_values(kTwoPixels, "", {DType::F64, {1, 3, 1, 2}});
  const std::vector<double> wanted = {1, 0.4, 0, 0.8, 0.2, 0};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(planes[i], wanted[i], 1e-12) << i;
  const auto pixels = sample_values(kTwoPixels, "", {DType::F64, {1, 2, 3}});
  const std::vector<double> turned = {1, 0, 0.2, 0.4, 0.8, 0};
  for (size_t i = 0; i < turned.size(); ++i) EXPECT_NEAR(pixels[i], turned[i], 1e-12) << i;
}

TEST(Preprocess, MeanAndStdAreInTheOrderOfTheChannels) {
  const std::string text = "scale = 1\nchannels = 'bgr'\nmean = [51, 4, 5]\nstd = [1, 2, 10]\n";
  EXPECT_EQ(sample_values(kTwoPixels, text, {DType::F64, {1, 1, 2, 3}}),
            (std::vector<double>{0, -2, 25, -51, 100, 9.7}));
}

TEST(Preprocess, BytesWithoutAScaleStayBytes) {
  EXPECT_EQ(sample_values(kTwoPixels, "", {DType::U8, {1, 1, 2, 3}}),
            (std::vector<double>{255, 0, 51, 102, 204, 0}));
  EXPECT_EQ(sample_values(kTwoPixels, "mean = 128", {DType::I8, {1, 1, 2, 3}}),
            (std::vector<double>{127, -128, -77, -26, 76, -128}));
}

TEST(Preprocess, OneChannelIsGrey) {
  const auto grey = sample_values(kTwoPixels, "scale = 1", {DType::F64, {1, 1, 1, 2}});
  EXPECT_NEAR(grey[0], 0.299 * 255 + 0.114 * 51, 1e-9);
  EXPECT_NEAR(grey[1], 0.299 * 102 + 0.587 * 204, 1e-9);
}

// 2 x 4 covers 2 x 2 as it is; the shorter side of 2 x 4 resized to 4 makes 4 x 8.
TEST(Preprocess, CoversTheInputOrResizesTheShorterSide) {
  Picture picture{2, 4, {}};
  for (int i = 0; i < 8; ++i) {
    for (int c = 0; c < 3; ++c) picture.rgb.push_back(static_cast<uint8_t>(10 * i));
  }
  const TensorType grey{DType::F64, {1, 1, 2, 2}};
  const auto covered = sample_values(picture, "scale = 1", grey);
  const std::vector<double> wanted = {10, 20, 50, 60};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(covered[i], wanted[i], 1e-4) << i;
  // Rows a quarter and three quarters of the way from the first to the second, columns likewise
  // between the second and the third.
  const auto larger = sample_values(picture, "scale = 1\nresize = 4\ncrop = 2", grey);
  const std::vector<double> between = {22.5, 27.5, 42.5, 47.5};
  for (size_t i = 0; i < between.size(); ++i) EXPECT_NEAR(larger[i], between[i], 1e-4) << i;
}

TEST(Preprocess, SaysWhatItDoes) {
  const TensorType type{DType::F32, {1, 3, 224, 224}};
  EXPECT_EQ(text_of(*picture_input(preprocess_of(""), type)),
            "resized to cover 224x224, the middle 224x224 taken; rgb / 255; nchw");
  const std::string torch =
      "resize = 256\ncrop = 224\nmean = [0.485, 0.456, 0.406]\nstd = [0.229, 0.224, 0.225]\n";
  EXPECT_EQ(text_of(*picture_input(preprocess_of(torch), type)),
            "shorter side resized to 256, the middle 224x224 taken; rgb / 255, less 0.485 0.456 "
            "0.406, over 0.229 0.224 0.225; nchw");
}

TEST(Preprocess, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& text, const TensorType& type) {
    const auto input = picture_input(preprocess_of(text), type);
    return input.ok() ? "ok" : input.error().message;
  };
  EXPECT_EQ(refused("", {DType::F32, {1, 10}}),
            "is f32[1,10], expected a picture with or without a batch");
  EXPECT_EQ(refused("", {DType::F32, {1, 10, 10, 10}}), "has no axis of 1 or 3 channels");
  EXPECT_EQ(refused("layout = 'nhwc'", {DType::F32, {1, 3, 10, 10}}),
            "is not nhwc, which preprocess.toml asks for");
  EXPECT_EQ(refused("crop = 9", {DType::F32, {1, 3, 10, 10}}),
            "takes 10 x 10, but preprocess.toml crops to 9 x 9");
  EXPECT_EQ(refused("", {DType::F32, {1, 3, kUnknown, 10}}),
            "leaves its extents open: `crop` in preprocess.toml gives them");
  EXPECT_EQ(refused("crop = [9, 10]", {DType::F32, {1, 3, kUnknown, 10}}), "ok");
  const auto input = picture_input(preprocess_of("resize = [1, 2]"), {DType::F32, {3, 2, 2}});
  EXPECT_EQ(sample_of(kTwoPixels, *input).error().message,
            "is 1 x 2 once it is resized, expected at least 2 x 2 to crop from");
}

TEST(Preprocess, NamesTheKeyThatIsWrong) {
  EXPECT_EQ(preprocess_error("resise = 3"),
            "preprocess.toml: line 1: resise: no such key (did you mean 'resize'?)");
  EXPECT_EQ(preprocess_error("crop = [1, 2, 3]"),
            "preprocess.toml: line 1: crop: expected a whole number from 1 to 16384, or [height, "
            "width], found an array");
  EXPECT_EQ(preprocess_error("std = [1, 0, 1]").substr(0, 31), "preprocess.toml: line 1: std: e");
  EXPECT_EQ(preprocess_error("channels = 'hsv'").substr(0, 35),
            "preprocess.toml: line 1: channels: ");
}

}  // namespace
}  // namespace hone
