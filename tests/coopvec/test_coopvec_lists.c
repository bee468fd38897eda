/* Variables that a CV_FOR or CV_IF changes without listing them, wherever the lost value would be used; empty bodies;
 * constants that a type cannot represent. Each is an error at the user's line, and its correct counterpart is accepted.
 */
#include "coopvec.h"
#include "test.h"

static int wrong, region_line, use_line;

#define HERE(line) (line = __LINE__)

CV_KERNEL (lists, ptr(f32, data), i32(count))
{
    cv_val number = CV_ADD(count, 1), other = CV_AT(1), last = count;
    cv_vec sum = CV_SPLAT(f32, 8, 0), copy = sum;
    cv_val positive = CV_GT(count, 0);
    switch (wrong) {
    case 0: /* a vector accumulated in the loop, stored after it */
        CV_FOR (k, 0, 16, 1) HERE(region_line), sum = CV_ADD(sum, CV_LOAD(data, 8, k));
        HERE(use_line), CV_STORE(sum, data, 0);
        break;
    case 1: /* only used in the next iteration */
        CV_FOR (k, 0, 16, 1) HERE(region_line), HERE(use_line), sum = CV_ADD(sum, CV_LOAD(data, 8, k));
        break;
    case 2: /* only stored in the next iteration: the first stores the initial value */
        CV_FOR (k, 0, 16, 1) {
            HERE(region_line), region_line--;
            HERE(use_line), CV_STORE(sum, data, k);
            sum = CV_LOAD(data, 8, k);
        }
        break;
    case 3: /* a number */
        CV_FOR (k, 0, 16, 1) HERE(region_line), number = CV_ADD(number, k);
        HERE(use_line), CV_STORE(CV_SPLAT(f32, 1, CV_CAST(f32, number)), data, 0);
        break;
    case 4: /* a constant */
        CV_IF (positive) HERE(region_line), other = CV_AT(2);
        HERE(use_line), CV_STORE(CV_SPLAT(i32, 1, other), data, 0);
        break;
    case 5: /* the index, kept for the next iteration */
        CV_FOR (k, 0, 16, 1) {
            HERE(region_line), region_line--;
            HERE(use_line), CV_STORE(sum, data, CV_ADD(last, 0));
            last = k;
        }
        break;
    case 6: /* from one side of a condition into the other */
        CV_IF (positive) HERE(region_line), sum = CV_ADD(sum, 1);
        CV_ELSE HERE(use_line), CV_STORE(sum, data, 0);
        break;
    case 7: /* in an inner loop, listed by another */
        CV_FOR (i, 0, 4, 1, &sum) {
            CV_FOR (k, 0, 4, 1, &sum) HERE(region_line), sum = CV_ADD(sum, 1), copy = CV_ADD(sum, 2), (void)k;
            HERE(use_line), sum = CV_ADD(sum, copy), (void)i;
        }
        break;
    case 8: /* carried into another region by its list */
        CV_IF (positive) HERE(region_line), sum = CV_ADD(sum, 1);
        CV_IF (positive, &sum) sum = CV_ADD(sum, 1);
        use_line = region_line + 1;
        break;
    case 9: /* a condition that decides between two values */
        CV_FOR (k, 0, 4, 1) HERE(region_line), positive = CV_GT(k, 1);
        HERE(use_line), number = CV_SELECT(positive, number, count);
        break;
    case 10: /* the index of a product's input */
        CV_IF (positive) HERE(region_line), number = CV_ADD(number, 1);
        HERE(use_line), sum = CV_LOAD(data, 8, number);
        break;
    case 11: /* in the next iteration of a loop with a condition */
        CV_WHILE (CV_LT(number, 9), &number) {
            HERE(region_line), region_line--;
            number = CV_ADD(number, 1);
            HERE(use_line), sum = CV_ADD(sum, 1);
        }
        break;
    case 12: /* in its condition */
        HERE(use_line), region_line = use_line + 1;
        CV_WHILE (CV_LT(number, 9)) number = CV_ADD(number, 1);
        use_line++;
        break;
    }
}
enum { WRONG_COUNT = 13 };

