#include "hone/wire/sample_rows.h"

#include <gtest/gtest.h>

#include <fstream>

#include "hone/base/parallel.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class SampleRowsTest : public ::testing::Test {
 protected:
  SampleRowsTest()
      : path_(fs::temp_directory_path() / str("hone_sample_rows_", getpid(), ".npy")) {}
  ~SampleRowsTest() override { fs::remove(path_); }

  SampleRows opened(const Tensor& tensor) {
    EXPECT_TRUE(write_npy(tensor, path_).ok());
    Result<SampleRows> rows = SampleRows::open(path_);
    EXPECT_TRUE(rows.ok()) << rows.error().message;
    return *std::move(rows);
  }

  std::string error(const std::string& file) {
    std::ofstream(path_, std::ios::binary) << file;
    const auto rows = SampleRows::open(path_);
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

TEST_F(SampleRowsTest, PickedRowsComeInTheOrderAskedFor) {
  Tensor array(TensorType{DType::I32, {5, 2}});
  for (int i = 0; i < 10; ++i) array.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  const Result<SampleRows> in_memory = SampleRows::of(array, "array");
  const SampleRows on_disk = opened(array);
  for (const SampleRows* rows : {&on_disk, &*in_memory}) {
    const SampleRows picked = rows->pick({4, 0, 2}).pick({2, 0});
    ASSERT_EQ(picked.count(), 2);
    EXPECT_EQ(to_ints(*picked.row(0)), (std::vector<int64_t>{4, 5}));
    EXPECT_EQ(to_ints(*picked.rows(0, 2)), (std::vector<int64_t>{4, 5, 8, 9}));
  }
}

TEST_F(SampleRowsTest, GiveTheSameAsTheWholeArray) {
  Tensor array(TensorType{DType::I32, {5, 2, 3}});
  for (int i = 0; i < 30; ++i) array.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
  const SampleRows on_disk = opened(array);
  const SampleRows in_memory = *SampleRows::of(array, "array");
  for (const SampleRows* rows : {&on_disk, &in_memory}) {
    EXPECT_EQ(rows->count(), 5);
    EXPECT_EQ(text_of(rows->row_type()), "i32[2,3]");
    EXPECT_EQ(to_ints(*rows->row(4)), (std::vector<int64_t>{24, 25, 26, 27, 28, 29}));
    const Tensor two = *rows->rows(1, 2);
    EXPECT_EQ(text_of(two.type()), "i32[2,2,3]");
    EXPECT_EQ(to_ints(two)[0], 6);
    EXPECT_EQ(to_ints(two)[11], 17);
  }
}

TEST_F(SampleRowsTest, MayBeReadFromSeveralThreadsAtOnce) {
  constexpr int64_t kRows = 200;
  constexpr int64_t kWidth = 1000;
  Tensor array(TensorType{DType::I64, {kRows, kWidth}});
  const auto values = array.mutable_data<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i) / kWidth;
  const SampleRows rows = opened(array);
  std::vector<int> right(kRows);
  parallel_for(kRows, 4, [&](size_t i) {
    const std::vector<int64_t> row = to_ints(*rows.row(static_cast<int64_t>(i)));
    right[i] = row.size() == kWidth && row.front() == static_cast<int64_t>(i) &&
               row.back() == static_cast<int64_t>(i);
  });
  EXPECT_EQ(std::count(right.begin(), right.end(), 1), kRows);
}

TEST_F(SampleRowsTest, OfEveryNumberTypeAreTheBytesOfTheFile) {
  for (const DType dtype :
       {DType::F32, DType::F64, DType::F16, DType::I8, DType::U8, DType::Bool}) {
    Tensor array(TensorType{dtype, {3, 2}});
    array.mutable_bytes().back() = std::byte{1};
    const Tensor last = *opened(array).row(2);
    EXPECT_EQ(last.dtype(), dtype);
    EXPECT_EQ(last.bytes().back(), std::byte{1});
  }
  ASSERT_EQ(error(npy("|b1", "(2,)", std::string("\x00\x09", 2))), "ok");
  EXPECT_EQ(to_doubles(*SampleRows::open(path_)->row(1)), std::vector<double>{1});
}

