// Runs the graphs that random_graphs_test leaves (HONE_RANDOM_FOLDER) with ONNX Runtime and compares.
// Usage: node ort_compare.mjs FOLDER
// FOLDER/NAME has model.onnx, in_INPUT.npy and out_0.npy, out_1.npy, ... in the order of the model's
// outputs. Prints what differs, then the counts. Exit: 0 when nothing does, 1 otherwise.
// Needs the npm package onnxruntime-node in ./node_modules.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const ort = createRequire(path.resolve("node_modules") + "/")("onnxruntime-node");
const folder = process.argv[2];
const kinds = {
  "<f4": ["float32", Float32Array],
  "<i4": ["int32", Int32Array],
  "<i8": ["int64", BigInt64Array],
  "|u1": ["uint8", Uint8Array],
  "|i1": ["int8", Int8Array],
  "|b1": ["bool", Uint8Array],
};

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const wide = bytes[6] >= 2;
  const start = (wide ? 12 : 10) + (wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8));
  const header = bytes.toString("latin1", wide ? 12 : 10, start);
  const [type, Elements] = kinds[header.match(/'descr': '([^']*)'/)[1]];
  const dims = header.match(/\(([^)]*)\)/)[1].split(",").filter((s) => s.trim()).map(Number);
  const data = new Elements(new Uint8Array(bytes.subarray(start)).buffer);
  return { type, dims, data };
}

// The largest difference relative to the largest magnitude, or a reason why there is none.
function distance(actual, expected) {
  if (actual.dims.join() !== expected.dims.join()) return `shape ${actual.dims} for ${expected.dims}`;
  let worst = 0, largest = 1;
  for (let i = 0; i < expected.data.length; ++i) {
    const a = Number(actual.data[i]), e = Number(expected.data[i]);
    if (Number.isNaN(a) && Number.isNaN(e)) continue;
    largest = Math.max(largest, Math.abs(e));
    if (a !== e) worst = Math.max(worst, Number.isNaN(a - e) ? Infinity : Math.abs(a - e));
  }
  return worst / largest;
}

const counts = { same: 0, differ: 0, refused: 0 };
for (const name of fs.readdirSync(folder).sort()) {
  const file = (part) => path.join(folder, name, part);
  let outputs, session;
  try {
    session = await ort.InferenceSession.create(file("model.onnx"), {
      intraOpNumThreads: 1,
      logSeverityLevel: 4,
      graphOptimizationLevel: "disabled",
    });
    const feeds = {};
    for (const input of session.inputNames) {
      const { type, dims, data } = readNpy(file(`in_${input}.npy`));
      feeds[input] = new ort.Tensor(type, data, dims);
    }
    outputs = await session.run(feeds);
  } catch (error) {
    ++counts.refused;
    console.log(`${name}: refused: ${String(error.message).slice(0, 160)}`);
    continue;
  }
  let bad = "";
  session.outputNames.forEach((output, i) => {
    const apart = distance(outputs[output], readNpy(file(`out_${i}.npy`)));
    if (typeof apart === "string" || apart > 1e-4) bad += ` output ${i} (${output}): ${apart}`;
  });
  if (bad) console.log(`${name}:${bad}`);
  ++counts[bad ? "differ" : "same"];
}
console.log(`${counts.same} same, ${counts.differ} differ, ${counts.refused} refused`);
process.exit(counts.differ > 0 ? 1 : 0);
