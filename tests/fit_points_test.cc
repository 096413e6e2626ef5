// Files of measured points: tables, and what tools print, also when they are cut off or odd.

#include "hone/workbench/fit_points.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "hone/base/peek_file.h"
#include "hone/targets/devices.h"
#include "hone/workbench/points/printed_model.h"
#include "tests/shared_files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class FitPointsFile : public testing::Test {
 protected:
  FitPointsFile() { fs::create_directories(folder_); }
  ~FitPointsFile() override { fs::remove_all(folder_); }

  Result<FitPoints> read(const std::string& text) const {
    std::ofstream(folder_ / "points.csv", std::ios::binary) << text;
    return read_fit_points(folder_ / "points.csv");
  }
  // Behind the name of the file.
  std::string error_of(const std::string& text) const {
    const auto points = read(text);
    if (points.ok()) return "";
    EXPECT_TRUE(points.error().message.starts_with((folder_ / "points.csv: ").string()));
    return points.error().message.substr((folder_ / "points.csv: ").string().size());
  }

  void put(const std::string& name) const { std::ofstream(folder_ / name) << "a model"; }
  std::string beside(const std::string& name) const { return (folder_ / name).string(); }

  const fs::path folder_ = fs::temp_directory_path() / "hone_fit_points_test";
};

