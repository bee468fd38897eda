/* internal.h - declarations shared by the bodies of spirv_emit.h only. */
#define XETILE_SEPARATE_
#include "../spirv_emit.h"

enum { SPE_ID_TYPE_ = 1, SPE_ID_CONSTANT_ = 2, SPE_ID_GLOBAL_ = 4, SPE_ID_FUNCTION_ = 8, SPE_ID_SPEC_ = 16 };

/* -- core.c -- */
XETILE_PRIVATE uint32_t *spe_push_(spe_module *m, int which, size_t count);
XETILE_PRIVATE uint32_t *spe_put_(spe_module *m, int section, uint32_t op, size_t count);
XETILE_PRIVATE bool spe_write_(spe_module *m, int section, uint32_t op, int n, ...) /* n words */;
XETILE_PRIVATE bool spe_write_words_(spe_module *m, int section, uint32_t op, uint32_t n, const uint32_t *words,
                                     uint32_t more, const uint32_t *rest);
XETILE_PRIVATE spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth);
XETILE_PRIVATE spe_id spe_new_label_(spe_module *m);
XETILE_PRIVATE uint32_t spe_depth_(const spe_module *m) /* of the current position */;
XETILE_PRIVATE const spe_type_info *spe_info_(const spe_module *m, spe_id type) /* NULL: no type */;
XETILE_PRIVATE spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t flags, uint32_t n, const uint32_t *w);
enum { SPE_RECENT_VECTOR_ = 0x40000000 };
XETILE_PRIVATE spe_id *spe_recent_of_(spe_module *m, uint32_t type, uint64_t bits);
XETILE_PRIVATE spe_id spe_operand_(spe_module *m, spe_id value) /* its type */;
XETILE_PRIVATE bool spe_ready_(spe_module *m);
XETILE_PRIVATE void spe_label_(spe_module *m, spe_id label, bool dead);
XETILE_PRIVATE spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);

/* -- core.c and forms.c: instructions by the letters of SPE_INSTRUCTIONS_ -- */
/* The state of checking an instruction's operands. */
typedef struct {
    spe_id first, pointee, given; /* type of the first value, target of the last pointer, requested type */
    uint32_t count, words[16];
} spe_call_;
XETILE_PRIVATE uint32_t spe_values_(spe_module *m, spe_call_ *c, const char *form, const uint32_t *args);
XETILE_PRIVATE bool spe_is_(spe_module *m, char letter, spe_id type);
XETILE_PRIVATE spe_id spe_check_(spe_module *m, const char *name, const char *letters, ...) /* first one's type */;
XETILE_PRIVATE spe_id spe_bool_like_(spe_module *m, spe_id type);
XETILE_PRIVATE spe_id spe_result_(spe_module *m, const spe_call_ *c, char letter);
XETILE_PRIVATE spe_id spe_simplify_(spe_module *m, uint32_t op, spe_id type, const char *rule, const spe_call_ *c);
XETILE_PRIVATE spe_id spe_instruction_(spe_module *m, const char *name, uint32_t op, const char *form,
                                       const uint32_t *args);
XETILE_PRIVATE spe_id spe_convert_(spe_module *m, const char *name, uint32_t op, const char *form, spe_id type,
                                   spe_id v);

/* -- module.c -- */
/* Reports an error of the call m->doing, or, with SPE_ERROR_, of the enclosing function. Both return 0. */
XETILE_PRIVATE SPE_PRINTF(3, 4) spe_id spe_error_(spe_module *m, int id, const char *format, ...);
#define SPE_ERROR_(m, id, ...) ((m)->doing = __func__, spe_error_(m, SPE_ERR_##id, __VA_ARGS__))
XETILE_PRIVATE spe_id spe_disagree_(spe_module *m, spe_id a, spe_id b) /* two types */;
XETILE_PRIVATE const char *spe_text_(spe_module *m, spe_id type) /* for messages; the last two remain valid */;
XETILE_PRIVATE bool spe_grow_(spe_module *m, void *array, size_t *capacity, size_t need, size_t size, size_t first);
XETILE_PRIVATE void *spe_copied_(spe_module *m, const void *from, size_t size);
XETILE_PRIVATE uint32_t spe_text_words_(const char *text);
XETILE_PRIVATE void spe_put_text_(uint32_t *at, const char *text);
XETILE_PRIVATE spe_id spe_string_(spe_module *m, const char *text);
XETILE_PRIVATE bool spe_scope_push_(spe_module *m);
XETILE_PRIVATE void spe_scope_pop_(spe_module *m);
XETILE_PRIVATE void spe_scope_renew_(spe_module *m);

/* -- needs.c -- */
/* Things with needs: types by width, encoding, count; enumerants; instructions (by number, some also by variant). */
enum { SPE_NEED_NOTHING_, SPE_NEED_INT_, SPE_NEED_FLOAT_, SPE_NEED_ENCODING_, SPE_NEED_VECTOR_, SPE_NEED_COOP_,
       SPE_NEED_COOPVEC_, SPE_NEED_BUILTIN_, SPE_NEED_DECORATION_, SPE_NEED_MODE_, SPE_NEED_STORAGE_, SPE_NEED_OP_,
       SPE_NEED_OP_ACROSS_, SPE_NEED_OP_CLUSTERED_, SPE_NEED_OP_16_, SPE_NEED_OP_32_, SPE_NEED_OP_64_,
       SPE_NEED_OP_BF16_, SPE_NEED_END_ };
XETILE_PRIVATE bool spe_declares_(const spe_module *m, uint32_t capability);
XETILE_PRIVATE void spe_need_(spe_module *m, uint32_t kind, uint32_t number);
XETILE_PRIVATE void spe_need_op_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);

/* -- types.c, constants.c, host.c -- */
XETILE_PRIVATE const spe_type_info *spe_want_type_(spe_module *m, const char *name, spe_id type);
XETILE_PRIVATE uint32_t spe_part_count_(const spe_type_info *t) /* of a composite; 0: not a composite */;
XETILE_PRIVATE uint64_t spe_mask_(uint32_t bits);
XETILE_PRIVATE int64_t spe_signed_(uint64_t x, uint32_t bits);
XETILE_PRIVATE spe_id spe_const_scalar_(spe_module *m, spe_id type, uint64_t bits);
XETILE_PRIVATE spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16]);
XETILE_PRIVATE bool spe_encode_scalar_(const spe_type_info *t, double value, uint64_t *bits);

/* -- instructions.c, functions.c, flow.c -- */
XETILE_PRIVATE uint32_t spe_access_(spe_module *m, spe_id type, uint32_t align, bool is_volatile, uint32_t *w);
XETILE_PRIVATE void spe_use_(spe_module *m, spe_id id);
XETILE_PRIVATE bool spe_may_branch_(spe_module *m, const char *name);
XETILE_PRIVATE void spe_region_left_open_(spe_module *m);
