/* test_grammar.c - the numbers of spirv_emit.h and its tables of capabilities, extensions and versions, against
 * SPIR-V's grammar (tests/data/spirv_grammar.txt, made by tests/data/extract_grammar.py), and against the installed
 * spirv.h for the names it has. Both headers are included: they must coexist in one program. */
#undef XETILE_DECLARATIONS /* the bodies are here: private names are tested */
#if defined(__has_include)
#if __has_include(<spirv/unified1/spirv.h>)
#include <spirv/unified1/spirv.h>
#endif
#endif
#include "spirv_emit.h"
#include "test.h"

typedef struct {
    const char *kind, *name;
    uint32_t number, operands;
} known;

#define KNOWN(kind, name, number) {#kind, #name, number, 0},
#define KNOWN_MATH(name, name_in_set, number, operands) {"Ext", #name_in_set, number, operands},
static const known numbers[] = {SPE_OPCODES(KNOWN) SPE_CAPABILITIES(KNOWN) SPE_ENUMERANTS(KNOWN)
                                    SPE_MATH_LIST(KNOWN_MATH)};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

typedef struct {
    char kind[48], name[64], version[16], capabilities[256], extensions[256];
    uint32_t number;
} entry;

static entry grammar[4096];
static size_t grammar_count;

/* Reads the table, from the folder of the source file or the current one. */
static bool read_grammar(void)
{
    char path[1024], line[1024];
    const char *slash = strrchr(__FILE__, '/');
    FILE *f;
    if (grammar_count) return true;
    snprintf(path, sizeof path, "%.*sdata/spirv_grammar.txt", slash ? (int)(slash - __FILE__ + 1) : 0, __FILE__);
    f = fopen(path, "r");
    if (!f) f = fopen("tests/data/spirv_grammar.txt", "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f) && grammar_count < sizeof grammar / sizeof *grammar) {
        entry *e = &grammar[grammar_count];
        if (sscanf(line, "%47s %63s %u %15s %255s %255s", e->kind, e->name, &e->number, e->version, e->capabilities,
                   e->extensions) == 6)
            grammar_count++;
    }
    fclose(f);
    return grammar_count > 0;
}

static const entry *find(const char *kind, const char *name)
{
    size_t i;
    for (i = 0; i < grammar_count; i++) {
        if (!strcmp(grammar[i].kind, kind) && !strcmp(grammar[i].name, name)) return &grammar[i];
    }
    return NULL;
}

static bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    const char *at = list;
    while ((at = strstr(at, name)) != NULL) {
        if ((at == list || at[-1] == ',') && (at[n] == ',' || !at[n])) return true;
        at += n;
    }
    return false;
}

TEST(numbers_agree_with_the_grammar)
{
    int i;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    CHECK(grammar_count > 1500);
    for (i = 0; i < NUMBERS; i++) {
        const entry *e = find(numbers[i].kind, numbers[i].name);
        CHECK_MSG(e != NULL, "%s %s is not in the grammar", numbers[i].kind, numbers[i].name);
        if (!e) continue;
        CHECK_MSG(e->number == numbers[i].number, "%s %s is %u, the grammar has %u", numbers[i].kind, numbers[i].name,
                  numbers[i].number, e->number);
        if (!strcmp(e->kind, "Ext"))
            CHECK_MSG(strtoul(e->version, NULL, 10) == numbers[i].operands, "%s takes %s operands, not %u", e->name,
                      e->version, numbers[i].operands);
    }
}

/* A line of spirv.h like `    SpvOpIAdd = 128,`: its name and number. */
static bool header_line(const char *line, char *name, unsigned long *number)
{
    char value[32];
    if (sscanf(line, " Spv%95s = %31[0-9a-fA-Fx]", name, value) != 2) return false;
    *number = strtoul(value, NULL, 0);
    return true;
}

TEST(numbers_agree_with_the_installed_header)
{
    static const char *const paths[] = {"/usr/include/spirv/unified1/spirv.h",
                                        "/usr/local/include/spirv/unified1/spirv.h"};
    char line[256], name[96], want[128];
    unsigned long number;
    FILE *f = NULL;
    int i, k, found = 0;
    for (i = 0; i < 2 && !f; i++) f = fopen(paths[i], "r");
    if (!f) SKIP("spirv/unified1/spirv.h is not installed");
    while (fgets(line, sizeof line, f)) {
        if (!header_line(line, name, &number)) continue;
        for (k = 0; k < NUMBERS; k++) {
            snprintf(want, sizeof want, "%s%s", numbers[k].kind, numbers[k].name);
            if (strncmp(name, want, strlen(want)) != 0) continue;
            if (name[strlen(want)] && strcmp(name + strlen(want), "Mask") != 0) continue;
            CHECK_MSG(number == numbers[k].number, "%s is %u, the header has %lu", want, numbers[k].number, number);
            found++;
        }
    }
    fclose(f);
    CHECK_MSG(found > 250, "only %d names were found in the header", found);
}

