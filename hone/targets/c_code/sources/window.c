/* Where a window goes over an image of [height][width][channels]. */
typedef struct {
  int32_t images;
  int32_t in_h, in_w, in_c;
  int32_t out_h, out_w, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
} hone_window;

/* Of how many rows a kernel makes how many, and how many of padding lie above them. */
typedef struct {
  int32_t in, out, pad;
} hone_rows;
