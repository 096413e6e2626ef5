// What another tool measured, told in the layers of the user's own model.
#pragma once

#include "hone/base/result.h"
#include "hone/graph/graph.h"
#include "hone/profile/profile.h"

namespace hone {

// Finds for every step of an imported profile the layers of the model that it ran: by the layer's
// name, or by the name of a value that it gives. A step that is named after the last layer of a
// fusion reaches back to the one it is mostly made of ("Conv"), and layers without a step of their
// own belong to the step before them, or behind. Steps get the operator, operations and bytes that
// the model tells, `sources` and `layers` become the model's. Gives the node that each step mostly
// is; null for steps of the tool's own, as changes of layout. BadInput when no step is of the
// model.
Result<std::vector<const Node*>> lay_on_model(const Graph& graph, Profile& profile);

}  // namespace hone
