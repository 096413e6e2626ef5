// What can go wrong on the way to a GPU and on it: one line, exit code 4 or 5, and what other devices
// did is kept. A driver and a compiler that compute nothing (tests/fake_cuda) fail where they are
// told to, in a process of their own each.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hone/base/str.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::string text_in(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int exit = 0;
  std::string out;
  std::string err;
};

class CudaErrors : public testing::Test {
 protected:
  CudaErrors() : folder_(fs::temp_directory_path() / "cuda_errors_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~CudaErrors() override { fs::remove_all(folder_); }

  // A command with the fakes in front of what the machine has.
  Outcome run(const std::string& words, const std::string& fault = "",
              const std::string& driver = HONE_FAKE_CUDA) {
    const char* libraries = std::getenv("LD_LIBRARY_PATH");
    const std::string command =
        str("LD_LIBRARY_PATH=", driver, ":", libraries == nullptr ? "" : libraries,
            " FAKE_CUDA=", fault, " XDG_CACHE_HOME=", folder_.string(), " ", HONE_PROGRAM, " ",
            words, " >", (folder_ / "out").string(), " 2>", (folder_ / "err").string());
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), text_in(folder_ / "out"), text_in(folder_ / "err")};
  }

  void expect_one_line(const Outcome& outcome, int exit, const std::string& told) {
    EXPECT_EQ(outcome.exit, exit) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.err;
  }

  fs::path folder_;
};

