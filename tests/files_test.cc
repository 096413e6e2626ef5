// What commands write and print: full disks, odd targets, and names that a file can bring in.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hone/base/file.h"
#include "hone/base/printable.h"
#include "hone/cli/command_def.h"
#include "hone/model/save.h"
#include "hone/targets/devices.h"
#include "hone/wire/npy.h"
#include "hone/workbench/workbench.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int exit;
  std::string out;
  std::string err;
};

Ran run(const std::vector<std::string>& command) {
  std::ostringstream out, err;
  const int exit = run_cli(command, out, err);
  return {exit, out.str(), err.str()};
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "hone_files_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // One line on standard error, and that exit code.
  static void expect_refused(const std::vector<std::string>& command, int exit,
                             const std::string& part) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.exit, exit) << join(command, " ") << ": " << ran.err;
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
  }

  // y = relu(x), once for every name of an output; layers have those names, too.
  std::string relus(const std::vector<std::string>& outputs, const std::string& input = "x") {
    OnnxModel model;
    model.ir_version = 8;
    model.opsets[""] = 13;
    model.graph.name = "g";
    const OnnxType type{.dtype = DType::F32, .shape = std::vector<OnnxDim>{{1, ""}, {4, ""}}};
    model.graph.inputs = {{input, type}};
    for (const std::string& name : outputs) {
      model.graph.outputs.push_back({name, type});
      model.graph.nodes.push_back(OnnxNode{name, "Relu", "", {input}, {name}, {}, {}});
    }
    EXPECT_TRUE(write_onnx(model, path("m.onnx")).ok());
    return path("m.onnx");
  }

  fs::path folder_;
};

// Where no file held the same results, the recipe asks for none.
TEST_F(Files, ARecipeThatLeavesTheModelWritesNone) {
  ASSERT_TRUE(write_file(path("r.toml"),
                         "schema_version = '1.0'\nmodel = 'm'\ntarget = 'cpu'\n"
                         "precision = 'fp32'\nthreads = 1\n")
                  .ok());
  expect_refused({"optimize", "zoo:resnet8", "--recipe", path("r.toml"), "-o", path("x.onnx")}, 3,
                 "leaves the model as it is: run it with -d cpu --threads 1");
  EXPECT_FALSE(fs::exists(path("x.onnx")));
}

TEST_F(Files, AFullDiskIsExitFive) {
  std::ofstream full("/dev/full");
  std::ostringstream err;
  EXPECT_EQ(run_cli({"targets"}, full, err), 5);
  EXPECT_EQ(err.str(), "hone: standard output cannot be written\n");
  std::ofstream full_too("/dev/full");
  EXPECT_EQ(run_cli({"targets", "--json", "-"}, full_too, err), 5);
  std::ofstream full_again("/dev/full");
  EXPECT_EQ(run_cli({"--help"}, full_again, err), 5);
  expect_refused({"targets", "--json", "/dev/full"}, 5, "/dev/full: cannot be written");
}

TEST_F(Files, WhatCannotBeWrittenIsExitFive) {
  const std::string model = relus({"y"});
  ASSERT_TRUE(write_file(path("plain"), "text").ok());
  const std::string file = path("plain/r.json");  // For root, too.
  const std::vector<std::vector<std::string>> commands = {{"targets"},
                                                          {"passes"},
                                                          {"ops"},
                                                          {"doctor"},
                                                          {"inspect", model},
                                                          {"run", model},
                                                          {"profile", model, "-t", "0.01"},
                                                          {"diagnose", model, "-t", "0.01"},
                                                          {"convert", model, "-o", path("o.onnx")}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--json", file});
    expect_refused(command, 5, "/plain is no folder");
  }
  expect_refused({"run", model, "--outputs", path("plain/out")}, 5, "plain/out: cannot be made");
  expect_refused({"convert", model, "-o", path("plain/o.onnx")}, 5, "cannot be written");
  expect_refused({"profile", model, "-t", "0.01", "--csv", path("plain/p.csv")}, 5,
                 "cannot be written");
  expect_refused({"docs", "-o", path("plain/docs")}, 5, "cannot be made");
}

TEST_F(Files, DevicesStayDevices) {
  EXPECT_EQ(run({"targets", "--json", "/dev/null"}).exit, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, OutputsHaveSafeNamesOfTheirOwn) {
  const std::string model = relus({"a/b", "a_b", ".hidden", std::string(300, 'n')});
  const Ran ran = run({"run", model, "--outputs", path("out"), "--json", path("r.json")});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a_b.npy", "a_b_1.npy", std::string(150, 'n') + ".npy",
                                             "output_2.hidden.npy"}));
  EXPECT_NE(ran.out.find("wrote " + path("out/a_b.npy") + ", output 'a/b'\n"), std::string::npos)
      << ran.out;
  std::ifstream file(path("r.json"));
  const auto outputs = nlohmann::json::parse(file)["results"]["outputs"];
  EXPECT_EQ(outputs[0]["file"], path("out/a_b.npy"));
  EXPECT_EQ(outputs[1]["file"], path("out/a_b_1.npy"));
  for (const auto& output : outputs) {
    EXPECT_TRUE(read_npy(output["file"].get<std::string>()).ok()) << output;
  }
}

