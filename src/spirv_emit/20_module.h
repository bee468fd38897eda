/* ---- The module: errors, memory, ids --------------------------------------------------------------------------- */

#if defined(__GNUC__)
#define SPE_PRINTF_(text, args) __attribute__((__format__(__printf__, text, args)))
#define SPE_UNLIKELY_(x) __builtin_expect(!!(x), 0)
#else
#define SPE_PRINTF_(text, args)
#define SPE_UNLIKELY_(x) (x)
#endif

typedef uint32_t spe_id; /* 0 is poison */

#define SPE_VERSION(major, minor) (((uint32_t)(major) << 16) | ((uint32_t)(minor) << 8))

/* Every error this header reports: X(name, number, what it means). coopmatrix.h counts from 1000, xetile.h from
 * 2000. */
#define SPE_ERRORS(X)                                                                                                  \
    X(MEMORY, 1, "the allocator returned no memory")                                                                   \
    X(OPTION, 2, "an option has a value that does not exist")                                                          \
    X(VERSION, 3, "the module's SPIR-V version lacks what was asked for")                                              \
    X(LIMIT, 4, "a limit of SPIR-V was exceeded")                                                                      \
    X(NO_VALUE, 5, "an operand is no value (0, or an id that is a type, a label or nothing)")                          \
    X(NO_TYPE, 6, "an id that should be a type is none")                                                               \
    X(TYPE, 7, "operand types disagree, or the operation does not take the type")                                      \
    X(RANGE, 8, "a number does not fit where it is put")                                                               \
    X(SCOPE, 9, "a value is used outside the region or function it was made in")                                       \
    X(NO_FUNCTION, 10, "an instruction stands outside every function")                                                 \
    X(FUNCTION_OPEN, 11, "a function is open where none may be")                                                       \
    X(REGION_OPEN, 12, "a region (if, loop, switch) was left open")                                                    \
    X(REGION_CROSSED, 13, "a region is closed by what does not belong to it")                                          \
    X(CARRIED, 14, "the values carried out of a region disagree in number or type")                                    \
    X(PARAMETER, 15, "a parameter is unknown or of a type a kernel cannot have")                                       \
    X(RETURN, 16, "a return disagrees with the function's type")                                                       \
    X(PROLOGUE, 17, "something stands in the prologue that cannot")                                                    \
    X(NAME, 18, "a name is missing or was used before")                                                                \
    X(FINISHED, 19, "the module is finished")

#define SPE_ERROR_ENUM_(name, number, text) SPE_ERR_##name = number,
enum { SPE_ERR_NONE = 0, SPE_ERRORS(SPE_ERROR_ENUM_) };

/* The first error of a module. id 0: there was none. file and line are those of the last spe_at before it. */
typedef struct {
    int id;
    const char *name; /* "SPE_ERR_TYPE", or what spe_fail was given */
    char text[384];
    const char *file;
    int line;
} spe_error;

typedef enum { SPE_ENV_OPENCL = 0 } spe_env;

typedef struct {
    uint32_t version; /* SPE_VERSION(1, 0) to SPE_VERSION(1, 6); 0: 1.4 */
    spe_env env;      /* 0: OpenCL, 64-bit pointers */
    bool names;       /* write OpName */
    bool lines;       /* write OpLine */
    const char *source; /* name of the source file, written as OpSource; NULL: none */
    void *(*realloc)(void *user, void *p, size_t size); /* NULL: the C library's; size 0 frees */
    void *user;
} spe_options;

typedef struct {
    const uint32_t *data;
    size_t count;
} spe_words;

typedef enum {
    SPE_KIND_NONE, SPE_KIND_VOID, SPE_KIND_BOOL, SPE_KIND_INT, SPE_KIND_FLOAT, SPE_KIND_VECTOR, SPE_KIND_ARRAY,
    SPE_KIND_STRUCT, SPE_KIND_POINTER, SPE_KIND_FUNCTION, SPE_KIND_COOPMAT, SPE_KIND_COOPVEC
} spe_kind;

typedef enum { SPE_IEEE, SPE_BF16, SPE_E4M3, SPE_E5M2 } spe_encoding; /* of a float type */

