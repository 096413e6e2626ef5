#include "hone/base/str.h"
#include "hone/base/text.h"
#include "hone/report/results/inspection.h"
#include "hone/report/section_def.h"

namespace hone {
namespace {

Blocks memory_plan_blocks(const Inspection& inspection, const ShowOptions&) {
  if (!inspection.memory) return {};
  const MemorySummary& memory = *inspection.memory;
  DataTable table{.columns = {{"buffer"},
                              {"type"},
                              {"offset", true},
                              {"bytes", true},
                              {"from step", true},
                              {"to step", true}}};
  for (const MemoryUse& use : memory.buffers) {
    table.rows.push_back({use.value, str(use.type, use.in_rows ? ", in rows" : ""), str(use.offset),
                          str(use.bytes), str(use.first_step), str(use.last_step)});
  }
  if (memory.scratch.steps > 0) {
    table.rows.push_back({str("scratch of steps: ", memory.scratch.steps), "the largest", "-",
                          str(memory.scratch.most_bytes), "-", "-"});
  }
  return {
      Paragraph{str("memory on target cpu: weights ", human_bytes(memory.weight_bytes), ", arena ",
                    human_bytes(memory.arena_bytes), "; the tensors that live at once need ",
                    human_bytes(memory.largest_live_bytes), " at least")},
      table};
}

}  // namespace

extern const SectionDef section_memory_plan = {.title = "Memory",
                                               .of_inspection = memory_plan_blocks};

}  // namespace hone
