/* types.c - errors. */
#include "internal.h"

const char *cv_error_text(int id)
{
    static const char *const texts[] = {
#define CV_ROW_(name, text) text,
        CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
    };
    if (id == 0) return "no error";
    return id > CV_ERROR_FIRST_ && id < CV_ERROR_END_ ? texts[id - CV_ERROR_FIRST_ - 1] : "not an error of coopvec.h";
}

const char *cv_error_name(int id)
{
    static const char *const names[] = {
#define CV_ROW_(name, text) "CV_ERROR_" #name,
        CV_ERRORS_(CV_ROW_)
#undef CV_ROW_
    };
    return id > CV_ERROR_FIRST_ && id < CV_ERROR_END_ ? names[id - CV_ERROR_FIRST_ - 1] : "";
}

/* ---- component types --------------------------------------------------------------------------------------------- */

/* Row i, 0 to 11, in the order of the numbers. */
const cv_type_row *cv_type_at_(int i)
{
    static const cv_type_row rows[] = {
#define CV_ROW_(name, number, text, bits, fp, sign, vector, memory)                                                    \
    {CV_##name, text, bits, fp, sign, vector, memory},
        CV_TYPES_(CV_ROW_)
#undef CV_ROW_
    };
    return &rows[i];
}

const cv_type_row *cv_type_info(int type)
{
    int i;
    for (i = 0; i < CV_TYPE_COUNT_; i++)
        if ((int)cv_type_at_(i)->type == type) return cv_type_at_(i);
    return NULL;
}

const char *cv_type_name(int type)
{
    const cv_type_row *row = cv_type_info(type);
    return row ? row->name : "(no type)";
}

bool cv_is_packed_(int type) { return type == CV_PACKED_S8X32 || type == CV_PACKED_U8X32; }
bool cv_is_fp8_(int type) { return type == CV_E4M3 || type == CV_E5M2; }
bool cv_is_vector_type_(int type) { return cv_type_info(type) && cv_type_info(type)->vector; }
bool cv_is_memory_type_(int type) { return cv_type_info(type) && cv_type_info(type)->memory; }
bool cv_is_float_(int type) { return cv_type_info(type) && cv_type_info(type)->is_float; }
bool cv_is_signed_(int type) { return cv_type_info(type) && cv_type_info(type)->is_signed; }
int cv_bytes_(int type) { return cv_type_info(type)->bits / 8; }

/* May a vector of this type be interpreted so? Packed: 32-bit unsigned only, everything else: 16 and 32 bits. */
bool cv_interprets_(int input, int interpretation)
{
    if (!cv_is_vector_type_(input) || !cv_type_info(interpretation)) return false;
    return !cv_is_packed_(interpretation) || input == CV_U32;
}

bool cv_is_optimal_(int layout) { return layout == CV_MUL_OPTIMAL || layout == CV_OUTER_PRODUCT_OPTIMAL; }
const char *cv_layout_name(int layout)
{
    static const char *const names[] = {"row-major", "column-major", "mul-optimal", "outer-product-optimal"};
    return layout >= 0 && layout < 4 ? names[layout] : "(no layout)";
}
