#include "hone/graph/graph.h"

#include <algorithm>

namespace hone {

std::string Graph::unique_name(std::string_view wanted) {
  const std::string base(wanted.empty() ? "v" : wanted);
  std::string unique = base;
  while (by_name_.contains(unique)) unique = str(base, "_", ++next_number_[base]);
  return unique;
}

Value* Graph::new_value(std::string_view wanted, ValueType type) {
  std::string unique = unique_name(wanted);
  auto value = std::make_unique<Value>();
  value->name = unique;
  value->type = std::move(type);
  by_name_[std::move(unique)] = value.get();
  values_.push_back(std::move(value));
  return values_.back().get();
}

void Graph::forget(Value* value) {
  by_name_.erase(value->name);
  std::erase_if(values_, [&](const auto& owned) { return owned.get() == value; });
}

Value* Graph::add_input(std::string_view wanted, ValueType type) {
  Value* value = new_value(wanted, std::move(type));
  inputs_.push_back(value);
  return value;
}

Value* Graph::add_constant(std::string_view wanted, Tensor tensor) {
  Value* value = new_value(wanted, tensor.type());
  value->constant = std::move(tensor);
  return value;
}

Node* Graph::add_node(std::string_view op, std::vector<Value*> inputs, std::vector<ValueType> types,
                      Attrs attrs, std::string_view node_name, Node* before) {
  auto owned = std::make_unique<Node>();
  Node* node = owned.get();
  node->name = node_name;
  node->op = op;
  node->inputs = std::move(inputs);
  node->attrs = std::move(attrs);
  for (size_t i = 0; i < node->inputs.size(); ++i) {
    if (node->inputs[i] != nullptr) node->inputs[i]->users.push_back({node, i});
  }
  for (ValueType& type : types) {
    Value* value = new_value(node_name.empty() ? op : node_name, std::move(type));
    value->producer = node;
    node->outputs.push_back(value);
  }
  const auto place =
      before == nullptr
          ? nodes_.end()
          : std::ranges::find(nodes_, before, [](const auto& other) { return other.get(); });
  nodes_.insert(place, std::move(owned));
  return node;
}

bool Graph::is_output(const Value* value) const {
  return std::ranges::find(outputs_, value) != outputs_.end();
}

bool Graph::is_input(const Value* value) const {
  return std::ranges::find(inputs_, value) != inputs_.end();
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> all;
  all.reserve(nodes_.size());
  for (const auto& node : nodes_) all.push_back(node.get());
  return all;
}

std::vector<Value*> Graph::constants() const {
  std::vector<Value*> all;
  for (const auto& value : values_) {
    if (value->constant) all.push_back(value.get());
  }
  return all;
}

Value* Graph::find_value(std::string_view wanted) const {
  const auto found = by_name_.find(std::string(wanted));
  return found == by_name_.end() ? nullptr : found->second;
}

void Graph::rename(Value* value, std::string_view wanted) {
  if (value->name == wanted) return;
  if (Value* squatter = find_value(wanted)) rename(squatter, unique_name(wanted));
  by_name_.erase(value->name);
  value->name = wanted;
  by_name_[value->name] = value;
}

void Graph::set_input(Node* node, size_t input, Value* value) {
  Value* old = node->inputs[input];
  if (old != nullptr) std::erase(old->users, Use{node, input});
  node->inputs[input] = value;
  if (value != nullptr) value->users.push_back({node, input});
}

void Graph::add_input_to(Node* node, Value* value) {
  node->inputs.push_back(nullptr);
  set_input(node, node->inputs.size() - 1, value);
}

void Graph::replace_uses(Value* from, Value* to) {
  const std::vector<Use> uses = from->users;
  for (const Use& use : uses) set_input(use.node, use.input, to);
  std::ranges::replace(outputs_, from, to);
}

void Graph::erase(Node* node, std::string_view pass) {
  for (const Value* output : node->outputs) {
    HONE_CHECK(output->users.empty() && !is_output(output), "pass ", pass, " erases node '",
               node->name, "' whose output '", output->name, "' is still read");
  }
  for (const int origin : node->origins) {
    const bool kept = std::ranges::any_of(nodes_, [&](const auto& other) {
      return other.get() != node && std::ranges::binary_search(other->origins, origin);
    });
    if (!kept) vanished.push_back({origin, std::string(pass)});
  }
  for (size_t i = 0; i < node->inputs.size(); ++i) set_input(node, i, nullptr);
  for (Value* output : node->outputs) forget(output);
  std::erase_if(nodes_, [&](const auto& owned) { return owned.get() == node; });
}

void Graph::inherit_origins(Node* node, const Node& other) {
  std::vector<int> both;
  std::ranges::set_union(node->origins, other.origins, std::back_inserter(both));
  node->origins = std::move(both);
}

void Graph::replace(std::span<Node* const> old, std::span<Node* const> by,
                    std::span<const std::pair<Value*, Value*>> values, std::string_view pass) {
  for (Node* heir : by) {
    for (const Node* gone : old) inherit_origins(heir, *gone);
  }
  for (const auto& [from, to] : values) replace_uses(from, to);
  // Last first, so that a node goes before the ones it reads from.
  for (auto gone = old.rbegin(); gone != old.rend(); ++gone) erase(*gone, pass);
}

int Graph::remove_unused_constants() {
  const auto unused = [&](const auto& value) {
    return value->constant && value->users.empty() && !is_output(value.get());
  };
  for (const auto& value : values_) {
    if (unused(value)) by_name_.erase(value->name);
  }
  return static_cast<int>(std::erase_if(values_, unused));
}

namespace {

Attr clone_attr(const Attr& attr) {
  if (const auto* body = std::get_if<std::shared_ptr<Graph>>(&attr)) {
    return std::shared_ptr<Graph>((*body)->clone());
  }
  return attr;
}

}  // namespace

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->name = name;
  copy->sources = sources;
  copy->vanished = vanished;
  std::unordered_map<const Value*, Value*> twin{{nullptr, nullptr}};
  const auto twin_of = [&](const Value* value) { return twin.at(value); };
  for (const auto& value : values_) {
    Value* made = copy->new_value(value->name, value->type);
    made->constant = value->constant;
    made->dims = value->dims;
    twin[value.get()] = made;
  }
  for (const auto& node : nodes_) {
    auto made = std::make_unique<Node>();
    made->name = node->name;
    made->op = node->op;
    made->origins = node->origins;
    for (const auto& [key, attr] : node->attrs) made->attrs.emplace(key, clone_attr(attr));
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      made->inputs.push_back(twin_of(node->inputs[i]));
      if (made->inputs[i] != nullptr) made->inputs[i]->users.push_back({made.get(), i});
    }
    for (const Value* output : node->outputs) {
      made->outputs.push_back(twin_of(output));
      made->outputs.back()->producer = made.get();
    }
    copy->nodes_.push_back(std::move(made));
  }
  for (const Value* value : inputs_) copy->inputs_.push_back(twin_of(value));
  for (const Value* value : outputs_) copy->outputs_.push_back(twin_of(value));
  return copy;
}

}  // namespace hone