/* What a type is made of. kind SPE_KIND_NONE: the id is no type. */
typedef struct {
    spe_kind kind;
    uint32_t bits;         /* int, float: width; bool: 1 */
    uint32_t count;        /* vector, array, coopvec: elements; struct: members; function: parameters; scalar: 1 */
    spe_id elem;           /* vector, array, coopmat, coopvec: element; pointer: target; function: return type */
    uint32_t storage;      /* pointer: SPE_StorageClass... */
    spe_encoding encoding; /* float */
    const spe_id *members; /* struct: member types; function: parameter types */
    uint32_t scope, rows, cols, use; /* coopmat */
} spe_type_info;

typedef struct {
    uint32_t *data;
    size_t count, capacity;
} spe_buffer_;

enum { SPE_ID_TYPE_ = 1, SPE_ID_CONSTANT_ = 2, SPE_ID_GLOBAL_ = 4, SPE_ID_FUNCTION_ = 8, SPE_ID_SPEC_ = 16 };

/* What is known of an id. A value of depth d may be used while scope number `serial` is the d-th of the open ones. */
typedef struct {
    uint32_t type;   /* type of a value, 0 for anything else */
    uint32_t aux;    /* type: index in types; constant: index in constants + 1; global variable, function: last user */
    uint32_t serial; /* function: its type */
    uint16_t depth, flags; /* depth of a function: its number */
} spe_record_;

/* Sections of a module in the order of the specification, then the buffers a function is written into. */
enum {
    SPE_SECTION_CAPABILITY_, SPE_SECTION_EXTENSION_, SPE_SECTION_IMPORT_, SPE_SECTION_MODEL_, SPE_SECTION_ENTRY_,
    SPE_SECTION_MODE_, SPE_SECTION_STRING_, SPE_SECTION_NAME_, SPE_SECTION_DECORATION_, SPE_SECTION_GLOBAL_,
    SPE_SECTION_FUNCTION_, SPE_SECTION_COUNT_,
    SPE_BUFFER_VARIABLES_ = SPE_SECTION_COUNT_, SPE_BUFFER_PROLOGUE_, SPE_BUFFER_BODY_, SPE_BUFFER_SLOTS_,
    SPE_BUFFER_UNIQUE_, SPE_BUFFER_SCOPES_, SPE_BUFFER_STACK_, SPE_BUFFER_USES_, SPE_BUFFER_CAPS_, SPE_BUFFER_OUT_,
    SPE_BUFFER_COUNT_
};

/* Built-ins, for spe_builtin. */
typedef enum {
    SPE_GLOBAL_ID, SPE_LOCAL_ID, SPE_GROUP_ID, SPE_GLOBAL_SIZE, SPE_LOCAL_SIZE, SPE_GROUP_COUNT, SPE_GLOBAL_OFFSET,
    SPE_ENQUEUED_LOCAL_SIZE, SPE_WORK_DIM, SPE_GLOBAL_LINEAR_ID, SPE_LOCAL_LINEAR_ID, SPE_SUBGROUP_ID,
    SPE_SUBGROUP_SIZE, SPE_SUBGROUP_COUNT, SPE_SUBGROUP_LANE, SPE_SUBGROUP_MAX_SIZE, SPE_BUILTIN_COUNT_
} spe_builtin_name;

typedef struct { /* a kernel that was written */
    spe_id id;
    uint32_t function;
    const char *name;
} spe_entry_;

typedef struct { /* one if, loop or switch that is open */
    int kind, state, line;
    const char *file;
    spe_id header, preheader, merge, next; /* labels; next: a loop's continue block */
    spe_id index, step;                  /* for: the counter */
    uint32_t count;                      /* values carried */
    uint32_t stack;                      /* where this region's words begin on the stack */
    uint32_t cases;                      /* switch */
    size_t patch, phi;                   /* word offsets in the body */
} spe_region_;

typedef struct spe_chunk_ {
    struct spe_chunk_ *next;
} spe_chunk_;

#define SPE_OPCODES_KNOWN_ 8192

