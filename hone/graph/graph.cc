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
  values_.back()->place_ = std::prev(values_.end());
  return values_.back().get();
}

void Graph::forget(Value* value) {
  by_name_.erase(value->name);
  values_.erase(value->place_);
}

// Every input knows its place among the users of its value, so that taking it away needs no search.
void Graph::add_use(Node* node, size_t input) {
  node->use_places_.resize(node->inputs.size());
  Value* value = node->inputs[input];
  if (value == nullptr) return;
  node->use_places_[input] = value->users.size();
  value->users.push_back({node, input});
}

void Graph::remove_use(Node* node, size_t input) {
  Value* value = node->inputs[input];
  if (value == nullptr) return;
  const size_t place = node->use_places_[input];
  const Use last = value->users.back();
  value->users[place] = last;
  last.node->use_places_[last.input] = place;
  value->users.pop_back();
}

Value* Graph::add_input(std::string_view wanted, ValueType type) {
  Value* value = new_value(wanted, std::move(type));
  value->is_input_ = true;
  inputs_.push_back(value);
  return value;
}

void Graph::add_output(Value* value) {
  ++value->outputs_;
  outputs_.push_back(value);
}

void Graph::set_output(size_t index, Value* value) {
  --outputs_[index]->outputs_;
  ++value->outputs_;
  outputs_[index] = value;
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
  for (size_t i = 0; i < node->inputs.size(); ++i) add_use(node, i);
  for (ValueType& type : types) {
    Value* value = new_value(node_name.empty() ? op : node_name, std::move(type));
    value->producer = node;
    node->outputs.push_back(value);
  }
  put(std::move(owned), before == nullptr ? nodes_.end() : before->place_);
  return node;
}

// Ranks have gaps for nodes to come; when a gap is used up, all are numbered anew.
void Graph::put(std::unique_ptr<Node> node, std::list<std::unique_ptr<Node>>::iterator before) {
  constexpr int64_t kGap = int64_t{1} << 20;
  const int64_t low = before == nodes_.begin() ? 0 : (*std::prev(before))->rank_;
  const int64_t high = before == nodes_.end() ? low + 2 * kGap : (*before)->rank_;
  node->rank_ = low + (high - low) / 2;
  const bool crowded = node->rank_ == low;
  const auto place = nodes_.insert(before, std::move(node));
  (*place)->place_ = place;
  if (!crowded) return;
  int64_t rank = 0;
  for (const auto& each : nodes_) each->rank_ = rank += kGap;
}

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> all;
  all.reserve(nodes_.size());
  for (const auto& node : nodes_) all.push_back(node.get());
  return all;
}

Node* Graph::node(size_t position) const {
  return std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(position))->get();
}

Node* Graph::next(const Node& node) const {
  const auto after = std::next(node.place_);
  return after == nodes_.end() ? nullptr : after->get();
}

std::vector<Node*> Graph::last_nodes(size_t count) const {
  std::vector<Node*> last;
  const auto first = std::prev(nodes_.end(), static_cast<std::ptrdiff_t>(count));
  for (auto node = first; node != nodes_.end(); ++node) last.push_back(node->get());
  return last;
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
  remove_use(node, input);
  node->inputs[input] = value;
  add_use(node, input);
}

void Graph::add_input_to(Node* node, Value* value) {
  node->inputs.push_back(nullptr);
  set_input(node, node->inputs.size() - 1, value);
}

void Graph::replace_uses(Value* from, Value* to) {
  if (from == to) return;
  for (const Use& use : from->users) {
    use.node->inputs[use.input] = to;
    add_use(use.node, use.input);
  }
  from->users.clear();
  if (from->outputs_ == 0) return;
  std::ranges::replace(outputs_, from, to);
  to->outputs_ += std::exchange(from->outputs_, 0);
}

void Graph::erase(Node* node, std::string_view pass) {
  for (const Value* output : node->outputs) {
    HONE_CHECK(output->users.empty() && !is_output(output), "pass ", pass, " erases node '",
               node->name, "' whose output '", output->name, "' is still read");
  }
  const std::vector<int> origins = node->origins;
  set_origins(node, {});
  for (const int origin : origins) {
    if (stand_ins_[static_cast<size_t>(origin)] <= 0)
      vanished.push_back({origin, std::string(pass)});
  }
  for (size_t i = 0; i < node->inputs.size(); ++i) set_input(node, i, nullptr);
  for (Value* output : node->outputs) forget(output);
  nodes_.erase(node->place_);
}

void Graph::set_origins(Node* node, std::vector<int> origins) {
  const auto count = [&](int by) {
    for (const int origin : node->origins) {
      const auto source = static_cast<size_t>(origin);
      if (source >= stand_ins_.size()) stand_ins_.resize(source + 1);
      stand_ins_[source] += by;
    }
  };
  count(-1);
  node->origins = std::move(origins);
  count(1);
}

void Graph::inherit_origins(Node* node, const Node& other) {
  std::vector<int> both;
  std::ranges::set_union(node->origins, other.origins, std::back_inserter(both));
  set_origins(node, std::move(both));
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
    for (const auto& [key, attr] : node->attrs) made->attrs.emplace(key, clone_attr(attr));
    for (const Value* input : node->inputs) made->inputs.push_back(twin_of(input));
    for (size_t i = 0; i < made->inputs.size(); ++i) add_use(made.get(), i);
    for (const Value* output : node->outputs) {
      made->outputs.push_back(twin_of(output));
      made->outputs.back()->producer = made.get();
    }
    copy->set_origins(made.get(), node->origins);
    copy->put(std::move(made), copy->nodes_.end());
  }
  for (const Value* value : inputs_) {
    copy->inputs_.push_back(twin_of(value));
    copy->inputs_.back()->is_input_ = true;
  }
  for (const Value* value : outputs_) copy->add_output(twin_of(value));
  return copy;
}

}  // namespace hone