TEST_F(SampleRowsTest, OfFortranOrderAndOfStringsAreRightToo) {
  ASSERT_EQ(error(npy("|u1", "(2, 3)", "\1\4\2\5\3\6", true)), "ok");
  EXPECT_EQ(to_ints(*SampleRows::open(path_)->row(1)), (std::vector<int64_t>{4, 5, 6}));
  const SampleRows strings = opened(Tensor::of<std::string>({2, 1}, {"a", "bc"}));
  EXPECT_EQ(strings.row(1)->data<std::string>()[0], "bc");
}

TEST_F(SampleRowsTest, EmptyRowsAndNoRowsAreNoProblem) {
  EXPECT_EQ(opened(Tensor(TensorType{DType::F32, {0, 4}})).count(), 0);
  EXPECT_EQ(opened(Tensor(TensorType{DType::F32, {3, 0}})).row(2)->elements(), 0);
}

TEST_F(SampleRowsTest, RefuseWhatIsNoArrayOfRows) {
  EXPECT_EQ(error("hello"), "not a .npy file");
  EXPECT_EQ(error(npy("<f4", "()", "abcd")), "is a scalar, expected [N, ...]");
  EXPECT_EQ(error(npy("<f4", "(2,)", "abcd")), "holds 4 bytes of data, expected 8 for f32[2]");
  EXPECT_EQ(error(npy("<f4", "(1,)", "abcdefgh")), "holds 8 bytes of data, expected 4 for f32[1]");
  EXPECT_NE(SampleRows::open("/nowhere.npy").error().message.find("no such file"),
            std::string::npos);
  EXPECT_EQ(SampleRows::open(fs::temp_directory_path()).error().message,
            fs::temp_directory_path().string() + ": not a regular file");
}

TEST_F(SampleRowsTest, DamagedFilesNeverCrash) {
  const std::string file = npy("<i2", "(3, 2)", std::string(12, '\1'));
  for (size_t size = 0; size < file.size(); ++size) EXPECT_NE(error(file.substr(0, size)), "ok");
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    std::ofstream(path_, std::ios::binary) << flipped;
    const auto rows = SampleRows::open(path_);
    if (!rows.ok()) continue;
    for (int64_t i = 0; i < rows->count(); ++i) static_cast<void>(rows->row(i));
  }
}

TEST_F(SampleRowsTest, CanBeMadeWhenTheyAreAskedFor) {
  std::vector<int64_t> asked;
  const SampleRows rows =
      SampleRows::made("made", 5, {DType::I32, {2}}, [&](int64_t i) -> Result<Tensor> {
        asked.push_back(i);
        if (i == 4) return bad_input("no fifth");
        return Tensor::of<int32_t>({2}, {static_cast<int32_t>(i), 7});
      });
  EXPECT_EQ(rows.count(), 5);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(to_ints(*rows.rows(1, 2)), (std::vector<int64_t>{1, 7, 2, 7}));
  EXPECT_EQ(to_ints(*rows.pick({3, 0}).rows(0, 2)), (std::vector<int64_t>{3, 7, 0, 7}));
  EXPECT_EQ(asked, (std::vector<int64_t>{1, 2, 3, 0}));
  EXPECT_EQ(rows.row(4).error().message, "no fifth");
}

TEST_F(SampleRowsTest, SayThatAFileWasCutWhileItWasRead) {
  const SampleRows rows = opened(Tensor(TensorType{DType::F32, {4, 8}}));
  fs::resize_file(path_, 256 + 40);
  EXPECT_TRUE(rows.row(0).ok());
  const auto row = rows.row(3);
  ASSERT_FALSE(row.ok());
  EXPECT_NE(row.error().message.find("longer when opened"), std::string::npos);
}

}  // namespace
}  // namespace hone
