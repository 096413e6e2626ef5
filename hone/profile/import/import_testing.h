// Small files in the shape that each tool writes, for the tests of the importers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hone/profile/import/importer_def.h"

namespace hone {

// Three steady runs and a first one of two nodes; a fence and a thread pool's event in between.
inline constexpr std::string_view kOnnxruntimeSample = R"([
{"cat" : "Session","pid" :7,"tid" :7,"dur" :1500,"ts" :2,"ph" : "X","name" :"model_loading_uri","args" : {}},
{"cat" : "Session","pid" :7,"tid" :7,"dur" :4000,"ts" :1600,"ph" : "X","name" :"session_initialization","args" : {}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :300,"ts" :10010,"ph" : "X","name" :"conv1_kernel_time","args" : {"op_name" : "Conv","provider" : "CUDAExecutionProvider","node_index" : "4","parameter_size" : "1024","activation_size" : "4096","output_size" : "8192","input_type_shape" : [{"float16":[1,3,8,8]},{"float16":[8,3,3,3]}],"output_type_shape" : [{"float16":[1,8,8,8]}]}},
{"cat" : "Node","pid" :7,"tid" :9,"dur" :90,"ts" :10320,"ph" : "X","name" :"top_kernel_time","args" : {"op_name" : "TopK","provider" : "CPUExecutionProvider","node_index" : "5","output_type_shape" : [{"float16":[1,5]},{"int64":[1,5]}]}},
{"cat" : "Session","pid" :7,"tid" :7,"dur" :500,"ts" :10000,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :7,"ts" :20005,"ph" : "X","name" :"conv1_fence_before","args" : {"op_name" : "Conv"}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :100,"ts" :20010,"ph" : "X","name" :"conv1_kernel_time","args" : {"op_name" : "Conv","node_index" : "4"}},
{"cat" : "Node","pid" :7,"tid" :9,"dur" :40,"ts" :20120,"ph" : "X","name" :"top_kernel_time","args" : {"op_name" : "TopK","node_index" : "5"}},
{"cat" : "Session","pid" :7,"tid" :7,"dur" :160,"ts" :20002,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :110,"ts" :30010,"ph" : "X","name" :"conv1_kernel_time","args" : {"op_name" : "Conv","node_index" : "4"}},
{"cat" : "Node","pid" :7,"tid" :9,"dur" :42,"ts" :30130,"ph" : "X","name" :"top_kernel_time","args" : {"op_name" : "TopK","node_index" : "5"}},
{"cat" : "Session","pid" :7,"tid" :7,"dur" :200,"ts" :30000,"ph" : "X","name" :"model_run","args" : {}},
{"cat" : "Node","pid" :7,"tid" :7,"dur" :130,"ts" :40010,"ph" : "X","name" :"conv1_kernel_time","args" : {"op_name" : "Conv","node_index" : "4"}},
{"cat" : "Node","pid" :7,"tid" :9,"dur" :44,"ts" :40150,"ph" : "X","name" :"top_kernel_time","args" : {"op_name" : "TopK","node_index" : "5"}},
{"cat" : "Session","pid" :7,"tid" :7,"dur" :250,"ts" :40000,"ph" : "X","name" :"model_run","args" : {}}
]
)";

inline constexpr std::string_view kTrtexecProfileSample = R"([
  { "count" : 200 }
, { "name" : "Reformatting CopyNode for Input Tensor 0 to stem", "timeMs" : 2, "averageMs" : 0.01, "medianMs" : 0.009, "percentage" : 10 }
, { "name" : "stem + relu", "timeMs" : 18, "averageMs" : 0.09, "medianMs" : 0.088, "percentage" : 90 }
]
)";

inline constexpr std::string_view kTrtexecTimesSample = R"([
  { "startEnqMs" : 100.0, "endEnqMs" : 100.2, "startH2dMs" : 90.0, "endH2dMs" : 90.5, "startComputeMs" : 100.5, "endComputeMs" : 102.5, "startD2hMs" : 103.0, "endD2hMs" : 103.25, "h2dMs" : 0.5, "computeMs" : 2.0, "d2hMs" : 0.25, "latencyMs" : 2.75 }
