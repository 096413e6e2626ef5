#include "hone/targets/npu/sram_plan.h"

#include <algorithm>

#include "hone/targets/common/memory_planner.h"

namespace hone::npu {
namespace {

class SramPlanner {
 public:
  SramPlanner(const NpuSpec& npu, const ProgramOutline& program, const SramBudget& budget)
      : program_(program),
        budget_(budget),
        tiles_(npu, program, plan_.resident, budget.weight_slot, budget.bytes_per_cycle) {}

  std::variant<SramPlan, TooLarge> make() {
    plan_.resident.assign(storages().size(), false);
    for (size_t i = 0; i < storages().size(); ++i) plan_.resident[i] = storages()[i].npu;
    // What fragments take away is asked for again in the next round.
    uint64_t capacity = budget_.activations;
    for (int round = 0; round < 64; ++round) {
      plan_.cascades.clear();
      if (const auto too_large = spill_until_fits(capacity)) return *too_large;
      find_cascades(capacity);
      if (const auto too_large = cut_layers(capacity)) return *too_large;
      place();
      if (plan_.bytes <= budget_.activations) return std::move(plan_);
      const uint64_t over = plan_.bytes - budget_.activations;
      if (over >= capacity) break;
      capacity -= std::max<uint64_t>(over, kBufferAlignment);
    }
    // Every step fits and all together do not: one must go, and the last is as good as any.
    return TooLarge{last_cut_};
  }

 private:
  const std::vector<Storage>& storages() const { return program_.storages.all; }
  bool resident(const Operand& operand) const {
    return plan_.resident[program_.storages.of(operand.value).storage];
  }

  // Bytes of residents, by step.
  std::vector<uint64_t> live_bytes() const {
    std::vector<uint64_t> live(program_.steps.size() + 1);
    for (size_t i = 0; i < storages().size(); ++i) {
      if (!plan_.resident[i]) continue;
      const auto [first, last] = life_of(i);
      const uint64_t bytes = aligned(static_cast<int64_t>(storages()[i].bytes));
      for (size_t step = first; step <= std::min(last, program_.steps.size()); ++step) {
        live[step] += bytes;
      }
    }
    return live;
  }

  bool is_live(size_t storage, size_t step) const {
    const auto [first, last] = life_of(storage);
    return plan_.resident[storage] && first <= step && step <= last;
  }

  uint64_t least_need(const ProgramStep& step) const {
    uint64_t need = 0;
    for (const Layer& layer : step.layers) {
      need = std::max(need, tiles_.tile_bytes(layer, smallest_cut(layer), 1));
    }
    return need;
  }

  // Takes residents away, at the fullest step first, until every step fits.
  std::optional<TooLarge> spill_until_fits(uint64_t capacity) {
    std::vector<uint64_t> live = live_bytes();
    std::vector<uint64_t> need(program_.steps.size());
    const auto update = [&](size_t first, size_t last) {
      for (size_t step = first; step <= last && step < need.size(); ++step) {
        need[step] = program_.steps[step].on_npu ? least_need(program_.steps[step]) : 0;
      }
    };
    update(0, need.size());
    for (;;) {
      size_t worst = 0;
      uint64_t most = 0;
      for (size_t step = 0; step < need.size(); ++step) {
        if (!program_.steps[step].on_npu || live[step] + need[step] <= most) continue;
        most = live[step] + need[step];
        worst = step;
      }
      if (most <= capacity) return std::nullopt;
      const std::optional<size_t> storage = choose_spill(worst, most - capacity);
      if (!storage) return TooLarge{worst};
      plan_.resident[*storage] = false;
      const auto [first, last] = life_of(*storage);
      for (size_t step = first; step <= last && step < live.size(); ++step) {
        live[step] -= aligned(static_cast<int64_t>(storages()[*storage].bytes));
      }
      update(first, last);
    }
  }

  // Of those that are live: the smallest that makes enough room, or else the largest. One that the
  // step does not touch goes before one that it would have to cut into tiles.
  std::optional<size_t> choose_spill(size_t step, uint64_t room) const {
    const auto touched = [&](size_t storage) {
      const Node& node = *program_.steps[step].node;
      const auto is = [&](const Value* value) {
        return value != nullptr && program_.storages.part_of.contains(value) &&
               program_.storages.of(value).storage == storage;
      };
      return std::ranges::any_of(node.inputs, is) || std::ranges::any_of(node.outputs, is);
    };
    std::optional<size_t> best;
    const auto better = [&](size_t a, size_t b) {
      if (touched(a) != touched(b)) return touched(b);
      const uint64_t bytes_a = storages()[a].bytes, bytes_b = storages()[b].bytes;
      if ((bytes_a >= room) != (bytes_b >= room)) return bytes_a >= room;
      return bytes_a >= room ? bytes_a < bytes_b : bytes_a > bytes_b;
    };
    for (size_t i = 0; i < storages().size(); ++i) {
      if (is_live(i, step) && (!best || better(i, *best))) best = i;
    }
    return best;
  }

