#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hone/base/file.h"
#include "hone/base/shared_library.h"
#include "hone/profile/import/import.h"
#include "hone/profile/import/import_testing.h"
#include "hone/profile/import/sqlite.h"

namespace hone {
namespace {

// What kNsightSystemsSample has, with a fill, a second GPU and a wait that no call tells besides.
constexpr std::string_view kNsysTables = R"sql(
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'warm_up'), (3, 'cudaLaunchKernel_v7000'),
  (2, 'void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params, int)'),
  (4, 'cudaMemcpyAsync_v3020'), (5, 'cuLaunchKernelEx'), (6, 'cudaStreamSynchronize_v3020'),
  (7, 'step');
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, computeMajor INT, computeMinor INT, smCount INT);
INSERT INTO TARGET_INFO_GPU VALUES (3, 'NVIDIA H200', 9, 0, 132), (0, 'NVIDIA T4', 7, 5, 40);
CREATE TABLE TARGET_INFO_CUDA_DEVICE (pid INT, cudaId INT, gpuId INT);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (5, 0, 3), (5, 1, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT,
  correlationId INT, demangledName INT, shortName INT, registersPerThread INT, gridX INT, gridY INT,
  gridZ INT, blockX INT, blockY INT, blockZ INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (905000, 914000, 0, 7, 1, 1, 1, 16, 1, 1, 1, 32, 1, 1),
  (1640000, 2640000, 0, 7, 3, 2, 2, 202, 64, 2, 1, 256, 1, 1),
  (3200000, 4000000, 0, 7, 6, 2, 2, 202, 64, 2, 1, 256, 1, 1),
  (3200000, 3210000, 1, 7, 9, 1, 1, 16, 1, 1, 1, 32, 1, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, streamId INT,
  correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1450000, 1570000, 0, 7, 2, 1000, 1, 0, 2),
  (2650000, 2660000, 0, 7, 4, 4, 2, 2, 1);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT,
  nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900000, 903000, 281474993487877, 1, 3),
  (1420000, 1580000, 281474993487877, 2, 4), (1620000, 1630000, 281474993487877, 3, 5),
  (1660000, 1680000, 281474993487877, 4, 4), (1690000, 2690000, 281474993487877, 5, 6),
  (3160000, 3170000, 281474993487877, 6, 5);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT);
INSERT INTO NVTX_EVENTS VALUES (1000000, 3000000, 59, NULL, 7, 281474993487877),
  (3100000, 3500000, 59, 'step', NULL, 281474993487877),
  (3100000, NULL, 59, 'never left', NULL, 281474993487877),
  (0, NULL, 75, 'a domain', NULL, 281474993487877);
)sql";

// A database that the statements make; empty where the library is not here.
std::string database_of(std::string_view statements) {
  const SharedLibrary library({"libsqlite3.so.0"});
  if (!library) return "";
  auto* open = library.find<int(const char*, void**)>("sqlite3_open");
  auto* run = library.find<int(void*, const char*, void*, void*, char**)>("sqlite3_exec");
  auto* serialize =
      library.find<unsigned char*(void*, const char*, int64_t*, unsigned)>("sqlite3_serialize");
  auto* free_bytes = library.find<void(void*)>("sqlite3_free");
  auto* close = library.find<int(void*)>("sqlite3_close");
  void* database = nullptr;
  EXPECT_EQ(open(":memory:", &database), 0);
  EXPECT_EQ(run(database, std::string(statements).c_str(), nullptr, nullptr, nullptr), 0);
  int64_t size = 0;
  unsigned char* bytes = serialize(database, "main", &size, 0);
  const std::string text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  free_bytes(bytes);
  close(database);
  return text;
}

class ImportNsysDatabase : public testing::Test {
 protected:
  void SetUp() override {
    if (!SharedLibrary({"libsqlite3.so.0"})) GTEST_SKIP() << "no libsqlite3.so.0 here";
    bytes_ = database_of(kNsysTables);
  }
  static Profile profile_with(const std::string& more) {
    return import_text("nsight_systems_sqlite", database_of(str(kNsysTables, more)));
  }
  static std::string error_with(const std::string& more) {
    return import_error("nsight_systems_sqlite", database_of(str(kNsysTables, more)));
  }

  std::string bytes_;
};

TEST_F(ImportNsysDatabase, TellsWhatTheTablesOfTextTell) {
  const Profile here = import_text("nsight_systems_sqlite", bytes_);
  const Profile there = import_text("nsight_systems", kNsightSystemsSample);
  EXPECT_EQ(here.device, "NVIDIA H200");
  EXPECT_EQ(here.gpu->capability, "9.0");
  EXPECT_EQ(here.gpu->processors, 132);
  EXPECT_EQ(here.samples_ms, there.samples_ms);
  ASSERT_EQ(here.steps.size(), there.steps.size());
  for (size_t s = 0; s < here.steps.size(); ++s) {
    EXPECT_EQ(here.steps[s].name, there.steps[s].name);
    EXPECT_EQ(kernel_name(here.steps[s].kind), kernel_name(there.steps[s].kind));
    EXPECT_EQ(here.steps[s].us, there.steps[s].us);
    // The text has megabytes of three digits.
    EXPECT_NEAR(static_cast<double>(here.steps[s].read_bytes),
                static_cast<double>(there.steps[s].read_bytes), 500);
    EXPECT_EQ(here.steps[s].counters.size(), there.steps[s].counters.size());
  }
  EXPECT_EQ(here.gpu->run_us, there.gpu->run_us);
  EXPECT_EQ(here.gpu->busy_us, there.gpu->busy_us);
  EXPECT_EQ(here.gpu->launching_us, there.gpu->launching_us);
  EXPECT_EQ(here.gpu->waiting_us, there.gpu->waiting_us);
  EXPECT_EQ(here.gpu->loading_us, there.gpu->loading_us);
}

