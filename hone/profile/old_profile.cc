#include "hone/profile/old_profile.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "hone/kernels/gemm/gemm.h"
#include "hone/kernels/gemm_bf16/gemm_bf16.h"
#include "hone/kernels/gemm_i8/gemm_i8.h"
#include "hone/profile/profile_json.h"
#include "hone/targets/step_kind.h"

namespace hone {
namespace {

using Json = nlohmann::ordered_json;

std::string text_at(const Json& json, const char* key) {
  if (!json.is_object()) return "";
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

struct OldWork {
  std::string_view begin;  // Of the name's first word.
  StepFamily family;
};
constexpr std::array kWorks = {
    OldWork{"gemm", StepFamily::Product},
    OldWork{"matrix", StepFamily::Product},
    OldWork{"dense", StepFamily::Product},
    OldWork{"product", StepFamily::Product},
    OldWork{"winograd", StepFamily::Winograd},
    OldWork{"depthwise", StepFamily::Depthwise},
    OldWork{"hybrid_depthwise", StepFamily::Depthwise},
    OldWork{"hybrid", StepFamily::Hybrid},
    OldWork{"lstm", StepFamily::Recurrent},
    OldWork{"gru", StepFamily::Recurrent},
    OldWork{"rnn", StepFamily::Recurrent},
    OldWork{"activate", StepFamily::Elementwise},
    OldWork{"swish", StepFamily::Elementwise},
    OldWork{"binary", StepFamily::Elementwise},
    OldWork{"lut", StepFamily::Elementwise},
    OldWork{"add_i8", StepFamily::Elementwise},
    OldWork{"sub_i8", StepFamily::Elementwise},
    OldWork{"mul_i8", StepFamily::Elementwise},
    OldWork{"softmax", StepFamily::Rows},
    OldWork{"layer_norm", StepFamily::Rows},
    OldWork{"mean", StepFamily::Rows},
    OldWork{"pool", StepFamily::Pool},
    OldWork{"resize", StepFamily::Resize},
    OldWork{"transpose", StepFamily::Movement},
    OldWork{"copy", StepFamily::Movement},
    OldWork{"convert", StepFamily::Conversion},
    OldWork{"quantize", StepFamily::Conversion},
    OldWork{"dequantize", StepFamily::Conversion},
    OldWork{"nothing", StepFamily::Nothing},
};

StepFamily family_of(std::string_view work) {
  const auto found = std::ranges::find_if(
      kWorks, [&](const OldWork& known) { return work.starts_with(known.begin); });
  return found == kWorks.end() ? StepFamily::Other : found->family;
}

int64_t columns_of(std::string_view work, std::string_view variant) {
  const auto width = [&](std::string_view family, const auto& variants) -> int64_t {
    if (work != family) return 0;
    for (const auto& known : variants) {
      if (variant != known.name) continue;
      if constexpr (requires { known.run.step; }) return static_cast<int64_t>(known.run.step);
      return static_cast<int64_t>(known.run.nr);
    }
    return 0;
  };
  return width("gemm_f32", gemm_f32_variants()) + width("gemm_f16", gemm_f16_variants()) +
         width("gemm_bf16", gemm_bf16_variants()) + width("gemm_i8", gemm_i8_variants()) +
         width("gemm_u8", gemm_u8_variants());
}

// Those of element types that had no other name.
std::string renewed_precision(const std::string& precision) {
  if (arithmetic_named(precision)) return precision;
  if (precision == "string") return "text";
  if (precision.starts_with("f8")) return "fp8";
  if (precision.starts_with("f4")) return "fp4";
  const bool integer = precision.starts_with("i") || precision.starts_with("u");
  const std::string name = integer ? "int" + precision.substr(1) : "";
  return arithmetic_named(name) ? name : "";
}

void renew_step(Json& step) {
  if (!step.is_object() || step.contains("family")) return;
  const std::string kernel = text_at(step, "kernel");
  const size_t space = std::min(kernel.find(' '), kernel.size());
  const std::string work = kernel.substr(0, space);
  const std::string variant = kernel.substr(std::min(space + 1, kernel.size()));
  step["family"] = name_of(family_of(work));
  step["work"] = work;
  step["variant"] = variant;
  step["tile_columns"] = columns_of(work, variant);
  if (step.contains("precision") && step["precision"].is_string()) {
    step["precision"] = renewed_precision(step["precision"]);
  }
}

// Engines were told among the counters: parts of the time as "matrix_busy" in %, waits as
// "stall_host", traffic as "DRAM_read". How many MACs the array could do was not told: as many as
// there are cycles, then.
class OldEngines {
 public:
  // Takes them out of the counters of `owner`, a run or a step.
  void renew(Json& owner) {
    const auto counters = owner.find("counters");
    if (owner.contains("engines") || counters == owner.end() || !counters->is_array()) return;
    for (const Json& counter : *counters) {
      if (text_at(counter, "name") == "cycles") engines_.cycles = value_of(counter);
    }
    engines_.possible_macs = engines_.cycles;
    Json rest = Json::array();
    for (const Json& counter : *counters) {
      if (!take(text_at(counter, "name"), value_of(counter))) rest.push_back(counter);
    }
    *counters = std::move(rest);
    owner["engines"] = engines_to_json(engines_);
  }

 private:
  static double value_of(const Json& counter) {
    const auto value = counter.find("value");
    return value != counter.end() && value->is_number() ? value->get<double>() : 0;
  }

  bool take(const std::string& name, double value) {
    const double part = engines_.cycles * value / 100;
    if (name == "cycles") return true;
    if (name == "matrix_busy") return set(engines_.busy.matrix, part);
    if (name == "vector_busy") return set(engines_.busy.vector, part);
    if (name == "dma_busy") return set(engines_.busy.dma, part);
    if (name == "host_busy") return set(engines_.busy.host, part);
    if (name == "mac_utilisation") return set(engines_.macs, part);
    if (name == "commands") return set(engines_.commands, value);
    if (name == "sram_bytes") return set(engines_.sram_bytes, value);
    if (name == "energy") return set(engines_.energy_uj, value);
    return take_stall(name, value) || take_traffic(name, value);
  }

  static bool set(double& field, double value) {
    field = value;
    return true;
  }

  bool take_stall(const std::string& name, double cycles) {
    for (size_t i = 0; i < sim::kStalls; ++i) {
      const auto stall = static_cast<sim::Stall>(i);
      if (name == std::string("stall_") + sim::stall_key(stall)) {
        return set(engines_.stalls[stall], cycles);
      }
    }
    return false;
  }

  bool take_traffic(const std::string& name, double bytes) {
    const bool read = name.ends_with("_read");
    if (!read && !name.ends_with("_written")) return false;
    const std::string memory = name.substr(0, name.rfind('_'));
    auto& all = engines_.memories;
    auto found = std::ranges::find(all, memory, &sim::MemoryTraffic::name);
    if (found == all.end()) found = all.insert(all.end(), {memory});
    return set(read ? found->read_bytes : found->written_bytes, bytes);
  }

  sim::EngineCounters engines_ = {};
};

// True for the counters of simulated NPUs.
bool counts_engines(const Json& results) {
  const auto counters = results.find("counters");
  return !results.contains("engines") && counters != results.end() && counters->is_array() &&
         std::ranges::any_of(*counters, [](const Json& counter) {
           return text_at(counter, "name") == "mac_utilisation";
         });
}

bool names_kernels(const Json& results) {
  const auto steps = results.find("steps");
  return steps != results.end() && steps->is_array() &&
         std::ranges::any_of(
             *steps, [](const Json& step) { return step.is_object() && !step.contains("family"); });
}

}  // namespace

std::optional<Json> renewed_profile(const Json& results) {
  if (!results.is_object() || !names_kernels(results)) return std::nullopt;
  Json renewed = results;
  const bool engines = counts_engines(results);
  if (engines) OldEngines().renew(renewed);
  for (Json& step : renewed["steps"]) {
    renew_step(step);
    if (engines && step.is_object()) OldEngines().renew(step);
  }
  return renewed;
}

}  // namespace hone
