/* test_convert_all.c - the host's conversions from f32 to each narrower float: of blocks of f32, or with THOROUGH=1 of
 * all 2^32, by threads, against each format's definition (narrow_floats.h). */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O2") /* tests are built without */
#endif
#include "narrow_floats.h"
#include "spirv_emit.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_block, blocks_done;

static uint32_t convert(int which, float v)
{
    switch (which) {
    case NARROW_F16: return spe_f32_to_f16_bits(v);
    case NARROW_BF16: return spe_f32_to_bf16_bits(v);
    case NARROW_E4M3: return spe_f32_to_e4m3_bits(v, true);
    case NARROW_E4M3_OPEN: return spe_f32_to_e4m3_bits(v, false);
    case NARROW_E5M2: return spe_f32_to_e5m2_bits(v, true);
    case NARROW_E5M2_OPEN: return spe_f32_to_e5m2_bits(v, false);
    case NARROW_E2M1: return spe_f32_to_e2m1_bits(v);
    default: return spe_f32_to_e8m0_bits(v);
    }
}

static int take_block(void)
{
    pthread_mutex_lock(&lock);
    while (next_block < NARROW_BLOCKS && !narrow_takes(next_block)) next_block++;
    const int block = next_block < NARROW_BLOCKS ? next_block++ : -1;
    if (block >= 0) blocks_done++;
    pthread_mutex_unlock(&lock);
    return block;
}

/* A thread's share. */
static void *convert_blocks(void *buffer)
{
    uint16_t *halves = (uint16_t *)buffer;
    uint8_t *bytes = (uint8_t *)buffer;
    uint32_t where, want;
    for (int block; (block = take_block()) >= 0;)
        for (int f = 0; f < NARROWS; f++) {
            const uint32_t first = (uint32_t)block * NARROW_BLOCK;
            for (uint32_t i = 0; i < NARROW_BLOCK; i++) {
                const uint32_t bits = first + i;
                float v;
                memcpy(&v, &bits, sizeof v);
                if (narrow_floats[f].bytes == 1)
                    bytes[i] = (uint8_t)convert(f, v);
                else
                    halves[i] = (uint16_t)convert(f, v);
            }
            if (narrow_check(&narrow_floats[f], first, NARROW_BLOCK, buffer, &where, &want)) continue;
            pthread_mutex_lock(&lock);
            test_fail(__FILE__, __LINE__, "%s of the f32 0x%x is 0x%x, want 0x%x", narrow_floats[f].name, where,
                      narrow_read(&narrow_floats[f], buffer, where - first), want);
            pthread_mutex_unlock(&lock);
        }
    return NULL;
}

TEST(every_f32)
{
    enum { THREADS = 64 };
    static uint16_t buffers[THREADS][NARROW_BLOCK];
    pthread_t thread[THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = cores < 1 ? 1 : cores > THREADS ? THREADS : (int)cores, started = 0;
    while (started < threads && !pthread_create(&thread[started], NULL, convert_blocks, buffers[started])) started++;
    CHECK(started > 0);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    CHECK_MSG(test_thorough() ? blocks_done == NARROW_BLOCKS : blocks_done > 8, "%d blocks", blocks_done);
}

int main(void)
{
    RUN(every_f32);
    return test_report();
}