  // Takes chains of spilled values as far as stripes of them fit.
  void find_cascades(uint64_t capacity) {
    plan_.cascades.clear();
    plan_.linked.assign(storages().size(), false);
    in_cascade_.assign(program_.steps.size(), false);
    if (!budget_.cascades) return;
    std::vector<bool> spilled;
    for (size_t i = 0; i < storages().size(); ++i) {
      spilled.push_back(storages()[i].npu && !plan_.resident[i]);
    }
    for (Cascade chain : find_chains(program_, spilled)) {
      // A chain that does not fit is cut in front of its last layer.
      while (chain.last_step > chain.first_step) {
        if (fit_stripes(chain, capacity)) {
          accept(chain);
          break;
        }
        --chain.last_step;
      }
    }
  }

  bool fit_stripes(Cascade& chain, uint64_t capacity) const {
    // Its steps take turns, so that all that lives during one lives during all.
    uint64_t live = 0;
    for (size_t i = 0; i < storages().size(); ++i) {
      const auto [first, last] = life_of(i);
      if (!plan_.resident[i] || first > chain.last_step || last < chain.first_step) continue;
      live += aligned(static_cast<int64_t>(storages()[i].bytes));
    }
    for (const int64_t rows : row_choices(program_.steps[chain.last_step].layers[0])) {
      chain.rows = rows;
      if (size_links(program_, chain) && live + cascade_bytes(chain) <= capacity) return true;
    }
    return false;
  }

  // Links, weights, and tiles of what comes from and goes to memory.
  uint64_t cascade_bytes(const Cascade& chain) const {
    uint64_t bytes = 0;
    for (size_t step = chain.first_step; step <= chain.last_step; ++step) {
      const Layer& layer = program_.steps[step].layers[0];
      bytes += aligned(constant_bytes_of(layer)) + outer_tile_bytes(chain, step);
      if (step < chain.last_step) bytes += link_bytes(chain, step);
    }
    return bytes;
  }

  uint64_t link_bytes(const Cascade& chain, size_t step) const {
    const Image& image = program_.steps[step].layers[0].output.image;
    return aligned(chain.link_rows[step - chain.first_step] * image.width * image.channels);
  }

  Cut cascade_cut(const Cascade& chain, size_t step) const {
    const Layer& layer = program_.steps[step].layers[0];
    const int64_t rows =
        step == chain.last_step ? chain.rows : chain.link_rows[step - chain.first_step];
    return {std::min(rows, layer.output.image.height), layer.output.image.channels};
  }

  uint64_t outer_tile_bytes(const Cascade& chain, size_t step) const {
    const Layer& layer = program_.steps[step].layers[0];
    const Cut cut = cascade_cut(chain, step);
    uint64_t bytes = 0;
    for (size_t i = step == chain.first_step ? 0 : 1; i < layer.inputs.size(); ++i) {
      if (resident(layer.inputs[i])) continue;
      bytes += 2 * aligned(input_tile_bytes(layer, layer.inputs[i], cut));
    }
    if (step == chain.last_step && !resident(layer.output)) {
      bytes += 2 * aligned(output_tile_bytes(layer, cut));
    }
    return bytes;
  }

  void accept(const Cascade& chain) {
    for (size_t step = chain.first_step; step <= chain.last_step; ++step) {
      in_cascade_[step] = true;
      if (step < chain.last_step) plan_.linked[link_of(program_, step)] = true;
    }
    plan_.cascades.push_back(chain);
  }

  std::optional<TooLarge> cut_layers(uint64_t capacity) {
    plan_.layers.assign(program_.steps.size(), {});
    for (const Cascade& chain : plan_.cascades) {
      for (size_t step = chain.first_step; step <= chain.last_step; ++step) {
        plan_.layers[step] = {LayerPlan{.cut = cascade_cut(chain, step)}};
      }
    }
    const std::vector<uint64_t> live = live_bytes();
    for (size_t step = 0; step < program_.steps.size(); ++step) {
      if (in_cascade_[step]) continue;
      for (const Layer& layer : program_.steps[step].layers) {
        last_cut_ = step;
        if (live[step] > capacity) return TooLarge{step};
        const auto plan = tiles_.choose(layer, capacity - live[step]);
        if (!plan) return TooLarge{step};
        plan_.layers[step].push_back(*plan);
      }
    }
    return std::nullopt;
  }