TEST_F(FitPointsFile, AreReadFromCsv) {
  const auto points = read("model,latency_ms,energy_mj\nzoo:resnet8,1.5,\nnets/a.onnx, 2 ,3e-1\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  ASSERT_EQ(points->points.size(), 2u);
  EXPECT_TRUE(points->notes.empty());
  EXPECT_EQ(points->points[0].model, "zoo:resnet8");
  EXPECT_EQ(points->points[0].latency_ms, 1.5);
  EXPECT_FALSE(points->points[0].energy_mj);
  EXPECT_EQ(points->points[1].model, (folder_ / "nets/a.onnx").string());
  EXPECT_EQ(points->points[1].energy_mj, 0.3);
}

TEST_F(FitPointsFile, MayTellPrecisionAndBatch) {
  const auto points =
      read("batch,model,precision,latency_ms\n8,zoo:resnet8, int8,1.5\n,zoo:a,,2\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  EXPECT_EQ(points->points[0].precision, "int8");
  EXPECT_EQ(points->points[0].batch, 8);
  EXPECT_EQ(points->points[0].from, (folder_ / "points.csv").string() + ": line 2");
  EXPECT_EQ(points->points[1].precision, "");
  EXPECT_EQ(points->points[1].batch, 0);
  EXPECT_EQ(error_of("model,latency_ms,precision\nzoo:a,1,fp8\n"),
            "line 2: precision is 'fp8', expected fp32, fp16, bf16, int8 or nothing");
  for (const std::string batch : {"0", "-1", "1.5", "nan", "many", "4%", "1e9"}) {
    EXPECT_EQ(
        error_of("model,latency_ms,batch\nzoo:a,1," + batch + "\n"),
        "line 2: batch is '" + batch + "', expected a whole number from 1 to 65536, or nothing");
  }
}

TEST_F(FitPointsFile, ThatAreWrongAreNamedByLineAndColumn) {
  EXPECT_EQ(error_of(""),
            "is empty; expected the columns model,latency_ms[,energy_mj][,precision][,batch]");
  EXPECT_EQ(error_of("model,latency_ms\n"), "has a header and no points");
  EXPECT_EQ(error_of("model,time\nzoo:a,1\n"),
            "line 1: unknown column 'time'; expected "
            "model,latency_ms[,energy_mj][,precision][,batch]");
  EXPECT_EQ(error_of("model\nzoo:a\n"), "line 1: no column 'latency_ms'");
  EXPECT_EQ(error_of("model,latency_ms\nzoo:a,fast\n"),
            "line 2: latency_ms is 'fast', expected a number from 0 to 1e+09");
  EXPECT_EQ(error_of("model,latency_ms\n\nzoo:a,0\n"), "line 3: latency_ms is 0, expected more");
  EXPECT_EQ(error_of("model,latency_ms\nzoo:a\n"),
            "line 2: 1 columns, expected 'latency_ms' as column 2");
  EXPECT_EQ(error_of("model,latency_ms\n,1\n"),
            "line 2: model is empty, expected zoo:NAME or a file");
  EXPECT_EQ(error_of("model,latency_ms\nzoo:a,1,2\n"), "line 2: 3 columns, expected 2");
  EXPECT_EQ(error_of("model,latency_ms,energy_mj\nzoo:a,1,-2\n"),
            "line 2: energy_mj is '-2', expected a number from 0 to 1e+09");
}

std::string with_crlf(const std::string& text) {
  return std::regex_replace(text, std::regex("\n"), "\r\n");
}

TEST_F(FitPointsFile, HaveAByteOrderMark) {
  const auto points = read("\xEF\xBB\xBFmodel,latency_ms\r\nzoo:resnet8,1.5\r\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  EXPECT_EQ(points->points[0].latency_ms, 1.5);
}

const std::string kBenchmarkModel =
    "INFO: STARTING!\n"
    "INFO: Graph: [/data/local/tmp/resnet8.tflite]\n"
    "INFO: Loaded model /data/local/tmp/resnet8.tflite\n"
    "INFO: Initialized session in 1.2ms.\n"
    "INFO: count=50 first=900 curr=800 min=790 max=900 avg=812.5 std=9\n"
    "INFO: Inference timings in us: Init: 1200, First inference: 900, Warmup (avg): 850, Inference "
    "(avg): 812.5\n";

TEST_F(FitPointsFile, ArePrintedByBenchmarkModel) {
  const std::string older =
      "tflite: STARTING!\nLoaded model nets/own.tflite\n"
      "Average inference timings in us: Warmup: 91471, Init: 4108, Inference: 80660.1\n"
      "STARTING!\nLoaded model own.tflite\n"
      "Average inference timings in us: Warmup: 7, Init: 4108, no stats: 70000\n";
  put("own.tflite");
  for (const std::string& text : {kBenchmarkModel + older, with_crlf(kBenchmarkModel + older),
                                  "\xEF\xBB\xBF" + kBenchmarkModel + older}) {
    const auto read_points = read(text);
    ASSERT_TRUE(read_points.ok()) << read_points.error().message;
    const auto& points = read_points->points;
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].model, "zoo:resnet8");
    EXPECT_DOUBLE_EQ(points[0].latency_ms, 0.8125);
    EXPECT_EQ(points[0].from, beside("points.csv") + ": line 6");
    EXPECT_EQ(points[1].model, beside("own.tflite"));
    EXPECT_DOUBLE_EQ(points[1].latency_ms, 80.6601);
    EXPECT_DOUBLE_EQ(points[2].latency_ms, 70);
    ASSERT_EQ(read_points->notes.size(), 1u);
    EXPECT_EQ(read_points->notes[0],
              "latencies are those of TensorFlow Lite's benchmark_model: the average of the runs "
              "after the warm-up, by the host's clock");
  }
}

TEST_F(FitPointsFile, OfBenchmarkModelMayBeCutOffOrOdd) {
  const size_t before_times = kBenchmarkModel.find("INFO: Inference");
  EXPECT_EQ(
      error_of(kBenchmarkModel.substr(0, before_times)),
      "no time of TensorFlow Lite's benchmark_model in it; expected a line 'Inference timings "
      "in us: ..., Inference (avg): 4321.5'");
  EXPECT_EQ(error_of(kBenchmarkModel.substr(0, before_times + 60)),
            "line 6: no 'Inference (avg)'; the file may be cut off");
  EXPECT_EQ(error_of(kBenchmarkModel.substr(before_times)),
            "line 1: expected networks that are files beside the log (.onnx, .tflite) or built in, "
            "found (not named)");
  for (const std::string odd : {"nan", "inf", "-1", "1e99", "many", ""}) {
    EXPECT_EQ(error_of("Graph: [resnet8.tflite]\nInference timings in us: Inference (avg): " + odd),
              "line 2: Inference (avg) is '" + odd + "', expected a number from 0 to 1e+12");
  }
  EXPECT_EQ(error_of("Graph: [resnet8.tflite]\nInference timings in us: Inference (avg): 0"),
            "line 2: Inference (avg) is 0, expected more");
}

const std::string kBenchncnn =
    "loop_count = 8\nnum_threads = 4\npowersave = 2\ngpu_device = -1\ncooling_down = 0\n"
    "          squeezenet  min =    2.70  max =    2.85  avg =    2.75\n"
    "       mobilenet_int8  min =    3.25  max =    3.40  avg =    3.30\n"
    "         shufflenet_v9  min =    1.10  max =    1.20  avg =    1.15\n"
    "    my-net-1.1  min =   10.00  max =   11.00  avg =   10.40\n";

TEST_F(FitPointsFile, ArePrintedByBenchncnn) {
  put("my-net-1.1.onnx");
  for (const std::string& text : {kBenchncnn, with_crlf(kBenchncnn)}) {
    const auto read_points = read(text);
    ASSERT_TRUE(read_points.ok()) << read_points.error().message;
    const auto& points = read_points->points;
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].model, "zoo:squeezenet_caffe");
    EXPECT_EQ(points[0].precision, "");
    EXPECT_EQ(points[0].latency_ms, 2.70);
    EXPECT_EQ(points[1].model, "zoo:mobilenet_v1");
    EXPECT_EQ(points[1].precision, "int8");
    EXPECT_EQ(points[2].model, beside("my-net-1.1.onnx"));
    EXPECT_EQ(read_points->notes.back(),
              "skipped 1 of 4, neither a file beside the log nor built in: shufflenet_v9");
  }
}

