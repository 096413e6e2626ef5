#include "hone/validate/pictures/picture_folder.h"

#include <unistd.h>

#include <fstream>

#include "hone/validate/data_set.h"
#include "hone/validate/metric_def.h"
#include "hone/wire/picture_testing.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

class PictureFolderTest : public ::testing::Test {
 protected:
  PictureFolderTest() : folder_(fs::temp_directory_path() / str("hone_pictures_", getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~PictureFolderTest() override { fs::remove_all(folder_); }

  // Two by two pixels of one grey.
  void add_picture(const std::string& name, uint8_t value) {
    fs::create_directories((folder_ / name).parent_path());
    write_png({2, 2, std::vector<uint8_t>(12, value)}, folder_ / name);
  }
  void add_text(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string folder_error() const {
    const auto data = open_data_set(folder_, graph_);
    if (data.ok()) return "ok";
    const std::string prefix = folder_.string();
    const std::string& message = data.error().message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  fs::path folder_;
  Graph graph_ =
      *parse_graph("graph(%x: f32[1,3,2,2]) -> (%y) {\n  %y: f32[1,3,2,2] = relu(%x)\n}\n");
};

TEST_F(PictureFolderTest, ClassesAreNumberedByName) {
  add_picture("dog/b.png", 51);
  add_picture("dog/A.PNG", 102);
  add_picture("cat/z.png", 255);
  add_text("cat/notes.txt", "no picture");
  fs::create_directories(folder_ / "empty");
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->samples, 3);
  EXPECT_EQ(*data->labels, (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(data->how,
            "3 pictures, resized to cover 2x2, the middle 2x2 taken; rgb / 255; nchw "
            "(preprocess.toml in the folder would say otherwise)");
  const std::vector<double> wanted = {1, 0.4, 0.2};
  for (int64_t s = 0; s < 3; ++s) {
    const auto items = data->sample(s, graph_);
    ASSERT_TRUE(items.ok()) << items.error().message;
    for (const double value : to_doubles((*items)[0].tensor)) {
      EXPECT_NEAR(value, wanted[static_cast<size_t>(s)], 1e-6) << s;
    }
  }
  EXPECT_NEAR(to_doubles((*data->pick({2, 0}).sample(0, graph_))[0].tensor)[0], 0.2, 1e-6);
}

TEST_F(PictureFolderTest, LabelsTxtNamesClassesAndPictures) {
  add_picture("dog/a.png", 1);
  add_picture("cat/a.png", 2);
  add_picture("cat/b.png", 3);
  add_picture("loose one.png", 4);
  EXPECT_EQ(folder_error(),
            "/loose one.png: lies beside folders of classes; labels.txt could say what it is");
  add_text("labels.txt", "# numbers\ncat 7\ndog\t9\r\n\ncat/b.png 3\n");
  EXPECT_EQ(folder_error(), "/labels.txt: has no line for 'loose one.png'");
  add_text("labels.txt", "cat 7\ndog 9\ncat/b.png 3\nloose one.png 0");
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(*data->labels, (std::vector<int64_t>{0, 7, 3, 9}));
  add_text("labels.txt", "cat 7\ncat 8\n");
  EXPECT_EQ(folder_error(), "/labels.txt: line 2: the second line of 'cat'");
  add_text("labels.txt", "cat seven\n");
  EXPECT_EQ(folder_error(), "/labels.txt: line 1: expected a name and a class number of 0 or more");
}

TEST_F(PictureFolderTest, MessagesNameWhereLabelsOfPicturesComeFrom) {
  add_picture("cat/a.png", 1);
  add_picture("dog/a.png", 2);
  EXPECT_EQ(open_data_set(folder_, graph_)->labels_from, "the folders of classes");
  add_text("labels.txt", "cat 7\ndog 9\n");
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->pick({0}).labels_from, "labels.txt");
  const Graph classes = *parse_graph(
      "graph(%x: f32[1,3,2,2]) -> (%y) {\n"
      "  %y: f32[1,3,1,1] = global_average_pool(%x)\n}\n");
  const auto top1 = find_metric_def("top1");
  ASSERT_TRUE(top1.ok());
  EXPECT_EQ((*top1)->check(*data, classes).error().message,
            "labels.txt: label 9 of sample 1 is outside the 3 outputs of the model");
  DataSet unlabelled = *data;
  unlabelled.labels.reset();
  EXPECT_EQ((*top1)->check(unlabelled, classes).error().message,
            "metric top1 or top5 needs a folder of pictures for every class, or labels.txt beside "
            "the pictures");
}

TEST_F(PictureFolderTest, PicturesInTheFolderItselfNeedNoLabels) {
  add_picture("a.png", 1);
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->samples, 1);
  EXPECT_FALSE(data->labels);
}

TEST_F(PictureFolderTest, QuantizedInputsTakeTheirScale) {
  add_picture("a.png", 51);
  graph_.inputs()[0]->type.tensor.dtype = DType::I8;
  graph_.inputs()[0]->type.tensor.quant =
      std::make_shared<Quantization>(Quantization{{0.1F}, {-5}});
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(to_ints((*data->sample(0, graph_))[0].tensor), std::vector<int64_t>(12, -3));
}

TEST_F(PictureFolderTest, ADamagedPictureIsNamedWhenItIsRead) {
  add_text("a.png", "no picture");
  const auto data = open_data_set(folder_, graph_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->sample(0, graph_).error().message,
            (folder_ / "a.png").string() + ": is neither PNG nor JPEG");
}

TEST_F(PictureFolderTest, WhatDoesNotFitIsSaidFirst) {
  add_picture("a.png", 1);
  add_text("preprocess.toml", "crop = 3\n");
  EXPECT_EQ(folder_error(), ": input 'x': takes 2 x 2, but preprocess.toml crops to 3 x 3");
  graph_ = *parse_graph("graph(%a: f32[1], %b: f32[1]) -> (%y) {\n  %y: f32[1] = add(%a, %b)\n}\n");
  EXPECT_EQ(folder_error(), ": pictures for a model with 2 inputs");
}

}  // namespace
}  // namespace hone
