// What a command line lacks, in words of Hone's own instead of the parser's.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace hone {

// One line without a dot: what is wrong, and where help is. `app` is what was parsed, "hone" or a command of
// it; `name` how it is called: "hone profile".
std::string usage_words(const CLI::App& app, const CLI::ParseError& error, const std::string& name);

}  // namespace hone
