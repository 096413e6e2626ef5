#include "hone/targets/c_code/selftest_text.h"

#include "hone/base/str.h"
#include "hone/targets/c_code/interface_text.h"
#include "hone/targets/c_code/part_text.h"

namespace hone::c_code {
namespace {

std::string bytes_text(const Tensor& tensor) {
  const auto values = tensor.data<int8_t>();
  return text_of(Array(std::vector<int8_t>(values.begin(), values.end())));
}

// Memory beside vectors: on this machine as other memory is.
std::string vtcm_array(const Plan& plan, const ProjectNames& names) {
  if (!uses_vtcm(plan)) return "";
  return str("static uint64_t vtcm[", upper(names.prefix), "_VTCM_BYTES / 8]", alignment_text(plan),
             ";\n");
}
std::string made_dirty(std::string_view memory) {
  return str("  for (size_t i = 0; i < sizeof(", memory, ") / 8; ++i) ", memory,
             "[i] = 0x5555555555555555u;\n");
}

}  // namespace

std::string vectors_text(const Plan& plan, const std::vector<TestVector>& tests,
                         const std::string& stamp) {
  std::string text = str("#define VECTORS ", stamp, "\n#define TESTS ", tests.size(), "\n");
  const auto add = [&](std::string_view name, size_t index, const TensorType& type,
                       std::vector<Tensor> TestVector::*member) {
    text += str("static const int8_t ", name, "_", index, "[TESTS][", type.bytes(), "] = {\n");
    for (const TestVector& test : tests) {
      text += str("    {", bytes_text((test.*member)[index]), "},\n");
    }
    text += "};\n";
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    add("input", i, plan.inputs[i]->type.tensor, &TestVector::inputs);
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    add("expected", i, plan.outputs[i]->type.tensor, &TestVector::outputs);
  }
  return text;
}

std::string selftest_text(const Plan& plan, const ProjectNames& names, const std::string& stamp) {
  const std::string arena_bytes = upper(names.prefix) + "_ARENA_BYTES";
  std::string text =
      str(made_by(names), "#include \"", names.prefix, ".h\"\n#include \"vectors.h\"\n\n",
          stamp_check(project_macro(names), stamp, names.prefix + ".h"),
          stamp_check("VECTORS", stamp, "vectors.h"), "\nstatic uint64_t arena[(", arena_bytes,
          " + 7) / 8]", alignment_text(plan), ";\n", vtcm_array(plan, names), part_test_text(plan),
          "\nstatic void copy(int8_t *to, const int8_t *from, size_t bytes) {\n",
          "  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];\n}\n\n",
          "/* How many bytes are wrong, at most 100. */\nint main(void) {\n  ", names.prefix,
          " net;\n  int wrong = 0;\n", made_dirty("arena"),
          uses_vtcm(plan) ? made_dirty("vtcm") : "", "  if (", names.prefix, "_init(&net, arena, ",
          arena_bytes, uses_vtcm(plan) ? ", vtcm, sizeof(vtcm)" : "", ") != 0) return 101;\n",
          "  for (int test = 0; test < TESTS; ++test) {\n");
  std::string arguments;
  const std::vector<std::string> parts = interface_names(plan);
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const std::string given = str("given_", i);
    const std::string place =
        inputs_in_arena(plan) ? str(names.prefix, "_", parts[i], "_in_arena(&net)") : given;
    if (!inputs_in_arena(plan)) {
      text += str("    static int8_t ", given, "[sizeof(input_", i, "[0])]", alignment_text(plan),
                  ";\n");
      arguments += ", " + given;
    }
    text += str("    copy(", place, ", input_", i, "[test], sizeof(input_", i, "[test]));\n");
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    text += str("    static int8_t output_", i, "[sizeof(expected_", i, "[0])]",
                alignment_text(plan), ";\n");
    arguments += str(", output_", i);
  }
  text += str("    ", names.prefix, "_run(&net", arguments, ");\n");
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    text += str("    for (size_t i = 0; i < sizeof(output_", i, "); ++i) wrong += output_", i,
                "[i] != expected_", i, "[test][i];\n");
  }
  return text + "  }\n  return wrong < 100 ? wrong : 100;\n}\n";
}

}  // namespace hone::c_code
