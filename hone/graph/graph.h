// A network: values, and nodes that compute values from values, in an order that can be run.
//
// Every node knows the source layers it stands for (`Node::origins`), so that what is later
// measured on a node can be told in the user's own words. Rewrites keep that: they erase nodes only
// through `erase` and `replace`, which leave a record for every source that no node stands for any
// more.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hone/base/result.h"
#include "hone/graph/attr.h"
#include "hone/tensor/tensor.h"

namespace hone {

class Graph;
struct Node;
struct Value;

// One place where a value is read.
struct Use {
  Node* node;
  size_t input;
  bool operator==(const Use&) const = default;
};

struct Value {
  std::string name;  // Unique in its graph.
  ValueType type;
  Node* producer = nullptr;        // Null for inputs and constants.
  std::optional<Tensor> constant;  // Set for constants.
  std::vector<Use> users;          // In no order. Being a graph output is not a use.
  std::vector<std::string> dims;   // For inputs: names of symbolic extents, "" where there is none.

 private:
  friend class Graph;
  std::list<std::unique_ptr<Value>>::iterator place_;  // In Graph::values_.
  bool is_input_ = false;
  size_t outputs_ = 0;  // How many of the graph's outputs it is.
};

struct Node {
  std::string name;             // For people; not always unique.
  std::string op;               // Canonical snake_case; see `hone ops`.
  std::vector<Value*> inputs;   // Null where an optional one is left out.
  std::vector<Value*> outputs;  // Never null.
  Attrs attrs;
  std::vector<int>
      origins;  // Indices into Graph::sources, sorted, without repeats; see set_origins.

  // Null when there is no such attribute, or when it has another type.
  template <class T>
  const T* find_attr(std::string_view key) const {
    const auto found = attrs.find(key);
    return found == attrs.end() ? nullptr : std::get_if<T>(&found->second);
  }

 private:
  friend class Graph;
  std::list<std::unique_ptr<Node>>::iterator place_;  // In Graph::nodes_.
  int64_t rank_ = 0;                                  // Grows along the running order.
  std::vector<size_t> use_places_;                    // By input: where its value's users name it.
};

// A layer of the file the graph was read from.
struct Source {
  std::string name;
  std::string op;    // As the file calls it: "Conv", "CONV_2D".
  int position = 0;  // Among the operators of the file.
};

// A source that no node stands for any more, and the pass that took the last one away.
struct Vanished {
  int source;
  std::string pass;
};

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  std::string name;
  std::vector<Source> sources;
  std::vector<Vanished> vanished;

  // Names that are taken get a number appended.
  Value* add_input(std::string_view name, ValueType type);
  Value* add_constant(std::string_view name, Tensor tensor);
  void add_output(Value* value);
  void set_output(size_t index, Value* value);

  // Appends a node, or puts it before `before`. It gets one output per type, named after the node,
  // or after its operator when it has no name.
  Node* add_node(std::string_view op, std::vector<Value*> inputs, std::vector<ValueType> types,
                 Attrs attrs = {}, std::string_view name = {}, Node* before = nullptr);

  std::span<Value* const> inputs() const { return inputs_; }
  std::span<Value* const> outputs() const { return outputs_; }
  bool is_output(const Value* value) const { return value->outputs_ > 0; }
  bool is_input(const Value* value) const { return value->is_input_; }
  // A snapshot in running order: nodes may be added and erased while it is walked.
  std::vector<Node*> nodes() const;
  size_t node_count() const { return nodes_.size(); }
  // Counts from the first node.
  Node* node(size_t position) const;
  // The last `count` nodes, in running order.
  std::vector<Node*> last_nodes(size_t count) const;
  // The node behind another in running order; null behind the last.
  Node* next(const Node& node) const;
  // Whether `a` comes before `b` in running order.
  bool runs_before(const Node& a, const Node& b) const { return a.rank_ < b.rank_; }
  std::vector<Value*> constants() const;
  Value* find_value(std::string_view name) const;
  // A value that has the name already gets a number appended to it.
  void rename(Value* value, std::string_view name);

  void set_input(Node* node, size_t input, Value* value);
  void add_input_to(Node* node, Value* value);
  // Every user of `from`, and the graph's outputs, read `to` instead.
  void replace_uses(Value* from, Value* to);

  // Takes away a node whose outputs nobody reads. Sources that only it stood for are recorded as
  // vanished by `pass`.
  void erase(Node* node, std::string_view pass);
  // `by` take the place of `old`: they inherit the union of the origins, the uses move as the pairs
  // say, and the old nodes go.
  void replace(std::span<Node* const> old, std::span<Node* const> by,
               std::span<const std::pair<Value*, Value*>> values, std::string_view pass);
  // The sources that `node` stands for from now on.
  void set_origins(Node* node, std::vector<int> origins);
  // `node` stands for the sources of `other` too.
  void inherit_origins(Node* node, const Node& other);
  // Constants and outputless values that nothing reads.
  int remove_unused_constants();

  // A copy, subgraphs included; constants share their elements.
  std::unique_ptr<Graph> clone() const;

 private:
  Value* new_value(std::string_view name, ValueType type);
  std::string unique_name(std::string_view wanted);
  void forget(Value* value);
  void put(std::unique_ptr<Node> node, std::list<std::unique_ptr<Node>>::iterator before);
  static void add_use(Node* node, size_t input);
  static void remove_use(Node* node, size_t input);

  std::list<std::unique_ptr<Value>> values_;
  std::list<std::unique_ptr<Node>> nodes_;  // In running order.
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::unordered_map<std::string, Value*> by_name_;
  std::unordered_map<std::string, int> next_number_;
  std::vector<int> stand_ins_;  // By source: how many nodes stand for it.
};

// Every use is of a value made before it, users and producers agree, names are unique, types pass
// their check, and every source is stood for by a node or recorded as vanished. Subgraphs too.
Status verify(const Graph& graph);

struct PrintOptions {
  bool origins = false;
  int64_t largest_constant = 64;  // Constants with more elements are cut to `{...}`.
};

// The text form, which parse_graph reads back (unless constants were cut).
//   graph(%x: f32[1,4]) -> (%y) {
//     %y: f32[1,2] = gemm(%x, f32[2,4]{1 0 0 0 0 1 0 0}, _) transB=1
//   }
std::string print(const Graph& graph, const PrintOptions& options = {});
Result<Graph> parse_graph(std::string_view text);

}  // namespace hone