TEST_F(ImportNsysDatabase, IsKnownByItsFirstBytes) {
  for (const ImporterDef* importer : all_importers()) {
    EXPECT_EQ(importer->recognizes(bytes_), importer->name == "nsight_systems_sqlite")
        << importer->name;
  }
}

TEST_F(ImportNsysDatabase, TellsTheBusiestOfSeveralGpus) {
  const Profile first = import_text("nsight_systems_sqlite", bytes_);
  EXPECT_EQ(first.notes.back(), "of 2 GPUs that which was busiest, number 0");
  const Profile second =
      profile_with("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 9000000 WHERE deviceId = 1;");
  EXPECT_EQ(second.device, "NVIDIA T4");
  EXPECT_EQ(second.gpu->capability, "7.5");
}

TEST_F(ImportNsysDatabase, TellsFillsAndGraphsThatWereTracedAsAWhole) {
  const Profile profile = profile_with(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, bytes INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (3180000, 3190000, 0, 64);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, graphId "
      "INT);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (3192000, 3198000, 0, 12);");
  std::vector<std::string> kernels;
  for (const StepProfile& step : profile.steps) kernels.push_back(step.name);
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(
        kernels, [&](const std::string& name) { return name.find(word) != std::string::npos; });
  };
  EXPECT_TRUE(has("CUDA graph 12")) << join(kernels);
  EXPECT_TRUE(has("memset")) << join(kernels);
}

// Older exports tell no driver calls: the record of the wait stands in for the call.
TEST_F(ImportNsysDatabase, TakesAWaitThatNoCallTells) {
  const std::string waits =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INT, end INT, syncType INT, "
      "correlationId INT); INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES "
      "(1690000, 2690000, 3, 5);";
  const double with_both = profile_with(waits).gpu->waiting_us;
  const std::string no_call = "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 5;";
  EXPECT_EQ(profile_with(waits + no_call).gpu->waiting_us, with_both);
  EXPECT_LT(profile_with(no_call).gpu->waiting_us, with_both);
}

TEST_F(ImportNsysDatabase, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(import_error("nsight_systems_sqlite", database_of("CREATE TABLE other (id INT);")),
            "a database without CUPTI_ACTIVITY_KIND_KERNEL; expected one of `nsys export` of a "
            "program that used a GPU");
  EXPECT_EQ(error_with("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 5 WHERE correlationId = 3;"),
            "table CUPTI_ACTIVITY_KIND_KERNEL: a row from 1640000 to 5, expected nanoseconds that "
            "go forward");
  EXPECT_EQ(error_with("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = NULL;"),
            "table CUPTI_ACTIVITY_KIND_MEMCPY: a row from nothing to 1570000, expected nanoseconds "
            "that go forward");
  EXPECT_EQ(error_with("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = 'soon';"),
            "table CUPTI_ACTIVITY_KIND_MEMCPY: a row from nothing to 1570000, expected nanoseconds "
            "that go forward");
  EXPECT_EQ(error_with("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = -5;"),
            "table CUPTI_ACTIVITY_KIND_MEMCPY: a row from -5 to 1570000, expected nanoseconds that "
            "go forward");
  EXPECT_EQ(error_with("DELETE FROM StringIds WHERE id = 2;"),
            "table CUPTI_ACTIVITY_KIND_KERNEL: a row without a name");
  const std::string cut = import_error("nsight_systems_sqlite", bytes_.substr(0, 3000));
  EXPECT_NE(cut.find("damaged"), std::string::npos) << cut;
}

// Of a file that is written to with a log beside it all that is in the file is read.
TEST_F(ImportNsysDatabase, ReadsAFileThatWasWrittenWithALog) {
  bytes_[18] = bytes_[19] = 2;
  EXPECT_EQ(import_text("nsight_systems_sqlite", bytes_).steps.size(), 3u);
}

TEST_F(ImportNsysDatabase, IsNotReadWithoutTheLogBesideIt) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "hone_log.sqlite";
  const std::filesystem::path log = path.string() + "-wal";
  ASSERT_TRUE(write_file(path, bytes_).ok());
  ASSERT_TRUE(write_file(log, "").ok());
  EXPECT_TRUE(import_profile(path).ok());
  ASSERT_TRUE(write_file(log, "a page").ok());
  const auto profile = import_profile(path);
  std::filesystem::remove(log);
  std::filesystem::remove(path);
  ASSERT_FALSE(profile.ok());
  EXPECT_NE(profile.error().message.find("hone_log.sqlite-wal"), std::string::npos)
      << profile.error().message;
}

TEST_F(ImportNsysDatabase, SurvivesDamage) {
  const ImporterDef& importer = importer_named("nsight_systems_sqlite");
  const auto check = [&](const std::string& text) {
    const Result<Profile> profile = importer.read(text, {});
    if (!profile.ok()) {
      EXPECT_FALSE(profile.error().message.empty());
      return;
    }
    for (const StepProfile& step : profile->steps) {
      EXPECT_TRUE(std::isfinite(step.us) && step.us >= 0);
    }
  };
  for (size_t size = 0; size < bytes_.size(); size += 7) check(bytes_.substr(0, size));
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    std::string text = bytes_;
    for (size_t changes = 1 + random() % 8; changes > 0; --changes) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    check(text);
  }
}

}  // namespace
}  // namespace hone