// Latency and energy of a network on a device, as a result file has them.
nlohmann::json estimated(const std::string& device) {
  const Ran ran =
      run({"profile", "zoo:ds_cnn_kws:int8", "-d", device, "--estimate", "--json", "-"});
  EXPECT_EQ(ran.exit, 0) << device << ": " << ran.err;
  const nlohmann::json results = nlohmann::json::parse(ran.out)["results"];
  return {results["latency"], results["energy"]};
}

TEST_F(Files, WhatTargetsPrintsOfADeviceIsThatDevice) {
  for (const Device& device : device_catalog()) {
    const Ran printed = run({"targets", device.name});
    ASSERT_EQ(printed.exit, 0) << printed.err;
    ASSERT_TRUE(write_file(path("d.toml"), printed.out).ok());
    // The first line has the name that it is asked for by.
    const std::string again = run({"targets", path("d.toml")}).out;
    EXPECT_EQ(again.substr(again.find('\n')), printed.out.substr(printed.out.find('\n')));
    EXPECT_EQ(estimated(path("d.toml")), estimated(device.name)) << device.name;
  }
}

// Nothing that a terminal obeys, no line break of a name's own, and no line without end.
void expect_plain(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(printable(line, std::string::npos), line);
    EXPECT_LT(line.size(), 10'000u);
    EXPECT_FALSE(line.starts_with("FORGED")) << text;
  }
}

TEST_F(Files, NamesFromFilesArePrintedAsText) {
  const std::string hostile = "=1+1\x1b]0;t\x07\nFORGED \xff|<b>`" + std::string(1 << 20, 'x');
  const std::string model = relus({hostile, "y"}, "in\nFORGED\x1b[2J");
  const std::vector<std::vector<std::string>> commands = {
      {"inspect", model},
      {"inspect", model, "--layers", "--memory"},
      {"run", model},
      {"run", model, "--outputs", path("out")},
      {"run", model, "--inputs", "no\x1b[1m:x.npy"},
      {"run", model, "-d", "no\x1b[1m"},
      {"profile", model, "-t", "0.01", "--json", path("p.json"), "--csv", path("p.csv")},
      {"diagnose", model, "-t", "0.01"},
      {"optimize", model, "-t", "0.01", "-o", path("fast.onnx")},
      {"compare", model, "-d", "jetson-nano,raspberry-pi-4"},
      {"quantize", model, "--type", "fp16", "-o", path("half.onnx")},
      {"convert", model, "-o", path("other.onnx")},
      {"compile", model, "-d", "npu", "-o", path("program")},
      {"validate", model, "--data", path("none")},
      {"report", path("p.json"), "-o", path("p.md")},
  };
  for (const std::vector<std::string>& command : commands) {
    const Ran ran = run(command);
    SCOPED_TRACE(join(command, " ").substr(0, 100));
    EXPECT_TRUE(ran.exit == 0 || ran.exit == 3 || ran.exit == 4) << ran.exit << " " << ran.err;
    expect_plain(ran.out);
    expect_plain(ran.err);
  }
  for (const char* name : {"p.md", "program/commands.txt", "program/placement.txt"}) {
    std::ifstream file(path(name));
    expect_plain(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::ifstream csv(path("p.csv"));
  const std::string text(std::istreambuf_iterator<char>(csv), {});
  EXPECT_EQ(text.find(",=1+1"), std::string::npos);
  EXPECT_NE(text.find("'=1+1"), std::string::npos) << text.substr(0, 500);
  const Ran json = run({"inspect", model, "--json", "-"});
  EXPECT_EQ(json.exit, 0);
  EXPECT_TRUE(nlohmann::json::accept(json.out));
}

TEST_F(Files, WhatIsNoModelIsRefusedBeforeItIsRead) {
  // Sparse: no disk is needed, but reading them would take 5 GB of memory.
  for (const char* name : {"big.tflite", "big.onnx", "big.npy", "big.toml"}) {
    std::ofstream(path(name)) << "no model";
    fs::resize_file(path(name), uintmax_t{5} << 30);
  }
  expect_refused({"inspect", path("big.tflite")}, 3, "not a TFLite model");
  expect_refused({"inspect", path("big.onnx")}, 3, "more than the 2 GB of an ONNX file");
  const std::string model = relus({"y"});
  expect_refused({"run", model, "--inputs", path("big.npy")}, 3, "not a .npy file");
  expect_refused({"run", model, "-d", path("big.toml")}, 3, "expected a text of at most");
  fs::resize_file(path("big.onnx"), uintmax_t{2} << 30);
  expect_refused({"inspect", path("big.onnx")}, 3, "big.onnx");
  for (const char* extension : {".onnx", ".tflite"}) {
    const std::string folder = path("folder") + extension, pipe = path("pipe") + extension;
    fs::create_directory(folder);
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    expect_refused({"inspect", folder}, 3, "not a regular file");
    expect_refused({"inspect", pipe}, 3, "not a regular file");
  }
}

}  // namespace
}  // namespace hone
