// The front end in C gives every bit that the one in C++ does. Skipped where there is no C compiler.
#include "hone/audio/mfcc_c.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "hone/audio/wav.h"
#include "hone/base/file.h"
#include "hone/base/process.h"
#include "hone/base/str.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Pcm = std::vector<int16_t>;

// Reads samples, and prints a line for each frame of them: its row, the level of its largest sample, its bytes.
constexpr std::string_view kMain = R"(
#include <stdio.h>
#include "hone_mfcc.h"
static int16_t samples[HONE_MFCC_FRAME], row[HONE_MFCC_COEFFICIENTS];
static int8_t bytes[HONE_MFCC_COEFFICIENTS];
static hone_mfcc_work work;
int main(int count, char **arguments) {
  FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (file == NULL) return 1;
  while (fread(samples, sizeof(samples), 1, file) == 1) {
    int16_t largest = INT16_MIN;
    for (int i = 0; i < HONE_MFCC_FRAME; ++i) largest = samples[i] > largest ? samples[i] : largest;
    const int32_t level = hone_mfcc_level(largest);
    hone_mfcc_frame(samples, row, &work);
    hone_mfcc_bytes(row, level, bytes);
    for (int k = 0; k < HONE_MFCC_COEFFICIENTS; ++k) printf("%d ", row[k]);
    printf("%d", (int)level);
    for (int k = 0; k < HONE_MFCC_COEFFICIENTS; ++k) printf(" %d", bytes[k]);
    printf("\n");
  }
  return 0;
}
)";

// Reads numbers of 64 bits, each with its square root, and prints those that have another one.
constexpr std::string_view kRoots = R"(
#include <stdio.h>
#include "hone_mfcc.h"
int main(int count, char **arguments) {
  FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  uint64_t x[2];
  if (file == NULL) return 1;
  while (fread(x, sizeof(x), 1, file) == 1) {
    if (hone_mfcc_root(x[0]) != x[1]) printf("%llu\n", (unsigned long long)x[0]);
  }
  printf("all\n");
  return 0;
}
)";

// Of every size, squares, and what is next to them.
std::vector<uint64_t> numbers_to_root() {
  std::mt19937_64 random(5);
  std::vector<uint64_t> numbers = {0, 1, 2, 3, ~uint64_t{0}, uint64_t{1} << 63};
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t root = (random() >> 32) >> (i % 32);
    numbers.insert(numbers.end(), {random() >> (i % 64), root * root, root * root - 1});
  }
  return numbers;
}

// Frames of every loudness, of one sample alone, of silence and of both ends of the scale.
Pcm frames_of_noise(size_t frame) {
  std::mt19937 random(11);
  Pcm samples(frame);
  for (int bits = 1; bits <= 16; ++bits) {
    for (size_t i = 0; i < frame; ++i) {
      samples.push_back(static_cast<int16_t>(static_cast<int16_t>(random()) >> (16 - bits)));
    }
  }
  for (const int end : {INT16_MIN, INT16_MAX}) {
    samples.insert(samples.end(), frame, static_cast<int16_t>(end));
  }
  samples.insert(samples.end(), frame, 0);
  samples.back() = 1;
  return samples;
}

std::string lines_of_reference(const FixedMfcc& mfcc, const FeatureBytes& how, const Pcm& samples) {
  const size_t frame = mfcc.tables().frame;
  Pcm row(mfcc.tables().coefficients);
  std::vector<int8_t> bytes(row.size());
  std::ostringstream text;
  for (size_t at = 0; at + frame <= samples.size(); at += frame) {
    const std::span<const int16_t> part = std::span(samples).subspan(at, frame);
    mfcc.frame(part, row);
    const int32_t level = mfcc.level(*std::ranges::max_element(part));
    mfcc.to_bytes(row, level, how, bytes);
    for (const int16_t value : row) text << value << " ";
    text << level;
    for (const int8_t byte : bytes) text << " " << +byte;
    text << "\n";
  }
  return text.str();
}

class MfccC : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("cc")) GTEST_SKIP() << "no C compiler: cc is not here";
    folder_ = fs::path(testing::TempDir()) / str("mfcc_c_", getpid());
    ASSERT_TRUE(make_folder(folder_).ok());
  }
  void TearDown() override { fs::remove_all(folder_); }

  void expect_same(const MfccOptions& options, const Pcm& samples) {
    const auto mfcc = FixedMfcc::make(options);
    ASSERT_TRUE(mfcc.ok()) << mfcc.error().message;
    const auto how = mfcc->bytes_for(0.235, 33);
    ASSERT_TRUE(how.ok());
    EXPECT_EQ(lines_of_c(mfcc_c(*mfcc, *how), kMain, bytes_of_list(samples)),
              lines_of_reference(*mfcc, *how, samples));
  }

  template <class T>
  static std::string_view bytes_of_list(const std::vector<T>& list) {
    return {reinterpret_cast<const char*>(list.data()), sizeof(T) * list.size()};
  }

  std::string lines_of_c(const std::string& header, std::string_view main, std::string_view input) {
    EXPECT_TRUE(write_file(folder_ / "hone_mfcc.h", header).ok());
    EXPECT_TRUE(write_file(folder_ / "main.c", main).ok());
    EXPECT_TRUE(write_file(folder_ / "input", input).ok());
    const std::string program = (folder_ / "program").string();
    const auto built = run_program({"cc", "-std=c11", "-pedantic", "-O1", "-Wall", "-Wextra",
                                    "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all",
                                    "-o", program, (folder_ / "main.c").string()},
                                   120);
    if (!built.ok() || built->status != 0) return built.ok() ? built->text : built.error().message;
    const auto ran = run_program({program, (folder_ / "input").string()}, 120);
    return ran.ok() ? ran->text : ran.error().message;
  }

 private:
  fs::path folder_;
};

TEST_F(MfccC, HasTheBitsOfTheReference) {
  expect_same({}, frames_of_noise(480));
}

TEST_F(MfccC, HasThemWithOtherOptions) {
  expect_same({.frame = 300, .step = 100, .bands = 20, .highest_hz = 8000, .coefficients = 20},
              frames_of_noise(300));
}

TEST_F(MfccC, HasExactRoots) {
  const auto mfcc = FixedMfcc::make({});
  ASSERT_TRUE(mfcc.ok()) << mfcc.error().message;
  const auto how = mfcc->bytes_for(0.235, 33);
  ASSERT_TRUE(how.ok());
  std::vector<uint64_t> numbers;
  for (const uint64_t x : numbers_to_root()) numbers.insert(numbers.end(), {x, square_root(x)});
  EXPECT_EQ(lines_of_c(mfcc_c(*mfcc, *how), kRoots, bytes_of_list(numbers)), "all\n");
}

TEST_F(MfccC, HasThemInSpeech) {
  const char* source = std::getenv("HONE_SOURCE_DIR");
  if (source == nullptr) GTEST_SKIP() << "HONE_SOURCE_DIR does not say where the example is";
  const auto sound = read_wav(fs::path(source) / "examples/kws/yes.wav");
  ASSERT_TRUE(sound.ok()) << sound.error().message;
  expect_same({}, pcm_of(*sound));
}

}  // namespace
}  // namespace hone
