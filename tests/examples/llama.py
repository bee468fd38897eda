"""llama.py - a Llama checkpoint and its model in f64, which share nothing with decoder.c, for test_examples_decoder.sh.

llama.py write FILE                 a file of safetensors: F16, BF16 and F32, a tensor that no model reads, tied logits
llama.py check FILE PART TOKEN...   tokens that a decoder chose after PROMPT: each one's logit is the largest, or less
                                    than that by PART of the logits' root mean square at most
"""
import json
import math
import random
import struct
import sys

DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, VOCABULARY, THETA, EPSILON = 64, 192, 2, 2, 1, 64, 10000, 1e-5
PROMPT = [3, 41, 59, 26, 5]
SIZE = DIM // HEADS

# The formats of struct: bfloat16 is the upper half of a float.
READ = {"F16": lambda b: struct.unpack(f"<{len(b) // 2}e", b), "F32": lambda b: struct.unpack(f"<{len(b) // 4}f", b),
        "BF16": lambda b: READ["F32"](b"".join(b"\0\0" + b[i:i + 2] for i in range(0, len(b), 2)))}
WRITE = {"F16": lambda v: struct.pack(f"<{len(v)}e", *v), "F32": lambda v: struct.pack(f"<{len(v)}f", *v),
         "BF16": lambda v: b"".join(struct.pack("<f", x)[2:] for x in v)}


def shapes():
    yield "model.norm.weight", "F32", [DIM]
    for layer in reversed(range(LAYERS)):
        at = f"model.layers.{layer}."
        yield at + "mlp.down_proj.weight", "F16", [DIM, HIDDEN]
        yield at + "mlp.gate_proj.weight", "BF16", [HIDDEN, DIM]
        yield at + "mlp.up_proj.weight", "F16", [HIDDEN, DIM]
        yield at + "self_attn.rotary_emb.inv_freq", "F32", [SIZE // 2]
        yield at + "self_attn.v_proj.weight", "F32", [KV_HEADS * SIZE, DIM]
        yield at + "self_attn.k_proj.weight", "F16", [KV_HEADS * SIZE, DIM]
        yield at + "self_attn.q_proj.weight", "BF16", [HEADS * SIZE, DIM]
        yield at + "self_attn.o_proj.weight", "F16", [DIM, HEADS * SIZE]
        yield at + "input_layernorm.weight", "BF16", [DIM]
        yield at + "post_attention_layernorm.weight", "F16", [DIM]
    yield "model.embed_tokens.weight", "F16", [VOCABULARY, DIM]


def write(path):
    rng = random.Random(5)
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, kind, shape in shapes():
        vector = len(shape) == 1
        scale, middle = (0.2, 1) if vector else (1.5 / math.sqrt(shape[1]), 0)
        part = WRITE[kind]([rng.gauss(middle, scale) for _ in range(math.prod(shape))])
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    header.pop("__metadata__")
    return {name: READ[t["dtype"]](data[slice(*t["data_offsets"])]) for name, t in header.items()}


def product(w, x):
    return [sum(a * b for a, b in zip(w[i:i + len(x)], x)) for i in range(0, len(w), len(x))]


def norm(x, weight):
    factor = 1 / math.sqrt(sum(v * v for v in x) / len(x) + EPSILON)
    return [v * factor * w for v, w in zip(x, weight)]


def rotate(head, position):
    angles = [position / THETA ** (2 * i / SIZE) for i in range(SIZE // 2)]
    first, second = head[:SIZE // 2], head[SIZE // 2:]
    return [a * math.cos(t) - b * math.sin(t) for a, b, t in zip(first, second, angles)] + \
           [b * math.cos(t) + a * math.sin(t) for a, b, t in zip(first, second, angles)]


def heads(x):
    return [x[i:i + SIZE] for i in range(0, len(x), SIZE)]


def attend(q, keys, values):
    scores = [sum(a * b for a, b in zip(q, k)) / math.sqrt(SIZE) for k in keys]
    weights = [math.exp(s - max(scores)) for s in scores]
    return [sum(w * v[i] for w, v in zip(weights, values)) / sum(weights) for i in range(SIZE)]


def logits_of(w, token, cache, position):
    x = w["model.embed_tokens.weight"][token * DIM:(token + 1) * DIM]
    for layer in range(LAYERS):
        of = {name: w[f"model.layers.{layer}.{name}.weight"] for name in (
            "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.gate_proj",
            "mlp.up_proj", "mlp.down_proj", "input_layernorm", "post_attention_layernorm")}
        normed = norm(x, of["input_layernorm"])
        q, k = ([rotate(h, position) for h in heads(product(of[f"self_attn.{n}_proj"], normed))] for n in "qk")
        cache[layer].append((k, heads(product(of["self_attn.v_proj"], normed))))
        attended = []
        for h in range(HEADS):
            kv = h // (HEADS // KV_HEADS)
            attended += attend(q[h], [c[0][kv] for c in cache[layer]], [c[1][kv] for c in cache[layer]])
        x = [a + b for a, b in zip(x, product(of["self_attn.o_proj"], attended))]
        normed = norm(x, of["post_attention_layernorm"])
        gate, up = product(of["mlp.gate_proj"], normed), product(of["mlp.up_proj"], normed)
        inner = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up)]
        x = [a + b for a, b in zip(x, product(of["mlp.down_proj"], inner))]
    return product(w["model.embed_tokens.weight"], norm(x, w["model.norm.weight"]))


def check(path, part, chosen):
    if len(chosen) < 2:
        sys.exit(f"{len(chosen)} tokens")
    w, cache, known = read(path), [[] for _ in range(LAYERS)], PROMPT + chosen
    for position, token in enumerate(known[:-1]):
        logits = logits_of(w, token, cache, position)
        if position < len(PROMPT) - 1:
            continue
        size = math.sqrt(sum(v * v for v in logits) / len(logits))
        missed = (max(logits) - logits[known[position + 1]]) / size
        if missed > part:
            sys.exit(f"after {known[:position + 1]}: {known[position + 1]} has {missed:.3f} less than the largest")


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    check(sys.argv[2], float(sys.argv[3]), [int(t) for t in sys.argv[4:]])
