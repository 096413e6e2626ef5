#include "hone/audio/mfcc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hone {
namespace {

std::vector<float> noise(size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
  std::vector<float> samples(n);
  for (float& sample : samples) sample = uniform(random);
  return samples;
}

std::vector<float> features(const std::vector<float>& clip, const MfccOptions& options = {}) {
  const Result<Mfcc> mfcc = Mfcc::make(options);
  EXPECT_TRUE(mfcc.ok());
  const Result<std::vector<float>> result = (*mfcc)(clip);
  EXPECT_TRUE(result.ok());
  return *result;
}

double mel_of(double hz) {
  return std::log10(1 + hz / 700);  // Up to a factor, which triangles do not see.
}

double largest_of(const std::vector<float>& clip) {
  double largest = 0;
  for (const float x : clip) largest = std::max(largest, static_cast<double>(x));
  return largest;
}

// |sum of the windowed frame turning at `hz`|: the definition, with no fast transform.
double magnitude(const std::vector<float>& clip, int at, double hz, const MfccOptions& o) {
  const double largest = largest_of(clip);
  double re = 0, im = 0;
  for (int i = 0; i < o.frame; ++i) {
    const double s = std::sin(M_PI * i / o.frame);
    const double x = clip[static_cast<size_t>(at + i)] / largest * s * s;
    re += x * std::cos(2 * M_PI * hz * i / o.rate);
    im += x * std::sin(2 * M_PI * hz * i / o.rate);
  }
  return std::hypot(re, im);
}

// Coefficients of the frame at `at`, summed straight from the definitions. The transform of 16 kHz
// frames has 512 points, so lines lie 31.25 Hz apart.
std::vector<double> plain_frame(const std::vector<float>& clip, int at, const MfccOptions& o) {
  std::vector<double> edges;
  for (int i = 0; i < o.bands + 2; ++i) {
    const double low = mel_of(o.lowest_hz), high = mel_of(o.highest_hz);
    edges.push_back(low + (high - low) * i / (o.bands + 1));
  }
  std::vector<double> bands(static_cast<size_t>(o.bands));
  for (double hz = 31.25; hz <= o.highest_hz; hz += 31.25) {
    const double line = magnitude(clip, at, hz, o);
    for (size_t b = 0; b < bands.size(); ++b) {
      const double up = (mel_of(hz) - edges[b]) / (edges[b + 1] - edges[b]);
      const double down = (edges[b + 2] - mel_of(hz)) / (edges[b + 2] - edges[b + 1]);
      bands[b] += std::max(0.0, std::min(up, down)) * line;
    }
  }
  std::vector<double> result;
  for (int k = 0; k < o.coefficients; ++k) {
    double sum = 0;
    for (int b = 0; b < o.bands; ++b) {
      sum += std::log(bands[static_cast<size_t>(b)] + o.floor) *
             std::cos(M_PI / o.bands * (b + 0.5) * k);
    }
    result.push_back(sum * 2 / std::sqrt(2.0 * o.bands));
  }
  return result;
}

TEST(Mfcc, EqualsTheDefinitions) {
  const MfccOptions options;
  const std::vector<float> clip = noise(16000, 7);
  const std::vector<float> found = features(clip);
  ASSERT_EQ(found.size(), 49u * 10u);
  for (const size_t frame : {0u, 1u, 24u, 48u}) {
    const auto expected = plain_frame(clip, static_cast<int>(frame) * options.step, options);
    for (size_t k = 0; k < 10; ++k) {
      EXPECT_NEAR(found[frame * 10 + k], expected[k], 1e-4) << frame << " " << k;
    }
  }
}

TEST(Mfcc, OtherOptionsEqualTheDefinitionsToo) {
  // 300 samples are filled up to 512 as well.
  const MfccOptions options{.clip = 1000,
                            .frame = 300,
                            .step = 100,
                            .bands = 20,
                            .lowest_hz = 100,
                            .highest_hz = 8000,
                            .floor = 0.1,
                            .coefficients = 20};
  const std::vector<float> clip = noise(1000, 8);
  const std::vector<float> found = features(clip, options);
  ASSERT_EQ(found.size(), 8u * 20u);
  const std::vector<double> expected = plain_frame(clip, 700, options);
  for (size_t k = 0; k < 20; ++k) EXPECT_NEAR(found[7 * 20 + k], expected[k], 1e-4) << k;
}

TEST(Mfcc, SilenceIsTheFloor) {
  const std::vector<float> found = features({});
  for (size_t i = 0; i < found.size(); ++i) {
    const double expected = i % 10 == 0 ? std::sqrt(2.0 / 40) * 40 * std::log(1e-6) : 0;
    EXPECT_NEAR(found[i], expected, 1e-4) << i;
  }
}

TEST(Mfcc, LoudnessDoesNotMatter) {
  const std::vector<float> clip = noise(16000, 9);
  std::vector<float> quiet = clip;
  for (float& sample : quiet) sample /= 64;  // Exact in binary.
  EXPECT_EQ(features(clip), features(quiet));
}

TEST(Mfcc, AClickIsHeardInTheFramesThatCoverItAlone) {
  std::vector<float> clip(16000);
  clip[4900] = 1;  // Under frames 14 and 15, which begin at 4480 and 4800.
  const std::vector<float> found = features(clip), silence = features({});
  for (size_t frame = 0; frame < 49; ++frame) {
    const bool covers = frame == 14 || frame == 15;
    const bool same =
        std::equal(found.begin() + static_cast<std::ptrdiff_t>(frame * 10),
                   found.begin() + static_cast<std::ptrdiff_t>(frame * 10 + 10), silence.begin());
    EXPECT_EQ(same, !covers) << frame;
  }
}

TEST(Mfcc, ShortClipsAreFilledWithSilence) {
  std::vector<float> clip = noise(9000, 10);
  const std::vector<float> found = features(clip);
  clip.resize(16000);
  EXPECT_EQ(found, features(clip));
}

TEST(Mfcc, RefusesWhatDoesNotFit) {
  const auto error = [](const MfccOptions& options) {
    const Result<Mfcc> mfcc = Mfcc::make(options);
    return mfcc.ok() ? "ok" : mfcc.error().message;
  };
  EXPECT_EQ(error({.clip = 100}), "frames of 480 samples every 320 do not fit a clip of 100");
  EXPECT_EQ(error({.step = 0}), "frames of 480 samples every 0 do not fit a clip of 16000");
  EXPECT_EQ(error({.highest_hz = 9000}),
            "bands from 20 to 9000 Hz, expected a range between 0 and half of 16000 Hz");
  EXPECT_EQ(error({.coefficients = 41}),
            "41 coefficients of 40 bands, expected between 1 and as many");
  EXPECT_EQ(error({.floor = 0}), "floor is 0, expected more than 0");
  const Result<std::vector<float>> long_one = (*Mfcc::make())(std::vector<float>(16001));
  ASSERT_FALSE(long_one.ok());
  EXPECT_EQ(long_one.error().message, "holds 16001 samples, expected at most 16000");
}

}  // namespace
}  // namespace hone
