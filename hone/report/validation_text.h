#pragma once

#include <string>

#include "hone/validate/validation.h"

namespace hone {

// What `hone validate` prints: metrics, layers, changes of arithmetic, and the table of verdicts.
// At most `rows` layers, 0 for all: those before and after the first that breaks, or else the
// worst.
std::string validation_text(const Validation& validation, size_t rows);

// The same as Markdown, for a pull request.
std::string validation_markdown(const Validation& validation, size_t rows);

// The same as one HTML file that loads nothing. `command` is what made it.
std::string validation_page(const Validation& validation, size_t rows, const std::string& command);

}  // namespace hone
