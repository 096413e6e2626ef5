#include "hone/targets/c_code/part_text.h"

#include <algorithm>

#include "hone/base/str.h"
#include "hone/targets/c_code/vtcm_text.h"

namespace hone::c_code {
namespace {

// Bytes before a row, of what has so many.
size_t bytes_before(const Value* value, int64_t rows, int64_t row) {
  return value->type.tensor.bytes() / static_cast<size_t>(rows) * static_cast<size_t>(row);
}

// "{1536, 768, {4, 3, 1}}": hone_row_part.
std::string row_part_text(const Step& step, const PartRows& part) {
  return str("{", bytes_before(step.reads[0], step.rows->in, part.read.first), ", ",
             bytes_before(step.write, step.rows->out, part.made.first), ", {",
             part.read.end - part.read.first, ", ", part.made.end - part.made.first, ", ", part.pad,
             "}}");
}

// All parts of a step, as the function has them that runs one.
std::string table_text(const Step& step, const StepParts& parts) {
  std::string text = str("  static const ", parts.by_panels ? "hone_hvx_part" : "hone_row_part",
                         " parts[", parts.count, "] = {\n");
  for (size_t i = 0; i < parts.count; ++i) {
    const PartRange channels = parts.by_panels ? channels_of_part(step, parts, i) : PartRange{};
    text += str("      ",
                parts.by_panels ? str("{", channels.first, ", ", channels.end, ", 1}")
                                : row_part_text(step, rows_of_part(step, parts, i)),
                ",\n");
  }
  return text + "  };\n";
}

std::string work_arguments(const Plan& plan, size_t index) {
  const Step& step = plan.steps[index];
  const StepParts& parts = plan.parts[index];
  const std::string_view down = parts.by_panels ? "" : " + own->x";
  std::string text;
  for (size_t i = 0; i < step.reads.size(); ++i) {
    const bool moves = !parts.by_panels && goes_with_rows(step, i);
    text += str("of->x", i, moves ? down : "", ", ");
  }
  text += str("of->y", parts.by_panels ? "" : " + own->y");
  if (step.scratch_bytes > 0) {
    text += str(", of->scratch + ", part_scratch_bytes(step, plan.options.core), " * part");
  }
  if (!parts.by_panels) text += ", own->rows";
  if (reads_vtcm(plan, index)) text += ", of->vtcm";
  if (in_pieces(plan, index)) text += ", (hone_hvx_part){of->first, of->end, 0}";
  if (parts.by_panels) text += ", *own";
  return text;
}

constexpr std::string_view kDeclarations =
    R"(/* How the parts of a layer run: one after another, unless the product defines this function. It calls `run` once for every
   part from 0 to `parts` - 1, in any order and at the same time if it likes, and returns when all of them have ended.
   With threads of QuRT that are made once, each with a number from 1 to THREADS - 1:

     static qurt_sem_t begin[THREADS], done;   // All of them at 0.
     static struct { hone_part run; const void *context; int32_t parts; } work;

     static void some_of_them(int32_t thread) {
       for (int32_t i = thread; i < work.parts; i += THREADS) work.run(work.context, i);
     }
     static void worker(void *number) {
       qurt_hvx_lock(QURT_HVX_MODE_128B);   // Vectors of its own, and so has whoever runs the network.
       for (;;) {
         qurt_sem_down(&begin[(int32_t)number]);
         some_of_them((int32_t)number);
         qurt_sem_up(&done);
       }
     }
     void hone_run_parts(hone_part run, const void *context, int32_t parts) {
       work.run = run, work.context = context, work.parts = parts;
       for (int32_t i = 1; i < THREADS; ++i) qurt_sem_up(&begin[i]);
       some_of_them(0);
       for (int32_t i = 1; i < THREADS; ++i) qurt_sem_down(&done);
     } */
typedef void (*hone_part)(const void *context, int32_t part);
void hone_run_parts(hone_part run, const void *context, int32_t parts);

)";

// Of at most so many parts at a time.
constexpr std::string_view kTestHook = R"(
#ifdef __hexagon__
/* The last one first: order does not matter. */
void hone_run_parts(hone_part run, const void *context, int32_t parts) {
  for (int32_t part = parts - 1; part >= 0; part -= 1) run(context, part);
}
#else
#include <pthread.h>

/* By as many threads as there are parts. */
typedef struct {
  hone_part run;
  const void *context;
  int32_t part;
} one_part;
static void *run_one(void *part) {
  const one_part *const own = (const one_part *)part;
  own->run(own->context, own->part);
  return NULL;
}
void hone_run_parts(hone_part run, const void *context, int32_t parts) {
  pthread_t threads[MOST_PARTS];
  one_part work[MOST_PARTS];
  int32_t begun = 0;
  for (; begun < parts; ++begun) {
    work[begun] = (one_part){run, context, begun};
    if (pthread_create(&threads[begun], NULL, run_one, &work[begun]) != 0) break;
  }
  for (int32_t i = begun; i < parts; ++i) run(context, i); /* Where no more threads are to be had. */
  for (int32_t i = 0; i < begun; ++i) pthread_join(threads[i], NULL);
}
#endif
)";

}  // namespace

bool has_parts(const Plan& plan) {
  return std::ranges::any_of(plan.parts, &StepParts::cut);
}

std::string work_name(const Plan& plan, size_t step) {
  return str(plan.parts[step].cut() ? "work_" : "layer_", step);
}

std::string bytes_before_part(const Step& step) {
  const size_t of_channel = step.panels->panel_bytes / static_cast<size_t>(step.panels->in_panel);
  return str("part.first * ", of_channel);
}

std::string part_function(const Plan& plan, size_t step) {
  const StepParts& parts = plan.parts[step];
  const std::string_view type = parts.by_panels ? "hone_hvx_part" : "hone_row_part";
  return str("HONE_LAYER void layer_", step, "(const void *context, int32_t part) {\n",
             table_text(plan.steps[step], parts), "  const ", type, " *const own = parts + part;\n",
             "  const hone_operands *const of = (const hone_operands *)context;\n  ",
             work_name(plan, step), "(", work_arguments(plan, step), ");\n}\n\n");
}

std::string parts_call(const Plan& plan, size_t step, const PartOperands& operands) {
  return str("  hone_run_parts(layer_", step, ", &(const hone_operands){", operands.x0, ", ",
             operands.x1, ", ", operands.y, ", ", operands.scratch, ", ", operands.vtcm, ", ",
             operands.channels, "}, ", plan.parts[step].count, ");\n");
}

std::string part_declarations(const Plan& plan) {
  return has_parts(plan) ? std::string(kDeclarations) : "";
}

std::string part_test_text(const Plan& plan) {
  if (!has_parts(plan)) return "";
  size_t most = 1;
  for (const StepParts& parts : plan.parts) most = std::max(most, parts.count);
  return str("\n#define MOST_PARTS ", most, kTestHook);
}

std::string parts_note(const Plan& plan) {
  if (!has_parts(plan)) return "";
  return str(std::ranges::count_if(plan.parts, &StepParts::cut), " of ", plan.steps.size(),
             " layers in parts for ", plan.options.core.threads, " threads");
}

}  // namespace hone::c_code
