"""detcheck asks, WGSL's functions answer, on the device that wgpu finds:

    detcheck sweep exp --threads 1 --impl 'exec:python3 wgpu_adapter.py'
    detcheck sweep exp --threads 1 --impl 'exec:python3 wgpu_adapter.py detmath.wgsl'

With a file the functions detmath_NAME_bits of that are called, from the bits of a number of fp32 to those of the result:
ports of detmath (detcheck-ports(7)). A file of GLSL is compiled to SPIR-V by glslangValidator first.

VK_ICD_FILENAMES names the driver, where there are several, such as that of Mesa's lavapipe, which computes on the CPU.
"""

import argparse
import pathlib
import subprocess
import tempfile

from adapter import need, np, serve

# detcheck's names of WGSL's functions, where they are not the same.
NAMES = {name: name for name in """exp exp2 log log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt trunc ceil
    floor pow atan2 fma""".split()}
NAMES |= {"rsqrt": "inverseSqrt", "roundeven": "round"}
OPERANDS = {"pow": 2, "atan2": 2, "fma": 3}
GROUP = 64
WGSL = """{source}
{buffers}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
    let i = id.x;
    z[i] = {call};
}}
"""
GLSL = """#version 450
layout(local_size_x = 64) in;
{buffers}
{source}
void main() {{
    uint i = gl_GlobalInvocationID.x;
    z[i] = {call};
}}
"""


def write(source, name, operands, is_glsl):
    """The text of a shader whose buffers are the operands and, as the last, the result."""
    ends = "xyw"[:operands] + "z"
    if is_glsl:
        buffers = [f"layout(std430, binding = {i}) buffer B{i} {{ uint {end}[]; }};" for i, end in enumerate(ends)]
    else:
        access = ["read"] * operands + ["read_write"]
        buffers = [f"@group(0) @binding({i}) var<storage, {access[i]}> {end}: array<u32>;" for i, end in enumerate(ends)]
    if source:
        call = f"detmath_{name}_bits(x[i])"
    else:
        call = f"bitcast<u32>({NAMES[name]}({', '.join(f'bitcast<f32>({end}[i])' for end in ends[:-1])}))"
    return (GLSL if is_glsl else WGSL).format(source=source, buffers="\n".join(buffers), call=call)


def compile_glsl(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "shader.comp")
        path.write_text(text, encoding="ascii")
        done = subprocess.run(["glslangValidator", "-V", path, "-o", path.with_suffix(".spv")], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise RuntimeError(done.stdout)
        return path.with_suffix(".spv").read_bytes()


class Shader:
    """One function on the device."""

    def __init__(self, wgpu, text, operands):
        self.wgpu = wgpu
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        self.about = f"{adapter.info['device']}, {adapter.info['description']}, wgpu {wgpu.__version__}"
        self.device = adapter.request_device_sync()
        module = self.device.create_shader_module(code=text)
        self.pipeline = self.device.create_compute_pipeline(layout="auto", compute={"module": module, "entry_point": "main"})
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_DST | wgpu.BufferUsage.COPY_SRC
        self.buffers = [self.device.create_buffer(size=4 << 15, usage=usage) for _ in range(operands + 1)]
        entries = [{"binding": i, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                   for i, buffer in enumerate(self.buffers)]
        self.group = self.device.create_bind_group(layout=self.pipeline.get_bind_group_layout(0), entries=entries)

    def compute(self, *operands):
        queue, encoder = self.device.queue, self.device.create_command_encoder()
        for buffer, codes in zip(self.buffers, operands):
            queue.write_buffer(buffer, 0, np.ascontiguousarray(codes))
        run = encoder.begin_compute_pass()
        run.set_pipeline(self.pipeline)
        run.set_bind_group(0, self.group)
        run.dispatch_workgroups(-(-len(operands[0]) // GROUP))
        run.end()
        queue.submit([encoder.finish()])
        return [np.frombuffer(queue.read_buffer(self.buffers[-1], 0, 4 * len(operands[0])), np.uint32)]


def start(request):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    file = parser.parse_args().file
    none = f"wgpu_adapter has no {request.operation} in {request.format}, {request.rounding}"
    try:
        source = file.read_text(encoding="ascii") if file else ""
    except (OSError, UnicodeError) as error:
        return None, f"{none}: {error}"
    known = f" detmath_{request.operation}_bits(" in source if file else OPERANDS.get(request.operation, 1) == request.operands and \
        request.operation in NAMES
    if not known or {request.format, request.result_format} != {"fp32"} or request.rounding != "nearest-even":
        return None, none
    is_glsl = bool(file) and file.suffix == ".glsl"
    text = write(source, request.operation, request.operands, is_glsl)
    try:
        shader = Shader(need("wgpu"), compile_glsl(text) if is_glsl else text, request.operands)
    except Exception as error:  # no device, no driver, no compiler, or what a compiler does not take
        return None, f"{none}: {' '.join(str(error).split())}"
    return shader.compute, f"{file.name if file else 'WGSL'} on {shader.about}"


if __name__ == "__main__":
    serve(start)
