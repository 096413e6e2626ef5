# cmake -D folder=<folder of *.cu> -D output=<file.cc> -P EmbedSources.cmake
#
# Writes a C++ source that defines hone::cuda::source_files(): name and text of every file. A string
# literal may have 64 KiB.

file(GLOB files ${folder}/*.cu)
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"cuda(${text})cuda\"},\n")
endforeach()

file(WRITE ${output} "#include \"hone/targets/cuda/source_file.h\"

namespace hone::cuda {
const std::vector<SourceFile>& source_files() {
  static const std::vector<SourceFile> kFiles = {
${entries}  };
  return kFiles;
}
}  // namespace hone::cuda
")