, { "startEnqMs" : 110.0, "endEnqMs" : 110.3, "startH2dMs" : 110.0, "endH2dMs" : 110.5, "startComputeMs" : 110.5, "endComputeMs" : 112.6, "startD2hMs" : 113.0, "endD2hMs" : 113.25, "h2dMs" : 0.5, "computeMs" : 2.1, "d2hMs" : 0.25, "latencyMs" : 2.85 }
, { "startEnqMs" : 120.0, "endEnqMs" : 120.1, "startH2dMs" : 120.0, "endH2dMs" : 120.5, "startComputeMs" : 120.5, "endComputeMs" : 123.5, "startD2hMs" : 124.0, "endD2hMs" : 124.25, "h2dMs" : 0.5, "computeMs" : 3.0, "d2hMs" : 0.25, "latencyMs" : 3.75 }
]
)";

inline constexpr std::string_view kOpenvinoAverageSample =
    R"(layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);
image;NOT_RUN;Parameter;unknown_FP32;0.000000;0.000000;
stem/Relu;stem/Conv2D;EXECUTED;Convolution;jit_avx512_FP32;0.250000;0.240000;
stem/BiasAdd;OPTIMIZED_OUT;Add;undef;0.000000;0.000000;
head;EXECUTED;FullyConnected;brgemm_avx512_amx_I8;0.050000;0.049000;
Total;;;;0.300000;0.289000;

)";

inline constexpr std::string_view kOpenvinoDetailedSample =
    R"(layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)
stem;EXECUTED;Convolution;jit_asimd_FP16;0.200;0.200
head;EXECUTED;MatMul;gemm_acl_FP16;0.040;0.040
Total;;;;0.240;0.240

layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)
stem;EXECUTED;Convolution;jit_asimd_FP16;0.220;0.220
head;EXECUTED;MatMul;gemm_acl_FP16;0.050;0.050
Total;;;;0.270;0.270

layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms)
head;EXECUTED;MatMul;gemm_acl_FP16;0.060;0.060
stem;EXECUTED;Convolution;jit_asimd_FP16;0.260;0.260
Total;;;;0.320;0.320

)";

// As in the file of --profiling_output_csv_file.
inline constexpr std::string_view kTfliteSample = R"(Profiling Info for Benchmark Initialization:
============================== Run Order ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
AllocateTensors, 0.5, 0.5, 100%, 100%, 0, 1, AllocateTensors/0

Operator-wise Profiling Info for Regular Benchmark Runs:
============================== Run Order ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
CONV_2D, 1.25, 1.2, 60%, 60%, 12.5, 1, [net/conv/Relu;net/conv/Conv2D]:0
SPLIT, 0.1, 0.1, 10%, 70%, 0, 2, [net/a, net/b]:1
TfLiteXNNPackDelegate, 0.7, 0.6, 30%, 100%, 0, 1, [net/out]:2

============================== Top by Computation Time ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
CONV_2D, 1.25, 1.2, 60%, 60%, 12.5, 1, [net/conv/Relu;net/conv/Conv2D]:0

Number of nodes executed: 3
============================== Summary by node type ==============================
node type, count, avg_ms, avg %, cdf %, mem KB, times called
CONV_2D, 1, 1.2, 60%, 60%, 12.5, 1

Timings (microseconds): count=50 first=2100 curr=1990 min=1950 max=2100 avg=2000 std=20
Memory (bytes): count=0
3 nodes observed

Delegate internal:
============================== Run Order ==============================
node type, first, avg_ms, %, cdf%, mem KB, times called, name
Convolution (NHWC, F32), 0.6, 0.6, 100%, 100%, 0, 1, Delegate/Convolution:0

)";

// As printed, with the lines around it and the older columns.
inline constexpr std::string_view kTflitePrintedSample =
    "STARTING!\n"
    "Graph: [/data/local/tmp/tiny.tflite]\n"
    "#threads used for CPU inference: [4]\n"
    "count=9 first=5100 curr=2900 min=2800 max=5100 avg=3100 std=700\n"
    "count=60 first=2500 curr=2400 min=2300 max=2600 avg=2400 std=60\n"
    "Inference timings in us: Init: 855, First inference: 5100, Warmup (avg): 3100, Inference "
    "(avg): 2400\n"
    "============================== Run Order ==============================\n"
    "\t             [node type]\t          [start]\t  [first]\t [avg ms]\t     [%]\t  [cdf%]\t  "
    "[mem KB]\t[times called]\t[Name]\n"
    "\t               MAX POOL\t            0.000\t    0.802\t    0.719\t 45.131%\t 45.131%\t     "
    "0.000\t        1\t[pool]:0\n"
    "\n"
    "Timings (microseconds): count=60 first=2400 curr=2300 min=2200 max=2500 avg=2300 std=50\n";

