// Commands as a shell reads them: what a result file says of its making can be copied and run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hone {

// In quotes, whatever it is made of.
std::string in_shell_quotes(std::string_view text);

// As one word: in quotes where a shell would read it as something else.
std::string shell_word(std::string_view text);

// "hone profile 'my net.onnx'" of its words.
std::string shell_line(std::span<const std::string> words);

// The words of such a line. Of an open quote, the rest of the line is one.
std::vector<std::string> words_of_shell_line(std::string_view line);

}  // namespace hone
