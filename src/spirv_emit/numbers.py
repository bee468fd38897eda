#!/usr/bin/env python3
"""Writes the parts of spirv_emit.h that come from SPIR-V's grammar: numbers.h, the lists of numbers, and needed.h, the
capability that each feature needs and the extension or version of SPIR-V that each capability needs.

    src/spirv_emit/numbers.py           writes both files, beside this one
    src/spirv_emit/numbers.py --check   only compares; fails when they differ

names.txt beside it lists the names; the grammar is tests/data/spirv_grammar.txt, which extract_grammar.py there makes
from the files that Khronos publishes. To add a name, add it to names.txt, then run this script and src/join.sh.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GRAMMAR = os.path.join(HERE, "..", "..", "tests", "data", "spirv_grammar.txt")
WIDTH = 120

# The kinds of names that need a capability, and their names in spe_need_, in its order.
NEEDY = {"BuiltIn": "BUILTIN", "Decoration": "DECORATION", "ExecutionMode": "MODE", "StorageClass": "STORAGE", "Op": "OP"}
# Requirements that the grammar states only in prose: a variant of instructions, the first and the last, the capability.
PROSE = [("OP_BF16", "Dot", "Dot", "BFloat16DotProductKHR"), ("OP_64", "AtomicLoad", "AtomicXor", "Int64Atomics")]
ALWAYS = {"Kernel", "Addresses"}  # every module declares them
LATER = {"LongVectorEXT": 3}  # its extension is written against SPIR-V 1.3, which the grammar does not say


class Entry:
    def __init__(self, line):
        self.kind, self.name, number, self.version, capabilities, extensions, *rest = line.split()
        self.operands = rest[0] if rest else None
        self.number = int(number)
        self.capabilities = [] if capabilities == "-" else capabilities.split(",")
        self.extensions = [] if extensions == "-" else extensions.split(",")


def read_names():
    text = open(os.path.join(HERE, "names.txt")).read()
    return {kind: names.split() for kind, names in re.findall(r"^(\w+):((?:.*\n)(?:[ \t].*\n)*)", text, re.M)}


grammar = [Entry(line) for line in open(GRAMMAR) if not line.startswith("#")]
entries = {(e.kind, e.name): e for e in grammar}
wanted = read_names()
ours = {e.number: e for e in (entries["Capability", n] for n in wanted["Capability"])}


def filled(name, cells, comment="", arguments="X"):
    """A list macro of X(...) cells, as many to a line as fit."""
    lines, line = ["#define %s(%s)" % (name, arguments)], ""
    for cell in cells:
        if line and 4 + len(line) + 1 + len(cell) + 2 > WIDTH:
            lines.append("    " + line)
            line = ""
        line = line + " " + cell if line else cell
    lines.append("    " + line)
    body = "".join(text.ljust(WIDTH - 1) + "\\\n" for text in lines[:-1])
    return (comment and "/* %s */\n" % comment) + body + lines[-1] + "\n"


def by_number(kind):
    return sorted((entries[kind, name] for name in wanted[kind]), key=lambda e: e.number)


def numbers():
    def cells(kind, word=None):
        return ["X(%s, %s, %d)" % (word or kind, e.name, e.number) for e in by_number(kind)]

    def named_once(kind):
        """A list of a kind with a long name, which it is given instead of saying it in each cell."""
        return filled("SPE_%s_" % kind, cells(kind, "K"), arguments="X, K")

    def math(e):
        return "X(%s, %s, %d, %s)" % (re.sub("^([su])_", r"\1", e.name).upper(), e.name, e.number, e.version)

    rest = [kind for kind in wanted if kind not in ("Op", "Capability", "Ext")]
    long = [kind for kind in rest if len(kind) * len(wanted[kind]) > 100]
    given = {kind: ["SPE_%s_(X, %s)" % (kind, kind)] for kind in ["Capability"] + long}
    return "\n".join([
        "/* numbers.h - the numbers of SPIR-V, written by src/spirv_emit/numbers.py. */",
        filled("SPE_OPCODES", cells("Op")),
        "".join(named_once(kind) for kind in given) + filled("SPE_CAPABILITIES", given["Capability"]) +
        filled("SPE_ENUMERANTS", [cell for kind in rest for cell in given.get(kind) or cells(kind)]),
        filled("SPE_MATH_LIST", [math(e) for e in by_number("Ext")],
               "OpenCL.std, X(our name, the name in the set, number, operands); SPE_<our name> is what spe_math takes.")])


def version(text):
    """The minor version of SPIR-V, 0 where there is none to name."""
    return int(text[2:]) if re.match(r"1\.\d$", text) else 0


def source(capability):
    """(lowest version, extension, version from which the extension need not be named) of a capability."""
    since = version(capability.version)
    if capability.version == "1.0" or not capability.extensions:
        return (since, "", 0)
    vendor = re.search("[A-Z]*$", capability.name).group()  # where several have it, the one it is named after
    extension = next((x for x in capability.extensions if vendor and x.startswith("SPV_" + vendor)), capability.extensions[0])
    return (LATER.get(capability.name, 0), extension, since)


def enabling(e):
    """The capabilities of ours that enable an entry. Shader is there for its number only, and of Matrix a kernel has
    no more than is listed. An entry that only an extension brings is enabled by a capability of that extension."""
    def fits(c):
        return c and c.name != "Shader" and (c.name != "Matrix" or e.name in wanted[e.kind])
    found = [c for c in (ours.get(entries["Capability", name].number) for name in e.capabilities) if fits(c)]
    if ALWAYS & set(c.name for c in found):
        return []
    if e.extensions and e.version == "None" and not any(source(c)[1] in e.extensions for c in found):
        return []
    return [c for c in found if not source(c)[1]] or found


def variants(e):
    """(what, capability) of an entry. Several capabilities of an instruction are told apart by the width of its type
    or by the operation it does; else the first will do."""
    among = enabling(e)
    widths = [(re.search(r"Float(16|32|64)", c.name), c) for c in among]
    if len(among) > 1 and all(width for width, c in widths):
        return [("OP_" + width.group(1), c) for width, c in widths]
    if any("Clustered" in c.name for c in among):
        return [("OP_CLUSTERED" if "Clustered" in c.name else "OP_ACROSS", c) for c in among]
    return [(NEEDY[e.kind], c) for c in among[:1]]


def needed():
    rows = []  # [what, first, last, capability], neighbouring numbers of one need in one
    for kind in NEEDY:
        known = {e.number: e for e in grammar if e.kind == kind and (kind == "Op" or e.name in wanted[kind])}
        for number in sorted(known):
            for what, c in variants(known[number]):
                row = next((r for r in rows if [r[0], r[2], r[3]] == [what, number - 1, c.name]), None)
                if row:
                    row[2] = number
                else:
                    rows.append([what, number, number, c.name])
    ops = [[variant] + [entries["Op", name].number for name in names] + [c] for variant, *names, c in PROSE]
    ops = sorted(ops + [r for r in rows if r[0].startswith("OP")], key=lambda r: r[1])
    rows = [r for r in rows if not r[0].startswith("OP")] + ops
    sources = []  # the same for [first, last, source]
    for c in by_number("Capability"):
        if sources and sources[-1][1:] == [c.number - 1, source(c)]:
            sources[-1][1] = c.number
        elif any(source(c)):
            sources.append([c.number, c.number, source(c)])
    def known(kind):
        ranges = []
        for number in sorted({e.number for e in grammar if e.kind == kind}):
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
        return ["X(%d, %d)" % (first, last) for first, last in ranges]

    def joined(pairs):
        """(number, value) as X(first, last, value), neighbours with the same value in one."""
        rows = []
        for number, value in sorted(pairs):
            if rows and rows[-1][1:] == [number - 1, value]:
                rows[-1][1] = number
            else:
                rows.append([number, number, value])
        return ["X(%d, %d, %s)" % tuple(row) for row in rows]

    def shape(e):
        """results, least, most words of operands, ids among them, version."""
        if e.operands == "-":
            return "2, 0, 0, 0, 0"
        return "%s, %d" % (e.operands.replace("*", "255").replace(",", ", "), version(e.version) if e.number < core else 0)

    others = sorted({(e.number, e.operands.replace("*", "255"), entries["Capability", e.capabilities[0]].number)
                     for e in grammar if e.kind == "Decoration" and re.search("INTEL|ALTERA", e.name)
                     and e.number not in {entries["Decoration", name].number for name in wanted["Decoration"]}})
    others = ["X(%d, %s, %d)" % row for row in others]
    core = 404  # the extensions' opcodes begin there
    shapes = {e.number: shape(e) for e in grammar if e.kind == "Op" and (e.number < core or e.name in wanted["Op"])}
    functions = [(e.number, e.version) for e in grammar if e.kind == "Ext"]
    return "\n".join([
        "/* needed.h - the capabilities that names need, and the sources of capabilities; written by numbers.py. */",
        filled("SPE_NEEDED_", ["X(%s, %d, %d, %s)" % tuple(r) for r in rows],
               "X(what, first, last number, capability), see SPE_NEED_OP_ ..."),
        filled("SPE_CAPABILITIES_KNOWN_", known("Capability"), "All numbers of the grammar, also those without a name here."),
        filled("SPE_DECORATIONS_KNOWN_", others, "Those of Intel's extensions that have no name here, "
               "X(number, literals (255: any number), capability)"),
        filled("SPE_SHAPES_", joined(shapes.items()),
               "X(first, last opcode, results (2: it is none of a function's body), least and most words of operands "
               "(255: any\n * number), ids at their beginning, lowest version 1.x)"),
        filled("SPE_FUNCTIONS_", joined(functions), "OpenCL.std, X(first, last function, operands)"),
        filled("SPE_SOURCES_", ['X(%s, %s, %d, "%s", %d)' % (first, last, *s) for first, last, s in sources],
               "X(first, last capability, lowest version 1.x, extension, version 1.x that has it in the core)")])


def main():
    same = True
    for name, text in (("numbers.h", numbers()), ("needed.h", needed())):
        path = os.path.join(HERE, name)
        old = open(path).read() if os.path.exists(path) else ""
        if "--check" not in sys.argv:
            open(path, "w").write(text)
        elif old != text:
            print("%s differs from the grammar and names.txt: run src/spirv_emit/numbers.py" % path, file=sys.stderr)
            same = False
    return 0 if same else 1


sys.exit(main())
