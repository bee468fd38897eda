/* flow_random.h - control flow from a random generator; it has no meaning. Signatures as in flow_functions.h; `fuel`
 * bounds loops that would not end. */
static int random_0(int x, int n, MEMORY int *m, int fuel)
{
    int a = x, b = n, c = x ^ n, d = 1;
L0_0:
    if (--fuel < 0) return b;
    if ((b == a)) {
        b ^= (((c * a) | (c & n)) ^ (d * d));
        switch (c & 7) {
        case 0:
            b += n;
            do {
                if (--fuel < 0) break;
                d -= (d & m[(x | n) & 3]);
            } while ((n & 2));
            break;
        case 7:
            if ((((c & 16) && (n & 1)) || (a & 2))) {
                if ((((n + a) | (a * a)) != n)) return (a | c);
                b += ((22 >> 1));
            } else {
                c -= c;
            }
            break;
        case 5:
            for (int i3 = 0; i3 < (x & 7); i3++) {
                if (--fuel < 0) break;
                c -= x;
                d += i3;
            }
            break;
        default:
            b -= c;
        }
    }
    while ((a < ((d | n) ^ (b | n)))) {
        if (--fuel < 0) return a;
        c = 11;
    }
L0_1:
    if (--fuel < 0) return b;
    for (int i1 = 0; i1 < (c & 7); i1++) {
        if (--fuel < 0) break;
        if (((n & 2) && (n & 1))) return a;
        d += i1;
    }
L0_2:
    if (--fuel < 0) return b;
    if (((b & 4) || (((x + n) | (b * a)) > x))) {
        for (int i2 = 0; i2 < (x & 7); i2++) {
            if (--fuel < 0) break;
            while ((d & 2)) {
                if (--fuel < 0) return a;
                if ((n & 4) && --fuel > 0) goto L0_0;
            }
            d += i2;
        }
    } else {
        if ((m[(d | d) & 3] != m[(c * d) & 3])) {
            while (((b <= 2) && (n == ((a * a) | n)))) {
                if (--fuel < 0) return a;
                d -= 8;
            }
            c = (n - m[(a + c) & 3]);
        } else {
            if ((a & 1)) {
                c -= x;
            } else {
                if ((m[d & 3] < ((x + n) & (n & d))) && --fuel > 0) goto L0_2;
            }
        }
    }
    if ((a <= 32)) {
        for (int i2 = 0; i2 < (a & 7); i2++) {
            if (--fuel < 0) break;
            c ^= x;
            d += i2;
        }
        d = 17;
    } else {
        b += d;
        b ^= m[m[-7 & 3] & 3];
    }
    return a + 3 * b + 5 * c + 7 * d;
}

static int random_1(int x, int n, MEMORY int *m, int fuel)
{
    int a = x, b = n, c = x ^ n, d = 1;
L1_0:
    if (--fuel < 0) return b;
    if (((c & 2) && (m[m[a & 3] & 3] == 37))) {
        if (((n & 1) && ((m[n & 3] > 8) || (n & 1)))) {
            switch ((b & (c - b)) & 7) {
            case 4:
                c ^= a;
            case 5:
                a -= ((1 ^ b) | n);
                m[m[(c & n) & 3] & 3] ^= b;
                break;
            case 7:
                c += -7;
                if ((d & 4) && --fuel > 0) goto L1_1;
                break;
            case 6:
                b = ((23 >> 2));
                break;
            case 3:
                if ((a & 2)) return 24;
                d = ((n ^ (b ^ n)) - c);
                break;
            }
        } else {
            a = b;
            m[c & 3] = ((x + a) - a);
        }
    } else {
        do {
            if (--fuel < 0) break;
            c += (a | b);
            do {
                if (--fuel < 0) break;
                d ^= d;
            } while ((n & 2));
        } while ((c & 4));
    }
L1_1:
    if (--fuel < 0) return b;
    a = (d ^ (38 + d));
    do {
        if (--fuel < 0) break;
        a = (29 - ((d * a) | (n | b)));
        c -= (n + (37 * ((a >> 5))));
    } while ((m[a & 3] == (n & c)));
L1_2:
    if (--fuel < 0) return b;
    do {
        if (--fuel < 0) break;
        for (int i2 = 0; i2 < (n & 7); i2++) {
            if (--fuel < 0) break;
            a += random_0((d ^ (a & a)), n, m, fuel / 2);
            d += i2;
        }
    } while (((((d >> 5)) + m[x & 3]) <= 31));
    return a + 3 * b + 5 * c + 7 * d;
}

