// What the files of a project call things: the names that they have in common, and what they declare alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/targets/c_code/plan.h"
#include "hone/targets/c_code/write_project.h"

namespace hone::c_code {

// Nothing but letters, digits and underscores.
std::string lower(std::string_view name);
std::string upper(std::string_view name);

// A name as part of a comment, which it does not end.
std::string comment_text(std::string_view name);

// "/* MODEL for DEVICE, made by hone VERSION. Not to be edited. */".
std::string made_by(const ProjectNames& names);

// Names in C of inputs and outputs, no two the same, and the values that have them.
std::vector<std::string> interface_names(const Plan& plan);
std::vector<const Value*> interface_values(const Plan& plan);
std::string shape_text(const TensorType& type);

bool inputs_in_arena(const Plan& plan);
bool uses_vtcm(const Plan& plan);

// What arrays are declared with where 8 bytes do not do: " __attribute__((aligned(128)))".
std::string alignment_text(const Plan& plan);
// What kernels that load words of eight bytes ask of their caller.
std::string interface_alignment(const Plan& plan);

// "const int8_t *input, int8_t *output".
std::string parameters(const Plan& plan);
// "int8_t *hone_kws_input_in_arena(const hone_kws *net)", of every input that lies there.
std::vector<std::string> accessors(const Plan& plan, const ProjectNames& names);
std::string init_declaration(const Plan& plan, const ProjectNames& names);

// A number that files of one project have in common: of two, a compiler says so.
std::string stamp_of(std::string_view text);
std::string stamp_check(const std::string& macro, const std::string& stamp, std::string_view file);
std::string project_macro(const ProjectNames& names);

}  // namespace hone::c_code
