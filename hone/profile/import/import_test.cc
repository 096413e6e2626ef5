#include "hone/profile/import/import.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "hone/profile/diff.h"
#include "hone/profile/import/import_testing.h"
#include "hone/profile/profile_json.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

fs::path write_temporary(const std::string& name, std::string_view text) {
  const fs::path path = fs::temp_directory_path() / ("hone_import_test_" + name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(Import, FindsTheImporterByContentAlone) {
  for (const ImportSample& sample : import_samples()) {
    std::vector<std::string_view> found;
    for (const ImporterDef* importer : all_importers()) {
      if (importer->recognizes(sample.text)) found.push_back(importer->name);
    }
    EXPECT_EQ(found, std::vector<std::string_view>{sample.importer});
  }
}

TEST(Import, NamesTheFileWhereItNamesNoModel) {
  const fs::path path = write_temporary("mine.csv", "\xEF\xBB\xBF" + std::string(kVelaSample));
  const Result<Profile> profile = import_profile(path, {.clock_mhz = 500});
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->model, "hone_import_test_mine.csv");
  EXPECT_EQ(profile->notes[0],
            "imported from hone_import_test_mine.csv: Vela's *_per-layer.csv (vela "
            "--verbose-performance)");
  const fs::path printed = write_temporary("printed.txt", kTflitePrintedSample);
  EXPECT_EQ(import_profile(printed)->model, "tiny.tflite");
}

// As `gzip -n` packed it.
TEST(Import, UnpacksFilesThatArePacked) {
  const char* source = std::getenv("HONE_SOURCE_DIR");
  const fs::path packed = fs::path(source == nullptr ? "." : source) / "tests" / "profiles" /
                          "pytorch" / "copies.json.gz";
  const Result<Profile> profile = import_profile(packed);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->model, "copies.json.gz");
  EXPECT_EQ(profile->gpu->kernels, 2);
  std::ifstream in(packed, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const fs::path cut = write_temporary("cut.json.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(import_profile(cut).error().message, cut.string() + ": the gzip file is cut off");
  EXPECT_EQ(import_profile(cut).error().kind, ErrorKind::BadInput);
}

TEST(Import, ReadsLinesThatEndAsOnWindows) {
  for (const ImportSample& sample : import_samples()) {
    std::string text;
    for (const char c : sample.text) text += c == '\n' ? "\r\n" : std::string(1, c);
    const Profile here = import_text(sample.importer, sample.text, sample.options);
    const Profile there = import_text(sample.importer, text, sample.options);
    ASSERT_EQ(there.steps.size(), here.steps.size()) << sample.importer;
    EXPECT_EQ(there.steps.back().name, here.steps.back().name) << sample.importer;
    EXPECT_EQ(there.steps.back().us, here.steps.back().us) << sample.importer;
  }
}

TEST(Import, SaysWhichFormatsThereAre) {
  const fs::path path = write_temporary("other.txt", "time,what\n1,all\n");
  const Result<Profile> profile = import_profile(path);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().kind, ErrorKind::BadInput);
  EXPECT_TRUE(profile.error().message.starts_with(
      path.string() +
      ": none of the formats that can be imported: found text of another kind; there are: "));
  for (const ImporterDef* importer : all_importers()) {
    EXPECT_NE(profile.error().message.find(importer->name), std::string::npos);
  }
  EXPECT_LT(profile.error().message.size(), path.string().size() + 300);
  EXPECT_FALSE(import_profile(fs::temp_directory_path()).ok());
  EXPECT_FALSE(import_profile("no/such/file").ok());
}

TEST(Import, SaysHowToExportWhatIsNotRead) {
  const std::tuple<const char*, const char*, const char*> kFiles[] = {
      {"run.nsys-rep", "x", "nsys export -t sqlite"},
      {"run.ncu-rep", "x", "ncu -i FILE --csv --page details"},
      {"sum.csv", "Time (%),Total Time (ns),Instances,Avg (ns),Name\n",
       "nsys stats -r cuda_gpu_trace"},
      {"raw.csv", "\"ID\",\"Process ID\",\"gpu__time_duration.sum\"\n", "--page details"}};
  for (const auto& [name, text, told] : kFiles) {
    const Result<Profile> profile = import_profile(write_temporary(name, text));
    ASSERT_FALSE(profile.ok()) << name;
    EXPECT_NE(profile.error().message.find(told), std::string::npos) << profile.error().message;
  }
}

TEST(Import, GoesThroughAResultFile) {
  for (const ImportSample& sample : import_samples()) {
    const Profile profile = import_text(sample.importer, sample.text, sample.options);
    const nlohmann::ordered_json json = profile_to_json(profile);
    const Result<Profile> back = profile_from_json(json);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(profile_to_json(*back).dump(), json.dump());
    EXPECT_EQ(json["step_metrics"]["us"]["aggregation"], profile.step_times);
    EXPECT_GT(median_ms(*back), 0) << sample.importer;
    EXPECT_EQ(diff_profiles(profile, *back).change, Change::Same);
  }
}

// What came out of a damaged file, if anything did, must hold together.
void check(const ImporterDef& importer, const std::string& text, const ImportOptions& options) {
  const Result<Profile> profile = importer.read(text, options);
  if (!profile.ok()) {
    EXPECT_FALSE(profile.error().message.empty());
    return;
  }
  EXPECT_FALSE(profile->steps.empty());
  const nlohmann::ordered_json json = profile_to_json(*profile);
  EXPECT_TRUE(profile_from_json(json).ok());
  for (const StepProfile& step : profile->steps) {
    EXPECT_TRUE(std::isfinite(step.us) && step.us >= 0) << text;
  }
}

TEST(Import, SurvivesFilesThatAreCutOff) {
  for (const ImportSample& sample : import_samples()) {
    const ImporterDef& importer = importer_named(sample.importer);
    for (size_t size = 0; size < sample.text.size(); ++size) {
      check(importer, std::string(sample.text.substr(0, size)), sample.options);
    }
  }
}

// Bytes that mean something to one reader or the other, put over, into, or in place of others.
TEST(Import, SurvivesDamagedFiles) {
  constexpr char kBytes[] = "\"',;:[]{}=\t\r\n -+.eE%09\\\0\x80\xFF";
  const std::vector<std::string> kWords = {"1e308",     "-1",    "nan",   "9999999999999999999999",
                                           "null",      "[[[[",  "{}",    "\"\"",
                                           "Total;;;;", "=====", "count="};
  std::mt19937 random(7);
  const auto below = [&](size_t limit) { return random() % limit; };
  for (const ImportSample& sample : import_samples()) {
    for (int round = 0; round < 3000; ++round) {
      std::string text(sample.text);
      for (size_t changes = 1 + below(3); changes > 0; --changes) {
        const size_t at = below(text.size());
        switch (below(4)) {
          case 0:
            text[at] = kBytes[below(sizeof(kBytes) - 1)];
            break;
          case 1:
            text.insert(at, kWords[below(kWords.size())]);
            break;
          case 2:
            text.erase(at, 1 + below(40));
            break;
          default:
            text.insert(at, text.substr(below(text.size()), below(200)));
        }
        if (text.empty()) text = " ";
      }
      for (const ImporterDef* importer : all_importers()) importer->recognizes(text);
      check(importer_named(sample.importer), text, sample.options);
    }
  }
}

TEST(Import, SurvivesTheFilesOfOtherTools) {
  for (const ImportSample& sample : import_samples()) {
    for (const ImporterDef* importer : all_importers()) {
      check(*importer, std::string(sample.text), {.clock_mhz = 500});
    }
  }
}

TEST(Import, DoesNotNestWithoutEnd) {
  const std::string deep = std::string(100000, '[') + "\"cat\" _kernel_time";
  EXPECT_EQ(import_error("onnxruntime", deep), "line 1: nests deeper than 16 levels");
}

}  // namespace
}  // namespace hone
