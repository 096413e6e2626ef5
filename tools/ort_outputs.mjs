// Runs samples through a model with ONNX Runtime and writes what comes out.
// Usage: node ort_outputs.mjs MODEL.onnx INPUTS.npy OUTPUTS.npy [FIRST [COUNT]]
// INPUTS is float32 [N, ...] for a model with one input of one sample; OUTPUTS gets [COUNT, ...] of
// its first output as float32. Needs the npm package onnxruntime-node in ./node_modules.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";

const [model, inputsPath, outputsPath, first = "0", count = "0"] = process.argv.slice(2);
const ort = createRequire(path.resolve("node_modules") + "/")("onnxruntime-node");

function readNpy(file) {
  const bytes = fs.readFileSync(file);
  const wide = bytes[6] >= 2;
  const length = wide ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const start = (wide ? 12 : 10) + length;
  const header = bytes.toString("latin1", wide ? 12 : 10, start);
  if (!header.includes("'<f4'")) throw new Error(`${file}: expected float32`);
  const shape = header.match(/\(([^)]*)\)/)[1].split(",").filter((s) => s.trim()).map(Number);
  return { shape, data: new Float32Array(bytes.buffer.slice(bytes.byteOffset + start)) };
}

function writeNpy(file, shape, data) {
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")},), }`;
  header = header.padEnd(Math.ceil((10 + header.length + 1) / 64) * 64 - 11) + "\n";
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(header, "latin1"), Buffer.from(data.buffer)]));
}

const inputs = readNpy(inputsPath);
const session = await ort.InferenceSession.create(model, { intraOpNumThreads: 2, logSeverityLevel: 3 });
const sampleShape = [1, ...inputs.shape.slice(1)];
const size = sampleShape.reduce((a, b) => a * b, 1);
const begin = Number(first);
const samples = Number(count) || inputs.shape[0] - begin;
let outputs = null;
let shape = null;
for (let i = 0; i < samples; ++i) {
  const data = inputs.data.slice((begin + i) * size, (begin + i + 1) * size);
  const results = await session.run({ [session.inputNames[0]]: new ort.Tensor("float32", data, sampleShape) });
  const output = results[session.outputNames[0]];
  outputs ??= new Float32Array(samples * output.data.length);
  shape = output.dims.slice(1);
  outputs.set(output.data, i * output.data.length);
}
writeNpy(outputsPath, [samples, ...shape], outputs);
