# cmake -D folder=<folder> -D suffix=<suffix> -D header=<header.h> -D function=<hone::name>
#       -D output=<file.cc> -P EmbedFiles.cmake
#
# Writes a C++ source that defines the function that the header declares: name and text of every
# file of the suffix, by name. A string literal may have 64 KiB.

file(GLOB files ${folder}/*.${suffix})
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"file(${text})file\"},\n")
endforeach()

file(WRITE ${output} "#include \"${header}\"

const std::vector<hone::EmbeddedFile>& ${function}() {
  static const std::vector<hone::EmbeddedFile> kFiles = {
${entries}  };
  return kFiles;
}
")
