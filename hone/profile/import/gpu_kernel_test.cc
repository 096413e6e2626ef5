#include "hone/profile/import/gpu_kernel.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// As PyTorch's profiler and Nsight Compute write them.
TEST(GpuKernel, NamesAreShort) {
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>("
                              "cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)"),
            "cutlass_80_simt_sgemm_256x128_8x4_nn_align1");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::max_pool_forward_nhwc<"
                              "c10::Half, int>(c10::Half const*, int)"),
            "max_pool_forward_nhwc");
  EXPECT_EQ(short_kernel_name("void <unnamed>::softmax_warp_forward<c10::Half, 9>(T2 *)"),
            "softmax_warp_forward");
  EXPECT_EQ(short_kernel_name("nvjet_sm90_hsh_64x8_64x16_1x2_h_bz_bias_TNT"),
            "nvjet_sm90_hsh_64x8_64x16_1x2_h_bz_bias_TNT");
  EXPECT_EQ(short_kernel_name("void cudnn::nchwToNhwcKernel<__half, __half>(T1 *)"),
            "nchwToNhwcKernel");
  EXPECT_EQ(short_kernel_name("<>"), "<>");
}

TEST(GpuKernel, NamesKeepWhatAKernelIsToldToCompute) {
  EXPECT_EQ(short_kernel_name("void at::native::elementwise_kernel<128, 4, at::native::"
                              "gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::"
                              "TensorIteratorBase&)::{lambda()#3}>(int)"),
            "elementwise_kernel direct_copy_kernel_cuda");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::"
                              "CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)"),
            "vectorized_elementwise_kernel CUDAFunctor_add");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4>(int)"),
            "vectorized_elementwise_kernel");
}

TEST(GpuKernel, OperatorsTellWhetherACopyCasts) {
  const auto family = [](const char* op) {
    StepKind kind = kind_of_gpu_kernel(
        "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>(P)");
    tell_copy_by_operator(op, kind);
    return kind.family;
  };
  EXPECT_EQ(family("aten::to"), StepFamily::Conversion);
  EXPECT_EQ(family("aten::contiguous"), StepFamily::Movement);
  EXPECT_EQ(family("aten::copy_"), StepFamily::Conversion);  // As the name has it.
  StepKind product = kind_of_gpu_kernel("volta_dgemm_128x64_nn");
  tell_copy_by_operator("aten::contiguous", product);
  EXPECT_EQ(product.family, StepFamily::Product);
}

struct KernelCase {
  std::string_view name;
  StepFamily family;
  Arithmetic precision;
  std::string_view cores;
};

TEST(GpuKernel, NamesTellWhatTheyCompute) {
  using enum StepFamily;
  const KernelCase cases[] = {
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_ffma", Product,
       Arithmetic::Fp32, kOnFp32Cores},
      {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize256x128x32", Product, Arithmetic::Tf32,
       kOnTensorCores},
      {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x4_tn_align4>(P)", Product,
       Arithmetic::Tf32, kOnTensorCores},
      {"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", Product, Arithmetic::Fp16,
       kOnTensorCores},
      {"volta_dgemm_128x64_nn", Product, Arithmetic::Fp64, ""},
      {"void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(P)", Product,
       Arithmetic::Fp64, kOnTensorCores},
      {"sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_tilesize64x64x16", Product, Arithmetic::Fp64,
       kOnTensorCores},
      {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>)",
       Product, Arithmetic::Fp32, kOnTensorCores},
      {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
       "direct_copy_kernel_cuda(at::TensorIteratorBase&)>(int)",
       Movement, Arithmetic::Unknown, ""},
      {"sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc", Product, Arithmetic::Fp16,
       kOnTensorCores},
      {"nvjet_sm90_hsh_64x48_64x15_2x4_h_bz_NNT", Product, Arithmetic::Fp16, kOnTensorCores},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128>(P)", Product, Arithmetic::Fp32,
       kOnFp32Cores},
      {"void cutlass::Kernel2<cutlass_75_wmma_tensorop_s161616gemm_f16_32x32_64x1_nn_align1>(P)",
       Product, Arithmetic::Fp16, kOnTensorCores},
      {"void implicit_convolve_sgemm<__half, __half, 1024>(int)", Product, Arithmetic::Fp16,
       kOnFp32Cores},
      {"void cudnn::nhwcToNchwKernel<__half, __half, float>(P)", Movement, Arithmetic::Fp16, ""},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(P)",
       Elementwise, Arithmetic::Fp32, ""},
      {"void at::native::batch_norm_transform_input_kernel<c10::Half>(P)", Elementwise,
       Arithmetic::Fp16, ""},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half>>(P)", Rows,
       Arithmetic::Fp16, ""},
      {"void at::native::conv_depthwise2d_forward_kernel<3, c10::Half, int>(P)", Depthwise,
       Arithmetic::Fp16, ""},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::batch_norm_calc_invstd>(P)",
       Elementwise, Arithmetic::Unknown, ""},
      {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>(P)",
       Conversion, Arithmetic::Unknown, ""},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Communication,
       Arithmetic::Fp32, ""},
      {"my_kernel", Other, Arithmetic::Unknown, ""},
  };
  for (const KernelCase& c : cases) {
    const StepKind kind = kind_of_gpu_kernel(c.name);
    EXPECT_EQ(kind.family, c.family) << c.name;
    EXPECT_EQ(kind.precision, c.precision) << c.name;
    EXPECT_EQ(kind.variant, c.cores) << c.name;
  }
}

}  // namespace
}  // namespace hone
