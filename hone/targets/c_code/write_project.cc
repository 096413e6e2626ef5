#include "hone/targets/c_code/write_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hone/base/json_text.h"
#include "hone/base/output_file.h"
#include "hone/base/version.h"
#include "hone/targets/c_code/interface_text.h"
#include "hone/targets/c_code/part_text.h"
#include "hone/targets/c_code/selftest_text.h"
#include "hone/targets/c_code/source_file.h"
#include "hone/targets/c_code/vtcm_text.h"

namespace hone::c_code {
namespace {

constexpr std::string_view kTemplateSuffix = ".in";

std::string_view kernel_text(std::string_view name) {
  const auto found = std::ranges::find(kernel_files(), str(name, ".c"), &EmbeddedFile::name);
  HONE_CHECK(found != kernel_files().end(), "no kernel source '", name, "'");
  return found->text;
}

// What lies in VTCM, and how it comes there.
std::string vtcm_header(const Plan& plan, const std::string& macro) {
  if (!uses_vtcm(plan)) return "";
  const size_t spilled = spilled_steps(plan).size();
  return str("/* Memory beside the vectors (VTCM), aligned to ", kVtcmAlignment,
             " bytes, for nobody else until the last run. Of the constants\n   ",
             constants_that_are(plan, Residence::Kept),
             " bytes are brought there by init and stay, ",
             constants_that_are(plan, Residence::Fetched),
             " come in every run, each piece while the one before it\n   is computed with, and ",
             constants_that_are(plan, Residence::Away),
             " are read where they are, in main memory. What ", spilled, " of ", plan.steps.size(),
             " layers make lies in the\n   arena, for want of room. */\n#define ", macro,
             "_VTCM_BYTES ", plan.vtcm.bytes, "\n");
}

// Which two functions a product may define.
std::string fetch_declarations(const Plan& plan) {
  if (!uses_vtcm(plan)) return "";
  return "/* How bytes come into VTCM: copied, unless the product defines both, with a DMA or "
         "another "
         "thread. `start` may\n   return before they are there, `wait` when all are that were "
         "started. */\nvoid hone_fetch_start(void *to, const void *from, size_t bytes);\n"
         "void hone_fetch_wait(void);\n\n";
}

std::string header_text(const Plan& plan, const ProjectNames& names, const std::string& stamp) {
  const std::string macro = upper(names.prefix);
  std::string text = str(made_by(names), "#ifndef ", macro, "_H\n#define ", macro, "_H\n\n",
                         "#include <stddef.h>\n#include <stdint.h>\n\n");
  text += str("#define ", project_macro(names), " ", stamp,
              " /* As the other files of the project have it. */\n");
  for (const std::string& note : plan.notes) text += str("/* ", comment_text(note), ". */\n");
  text += str("#define ", macro, "_ARENA_BYTES ", plan.arena_bytes,
              " /* Memory to work in, aligned to ", plan.options.core.alignment(), " bytes",
              interface_alignment(plan), ". */\n");
  text += vtcm_header(plan, macro);
  text += str("#define ", macro, "_CONSTANT_BYTES ", plan.constant_bytes,
              names.toolchain == Toolchain::Arm ? " /* Weights and tables, in flash. */\n"
                                                : " /* Weights and tables. */\n");
  const std::vector<std::string> parts = interface_names(plan);
  const std::vector<const Value*> values = interface_values(plan);
  for (size_t i = 0; i < parts.size(); ++i) {
    const TensorType& type = values[i]->type.tensor;
    const std::string part = str(macro, "_", upper(parts[i]));
    text +=
        str("\n/* ", shape_text(type), ", meaning (value - zero point) * scale. */\n#define ", part,
            "_BYTES ", type.bytes(), "\n#define ", part, "_ZERO_POINT ", type.quant->zero_point(),
            "\n#define ", part, "_SCALE ", fmt::format("{:#.9g}f", type.quant->scale()), "\n");
  }
  text +=
      str("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\ntypedef struct {\n  int8_t *arena;\n",
          uses_vtcm(plan) ? "  int8_t *vtcm;\n} " : "} ", names.prefix, ";\n\n",
          fetch_declarations(plan), part_declarations(plan),
          uses_vtcm(plan)
              ? "/* 0; -1 when one is not there, too small or not aligned. They are the "
              : "/* 0; -1 when there is no arena, or it is too small or not aligned. It is the ",
          "caller's, and no other memory is used. */\n", init_declaration(plan, names), ";\n\n");
  for (const std::string& accessor : accessors(plan, names)) {
    text +=
        str("/* Where to write it before every run, which writes over it. */\n", accessor, ";\n\n");
  }
  text += str("void ", names.prefix, "_run(const ", names.prefix, " *net, ", parameters(plan),
              ");\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
  return text;
}

// Constants in main memory, of a function alone or of the file: "static const int32_t c1[64] = {..};".
std::string array_text(const Array& array, const std::string& name, const std::string& aligned) {
  return str("static const ", type_of(array), " ", name, "[", count_of(array), "]", aligned,
             " = {\n    ", text_of(array), "};\n");
}

// "void *scratch, hone_rows rows, const int8_t *restrict vtcm": what a layer is given besides operands. Those of a chain
// have all the same, others what they need.
std::string other_parameters(const Plan& plan, size_t index) {
  const StepParts& parts = plan.parts[index];
  const bool in_chain = chain_at(plan, index) != nullptr, pieces = in_pieces(plan, index);
  const bool scratch = in_chain || plan.steps[index].scratch_bytes > 0;
  const bool rows = in_chain || (parts.cut() && !parts.by_panels);
  return str(scratch ? ", void *scratch" : "", rows ? ", hone_rows rows" : "",
             reads_vtcm(plan, index) && !pieces ? ", const int8_t *restrict vtcm" : "",
             pieces ? ", const int8_t *restrict piece" : "",
             pieces || parts.by_panels ? ", hone_hvx_part part" : "");
}

// Rows and channels that a layer computes, where it is not told: all of them.
std::string all_of_it(const Plan& plan, size_t index) {
  const Step& step = plan.steps[index];
  const StepParts& parts = plan.parts[index];
  const bool told_rows = chain_at(plan, index) != nullptr || (parts.cut() && !parts.by_panels);
  std::string text;
  if (!told_rows && step.rows) {
    text += str("  const hone_rows rows = {", step.rows->in, ", ", step.rows->out, ", ",
                step.rows->pad_begin, "};\n");
  }
  if (step.panels && !in_pieces(plan, index) && !parts.by_panels) {
    text += str("  const hone_hvx_part part = {0, ", step.panels->channels, ", 0};\n");
  }
  return text;
}

// Constants that a layer reads where they are. Of those that a part of the channels has, the first are not its own.
std::string own_constants(const Plan& plan, size_t index, size_t brought,
                          const std::string& aligned) {
  const Step& step = plan.steps[index];
  std::string text;
  for (size_t i = brought; i < step.arrays.size(); ++i) {
    const bool some = i == 0 && plan.parts[index].by_panels;
    text += "  " + array_text(step.arrays[i], some ? "all" : str("c", i), aligned);
    if (some) text += str("  const int8_t *const c0 = all + ", bytes_before_part(step), ";\n");
  }
  return text;
}

std::string layer_text(const Plan& plan, size_t index, const std::string& aligned) {
  const Step& step = plan.steps[index];
  const bool by_rows = chain_at(plan, index) != nullptr;
  const bool from_vtcm = reads_vtcm(plan, index);
  std::string text;
  const size_t brought = from_vtcm ? arrays_for_vtcm(step) : 0;
  for (size_t i = 0; i < brought; ++i) {
    text += array_text(step.arrays[i], brought_name(index, i), aligned);
  }
  text += str("/* ", comment_text(step.node->name), " (", step.node->op, "), ",
              shape_text(step.write->type.tensor), by_rows ? ", by rows" : "",
              ". */\nHONE_LAYER void ", work_name(plan, index), "(");
  for (size_t i = 0; i < step.reads.size(); ++i) text += str("const int8_t *x", i, ", ");
  text += str("int8_t *y", other_parameters(plan, index), ") {\n");
  if (by_rows && step.scratch_bytes == 0) text += "  (void)scratch;\n";
  text += all_of_it(plan, index);
  if (from_vtcm) text += bound_constants(plan, index);
  text += own_constants(plan, index, brought, aligned);
  for (const Call& call : step.calls) {
    std::string arguments;
    for (const std::string& one : call.arguments) {
      arguments += str(arguments.empty() ? "" : ", ", one);
    }
    text += str("  ", call.kernel, "(", arguments, ");\n");
  }
  return text + "}\n\n" + (plan.parts[index].cut() ? part_function(plan, index) : "");
}

// "{layer_3, 3, 1, 1, 24, 24, 768, 768}": hone_row_layer.
std::string row_layer_text(const Step& step, size_t index) {
  const WindowAxis& rows = *step.rows;
  return str("{layer_", index, ", ", rows.reach(), ", ", rows.stride, ", ", rows.pad_begin, ", ",
             rows.in, ", ", rows.out, ", ",
             step.reads[0]->type.tensor.bytes() / static_cast<size_t>(rows.in), ", ",
             row_bytes(step), "}");
}

// A function that runs layers by rows: "rows_3", where layer 3 is the first.
std::string chain_text(const Plan& plan, const RowChain& chain) {
  const size_t count = chain.last - chain.first + 1;
  std::string text = str("static void rows_", chain.first, "(int8_t *arena, const int8_t *x, ",
                         "int8_t *y) {\n  static const hone_row_layer layers[", count, "] = {\n");
  for (size_t s = chain.first; s <= chain.last; ++s) {
    text += str("      ", row_layer_text(plan.steps[s], s), ",\n");
  }
  text += str("  };\n  hone_some_rows parts[", count + 1, "] = {\n      {(int8_t *)x, 0, ",
              plan.steps[chain.first].rows->in, "}, /* Is only read. */\n");
  for (size_t i = 0; i + 1 < count; ++i) {
    text += str("      {arena + ", chain.link_offsets[i], ", 0, 0}, /* ", chain.link_rows[i],
                chain.link_rows[i] == 1 ? " row */\n" : " rows */\n");
  }
  return text + str("      {y, 0, 0},\n  };\n  hone_run_rows(layers, ", count, ", parts, arena + ",
                    chain.scratch_offset, ");\n}\n\n");
}

class SourceText {
 public:
  SourceText(const Plan& plan, const ProjectNames& names)
      : plan_(plan), names_(names), parts_(interface_names(plan)) {}

  // What includes the headers, and the layers.
  std::string text(const std::string& stamp, const std::string& kernels_stamp) const {
    return str(made_by(names_), "#define HONE_ROUNDING ",
               static_cast<int>(plan_.options.eval.rounding), "\n#define HONE_ISSUE ",
               plan_.options.core.issue, "\n#include \"hone_kernels.h\"\n\n#include \"",
               names_.prefix, ".h\"\n\n",
               stamp_check("HONE_KERNELS", kernels_stamp, "hone_kernels.h"),
               stamp_check(project_macro(names_), stamp, names_.prefix + ".h"), "\n", body());
  }

  std::string body() const {
    std::string text;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      text += layer_text(plan_, s, alignment_text(plan_));
    }
    for (const RowChain& chain : plan_.chains) text += chain_text(plan_, chain);
    text += init_text();
    const std::vector<std::string> places = accessors(plan_, names_);
    for (size_t i = 0; i < places.size(); ++i) {
      text += str(places[i], " { return net->", place_text(plan_.inputs[i]), "; }\n\n");
    }
    text += str("void ", names_.prefix, "_run(const ", names_.prefix, " *net, ", parameters(plan_),
                ") {\n");
    text += "  int8_t *const arena = net->arena;\n  (void)arena;\n";
    if (uses_vtcm(plan_)) text += "  int8_t *const vtcm = net->vtcm;\n";
    text += started_fetches(plan_, 0, 0);
    for (size_t s = 0; s < plan_.steps.size(); ++s) text += slots_text(s);
    return text + "}\n";
  }

 private:
  static std::string memory_check(std::string_view memory, std::string_view bytes, size_t least,
                                  size_t alignment) {
    return str("  if (", memory, " == NULL || ", bytes, " < ", least, " || (uintptr_t)", memory,
               " % ", alignment, " != 0) return -1;\n");
  }

  std::string init_text() const {
    const size_t alignment = plan_.options.core.alignment();
    std::string text = str(init_declaration(plan_, names_), " {\n",
                           memory_check("arena", "bytes", plan_.arena_bytes, alignment));
    if (!uses_vtcm(plan_)) {
      return text + "  net->arena = (int8_t *)arena;\n  return 0;\n}\n\n";
    }
    text += memory_check("vtcm", "vtcm_bytes", plan_.vtcm.bytes, kVtcmAlignment);
    return text + str("  net->arena = (int8_t *)arena;\n  net->vtcm = (int8_t *)vtcm;\n",
                      kept_fetches(plan_), "  return 0;\n}\n\n");
  }

  std::string place_text(const Value* value) const { return place_text(plan_.places.at(value)); }
  std::string place_text(const Place& place) const {
    switch (place.in) {
      case Place::In::Vtcm:
        return str("vtcm + ", place.offset);
      case Place::In::Input:
        return parts_[place.index];
      case Place::In::Output:
        return parts_[plan_.inputs.size() + place.index];
      case Place::In::Arena:
        break;
    }
    return str("arena + ", place.offset);
  }

  // What a step reads was started while the one before computed: it is waited for, and what comes next is started.
  std::string slots_text(size_t index) const {
    const size_t pieces = in_pieces(plan_, index) ? plan_.vtcm.steps[index].pieces.size() : 1;
    std::string text;
    for (size_t i = 0; i < pieces; ++i) {
      if (!started_fetches(plan_, index, i).empty()) text += "  hone_fetch_wait();\n";
      if (i + 1 < pieces) {
        text += started_fetches(plan_, index, i + 1);
      } else if (index + 1 < plan_.steps.size()) {
        text += started_fetches(plan_, index + 1, 0);
      }
      text += call_text(index, i);
    }
    return text;
  }

  // The channels of a piece: "512, 1000".
  std::string piece_channels(size_t index, size_t piece) const {
    const VtcmPiece& panels = plan_.vtcm.steps[index].pieces[piece];
    const ChannelPanels& of = *plan_.steps[index].panels;
    const auto channel = [&](size_t panel) {
      return std::min(static_cast<int64_t>(panel) * of.in_panel, of.channels);
    };
    return str(channel(panels.first), ", ", channel(panels.end));
  }

  PartOperands part_operands(size_t index, size_t piece) const {
    const Step& step = plan_.steps[index];
    PartOperands operands{.x0 = place_text(step.reads[0]), .y = place_text(step.write)};
    if (step.reads.size() > 1) operands.x1 = place_text(step.reads[1]);
    if (step.scratch_bytes > 0) operands.scratch = place_text(plan_.scratch[index]);
    if (in_pieces(plan_, index)) {
      operands.vtcm = str("vtcm + ", plan_.vtcm.steps[index].pieces[piece].offset);
      operands.channels = piece_channels(index, piece);
    } else if (reads_vtcm(plan_, index)) {
      operands.vtcm = "vtcm";
    }
    return operands;
  }

  std::string call_text(size_t index, size_t piece) const {
    const Step& step = plan_.steps[index];
    if (const RowChain* chain = chain_at(plan_, index)) {
      if (index != chain->first) return "";
      return str("  rows_", index, "(arena, ", place_text(step.reads[0]), ", ",
                 place_text(plan_.steps[chain->last].write), ");\n");
    }
    if (plan_.parts[index].cut()) return parts_call(plan_, index, part_operands(index, piece));
    std::string arguments;
    for (const Value* value : step.reads) arguments += place_text(value) + ", ";
    arguments += place_text(step.write);
    if (step.scratch_bytes > 0) arguments += ", " + place_text(plan_.scratch[index]);
    if (in_pieces(plan_, index)) {
      arguments += str(", vtcm + ", plan_.vtcm.steps[index].pieces[piece].offset,
                       ", (hone_hvx_part){", piece_channels(index, piece), ", 0}");
    } else if (reads_vtcm(plan_, index)) {
      arguments += ", vtcm";
    }
    return str("  layer_", index, "(", arguments, ");\n");
  }

  const Plan& plan_;
  const ProjectNames& names_;
  std::vector<std::string> parts_;
};

// All of them, behind what they stand on: projects of several networks have the same file. Those of HVX are
// there where others are for it.
std::string kernels_text(const CoreKernels& core) {
  constexpr std::string_view kFirst[] = {
      "integers",    "pairs",   "window",     "helium",
      "product",     "fours",   "depthwise",  "depthwise_channels",
      "conv",        "hvx",     "hvx_finish", "hvx_totals",
      "hvx_product", "pair",    "pool",       "hvx_pool",
      "hvx_sum",     "softmax", "hvx_table"};
  const auto is_left_out = [&](std::string_view name) {
    const bool dsp = core.hvx || core.threads > 1;
    return (name.starts_with("hvx") && !core.hvx) || (name == "parts" && !dsp);
  };
  std::string text;
  for (const std::string_view name : kFirst) {
    if (!is_left_out(name)) text += str(kernel_text(name), "\n");
  }
  for (const EmbeddedFile& file : kernel_files()) {
    const std::string_view name = file.name.substr(0, file.name.rfind('.'));
    const bool added = std::ranges::find(kFirst, name) != std::end(kFirst);
    if (!added && !is_left_out(name)) text += str(file.text, "\n");
  }
  return text;
}

std::string kernels_file(const std::string& kernels) {
  return str("/* Kernels, made by hone ", version(), ". Not to be edited. */\n",
             "#ifndef HONE_KERNELS\n#define HONE_KERNELS ", stamp_of(kernels), "\n\n", kernels,
             "#endif\n");
}

// Whether a function, type or macro of the kernels, or their file, is called so or begins so.
bool is_kernels(const std::string& prefix) {
  static const std::string kText = lower("hone_kernels " + kernels_text({.hvx = true}));
  for (size_t at = kText.find(prefix); at != std::string::npos; at = kText.find(prefix, at + 1)) {
    const size_t end = at + prefix.size();
    if (end == kText.size() || std::isalnum(static_cast<unsigned char>(kText[end])) == 0)
      return true;
  }
  return false;
}

nlohmann::ordered_json vtcm_summary(const Plan& plan) {
  if (!uses_vtcm(plan)) return nullptr;
  nlohmann::ordered_json spilled = nlohmann::ordered_json::array();
  for (const size_t s : spilled_steps(plan)) spilled.push_back(name_of(plan.steps[s]));
  return {{"bytes", plan.vtcm.bytes},
          {"kept_bytes", constants_that_are(plan, Residence::Kept)},
          {"fetched_bytes", constants_that_are(plan, Residence::Fetched)},
          {"away_bytes", constants_that_are(plan, Residence::Away)},
          {"spilled", std::move(spilled)}};
}

std::string summary_text(const Plan& plan, const ProjectNames& names) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    size_t bytes = 0;
    for (const Array& array : step.arrays) bytes += bytes_of(array);
    layers.push_back({{"node", step.node->name},
                      {"op", step.node->op},
                      {"kernel", step.calls[0].kernel},
                      {"constant_bytes", bytes},
                      {"scratch_bytes", step.scratch_bytes},
                      {"parts", plan.parts[s].count},
                      {"live_bytes", plan.live_bytes[s]}});
  }
  nlohmann::ordered_json chains = nlohmann::ordered_json::array();
  for (const RowChain& chain : plan.chains) {
    chains.push_back({{"first", plan.steps[chain.first].node->name},
                      {"last", plan.steps[chain.last].node->name},
                      {"calls", chain.cost.calls},
                      {"moved_bytes", chain.cost.moved_bytes}});
  }
  return json_text({{"schema_version", 1},
                    {"tool", {{"name", "hone"}, {"version", version()}}},
                    {"device", names.device},
                    {"model", names.model},
                    {"prefix", names.prefix},
                    {"threads", plan.options.core.threads},
                    {"arena_bytes", plan.arena_bytes},
                    {"vtcm", vtcm_summary(plan)},
                    {"constant_bytes", plan.constant_bytes},
                    {"input_bytes", input_bytes(plan)},
                    {"output_bytes", output_bytes(plan)},
                    {"ram_bytes", ram_bytes(plan)},
                    {"layers", std::move(layers)},
                    {"by_rows", std::move(chains)}},
                   2) +
         "\n";
}

