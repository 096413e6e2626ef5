#include "hone/wire/npy_rows.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/parallel.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class NpyRowsTest : public ::testing::Test {
 protected:
  NpyRowsTest() : path_(fs::temp_directory_path() / str("hone_npy_rows_", getpid(), ".npy")) {}
  ~NpyRowsTest() override { fs::remove(path_); }

  NpyRows opened(const Tensor& tensor) {
    EXPECT_TRUE(write_npy(tensor, path_).ok());
    Result<NpyRows> rows = NpyRows::open(path_);
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return *std::move(rows);
  }

  std::string error(const std::string& file) {
    std::ofstream(path_, std::ios::binary) << file;
    const auto rows = NpyRows::open(path_);
    if (rows.ok()) return "ok";
    EXPECT_EQ(rows.error().message.find(path_.string() + ": "), 0u) << rows.error().message;
    return rows.error().message.substr(path_.string().size() + 2);
  }

  fs::path path_;
};

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool fortran = false) {
  const std::string header =
      str("{'descr': '", descr, "', 'fortran_order': ", fortran ? "True" : "False",
          ", 'shape': ", shape, "}\n");
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

TEST_F(NpyRowsTest, PickedRowsComeInTheOrderAskedFor) {
  Tensor array(TensorType{DType::I32, {5, 2}});
  for (int i = 0; i < 10; ++i) array.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  const Result<NpyRows> in_memory = NpyRows::of(array, "array");
  const NpyRows on_disk = opened(array);
  for (const NpyRows* rows : {&on_disk, &*in_memory}) {
    const NpyRows picked = rows->pick({4, 0, 2}).pick({2, 0});
    ASSERT_EQ(picked.count(), 2);
    EXPECT_EQ(to_ints(*picked.row(0)), (std::vector<int64_t>{4, 5}));
    EXPECT_EQ(to_ints(*picked.rows(0, 2)), (std::vector<int64_t>{4, 5, 8, 9}));
  }
}

TEST_F(NpyRowsTest, GiveTheSameAsTheWholeArray) {
  Tensor array(TensorType{DType::I32, {5, 2, 3}});
  for (int i = 0; i < 30; ++i) array.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  const NpyRows on_disk = opened(array);
  const NpyRows in_memory = *NpyRows::of(array, "array");
  for (const NpyRows* rows : {&on_disk, &in_memory}) {
    EXPECT_EQ(rows->count(), 5);
    EXPECT_EQ(text_of(rows->row_type()), "i32[2,3]");
    EXPECT_EQ(to_ints(*rows->row(4)), (std::vector<int64_t>{24, 25, 26, 27, 28, 29}));
    const Tensor two = *rows->rows(1, 2);
    EXPECT_EQ(text_of(two.type()), "i32[2,2,3]");
    EXPECT_EQ(to_ints(two)[0], 6);
    EXPECT_EQ(to_ints(two)[11], 17);
  }
}

TEST_F(NpyRowsTest, MayBeReadFromSeveralThreadsAtOnce) {
  constexpr int64_t kRows = 200;
  constexpr int64_t kWidth = 1000;
  Tensor array(TensorType{DType::I64, {kRows, kWidth}});
  const auto values = array.mutable_data<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i) / kWidth;
  const NpyRows rows = opened(array);
  std::vector<int> right(kRows);
  parallel_for(kRows, 4, [&](size_t i) {
    const std::vector<int64_t> row = to_ints(*rows.row(static_cast<int64_t>(i)));
    right[i] = row.size() == kWidth && row.front() == static_cast<int64_t>(i) &&
               row.back() == static_cast<int64_t>(i);
  });
  EXPECT_EQ(std::count(right.begin(), right.end(), 1), kRows);
}

TEST_F(NpyRowsTest, OfEveryNumberTypeAreTheBytesOfTheFile) {
  for (const DType dtype :
       {DType::F32, DType::F64, DType::F16, DType::I8, DType::U8, DType::Bool}) {
    Tensor array(TensorType{dtype, {3, 2}});
    array.mutable_bytes().back() = std::byte{1};
    const Tensor last = *opened(array).row(2);
    EXPECT_EQ(last.dtype(), dtype);
    EXPECT_EQ(last.bytes().back(), std::byte{1});
  }
  ASSERT_EQ(error(npy("|b1", "(2,)", std::string("\x00\x09", 2))), "ok");
  EXPECT_EQ(to_doubles(*NpyRows::open(path_)->row(1)), std::vector<double>{1});
}

TEST_F(NpyRowsTest, OfFortranOrderAndOfStringsAreRightToo) {
  ASSERT_EQ(error(npy("|u1", "(2, 3)", "\1\4\2\5\3\6", true)), "ok");
  EXPECT_EQ(to_ints(*NpyRows::open(path_)->row(1)), (std::vector<int64_t>{4, 5, 6}));
  const NpyRows strings = opened(Tensor::of<std::string>({2, 1}, {"a", "bc"}));
  EXPECT_EQ(strings.row(1)->data<std::string>()[0], "bc");
}

TEST_F(NpyRowsTest, EmptyRowsAndNoRowsAreNoProblem) {
  EXPECT_EQ(opened(Tensor(TensorType{DType::F32, {0, 4}})).count(), 0);
  EXPECT_EQ(opened(Tensor(TensorType{DType::F32, {3, 0}})).row(2)->elements(), 0);
}

TEST_F(NpyRowsTest, RefuseWhatIsNoArrayOfRows) {
  EXPECT_EQ(error("hello"), "not a .npy file");
  EXPECT_EQ(error(npy("<f4", "()", "abcd")), "is a scalar, expected [N, ...]");
  EXPECT_EQ(error(npy("<f4", "(2,)", "abcd")), "holds 4 bytes of data, expected 8 for f32[2]");
  EXPECT_EQ(error(npy("<f4", "(1,)", "abcdefgh")), "holds 8 bytes of data, expected 4 for f32[1]");
  EXPECT_NE(NpyRows::open("/nowhere.npy").error().message.find("no such file"), std::string::npos);
  EXPECT_EQ(NpyRows::open(fs::temp_directory_path()).error().message,
            fs::temp_directory_path().string() + ": not a regular file");
}

TEST_F(NpyRowsTest, DamagedFilesNeverCrash) {
  const std::string file = npy("<i2", "(3, 2)", std::string(12, '\1'));
  for (size_t size = 0; size < file.size(); ++size) EXPECT_NE(error(file.substr(0, size)), "ok");
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path_, std::ios::binary) << flipped;
    const auto rows = NpyRows::open(path_);
    if (!rows.ok()) continue;
    for (int64_t i = 0; i < rows->count(); ++i) static_cast<void>(rows->row(i));
  }
}

TEST_F(NpyRowsTest, SayThatAFileWasCutWhileItWasRead) {
  const NpyRows rows = opened(Tensor(TensorType{DType::F32, {4, 8}}));
  fs::resize_file(path_, 256 + 40);
  EXPECT_TRUE(rows.row(0).ok());
  const auto row = rows.row(3);
  ASSERT_FALSE(row.ok());
  EXPECT_NE(row.error().message.find("longer when opened"), std::string::npos);
}

}  // namespace
}  // namespace hone