TEST_F(FitPointsFile, OfBenchncnnMayBeCutOffOrOdd) {
  EXPECT_EQ(
      error_of(kBenchncnn.substr(0, 40)),
      "no time of ncnn's benchncnn in it; expected a line 'squeezenet  min = 2.70  max = 2.85 "
      " avg = 2.75'");
  EXPECT_EQ(error_of("loop_count = 4\n  resnet18  min = "),
            "line 2: min is '', expected a number from 0 to 1e+09");
  EXPECT_EQ(error_of("resnet18  min =  0.00  max =  0.01  avg =  0.00\n"),
            "line 1: min is 0, expected more");
  EXPECT_EQ(error_of("what  min =  1.00  max =  1.01  avg =  1.00\n"),
            "line 1: expected networks that are files beside the log (.onnx, .tflite) or built in, "
            "found what");
}

// What a class is learned from, and what a log of the same tool means, are the same networks.
TEST(BenchncnnNames, AreThoseThatClassesAreLearnedFrom) {
  const auto facts = read_text(source_dir() / "tools/class_facts.toml");
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  const size_t begin = facts->find("[ncnn.networks]");
  const std::string table = facts->substr(begin, facts->find("\n[", begin) - begin);
  const PrintedTimesDef* benchncnn = all_printed_times().back();
  const std::regex row("\"?([^\"\\s]+)\"? = \"(zoo:[^\" ]+)[^\"]*\"");
  int rows = 0;
  for (std::sregex_iterator found(table.begin(), table.end(), row), end; found != end; ++found) {
    const auto times = benchncnn->read((*found)[1].str() + "  min = 1  max = 1  avg = 1");
    ASSERT_EQ(times->size(), 1u);
    EXPECT_EQ(model_of_printed(times->at(0), "nowhere"), (*found)[2].str());
    ++rows;
  }
  EXPECT_GT(rows, 20);
}

const std::string kTrtexec =
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=nets/resnet50.onnx --fp16\n"
    "[01/02/2026-03:04:05] [I] === Model Options ===\n"
    "[01/02/2026-03:04:05] [I] Format: ONNX\n"
    "[01/02/2026-03:04:05] [I] Model: nets/resnet50.onnx\n"
    "[01/02/2026-03:04:05] [I] Precision: FP32+FP16\n"
    "[01/02/2026-03:04:05] [I] Batch: Explicit\n"
    "[01/02/2026-03:04:05] [I] Input inference shape : input=8x3x224x224\n"
    "[01/02/2026-03:04:05] [I] Inference Streams: 1\n"
    "[01/02/2026-03:04:09] [I] Latency: min = 9 ms, max = 9 ms, mean = 9 ms, median = 9 ms\n"
    "[01/02/2026-03:04:09] [I] GPU Compute Time: min = 1.2 ms, max = 1.9 ms, mean = 1.31 ms, "
    "median "
    "= 1.25 ms, percentile(99%) = 1.8 ms\n"
    "[01/02/2026-03:04:09] [V] GPU Compute Time: the GPU latency to execute the kernels\n"
    "[01/02/2026-03:04:09] [I] Total GPU Compute Time: 2.96536 s\n";

