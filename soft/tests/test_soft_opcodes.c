/* test_soft_opcodes.c - the code generator supports every instruction that the reader accepts. For each row of the
 * table of rules, kernels are generated with operands as the row requires, of several widths and lengths, uniform or
 * not. The code generator must accept what the reader accepts, with and without the checked mode, and at least one
 * kernel per row must be accepted. The first and the last of each row are compiled. */
#include "abi.h"
#include "build/build.h"
#include "c/generate.h"
#include "spirv/reader.h"
#include "soft/bindless.h"
#include "spirv_emit.h"
#include "test.h"

enum { LAST_OPCODE = SP_RULE_OPS, KERNELS_A_MODULE = 48 };

/* Sources of operands. */
struct variant {
    uint32_t int_bits, float_bits, count;
    bool varying;
};
static const struct variant variants[] = {
    {32, 32, 1, true},  {32, 32, 4, true}, {8, 16, 4, true},  {16, 32, 1, true},  {64, 64, 1, true},
    {32, 32, 1, false}, {8, 32, 1, true},  {16, 64, 2, true}, {64, 16, 8, false}, {32, 64, 3, false},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

struct writer {
    spe_module *m;
    const struct variant *v;
    spe_id item, operand_type[16], result;
};

static spe_id any_int(struct writer *w) { return spe_int(w->m, w->v->int_bits); }
static spe_id any_float(struct writer *w) { return spe_float(w->m, w->v->float_bits); }
static spe_id of_count(struct writer *w, spe_id t) { return w->v->count > 1 ? spe_vec(w->m, t, w->v->count) : t; }
static spe_id vector_of(struct writer *w, spe_id t) { return spe_vec(w->m, t, w->v->count > 1 ? w->v->count : 4); }

/* A value of any type, from the work-item's number. */
static spe_id value_of(struct writer *w, spe_id type)
{
    spe_module *m = w->m;
    spe_id scalar = spe_scalar_of(m, type), item = w->item;
    spe_kind kind = spe_info(m, scalar).kind;
    if (kind == SPE_KIND_BOOL)
        item = spe_ult(m, item, spe_u32(m, 3));
    else
        item = spe_cast(m, scalar, item, false);
    return scalar == type ? item : spe_splat(m, type, item);
}

static spe_id pointer_to(struct writer *w, spe_id elem) { return spe_ptr_cast(w->m, spe_param_id(w->m, 0), elem); }

/* ---- operands by the words of a rule */

static bool is_any_of(char c, const char *letters) { return c && strchr(letters, c); }

/* The type that a word asks for; 0: a literal. */
static spe_id type_of_word(struct writer *w, const char *word)
{
    spe_module *m = w->m;
    const char *relation = is_any_of(*word, "=#_^>@?0123456789") ? word : word + 1;
    spe_type_info result = spe_info(m, w->result);
    switch (*relation) {
    case '=': return w->result;
    case '_': return spe_scalar_of(m, w->result);
    case '^': return vector_of(w, w->result);
    case '?': return spe_bool(m);
    case '@': return spe_info(m, w->operand_type[relation[1] - '0']).elem;
    case '#': {
        spe_id scalar = *word == 'f' ? any_float(w) : *word == 'b' ? spe_bool(m) : any_int(w);
        return result.kind == SPE_KIND_VECTOR ? spe_vec(m, scalar, result.count) : scalar;
    }
    default: break;
    }
    if (is_any_of(*relation, "0123456789")) return w->operand_type[*relation - '0'];
    switch (*word) {
    case 'i': return of_count(w, any_int(w));
    case 'f':
    case 'n':
    case 'v': return of_count(w, any_float(w));
    case 'b': return of_count(w, spe_bool(m));
    case 'I':
    case 'K': return any_int(w);
    case 'F':
    case 'N': return any_float(w);
    case 'B': return spe_bool(m);
    case 's': return spe_int(m, 32);
    case 'V': return vector_of(w, any_float(w));
    case 'U': return spe_vec(m, spe_int(m, 32), 4);
    case 'a': return of_count(w, any_int(w));
    default: return 0;
    }
}

static const char *next_word(const char *w)
{
    while (*w && *w != ' ') w++;
    while (*w == ' ') w++;
    return w;
}

/* One operand; its type is noted. `pointee`: of pointers whose rule does not say what they point to. */
static spe_id operand_of_word(struct writer *w, const char *word, uint32_t k, spe_id pointee)
{
    spe_id v;
    if (*word == '.') return 0;
    if (*word == 'p')
        v = is_any_of(word[1], "0123456789") ? pointer_to(w, spe_info(w->m, w->operand_type[word[1] - '0']).elem)
                                             : pointer_to(w, word[1] == '>' ? w->result : pointee);
    else if (*word == 's') /* a subgroup; as semantics: acquire and release */
        v = spe_u32(w->m, k == 0 || (word[1] == ' ' && word[2] == 's') ? 3 : 8);
    else if (*word == 'K')
        v = spe_const_u(w->m, any_int(w), 4);
    else
        v = value_of(w, type_of_word(w, word));
    w->operand_type[k] = spe_type_of(w->m, v);
    return v;
}

/* The instruction, with the operands its rule must have. */
static void write_by_words(struct writer *w, uint32_t op, const char *words, spe_id pointee)
{
    uint32_t operand[16] = {0}, count = 0;
    const char *word = words;
    w->result = 0;
    if (*word == 'p')
        w->result = spe_ptr(w->m, SPE_StorageClassCrossWorkgroup, pointee);
    else if (*word != '-')
        w->result = type_of_word(w, word);
    for (word = next_word(word); *word && *word != '*' && *word != '|'; word = next_word(word)) {
        operand[count] = operand_of_word(w, word, count, pointee);
        count++;
    }
    if (w->result)
        spe_op(w->m, op, w->result, count, operand);
    else
        spe_op_void(w->m, op, count, operand);
}

/* ---- not expressed by words: blocks and matrices */

static void write_block(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id mine = spe_local_var(m, spe_array(m, spe_int(m, 32), 8)), zero = spe_builtin(m, SPE_GROUP_ID, 0);
    spe_block2d b = {4, 8, 8, 1, pointer_to(w, spe_int(m, 32)), spe_i32(m, 64), spe_i32(m, 8), spe_i32(m, 64), 0, 0};
    b.pos_x = b.pos_y = zero;
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL: spe_block2d_load(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL: spe_block2d_load_transpose(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockStoreINTEL: spe_block2d_store(m, &b, mine); return;
    case SP_OP_Subgroup2DBlockPrefetchINTEL: spe_block2d_prefetch(m, &b); return;
    default:
        b.elem_bytes = 2;
        b.width = 16;
        spe_block2d_load_transform(m, &b, mine);
    }
}

static void write_product(struct writer *w)
{
    spe_module *m = w->m;
    spe_id sum = value_of(w, spe_vec(m, spe_float(m, 32), 8));
    spe_dpas(m, spe_type_of(m, sum), 16, value_of(w, spe_vec(m, spe_int(m, 16), 8)),
             value_of(w, spe_vec(m, spe_int(m, 32), 8)), sum,
             SPE_MatrixMultiplyAccumulateOperandsMatrixAPackedFloat16INTEL |
                 SPE_MatrixMultiplyAccumulateOperandsMatrixBPackedFloat16INTEL);
}

static void write_matrix(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id half = spe_float(m, 16), f32 = spe_float(m, 32), stride = spe_u32(m, 16);
    spe_id a = spe_coopmat(m, half, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAKHR);
    spe_id b = spe_coopmat(m, half, SPE_ScopeSubgroup, 16, 16, SPE_CooperativeMatrixUseMatrixBKHR);
    spe_id c = spe_coopmat(m, f32, SPE_ScopeSubgroup, 8, 16, SPE_CooperativeMatrixUseMatrixAccumulatorKHR);
    spe_id sum = spe_coop_load(m, c, pointer_to(w, f32), 0, stride), scale = value_of(w, f32);
    if (op == SP_OP_CooperativeMatrixStoreKHR) spe_coop_store(m, pointer_to(w, f32), sum, 1, stride);
    if (op == SP_OP_CooperativeMatrixLengthKHR) spe_coop_length(m, c);
    if (op == SP_OP_MatrixTimesScalar) spe_op(m, op, c, 2, (const uint32_t[]){sum, scale});
    if (op == SP_OP_CooperativeMatrixMulAddKHR)
        spe_coop_mma(m, spe_coop_load(m, a, pointer_to(w, half), 0, stride),
                     spe_coop_load(m, b, pointer_to(w, half), 0, stride), sum, 0);
}

static void write_control(struct writer *w, uint32_t op)
{
    spe_module *m = w->m;
    spe_id condition = value_of(w, spe_bool(m));
    static const int64_t literals[] = {1, 2};
    if (op == SP_OP_Switch) {
        spe_switch(m, value_of(w, spe_int(m, 32)), 2, literals);
        for (uint32_t i = 0; i < 2; i++) {
            spe_case(m, i);
            spe_endcase(m, 0, NULL);
        }
        spe_endswitch(m, 0, NULL);
        return;
    }
    spe_if(m, condition);
    if (op == SP_OP_Return) spe_return(m);
    spe_endif(m, 0, NULL, NULL);
}

/* False: it needs no special form. */
static bool write_apart(struct writer *w, uint32_t op)
{
    switch (op) {
    case SP_OP_Subgroup2DBlockLoadINTEL:
    case SP_OP_Subgroup2DBlockLoadTransformINTEL:
    case SP_OP_Subgroup2DBlockLoadTransposeINTEL:
    case SP_OP_Subgroup2DBlockPrefetchINTEL:
    case SP_OP_Subgroup2DBlockStoreINTEL: write_block(w, op); return true;
    case SP_OP_SubgroupMatrixMultiplyAccumulateINTEL: write_product(w); return true;
    case SP_OP_MatrixTimesScalar:
    case SP_OP_CooperativeMatrixLoadKHR:
    case SP_OP_CooperativeMatrixStoreKHR:
    case SP_OP_CooperativeMatrixMulAddKHR:
    case SP_OP_CooperativeMatrixLengthKHR: write_matrix(w, op); return true;
    case SP_OP_Branch:
    case SP_OP_BranchConditional:
    case SP_OP_Switch:
    case SP_OP_Return: write_control(w, op); return true;
    case SP_OP_Variable: spe_local_var(w->m, any_int(w)); return true;
    case SP_OP_SampledImage:
    case SP_OP_ImageSampleExplicitLod:
    case SP_OP_ImageRead:
    case SP_OP_ImageWrite:
    case SP_OP_ImageQuerySizeLod:
    case SP_OP_ImageQuerySize:
    case SP_OP_ImageQueryFormat:
    case SP_OP_ImageQueryOrder:
    case SP_OP_ImageQueryLevels:
    case SP_OP_ConvertHandleToImageINTEL:
    case SP_OP_ConvertHandleToSampledImageINTEL: return true; /* in tests/opencl/images.cl, tests/soft/bindless.h */
    case SP_OP_CompositeConstruct:
        spe_splat(w->m, spe_vec(w->m, any_float(w), 4), value_of(w, any_float(w)));
        return true;
    case SP_OP_IAddCarry:
    case SP_OP_ISubBorrow:
    case SP_OP_UMulExtended:
    case SP_OP_SMulExtended: {
        spe_id t = of_count(w, any_int(w)), v = value_of(w, t), two[] = {t, t};
        spe_op(w->m, op, spe_struct(w->m, 2, two), 2, (const uint32_t[]){v, v});
        return true;
    }
    default: return false;
    }
}

/* ---- kernels and modules */

enum { POINTEES = 3 }; /* types to try for a pointer whose type the rule leaves open */

static void write_kernel(struct writer *w, uint32_t op, const char *name, uint32_t pointee)
{
    spe_module *m = w->m;
    spe_param param;
    spe_kernel kernel;
    memset(&param, 0, sizeof param);
    memset(&kernel, 0, sizeof kernel);
    param.type = spe_ptr(m, SPE_StorageClassCrossWorkgroup, spe_int(m, 32));
    kernel.name = name;
    kernel.params = &param;
    kernel.param_count = 1;
    kernel.subgroup_size = 16;
    spe_kernel_begin(m, &kernel);
    w->item = spe_builtin(m, w->v->varying ? SPE_GLOBAL_ID : SPE_GROUP_ID, 0);
    spe_id elems[POINTEES] = {of_count(w, any_int(w)), of_count(w, any_float(w)), of_count(w, spe_int(m, 32))};
    if (!write_apart(w, op)) write_by_words(w, op, sp_rule_words(op), elems[pointee]);
    spe_kernel_end(m);
}

static struct {
    bool op[LAST_OPCODE], ext[256];
} seen;

static void note_module(const struct sp_module *m)
{
    for (uint32_t f = 0; f < m->function_count; f++)
        for (uint32_t b = 0; b < m->functions[f].block_count; b++)
            for (uint32_t k = 0; k < m->functions[f].blocks[b].count; k++) {
                const struct sp_inst *i = &m->functions[f].blocks[b].inst[k];
                if (i->op < LAST_OPCODE) seen.op[i->op] = true;
                if (i->op == SP_OP_ExtInst && i->operand[0] == m->opencl_std && i->operand[1] < 256)
                    seen.ext[i->operand[1]] = true;
            }
}

/* The module read from the words; NULL: refused. */
static struct sp_module *parse(const uint32_t *words, size_t count, const char *what)
{
    struct sp_text log = {0};
    struct sp_module *m = sp_parse(words, count, NULL, 0, true, &log);
    if (getenv("TEST_VERBOSE") && !m) printf("  %s: %s", what, log.data ? log.data : "");
    sp_text_free(&log);
    return m;
}

static bool quick; /* the tier */

/* Generates code for an accepted module, in both modes. False: the reader refuses it. */
static bool generate(const uint32_t *words, size_t count, const char *what, struct sp_text *c)
{
    struct sp_text log = {0};
    struct sp_module *m = parse(words, count, what);
    bool taken = m != NULL;
    for (int check = 0; m && check < 2; check++) {
        struct cg_options options = {.default_subgroup_size = 16, .check = check, .quick = quick};
        struct sp_text text = {0};
        bool good = cg_generate(m, &options, &text, &log);
        CHECK_MSG(good, "%s%s: %s", what, check ? ", checked" : "", log.data ? log.data : "");
        if (good && !check) note_module(m);
        if (good && !check && c)
            *c = text;
        else
            sp_text_free(&text);
    }
    sp_free(m);
    sp_text_free(&log);
    return taken;
}

enum { WAYS = VARIANTS * POINTEES, EXTREMES = 2 };

static void write_way(spe_module *m, uint32_t op, const char *name, uint32_t way)
{
    struct writer w = {.m = m, .v = &variants[way % VARIANTS]};
    write_kernel(&w, op, name, way / VARIANTS);
}

static bool reader_takes(uint32_t op, uint32_t way)
{
    spe_module m;
    struct sp_module *read = NULL;
    spe_begin(&m, NULL);
    write_way(&m, op, "k", way);
    spe_words words = spe_finish(&m);
    if (words.data) read = parse(words.data, words.count, sp_op_name(op));
    bool takes = read != NULL;
    sp_free(read);
    spe_free(&m);
    return takes;
}

/* One module has all accepted forms of the instruction: most of the time is spent on its common parts. */
static void generate_ways(uint32_t op, const bool *takes)
{
    spe_module m;
    char name[16];
    spe_begin(&m, NULL);
    for (uint32_t way = 0; way < WAYS; way++) {
        if (!takes[way]) continue;
        snprintf(name, sizeof name, "k%u", way);
        write_way(&m, op, name, way);
    }
    spe_words words = spe_finish(&m);
    CHECK_MSG(words.data && generate(words.data, words.count, sp_op_name(op), NULL), "%s in all ways at once: %s",
              sp_op_name(op), spe_get_error(&m)->text);
    spe_free(&m);
}

/* The first and the last accepted form of an instruction, + 1; 0: none. */
static uint8_t taken[LAST_OPCODE][EXTREMES];

TEST(what_the_reader_takes_is_generated)
{
    for (uint32_t op = 0; op < LAST_OPCODE; op++) {
        bool takes[WAYS] = {false};
        for (uint32_t way = 0; sp_rule_words(op) && way < WAYS; way++) {
            takes[way] = reader_takes(op, way);
            if (takes[way]) taken[op][taken[op][0] != 0] = (uint8_t)(way + 1);
        }
        if (taken[op][0]) generate_ways(op, takes);
    }
}

/* Kernels of compilers and assemblers have what takes more than fitting types: indices, casts, shuffles, calls. */
TEST(what_compilers_write_is_generated)
{
    static const char *const names[] = {"arithmetic", "atomics",   "blocks",  "casts",
                                        "compilers",  "copies",    "convert", "extended",
                                        "flow",       "groups",    "integer", "integer_functions",
                                        "lanes",      "leftovers", "math",    "memory_unoptimised",
                                        "pointers",   "printing",  "program", "vectors",
                                        "beginnings", "images",    "images_unoptimised"};
    static uint32_t words[1 << 20];
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char path[256];
        snprintf(path, sizeof path, "tests/opencl/%s.spv", names[n]);
        FILE *f = fopen(path, "rb");
        size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
        if (f) fclose(f);
        CHECK_MSG(count && generate(words, count, names[n], NULL), "%s", path);
    }
    CHECK(generate(bindless_kernel, sizeof bindless_kernel / 4, "bindless", NULL));
}

TEST(no_instruction_is_left_out)
{
    for (uint32_t op = 0; op < LAST_OPCODE; op++)
        CHECK_MSG(!sp_rule_words(op) || seen.op[op], "no test kernel that is taken has Op%s", sp_op_name(op) + 2);
    for (uint32_t n = 0; n < 256; n++)
        CHECK_MSG(!sp_ext_name(n) || seen.ext[n], "no test kernel has %s of OpenCL.std", sp_ext_name(n));
}

/* The kernels of one module, from instruction *at on. */
static uint32_t write_module(spe_module *m, uint32_t *at, uint32_t which)
{
    uint32_t count = 0;
    char name[16];
    for (; *at < LAST_OPCODE && count < KERNELS_A_MODULE; (*at)++) {
        uint32_t way = taken[*at][which];
        if (way == 0) continue;
        snprintf(name, sizeof name, "k%u", *at);
        write_way(m, *at, name, way - 1);
        count++;
    }
    return count;
}

/* The last forms, in the sample, in the quick tier. */
static void compile_all(uint32_t which)
{
    quick = which && !test_thorough();
    for (uint32_t at = 0; at < LAST_OPCODE;) {
        spe_module m;
        struct sp_text c = {0}, log = {0};
        struct jit_object object = {0};
        spe_begin(&m, NULL);
        uint32_t count = write_module(&m, &at, which);
        spe_words words = spe_finish(&m);
        CHECK_MSG(words.data && generate(words.data, words.count, "many kernels", &c), "%s", spe_get_error(&m)->text);
        CHECK_MSG(c.data && jit_compile(c.data, c.size, NULL, NULL, &object, &log), "%s", log.data ? log.data : "");
        if (object.module) CHECK_INT(object.module->kernel_count, count);
        jit_unload(&object);
        sp_text_free(&c);
        sp_text_free(&log);
        spe_free(&m);
    }
}

TEST(what_is_generated_compiles)
{
    for (uint32_t which = 0; which < EXTREMES; which++) compile_all(which);
}

int main(void)
{
    RUN(what_the_reader_takes_is_generated);
    RUN(what_compilers_write_is_generated);
    RUN(no_instruction_is_left_out);
    RUN(what_is_generated_compiles);
    return test_report();
}