static uint32_t version_number(const char *text) { return SPE_VERSION(text[0] - '0', text[2] - '0'); }

/* Where the grammar names a later version or an extension for a capability, the table must have it, and no more. */
TEST(capabilities_have_their_extension_and_version)
{
    int i;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    for (i = 0; i < NUMBERS; i++) {
        const entry *e = find(numbers[i].kind, numbers[i].name);
        const spe_capability_row_ *row;
        bool versioned;
        if (strcmp(numbers[i].kind, "Capability") != 0 || !e) continue;
        row = spe_capability_row_of_(numbers[i].number);
        versioned = e->version[0] == '1' && strcmp(e->version, "1.0") != 0;
        if (!strcmp(e->version, "1.0")) {
            CHECK_MSG(row == NULL, "%s is in every version, the table has a row", e->name);
        } else if (strcmp(e->extensions, "-") != 0) {
            CHECK_MSG(row && *row->extension && in_list(e->extensions, row->extension),
                      "%s: extension %s, the grammar has %s", e->name, row ? row->extension : "none",
                      e->extensions);
            CHECK_MSG(!row || row->core_since == (versioned ? version_number(e->version) : 0),
                      "%s: in the core since %s", e->name, e->version);
        } else if (versioned) {
            CHECK_MSG(row && row->version == version_number(e->version), "%s needs version %s", e->name, e->version);
        } else {
            CHECK_MSG(row == NULL, "%s needs nothing, the table has a row", e->name);
        }
    }
}

/* Do the capabilities a module has declared include one that the entry is enabled by? */
static bool enabled(const spe_module *m, const entry *e)
{
    const spe_buffer_ *caps = &m->buffer[SPE_BUFFER_CAPS_];
    size_t i, k;
    if (!strcmp(e->capabilities, "-") || in_list(e->capabilities, "Kernel") || in_list(e->capabilities, "Addresses"))
        return true;
    /* modules for Vulkan, in which these are used, always declare them */
    if (in_list(e->capabilities, "Shader") || in_list(e->capabilities, "VulkanMemoryModel") ||
        in_list(e->capabilities, "PhysicalStorageBufferAddresses"))
        return true;
    for (i = 0; i < grammar_count; i++) { /* by number: a capability has several names */
        const entry *c = &grammar[i];
        if (strcmp(c->kind, "Capability") != 0 || !in_list(e->capabilities, c->name)) continue;
        for (k = 0; k < caps->count; k++) {
            if (caps->data[k] == c->number) return true;
        }
    }
    return false;
}

static bool listed(const entry *e)
{
    int i;
    for (i = 0; i < NUMBERS; i++) {
        if (numbers[i].number == e->number && !strcmp(numbers[i].kind, e->kind)) return true;
    }
    return false;
}

/* Is the entry enabled by a capability that this header knows and that kernels have? Not so where a vendor's extension
 * of its own is needed too. (Shader is known for its number only; of Matrix kernels have no more than is listed.) */
static bool known_to_us(const entry *e)
{
    size_t k;
    int i;
    for (i = 0; i < NUMBERS; i++) {
        const spe_capability_row_ *row = spe_capability_row_of_(numbers[i].number);
        if (strcmp(numbers[i].kind, "Capability") != 0 || !strcmp(numbers[i].name, "Shader")) continue;
        if (!strcmp(numbers[i].name, "Matrix") && !listed(e)) continue;
        if (strcmp(e->extensions, "-") != 0 && !strcmp(e->version, "None") &&
            !(row && *row->extension && in_list(e->extensions, row->extension)))
            continue;
        for (k = 0; k < grammar_count; k++) { /* by number: a capability has several names */
            if (grammar[k].number == numbers[i].number && !strcmp(grammar[k].kind, "Capability") &&
                in_list(e->capabilities, grammar[k].name))
                return true;
        }
    }
    return false;
}

/* Every instruction of the grammar that a capability of ours enables declares one, in each of its variants: those
 * that are written by number through spe_op too. */