// What the network is linked into: where it has limits, those, with the stack and what arrays are rounded up to.
struct LinkedSizes {
  size_t flash;
  size_t ram;
};
// The limit, where there is one below what the device has.
size_t within(size_t limit, size_t there) {
  return limit > 0 && (there == 0 || limit < there) ? limit : there;
}
LinkedSizes linked_sizes(const Plan& plan, const ProjectNames& names) {
  constexpr size_t kStack = 4096;  // Of sections.ld.
  const size_t rounding = 8 * (1 + plan.inputs.size() + plan.outputs.size());
  return {
      .flash = within(names.max_flash_bytes, names.flash_bytes),
      .ram = names.max_ram_bytes > 0 ? names.max_ram_bytes + kStack + rounding : names.ram_bytes};
}

std::string filled(std::string_view text, const ProjectNames& names, const LinkedSizes& sizes) {
  const bool limited = names.max_flash_bytes + names.max_ram_bytes > 0;
  const std::pair<std::string_view, std::string> fields[] = {
      {"@NAME@", names.prefix},
      {"@DEVICE@", names.device},
      {"@CORE@", names.core},
      {"@CORE_FLAGS@", names.core_flags},
      {"@SIZES@", limited ? "what is allowed of it, and a stack" : "as its data sheet has it"},
      {"@FLASH@", str(sizes.flash)},
      {"@RAM@", str(sizes.ram)},
  };
  std::string result(text);
  for (const auto& [field, value] : fields) {
    for (size_t at = result.find(field); at != std::string::npos; at = result.find(field, at)) {
      result.replace(at, field.size(), value);
    }
  }
  return result;
}

