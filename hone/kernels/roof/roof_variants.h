// The loops behind roof.cc's tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hone {

double roof_fp32_scalar(size_t rounds);
double roof_int8_scalar(size_t rounds);

#if defined(__aarch64__)
double roof_fp32_neon(size_t rounds);
double roof_int8_neon(size_t rounds);
double roof_fp16_neon_fp16(size_t rounds);
double roof_bf16_neon_bf16(size_t rounds);
double roof_int8_neon_dot(size_t rounds);
double roof_int8_neon_i8mm(size_t rounds);
#elif defined(__x86_64__)
double roof_fp32_avx2(size_t rounds);
double roof_int8_avx2(size_t rounds);
double roof_fp32_avx512(size_t rounds);
double roof_int8_avx512_vnni(size_t rounds);
double roof_bf16_avx512_bf16(size_t rounds);
double roof_fp16_avx512_fp16(size_t rounds);
double roof_int8_amx_int8(size_t rounds);
double roof_bf16_amx_bf16(size_t rounds);
#endif

uint64_t roof_read_hwy(const void* from, size_t bytes);
void roof_write_hwy(void* to, size_t bytes, uint8_t value);
void roof_copy_hwy(void* to, const void* from, size_t bytes);
uint64_t roof_read_ref(const void* from, size_t bytes);
void roof_write_ref(void* to, size_t bytes, uint8_t value);
void roof_copy_ref(void* to, const void* from, size_t bytes);

}  // namespace hone
