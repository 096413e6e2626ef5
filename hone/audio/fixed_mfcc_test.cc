#include "hone/audio/fixed_mfcc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "hone/audio/wav.h"

namespace hone {
namespace {

using Samples = std::vector<int16_t>;

Samples fixed_noise(size_t n, double loudness, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-loudness, loudness);
  Samples samples(n);
  for (int16_t& sample : samples) sample = static_cast<int16_t>(std::lround(uniform(random)));
  return samples;
}

// Two tones 40 dB apart: strong lines beside weak ones.
Samples tones(size_t n) {
  Samples samples(n);
  for (size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / 16000;
    const double value = 20000 * std::sin(2 * M_PI * 440 * t) + 200 * std::sin(2 * M_PI * 3100 * t);
    samples[i] = static_cast<int16_t>(std::lround(value));
  }
  return samples;
}

// The wave that fills a transform's sums, full scale in phase with a line, with some noise in the bands that
// it leaves empty.
Samples full_scale(size_t n, size_t half) {
  Samples samples = fixed_noise(n, 1000, 7);
  for (size_t i = 0; i < n; ++i) {
    const int sign = i / half % 2 == 0 ? -1 : 1;
    samples[i] = static_cast<int16_t>(sign * (INT16_MAX - std::abs(samples[i])));
  }
  return samples;
}

struct FeatureError {
  double largest = 0, sum = 0;
  size_t count = 0;
};

// Coefficients of a clip by both front ends.
FeatureError error_of(const Samples& clip) {
  std::vector<float> floats;
  for (const int16_t sample : clip) floats.push_back(static_cast<float>(sample) / 32768);
  const auto expected = (*Mfcc::make())(floats);
  const auto found = (*FixedMfcc::make())(clip);
  EXPECT_TRUE(expected.ok() && found.ok() && found->size() == 490);
  FeatureError error;
  for (size_t i = 0; i < found->size(); ++i) {
    const double difference = std::abs((*found)[i] - (*expected)[i]);
    error.largest = std::max(error.largest, difference);
    error.sum += difference;
    ++error.count;
  }
  return error;
}

void expect_near(const std::string& name, const Samples& clip, double largest) {
  const FeatureError error = error_of(clip);
  std::printf("%-14s largest error %.4f, mean %.4f\n", name.c_str(), error.largest,
              error.sum / static_cast<double>(error.count));
  EXPECT_LT(error.largest, largest) << name;
}

TEST(FixedMfcc, IsNearTheFrontEndInFloats) {
  expect_near("loud noise", fixed_noise(16000, 30000, 1), 0.02);
  expect_near("quiet noise", fixed_noise(16000, 300, 2), 0.02);
  expect_near("faint noise", fixed_noise(16000, 3, 3), 0.02);
  expect_near("tones", tones(16000), 0.5);  // In bands that hold nothing else.
}

TEST(FixedMfcc, IsNearItInSpeech) {
  const char* source = std::getenv("HONE_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "HONE_SOURCE_DIR does not say where the example is";
  const auto sound = read_wav(std::filesystem::path(source) / "examples/kws/yes.wav");
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  expect_near("yes.wav", pcm_of(*sound), 0.02);
}

// Sums stay in 32 bits, or these would be far off.
TEST(FixedMfcc, HoldsTheLoudestSpectra) {
  for (const size_t half : {2u, 4u, 8u, 16u, 64u, 16000u}) {
    expect_near("square wave", full_scale(16000, half), 0.05);
  }
}

TEST(FixedMfcc, SilenceIsTheFloor) {
  const auto mfcc = FixedMfcc::make();
  ASSERT_TRUE(mfcc.ok());
  std::vector<int16_t> row(10);
  mfcc->frame(Samples(480), row);
  const double unit = std::ldexp(1, mfcc->tables().coefficient_bits);
  EXPECT_NEAR((row[0] - mfcc->level(0)) / unit, std::sqrt(2.0 / 40) * 40 * std::log(1e-6), 0.02);
  for (size_t k = 1; k < 10; ++k) EXPECT_NEAR(row[k] / unit, 0, 0.02) << k;
}

TEST(FixedMfcc, LoudnessIsInCoefficientZeroAlone) {
  const auto mfcc = FixedMfcc::make();
  ASSERT_TRUE(mfcc.ok());
  const Samples quiet = fixed_noise(480, 400, 5);
  Samples loud;
  for (const int16_t sample : quiet) loud.push_back(static_cast<int16_t>(64 * sample));
  std::vector<int16_t> quiet_row(10), loud_row(10);
  mfcc->frame(quiet, quiet_row);
  mfcc->frame(loud, loud_row);
  EXPECT_NEAR(loud_row[0] - quiet_row[0], mfcc->level(64 * 300) - mfcc->level(300), 1);
  for (size_t k = 1; k < 10; ++k) EXPECT_NEAR(loud_row[k], quiet_row[k], 1) << k;
}

TEST(FixedMfcc, BytesAreTheNearestOfTheScaleAndSaturate) {
  const auto mfcc = FixedMfcc::make();
  ASSERT_TRUE(mfcc.ok());
  const auto how = mfcc->bytes_for(0.25, 33);
  ASSERT_TRUE(how.ok());
  const int bits = mfcc->tables().coefficient_bits;
  std::vector<int16_t> rows(30);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<int16_t>((i * 7 - 100) << (bits - 3));
  std::vector<int8_t> bytes(rows.size());
  mfcc->to_bytes(rows, 5 << bits, *how, bytes);
  for (size_t i = 0; i < rows.size(); ++i) {
    const double value = std::ldexp(rows[i], -bits) - (i % 10 == 0 ? 5 : 0);
    EXPECT_EQ(bytes[i], std::clamp(33 + std::floor(value / 0.25 + 0.5), -128.0, 127.0)) << i;
  }
  const std::vector<int16_t> far = {INT16_MIN, INT16_MAX};
  mfcc->to_bytes(far, 0, *how, std::span(bytes).first(2));
  EXPECT_EQ(bytes[0], -128);
  EXPECT_EQ(bytes[1], 127);
}

TEST(FixedMfcc, RefusesWhatItCannotHold) {
  EXPECT_EQ(FixedMfcc::make({.bands = 300}).error().message,
            "frames of 480 samples in 300 bands, expected at most 131000 in 255");
  EXPECT_FALSE(FixedMfcc::make({.clip = 1 << 20, .frame = 1 << 18}).ok());
  EXPECT_FALSE(FixedMfcc::make({.frame = 0}).ok());
  EXPECT_EQ(FixedMfcc::make()->bytes_for(0, 3).error().message,
            "a scale of 0 is not one of coefficients, expected 1e-6 to 1e6");
}

TEST(SquareRoot, IsItsWholePart) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> values = {0, 1, 2, 3, 4, UINT64_MAX};
  for (int i = 0; i < 1000; ++i) values.push_back(random() >> random() % 64);
  for (const uint64_t x : values) {
    const uint64_t root = square_root(x);
    EXPECT_LE(root * root, x);
    EXPECT_TRUE(root == UINT32_MAX || (root + 1) * (root + 1) > x) << x;
  }
}

TEST(FixedLog2, IsWithinAHundredThousandthOfOctaves) {
  const auto mfcc = FixedMfcc::make();
  ASSERT_TRUE(mfcc.ok());
  const std::vector<int32_t>& table = mfcc->tables().log2;
  for (int i = 0; i < 64; ++i) EXPECT_EQ(fixed_log2(uint64_t{1} << i, table), i << 16);
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t x = random() >> random() % 50;
    EXPECT_NEAR(std::ldexp(fixed_log2(x, table), -16), std::log2(static_cast<double>(x)), 6e-5);
  }
}

}  // namespace
}  // namespace hone
