// The always-on program in C hears what the host does, sample for sample. Skipped where there is no compiler.

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "hone/audio/wav.h"
#include "hone/base/file.h"
#include "hone/cli/command_def.h"
#include "tests/firmware_testing.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

constexpr std::string_view kClasses =
    "classes = ['down', 'go', 'left', 'no', 'off', 'on', 'right', 'stop', 'up', 'yes', 'silence', "
    "'un\"known\\?']\n";  // A name that C has to quote.

std::string little(uint32_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

void write_wav(const fs::path& path, const std::vector<int16_t>& samples) {
  std::string data;
  for (const int16_t sample : samples) data += little(static_cast<uint16_t>(sample), 2);
  const auto size = static_cast<uint32_t>(data.size());
  const std::string format = str("fmt ", little(16, 4), little(1, 2), little(1, 2),
                                 little(16000, 4), little(32000, 4), little(2, 2), little(16, 2));
  // A chunk that nobody knows, of an odd size, is passed over.
  const std::string other = str("LIST", little(3, 4), "abc", std::string(1, '\0'));
  const std::string file =
      str("RIFF", little(size + 48, 4), "WAVE", format, other, "data", little(size, 4), data);
  ASSERT_TRUE(write_file(path, file).ok());
}

// Silence, the word, hiss below the gate, the word at a quarter of its loudness in noise, noise alone, and an
// end that fills no push.
std::vector<int16_t> made_sound() {
  const auto sound = read_wav(source_dir() / "examples/kws/yes.wav");
  EXPECT_TRUE(sound.ok());
  const std::vector<int16_t> word = pcm_of(*sound);
  std::mt19937 random(4);
  std::vector<int16_t> samples(12345);
  const auto add = [&](size_t count, int noise, int divisor) {
    std::uniform_int_distribution<int> uniform(-noise, noise);
    for (size_t i = 0; i < count; ++i) {
      const int heard = divisor > 0 ? word[i % word.size()] / divisor : 0;
      samples.push_back(static_cast<int16_t>(std::clamp(heard + uniform(random), -32768, 32767)));
    }
  };
  add(word.size(), 0, 1);
  add(30000, 15, 0);
  add(2 * word.size(), 200, 4);
  add(25000, 3000, 0);
  add(777, 32767, 1);
  return samples;
}

std::string hone_says(const std::vector<std::string>& arguments, int expected = 0) {
  std::ostringstream out, err;
  EXPECT_EQ(run_cli(arguments, out, err), expected) << err.str();
  return out.str();
}

class Stream : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_program("cc")) GTEST_SKIP() << "no C compiler: cc is not here";
    folder_ = fresh_folder();
    ASSERT_TRUE(make_folder(folder_).ok());
    write_wav(folder_ / "sound.wav", made_sound());
  }

  // The trained example in int8; its softmax is left to the caller.
  std::string quantized_example() {
    const std::string model = (folder_ / "kws_int8.onnx").string();
    const fs::path example = source_dir() / "examples/kws";
    hone_says({"quantize", (example / "kws.onnx").string(), "--data",
               (example / "calibration").string(), "-d", "cortex-m7", "-o", model});
    return model;
  }

  std::string host(const std::string& model, const fs::path& config) {
    return hone_says({"stream", model, "--config", config.string(), "-o",
                      (folder_ / "program").string(), "--wav", (folder_ / "sound.wav").string()});
  }

  // What the program in C says, where what is undefined ends it.
  std::string firmware() {
    const fs::path project = folder_ / "program";
    const std::string program = (project / "listen").string();
    std::vector<std::string> build = {"cc",
                                      "-std=c11",
                                      "-pedantic",
                                      "-O1",
                                      "-Wall",
                                      "-Wextra",
                                      "-Werror",
                                      "-fsanitize=undefined",
                                      "-fno-sanitize-recover=all",
                                      "-o",
                                      program};
    for (const fs::path& part : {project, project / "network"}) {
      for (const auto& entry : fs::directory_iterator(part)) {
        const std::string name = entry.path().filename().string();
        if (name == "listen.c" || (name.starts_with("hone_") && name.ends_with(".c"))) {
          build.push_back(entry.path().string());
        }
      }
    }
    const auto built = run_program(build, 120);
    if (!built.ok() || built->status != 0) return built.ok() ? built->text : built.error().message;
    const auto ran = run_program({program, (folder_ / "sound.wav").string()}, 120);
    return ran.ok() ? ran->text : ran.error().message;
  }

  // What it says on an emulated board, as the Makefile runs it.
  std::string emulated(const std::string& board) {
    const auto ran = run_program({"make", "-s", "-C", (folder_ / "program").string(), board,
                                  str("WAV=", (folder_ / "sound.wav").string())},
                                 120);
    return ran.ok() ? ran->text : ran.error().message;
  }

  fs::path config(const std::string& text) {
    const fs::path path = folder_ / "stream.toml";
    EXPECT_TRUE(write_file(path, text).ok());
    return path;
  }

  // The last lines of what the host says are those of the program, which has lines before the first detection.
  void expect_same(const std::string& model, const fs::path& config, size_t least) {
    const std::string here = host(model, config);
    const std::string there = firmware();
    EXPECT_TRUE(here.ends_with(there)) << here << "\nand in C\n" << there;
    const auto lines = static_cast<size_t>(std::ranges::count(there, '\n'));
    EXPECT_GE(lines, least + 2) << there;
  }

  fs::path folder_;
};

TEST_F(Stream, HearsTheSameWordsInCAsOnTheHost) {
  expect_same(quantized_example(), source_dir() / "examples/kws/stream.toml", 2);
}

TEST_F(Stream, HearsThemOnEmulatedBoards) {
  if (!has_emulator() || !find_program("make")) {
    GTEST_SKIP() << "arm-none-eabi-gcc, qemu-system-arm or make is not here";
  }
  const std::string here = host(quantized_example(), source_dir() / "examples/kws/stream.toml");
  for (const char* board : {"qemu", "qemu-m55"}) {
    const std::string there = emulated(board);
    EXPECT_TRUE(here.ends_with(there)) << here << "\nand on " << board << "\n" << there;
    EXPECT_NE(there.find("detections; of"), std::string::npos) << there;
  }
}

// With no thresholds there is a detection for every run of the network: all probabilities are compared.
TEST_F(Stream, HasTheSameProbabilitiesInEveryRun) {
  std::string keywords;
  for (const char* name : {"yes", "no", "up", "silence", "un\"known\\?"}) {
    keywords += str("[[keyword]]\nname = '", name, "'\nthreshold = 0\n");
  }
  expect_same(quantized_example(),
              config(str(kClasses, "hop_ms = 40\nsmoothing_ms = 40\nrefractory_ms = 0\n", keywords,
                         "[gate]\nlevel_db = -45\nhold_ms = 300\npreroll_ms = 250\n")),
              60);
}

// A network with a softmax of its own.
TEST_F(Stream, HasThemWhereTheNetworkGivesProbabilities) {
  const fs::path model = shared_dir() / "models/mlperf_tiny/kws_int8.tflite";
  HONE_SKIP_WITHOUT(model);
  expect_same(model.string(),
              config(str(kClasses,
                         "hop_ms = 100\nsmoothing_ms = 300\nrefractory_ms = 0\n[[keyword]]\nname = "
                         "'on'\nthreshold = 0\n",
                         "[[keyword]]\nname = 'off'\nthreshold = 0\n")),
              20);
}

}  // namespace
}  // namespace hone
