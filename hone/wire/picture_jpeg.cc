#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it.

#include <jerror.h>
#include <jpeglib.h>

#include <string>

#include "hone/wire/picture_formats.h"

namespace hone {
namespace {

// libjpeg's reading of one file. It reports errors by a function that must not return, so every call
// into it is made by `guarded`, whose frame has nothing to destroy.
class JpegFile {
 public:
  explicit JpegFile(std::span<const std::byte> bytes) : bytes_(bytes) {
    file_.err = jpeg_std_error(&errors_);
    errors_.error_exit = end_reading;
    errors_.emit_message = note_damage;
    errors_.output_message = [](j_common_ptr) {};
    file_.client_data = this;
  }
  ~JpegFile() { jpeg_destroy_decompress(&file_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  Result<Picture> read() {
    HONE_RETURN_IF_ERROR(guarded(&JpegFile::read_header));
    if (file_.jpeg_color_space == JCS_CMYK || file_.jpeg_color_space == JCS_YCCK) {
      return unsupported("a JPEG in CMYK, as for printers; expected grey or RGB");
    }
    HONE_RETURN_IF_ERROR(check_picture_extents(file_.image_height, file_.image_width));
    picture_ = {file_.image_height, file_.image_width, {}};
    picture_.rgb.resize(size_t{3} * file_.image_height * file_.image_width);
    HONE_RETURN_IF_ERROR(guarded(&JpegFile::read_rows));
    return std::move(picture_);
  }

 private:
  Status guarded(void (JpegFile::*call)()) {
    if (setjmp(back_) == 0) (this->*call)();
    if (damage_.empty()) return Done{};
    return bad_input("damaged JPEG: ", damage_);
  }

  void read_header() {
    jpeg_create_decompress(&file_);
    jpeg_mem_src(&file_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
    jpeg_read_header(&file_, TRUE);
  }

  void read_rows() {
    file_.out_color_space = JCS_RGB;
    jpeg_start_decompress(&file_);
    while (file_.output_scanline < file_.output_height) {
      JSAMPROW row = picture_.rgb.data() + size_t{3} * file_.output_width * file_.output_scanline;
      jpeg_read_scanlines(&file_, &row, 1);
    }
    jpeg_finish_decompress(&file_);
  }

  void keep_message(j_common_ptr file) {
    if (!damage_.empty()) return;
    char text[JMSG_LENGTH_MAX] = {};
    file->err->format_message(file, text);
    damage_ = text;
  }

  [[noreturn]] static void end_reading(j_common_ptr file) {
    auto* self = static_cast<JpegFile*>(file->client_data);
    self->keep_message(file);
    std::longjmp(self->back_, 1);
  }

  // Warnings are of pixels that were made up; those of bytes between markers, which many cameras
  // leave, and of versions are not.
  static void note_damage(j_common_ptr file, int level) {
    const int code = file->err->msg_code;
    const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                          code == JWRN_ADOBE_XFORM || code == JWRN_TOO_MUCH_DATA;
    if (level < 0 && !harmless) static_cast<JpegFile*>(file->client_data)->keep_message(file);
  }

  std::span<const std::byte> bytes_;
  jpeg_decompress_struct file_{};
  jpeg_error_mgr errors_{};
  std::jmp_buf back_{};
  std::string damage_ = {};
  Picture picture_ = {};
};

}  // namespace

bool is_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0xff} && bytes[1] == std::byte{0xd8} &&
         bytes[2] == std::byte{0xff};
}

Result<Picture> decode_jpeg(std::span<const std::byte> bytes) {
  return JpegFile(bytes).read();
}

}  // namespace hone