inline constexpr std::string_view kVelaSample =
    R"(TFLite_operator,NNG Operator,SRAM Usage,Peak%,Op Cycles,Network%,NPU,SRAM AC,DRAM AC,OnFlash AC,OffFlash AC,MAC Count,Network%,Util%,Name
CONV_2D,Conv2DBias,12000,60,8000.0,80,8000.0,2000.0,0.0,0.0,100.0,512000,90,25,"net/conv/Relu, fused"
TFLite_operator,NNG Operator,SRAM Usage,Peak%,Op Cycles,Network%,NPU,SRAM AC,DRAM AC,OnFlash AC,OffFlash AC,MAC Count,Network%,Util%,Name
MAX_POOL_2D,MaxPool,20000,100,2000.0,20,500.0,1000.0,0.0,0.0,2000.0,6912,10,1.5,net/pool
)";

inline constexpr std::string_view kNsightComputeSample =
    R"csv(==PROF== Connected to process 42 (/usr/bin/app)
hello from the "app"
==PROF== Disconnected from process 42
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","42","app","127.0.0.1","void gemm<float, 4>(const float *, int)","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","us","1,234.50",
"0","42","app","127.0.0.1","void gemm<float, 4>(const float *, int)","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","GPU Speed Of Light Throughput","Memory Throughput","%","47.8",
"0","42","app","127.0.0.1","void gemm<float, 4>(const float *, int)","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","Launch Statistics","Function Cache Configuration","","CachePreferNone",
"0","42","app","127.0.0.1","void gemm<float, 4>(const float *, int)","1","7","(256, 1, 1)","(128, 2, 1)","0","9.0","SpeedOfLight","","","","Bottleneck","WRN","Says ""memory bound"",
over two lines"
"1","42","app","127.0.0.1","relu","1","7","(64, 1, 1)","(8, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","nsecond","2,500"
==PROF== Report written
)csv";

// Two runs on one GPU: a copy of what the host prepares, a product, a value that it waits for; then
// a product alone. In front of them is a kernel of no run.
inline constexpr std::string_view kPytorchSample = R"json({
"schemaVersion": 1,
"deviceProperties": [{"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "numSms": 132}],
"traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 5, "tid": 5, "ts": 900.0, "dur": 3, "args": {"External id": 1, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "warm_up", "pid": 0, "tid": 7, "ts": 905.0, "dur": 9, "args": {"correlation": 1, "stream": 7}},
{"ph": "X", "cat": "user_annotation", "name": "step#0", "pid": 5, "tid": 5, "ts": 1000.0, "dur": 2000, "args": {"External id": 2}},
{"ph": "X", "cat": "cpu_op", "name": "aten::to", "pid": 5, "tid": 5, "ts": 1400.0, "dur": 200, "args": {"External id": 3}},
{"ph": "X", "cat": "cpu_op", "name": "aten::copy_", "pid": 5, "tid": 5, "ts": 1410.0, "dur": 180, "args": {"External id": 4}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 5, "tid": 5, "ts": 1420.0, "dur": 160, "args": {"External id": 4, "correlation": 2}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7, "ts": 1450.0, "dur": 120, "args": {"External id": 4, "correlation": 2, "stream": 7, "bytes": 1024}},
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 5, "tid": 5, "ts": 1600.0, "dur": 40, "args": {"External id": 5}},
{"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 5, "tid": 5, "ts": 1605.0, "dur": 30, "args": {"External id": 6, "Input Dims": [[4], [2, 8], [8, 4], [], []]}},
{"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernelEx", "pid": 5, "tid": 5, "ts": 1620.0, "dur": 10, "args": {"External id": 6, "correlation": 3}},
{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 5, "tid": 5, "ts": 1620.0},
{"ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)", "pid": 0, "tid": 7, "ts": 1640.0, "dur": 1000, "args": {"correlation": 3, "stream": 7, "registers per thread": 202, "shared memory": 49152, "grid": [64, 2, 1], "block": [256, 1, 1], "est. achieved occupancy %": 13}},
{"ph": "X", "cat": "cpu_op", "name": "aten::item", "pid": 5, "tid": 5, "ts": 1650.0, "dur": 1110, "args": {"External id": 7}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaMemcpyAsync", "pid": 5, "tid": 5, "ts": 1660.0, "dur": 20, "args": {"External id": 7, "correlation": 4}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pinned)", "pid": 0, "tid": 7, "ts": 2650.0, "dur": 10, "args": {"correlation": 4, "stream": 7, "bytes": 4}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "pid": 5, "tid": 5, "ts": 1690.0, "dur": 1000, "args": {"External id": 7, "correlation": 5}},
{"ph": "X", "cat": "user_annotation", "name": "step#1", "pid": 5, "tid": 5, "ts": 3100.0, "dur": 400, "args": {"External id": 8}},
{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 5, "tid": 5, "ts": 3150.0, "dur": 40, "args": {"External id": 9}},
{"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernelEx", "pid": 5, "tid": 5, "ts": 3160.0, "dur": 10, "args": {"External id": 9, "correlation": 6}},
{"ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)", "pid": 0, "tid": 7, "ts": 3200.0, "dur": 800, "args": {"correlation": 6, "stream": 7}},
{"name": "process_name", "ph": "M", "ts": 0.0, "pid": 5, "tid": 0, "args": {"name": "python3"}}
],
"traceName": "trace.json"
}
)json";