const std::vector<EmbeddedFile>& templates_of(const ProjectNames& names) {
  return names.toolchain == Toolchain::Arm ? project_templates() : hexagon_templates();
}

std::string template_target(const EmbeddedFile& file) {
  return std::string(file.name.substr(0, file.name.size() - kTemplateSuffix.size()));
}

}  // namespace

std::string prefix_of(const Graph& graph) {
  const std::string prefix = "hone_" + lower(graph.name.empty() ? "network" : graph.name);
  return is_kernels(prefix) ? prefix + "_network" : prefix;
}

std::vector<std::string> project_files(const ProjectNames& names) {
  std::vector<std::string> files = {names.prefix + ".h", names.prefix + ".c", "hone_kernels.h",
                                    "vectors.h",         "selftest.c",        "program.json"};
  for (const EmbeddedFile& file : templates_of(names)) files.push_back(template_target(file));
  return files;
}

Status write_project(const Plan& plan, const ProjectNames& names,
                     const std::vector<TestVector>& tests, const std::filesystem::path& folder) {
  const SourceText source(plan, names);
  const std::string kernels = kernels_text(plan.options.core);
  const std::string stamp = stamp_of(source.body());
  std::vector<NamedText> files = {{names.prefix + ".h", header_text(plan, names, stamp)},
                                  {names.prefix + ".c", source.text(stamp, stamp_of(kernels))},
                                  {"hone_kernels.h", kernels_file(kernels)},
                                  {"vectors.h", vectors_text(plan, tests, stamp)},
                                  {"selftest.c", selftest_text(plan, names, stamp)}};
  const LinkedSizes sizes = linked_sizes(plan, names);
  for (const EmbeddedFile& file : templates_of(names)) {
    files.push_back({template_target(file), filled(file.text, names, sizes)});
  }
  files.push_back({"program.json", summary_text(plan, names)});
  return write_folder(folder, [&] { return write_files(folder, files); });
}

}  // namespace hone::c_code
