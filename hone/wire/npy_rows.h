// A .npy file of samples, read row by row: a set of any size takes the memory of the rows in use.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// Row i is element i along the first axis. Copies share the file, and rows may be read from several
// threads at once.
class NpyRows {
 public:
  // Reads and checks the header and the file's size. Files in Fortran order and those of strings,
  // whose rows do not lie together or have no fixed form in memory, are held whole. BadInput, with
  // the path in front, when the file is no array of rows.
  static Result<NpyRows> open(const std::filesystem::path& path);
  // Of an array that is in memory; `name` stands for the path in messages. BadInput for a scalar.
  static Result<NpyRows> of(Tensor array, std::string name);

  const std::string& name() const { return name_; }
  int64_t count() const { return type_.shape[0]; }
  // Of the whole array, and of one row.
  const TensorType& type() const { return type_; }
  TensorType row_type() const;

  // `n` rows from `first` on, as a file of their own would have them; still on disk.
  NpyRows part(int64_t first, int64_t n) const;

  // Requires index < count().
  Result<Tensor> row(int64_t index) const;
  // Rows `first` to `first + n - 1`, as an array of them.
  Result<Tensor> rows(int64_t first, int64_t n) const;

 private:
  NpyRows() = default;

  std::string name_;
  TensorType type_;
  std::shared_ptr<const int> file_;  // A descriptor that is closed with the last copy; or null,
  Tensor array_;                     // and this holds everything.
  uint64_t data_at_ = 0;
  int64_t first_ = 0;  // Rows of the file before the first of these.
};

}  // namespace hone
