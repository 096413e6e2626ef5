#include "hone/workbench/kernel_reach.h"

#include <algorithm>
#include <map>

#include "hone/analyze/op_kinds.h"
#include "hone/profile/roofs.h"
#include "hone/workbench/profile_model.h"
#include "hone/workbench/quantize_for_device.h"
#include "hone/workbench/workbench.h"
#include "hone/zoo/builder.h"

namespace hone {
namespace {

// A network is measured in turns, between which the others have theirs, and the fastest counts: what
// slows this machine for a tenth of a second meets one turn and not all.
constexpr int kTurns = 3;
constexpr double kSeconds = 0.03;  // Of a turn.

// Layers as networks for small devices have them, at resolutions where their time is neither all
// set-up nor all memory: wide and narrow products, products of windows, depthwise of two sizes,
// sums, gates and activations.
Model probe_network() {
  NetworkBuilder b("probe", 1);
  Value* x = b.input("input", {1, 24, 56, 56});
  x = b.conv_bn(x, {.channels = 96}, Nonlinearity::Relu6, "expand");
  x = b.conv_bn(x, {.channels = 96, .kernel = 3, .stride = 2, .groups = 96}, Nonlinearity::Relu6,
                "depthwise3");
  Value* shortcut = b.conv_bn(x, {.channels = 32}, Nonlinearity::None, "project");
  x = b.conv_bn(shortcut, {.channels = 32, .kernel = 3}, Nonlinearity::Relu, "window1");
  x = b.conv_bn(x, {.channels = 32, .kernel = 3}, Nonlinearity::None, "window2");
  x = b.apply("add", {x, shortcut}, "add");
  x = b.conv_bn(x, {.channels = 192}, Nonlinearity::HardSwish, "expand2");
  x = b.conv_bn(x, {.channels = 192, .kernel = 5, .stride = 2, .groups = 192},
                Nonlinearity::HardSwish, "depthwise5");
  x = b.squeeze_excite(x, 48, Nonlinearity::Relu, "hard_sigmoid", "gate");
  x = b.conv_bn(x, {.channels = 64}, Nonlinearity::None, "project2");
  x = b.conv_bn(x, {.channels = 384}, Nonlinearity::Swish, "expand3");
  x = b.conv_bn(x, {.channels = 384, .kernel = 3, .groups = 384}, Nonlinearity::Relu,
                "depthwise3.1");
  x = b.conv_bn(x, {.channels = 96, .kernel = 3, .stride = 2}, Nonlinearity::Relu, "window3");
  x = b.flatten(b.global_average_pool(x, "pool"), "flatten");
  x = b.softmax(b.linear(x, 100, "classifier"), "softmax");
  Model model;
  model.name = "probe";
  model.graph = b.finish(x, "output");
  return model;
}

// One pass over activations, a quarter of the second level of memory in all.
Model streaming_network(uint64_t level_bytes) {
  NetworkBuilder b("streaming", 1);
  const auto elements = static_cast<int64_t>(level_bytes / 4 / (2 * sizeof(float)));
  Value* x = b.input("input", {1, elements});
  Model model;
  model.name = "streaming";
  model.graph = b.finish(b.apply("mul", {x, b.scalar(0.5f)}, "scale"), "output");
  return model;
}

struct Time {
  double us = 0;
  double roof_us = 0;
};

// What a step takes is a sum of the two parts, so that least squares tell them apart: of products
// of many depths, each weighed by its time. Nothing where one part comes out below nothing.
class PartsOfProducts {
 public:
  void add(double us, double multiply_us, double outputs) {
    multiply_squared_ += multiply_us * multiply_us / us;
    product_ += multiply_us * outputs / us;
    outputs_squared_ += outputs * outputs / us;
    multiply_ += multiply_us;
    outputs_ += outputs;
  }

  std::optional<ProductParts> solve() const {
    const double determinant = multiply_squared_ * outputs_squared_ - product_ * product_;
    const double slower = multiply_ * outputs_squared_ - outputs_ * product_;
    const double per_output = outputs_ * multiply_squared_ - multiply_ * product_;
    if (determinant <= 0 || slower <= 0 || per_output < 0) return std::nullopt;
    return ProductParts{.multiply_of_roof = determinant / slower,
                        .ns_per_output = 1e3 * per_output / determinant};
  }

