# cmake -D page=<page.html> -D output=<file.cc> -D name=<constant> -P EmbedPage.cmake
#
# Writes a C++ source that defines hone::<name>: the page as text, with the style sheets and scripts
# it names put in their place.

get_filename_component(folder ${page} DIRECTORY)
file(READ ${page} text)

string(REGEX MATCHALL "<link rel=\"stylesheet\" href=\"[^\"]+\">" links "${text}")
foreach(link ${links})
  string(REGEX REPLACE ".*href=\"([^\"]+)\".*" "\\1" file "${link}")
  file(READ ${folder}/${file} part)
  string(REPLACE "${link}" "<style>\n${part}</style>" text "${text}")
endforeach()

string(REGEX MATCHALL "<script src=\"[^\"]+\"></script>" scripts "${text}")
foreach(script ${scripts})
  string(REGEX REPLACE ".*src=\"([^\"]+)\".*" "\\1" file "${script}")
  file(READ ${folder}/${file} part)
  string(REPLACE "${script}" "<script>\n${part}</script>" text "${text}")
endforeach()

file(WRITE ${output} "#include <string_view>

namespace hone {
extern const std::string_view ${name};
const std::string_view ${name} = R\"page(${text})page\";
}  // namespace hone
")
