#!/usr/bin/env python3
"""Writes spirv_grammar.txt from SPIR-V's machine-readable grammar, for test_grammar.c.

    extract_grammar.py spirv.core.grammar.json extinst.opencl.std.100.grammar.json >spirv_grammar.txt

With what spirv_preview.json beside it adds: extensions that are not in the published grammar yet.

A line a name: kind, name, number, lowest version ("None" where only an extension brings it, "-" where nothing is said),
enabling capabilities, enabling extensions, each list with commas, "-" for none. Aliases are names too. The lines of kind
Op end in results,least,most,ids: 1 or 0 results, words of operands besides, "*" for any number, and how many of them, from
the first on, are ids; "-" for an instruction outside of function bodies, or one that ends a block. Those of kind Decoration
end in the number of literals, "*" for a text. The lines of kind Ext are OpenCL.std's; their fourth field is the number of
operands.
"""
import json
import os
import sys

KINDS = """Capability BuiltIn Decoration ExecutionMode StorageClass Scope MemorySemantics MemoryAccess AddressingModel
MemoryModel ExecutionModel SourceLanguage FunctionControl FunctionParameterAttribute LinkageType SelectionControl
LoopControl GroupOperation FPRoundingMode FPEncoding CooperativeMatrixUse CooperativeMatrixLayout
CooperativeMatrixOperands MatrixMultiplyAccumulateOperands LoadCacheControl StoreCacheControl
NamedMaximumNumberOfRegisters CooperativeVectorMatrixLayout ComponentType Dim AccessQualifier SamplerAddressingMode
SamplerFilterMode""".split()


def number(value):
    return value if isinstance(value, int) else int(value, 0)


def line(kind, name, value, entry, *more):
    lists = [",".join(entry.get(key, [])) or "-" for key in ("capabilities", "extensions")]
    print(kind, name, value, entry.get("version", "-"), *lists, *more)


OUTSIDE = ["Type-Declaration", "Constant-Creation", "Annotation", "Debug", "Mode-Setting", "Extension", "Control-Flow",
           "Function"]
EXCEPT = ["OpFunctionCall", "OpNoLine", "OpLifetimeStart", "OpLifetimeStop", "OpVariable"]
ANY_LENGTH = ["LiteralString", "LiteralContextDependentNumber", "LiteralSpecConstantOpInteger"]


def words(operand):
    """The least and the most words of an operand; None: any number."""
    kind = kinds[operand["kind"]]
    optional = operand.get("quantifier", "")
    size = 2 if kind["category"] == "Composite" else 1
    followed = any("parameters" in e for e in kind.get("enumerants", []))
    any_length = optional == "*" or followed or operand["kind"] in ANY_LENGTH
    return 0 if optional else size, None if any_length else size


def operands(entry):
    own = [o for o in entry.get("operands", []) if o["kind"] not in ("IdResultType", "IdResult")]
    if (entry.get("class") in OUTSIDE) != (entry["opname"] in EXCEPT):
        return "-"
    least, most = [[words(o)[i] for o in own] for i in (0, 1)]
    other = [i for i, o in enumerate(own) if kinds[o["kind"]]["category"] != "Id"]
    ids = most[:other[0]] if other else most
    total = ["*" if None in some else str(sum(some)) for some in (most, ids)]
    return "%d,%d,%s" % (len(entry.get("operands", [])) > len(own), sum(least), ",".join(total))


def literals(kind, entry):
    """Of a decoration."""
    own = entry.get("parameters", [])
    any_length = any(o["kind"] in ANY_LENGTH or o.get("quantifier") for o in own)
    return ["*" if any_length else len(own)] if kind == "Decoration" else []


def add_preview(core):
    """Adds the instructions and enumerants of spirv_preview.json to a grammar."""
    preview = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spirv_preview.json")))
    core["instructions"] += preview["instructions"]
    for more in preview["operand_kinds"]:
        next(kind for kind in core["operand_kinds"] if kind["kind"] == more["kind"])["enumerants"] += more["enumerants"]


core, opencl = (json.load(open(path)) for path in sys.argv[1:3])
add_preview(core)
kinds = {kind["kind"]: kind for kind in core["operand_kinds"]}
print("# SPIR-V %d.%d revision %d" % (core["major_version"], core["minor_version"], core["revision"]))
for entry in core["instructions"]:
    for name in [entry["opname"]] + entry.get("aliases", []):
        line("Op", name[2:], entry["opcode"], entry, operands(entry))
for kind in core["operand_kinds"]:
    if kind["kind"] not in KINDS:
        continue
    for entry in kind["enumerants"]:
        for name in [entry["enumerant"]] + entry.get("aliases", []):
            line(kind["kind"], name, number(entry["value"]), entry, *literals(kind["kind"], entry))
for entry in opencl["instructions"]:
    print("Ext", entry["opname"], entry["opcode"], len(entry.get("operands", [])), "-", "-")
