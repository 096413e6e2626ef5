// An NPU as numbers: what the compiler (targets/npu) and the cycle model (sim) start from. Cycles
// are of the one clock; a file says times and rates in their own units, and `source` where a figure
// is from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone {

enum class Dataflow {
  WeightStationary,  // Weights stay in the array while pixels stream through.
  OutputStationary,  // Sums stay in the array while weights and pixels stream through.
};

// Who computes convolutions whose channels have a filter each.
enum class DepthwiseOn {
  Columns,   // Each column of the array takes a channel, one product a cycle.
  Diagonal,  // Filters of several channels lie in the array as blocks of a diagonal.
  Vector,    // The vector engine.
};

// Multiplies 8-bit values and adds them up in 32 bits: each cycle `rows` products for each of
// `columns` output channels and `lanes` pixels.
struct MatrixEngine {
  Dataflow dataflow = Dataflow::WeightStationary;
  int rows = 0;
  int columns = 0;
  int lanes = 1;
  // Depth is taken `depth_step` at a time when the taps of a kernel follow one another, and taps
  // `tap_step` at a time when they are taken together; the engine chooses what takes fewer cycles.
  // 0: `rows` products may come from any taps.
  int depth_step = 0;
  int tap_step = 0;
  int64_t accumulators = 0;  // Sums it can keep: pixels times channels of a block.
  // Output channels whose sums are kept at a time, so that they share one reading of the input; 0:
  // one for each column.
  int block_channels = 0;
  double weight_bytes_per_cycle = 0;  // Into the array.
  double outputs_per_cycle = 0;       // Sums requantized and written.
  int fill_cycles = 0;                // From the first operand to the first result.
  DepthwiseOn depthwise = DepthwiseOn::Columns;
  bool streams_weights = false;   // May read weights from a memory while it computes.
  double weight_compression = 1;  // Bytes in memory for each byte of weights.
  int64_t macs_per_cycle() const { return int64_t{rows} * columns * lanes; }
};

// Everything between products: sums of two tensors, pools, tables, softmax.
struct VectorEngine {
  int lanes = 0;  // Elements a cycle, for an operation of cost 1.
  int start_cycles = 0;
  // Cycles that `lanes` elements take, by operation of sim/vector_ops.inc, or by operator where a
  // table stands for it; as the operation has it where nothing is said.
  std::map<std::string, double, std::less<>> cost = {};
  double cost_of(std::string_view operation) const;
};

// On the chip, beside the engines.
struct Sram {
  int64_t bytes = 0;
  int banks = 1;
  double bank_bytes_per_cycle = 0;
  // Weights that fit stay there from one run to the next.
  bool keeps_weights = false;
  // It is memory 0, where an NPU has no SRAM of its own: what is in either takes room in both, and
  // nothing is moved from one to the other to make some.
  bool is_first_memory = false;
  // What engines get while a transfer holds a bank: all others, or half of the only one.
  double engine_bytes_per_cycle() const {
    return bank_bytes_per_cycle * (banks > 1 ? banks - 1 : 0.5);
  }
};

// Off the chip, or behind a link. The first is where inputs, outputs and what does not fit live.
struct NpuMemory {
  std::string name = {};  // "DRAM", "flash", "USB".
  int64_t bytes = 0;
  double read_bytes_per_second = 0;
  double write_bytes_per_second = 0;
  double latency_ns = 0;  // From a request to its first byte.
  int burst_bytes = 1;    // Rows of a transfer are rounded up to it.
};

// A transfer takes a channel from its request to its last byte; the memory itself serves one
// transfer at a time, so a second channel hides latency.
struct DmaEngine {
  int channels = 1;
  double bytes_per_cycle = 0;  // Of one channel.
  int setup_cycles = 0;
};

// Commands are handed to the engines in order.
struct CommandQueue {
  int issue_cycles = 0;  // Each.
  double start_us = 0;   // Of a run: driver, interrupt, link.
};

// Runs what the NPU does not.
struct HostCore {
  std::string name = {};
  // Of the catalog: what its layers cost there is what they cost here, but for conversions between
  // bytes and floats. Empty: the rates below tell.
  std::string device = {};
  double macs_per_second = 0;   // 8-bit.
  double flops_per_second = 0;  // 32-bit floats and everything else.
  double bytes_per_second = 0;
  double dispatch_us = 0;  // To hand over, and to wake the NPU again.
  double watts = 0;        // While it works.
};

struct NpuEnergy {
  double pj_per_mac = 0;
  double pj_per_vector_op = 0;
  double pj_per_sram_byte = 0;
  std::vector<double> pj_per_memory_byte = {};  // By memory.
  double idle_watts = 0;                        // As long as a run takes.
  double factor = 1;  // The truth is expected between figure / factor and figure * factor.
  std::string source = {};
};

// What the compiler may place on the NPU.
struct NpuLimits {
  std::set<std::string, std::less<>> ops = {};    // Operators; empty: all that Hone compiles.
  std::set<std::string, std::less<>> types = {};  // "int8", "uint8".
  int max_kernel = 1 << 20;
  int max_stride = 1 << 20;
  int max_dilation = 1 << 20;
  int max_pool_window = 1 << 20;
  int channel_alignment = 1;  // Output channels of convolutions are multiples of it.
  bool per_channel = true;
  bool tables = true;  // Functions of one byte.
};

// An operator beyond Hone's: what it computes and, where the device runs it by itself, its price.
struct NpuOperator {
  std::string name = {};          // As the file has it: "acme.SwishBeta".
  std::string expression = {};    // Of x and the node's attributes.
  double cycles_per_element = 0;  // 0: by a table, if at all.
};

struct NpuSpec {
  double clock_hz = 0;
  MatrixEngine matrix = {};
  VectorEngine vector = {};
  Sram sram = {};
  std::vector<NpuMemory> memories = {};
  int weight_memory = 0;  // Where weights live that the SRAM does not keep: into `memories`.
  DmaEngine dma = {};
  CommandQueue queue = {};
  HostCore host = {};
  NpuEnergy energy = {};
  NpuLimits limits = {};
  std::vector<NpuOperator> operators = {};

  double us(double cycles) const { return 1e6 * cycles / clock_hz; }
  double cycles(double us) const { return us * clock_hz / 1e6; }
};

}  // namespace hone
