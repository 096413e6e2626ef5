#include <filesystem>
#include <fstream>

#include "hone/audio/fixed_mfcc.h"
#include "hone/audio/wav.h"
#include "hone/base/parallel.h"
#include "hone/cli/options.h"
#include "hone/report/results/speech_features.h"
#include "hone/wire/npy.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

struct MfccArguments {
  std::string input;
  std::string output;
  bool fixed_point = false;
  JsonOutput json;
};

Result<std::vector<fs::path>> files_in_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".wav") files.push_back(entry.path());
  }
  if (error) return bad_input(folder.string(), ": cannot be read: ", error.message());
  if (files.empty()) return bad_input(folder.string(), ": holds no .wav file");
  std::ranges::sort(files);
  return files;
}

// A path a line, taken from the folder of the list.
Result<std::vector<fs::path>> files_in_list(const fs::path& list) {
  std::ifstream in(list);
  if (!in) return bad_input(list.string(), ": cannot be read");
  std::vector<fs::path> files;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) files.push_back(list.parent_path() / line);
  }
  if (files.empty()) return bad_input(list.string(), ": names no file");
  return files;
}

Result<std::vector<fs::path>> find_files(const std::string& input) {
  std::error_code ignored;  // What is no folder is said below.
  if (fs::is_directory(input, ignored)) return files_in_folder(input);
  if (input.ends_with(".txt")) return files_in_list(input);
  if (input.ends_with(".wav")) return std::vector<fs::path>{input};
  return bad_input(input, ": expected a .wav file, a folder of them or a .txt list");
}

Result<std::vector<float>> coefficients_of(const Mfcc& mfcc, const Sound& sound) {
  return mfcc(sound.samples);
}
Result<std::vector<float>> coefficients_of(const FixedMfcc& mfcc, const Sound& sound) {
  return mfcc(pcm_of(sound));
}

template <class FrontEnd>
Result<std::vector<float>> features_of(const FrontEnd& mfcc, const fs::path& path) {
  HONE_TRY(const Sound sound, read_wav(path));
  if (sound.rate != mfcc.options().rate) {
    return bad_input(path.string(), ": has ", sound.rate, " samples a second, expected ",
                     mfcc.options().rate);
  }
  return coefficients_of(mfcc, sound).in(path.string());
}

// [files, frames, coefficients, 1], or the error of the first file that has one.
template <class FrontEnd>
Result<Tensor> stack_features(const FrontEnd& mfcc, const std::vector<fs::path>& files) {
  std::vector<Result<std::vector<float>>> rows(files.size(), std::vector<float>());
  parallel_for(files.size(), 0, [&](size_t i) { rows[i] = features_of(mfcc, files[i]); });
  const Shape shape = {static_cast<int64_t>(files.size()), mfcc.frames(),
                       mfcc.options().coefficients, 1};
  Tensor stacked(TensorType{DType::F32, shape});
  auto to = stacked.mutable_data<float>().begin();
  for (Result<std::vector<float>>& row : rows) {
    HONE_TRY(const std::vector<float> features, std::move(row));
    to = std::ranges::copy(features, to).out;
  }
  return stacked;
}

Result<Exit> run_mfcc(const MfccArguments& options, const CommandContext& context) {
  HONE_TRY(const std::vector<fs::path> files, find_files(options.input));
  HONE_TRY(const Mfcc mfcc, Mfcc::make());
  HONE_TRY(const FixedMfcc fixed, FixedMfcc::make());
  HONE_TRY(const Tensor features,
           options.fixed_point ? stack_features(fixed, files) : stack_features(mfcc, files));
  HONE_RETURN_IF_ERROR(write_npy(features, options.output));
  const SpeechFeatures written{options.output, features.type(), mfcc.options()};
  if (!options.json.to_stdout()) context.notes() << features_text(written);
  if (options.json.wanted()) {
    HONE_RETURN_IF_ERROR(options.json.write(context, nullptr, "", features_to_json(written)));
  }
  return Exit::Pass;
}

CommandDef::Action declare_mfcc(Flags& flags, CommandContext& context) {
  auto options = std::make_shared<MfccArguments>();
  flags
      .text("input PATH", options->input,
            "16-bit .wav of at most 1 s at 16 kHz, a folder of them (in the order of their names), "
            "or a .txt with a path a line, taken from its folder")
      .required();
  flags.output("-o,--output FILE.npy", options->output, "the file to write").required();
  flags.toggle("--fixed-point", options->fixed_point,
               "by the integers that firmware computes (hone stream) rather than in floats");
  options->json.declare(flags);
  return [options, &context] { return run_mfcc(*options, context); };
}

}  // namespace

extern const CommandDef command_mfcc = {
    .name = "mfcc",
    .summary = "Turns speech into the features that keyword-spotting networks take.",
    .examples = {"hone mfcc clip.wav -o features.npy", "hone mfcc clips -o inputs.npy"},
    .declare = declare_mfcc,
};

}  // namespace hone
