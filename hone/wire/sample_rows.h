// Samples that are read or made row by row: a set of any size takes the memory of the rows in use.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/tensor/tensor.h"

namespace hone {

// Rows of a .npy file, of an array, or of whatever makes them; row i is element i along the first
// axis. Copies share the file, and rows may be read from several threads at once.
class SampleRows {
 public:
  // Reads and checks the header and the file's size. Files in Fortran order and those of strings,
  // whose rows do not lie together or have no fixed form in memory, are held whole. BadInput, with
  // the path in front, when the file is no array of rows.
  static Result<SampleRows> open(const std::filesystem::path& path);
  // Of an array that is in memory; `name` stands for the path in messages. BadInput for a scalar.
  static Result<SampleRows> of(Tensor array, std::string name);
  // Row i is what `make` gives for i, of type `row`, whenever it is asked for. `make` may be called
  // from several threads at once.
  using Make = std::function<Result<Tensor>(int64_t)>;
  static SampleRows made(std::string name, int64_t count, const TensorType& row, Make make);

  const std::string& name() const { return name_; }
  bool is_made() const { return make_ != nullptr; }
  int64_t count() const { return type_.shape[0]; }
  // Of the whole array, and of one row.
  const TensorType& type() const { return type_; }
  TensorType row_type() const;

  // Those rows, in that order, as a file of their own would have them; still on disk. Each is less
  // than count().
  SampleRows pick(const std::vector<int64_t>& rows) const;

  // Requires index < count().
  Result<Tensor> row(int64_t index) const;
  // Rows `first` to `first + n - 1`, as an array of them.
  Result<Tensor> rows(int64_t first, int64_t n) const;

 private:
  SampleRows() = default;
  // Fills `result` from row `at` on with rows of the file that lie together.
  Status read(int64_t first, int64_t n, int64_t at, Tensor& result) const;
  Status make(int64_t first, int64_t n, int64_t at, Tensor& result) const;

  std::string name_;
  TensorType type_;
  std::shared_ptr<const int> file_;  // A descriptor that is closed with the last copy; or null,
  Tensor array_;                     // and this holds everything;
  Make make_;                        // or this makes it.
  uint64_t data_at_ = 0;
  std::shared_ptr<const std::vector<int64_t>> picked_;  // Rows of the file; null: all of them.
};

}  // namespace hone
