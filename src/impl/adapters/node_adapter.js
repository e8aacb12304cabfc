/* detcheck asks, JavaScript's Math answers, by node:
 *
 *     detcheck sweep sin --impl 'exec:node node_adapter.js'
 *     detcheck sweep sin --impl 'exec:node node_adapter.js libm.wasm'
 *     detcheck sweep sin --impl 'exec:node node_adapter.js ./functions.js'
 *     detcheck sweep sin --impl 'exec:node node_adapter.js ./functions_f64.js cr_'
 *
 * Of a module of WebAssembly the exports are called: sin in fp64 and sinf in fp32, as C names them. It may import
 * nothing. Of another module of JavaScript the exports are taken for functions in fp64 where the name of the file ends
 * with _f64.js, and in fp32 elsewhere. What comes behind the file stands before the names of the exports: cr_sin. */
"use strict";
const fs = require("fs");
const path = require("path");
const { DETCHECK_MATH, detcheckCompute } = require("./javascript_functions.js");

/* `count` bytes of standard input; the process ends where there are no more. */
function take(count) {
    const bytes = Buffer.alloc(count);
    for (let at = 0; at < count;) {
        const got = fs.readSync(0, bytes, at, count - at, null);
        if (got === 0)
            process.exit(0); // detcheck has seen enough
        at += got;
    }
    return bytes;
}

function give(...parts) {
    const bytes = Buffer.concat(parts);
    for (let at = 0; at < bytes.length;)
        at += fs.writeSync(1, bytes, at);
}

function numbers(...words) {
    return Buffer.from(Uint32Array.from(words).buffer);
}

function greet() {
    const header = take(8);
    if (header.toString("latin1") !== "detcheck") {
        process.stderr.write("this program is for 'detcheck sweep ... --impl exec:COMMAND'\n");
        process.exit(1);
    }
    const rest = take(152), name = at => rest.toString("latin1", at, at + 32).replace(/\0.*$/, "");
    const request = { operands: rest.readUInt32LE(4), bytes: rest.readUInt32LE(12), operation: name(24),
                      format: name(56), result: name(88), rounding: name(120) };
    request.parameters = take(rest.readUInt32LE(20)).toString("latin1");
    return request;
}

/* What the words on the command line name: its functions for a format, and what it is. Throws where there is no such file,
 * or none that node takes. */
function source(file, format) {
    const node = `node ${process.version}, V8 ${process.versions.v8}`;
    if (!file)
        return [DETCHECK_MATH, `Math of ${node}${format === "fp32" ? ", rounded once from fp64" : ""}`];
    if (!file.endsWith(".wasm"))
        return [format === (file.endsWith("_f64.js") ? "fp64" : "fp32") ? require(path.resolve(file)) : {}, `${path.basename(file)}, ${node}`];
    const exported = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(file))).exports;
    const suffix = format === "fp32" ? "f" : "";
    return [Object.fromEntries(Object.entries(exported).filter(([name]) => name.endsWith(suffix))
                .map(([name, f]) => [name.slice(0, name.length - suffix.length), f])), `${path.basename(file)}, WebAssembly, ${node}`];
}

const request = greet();
const known = ["fp32", "fp64"].includes(request.format) && request.result === request.format &&
    request.rounding === "nearest-even" && !request.parameters.startsWith("arrays=");
let table = {}, text = "", why = "";
try {
    if (known)
        [table, text] = source(process.argv[2], request.format);
} catch (error) {
    why = `: ${String(error.message).split("\n")[0]}`;
}
const called = (process.argv[3] || "") + request.operation;
const found = Object.hasOwn(table, called) ? table[called] : undefined;
const compute = found && found.length === request.operands || request.operation === "hypot" ? found : undefined;
const reply = Buffer.from(compute ? text : `node_adapter has no ${request.operation} in ${request.format}, ` +
    `${request.rounding}${why}`, "latin1").subarray(0, 512);
give(Buffer.from("detreply"), numbers(compute ? 0 : 1, reply.length), reply);
while (compute) {
    const head = take(16), count = head.readUInt32LE(4), operands = [];
    if (head.readUInt32LE(0) === 1) {
        const codes = request.bytes === 8 ? new BigUint64Array(count) : new Uint32Array(count);
        const first = head.readBigUInt64LE(8);
        for (let i = 0; i < count; i++)
            codes[i] = request.bytes === 8 ? first + BigInt(i) : Number(first) + i;
        operands.push(codes.buffer);
    } else {
        for (let i = 0; i < request.operands; i++)
            operands.push(Uint8Array.from(take(request.bytes * count)).buffer);
    }
    give(Buffer.from("answ"), numbers(count), Buffer.from(detcheckCompute(compute, request.format, operands)),
         Buffer.from("done"));
}
