#include "hone/targets/emulation/writable_code.h"

#include "hone/base/progress.h"
#include "hone/targets/c_code/reference_tests.h"

namespace hone::emulation {
namespace {

constexpr size_t kSelfTests = 2;

}  // namespace

WritableCode::WritableCode(std::unique_ptr<Program> predicted, Graph given,
                           Result<c_code::Plan> plan, const Device& device)
    : predicted_(std::move(predicted)), given_(std::move(given)), device_(device) {
  if (plan.ok()) {
    plan_ = std::make_shared<const c_code::Plan>(*std::move(plan));
  } else {
    no_plan_ = of_device(plan.error(), device_);
  }
}

Status WritableCode::check_writable() const {
  if (!plan_) return no_plan_;
  if (const auto run = modelled(); !run->misfit.empty()) return out_of_resource(run->misfit);
  return Done{};
}

Status WritableCode::write(const std::filesystem::path& folder) const {
  HONE_RETURN_IF_ERROR(check_writable());
  for (const std::string& note : plan_->notes) say_on_stderr(note);
  return write_quietly(folder);
}

Status WritableCode::write_quietly(const std::filesystem::path& folder) const {
  HONE_RETURN_IF_ERROR(check_writable());
  HONE_TRY(const auto tests,
           c_code::reference_tests(given_, *plan_, c_code::noise_inputs(*plan_, kSelfTests)));
  return c_code::write_project(*plan_, names(), tests, folder);
}

Error of_device(Error error, const Device& device) {
  if (error.hint.kind == HintKind::QuantizedModel) error.hint.of = device.name;
  return error;
}

}  // namespace hone::emulation
