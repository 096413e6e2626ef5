#include "hone/targets/npu/schedule.h"

#include <algorithm>
#include <bit>
#include <set>

#include "hone/base/text.h"
#include "hone/targets/common/memory_planner.h"
#include "hone/targets/npu/emit/weights.h"
#include "hone/targets/npu/emitter.h"

namespace hone::npu {
namespace {

// The least that a slot must hold: a whole table, or the weights of one output channel.
uint64_t least_slot(const NpuSpec& npu, const ProgramOutline& program) {
  uint64_t least = kBufferAlignment;
  for (const ProgramStep& step : program.steps) {
    for (const Layer& layer : step.layers) {
      if (can_stream(npu, layer)) continue;
      const uint64_t bytes =
          layer.product() == nullptr
              ? layer.constants.size()
              : static_cast<uint64_t>(sim::weight_block_bytes(1, layer.weights.products));
      least = std::max(least, bytes);
    }
  }
  return aligned(static_cast<int64_t>(least));
}

uint64_t most_useful_slot(const ProgramOutline& program) {
  uint64_t most = 0;
  for (const ProgramStep& step : program.steps) {
    for (const Layer& layer : step.layers) {
      if (layer.product() == nullptr) continue;
      most = std::max(most, static_cast<uint64_t>(sim::weight_block_bytes(
                                layer.weights.channels / layer.groups, layer.weights.products)));
    }
  }
  return std::bit_ceil(most);
}

// The least, then powers of two up to what a whole layer can use and half the SRAM can hold.
std::vector<uint64_t> slot_choices(const NpuSpec& npu, const ProgramOutline& program) {
  const uint64_t least = least_slot(npu, program);
  std::vector<uint64_t> choices = {least};
  const uint64_t most =
      std::min(most_useful_slot(program), static_cast<uint64_t>(npu.sram.bytes) / 4);
  const uint64_t smallest = std::max<uint64_t>(least, std::min<uint64_t>(most, 4096));
  for (uint64_t slot = std::bit_ceil(smallest); slot <= most; slot *= 2) {
    choices.push_back(slot);
  }
  return choices;
}

// Gives the SRAM that activations leave to weights, in running order.
void keep_weights(const NpuSpec& npu, const ProgramOutline& program, EmitPlan& plan) {
  if (!npu.sram.keeps_weights) return;
  uint64_t at = plan.activations_at + plan.sram.bytes;
  for (size_t s = 0; s < program.steps.size(); ++s) {
    const uint64_t bytes = room_for_constants(npu, program.steps[s]);
    if (bytes == 0 || at + bytes > static_cast<uint64_t>(npu.sram.bytes)) continue;
    plan.kept[s] = true;
    plan.kept_offsets[s] = at;
    at += aligned(static_cast<int64_t>(bytes));
  }
}

EmitPlan without_images(const NpuSpec& npu, const ProgramOutline& program, uint64_t slot,
                        SramPlan activations) {
  EmitPlan plan;
  plan.weight_slot = slot;
  plan.activations_at = 2 * slot;
  plan.sram = std::move(activations);
  plan.kept_offsets.assign(program.steps.size(), 0);
  plan.kept.assign(program.steps.size(), false);
  plan.with_images = false;
  keep_weights(npu, program, plan);
  return plan;
}

// All of the SRAM, half of it, and so on.
std::vector<int64_t> sram_budgets(const NpuSpec& npu) {
  constexpr int64_t kLeast = 16 << 10;
  std::vector<int64_t> budgets;
  for (int64_t bytes = npu.sram.bytes; bytes >= std::min(kLeast, npu.sram.bytes); bytes /= 2) {
    budgets.push_back(bytes);
  }
  return budgets;
}

// Looks for the plan that simulates fastest.
class Search {
 public:
  Search(const NpuSpec& npu, const ProgramOutline& program) : npu_(npu), program_(program) {}

