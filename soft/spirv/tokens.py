#!/usr/bin/env python3
"""Writes what the reader knows of SPIR-V's grammar, from a given spirv.core.grammar.json and the extensions that it lacks
(tests/data/spirv_preview.json).

    tokens.py GRAMMAR.json tokens > tokens.h      names for the numbers, as enums
    tokens.py GRAMMAR.json tables > tables.inc    operand patterns and names, as X-macros

An operand pattern has a letter for each operand, `?` after an optional one and `*` after one that repeats:
i s m  an id (any, a scope, memory semantics)     n  a literal word          S  a string
N  a number as wide as the type says              X  an extended instruction O  the opcode of OpSpecConstantOp
P Q R  pairs: literal-id, id-literal, id-id       e  an enumerant or mask that takes no parameters
D E A L G T t  decoration, execution mode, memory access, loop control, image, tensor addressing and tensor operands:
               a word whose value says which parameters follow
"""
import json
import os
import sys

PREVIEW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "data", "spirv_preview.json")
LETTERS = {
    "IdRef": "i", "IdScope": "s", "IdMemorySemantics": "m", "LiteralInteger": "n", "LiteralFloat": "n",
    "LiteralString": "S", "LiteralContextDependentNumber": "N", "LiteralExtInstInteger": "X",
    "LiteralSpecConstantOpInteger": "O", "PairLiteralIntegerIdRef": "P", "PairIdRefLiteralInteger": "Q",
    "PairIdRefIdRef": "R", "Decoration": "D", "ExecutionMode": "E", "MemoryAccess": "A", "LoopControl": "L",
    "ImageOperands": "G", "TensorAddressingOperands": "T", "TensorOperands": "t",
}
ENUMS = {  # the ones the software device talks about, and the prefix of their C names
    "Capability": "SP_CAP_", "Decoration": "SP_DECORATION_", "ExecutionMode": "SP_MODE_", "StorageClass": "SP_STORAGE_",
    "BuiltIn": "SP_BUILTIN_", "Scope": "SP_SCOPE_", "MemorySemantics": "SP_SEMANTICS_", "MemoryAccess": "SP_ACCESS_",
    "GroupOperation": "SP_GROUP_", "FunctionParameterAttribute": "SP_PARAM_", "LinkageType": "SP_LINKAGE_",
    "FPRoundingMode": "SP_ROUND_", "FPFastMathMode": "SP_FAST_", "FPEncoding": "SP_ENCODING_",
    "CooperativeMatrixUse": "SP_USE_", "CooperativeMatrixLayout": "SP_LAYOUT_",
    "CooperativeMatrixOperands": "SP_COOP_", "MatrixMultiplyAccumulateOperands": "SP_DPAS_",
    "PackedVectorFormat": "SP_PACKED_", "ExecutionModel": "SP_MODEL_", "AddressingModel": "SP_ADDRESSING_",
    "MemoryModel": "SP_MEMORY_MODEL_", "Dim": "SP_DIM_", "ImageOperands": "SP_IMAGE_", "AccessQualifier": "SP_QUALIFIER_",
    "SamplerAddressingMode": "SP_ADDRESS_", "SamplerFilterMode": "SP_FILTER_", "ImageFormat": "SP_FORMAT_",
    "ImageChannelOrder": "SP_ORDER_", "ImageChannelDataType": "SP_CHANNEL_",
}


def add_preview(grammar):
    with open(PREVIEW, encoding="utf-8") as file:
        preview = json.load(file)
    grammar["instructions"] += preview["instructions"]
    for more in preview["operand_kinds"]:
        next(kind for kind in grammar["operand_kinds"] if kind["kind"] == more["kind"])["enumerants"] += more["enumerants"]


def letter(operand):
    return LETTERS.get(operand["kind"], "e") + operand.get("quantifier", "")


def pattern(instruction):
    operands = instruction.get("operands", [])
    return "".join(letter(o) for o in operands if o["kind"] not in ("IdResult", "IdResultType"))


NOT_VALUES = ("Set", "Function", "Type", "Target Label", "True Label", "False Label", "Default")


def values(instruction):
    """A bit for each operand that is a value's id; the last stands for all operands behind it, too. Of OpPhi's pairs
    none is told."""
    operands = [o for o in instruction.get("operands", []) if o["kind"] not in ("IdResult", "IdResultType")]
    bits = 0
    for k, operand in enumerate(operands):
        word = letter(operand)
        if word[0] not in "ismneXO":
            break
        if word[0] in "ism" and operand.get("name", "").strip("'") not in NOT_VALUES:
            bits |= (0xff << k if word.endswith("*") else 1 << k) & 0xff
    return bits


def results(instruction):
    kinds = [o["kind"] for o in instruction.get("operands", [])]
    return ("IdResultType" in kinds) + 2 * ("IdResult" in kinds)


def value(enumerant):
    v = enumerant["value"]
    return int(v, 0) if isinstance(v, str) else v


def tokens(grammar):
    print("/* Made by tokens.py from spirv.core.grammar.json %d.%d revision %d: do not edit. */" % (
        grammar["major_version"], grammar["minor_version"], grammar["revision"]))
    print("#ifndef XETILE_SOFT_SPIRV_TOKENS_H\n#define XETILE_SOFT_SPIRV_TOKENS_H\n\nenum sp_op {")
    for i in grammar["instructions"]:
        print("    SP_OP_%s = %d," % (i["opname"][2:], i["opcode"]))
    print("};")
    for kind in grammar["operand_kinds"]:
        prefix = ENUMS.get(kind["kind"])
        if not prefix:
            continue
        print("\nenum {")
        for e in kind["enumerants"]:
            print("    %s%s = %s," % (prefix, e["enumerant"], hex(value(e)) if kind["category"] == "BitEnum" else value(e)))
        print("};")
    print("\n#endif")


def tables(grammar):
    print("/* Made by tokens.py from spirv.core.grammar.json %d.%d revision %d: do not edit. */" % (
        grammar["major_version"], grammar["minor_version"], grammar["revision"]))
    print("/* SP_TABLE_OP(opcode, name, 1 for a result type + 2 for a result id, operand pattern, which operands are\n"
          " * values: a bit each, the eighth for the rest, too), by opcode */")
    for i in sorted(grammar["instructions"], key=lambda i: i["opcode"]):
        print('SP_TABLE_OP(%d, "%s", %d, "%s", 0x%x)' % (i["opcode"], i["opname"], results(i), pattern(i), values(i)))
    print("/* SP_TABLE_PARAMETERS(letter of the operand kind, value or bit, pattern of its parameters) */")
    for kind in grammar["operand_kinds"]:
        code = LETTERS.get(kind["kind"])
        seen = set()
        for e in kind.get("enumerants", []):
            if code and e.get("parameters") and value(e) not in seen:
                seen.add(value(e))
                print("SP_TABLE_PARAMETERS('%s', %d, \"%s\")" % (code, value(e), "".join(letter(p) for p in e["parameters"])))
    print("/* SP_TABLE_NAME(letter, value, name): capabilities (C), execution modes (E), decorations (D) */")
    for kind, code in (("Capability", "C"), ("Decoration", "D"), ("ExecutionMode", "E")):
        found = next(k for k in grammar["operand_kinds"] if k["kind"] == kind)
        for e in found["enumerants"]:
            print("SP_TABLE_NAME('%s', %d, \"%s\")" % (code, value(e), e["enumerant"]))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("tokens", "tables"):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        grammar = json.load(file)
    add_preview(grammar)
    {"tokens": tokens, "tables": tables}[sys.argv[2]](grammar)
