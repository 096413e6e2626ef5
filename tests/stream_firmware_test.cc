// The always-on program in C hears what the host does, sample for sample. Skipped where there is no compiler.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "hone/audio/fixed_mfcc.h"
#include "hone/audio/wav.h"
#include "hone/base/file.h"
#include "hone/base/peek_file.h"
#include "hone/base/progress.h"
#include "hone/cli/command_def.h"
#include "hone/stream/day.h"
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

  std::string host(const std::string& model, const fs::path& config,
                   const std::string& device = "cortex-m7") {
    return hone_says({"stream", model, "--config", config.string(), "-d", device, "-o",
                      (folder_ / "program").string(), "--wav", (folder_ / "sound.wav").string()});
  }

  // What the program in C says, where what is undefined ends it.
  std::string firmware(const std::string& device) {
    const std::string problem = build_listen(device == "hexagon" ? "-O0" : "-O1");
    return problem.empty() ? listen_to(folder_ / "sound.wav") : problem;
  }

  std::string listen_to(const fs::path& sound) {
    const auto ran = run_program({(folder_ / "program" / "listen").string(), sound.string()}, 120);
    return ran.ok() ? ran->text : ran.error().message;
  }

  // What one of them refuses the other refuses, too, with the same words and status.
  void judge_alike(const std::string& model, const std::string& config, const fs::path& path) {
    std::ostringstream out, err;
    const int status =
        run_cli({"stream", model, "--config", config, "--wav", path.string()}, out, err);
    const auto ran = run_program({(folder_ / "program" / "listen").string(), path.string()}, 120);
    ASSERT_TRUE(ran.ok()) << ran.error().message;
    EXPECT_EQ(ran->status, status);
    const std::string here = status == 0 ? out.str() : "listen: " + err.str().substr(13);
    // Of a sound without a detection the host says more.
    if (status == 0) {
      EXPECT_TRUE(here.starts_with(ran->text)) << here << ran->text;
    } else {
      EXPECT_EQ(ran->text, here);
    }
  }

  // Empty when all is well. Loops in place of vectors take long to improve.
  std::string build_listen(const std::string& effort = "-O1") {
    const fs::path project = folder_ / "program";
    const std::string program = (project / "listen").string();
    std::vector<std::string> build = {"cc",
                                      "-std=c11",
                                      "-pedantic",
                                      effort,
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
        if (name == "listen.c" || name == "files.c" ||
            (name.starts_with("hone_") && name.ends_with(".c"))) {
          build.push_back(entry.path().string());
        }
      }
    }
    const auto built = run_program(build, 120);
    if (!built.ok()) return built.error().message;
    return built->status == 0 ? "" : built->text;
  }

  // What a product that gives it misaligned memory gets, as the status of a program.
  int status_of_misaligned(const std::string& device) {
    host(quantized_example(), source_dir() / "examples/kws/stream.toml", device);
    EXPECT_TRUE(write_file(folder_ / "program" / "listen.c",
                           "#include \"hone_kws_int8_stream.h\"\n"
                           "enum { HALF = HONE_KWS_INT8_STREAM_ALIGNMENT / 2 };\n"
                           "static hone_kws_int8_stream two[2];\n"
                           "static void woken(void *user, const hone_kws_int8_detection *heard) {\n"
                           "  (void)user;\n"
                           "  (void)heard;\n"
                           "}\n"
                           "int main(void) {\n"
                           "  void *const off = (uint8_t *)two + HALF;\n"
                           "  if (hone_kws_int8_stream_init(&two[1], woken, NULL) != 0) return 1;\n"
                           "  return hone_kws_int8_stream_init(off, woken, NULL) == -1 ? 0 : 2;\n"
                           "}\n")
                    .ok());
    EXPECT_EQ(build_listen("-O0"), "");
    const auto ran = run_program({(folder_ / "program" / "listen").string()}, 120);
    return ran.ok() ? ran->status : -1;
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
  void expect_same(const std::string& model, const fs::path& config, size_t least,
                   const std::string& device = "cortex-m7") {
    const std::string here = host(model, config, device);
    const std::string there = firmware(device);
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

// Vectors of 128 bytes, for which plain C stands in here.
TEST_F(Stream, HearsTheSameWordsInTheCodeOfADsp) {
  expect_same(quantized_example(), source_dir() / "examples/kws/stream.toml", 2, "hexagon");
}

template <class Number>
std::string listed(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers) text += str(+number, ",");
  return text;
}

// Noise of every loudness, and both ends of the scale.
std::vector<int16_t> noise_of(size_t samples, int loudness) {
  if (loudness == 0) return std::vector<int16_t>(samples, INT16_MIN);
  if (loudness == 17) return std::vector<int16_t>(samples, INT16_MAX);
  std::mt19937 random(static_cast<unsigned>(loudness));
  std::vector<int16_t> noise;
  for (size_t i = 0; i < samples; ++i) {
    noise.push_back(static_cast<int16_t>(static_cast<int16_t>(random()) >> (16 - loudness)));
  }
  return noise;
}

// Ends with how many coefficients differ from those of the reference.
std::string program_of_rows() {
  const auto mfcc = FixedMfcc::make({});
  EXPECT_TRUE(mfcc.ok());
  std::string samples, rows;
  constexpr int kFrames = 18;
  for (int frame = 0; frame < kFrames; ++frame) {
    const std::vector<int16_t> noise = noise_of(mfcc->tables().frame, frame);
    std::vector<int16_t> row(mfcc->tables().coefficients);
    mfcc->frame(noise, row);
    samples += listed(noise);
    rows += listed(row);
  }
  return str("#include \"hone_mfcc.h\"\nenum { FRAMES = ", kFrames, " };\n",
             "static const int16_t samples[FRAMES * HONE_MFCC_FRAME] = {", samples, "};\n",
             "static const int16_t rows[FRAMES * HONE_MFCC_COEFFICIENTS] = {", rows, "};\n", R"(
static hone_mfcc_work work;
int main(void) {
  int wrong = 0;
  for (int f = 0; f < FRAMES; ++f) {
    int16_t row[HONE_MFCC_COEFFICIENTS];
    hone_mfcc_frame(samples + f * HONE_MFCC_FRAME, row, &work);
    for (int k = 0; k < HONE_MFCC_COEFFICIENTS; ++k) {
      wrong += row[k] != rows[f * HONE_MFCC_COEFFICIENTS + k];
    }
  }
  return wrong < 99 ? wrong : 99;
}
)");
}

// Builds a program of one file and runs it; what either prints.
std::string built_and_run(std::vector<std::string> compiler, const fs::path& source,
                          std::vector<std::string> emulator) {
  const std::string program = fs::path(source).replace_extension(".program").string();
  compiler.insert(compiler.end(), {"-o", program, source.string()});
  const auto built = run_program(compiler, 120);
  if (!built.ok()) return built.error().message;
  if (built->status != 0) return built->text;
  emulator.push_back(program);
  const auto ran = run_program(emulator, 120);
  if (!ran.ok()) return ran.error().message;
  return ran->status == 0 ? "" : str(ran->status, " coefficients are wrong\n", ran->text);
}

// By vectors: plain C in their place, with what is undefined as an error, and the emulated DSP's.
TEST_F(Stream, HasTheFrontEndsBitsInTheCodeOfADsp) {
  host(quantized_example(), source_dir() / "examples/kws/stream.toml", "hexagon");
  const fs::path project = folder_ / "program", source = project / "rows.c";
  ASSERT_TRUE(write_file(source, program_of_rows()).ok());
  EXPECT_NE(read_text(project / "hone_mfcc.h")->find("hone_mfcc_turns"), std::string::npos);
  EXPECT_EQ(built_and_run({"cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror",
                           "-fsanitize=undefined", "-fno-sanitize-recover=all"},
                          source, {}),
            "");
  if (!find_program("clang-19") || !find_program("ld.lld-19") || !find_program("qemu-hexagon")) {
    GTEST_SKIP() << "clang-19, ld.lld-19 or qemu-hexagon is not here";
  }
  EXPECT_EQ(built_and_run({"clang-19", "--target=hexagon-unknown-linux-musl", "-std=gnu11", "-O2",
                           "-ffreestanding", "-mv67", "-mhvx=v67", "-mhvx-length=128b", "-nostdlib",
                           "-static", "-fuse-ld=lld", (project / "network/runtime.c").string()},
                          source, {"qemu-hexagon", "-cpu", "v67"}),
            "");
}

TEST_F(Stream, RefusesAMisalignedStruct) {
  EXPECT_EQ(status_of_misaligned("cortex-m7"), 0);
  EXPECT_EQ(status_of_misaligned("hexagon"), 0);
}

TEST_F(Stream, HearsThemOnAnEmulatedDsp) {
  if (!find_program("clang-19") || !find_program("ld.lld-19") || !find_program("qemu-hexagon") ||
      !find_program("make")) {
    GTEST_SKIP() << "clang-19, ld.lld-19, qemu-hexagon or make is not here";
  }
  const std::string here =
      host(quantized_example(), source_dir() / "examples/kws/stream.toml", "hexagon");
  const std::string there = emulated("qemu");
  EXPECT_TRUE(here.ends_with(there)) << here << "\nand on the DSP\n" << there;
  EXPECT_NE(there.find("detections; of"), std::string::npos) << there;
}

TEST_F(Stream, SaysWhatAnEmulatedBoardIsMissing) {
  if (!find_program("make")) GTEST_SKIP() << "make is not here";
  host(quantized_example(), source_dir() / "examples/kws/stream.toml", "hexagon");
  const auto ran = run_program({"make", "-s", "-C", (folder_ / "program").string(), "qemu"}, 120);
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  EXPECT_NE(ran->status, 0);
  EXPECT_NE(ran->text.find("expected WAV=FILE"), std::string::npos) << ran->text;
}

// The value of a key of a part in the JSON of what was counted.
double counted(const nlohmann::ordered_json& results, std::string_view part, const char* key) {
  for (const auto& row : results.at("emulation").at("parts")) {
    if (row.at("part") == part) return row.at(key).get<double>();
  }
  return -1;
}

// What the parts take is what it is on any machine: counted, and of the same work.
TEST_F(Stream, CountsWhatItsPartsTake) {
  if (!find_program("clang-19") || !find_program("ld.lld-19") || !find_program("llvm-objdump-19") ||
      !find_program("qemu-hexagon")) {
    GTEST_SKIP() << "clang-19, lld-19, llvm-19 or qemu-user is not here";
  }
  const std::string text =
      hone_says({"stream", quantized_example(), "--config",
                 (source_dir() / "examples/kws/stream.toml").string(), "-d", "hexagon", "--wav",
                 (source_dir() / "examples/kws/yes.wav").string(), "--emulate", "--json", "-"});
  const auto results = nlohmann::ordered_json::parse(text).at("results");
  EXPECT_EQ(results.at("emulation").at("counted"), "emulated");
  EXPECT_EQ(results.at("emulation").at("hop_ms"), 200);
  // A push sums 160 samples; a frame has a transform of 512 points, 9 times 256 butterflies.
  EXPECT_GT(counted(results, "gate", "packets"), 160);
  EXPECT_LT(counted(results, "gate", "packets"), 160 * 20);
  EXPECT_GT(counted(results, "front end", "packets"), 9 * 256 * 4);
  EXPECT_GT(counted(results, "network", "packets"), 5000);
  EXPECT_LT(counted(results, "detection", "packets"), 5000);
  EXPECT_GE(counted(results, "network", "cycles"), counted(results, "network", "packets"));
}

TEST_F(Stream, TellsWhatADayDraws) {
  if (!find_program("clang-19") || !find_program("ld.lld-19") || !find_program("llvm-objdump-19") ||
      !find_program("qemu-hexagon")) {
    GTEST_SKIP() << "clang-19, lld-19, llvm-19 or qemu-user is not here";
  }
  const fs::path page = folder_ / "power.html";
  const std::string model = quantized_example();
  std::string shown;
  show_progress_by([&](const std::string& line) { shown += line + "\n"; });
  const std::string text =
      hone_says({"stream", model, "--config", (source_dir() / "examples/kws/stream.toml").string(),
                 "-d", "hexagon", "--power", (source_dir() / "examples/kws/day.toml").string(),
                 "--report", page.string(), "--json", "-"});
  show_progress_by(nullptr);
  EXPECT_NE(shown.find("stream: building it, and emulating"), std::string::npos) << shown;
  const auto results = nlohmann::ordered_json::parse(text).at("results");
  const auto number = [&](const char* of, const char* what) {
    return results.at(of).at(what).at("value").get<double>();
  };
  double sum = 0;
  for (const auto& [name, mw] : results.at("on_dsp").at("parts_mw").items())
    sum += mw.get<double>();
  EXPECT_NEAR(sum, number("on_dsp", "mw"), 1e-9);
  EXPECT_NEAR(results.at("ratio").at("value").get<double>(),
              number("on_cpu", "mw") / number("on_dsp", "mw"), 1e-9);
  EXPECT_GT(results.at("added_ratio").at("low").get<double>(), 1);
  EXPECT_NEAR(number("on_dsp", "battery_hours") * number("on_dsp", "mw"),
              results.at("battery_mwh").get<double>(), 1e-6);
  for (const auto& row : results.at("assumptions")) EXPECT_NE(row.at("source"), "") << row;
  const auto html = read_text(page);
  ASSERT_TRUE(html.ok());
  EXPECT_NE(html->find("Mean power over a day"), std::string::npos);
  EXPECT_NE(html->find("A minute with one keyword in it"), std::string::npos);
}

TEST_F(Stream, SaysWhichMachinesPowerIsNotKnown) {
  std::ostringstream out, err;
  const int status =
      run_cli({"stream", quantized_example(), "--config",
               (source_dir() / "examples/kws/stream.toml").string(), "-d", "cortex-m7", "--power",
               (source_dir() / "examples/kws/day.toml").string()},
              out, err);
  EXPECT_EQ(status, 3);
  EXPECT_NE(err.str().find("cortex-m7: its file does not tell what the machine around it draws"),
            std::string::npos)
      << err.str();
}

// The example is what a day is where its file says nothing.
TEST_F(Stream, HasTheUsualDayAsItsExample) {
  const auto day = read_day(source_dir() / "examples/kws/day.toml");
  ASSERT_TRUE(day.ok()) << day.error().message;
  const Day usual = usual_day();
  for (const auto figure : {&Day::silence, &Day::keywords_per_hour, &Day::false_accepts_per_hour,
                            &Day::wake_ms, &Day::act_ms, &Day::false_act_ms, &Day::sleep_ms}) {
    EXPECT_EQ((*day.*figure).value, (usual.*figure).value);
    EXPECT_EQ((*day.*figure).low, (usual.*figure).low);
    EXPECT_EQ((*day.*figure).high, (usual.*figure).high);
  }
  EXPECT_EQ(day->battery_mwh, usual.battery_mwh);
}

// Not the hint of a profile, which `hone stream` does not have.
TEST_F(Stream, TellsWhatToDoAboutACoreThatIsNotEmulated) {
  if (!find_program("clang-19") || !find_program("ld.lld-19") || !find_program("llvm-objdump-19") ||
      !find_program("qemu-hexagon")) {
    GTEST_SKIP() << "clang-19, lld-19, llvm-19 or qemu-user is not here";
  }
  auto text = read_text(source_dir() / "hone/device/catalog/hexagon.toml");
  ASSERT_TRUE(text.ok());
  text->replace(text->find("\"v67\""), 5, "\"v73\"");
  const fs::path device = folder_ / "v73.toml";
  ASSERT_TRUE(write_file(device, *text).ok());
  std::ostringstream out, err;
  const int status =
      run_cli({"stream", quantized_example(), "--config",
               (source_dir() / "examples/kws/stream.toml").string(), "-d", device.string(),
               "--power", (source_dir() / "examples/kws/day.toml").string()},
              out, err);
  if (status == 0) GTEST_SKIP() << "qemu-hexagon knows v73";
  EXPECT_EQ(status, 5);
  EXPECT_NE(err.str().find("core = \"v67\" in a copy of"), std::string::npos) << err.str();
  EXPECT_EQ(err.str().find("--estimate"), std::string::npos) << err.str();
}

struct BrokenSound {
  const char* name;
  std::string bytes;
};

std::vector<BrokenSound> broken_sounds() {
  const std::string tail("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
  const auto format = [](uint32_t coding, uint32_t channels, uint32_t rate, uint32_t block,
                         uint32_t bits) {
    return str(little(coding, 2), little(channels, 2), little(rate, 4), little(rate * block, 4),
               little(block, 2), little(bits, 2));
  };
  const auto chunk = [](const char* name, const std::string& data) {
    return str(name, little(static_cast<uint32_t>(data.size()), 4), data,
               std::string(data.size() % 2, '\0'));
  };
  const auto wave = [](const std::string& chunks) {
    return str("RIFF", little(static_cast<uint32_t>(chunks.size() + 4), 4), "WAVE", chunks);
  };
  const auto extended = [&](uint32_t coding, uint32_t bits) {
    return chunk("fmt ", str(format(0xfffe, 1, 16000, 2, bits), little(22, 2), little(bits, 2),
                             little(4, 4), little(coding, 2), tail));
  };
  const std::string usual = chunk("fmt ", format(1, 1, 16000, 2, 16));
  const std::string data = chunk("data", std::string(640, 'a'));
  return {{"nothing", ""},
          {"text", "this is no sound at all"},
          {"no_chunks", wave("")},
          {"no_data", wave(usual)},
          {"data_first", wave(data + usual)},
          {"short_format", wave(chunk("fmt ", "short!") + data)},
          {"floats", wave(chunk("fmt ", format(3, 1, 16000, 4, 32)) + data)},
          {"six_channels", wave(chunk("fmt ", format(1, 6, 16000, 12, 16)) + data)},
          {"two_channels", wave(chunk("fmt ", format(1, 2, 16000, 4, 16)) + data)},
          {"no_rate", wave(chunk("fmt ", format(1, 1, 0, 2, 16)) + data)},
          {"other_rate", wave(chunk("fmt ", format(1, 1, 8000, 2, 16)) + data)},
          {"wrong_block", wave(chunk("fmt ", format(1, 1, 16000, 3, 16)) + data)},
          {"odd_bytes", wave(usual + chunk("data", "odd"))},
          {"no_samples", wave(usual + chunk("data", "") + "more")},
          {"endless", wave(str(usual, "data", little(0xffffffff, 4), std::string(640, 'a')))},
          {"cut", wave(usual + data).substr(0, 300)},
          {"long_format", wave(extended(1, 16) + data)},
          {"long_floats", wave(extended(3, 32) + data)},
          {"long_cut", wave(chunk("fmt ", format(0xfffe, 1, 16000, 2, 16)) + data)},
          {"good", wave(chunk("LIST", "odd") + usual + data + "rest")}};
}

TEST_F(Stream, JudgesBrokenFilesAlike) {
  const std::string model = quantized_example();
  const std::string config = (source_dir() / "examples/kws/stream.toml").string();
  host(model, config);
  ASSERT_EQ(build_listen(), "");
  for (const BrokenSound& sound : broken_sounds()) {
    SCOPED_TRACE(sound.name);
    const fs::path path = folder_ / "broken.wav";
    ASSERT_TRUE(write_file(path, sound.bytes).ok());
    judge_alike(model, config, path);
  }
  for (const fs::path& path : {folder_, folder_ / "missing.wav"}) judge_alike(model, config, path);
}

TEST_F(Stream, WritesItsProgramWithoutAWordOfWhatItDoesItself) {
  std::ostringstream out, err;
  const int status = run_cli(
      {"stream", quantized_example(), "--config",
       (source_dir() / "examples/kws/stream.toml").string(), "-o", (folder_ / "program").string()},
      out, err);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(err.str(), "");
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