static int random_2(int x, int n, MEMORY int *m, int fuel)
{
    int a = x, b = n, c = x ^ n, d = 1;
L2_0:
    if (--fuel < 0) return b;
    switch (d & 7) {
    case 7:
        d += (((x - n) - (x ^ x)) ^ (((c ^ a) >> 1)));
    case 5:
        if ((c > m[n & 3])) {
            c -= (34 & n);
        } else {
            d += random_1(((b ^ b) + (x | n)), n, m, fuel / 2);
        }
        break;
    case 3:
        c = m[((b | x) | 34) & 3];
        break;
    case 6:
        b += random_1(((b >> 4)), n, m, fuel / 2);
    case 4:
        if ((n & 1)) {
            a += random_0(c, n, m, fuel / 2);
            a ^= (((-9 - (a | x)) >> 2));
        }
        break;
    default:
        do {
            if (--fuel < 0) break;
            for (int i3 = 0; i3 < (x & 7); i3++) {
                if (--fuel < 0) break;
                c += (x * (((c + c) >> 2)));
                if ((a & 8)) return m[c & 3];
                d += i3;
            }
            do {
                if (--fuel < 0) break;
                if ((((2 != 2) && (n & 1)) && (x != ((x * n) + (c * a)))) && --fuel > 0) goto L2_1;
                m[a & 3] = (36 - (a ^ d));
            } while ((n & 8));
        } while ((a & 1));
    }
L2_1:
    if (--fuel < 0) return b;
    if ((((a > b) && (((29 & (a * c)) != (c & (c - n))) && (n & 8))) && (m[(a * n) & 3] > m[a & 3]))) {
        a ^= (((n + x) | a) | x);
    } else {
        while (((a ^ (d + x)) > -2)) {
            if (--fuel < 0) return a;
            for (int i3 = 0; i3 < (a & 7); i3++) {
                if (--fuel < 0) break;
                a ^= (n ^ (a ^ a));
                d += i3;
            }
        }
    }
L2_2:
    if (--fuel < 0) return b;
    if (((23 > d) || (n > ((c * a) ^ (x | x))))) {
        d -= 14;
    } else {
        while ((x & 4)) {
            if (--fuel < 0) return a;
            do {
                if (--fuel < 0) break;
                a += m[n & 3];
            } while ((n & 2));
        }
    }
    c += random_1((((x >> 3)) | (a + b)), n, m, fuel / 2);
    return a + 3 * b + 5 * c + 7 * d;
}

static int random_3(int x, int n, MEMORY int *m, int fuel)
{
    int a = x, b = n, c = x ^ n, d = 1;
    switch (d & 7) {
    case 5:
        b += random_1((m[c & 3] + (c & d)), n, m, fuel / 2);
        c ^= (((c ^ c) - x) & m[m[b & 3] & 3]);
        break;
    case 1:
        if ((((x & 16) && (a <= ((x ^ b) ^ (d - c)))) &&
             (((x < ((c | d) + (n + x))) || ((a * d) > ((b & c) - (d * n)))) && ((b * m[c & 3]) <= 14)))) {
            while ((x & 2)) {
                if (--fuel < 0) return a;
                d = m[(c * (a | x)) & 3];
            }
        } else {
            for (int i3 = 0; i3 < (n & 7); i3++) {
                if (--fuel < 0) break;
                b = c;
                d += i3;
            }
        }
        b += m[c & 3];
    case 2:
        for (int i2 = 0; i2 < (x & 7); i2++) {
            if (--fuel < 0) break;
            b -= d;
            d += i2;
        }
    }
    switch ((((x >> 1)) ^ c) & 7) {
    case 3:
        a ^= n;
    case 4:
        switch (d & 7) {
        case 7:
            do {
                if (--fuel < 0) break;
                d -= 14;
            } while (((((c * a) * (n + x)) <= ((n & a) + 13)) && (n & 8)));
            while (((n & 4) || (9 > m[2 & 3]))) {
                if (--fuel < 0) return a;
                d = (c | (c ^ (a & b)));
            }
            break;
        case 2:
            switch (((n & n) & (b + n)) & 7) {
            case 7:
                a += c;
            case 6:
                a ^= (((b >> 1)) & c);
                break;
            case 5:
                a++;
                d += ((c >> 1));
                break;
            case 1:
                d += x;
                d += n;
            }
            break;
        case 0:
            switch (((d & n) - m[n & 3]) & 7) {
            case 4:
                b += (b & (n * x));
            case 3:
                b += 6;
                d ^= (m[m[n & 3] & 3] | (((a >> 1)) & (b + n)));
                break;
            default:
                d = n;
            }
        case 5:
            b += random_1(((d & c) ^ x), n, m, fuel / 2);
            do {
                if (--fuel < 0) break;
                c ^= d;
            } while (((((a & n) | b) != (c ^ (c & b))) || (a & 16)));
        }
        for (int i2 = 0; i2 < (c & 7); i2++) {
            if (--fuel < 0) break;
            do {
                if (--fuel < 0) break;
                if (((m[c & 3] * d) > ((b - d) ^ n))) return (a | (a ^ d));
            } while ((a & 1));
            d += i2;
        }
    case 2:
        a ^= c;
        c -= ((33 | b) + ((b & a) - b));
        break;
    case 0:
        m[33 & 3] += (x | (n & b));
        break;
    case 5:
        c = (c - m[(a | d) & 3]);
        break;
    }
    for (int i1 = 0; i1 < (a & 7); i1++) {
        if (--fuel < 0) break;
        do {
            if (--fuel < 0) break;
            b += random_2(b, n, m, fuel / 2);
        } while ((n & 2));
        d += i1;
    }
    return a + 3 * b + 5 * c + 7 * d;
}

#define RANDOM_FLOWS(X) X(random_0) X(random_1) X(random_2) X(random_3)
