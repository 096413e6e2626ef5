// Times ONNX models with ONNX Runtime and with Hone in alternation and prints both with the ratio.
// Called by scripts/bench-peers, which sees to the models and to onnxruntime-node.
//   node bench_peers.mjs HONE THREADS ROUNDS EMPTY.onnx NAME=MODEL.onnx[=HONE-PRECISION] ...
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const ort = require("onnxruntime-node");
const [hone, threads, rounds, empty, ...models] = process.argv.slice(2);
const seconds = 0.7;

async function open(path) {
  const session = await ort.InferenceSession.create(path, {
    intraOpNumThreads: Number(threads),
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
    executionMode: "sequential",
  });
  const feeds = {};
  for (const [i, name] of session.inputNames.entries()) {
    const meta = session.inputMetadata[i];
    const size = meta.shape.reduce((a, b) => a * b, 1);
    const data = meta.type === "float16" ? new Uint16Array(size).fill(0x3555) : new Float32Array(size);
    if (meta.type !== "float16") data.forEach((_, j) => (data[j] = Math.sin(j)));
    feeds[name] = new ort.Tensor(meta.type, data, meta.shape);
  }
  return { session, feeds };
}

// The shortest of the runs of a round, ms: other work on the machine only makes a run longer.
async function timeOrt({ session, feeds }) {
  for (let i = 0; i < 3; ++i) await session.run(feeds);
  let best = Infinity;
  const end = performance.now() + 1e3 * seconds;
  for (let i = 0; i < 10 || performance.now() < end; ++i) {
    const start = performance.now();
    await session.run(feeds);
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function timeHone(path, precision) {
  const args = ["bench", "models", "--models", path, "--threads", threads, "--duration", `${seconds}`];
  const text = execFileSync(hone, [...args, "--precision", precision, "--json", "-"], { encoding: "utf8" });
  return JSON.parse(text).results.networks[0].metrics[0].low;
}

const overhead = await timeOrt(await open(empty));
console.log(`threads ${threads}, ${rounds} rounds in alternation, shortest run of all; ONNX Runtime ` +
  `${ort.env.versions.node ?? ""} through JavaScript, whose calls take ${overhead.toFixed(3)} ms on an empty model`);
console.log("network                       ORT ms   Hone ms   ORT/Hone");
for (const entry of models) {
  const [name, path, precision = "fp32"] = entry.split("=");
  const peer = await open(path);
  let theirs = Infinity, ours = Infinity;
  for (let round = 0; round < Number(rounds); ++round) {
    theirs = Math.min(theirs, await timeOrt(peer));
    ours = Math.min(ours, timeHone(path, precision));
  }
  const row = [theirs.toFixed(3).padStart(8), ours.toFixed(3).padStart(9), (theirs / ours).toFixed(2).padStart(9)];
  console.log(name.padEnd(28) + row.join(" "));
}
