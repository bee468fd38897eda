/* widths.cl - integers of N bits, signed and not. Each kernel takes pairs of numbers, work-item or (uniform) group.
 * build: plain
 */
enum { RESULTS = 16 };

#define WIDTH(N)                                                                                                       \
    typedef _BitInt(N) s##N;                                                                                           \
    typedef unsigned _BitInt(N) u##N;                                                                                  \
    typedef struct {                                                                                                   \
        char before;                                                                                                   \
        s##N x[3];                                                                                                     \
        u##N y;                                                                                                        \
    } record##N;                                                                                                       \
    __attribute__((noinline)) static s##N twice##N(s##N x) { return x + x; }                                           \
    static void work##N(long la, long lb, global long *r, global record##N *m)                                         \
    {                                                                                                                  \
        s##N a = (s##N)la, b = (s##N)lb;                                                                               \
        u##N c = (u##N)la, d = (u##N)lb;                                                                               \
        record##N own;                                                                                                 \
        r[0] = (s##N)(a + b);                                                                                          \
        r[1] = (u##N)(c - d);                                                                                          \
        r[2] = (s##N)(a * b);                                                                                          \
        r[3] = (s##N)(a / b);                                                                                          \
        r[4] = (s##N)(a % b);                                                                                          \
        r[5] = (u##N)(c / d);                                                                                          \
        r[6] = (u##N)(c % d);                                                                                          \
        r[7] = (s##N)(a >> (int)(lb & 63) % N);                                                                        \
        r[8] = (u##N)(c >> (int)(lb & 63) % N) ^ (u##N)(d << (int)(la & 63) % N);                                      \
        r[9] = (a < b) + 2 * (c < d) + 4 * (a >= b) + 8 * (c > d) + 16 * (a == b);                                     \
        r[10] = (long)(float)a + (long)((u##N)~c & (u##N)(d | 5));                                                     \
        r[11] = twice##N(a > b ? a : b) + (s##N)-b;                                                                    \
        r[12] = c == (u##N)-2 ? 1 : c == 3 ? 2 : 3;                                                                    \
        own.x[0] = a;                                                                                                  \
        own.x[1] = b;                                                                                                  \
        own.x[2] = a ^ b;                                                                                              \
        own.y = d;                                                                                                     \
        r[13] = own.x[(ulong)lb % 3];                                                                                  \
        m->x[1] = a;                                                                                                   \
        m->y = own.y;                                                                                                  \
        r[14] = m->x[1] + (long)m->y;                                                                                  \
        r[15] = (s##N)(float)(la % 4);                                                                                 \
    }                                                                                                                  \
    kernel void varying##N(global const long *a, global const long *b, global long *r, global record##N *m)            \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        work##N(a[i], b[i], r + i * RESULTS, m + i);                                                                   \
    }                                                                                                                  \
    kernel void uniform##N(global const long *a, global const long *b, global long *r, global record##N *m)            \
    {                                                                                                                  \
        size_t i = get_group_id(0);                                                                                    \
        work##N(a[i], b[i], r + i * RESULTS, m + i);                                                                   \
    }

WIDTH(3)
WIDTH(12)
WIDTH(24)
WIDTH(33)
WIDTH(47)
WIDTH(56)
WIDTH(63)