TEST_F(FitPointsFile, ArePrintedByTrtexec) {
  const std::string others =
      "&&&& RUNNING TensorRT.trtexec # trtexec --loadEngine=resnet18.engine --streams=2\n"
      "[I] === Model Options ===\n[I] Format: *\n[I] Model: \n[I] Precision: FP32\n[I] Batch: 1\n"
      "[I] Inference Streams: 2\n[I] GPU Compute Time: min = 1 ms, max = 1 ms, median = 2 ms\n"
      "[I] === Model Options ===\n[I] Model: resnet18.onnx\n[I] Precision: FP32+FP16+INT8\n"
      "[I] Batch: 4\n[I] Host Latency\n[I] median: 5 ms (end to end 6 ms)\n"
      "[I] GPU Compute\n[I] min: 2 ms\n[I] median: 3.5 ms\n[I] Enqueue Time\n[I] median: 1 ms\n";
  for (const std::string& text : {kTrtexec + others, with_crlf(kTrtexec + others)}) {
    const auto read_points = read(text);
    ASSERT_TRUE(read_points.ok()) << read_points.error().message;
    const auto& points = read_points->points;
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(label_of(points[0]), "zoo:resnet50, fp16, batch 8");
    EXPECT_EQ(points[0].latency_ms, 1.25);
    EXPECT_EQ(label_of(points[1]), "zoo:resnet18");
    EXPECT_EQ(points[1].latency_ms, 2);
    EXPECT_EQ(label_of(points[2]), "zoo:resnet18, int8, batch 4");
    EXPECT_EQ(points[2].latency_ms, 3.5);
    ASSERT_EQ(read_points->notes.size(), 2u);
    EXPECT_EQ(read_points->notes[1],
              "1 of 3 with several runs at once, each of which takes longer than alone");
  }
}

TEST_F(FitPointsFile, OfTrtexecMayBeCutOffOrOdd) {
  EXPECT_EQ(error_of(kTrtexec.substr(0, kTrtexec.find("[01/02/2026-03:04:09]"))),
            "no time of TensorRT's trtexec in it; expected a line 'GPU Compute Time: min = 1.2 ms, "
            "..., median = 1.23 ms, ...'");
  EXPECT_EQ(error_of(kTrtexec.substr(0, kTrtexec.find("median = 1.25") - 1)),
            "line 10: no 'median'; the file may be cut off");
  EXPECT_EQ(
      error_of("[I] Model: resnet50.onnx\n[I] GPU Compute Time: min = inf ms, median = inf ms"),
      "line 2: median is 'inf', expected a number from 0 to 1e+09");
}

const std::string kBenchmarkApp =
    "$ benchmark_app -m ir/resnet18.xml -hint latency\n"
    "[Step 1/11] Parsing and validating input arguments\n"
    "[Step 4/11] Reading model files\n"
    "[ INFO ] Read model took 26.67 ms\n"
    "[ INFO ] Model batch size: 2\n"
    "[ INFO ]   NETWORK_NAME: main_graph\n"
    "[Step 10/11] Measuring performance (Start inference asynchronously, 1 inference requests)\n"
    "[Step 11/11] Dumping statistics report\n"
    "[ INFO ] Latency:\n"
    "[ INFO ]    Median:        3.21 ms\n"
    "[ INFO ]    Average:       3.30 ms\n"
    "[ INFO ] Throughput:   303.03 FPS\n";