TEST(what_is_not_listed)
{
    for (wrong = 0; wrong < WRONG_COUNT; wrong++) {
        char place[160];
        cv_module mod = CV_BUILD(lists, &(cv_target){.name = "bmg"});
        CHECK_MSG(mod.words == NULL, "case %d is taken", wrong);
        CHECK_STR(mod.error->name, "CV_ERROR_UNLISTED");
        CHECK_MSG(mod.error->line == use_line, "case %d: line %d, want %d: %s", wrong, mod.error->line, use_line,
                  mod.error->text);
        snprintf(place, sizeof place, "%s:%d left", __FILE__, region_line);
        CHECK_HAS(mod.error->text, place);
        CHECK_HAS(mod.error->text, "list that variable there");
        cv_free(&mod);
    }
}

CV_KERNEL (right, ptr(f32, data), i32(count))
{
    cv_val number = CV_ADD(count, 1), last = count, item = CV_GLOBAL_ID();
    cv_vec sum = CV_SPLAT(f32, 8, 0), copy = sum, kept = CV_LOAD(data, 8, item);
    CV_FOR (i, 0, 4, 1, &sum, &last, &number) {
        copy = CV_ADD(sum, kept); /* recomputed in each iteration before its use */
        CV_FOR (k, i, 4, 1, &sum) {
            cv_vec loaded = CV_LOAD(data, 8, k);
            CV_IF (CV_GT(k, i), &sum) sum = CV_ADD(sum, CV_MUL(loaded, copy));
            CV_ELSE sum = kept;
        }
        number = CV_AT(3);
        last = i;
    }
    CV_IF (CV_GT(number, last), &sum) sum = kept; /* no operation, but it does something */
    CV_STORE(sum, data, last);
    for (int i = 0, offset = 0; i < 2; i++, offset += 8) { /* C variables outside of regions work as usual */
        CV_FOR (k, 0, 2, 1) CV_STORE(kept, data, CV_ADD(k, offset));
    }
}

TEST(what_is_listed)
{
    cv_module mod = CV_BUILD(right, &(cv_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s:%d: %s", mod.error->file, mod.error->line, mod.error->text);
    test_save_spv("coopvec_lists", mod.words, mod.size);
    cv_free(&mod);
}

CV_KERNEL (nothing, ptr(f16, data))
{
    cv_vec v = CV_LOAD(data, 8, 0), w = CV_SPLAT(f16, 8, 1);
    switch (wrong) {
    case 0:
        HERE(use_line);
        CV_FOR (k, 0, 4, 1, &v)
            ; /* on a separate line, so that compilers do not warn */
        v = CV_ADD(v, v);
        break;
    case 1:
        HERE(use_line);
        CV_IF (CV_GT(CV_GLOBAL_ID(), 1), &v) {}
        v = CV_ADD(v, v);
        break;
    case 2: /* a previous value, without a list */
        HERE(use_line);
        CV_IF (CV_GT(CV_GLOBAL_ID(), 1)) v = w;
        break;
    case 5: HERE(use_line), v = CV_ADD(v, 100000); break;
    case 3: HERE(use_line), v = CV_SPLAT(f16, 8, -65520.0); break;
    case 4: HERE(use_line), v = CV_CAST(f16, CV_SPLAT(f32, 8, 1e39)); break;
    case 6: /* rounds to 65504; infinity is one of f16's numbers */
        v = CV_ADD(CV_SPLAT(f16, 8, 65519.0), INFINITY);
        break;
    }
    CV_STORE(v, data, 0);
}

TEST(bodies_and_constants)
{
    for (wrong = 0; wrong < 6; wrong++) {
        cv_module mod = CV_BUILD(nothing, &(cv_target){.name = "bmg"});
        CHECK_MSG(mod.words == NULL, "case %d is taken", wrong);
        CHECK_STR(mod.error->name, wrong < 3 ? "CV_ERROR_EMPTY" : "CV_ERROR_SCALAR_RANGE");
        CHECK_INT(mod.error->line, use_line + (wrong < 3));
        if (wrong < 3) CHECK_HAS(mod.error->text, "is there a semicolon after CV_");
        cv_free(&mod);
    }
    cv_module mod = CV_BUILD(nothing, &(cv_target){.name = "bmg"});
    CHECK_MSG(mod.words != NULL, "%s", mod.error->text);
    cv_free(&mod);
}

int main(void)
{
    RUN(what_is_not_listed);
    RUN(what_is_listed);
    RUN(bodies_and_constants);
    return test_report();
}
