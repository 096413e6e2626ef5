// Documents that a command writes with --report.
#pragma once

#include "hone/cli/command_def.h"
#include "hone/model/load.h"
#include "hone/report/document/document.h"

namespace hone {

// Of a result that this command makes; `model` may be null.
Provenance provenance_of(const CommandContext& context, const Model* model);

// BadInput when a page cannot have that name; an empty one asks for none.
Status check_page(const std::string& path);

// HTML, or Markdown where the name ends in .md.
Status write_page(const std::string& path, const Document& document);

}  // namespace hone
