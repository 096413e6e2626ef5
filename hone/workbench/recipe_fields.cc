#include "hone/workbench/recipe_fields.h"

#include "hone/targets/target.h"

namespace hone {

Status check_recipe_version(const TomlSection& in) {
  HONE_TRY(const std::string version, in.text("schema_version"));
  if (!version.starts_with("1.")) return in.expected("schema_version", "'1.x'");
  return Done{};
}

Result<std::string> read_recipe_target(const TomlSection& in) {
  HONE_TRY(std::string target, in.text_or("target", "cpu"));
  HONE_RETURN_IF_ERROR(find_target(target).in(in.place("target")));
  return target;
}

}  // namespace hone