TEST_F(CudaErrors, AreNotThereWithoutAFault) {
  const Outcome outcome = run("run zoo:ds_cnn_kws -d cuda -n 1");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

struct Fault {
  std::string name;
  int exit;
  std::string told;
};

class CudaFaults : public CudaErrors, public testing::WithParamInterface<Fault> {};

TEST_P(CudaFaults, AreToldInOneLine) {
  expect_one_line(run("run zoo:ds_cnn_kws -d cuda -n 1 --tune-seconds 0", GetParam().name),
                  GetParam().exit, GetParam().told);
  // Measuring kernels may meet it before, and says so in its own words.
  const Outcome tuned = run("run zoo:ds_cnn_kws -d cuda -n 1", GetParam().name);
  EXPECT_EQ(tuned.exit, GetParam().exit) << tuned.err;
  EXPECT_EQ(std::ranges::count(tuned.err, '\n'), 1) << tuned.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaFaults,
    testing::Values(Fault{"init", 5, "cuInit gives error 999"},
                    Fault{"no_gpu", 5, "the NVIDIA driver sees no GPU"},
                    Fault{"old_version", 5, "the NVIDIA driver is too old: it is for CUDA 11.4"},
                    Fault{"small", 5, "of the GPU's memory, a GPU that is none has 64.0 KiB"},
                    Fault{"memory", 5,
                          "of the GPU's memory for weights: out of memory, 1.00 MiB of 8.00 GiB"},
                    Fault{"pinned", 5, "of pinned memory for inputs and outputs: out of memory"},
                    Fault{"launch", 5, "running on the GPU: unspecified launch failure"},
                    Fault{"module", 5, "device kernel image is invalid"},
                    Fault{"compiler", 4, "error: no such thing"}),
    [](const auto& fault) { return fault.param.name; });

TEST_F(CudaErrors, NameWhatAnOldDriverLacks) {
  expect_one_line(run("run zoo:ds_cnn_kws -d cuda -n 1", "", HONE_FAKE_OLD_CUDA), 5,
                  "cuLaunchKernelEx is not in");
}

// What the target refuses is not there for the doctor either.
TEST_F(CudaErrors, AreTheDoctorsToo) {
  const Outcome outcome = run("doctor", "old_version");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const size_t at = outcome.out.find("CUDA device");
  ASSERT_NE(at, std::string::npos) << outcome.out;
  const std::string line = outcome.out.substr(at, outcome.out.find('\n', at) - at);
  EXPECT_NE(line.find(" no "), std::string::npos) << line;
  EXPECT_NE(line.find("too old"), std::string::npos) << line;
}

// Those who only ask whether there is a GPU get an answer from any driver.
TEST_F(CudaErrors, OfADriverThatCrashesAreToldOf) {
  for (const char* words : {"doctor", "targets", "targets cuda"}) {
    const Outcome outcome = run(words, "crash");
    EXPECT_EQ(outcome.exit, 0) << words << outcome.err;
    EXPECT_NE(outcome.out.find("the NVIDIA driver crashes: Segmentation fault"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(CudaErrors, OfADriverThatHangsAreToldOf) {
  const Outcome outcome = run("doctor", "hang");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("the NVIDIA driver does not answer within 15 s"), std::string::npos)
      << outcome.out;
}

TEST_F(CudaErrors, NameTheModel) {
  for (const char* words : {"run zoo:ds_cnn_kws -d cuda -n 1", "profile zoo:ds_cnn_kws -d cuda",
                            "diagnose zoo:ds_cnn_kws -d cuda"}) {
    const Outcome outcome = run(words, "memory");
    EXPECT_NE((outcome.out + outcome.err).find("ds_cnn_kws: "), std::string::npos)
        << outcome.out << outcome.err;
  }
}

TEST_F(CudaErrors, LeaveResultsOfBeforeAsTheyWere) {
  std::ofstream(folder_ / "p.json") << "{}";
  const Outcome outcome =
      run(str("profile zoo:ds_cnn_kws -d cuda --force --json ", (folder_ / "p.json").string()),
          "launch");
  expect_one_line(outcome, 5, "unspecified launch failure");
  EXPECT_EQ(text_in(folder_ / "p.json"), "{}");
}

// The other devices of a comparison are compared all the same.
TEST_F(CudaErrors, TakeNothingFromOtherDevices) {
  const Outcome outcome =
      run("compare zoo:ds_cnn_kws -d cpu -d cuda --runs 3 --no-roofs", "launch");
  EXPECT_NE(outcome.out.find("cpu"), std::string::npos) << outcome.out << outcome.err;
  EXPECT_NE((outcome.out + outcome.err).find("unspecified launch failure"), std::string::npos)
      << outcome.out << outcome.err;
}

// Before anything is measured, and in one line where there is nothing else to do.
TEST_F(CudaErrors, OfAMissingGpuAreToldAtOnce) {
  const Outcome compared = run("compare zoo:ds_cnn_kws -d cpu,cuda --runs 3 --no-roofs", "no_gpu");
  EXPECT_EQ(compared.exit, 0) << compared.err;
  EXPECT_EQ(compared.err.find("hone: cuda is left out: target cuda is not here: "), 0u)
      << compared.err;
  EXPECT_NE(compared.out.find("cuda failed: target cuda is not here"), std::string::npos);
  for (const char* words : {"bench -d cuda", "run zoo:ds_cnn_kws -d cuda",
                            "profile zoo:ds_cnn_kws -d cuda", "compile zoo:ds_cnn_kws -d cuda"}) {
    expect_one_line(run(words, "no_gpu"), 5,
                    "target cuda is not here: the NVIDIA driver sees no GPU");
  }
  EXPECT_NE(run("targets cuda", "no_gpu").out.find("\n# not here: the NVIDIA driver sees no GPU"),
            std::string::npos);
  EXPECT_NE(run("targets", "no_gpu").out.find("It is not here: the NVIDIA driver sees no GPU"),
            std::string::npos);
  EXPECT_EQ(run("targets").out.find("not here"), std::string::npos);
}

// Code of earlier runs that something has damaged is compiled anew.
TEST_F(CudaErrors, DoNotComeOfADamagedCache) {
  const std::string words = "run zoo:ds_cnn_kws -d cuda -n 1";
  ASSERT_EQ(run(words).exit, 0);
  size_t damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (entry.path().extension() != ".cubin") continue;
    const std::string whole = text_in(entry.path());
    std::ofstream(entry.path(), std::ios::binary) << whole.substr(0, whole.size() - 2) << "xx";
    ++damaged;
  }
  ASSERT_GT(damaged, 0u);
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

// Tensors of 7.5 GiB, 30 of them at once.
Graph of_more_than_there_is() {
  NetworkBuilder net("large", 1);
  Value* x = net.input("x", {1, 16, 2048, 2048});
  std::vector<Value*> wide;
  for (int i = 0; i < 30; ++i) {
    wide.push_back(net.conv(x, {.channels = 480, .kernel = 3}, str("wide", i)));
  }
  std::vector<Value*> means;
  for (Value* value : wide) means.push_back(net.global_average_pool(value, value->name + ".mean"));
  return net.finish(net.concat(means, 1, "means"), "y");
}

// On a GPU that is there.
TEST(CudaMemory, IsToldOfWhenANetworkNeedsMore) {
  const TargetDef& cuda = **find_target("cuda");
  if (const Support here = cuda.here(); !here.full) GTEST_SKIP() << here.reason;
  const auto program = cuda.open()->compile(of_more_than_there_is(), {});
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().kind, ErrorKind::Resource);
  EXPECT_NE(program.error().message.find("the network needs 22"), std::string::npos)
      << program.error().message;
  // Others still run.
  const auto model = open_model("zoo:ds_cnn_kws");
  const auto after = cuda.open()->compile(std::move(*model->graph.clone()), {});
  ASSERT_TRUE(after.ok()) << after.error().message;
  const auto outputs = (*after)->run(*make_inputs(model->graph, {}, 7));
  EXPECT_TRUE(outputs.ok()) << outputs.error().message;
}

}  // namespace
}  // namespace hone