 private:
  double multiply_squared_ = 0;
  double product_ = 0;
  double outputs_squared_ = 0;
  double multiply_ = 0;
  double outputs_ = 0;
};

std::optional<ProductParts> parts_of_products(const Profile& profile, const std::string& precision,
                                              const DeviceFile& roofs) {
  PartsOfProducts parts;
  for (const StepProfile& step : profile.steps) {
    if (name_of(step.kind.precision) != precision || kernel_kind(step) != "product") continue;
    const RoofWork multiplying = {.precision = precision, .flops = static_cast<double>(step.flops)};
    const double multiply_us = roof_time(roofs, profile.threads, multiplying).us;
    if (step.us_p10 > 0) parts.add(step.us_p10, multiply_us, elements_written(step));
  }
  return parts.solve();
}

// Steps that do not compute in the precision, since it has no kernels for them, do not count.
std::vector<KernelReach> reach_of(const Profile& profile, const std::string& precision,
                                  const DeviceFile& roofs) {
  std::map<std::string_view, Time> times;
  for (const StepProfile& step : profile.steps) {
    if (name_of(step.kind.precision) != precision || step.kind.reference) continue;
    Time& time = times[kernel_kind(step)];
    time.us += step.us_p10;  // As roofs are: at best, whatever else the machine does.
    time.roof_us += step.roof_us.value_or(0);
  }
  std::vector<KernelReach> found;
  if (!times.contains("product")) return found;
  for (const auto& [kind, time] : times) {
    if (time.us <= 0 || time.roof_us <= 0) continue;
    found.push_back({std::string(kind), precision, time.roof_us / time.us});
    if (kind == "product") found.back().parts = parts_of_products(profile, precision, roofs);
  }
  return found;
}

// Whether there are kernels for the precision: else layers compute in another.
bool computes_in(const Program& program, const std::string& precision) {
  return std::ranges::any_of(program.steps(), [&](const StepInfo& step) {
    return step.cost.macs > 0 && name_of(step.kind.precision) == precision && !step.kind.reference;
  });
}

double p10_us(const Profile& profile) {
  double us = 0;
  for (const StepProfile& step : profile.steps) us += step.us_p10;
  return us;
}

// A network on one thread, and its fastest turn.
class Probe {
 public:
  static Result<Probe> make(Model model, Precision floats, const DeviceFile& roofs) {
    Probe probe;
    probe.request_.compile.threads = 1;
    probe.request_.compile.precision = floats;
    probe.request_.measure.stop.seconds = kSeconds;
    probe.request_.measure.counters = CounterSource::None;
    probe.request_.roofs = &roofs;
    HONE_TRY(probe.request_.inputs, make_inputs(model.graph, {}, 0));
    HONE_TRY(probe.compiled_, compile_model(model, probe.request_));
    return probe;
  }

  const Program& program() const { return *compiled_.program; }
  const Profile& fastest() const { return *fastest_; }

  Status turn() {
    HONE_TRY(Profile profile, profile_compiled(compiled_, request_));
    if (!fastest_ || p10_us(profile) < p10_us(*fastest_)) fastest_ = std::move(profile);
    return Done{};
  }

 private:
  ProfileRequest request_;
  Compiled compiled_;
  std::optional<Profile> fastest_;
};

// Of the precisions that have kernels here.
using Probes = std::vector<std::pair<std::string, Probe>>;

Status add_probe(Model model, Precision floats, const std::string& precision,
                 const DeviceFile& roofs, Probes& probes) {
  HONE_TRY(Probe probe, Probe::make(std::move(model), floats, roofs));
  if (computes_in(probe.program(), precision)) probes.emplace_back(precision, std::move(probe));
  return Done{};
}

Result<Probes> probes_of_precisions(const DeviceFile& roofs) {
  Probes probes;
  HONE_RETURN_IF_ERROR(add_probe(probe_network(), Precision::F32, "fp32", roofs, probes));
  HONE_RETURN_IF_ERROR(add_probe(probe_network(), Precision::F16, "fp16", roofs, probes));
  HONE_RETURN_IF_ERROR(add_probe(probe_network(), Precision::BF16, "bf16", roofs, probes));
  HONE_TRY(const TargetDef* cpu, find_target("cpu"));
  HONE_TRY(Model integers, quantize_for_device(probe_network(), *cpu, nullptr));
  HONE_RETURN_IF_ERROR(add_probe(std::move(integers), Precision::F32, "int8", roofs, probes));
  return probes;
}

void add_streaming(const Profile& profile, std::vector<KernelReach>& out) {
  double roof_us = 0;
  for (const StepProfile& step : profile.steps) roof_us += step.roof_us.value_or(0);
  const double us = p10_us(profile);
  if (us > 0 && roof_us > 0) out.push_back({"streaming", "fp32", roof_us / us});
}

}  // namespace

Result<std::vector<KernelReach>> measure_kernels(const DeviceFile& roofs) {
  HONE_TRY(Probes probes, probes_of_precisions(roofs));
  std::optional<Probe> streaming;
  if (roofs.memory.size() >= 2) {
    HONE_TRY(streaming,
             Probe::make(streaming_network(roofs.memory[1].bytes), Precision::F32, roofs));
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    for (auto& [precision, probe] : probes) HONE_RETURN_IF_ERROR(probe.turn());
    if (streaming) HONE_RETURN_IF_ERROR(streaming->turn());
  }
  std::vector<KernelReach> found;
  for (const auto& [precision, probe] : probes) {
    const std::vector<KernelReach> reach = reach_of(probe.fastest(), precision, roofs);
    found.insert(found.end(), reach.begin(), reach.end());
  }
  if (streaming) add_streaming(streaming->fastest(), found);
  return found;
}

}  // namespace hone
