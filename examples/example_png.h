/* example_png.h - PNG files for the examples, without zlib: pictures of 8 bits with one to four channels (grey, grey
 * and alpha, RGB, RGBA), not interlaced. Reading takes all five filters and all three kinds of compressed blocks, tests
 * every checksum, and refuses anything else by name; writing does not compress. Include example.h first.
 */
#ifndef EXAMPLE_PNG_H
#define EXAMPLE_PNG_H

#include "example.h"

#include <errno.h>

enum { PNG_SIDE_MAX = 32768 };

typedef struct {
    int height, width, channels;
    uint8_t *at; /* rows of pixels of `channels` bytes; malloc */
} png_picture;

static inline bool png_init(png_picture *p, int height, int width, int channels)
{
    *p = (png_picture){height, width, channels, (uint8_t *)malloc((size_t)height * (size_t)width * (size_t)channels)};
    return p->at || fail("out of memory for %d x %d pixels", height, width);
}

static const uint8_t png_signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
static const uint8_t png_colour_type[5] = {0, 0, 4, 2, 6}; /* by channels */

static inline uint32_t png_crc(const uint8_t *p, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static inline uint32_t png_adler(const uint8_t *p, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static inline uint32_t png_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void png_put_u32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A chunk's length, name and checksum, around its `count` bytes at `p + 8`; returns what comes after it. */
static inline uint8_t *png_close_chunk(uint8_t *p, const char *name, size_t count)
{
    png_put_u32(p, (uint32_t)count);
    memcpy(p + 4, name, 4);
    png_put_u32(p + 8 + count, png_crc(p + 4, count + 4));
    return p + 12 + count;
}

/* Writes the rows, each preceded by filter type 0, as a zlib stream of stored blocks; returns its size. */
static inline size_t png_store(uint8_t *z, uint8_t *rows, const png_picture *p)
{
    enum { BLOCK = 65535 };
    size_t line = (size_t)p->width * (size_t)p->channels, count = (line + 1) * (size_t)p->height, at = 2;
    for (int y = 0; y < p->height; y++) {
        rows[(size_t)y * (line + 1)] = 0;
        memcpy(rows + (size_t)y * (line + 1) + 1, p->at + (size_t)y * line, line);
    }
    memcpy(z, "\x78\x01", 2);
    for (size_t done = 0; done < count; done += BLOCK) {
        size_t n = count - done < BLOCK ? count - done : BLOCK;
        const uint8_t head[5] = {done + n == count, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};
        memcpy(z + at, head, 5);
        memcpy(z + at + 5, rows + done, n);
        at += 5 + n;
    }
    png_put_u32(z + at, png_adler(rows, count));
    return at + 4;
}

static inline bool png_write(const char *path, const png_picture *p)
{
    size_t count = ((size_t)p->width * (size_t)p->channels + 1) * (size_t)p->height;
    uint8_t *rows = (uint8_t *)malloc(count), *file = (uint8_t *)malloc(count + count / 65535 * 5 + 128), *at = file;
    bool ok = rows && file;
    if (ok) {
        memcpy(at, png_signature, 8);
        memset(at + 16, 0, 13);
        png_put_u32(at + 16, (uint32_t)p->width);
        png_put_u32(at + 20, (uint32_t)p->height);
        at[24] = 8;
        at[25] = png_colour_type[p->channels];
        at = png_close_chunk(at + 8, "IHDR", 13);
        at = png_close_chunk(at, "IDAT", png_store(at + 8, rows, p));
        at = png_close_chunk(at, "IEND", 0);
        ok = write_file(path, file, (size_t)(at - file));
    } else {
        fail("out of memory for %s", path);
    }
    free(rows);
    free(file);
    return ok;
}

/* ---- decompression (RFC 1950 and 1951) --------------------------------------------------------------------------- */

typedef struct {
    const uint8_t *in;
    size_t size, at; /* size of `in`, and bytes read so far */
    uint32_t bits;   /* `count` bits read but not yet used */
    int count;
    uint8_t *out;
    size_t room, done;
    const char *wrong; /* the first error */
} png_stream;

/* A Huffman code of at most 15 bits: the number of symbols per length, and the symbols in code order. */
typedef struct {
    uint16_t count[16], symbol[288];
} png_code;

static inline uint32_t png_bits(png_stream *s, int n)
{
    uint32_t v;
    for (; s->count < n; s->count += 8) {
        if (s->at == s->size) return s->wrong = "its pixels end too early", 0;
        s->bits |= (uint32_t)s->in[s->at++] << s->count;
    }
    v = s->bits & ((1u << n) - 1);
    s->bits >>= n;
    s->count -= n;
    return v;
}

static inline void png_code_init(png_stream *s, png_code *c, const uint8_t *length, int symbols)
{
    int at[17] = {0}, room = 1;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < symbols; i++) c->count[length[i]]++;
    c->count[0] = 0;
    for (int n = 1; n < 16; n++) {
        room = room * 2 - c->count[n];
        at[n + 1] = at[n] + c->count[n];
        if (room < 0) s->wrong = "a code of its pixels has too many symbols";
    }
    for (int i = 0; i < symbols && !s->wrong; i++)
        if (length[i]) c->symbol[at[length[i]]++] = (uint16_t)i;
}

/* Codes of one length are consecutive; the first is twice the end of the shorter ones. */
static inline int png_symbol(png_stream *s, const png_code *c)
{
    int code = 0, first = 0, at = 0;
    for (int n = 1; n < 16 && !s->wrong; n++) {
        code = code * 2 + (int)png_bits(s, 1);
        if (code - first < c->count[n]) return c->symbol[at + code - first];
        at += c->count[n];
        first = (first + c->count[n]) * 2;
    }
    if (!s->wrong) s->wrong = "its pixels have an invalid code";
    return 0;
}

/* Lengths and distances: each 2^group symbols have one more extra bit than those before; the first two groups have
 * none. */
static inline uint32_t png_value(png_stream *s, int symbol, int group)
{
    int n = 1 << group, extra = symbol < 2 * n ? 0 : symbol / n - 1;
    if (!extra) return (uint32_t)symbol;
    return ((uint32_t)(n + symbol % n) << extra) + png_bits(s, extra);
}

static inline void png_copy(png_stream *s, size_t back, size_t count)
{
    if (back > s->done)
        s->wrong = "its pixels repeat what is before the first";
    else if (count > s->room - s->done)
        s->wrong = "it has more pixels than its size";
    else
        for (; count; count--, s->done++) s->out[s->done] = s->out[s->done - back];
}

static inline void png_compressed(png_stream *s, const png_code *literals, const png_code *distances)
{
    while (!s->wrong) {
        int symbol = png_symbol(s, literals);
        if (s->wrong || symbol == 256) return;
        if (symbol < 256) {
            if (s->done == s->room)
                s->wrong = "it has more pixels than its size";
            else
                s->out[s->done++] = (uint8_t)symbol;
        } else if (symbol > 285) {
            s->wrong = "its pixels have an invalid length";
        } else {
            size_t count = symbol == 285 ? 258 : 3 + png_value(s, symbol - 257, 2), back;
            symbol = png_symbol(s, distances);
            if (symbol > 29 && !s->wrong) s->wrong = "its pixels have an invalid distance";
            back = s->wrong ? 0 : 1 + png_value(s, symbol, 1);
            if (!s->wrong) png_copy(s, back, count);
        }
    }
}

static inline void png_stored(png_stream *s)
{
    uint32_t n, complement;
    s->bits = 0; /* up to the next byte */
    s->count = 0;
    n = png_bits(s, 16);
    complement = png_bits(s, 16);
    if (s->wrong) return;
    if ((n ^ complement) != 0xffff)
        s->wrong = "its pixels have a stored block of two lengths";
    else if (n > s->size - s->at)
        s->wrong = "its pixels end too early";
    else if (n > s->room - s->done)
        s->wrong = "it has more pixels than its size";
    else
        memcpy(s->out + s->done, s->in + s->at, n), s->at += n, s->done += n;
}

static inline void png_fixed(png_stream *s)
{
    uint8_t length[288];
    png_code literals, distances;
    for (int i = 0; i < 288; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    png_code_init(s, &literals, length, 288);
    memset(length, 5, 30);
    png_code_init(s, &distances, length, 30);
    png_compressed(s, &literals, &distances);
}

/* The code lengths are themselves compressed, with a code whose lengths come first. */
static inline void png_dynamic(png_stream *s)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t length[288 + 32] = {0};
    png_code lengths, literals, distances;
    int first = 257 + (int)png_bits(s, 5), second = 1 + (int)png_bits(s, 5), n = 4 + (int)png_bits(s, 4), at = 0;
    for (int i = 0; i < n; i++) length[order[i]] = (uint8_t)png_bits(s, 3);
    png_code_init(s, &lengths, length, 19);
    if (first > 286 && !s->wrong) s->wrong = "a code of its pixels has too many symbols";
    while (at < first + second && !s->wrong) {
        int symbol = png_symbol(s, &lengths), value = symbol < 16 ? symbol : symbol == 16 && at ? length[at - 1] : 0;
        int times = symbol < 16    ? 1
                    : symbol == 16 ? 3 + (int)png_bits(s, 2)
                    : symbol == 17 ? 3 + (int)png_bits(s, 3)
                                   : 11 + (int)png_bits(s, 7);
        if ((symbol == 16 && !at) || times > first + second - at) s->wrong = "a code of its pixels repeats too much";
        for (; times && !s->wrong; times--) length[at++] = (uint8_t)value;
    }
    if (s->wrong) return;
    png_code_init(s, &literals, length, first);
    png_code_init(s, &distances, length + first, second);
    png_compressed(s, &literals, &distances);
}

/* Must fill `out` exactly. */
static inline const char *png_inflate(const uint8_t *in, size_t size, uint8_t *out, size_t count)
{
    png_stream s = {in, size, 2, 0, 0, out, count, 0, NULL};
    bool last = false;
    if (size < 6 || (in[0] & 15) != 8 || (in[0] * 256 + in[1]) % 31 != 0 || in[1] & 32)
        return "its pixels are not a zlib stream";
    while (!last && !s.wrong) {
        uint32_t kind;
        last = png_bits(&s, 1);
        kind = png_bits(&s, 2);
        if (s.wrong) break;
        if (kind == 0)
            png_stored(&s);
        else if (kind == 1)
            png_fixed(&s);
        else if (kind == 2)
            png_dynamic(&s);
        else
            s.wrong = "its pixels have a block of an invalid kind";
    }
    if (s.wrong) return s.wrong;
    if (s.done < count) return "it has fewer pixels than its size";
    if (s.size - s.at < 4) return "its pixels end too early";
    return png_u32(in + s.at) == png_adler(out, count) ? NULL : "the checksum of its pixels is wrong";
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static inline int png_paeth(int left, int up, int corner)
{
    int a = abs(up - corner), b = abs(left - corner), c = abs(left + up - 2 * corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* Adds to each byte its prediction from the pixels to the left, above, and above left. */
static inline const char *png_unfilter(const uint8_t *rows, const png_picture *p)
{
    size_t step = (size_t)p->channels, line = (size_t)p->width * step;
    for (int y = 0; y < p->height; y++) {
        const uint8_t *from = rows + (size_t)y * (line + 1), filter = *from++;
        uint8_t *to = p->at + (size_t)y * line;
        const uint8_t *above = y ? to - line : NULL;
        if (filter > 4) return "a row has an invalid filter";
        for (size_t i = 0; i < line; i++) {
            int left = i < step ? 0 : to[i - step], up = above ? above[i] : 0;
            int corner = above && i >= step ? above[i - step] : 0;
            int guess[5] = {0, left, up, (left + up) / 2, png_paeth(left, up, corner)};
            to[i] = (uint8_t)(from[i] + guess[filter]);
        }
    }
    return NULL;
}

/* Reads size and number of channels from the 13 bytes of IHDR. */
static inline const char *png_header(const uint8_t *p, png_picture *of)
{
    static const char *const by_colour_type[7] = {NULL, "no PNG has its colour type", NULL,
                                                  "its colours are a palette; only grey, RGB and RGBA are read", NULL,
                                                  "no PNG has its colour type", NULL};
    uint32_t width = png_u32(p), height = png_u32(p + 4);
    if (width < 1 || width > PNG_SIDE_MAX || height < 1 || height > PNG_SIDE_MAX)
        return "it is not of 1 to 32768 pixels a side";
    if (p[9] > 6) return by_colour_type[1];
    if (by_colour_type[p[9]]) return by_colour_type[p[9]];
    if (p[8] != 8) return p[8] == 16 ? "it has 16 bits a channel, not 8" : "it has fewer than 8 bits a channel";
    if (p[10] || p[11]) return "its compression or filter method is unknown";
    if (p[12]) return "it is interlaced";
    of->width = (int)width;
    of->height = (int)height;
    for (of->channels = 1; png_colour_type[of->channels] != p[9];) of->channels++;
    return NULL;
}

/* Checks the chunks and moves pixel data together, to the start of the file's bytes; *pixels is its size. */
static inline const char *png_chunks(uint8_t *file, size_t size, png_picture *p, size_t *pixels)
{
    size_t at = 8;
    bool first = true, end = false;
    const char *wrong = NULL;
    *pixels = 0;
    if (size < 8 || memcmp(file, png_signature, 8) != 0) return "it is no PNG file";
    while (!end && !wrong) {
        size_t count;
        const uint8_t *data = file + at + 8;
        if (size - at < 12) return "it ends too early";
        count = png_u32(file + at);
        if (count > size - at - 12) return "it ends too early";
        if (png_u32(data + count) != png_crc(data - 4, count + 4)) return "a checksum is wrong";
        if (first != !memcmp(data - 4, "IHDR", 4) || (first && count != 13)) return "its header is malformed";
        end = !memcmp(data - 4, "IEND", 4);
        at += 12 + count;
        if (first) {
            wrong = png_header(data, p);
        } else if (!memcmp(data - 4, "IDAT", 4)) {
            memmove(file + *pixels, data, count);
            *pixels += count;
        } else if (!(data[-4] & 32) && !end) {
            wrong = "it has a chunk that must be understood, and is not";
        }
        first = false;
    }
    return wrong;
}

static inline const char *png_decode(uint8_t *file, size_t size, png_picture *p)
{
    png_picture of = {0, 0, 0, NULL};
    size_t pixels, count;
    const char *wrong = png_chunks(file, size, &of, &pixels);
    uint8_t *rows;
    if (wrong) return wrong;
    count = ((size_t)of.width * (size_t)of.channels + 1) * (size_t)of.height;
    if (pixels < count / 1040) return "it has fewer pixels than its size"; /* 258 bytes take two bits at least */
    rows = (uint8_t *)malloc(count);
    of.at = (uint8_t *)malloc(count);
    wrong = rows && of.at ? png_inflate(file, pixels, rows, count) : "there is not enough memory for it";
    if (!wrong) wrong = png_unfilter(rows, &of);
    free(rows);
    if (wrong)
        free(of.at);
    else
        *p = of;
    return wrong;
}

/* Reads a whole file; NULL, after a message, on failure. */
static inline uint8_t *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    long end = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    uint8_t *data = end >= 0 ? (uint8_t *)malloc((size_t)end + 1) : NULL;
    bool ok = data && !fseek(f, 0, SEEK_SET) && fread(data, 1, (size_t)end, f) == (size_t)end;
    if (f) fclose(f);
    *size = (size_t)end;
    if (ok) return data;
    free(data);
    fail("%s: cannot read it: %s", path, strerror(errno));
    return NULL;
}

static inline bool png_read(const char *path, png_picture *p)
{
    size_t size;
    uint8_t *file = read_whole(path, &size);
    const char *wrong = file ? png_decode(file, size, p) : NULL;
    bool ok = file && !wrong;
    free(file);
    return ok || (wrong && fail("%s: %s", path, wrong));
}

#endif
