#include "hone/kernels/pool/pool.h"

#include <vector>

#include "hone/kernels/kernel_benching.h"

namespace hone {
namespace {

struct Case {
  const char* name;
  bool average;
  size_t in;
  size_t out;
  size_t kernel;
  size_t stride;
  size_t pad;
  size_t channels;
};
const Case kCases[] = {
    {"resnet50_max_3x3_s2", false, 112, 56, 3, 2, 1, 64},
    {"average_3x3_s1", true, 28, 28, 3, 1, 1, 192},
    {"one_channel_max_2x2_s2", false, 200, 100, 2, 2, 0, 1},
    {"global_7x7", true, 7, 1, 7, 1, 0, 1280},
    {"global_56x56", true, 56, 1, 56, 1, 0, 144},
};

template <class T>
bool add(const std::string& type) {
  for (const Case& c : kCases) {
    bench_variants("pool_" + type + "/" + c.name, pool_variants<T>(),
                   [c](benchmark::State& state, Pool<T> kernel) {
                     const std::vector<T> x(c.in * c.in * c.channels);
                     std::vector<T> y(c.out * c.out * c.channels);
                     const PoolAxis axis{c.in, c.out, c.kernel, c.stride, 1, c.pad, c.pad};
                     const PoolArgs<T> args{c.average, false,    axis, axis, c.channels,
                                            x.data(),  y.data(), -100, 100};
                     for (auto _ : state) {
                       kernel(args, 0, c.out);
                       benchmark::ClobberMemory();
                     }
                     set_rate(state, "taps", y.size() * c.kernel * c.kernel);
                   });
  }
  return true;
}

const bool kAdded = add<float>("f32") && add<Half>("f16") && add<int8_t>("i8");

}  // namespace
}  // namespace hone
