'use strict';
// A run on a GPU whose host was watched: what the GPU did, and for whom it waited.

const kGpuTimes = {
  busy_us: 'GPU busy',
  launching_us: 'idle, launching',
  loading_us: 'idle, data being prepared',
  host_us: 'idle, other work of the host',
  waiting_us: 'idle, waiting',
  copying_us: 'idle, feeding copies',
  allocating_us: 'idle, taking memory',
  graph_us: 'idle, inside CUDA graphs',
  unknown_us: 'idle, not explained',
};

function gpu_costs(costs) {
  return bar_list(costs.map(({what, count, us, bytes}) => {
    const size = bytes > 0 ? `, ${format.bytes(bytes)}` : '';
    return {name: count > 1 ? `${what} (${count})` : what, value: us, text: format.us(us) + size};
  }));
}

function render_gpu() {
  const {gpu, mode} = current().profile;
  const watched = gpu !== null && gpu.run_us > 0;
  by_id('gpu').hidden = !watched;
  if (!watched) return;
  const times = Object.entries(kGpuTimes).filter(([key]) => gpu[key] > 0);
  // Files of earlier versions do not have all of them.
  const of_costs = (title, costs) =>
      costs?.length ? card(title, gpu_costs(costs), mode_tag(mode)) : '';
  replace(
      'gpu_body',
      card(`One run with ${gpu.kernels} kernel${gpu.kernels === 1 ? '' : 's'}`,
           part_bars(times.map(([key, name]) => [name, gpu[key] / gpu.run_us])), mode_tag(mode)),
      of_costs('Waits for the GPU', gpu.waits), of_costs('Memory taken and given back', gpu.allocations),
      of_costs('Copies', gpu.copies),
      of_costs('Work of the host', gpu.host_work));
}
