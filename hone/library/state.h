// What stands behind a model.
#pragma once

#include "hone/library/inside.h"
#include "hone/model/load.h"

namespace hone::v1 {

struct Model::State {
  std::string spec = {};
  std::vector<std::string> shapes = {};
  hone::Model model = {};
};

}  // namespace hone::v1