  // Offsets of residents over their lives, and of tiles during their step.
  void place() {
    std::vector<BufferLife> lives;
    std::vector<uint64_t*> targets;
    plan_.offsets.assign(storages().size(), 0);
    for (size_t i = 0; i < storages().size(); ++i) {
      if (!plan_.resident[i]) continue;
      const auto [first, last] = life_of(i);
      lives.push_back({storages()[i].bytes, first, last});
      targets.push_back(&plan_.offsets[i]);
    }
    const auto add = [&](uint64_t bytes, size_t first, size_t last, uint64_t& target) {
      lives.push_back({bytes, first, last});
      targets.push_back(&target);
    };
    for (Cascade& chain : plan_.cascades) {
      const size_t steps = chain.last_step - chain.first_step + 1;
      chain.link_at.assign(steps - 1, 0);
      chain.weights_at.assign(steps, 0);
      for (size_t i = 0; i < steps; ++i) {
        const size_t step = chain.first_step + i;
        const int64_t weights = constant_bytes_of(program_.steps[step].layers[0]);
        add(aligned(weights), chain.first_step, chain.last_step, chain.weights_at[i]);
        if (i + 1 == steps) continue;
        add(link_bytes(chain, step), chain.first_step, chain.last_step, chain.link_at[i]);
      }
    }
    for (size_t step = 0; step < program_.steps.size(); ++step) {
      const auto [first, last] = plan_.turns_with(step);
      for (size_t l = 0; l < program_.steps[step].layers.size(); ++l) {
        const Layer& layer = program_.steps[step].layers[l];
        LayerPlan& plan = plan_.layers[step][l];
        const auto buffers = static_cast<uint64_t>(plan.buffers);
        plan.input_buffers.assign(layer.inputs.size(), 0);
        for (size_t i = 0; i < layer.inputs.size(); ++i) {
          if (resident(layer.inputs[i]) || linked(layer.inputs[i])) continue;
          add(buffers * aligned(input_tile_bytes(layer, layer.inputs[i], plan.cut)), first, last,
              plan.input_buffers[i]);
        }
        if (resident(layer.output) || linked(layer.output)) continue;
        add(buffers * aligned(output_tile_bytes(layer, plan.cut)), first, last, plan.output_buffer);
      }
    }
    const MemoryPlan memory = plan_memory(lives);
    for (size_t i = 0; i < targets.size(); ++i) *targets[i] = memory.offsets[i];
    plan_.bytes = memory.bytes;
  }

  bool linked(const Operand& operand) const {
    return plan_.linked[program_.storages.of(operand.value).storage];
  }

  std::pair<size_t, size_t> life_of(size_t storage) const {
    return {plan_.turns_with(storages()[storage].first_step).first,
            plan_.turns_with(storages()[storage].last_step).second};
  }

  const ProgramOutline& program_;
  const SramBudget& budget_;
  SramPlan plan_;
  TileChoice tiles_;
  size_t last_cut_ = 0;           // The last step that was cut into tiles.
  std::vector<bool> in_cascade_;  // By step.
};

}  // namespace

std::variant<SramPlan, TooLarge> plan_sram(const NpuSpec& npu, const ProgramOutline& program,
                                           const SramBudget& budget) {
  return SramPlanner(npu, program, budget).make();
}

std::pair<size_t, size_t> SramPlan::turns_with(size_t step) const {
  for (const Cascade& cascade : cascades) {
    if (cascade.has(step)) return {cascade.first_step, cascade.last_step};
  }
  return {step, step};
}

bool spills(const Storage& storage, size_t index, const SramPlan& plan) {
  return storage.npu && !storage.in_memory && !plan.resident[index] && !plan.linked[index];
}

MemoryPlaces place_in_memory(const ProgramOutline& program, const SramPlan& plan) {
  const std::vector<Storage>& all = program.storages.all;
  std::vector<BufferLife> lives;
  std::vector<size_t> which;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].in_memory && (plan.resident[i] || plan.linked[i])) continue;
    const bool input = all[i].value->producer == nullptr;  // There from the start.
    lives.push_back({all[i].bytes, input ? 0 : plan.turns_with(all[i].first_step).first,
                     plan.turns_with(all[i].last_step).second});
    which.push_back(i);
  }
  const MemoryPlan memory = plan_memory(lives);
  MemoryPlaces places{std::vector<uint64_t>(all.size()), memory.bytes};
  for (size_t i = 0; i < which.size(); ++i) places.offsets[which[i]] = memory.offsets[i];
  return places;
}

int64_t job_count(const ProgramOutline& program, const SramPlan& plan) {
  int64_t jobs = 0;
  for (size_t step = 0; step < plan.layers.size(); ++step) {
    for (size_t l = 0; l < plan.layers[step].size(); ++l) {
      const Layer& layer = program.steps[step].layers[l];
      const Cut& cut = plan.layers[step][l].cut;
      const Image& image = layer.output.image;
      const int64_t blocks =
          layer.groups * ((image.channels / layer.groups + cut.channels - 1) / cut.channels);
      jobs += blocks * ((image.height + cut.rows - 1) / cut.rows);
    }
  }
  return jobs;
}

std::string signature(const SramPlan& plan) {
  std::string text;
  for (const bool resident : plan.resident) text += resident ? '1' : '0';
  for (const std::vector<LayerPlan>& step : plan.layers) {
    for (const LayerPlan& layer : step) {
      text += str(' ', layer.cut.rows, 'x', layer.cut.channels, layer.streams ? 's' : 'l',
                  layer.weights_outer ? 'w' : 't', layer.buffers);
    }
  }
  for (const Cascade& cascade : plan.cascades) {
    text += str(' ', cascade.first_step, '-', cascade.last_step, ':', cascade.rows);
  }
  return text;
}

}  // namespace hone::npu
