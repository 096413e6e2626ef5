// Pictures that tests make for themselves.
#pragma once

#include <cstdio>

#include <gtest/gtest.h>
#include <jpeglib.h>
#include <png.h>

#include "hone/wire/picture.h"

namespace hone {

inline void write_png(const Picture& picture, const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.format = PNG_FORMAT_RGB;
  image.height = static_cast<png_uint_32>(picture.height);
  image.width = static_cast<png_uint_32>(picture.width);
  ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, picture.rgb.data(), 0, nullptr), 0)
      << image.message;
}

inline void write_jpeg(const Picture& picture, const std::filesystem::path& path) {
  jpeg_compress_struct file{};
  jpeg_error_mgr errors{};
  file.err = jpeg_std_error(&errors);
  jpeg_create_compress(&file);
  std::FILE* out = std::fopen(path.c_str(), "wb");
  ASSERT_NE(out, nullptr) << path;
  jpeg_stdio_dest(&file, out);
  file.image_height = static_cast<JDIMENSION>(picture.height);
  file.image_width = static_cast<JDIMENSION>(picture.width);
  file.input_components = 3;
  file.in_color_space = JCS_RGB;
  jpeg_set_defaults(&file);
  jpeg_set_quality(&file, 100, TRUE);
  jpeg_start_compress(&file, TRUE);
  while (file.next_scanline < file.image_height) {
    auto* row = const_cast<JSAMPROW>(picture.rgb.data() +
                                     size_t{3} * file.image_width * file.next_scanline);
    jpeg_write_scanlines(&file, &row, 1);
  }
  jpeg_finish_compress(&file);
  jpeg_destroy_compress(&file);
  std::fclose(out);
}

}  // namespace hone