typedef struct {
    spe_options options;
    spe_error error;
    const char *file;
    int line;
    spe_buffer_ buffer[SPE_BUFFER_COUNT_];
    spe_record_ *ids;
    size_t id_count, id_capacity;
    spe_type_info *types;
    size_t type_count, type_capacity;
    uint64_t *constants;
    size_t constant_count, constant_capacity;
    spe_entry_ *entries;
    size_t entry_count, entry_capacity;
    spe_region_ *regions;
    size_t region_count, region_capacity;
    spe_chunk_ *chunks;
    size_t chunk_used, chunk_size, chunk_next;
    uint32_t serial;      /* scopes opened so far */
    uint64_t seen[SPE_OPCODES_KNOWN_ / 64]; /* opcodes whose capabilities are declared */
    spe_id opencl_std;
    spe_id known_int[4], known_float[4], known_bool; /* of 8 << i bits: asked for all the time */
    spe_id builtin_variable[SPE_BUILTIN_COUNT_];
    struct {
        spe_id id, ret, entry, first_param;
        uint32_t index, param_count; /* index counts functions from 1 */
        bool kernel;
        size_t head;                 /* where it begins in the function section */
        spe_id builtin[SPE_BUILTIN_COUNT_][3], builtin_whole[SPE_BUILTIN_COUNT_];
    } fn;
    uint32_t function_count;
    spe_id block;         /* label of the open block; 0: the last one ended (return) */
    bool open, dead, in_prologue, finished;
    const char *line_file, *string_file; /* OpLine in force, and the file whose OpString is string_id */
    int line_line;
    spe_id string_id;
} spe_module;

static inline void *spe_default_realloc_(void *user, void *p, size_t size)
{
    (void)user;
    if (size) return realloc(p, size);
    free(p);
    return NULL;
}

/* The error's meaning in general, for any id of this header; "" for others. */
static inline const char *spe_error_meaning(int id)
{
#define SPE_ERROR_CASE_(name, number, text)                                                                            \
    case number: return text;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "";
    }
#undef SPE_ERROR_CASE_
}

static inline const char *spe_error_name_(int id)
{
#define SPE_ERROR_CASE_(name, number, text)                                                                            \
    case number: return "SPE_ERR_" #name;
    switch (id) {
        SPE_ERRORS(SPE_ERROR_CASE_)
    default: return "?";
    }
#undef SPE_ERROR_CASE_
}

SPE_PRINTF_(4, 0)
static inline void spe_vfail_(spe_module *m, int id, const char *name, const char *format, va_list args)
{
    if (m->error.id) return;
    m->error.id = id;
    m->error.name = name;
    m->error.file = m->file;
    m->error.line = m->line;
    vsnprintf(m->error.text, sizeof m->error.text, format, args);
}

/* Records an error under any id and name, for the headers above this one. The first error of a module stays. */
SPE_PRINTF_(4, 5)
static inline void spe_fail(spe_module *m, int id, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, name, format, args);
    va_end(args);
}

/* Returns 0, so that a caller may `return spe_error_(...)`. */
SPE_PRINTF_(3, 4)
static inline spe_id spe_error_(spe_module *m, int id, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    spe_vfail_(m, id, spe_error_name_(id), format, args);
    va_end(args);
    return 0;
}

/* The first error; its id is 0 while all is well. Never NULL. */
static inline const spe_error *spe_get_error(const spe_module *m) { return &m->error; }

/* file:line: NAME: text, when there is an error. */
static inline void spe_print_error(const spe_error *e, FILE *f)
{
    if (e->id) fprintf(f, "%s:%d: %s: %s\n", e->file ? e->file : "?", e->line, e->name, e->text);
}

/* No error so far? */
static inline bool spe_ok(const spe_module *m) { return m->error.id == 0; }

/* Says where the user's code stands: errors, regions and OpLine use it until the next call. `file` must live as long as
 * the module (a string literal, __FILE__). Returns m. */
static inline spe_module *spe_at(spe_module *m, const char *file, int line)
{
    m->file = file;
    m->line = line;
    return m;
}
#define SPE(m, fn, ...) spe_##fn(spe_at((m), __FILE__, __LINE__), __VA_ARGS__)
#define SPE0(m, fn) spe_##fn(spe_at((m), __FILE__, __LINE__))

/* -- memory: arrays that double, and an arena of chunks that double ---------------------------------------------- */

