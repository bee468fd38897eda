/* Mul and MulAdd on a device, against the exact model: every combination of the minimum support set, and three more, on
 * shapes from 1 x 1 to 128 x 40, in every layout, transposed or not, uniform and divergent, with matrices that differ
 * between work-items. */
#include "coopvec_items.h"

/* Of a combination that the minimum support set has, every shape, layout and transposition goes uniform, and divergent;
 * matrices of odd work-items' own take turns with what goes lane by lane because it is told to. Of the other
 * combinations each layout goes in one mode. */
enum { COMBINATIONS = 5 };
static bool wanted(int combination, int shape, int v, mode how)
{
    bool large = shape >= (is_fp8(minimum[combination]) ? 3 : 4);
    int turn = v + shape + combination;
    if (combination >= COMBINATIONS)
        return how == UNIFORM ? turn % 2 == 0 : how == (mode)(1 + turn % (MODES - 1)) && turn % 2;
    if (how == UNIFORM) return true;
    if (large) return how == DIVERGENT || (turn % 4 == 0 && how == OWN_MATRIX);
    return how == DIVERGENT || (turn % 2 && how == (turn % 4 == 1 ? OWN_MATRIX : BY_LANES));
}

/* In the sample nearly any two of combination, shape, layout with transposition, and mode still meet. */
static bool in_sample(int combination, int shape, int v, mode how)
{
    if (combination >= COMBINATIONS) return test_takes(shape + v / 2 + (int)how, 4);
    return test_takes(combination + shape + 2 * v + (int)how, 13);
}

static void shapes_of(int combination)
{
    const int *c = minimum[combination];
    char name[64];
    for (int s = 0; s < 6; s++) {
        for (int how = UNIFORM; how < MODES; how++) /* uniform ones first, whose input the others can use */
            for (int v = 0; v < (is_fp8(c) ? FP8_VARIANTS : VARIANTS); v++) {
                if (!wanted(combination, s, v, (mode)how) || !in_sample(combination, s, v, (mode)how)) continue;
                add_item(variant(c, shapes[s][0], shapes[s][1], v), (mode)how);
                share_input();
            }
        snprintf(name, sizeof name, "shapes_%d_%d", combination, s);
        run_items(name, 16, CM_AUTO);
    }
}

TEST(shapes_f16) { shapes_of(0); }
TEST(shapes_e4m3) { shapes_of(1); }
TEST(shapes_e5m2) { shapes_of(2); }
TEST(shapes_packed_i8) { shapes_of(3); }
TEST(shapes_f32_as_i8) { shapes_of(4); }
TEST(shapes_packed_u8) { shapes_of(5); }
TEST(shapes_f32) { shapes_of(6); }
TEST(shapes_i16) { shapes_of(7); }

static void tests(void)
{
    RUN(shapes_f16);
    RUN(shapes_e4m3);
    RUN(shapes_e5m2);
    RUN(shapes_packed_i8);
    RUN(shapes_f32_as_i8);
    RUN(shapes_packed_u8);
    RUN(shapes_f32);
    RUN(shapes_i16);
}

int main(void) { return model_main(MEMORY, tests); }
