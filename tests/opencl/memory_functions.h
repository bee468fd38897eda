/* memory_functions.h - structures, arrays, unions, pointers and byte copies: valid OpenCL C and C, like
 * flow_functions.h. TABLE is the storage class of constant tables; m is four ints of the item.
 */
#define ITEM(name) static int name(int x, int n, MEMORY int *m)

typedef struct {
    char c;
    short s[3];
    float f;
    struct {
        long l;
        unsigned char b[5];
    } inner;
} record;

typedef union {
    int i;
    float f;
    unsigned char b[4];
    short s[2];
} word;

typedef struct node {
    int value;
    struct node *next;
} node;

TABLE int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
TABLE record samples[3] = {{1, {2, 3, 4}, 5.5f, {6, {7, 8, 9, 10, 11}}},
                           {-1, {-2, -3, -4}, -5.5f, {-6, {255, 254, 253, 252, 251}}}};
TABLE float grid[2][3] = {{0.5f, 1.5f, 2.5f}, {-0.5f, -1.5f, -2.5f}};

/* Records in private memory, with divergent indices. */
ITEM(records)
{
    record r[4];
    for (int i = 0; i < 4; i++) {
        r[i].c = (char)(x + i);
        for (int k = 0; k < 3; k++) r[i].s[k] = (short)(x * k - i);
        r[i].f = (float)i * 0.5f;
        r[i].inner.l = (long)x << (i + 20);
        for (int k = 0; k < 5; k++) r[i].inner.b[k] = (unsigned char)(x + k * i);
    }
    record copy = r[x & 3];
    r[(x + 1) & 3] = r[(x + 2) & 3];
    copy.inner.b[n % 5] += 3;
    r[x & 3] = copy;
    long sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += r[i].c + r[i].s[(x >> 1) % 3 < 0 ? 0 : (x >> 1) % 3] + (int)(r[i].f * 4) + (r[i].inner.l >> 20);
        for (int k = 0; k < 5; k++) sum = sum * 3 + r[i].inner.b[k];
    }
    m[2] = (int)r[1].inner.l;
    return (int)(sum ^ sum >> 32);
}

ITEM(unions)
{
    word w[2];
    w[0].f = (float)x * 1.25f;
    w[1].i = w[0].i ^ n;
    w[1].b[x & 3] = 0x5a;
    w[0].s[x & 1] = (short)(w[1].b[3] << 8 | w[1].b[0]);
    m[0] = w[0].i;
    return w[1].i + w[0].b[2];
}

/* Ints read as bytes, and bytes as ints. */
ITEM(bytes)
{
    unsigned char b[16];
    int words[4];
    for (int i = 0; i < 16; i++) b[i] = (unsigned char)(x * 17 + i * n);
    for (int i = 0; i < 16; i++) ((unsigned char *)words)[i] = b[15 - i];
    for (int i = 0; i < 4; i++) m[i] ^= words[(i + x) & 3];
    return ((short *)words)[(x & 3) * 2 + 1] + ((MEMORY unsigned char *)m)[x & 15];
}

/* Pointers stored in memory, selected by conditions and advanced. */
ITEM(pointers)
{
    int a[5], b[5], *p[3];
    for (int i = 0; i < 5; i++) a[i] = x + i, b[i] = n * i - x;
    p[0] = a;
    p[1] = x & 1 ? &b[1] : &a[2];
    p[2] = n & 1 ? b : p[1];
    int *q = p[(x >> 1 & 1) + 1];
    q += x & 1;
    *q += 1000;
    q[1] -= 7;
    int sum = 0;
    for (int i = 0; i < 5; i++) sum = sum * 3 + a[i] - 2 * b[i];
    MEMORY int *g = x > 5 ? m : m + 2;
    g[1] += (int)(q - (x & 2 ? p[2] : p[1]));
    return sum + (p[0] == a) + (p[1] == p[2]);
}

ITEM(linked_list)
{
    node nodes[6], *head = 0, *at;
    for (int i = 0; i < 6; i++) {
        nodes[i].value = x * i + n;
        if ((x >> i) & 1) {
            nodes[i].next = head;
            head = &nodes[i];
        } else {
            nodes[i].next = 0;
        }
    }
    int sum = 0;
    for (at = head; at; at = at->next) sum = sum * 5 + at->value + (int)(at - nodes);
    if (head) m[head->value & 3]++;
    return sum;
}

ITEM(tables)
{
    int i = x & 15, r = primes[i] * primes[(n * 3) & 15];
    record s = samples[i % 3];
    r += s.c + s.s[i % 3] + (int)(s.f * 2) + (int)s.inner.l + s.inner.b[i % 5] + samples[2].c;
    m[i & 3] -= primes[n];
    return r + (int)(grid[x & 1][i % 3] * 8) + (int)(grid[n & 1][n % 3] * 2);
}

static void swap_ints(int *a, int *b)
{
    int t = *a;
    *a = *b;
    *b = t;
}

static record make_record(int x)
{
    record r = {(char)x, {1, 2, (short)x}, 0.25f, {x * 3L, {0}}};
    r.inner.b[x & 3] = 9;
    return r;
}

static int sum_record(record r)
{
    return r.c + r.s[2] * 3 + (int)(r.f * 4) + (int)r.inner.l + r.inner.b[0] + 2 * r.inner.b[1] + 4 * r.inner.b[2];
}

/* Private memory by reference, structures by value. */
ITEM(arguments)
{
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = (x * (i + 3) * 7919) & 63;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7 - i; k++)
            if (a[k] > a[k + 1]) swap_ints(&a[k], &a[k + 1]);
    m[1] = a[0] + 100 * a[7];
    if (x & 2) return sum_record(make_record(x + n)) + a[3];
    return a[x & 7];
}

ITEM(matrix)
{
    int a[3][3], b[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a[i][k] = x + i * n - k;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) b[i][k] += a[i][l] * a[l][k];
    m[3] += a[0][0];
    return b[x & 1][n % 3] + b[2][(x & 6) >> 1 < 3 ? (x & 6) >> 1 : 0];
}

ITEM(whole_copies)
{
    record r[2] = {make_record(x), make_record(n)};
    char raw[sizeof(record) * 2];
    for (unsigned int i = 0; i < sizeof raw; i++) raw[i] = 0;
    *(int *)(raw + 4) = x;
    r[1] = r[0];
    r[0] = x & 1 ? r[1] : samples[1];
    record *p = &r[x >> 1 & 1];
    p->s[1] = (short)n;
    m[0] = sum_record(r[1]);
    return sum_record(r[0]) * 7 + sum_record(*p) + raw[4] + raw[5];
}

#define ITEM_FUNCTIONS(X)                                                                                              \
    X(records) X(unions) X(bytes) X(pointers) X(linked_list) X(tables) X(arguments) X(matrix) X(whole_copies)
