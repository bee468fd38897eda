/* algorithms_functions.h - small realistic programs: hashing, a heap, big integers, a parser with a stack, the game of
 * life, edit distance. Valid OpenCL C and C, like memory_functions.h.
 */
TABLE unsigned round_keys[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define TURNED(x, n) ((x) >> (n) | (x) << (32 - (n)))

ITEM(hash)
{
    unsigned w[64],
        h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
    for (int i = 0; i < 16; i++) w[i] = (unsigned)x * 2654435761u + i * n;
    for (int i = 16; i < 64; i++) {
        unsigned a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + w[i - 7] + (TURNED(a, 7) ^ TURNED(a, 18) ^ a >> 3) + (TURNED(b, 17) ^ TURNED(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++) v[i] = h[i];
    for (int i = 0; i < 64; i++) {
        unsigned t1 = v[7] + (TURNED(v[4], 6) ^ TURNED(v[4], 11) ^ TURNED(v[4], 25)) +
                      ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_keys[i] + w[i],
                 t2 = (TURNED(v[0], 2) ^ TURNED(v[0], 13) ^ TURNED(v[0], 22)) +
                      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (int k = 7; k > 0; k--) v[k] = v[k - 1];
        v[4] += t1;
        v[0] = t1 + t2;
    }
    unsigned r = 0;
    for (int i = 0; i < 8; i++) r ^= h[i] + v[i];
    m[0] = (int)v[3];
    return (int)r;
}

ITEM(heap)
{
    int a[32], c = 0;
    unsigned s = (unsigned)x * 747796405u + n;
    for (int i = 0; i < 24 + (x & 7); i++) {
        s = s * 1664525u + 1013904223u;
        int v = (int)(s >> 20);
        int k = c++;
        while (k > 0 && a[(k - 1) / 2] > v) {
            a[k] = a[(k - 1) / 2];
            k = (k - 1) / 2;
        }
        a[k] = v;
    }
    unsigned h = 0;
    while (c > 0) {
        h = h * 31 + (unsigned)a[0];
        int v = a[--c], k = 0;
        for (;;) {
            int d = 2 * k + 1;
            if (d >= c) break;
            if (d + 1 < c && a[d + 1] < a[d]) d++;
            if (a[d] >= v) break;
            a[k] = a[d];
            k = d;
        }
        a[k] = v;
    }
    m[1] = (int)h;
    return (int)h;
}

ITEM(bigmul)
{
    unsigned a[6], b[6], r[12];
    for (int i = 0; i < 6; i++) {
        a[i] = (unsigned)(x + i) * 2246822519u;
        b[i] = (unsigned)(n * i + x) * 3266489917u;
    }
    for (int i = 0; i < 12; i++) r[i] = 0;
    for (int i = 0; i < 6; i++) {
        unsigned long c = 0;
        for (int k = 0; k < 6; k++) {
            unsigned long t = (unsigned long)a[i] * b[k] + r[i + k] + c;
            r[i + k] = (unsigned)t;
            c = t >> 32;
        }
        r[i + 6] = (unsigned)c;
    }
    unsigned h = 0;
    for (int i = 0; i < 12; i++) h = h * 16777619u ^ r[i];
    m[n & 3] ^= (int)r[7];
    return (int)h;
}

ITEM(parser)
{
    char text[24];
    int p = 0, stack[8], sp = 0;
    unsigned s = (unsigned)x * 97 + n;
    for (int i = 0; i < 23; i++) {
        s = s * 1103515245u + 12345u;
        text[i] = "0123456789+*-(/"[(s >> 16) % 15];
    }
    text[23] = 0;
    while (text[p]) {
        char c = text[p++];
        switch (c) {
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9':
            if (sp < 8)
                stack[sp++] = c - '0';
            else
                goto full;
            break;
        case '+':
            if (sp > 1) {
                sp--;
                stack[sp - 1] += stack[sp];
            }
            break;
        case '*':
            if (sp > 1) {
                sp--;
                stack[sp - 1] *= stack[sp];
            }
            continue;
        case '-':
            if (!sp) return -p;
            stack[sp - 1] = -stack[sp - 1];
            break;
        case '(':
            if (sp > 2) {
                int t = stack[sp - 1];
                stack[sp - 1] = stack[0];
                stack[0] = t;
            }
            break;
        default:
            if (sp > 1 && stack[sp - 1]) stack[sp - 2] %= stack[sp - 1];
        }
    }
    return sp ? stack[sp - 1] * 100 + sp : -1000;
full:
    m[2] += p;
    return stack[(unsigned)x % 8] - p;
}

ITEM(collatz)
{
    unsigned v = (unsigned)x + 27;
    int c = n;
    while (v != 1 && c < 500) {
        if (v & 1) {
            v = 3 * v + 1;
        } else {
            do {
                v >>= 1;
                c++;
            } while (!(v & 1) && c < 300);
        }
        if (c % 7 == 3) m[c & 3]++;
        c++;
    }
    return c;
}

ITEM(life)
{
    unsigned long g = (unsigned long)(unsigned)x * 0x9e3779b97f4a7c15ul + n;
    for (int s = 0; s < 5; s++) {
        unsigned long r = 0;
        for (int i = 0; i < 64; i++) {
            int c = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (dx || dy) c += (int)(g >> (((i / 8 + dy) & 7) * 8 + ((i + dx) & 7)) & 1);
            if (c == 3 || (c == 2 && (g >> i & 1))) r |= 1ul << i;
        }
        g = r;
    }
    m[2] += (int)(g & 7);
    return (int)(g ^ g >> 32);
}

ITEM(crc)
{
    unsigned c = ~0u;
    for (int i = 0; i < 40; i++) {
        c ^= (unsigned char)(x >> (i & 3) * 8) + i * n;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    m[3] = (int)c;
    return (int)~c;
}

ITEM(strings)
{
    char a[40], b[40];
    int la = 0, lb = 0;
    unsigned s = (unsigned)x;
    for (; la < 20 + (x & 15); la++) {
        s = s * 69069u + 1;
        a[la] = 'a' + (s >> 24) % 3;
    }
    for (; lb < 25; lb++) {
        s = s * 69069u + 5;
        b[lb] = 'a' + (s >> 24) % 3;
    }
    short d[2][41];
    for (int k = 0; k <= lb; k++) d[0][k] = (short)k;
    for (int i = 1; i <= la; i++) {
        d[i & 1][0] = (short)i;
        for (int k = 1; k <= lb; k++) {
            int e = d[~i & 1][k - 1] + (a[i - 1] != b[k - 1]), f = d[~i & 1][k] + 1, g = d[i & 1][k - 1] + 1;
            d[i & 1][k] = (short)(e < f ? (e < g ? e : g) : (f < g ? f : g));
        }
    }
    m[1] -= d[~la & 1][n];
    return d[la & 1][lb];
}

#define ALGORITHMS(X) X(hash) X(heap) X(bigmul) X(parser) X(collatz) X(life) X(crc) X(strings)