TEST_F(FitPointsFile, ArePrintedByBenchmarkApp) {
  const std::string others =
      "[Step 1/11] Parsing\n[ INFO ]   NETWORK_NAME: resnet8\n"
      "[Step 10/11] Measuring performance (Start inference asynchronously, 4 inference requests, "
      "limits: 15000 ms duration)\n[ INFO ] Latency:\n[ INFO ]     Median:     10.45 ms\n"
      "C:\\app>python benchmark_app.py -m \"C:\\my nets\\alexnet.xml\" -d CPU\n[Step 1/11] "
      "Parsing\n"
      "Count:      1413 iterations\nLatency:    1.25 ms\nThroughput: 3028.72 FPS\n";
  for (const std::string& text : {kBenchmarkApp + others, with_crlf(kBenchmarkApp + others)}) {
    const auto read_points = read(text);
    ASSERT_TRUE(read_points.ok()) << read_points.error().message;
    const auto& points = read_points->points;
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(label_of(points[0]), "zoo:resnet18, batch 2");
    EXPECT_EQ(points[0].latency_ms, 3.21);
    EXPECT_EQ(label_of(points[1]), "zoo:resnet8");
    EXPECT_EQ(points[1].latency_ms, 10.45);
    EXPECT_EQ(points[2].model, "zoo:alexnet");
    EXPECT_EQ(points[2].latency_ms, 1.25);
    EXPECT_EQ(read_points->notes.size(), 2u);
  }
}

TEST_F(FitPointsFile, OfBenchmarkAppMayBeCutOffOrOdd) {
  EXPECT_EQ(error_of(kBenchmarkApp.substr(0, kBenchmarkApp.find("[ INFO ]    Median"))),
            "no time of OpenVINO's benchmark_app in it; expected a line 'Median: 3.21 ms' "
            "below 'Latency:'");
  EXPECT_EQ(error_of("[Step 11/11]\nLatency:\nMedian: nan ms\n"),
            "line 3: Median is 'nan', expected a number from 0 to 1e+09");
  EXPECT_EQ(error_of("[Step 11/11]\nLatency: 0 ms\n"), "line 2: Latency is 0, expected more");
  EXPECT_EQ(error_of(" inference requests\n[Step 11/11]\n[ INFO ] NETWORK_NAME: Model0\n"
                     "Latency:\nMedian: 1 ms\n"),
            "line 5: expected networks that are files beside the log (.onnx, .tflite) or built in, "
            "found Model0");
}

TEST_F(FitPointsFile, TellHowTheyWereMeasured) {
  const auto points = read(
      "loop_count = 8\nnum_threads = 1\npowersave = 0\ngpu_device = -1\n"
      "  squeezenet  min = 61.2  max = 63.4  avg = 62.0\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  EXPECT_EQ(points->points[0].threads, 1);
  const Device pi = **find_device("raspberry-pi-4");
  const auto notes = measured_otherwise(points->points, pi);
  ASSERT_TRUE(notes.ok());
  ASSERT_EQ(notes->size(), 1u);
  EXPECT_EQ(notes->at(0),
            "1 of 1 measured with 1 thread, taken as they are for raspberry-pi-4, whose file has 4 "
            "(class.threads)");
  auto four = points->points;
  four[0].threads = 4;
  EXPECT_TRUE(measured_otherwise(four, pi)->empty());
  four[0].threads = 0;
  EXPECT_TRUE(measured_otherwise(four, pi)->empty());
}

TEST_F(FitPointsFile, OfAGpuAreRefusedForACpu) {
  const auto points = read(
      "loop_count = 8\nnum_threads = 4\ngpu_device = 0\n"
      "  squeezenet  min = 61.2  max = 63.4  avg = 62.0\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  const auto refused = measured_otherwise(points->points, **find_device("raspberry-pi-4"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            beside("points.csv") + ": line 4: measured on a GPU, and raspberry-pi-4 is a CPU");
  EXPECT_TRUE(measured_otherwise(points->points, **find_device("jetson-nano")).ok());
}

TEST_F(FitPointsFile, OfBenchmarkModelTellThreads) {
  put("net.tflite");
  const auto points = read(
      "STARTING!\nNum threads: [1]\nGraph: [/data/net.tflite]\nUse gpu: [0]\n"
      "Inference timings in us: Init: 1, Inference (avg): 4321.5\n"
      "STARTING!\n#threads used for CPU inference: [2]\nGraph: [/data/net.tflite]\nUse gpu: [1]\n"
      "Inference timings in us: Init: 1, Inference (avg): 4321.5\n");
  ASSERT_TRUE(points.ok()) << points.error().message;
  ASSERT_EQ(points->points.size(), 2u);
  EXPECT_EQ(points->points[0].threads, 1);
  EXPECT_FALSE(points->points[0].on_gpu);
  EXPECT_EQ(points->points[1].threads, 2);
  EXPECT_TRUE(points->points[1].on_gpu);
}

}  // namespace
}  // namespace hone