static inline void *spe_realloc_(spe_module *m, void *p, size_t size)
{
    void *q;
    if (!m->options.realloc) return spe_error_(m, SPE_ERR_OPTION, "the module was not begun, or freed"), (void *)NULL;
    q = (m->options.realloc)(m->options.user, p, size); /* in parentheses: realloc may be a macro of the user's */
    if (!q && size) spe_error_(m, SPE_ERR_MEMORY, "out of memory: no %zu bytes", size);
    return q;
}

/* Makes room for `need` elements in an array; false and an error when there is no memory. */
static inline bool spe_grow_(spe_module *m, void **array, size_t *capacity, size_t need, size_t size, size_t first)
{
    size_t wanted = *capacity ? *capacity : first;
    void *p;
    if (need <= *capacity) return true;
    if (m->error.id) return false;
    while (wanted < need) wanted *= 2;
    p = spe_realloc_(m, *array, wanted * size);
    if (!p) return false;
    *array = p;
    *capacity = wanted;
    return true;
}

/* Appends `count` words of room to a buffer and returns where they begin, NULL when there is no memory. */
static inline uint32_t *spe_push_(spe_module *m, int which, size_t count)
{
    spe_buffer_ *b = &m->buffer[which];
    uint32_t *at;
    if (SPE_UNLIKELY_(b->count + count > b->capacity)) {
        void *p = b->data;
        if (!spe_grow_(m, &p, &b->capacity, b->count + count, sizeof(uint32_t), 128)) return NULL;
        b->data = (uint32_t *)p;
    }
    at = b->data + b->count;
    b->count += count;
    return at;
}

/* Zeroed memory that lives until spe_free: for what a user of the module keeps along with it. NULL and an error when
 * there is none. */
static inline void *spe_alloc(spe_module *m, size_t bytes)
{
    const size_t head = (sizeof(spe_chunk_) + 15) / 16 * 16;
    char *at;
    if (m->error.id) return NULL;
    if (bytes > SIZE_MAX / 4)
        return spe_error_(m, SPE_ERR_MEMORY, "out of memory: no %zu bytes", bytes), (void *)NULL;
    bytes = bytes ? (bytes + 15) / 16 * 16 : 16;
    if (!m->chunks || m->chunk_used + bytes > m->chunk_size) {
        size_t size = m->chunk_next ? m->chunk_next : 4096;
        spe_chunk_ *chunk;
        while (size < head + bytes) size *= 2;
        chunk = (spe_chunk_ *)spe_realloc_(m, NULL, size);
        if (!chunk) return NULL;
        chunk->next = m->chunks;
        m->chunks = chunk;
        m->chunk_used = head;
        m->chunk_size = size;
        m->chunk_next = size * 2;
    }
    at = (char *)m->chunks + m->chunk_used;
    m->chunk_used += bytes;
    memset(at, 0, bytes);
    return at;
}

static inline const char *spe_copy_text_(spe_module *m, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)spe_alloc(m, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* -- words ------------------------------------------------------------------------------------------------------- */

static inline uint32_t spe_text_words_(const char *text) { return (uint32_t)(strlen(text) / 4 + 1); }

/* Little-endian bytes in words, as SPIR-V wants, whatever the host's order. */
static inline void spe_put_text_(uint32_t *at, const char *text)
{
    size_t i, n = strlen(text);
    memset(at, 0, spe_text_words_(text) * sizeof *at);
    for (i = 0; i < n; i++) at[i / 4] |= (uint32_t)(unsigned char)text[i] << (i % 4 * 8);
}

/* Appends an instruction of `count` operand words to a section; returns the operands' place. */
static inline uint32_t *spe_put_(spe_module *m, int section, uint32_t op, uint32_t count)
{
    uint32_t *at;
    if (m->error.id) return NULL;
    if (m->finished)
        return spe_error_(m, SPE_ERR_FINISHED, "the module is finished: nothing can be added"), (uint32_t *)NULL;
    if (count > 65534)
        return spe_error_(m, SPE_ERR_LIMIT, "an instruction of %u words; SPIR-V allows 65535", count + 1),
               (uint32_t *)NULL;
    at = spe_push_(m, section, count + 1);
    if (!at) return NULL;
    *at = (count + 1) << 16 | op;
    return at + 1;
}

/* A new id: depth 0 is for everybody, else the value belongs to that open scope. 0 when there is no memory. */
static inline spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth)
{
    spe_record_ *r;
    if (SPE_UNLIKELY_(m->id_count >= m->id_capacity)) {
        void *p = m->ids;
        if (m->id_count >= 0x3fffff) return spe_error_(m, SPE_ERR_LIMIT, "more than 4194303 ids");
        if (!spe_grow_(m, &p, &m->id_capacity, m->id_count + 1, sizeof *m->ids, 256)) return 0;
        m->ids = (spe_record_ *)p;
    }
    r = &m->ids[m->id_count];
    r->type = type;
    r->aux = 0;
    r->depth = (uint16_t)depth;
    r->flags = (uint16_t)flags;
    r->serial = m->buffer[SPE_BUFFER_SCOPES_].data[depth];
    return (spe_id)m->id_count++;
}

