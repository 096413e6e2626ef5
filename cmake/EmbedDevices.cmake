# cmake -D folder=<folder of *.toml> -D function=<name> -D output=<file.cc> -P EmbedDevices.cmake
#
# Writes a C++ source that defines hone::<function>(): name and text of every file, by name.

file(GLOB files ${folder}/*.toml)
list(SORT files)
set(entries "")
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()

file(WRITE ${output} "#include \"hone/device/catalog_file.h\"

namespace hone {
const std::vector<CatalogFile>& ${function}() {
  static const std::vector<CatalogFile> kFiles = {
${entries}  };
  return kFiles;
}
}  // namespace hone
")
