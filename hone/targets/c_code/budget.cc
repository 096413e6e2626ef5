#include "hone/targets/c_code/budget.h"

#include <algorithm>
#include <cmath>

#include "hone/base/short_name.h"
#include "hone/base/text.h"
#include "hone/ops/node_cost.h"
#include "hone/targets/c_code/choose_chains.h"

namespace hone::c_code {
namespace {

// Bytes that grow with the power of the number of channels, of which so many are allowed.
std::string fewer_channels(size_t bytes, size_t allowed, double power) {
  const double part =
      std::pow(static_cast<double>(allowed) / static_cast<double>(bytes), 1 / power);
  if (part < 0.01) return "; no network of such layers would fit";
  return str("; with ", fixed(std::floor(100 * part) / 100, 2),
             " of its channels everywhere it would fit (predicted)");
}

Status check_flash(const Plan& plan, size_t allowed) {
  if (allowed == 0 || plan.constant_bytes <= allowed) return Done{};
  const Step& most = *std::ranges::max_element(plan.steps, {}, constants_of);
  return out_of_resource("constants take ", plan.constant_bytes, " bytes of flash, allowed are ",
                         allowed, "; most are of layer '", short_name(most.node->name), "', ",
                         constants_of(most), fewer_channels(plan.constant_bytes, allowed, 2));
}

// RAM of the same network with its inputs in the arena.
Result<size_t> ram_with_inputs_inside(const Graph& given, CompileOptions options,
                                      CoreKernels core) {
  options.firmware.inputs_in_arena = true;
  HONE_TRY(const Plan plan, make_plan(std::move(*given.clone()), options, core));
  return ram_bytes(plan);
}

Status check_ram(const Plan& plan, const Graph& given, const CompileOptions& options) {
  const size_t allowed = options.firmware.max_ram;
  const size_t bytes = ram_bytes(plan);
  if (allowed == 0 || bytes <= allowed) return Done{};
  const std::string by_rows =
      bytes < plan.ram_without_rows ? str(", row buffering brings it to ", bytes) : "";
  const std::string what =
      str("takes ", plan.ram_without_rows, " bytes of RAM", by_rows, ", allowed are ", allowed,
          "; layer '", short_name(fullest_step(plan).node->name), "' needs ", bytes);
  if (!options.firmware.inputs_in_arena) {
    HONE_TRY(const size_t inside, ram_with_inputs_inside(given, options, plan.options.core));
    const std::string how = str("; with its inputs in the arena it takes ", inside);
    if (inside <= allowed) return out_of_resource(what, how).needs({HintKind::InputsInArena});
  }
  const size_t outside = bytes - plan.arena_bytes;
  if (allowed <= outside) return out_of_resource(what, "; ", outside, " are inputs and outputs");
  return out_of_resource(what, fewer_channels(plan.arena_bytes, allowed - outside, 1));
}

std::string percent(double part) {
  return str(fixed(100 * part, part < 0.0995 ? 1 : 0), " %");
}

}  // namespace

size_t constants_of(const Step& step) {
  size_t bytes = 0;
  for (const Array& array : step.arrays) bytes += bytes_of(array);
  return bytes;
}

Status check_budget(const Plan& plan, const Graph& given, const CompileOptions& options) {
  HONE_RETURN_IF_ERROR(check_flash(plan, options.firmware.max_flash));
  return check_ram(plan, given, options);
}

std::string rows_note(const Plan& plan) {
  if (plan.chains.empty()) return "";
  constexpr double kInstructionsOfMac = 1.3;  // As counted of whole networks on emulated boards.
  double macs = 0;
  for (const Step& step : plan.steps) macs += static_cast<double>(node_cost(*step.node).macs);
  RowCost cost;
  size_t layers = 0;
  for (const RowChain& chain : plan.chains) {
    cost.calls += chain.cost.calls;
    cost.moved_bytes += chain.cost.moved_bytes;
    cost.macs += chain.cost.macs;
    cost.widened += chain.cost.widened;
    cost.channels += chain.cost.channels;
    layers += chain.last - chain.first + 1;
  }
  return str("row buffering saves ", plan.ram_without_rows - ram_bytes(plan), " bytes of RAM in ",
             layers, " of ", plan.steps.size(), " layers; takes ",
             percent(static_cast<double>(cost.macs) / std::max(1.0, macs)),
             " more multiply-adds and about ",
             percent(added_instructions(cost) / std::max(1.0, kInstructionsOfMac * macs)),
             " more instructions (predicted)");
}

}  // namespace hone::c_code