TEST(instructions_declare_their_capability)
{
    static const uint32_t widths[] = {16, 32, 64};
    size_t i;
    int k, checked = 0;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    for (i = 0; i < grammar_count; i++) {
        const entry *e = &grammar[i];
        if (strcmp(e->kind, "Op") != 0 || !known_to_us(e)) continue;
        for (k = 0; k < 4; k++) {
            spe_module m;
            uint32_t operands[3] = {0, 0, 0};
            spe_id type;
            spe_begin(&m, NULL);
            operands[1] = (uint32_t)k;
            type = spe_float(&m, widths[k % 3]);
            if (e->number == SPE_OpTypeCooperativeMatrixKHR)
                spe_coopmat(&m, type, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
            else
                spe_need_op_(&m, e->number, type, 3, operands);
            CHECK_MSG(enabled(&m, e), "Op%s (variant %d) lacks a capability of %s", e->name, k, e->capabilities);
            spe_free(&m);
        }
        checked++;
    }
    CHECK_MSG(checked > 100, "%d instructions", checked);
}

/* And no instruction of ours is enabled by others alone. */
TEST(instructions_are_those_of_kernels)
{
    int i;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    for (i = 0; i < NUMBERS; i++) {
        const entry *e = find(numbers[i].kind, numbers[i].name);
        if (strcmp(numbers[i].kind, "Op") != 0 || !e) continue;
        CHECK_MSG(!strcmp(e->capabilities, "-") || known_to_us(e), "Op%s needs %s", e->name, e->capabilities);
    }
}

/* So does every decoration, execution mode, built-in and storage class. */
TEST(enumerants_declare_their_capability)
{
    static const struct {
        const char *kind;
        uint32_t what;
    } kinds[] = {{"Decoration", SPE_NEED_DECORATION_},
                 {"ExecutionMode", SPE_NEED_MODE_},
                 {"BuiltIn", SPE_NEED_BUILTIN_},
                 {"StorageClass", SPE_NEED_STORAGE_}};
    size_t i;
    int k, seen = 0;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    for (i = 0; i < grammar_count; i++) {
        for (k = 0; k < 4; k++) {
            const entry *e = &grammar[i];
            spe_module m;
            if (strcmp(e->kind, kinds[k].kind) != 0 || !known_to_us(e)) continue;
            spe_begin(&m, NULL);
            spe_need_(&m, kinds[k].what, e->number);
            CHECK_MSG(enabled(&m, e), "%s %s lacks a capability of %s", e->kind, e->name, e->capabilities);
            spe_free(&m);
            seen++;
        }
    }
    CHECK_MSG(seen > 50, "%d enumerants", seen);
}

/* Enumerants that are operands of a decoration, mode, type or instruction declare nothing: their user does. */
TEST(operands_are_enabled_by_what_they_stand_in)
{
    static const struct {
        const char *kind;
        uint32_t what, value;
    } carriers[] = {{"LinkageType", SPE_NEED_DECORATION_, SPE_DecorationLinkageAttributes},
                    {"LoadCacheControl", SPE_NEED_DECORATION_, SPE_DecorationCacheControlLoadINTEL},
                    {"StoreCacheControl", SPE_NEED_DECORATION_, SPE_DecorationCacheControlStoreINTEL},
                    {"NamedMaximumNumberOfRegisters", SPE_NEED_MODE_, SPE_ExecutionModeNamedMaximumRegistersINTEL}};
    int i;
    size_t k;
    if (!read_grammar()) SKIP("tests/data/spirv_grammar.txt is missing");
    for (i = 0; i < NUMBERS; i++) {
        const char *kind = numbers[i].kind;
        const entry *e = find(kind, numbers[i].name);
        spe_module m;
        if (!e || !strcmp(kind, "Op") || !strcmp(kind, "Capability") || !strcmp(kind, "Decoration") ||
            !strcmp(kind, "ExecutionMode") || !strcmp(kind, "BuiltIn") || !strcmp(kind, "StorageClass"))
            continue;
        spe_begin(&m, NULL);
        if (!strcmp(kind, "GroupOperation"))
            spe_need_op_(&m, SPE_OpGroupNonUniformIAdd, spe_int(&m, 32), 3,
                         (const uint32_t[]){0, numbers[i].number, 0});
        if (!strcmp(kind, "FPEncoding")) {
            spe_bf16(&m);
            spe_e4m3(&m);
        }
        if (!strcmp(kind, "Dim")) spe_image(&m, e->number, false, SPE_AccessQualifierReadOnly);
        for (k = 0; k < sizeof carriers / sizeof *carriers; k++) {
            if (!strcmp(kind, carriers[k].kind)) spe_need_(&m, carriers[k].what, carriers[k].value);
        }
        CHECK_MSG(enabled(&m, e), "%s %s lacks a capability of %s", kind, e->name, e->capabilities);
        spe_free(&m);
    }
}

int main(void)
{
    RUN(numbers_agree_with_the_grammar);
    RUN(numbers_agree_with_the_installed_header);
    RUN(capabilities_have_their_extension_and_version);
    RUN(instructions_declare_their_capability);
    RUN(instructions_are_those_of_kernels);
    RUN(enumerants_declare_their_capability);
    RUN(operands_are_enabled_by_what_they_stand_in);
    return test_report();
}