// What kPytorchSample has, but for operators: three reports as nsys prints them one behind the other.
inline constexpr std::string_view kNsightSystemsSample =
    R"csv(Processing [report1.sqlite] with [reports/cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
905000,9000,1,1,1,1,32,1,1,16,0.000,0.000,,,,,NVIDIA H200 (0),1,,7,warm_up
1450000,120000,2,,,,,,,,,,0.001,8.5,Pageable,Device,NVIDIA H200 (0),1,,7,[CUDA memcpy Host-to-Device]
1640000,1000000,3,64,2,1,256,1,1,202,0.049,0.000,,,,,NVIDIA H200 (0),1,,7,"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params, int)"
2650000,10000,4,,,,,,,,,,0.000,0.1,Device,Pinned,NVIDIA H200 (0),1,,7,[CUDA memcpy Device-to-Host]
3200000,800000,6,64,2,1,256,1,1,202,0.049,0.000,,,,,NVIDIA H200 (0),1,,7,"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(T1::Params, int)"

Processing [report1.sqlite] with [reports/cuda_api_trace.py]...
Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name
900000,3000,cudaLaunchKernel,0,1,5,5,20,python3
1420000,160000,cudaMemcpyAsync,0,2,5,5,20,python3
1620000,10000,cuLaunchKernelEx,0,3,5,5,20,python3
1660000,20000,cudaMemcpyAsync,0,4,5,5,20,python3
1690000,1000000,cudaStreamSynchronize,0,5,5,5,20,python3
3160000,10000,cuLaunchKernelEx,0,6,5,5,20,python3

Processing [report1.sqlite] with [reports/nvtx_pushpop_trace.py]...
Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree
1000000,3000000,2000000,0,2000000,:step,5,5,0,0,1,,:1,:step
3100000,3500000,400000,0,400000,:step,5,5,0,0,2,,:2,:step
)csv";

struct ImportSample {
  const char* importer;
  std::string_view text;
  ImportOptions options = {};
};

inline std::vector<ImportSample> import_samples() {
  return {{"onnxruntime", kOnnxruntimeSample},      {"trtexec_profile", kTrtexecProfileSample},
          {"trtexec_times", kTrtexecTimesSample},   {"openvino", kOpenvinoAverageSample},
          {"openvino", kOpenvinoDetailedSample},    {"tflite", kTfliteSample},
          {"tflite", kTflitePrintedSample},         {"vela", kVelaSample, {.clock_mhz = 500}},
          {"nsight_compute", kNsightComputeSample}, {"pytorch", kPytorchSample},
          {"nsight_systems", kNsightSystemsSample}};
}

inline const ImporterDef& importer_named(std::string_view name) {
  for (const ImporterDef* importer : all_importers()) {
    if (importer->name == name) return *importer;
  }
  HONE_CHECK(false, "no importer '", name, "'");
}

// What an importer that is given the text makes of it; the test fails when that is an error.
inline Profile import_text(std::string_view importer, std::string_view text,
                           const ImportOptions& options = {}) {
  Result<Profile> profile = importer_named(importer).read(text, options);
  EXPECT_TRUE(profile.ok()) << profile.error().message;
  return profile.ok() ? *std::move(profile) : Profile();
}

// The error that it gives, or "read" when it gives none.
inline std::string import_error(std::string_view importer, std::string_view text,
                                const ImportOptions& options = {}) {
  const Result<Profile> profile = importer_named(importer).read(text, options);
  return profile.ok() ? "read" : profile.error().message;
}

// The text with the first `from` in it made to be `to`.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const size_t at = changed.find(from);
  HONE_CHECK(at != std::string::npos, "the sample has no '", from, "'");
  return changed.replace(at, from.size(), to);
}

}  // namespace hone