  // All plans that would be made for a machine with so much SRAM. The same for every machine, and
  // those of half as much are tried too: so neither bandwidth nor SRAM can make a network slower.
  void try_sram(int64_t bytes) {
    NpuSpec smaller = npu_;
    smaller.sram.bytes = bytes;
    for (const uint64_t slot : slot_choices(smaller, program_)) {
      for (const double bytes_per_cycle : {1.0, 4.0, 16.0}) {
        for (const bool cascades : {true, false}) {
          consider(smaller, slot,
                   {.weight_slot = slot, .cascades = cascades, .bytes_per_cycle = bytes_per_cycle});
        }
      }
    }
  }

  std::optional<EmitPlan> best;
  std::optional<TooLarge> too_large;

 private:
  static constexpr int64_t kMoreJobs = 4;

  void consider(const NpuSpec& npu, uint64_t slot, SramBudget budget) {
    const auto sram = static_cast<uint64_t>(npu.sram.bytes);
    if (2 * slot > sram) return;
    budget.activations = sram - 2 * slot;
    auto outcome = plan_sram(npu, program_, budget);
    if (const auto* misfit = std::get_if<TooLarge>(&outcome)) {
      // The first that was tried has the most room.
      if (!too_large) too_large = *misfit;
      return;
    }
    SramPlan& activations = std::get<SramPlan>(outcome);
    // Many times the tiles of a plan that is there have never been faster, and cost the most time.
    const int64_t jobs = job_count(program_, activations);
    if (best && best_fits_ && jobs > kMoreJobs * best_jobs_) return;
    if (!seen_.insert(str(slot, ' ', signature(activations))).second) return;
    EmitPlan plan = without_images(npu_, program_, slot, std::move(activations));
    const bool fits = fits_one_memory(plan);
    if (best_fits_ && !fits) return;
    const double cycles = sim::simulate(npu_, emit(npu_, program_, plan).stream).cycles;
    if (best && best_fits_ == fits && cycles >= best_cycles_) return;
    best = std::move(plan);
    best_cycles_ = cycles;
    best_jobs_ = jobs;
    best_fits_ = fits;
  }

  // Where the SRAM is the first memory, all must have its place in it at once.
  bool fits_one_memory(const EmitPlan& plan) const {
    if (!npu_.sram.is_first_memory) return true;
    for (size_t i = 0; i < program_.storages.all.size(); ++i) {
      if (spills(program_.storages.all[i], i, plan.sram)) return false;
    }
    const uint64_t bytes =
        plan.activations_at + plan.sram.bytes + place_in_memory(program_, plan.sram).bytes;
    return bytes <= static_cast<uint64_t>(npu_.memories[0].bytes);
  }

  const NpuSpec& npu_;
  const ProgramOutline& program_;
  std::set<std::string> seen_;
  double best_cycles_ = 0;
  int64_t best_jobs_ = 0;
  bool best_fits_ = false;
};

}  // namespace

std::variant<Schedule, DoesNotFit> make_schedule(const NpuSpec& npu,
                                                 const ProgramOutline& program) {
  Search search(npu, program);
  for (const int64_t bytes : sram_budgets(npu)) search.try_sram(bytes);
  if (!search.best) {
    return DoesNotFit{unsupported("a layer does not fit into ",
                                  human_bytes(static_cast<uint64_t>(npu.sram.bytes)), " of SRAM"),
                      search.too_large ? program.steps[search.too_large->step].node : nullptr};
  }
  search.best->with_images = true;
  return emit(npu, program, *search.best);
}

std::vector<SramUse> sram_uses(const NpuSpec& npu, const ProgramOutline& program) {
  constexpr double kBytesPerCycle = 4;  // The middle of those that schedules are made with.
  std::vector<SramUse> uses;
  for (const int64_t bytes : sram_budgets(npu)) {
    const uint64_t slot = least_slot(npu, program);
    if (2 * slot > static_cast<uint64_t>(bytes)) break;
    auto outcome = plan_sram(npu, program,
                             {.activations = static_cast<uint64_t>(bytes) - 2 * slot,
                              .weight_slot = slot,
                              .bytes_per_cycle = kBytesPerCycle});
    auto* activations = std::get_if<SramPlan>(&outcome);
    if (activations == nullptr) break;
    EmitPlan plan = without_images(npu, program, slot, std::move(*activations));
    uses.push_back({std::move(plan.sram), std::move(plan.kept), slot});
  }
  return uses;
}

}  // namespace hone::npu
