/* internal.h - what the bodies of spirv_emit.h share with each other and with nobody else. */
#define XETILE_SEPARATE_
#include "../spirv_emit.h"

enum { SPE_ID_TYPE_ = 1, SPE_ID_CONSTANT_ = 2, SPE_ID_GLOBAL_ = 4, SPE_ID_FUNCTION_ = 8, SPE_ID_SPEC_ = 16 };

XETILE_PRIVATE SPE_PRINTF(3, 4) spe_id spe_error_(spe_module *m, int id, const char *format, ...);

XETILE_PRIVATE bool spe_grow_(spe_module *m, void **array, size_t *capacity, size_t need, size_t size, size_t first);
XETILE_PRIVATE uint32_t *spe_push_(spe_module *m, int which, size_t count);
XETILE_PRIVATE const char *spe_copy_text_(spe_module *m, const char *text);
XETILE_PRIVATE uint32_t spe_text_words_(const char *text);
XETILE_PRIVATE void spe_put_text_(uint32_t *at, const char *text);
XETILE_PRIVATE uint32_t *spe_put_(spe_module *m, int section, uint32_t op, uint32_t count);
XETILE_PRIVATE spe_id spe_new_id_(spe_module *m, spe_id type, uint32_t flags, uint32_t depth);
XETILE_PRIVATE uint32_t spe_depth_(const spe_module *m) /* of what is written now */;
XETILE_PRIVATE bool spe_scope_push_(spe_module *m);
XETILE_PRIVATE void spe_scope_pop_(spe_module *m);
XETILE_PRIVATE void spe_scope_renew_(spe_module *m);

/* What has needs: types by width, encoding, count; enumerants; instructions (by number, some by a variant too). */
enum { SPE_NEED_NOTHING_, SPE_NEED_INT_, SPE_NEED_FLOAT_, SPE_NEED_ENCODING_, SPE_NEED_VECTOR_, SPE_NEED_STORAGE_,
       SPE_NEED_BUILTIN_, SPE_NEED_DECORATION_, SPE_NEED_MODE_, SPE_NEED_COOP_, SPE_NEED_COOPVEC_, SPE_NEED_OP_,
       SPE_NEED_OP_ACROSS_, SPE_NEED_OP_CLUSTERED_, SPE_NEED_OP_16_, SPE_NEED_OP_32_, SPE_NEED_OP_64_,
       SPE_NEED_OP_BF16_ };

XETILE_PRIVATE bool spe_declares_(const spe_module *m, uint32_t capability);
XETILE_PRIVATE void spe_need_(spe_module *m, uint32_t what, uint32_t value);
XETILE_PRIVATE void spe_need_op_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);
XETILE_PRIVATE const spe_type_info *spe_info_(const spe_module *m, spe_id type);
XETILE_PRIVATE spe_id spe_unique_(spe_module *m, uint32_t op, uint32_t n, const uint32_t *w, bool *fresh);
XETILE_PRIVATE const spe_type_info *spe_want_type_(spe_module *m, const char *fn, spe_id type);
XETILE_PRIVATE uint64_t spe_mask_(uint32_t bits);
XETILE_PRIVATE spe_id spe_const_scalar_(spe_module *m, spe_id type, uint64_t bits);
XETILE_PRIVATE uint32_t spe_part_count_(const spe_type_info *t);
XETILE_PRIVATE spe_id *spe_repeat_(spe_module *m, spe_id id, uint32_t n, spe_id few[16]);
XETILE_PRIVATE void spe_use_(spe_module *m, spe_id id);
XETILE_PRIVATE spe_id spe_operand_(spe_module *m, const char *fn, spe_id value);
XETILE_PRIVATE spe_id spe_string_(spe_module *m, const char *text);
XETILE_PRIVATE void spe_label_(spe_module *m, spe_id label, bool dead);
XETILE_PRIVATE bool spe_ready_(spe_module *m);
XETILE_PRIVATE spe_id spe_emit_(spe_module *m, uint32_t op, spe_id type, uint32_t n, const uint32_t *operands);

enum {
    SPE_TAKES_INT_ = 1 << SPE_KIND_INT,
    SPE_TAKES_FLOAT_ = 1 << SPE_KIND_FLOAT,
    SPE_TAKES_BOOL_ = 1 << SPE_KIND_BOOL,
    SPE_TAKES_PTR_ = 1 << SPE_KIND_POINTER,
    SPE_TAKES_SMALL_ = 1 << 30 /* with FLOAT: bf16, e4m3 and e5m2 types too, which have no arithmetic */
};

XETILE_PRIVATE bool spe_takes_(spe_module *m, const char *fn, uint32_t kinds, spe_id type);
XETILE_PRIVATE bool spe_takes_one_(spe_module *m, const char *fn, uint32_t kinds, spe_id type);
XETILE_PRIVATE spe_id spe_disagree_(spe_module *m, const char *fn, spe_id a, spe_id b);
XETILE_PRIVATE spe_id spe_operands_(spe_module *m, const char *fn, uint32_t kinds, spe_id a, spe_id b);
XETILE_PRIVATE int64_t spe_signed_(uint64_t x, uint32_t bits);
XETILE_PRIVATE spe_id spe_like_(spe_module *m, spe_id scalar, spe_id type) /* as many scalars as type has components */;
XETILE_PRIVATE spe_id spe_pointee_(spe_module *m, const char *fn, spe_id ptr);
XETILE_PRIVATE bool spe_may_branch_(spe_module *m, const char *fn);
XETILE_PRIVATE void spe_region_left_open_(spe_module *m, const char *fn);
XETILE_PRIVATE bool spe_encode_scalar_(const spe_type_info *t, double value, uint64_t *bits);
