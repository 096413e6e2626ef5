// A folder of pictures by class as a set of samples.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/result.h"
#include "hone/validate/pictures/preprocess.h"
#include "hone/wire/sample_rows.h"

namespace hone {

// DIR/CLASS/*.png|jpg|jpeg, in the order of their names. A class has the number that labels.txt
// gives it, or its place among the classes by name. Pictures may also lie in DIR itself: without
// labels, or with those of labels.txt, whose lines are "NAME NUMBER" of a picture, by its path in the
// folder, or of a class.
struct PictureFolder {
  std::vector<std::filesystem::path> files;
  std::optional<std::vector<int64_t>> labels;
  std::string labels_from = {};  // "labels.txt", or "the folders of classes".
  std::string how;               // What the pictures go through, in words.
};

// Whether there is a picture in the folder or in one that it holds.
Result<bool> holds_pictures(const std::filesystem::path& folder);

// BadInput, naming the file, when labels.txt is wrong, or leaves out a picture.
Result<PictureFolder> list_pictures(const std::filesystem::path& folder);

// The pictures as samples for an input of that type, decoded when they are asked for; a damaged one
// is then named. Sets `pictures.how`.
Result<SampleRows> rows_of_pictures(const std::filesystem::path& folder, PictureFolder& pictures,
                                    const TensorType& input);

}  // namespace hone
