/* flow_functions.h - control flow that is valid OpenCL C and C: the device runs it for many items at once, the test
 * calls it item by item. x differs between items, n is the same for all; m is four ints of the item.
 */
#define FLOW(name) static int name(int x, int n, MEMORY int *m, int fuel)

/* Swaps two values and rotates three: phis that refer to each other. */
FLOW(phi_cycles)
{
    int a = x, b = n, c = 1, d = 2, e = 3;
    for (int k = 0; k < (x & 7) && fuel > 0; k++) {
        int t = a;
        a = b;
        b = t + 1;
        t = c;
        c = d;
        d = e;
        e = t;
    }
    m[0] += a;
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e;
}

/* A loop with two entries: irreducible control flow. */
FLOW(two_entries)
{
    int a = x;
    if (x & 1) goto middle;
top:
    a += 3;
    if (a > 90) return a;
middle:
    a ^= n;
    m[a & 3]++;
    if (--fuel > 0 && a < 100) goto top;
    return a - 1000;
}

/* Crossing jumps: each label has several predecessors. */
FLOW(crossing_jumps)
{
    int a = x, b = 0;
first:
    b += 1;
    if (--fuel < 0) goto out;
    if (a & 1) goto third;
second:
    b += 10;
    a = (a >> 1) + n;
    if (b > 300) goto out;
    if (a & 2) goto first;
third:
    b += 100;
    a += 7;
    m[1] ^= a;
    if (--fuel < 0) goto out;
    if ((a & 12) == 4) goto second;
    if (b < 900) goto first;
out:
    return b * 1000 + (a & 255);
}

/* The switch jumps to cases inside a loop. */
FLOW(switch_into_loop)
{
    int left = (x & 15) + 1, rounds = (left + 3) / 4, sum = 0;
    if (fuel < 0) return -1;
    switch (left & 3) {
    case 0:
        do {
            sum += 1;
            m[0]++;
        case 3:
            sum += 10;
        case 2:
            sum += 100 + n;
        case 1:
            sum += 1000;
        } while (--rounds > 0);
    }
    return sum;
}

FLOW(nested_leaving)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 9; j++) {
            if (j == (x & 15)) break;
            if ((i + j) % 3 == 0) continue;
            for (int k = 0;; k++) {
                if (k == i) goto next;
                if (--fuel < 0) return sum;
                if (((x >> k) & 1) && j > 2) break;
                sum += k + 1;
            }
            sum += 50;
        }
        if (sum > 5000) break;
        m[i & 3] += sum;
    next:
        sum ^= i;
    }
    return sum;
}

FLOW(sparse_switch)
{
    long wide = (long)x * 0x10000000L;
    int r = fuel;
    switch (wide) {
    case 0: r = 5; break;
    case 0x30000000L: r = 6; /* falls through */
    case -0x20000000L: r += 7; break;
    case 0x70000000L: return 99;
    default: r = -1;
    }
    switch ((signed char)x) {
    case -1: r += 100; break;
    case 4: r += 200; break;
    }
    switch (n) {
    case 0: return r;
    case 3: r *= 2; break;
    case 6: m[2] = r; break;
    case 2147483647: r = 1; break;
    }
    return r;
}

static int collatz(int x, MEMORY int *m)
{
    int steps = 0;
    if (x <= 0) return -1;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (++steps == 100) return 100;
    }
    m[3] += steps;
    return steps;
}

/* Calls in divergent branches, and in loops that items leave one by one. */
FLOW(calls)
{
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        if ((x + i) & 1) sum += collatz(x + i, m);
        else if (n & 2) sum -= phi_cycles(x + i, n, m, fuel);
        if (sum > 300) return sum + collatz(i + 1, m);
    }
    return sum;
}

FLOW(short_circuits)
{
    int r = 0;
    if (x > 3 && (m[0]++, x < 20) && (m[1] += n, (x & 3) != 2)) r = 1;
    if (x < 0 || (m[2]++, x > 40) || (n & 1)) r += 2;
    r += x > n ? x > 2 * n ? 10 : 20 : x < -n ? 30 : (m[3]--, 40);
    return fuel > 0 ? r : -r;
}

FLOW(endless_with_exits)
{
    unsigned int h = (unsigned int)x * 2654435761u;
    for (;;) {
        h = h * 1664525u + 1013904223u;
        if ((h >> 28) == 3) return (int)(h & 0xffff);
        if ((h >> 28) == 5) continue;
        if (--fuel <= 0) break;
        do {
            h ^= h >> 13;
            if (h & 64) break;
            h += (unsigned int)n + 1u;
        } while ((h & 16) && --fuel > 0);
        m[h & 3]++;
    }
    return -(int)(h & 0xffff);
}

#define WRITTEN_FLOWS(X)                                                                                               \
    X(phi_cycles) X(two_entries) X(crossing_jumps) X(switch_into_loop) X(nested_leaving) X(sparse_switch) X(calls)     \
    X(short_circuits) X(endless_with_exits)