static inline uint32_t spe_depth_(const spe_module *m) /* of what is written now */
{
    return m->in_prologue ? 1 : (uint32_t)m->buffer[SPE_BUFFER_SCOPES_].count - 1;
}

/* Regions within each other; the scopes of the module and of the function are not regions. */
enum { SPE_MAX_DEPTH_ = 65000 };

static inline bool spe_scope_push_(spe_module *m)
{
    uint32_t *at =
        m->buffer[SPE_BUFFER_SCOPES_].count < SPE_MAX_DEPTH_ + 3 ? spe_push_(m, SPE_BUFFER_SCOPES_, 1) : NULL;
    if (!at) return spe_error_(m, SPE_ERR_LIMIT, "regions nested more than %d deep", (int)SPE_MAX_DEPTH_), false;
    *at = m->serial++;
    return true;
}

static inline void spe_scope_pop_(spe_module *m) { m->buffer[SPE_BUFFER_SCOPES_].count--; }

/* A scope of the same depth and a new number: what the old one held is out of reach. */
static inline void spe_scope_renew_(spe_module *m)
{
    spe_buffer_ *b = &m->buffer[SPE_BUFFER_SCOPES_];
    b->data[b->count - 1] = m->serial++;
}

/* Starts a module. `o` NULL: the defaults. m is taken to hold nothing yet (free an older module first). False and an
 * error (SPE_ERR_OPTION, SPE_ERR_MEMORY) when it cannot; spe_free is right to call then too. */
static inline bool spe_begin(spe_module *m, const spe_options *o)
{
    memset(m, 0, sizeof *m);
    if (o) m->options = *o;
    if (!m->options.realloc) m->options.realloc = spe_default_realloc_;
    if (!m->options.version) m->options.version = SPE_VERSION(1, 4);
    m->id_count = 1;
    if (m->options.version < SPE_VERSION(1, 0) || m->options.version > SPE_VERSION(1, 6) || (m->options.version & 0xff))
        return spe_error_(m, SPE_ERR_OPTION, "version 0x%x is not SPE_VERSION(1, 0) to SPE_VERSION(1, 6)",
                          m->options.version), false;
    if (m->options.env != SPE_ENV_OPENCL)
        return spe_error_(m, SPE_ERR_OPTION, "env %d is not an environment of this header", (int)m->options.env), false;
    return spe_scope_push_(m);
}

/* Gives all memory back. Also right for a zeroed module, for a failed one, and twice. */
static inline void spe_free(spe_module *m)
{
    int i;
    if (!m->options.realloc) return;
#define SPE_FREE_(p) ((p) ? (void)(m->options.realloc)(m->options.user, (p), 0) : (void)0)
    for (i = 0; i < SPE_BUFFER_COUNT_; i++) SPE_FREE_(m->buffer[i].data);
    SPE_FREE_(m->ids);
    SPE_FREE_(m->types);
    SPE_FREE_(m->constants);
    SPE_FREE_(m->entries);
    SPE_FREE_(m->regions);
    while (m->chunks) {
        spe_chunk_ *next = m->chunks->next;
        SPE_FREE_(m->chunks);
        m->chunks = next;
    }
#undef SPE_FREE_
    memset(m, 0, sizeof *m);
}

