/* test_example_files.c - the readers of examples/example_png.h and examples/example_matrices.h: files that must be
 * read, files that must be refused with a message, and damaged files, which must do no harm (`make asan`). */
#define main quantized_linear_main
#include "examples/quantized_linear.c"
#undef main
#include "examples/example_png.h"
#include "test.h"

/* ---- PNG, written by Python's zlib; all five filters, a row each */

enum { ROOM = 1024 };
typedef struct {
    const char *name;
    int width, height, channels, size;
    const char *file;
} sample;

static const sample samples[] = {
    {"grey, stored", 6, 5, 1, 122,
     "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\006\000\000\000\005\010\000"
     "\000\000\000\103\063\302\072\000\000\000\007\164\105\130\164\124\151\164\154\145\000\170\051\176\115\072"
     "\000\000\000\056\111\104\101\124\170\001\001\043\000\334\377\000\000\007\034\077\160\257\001\015\010\026"
     "\044\062\100\002\047\050\051\052\053\054\003\133\046\056\065\075\104\004\133\013\031\047\065\140\143\005"
     "\005\346\371\321\105\026\000\000\000\000\111\105\116\104\256\102\140\202"},
    {"RGB, the fixed code", 4, 6, 3, 161,
     "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\004\000\000\000\006\010\002"
     "\000\000\000\153\133\250\042\000\000\000\007\164\105\130\164\124\151\164\154\145\000\170\051\176\115\072"
     "\000\000\000\125\111\104\101\124\170\001\143\140\220\267\143\127\163\225\261\216\262\217\253\145\344\325"
     "\361\346\340\340\020\023\023\123\121\121\141\122\127\127\327\320\320\320\324\324\324\322\322\142\216\316"
     "\256\122\123\123\323\323\323\063\065\065\145\211\216\216\346\346\346\226\224\224\004\052\141\160\115\151"
     "\016\054\350\317\356\132\071\171\323\105\000\003\123\020\322\063\002\231\254\000\000\000\000\111\105\116"
     "\104\256\102\140\202"},
    {"RGBA, a code of its own, in three chunks", 24, 10, 4, 794,
     "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\030\000\000\000\012\010\006"
     "\000\000\000\256\151\236\150\000\000\000\007\164\105\130\164\124\151\164\154\145\000\170\051\176\115\072"
     "\000\000\000\350\111\104\101\124\170\332\025\322\177\114\314\161\034\307\361\353\307\224\374\070\032\232"
     "\344\060\072\105\127\035\222\164\304\272\314\126\062\154\231\056\105\135\232\313\217\316\206\056\313\042"
     "\043\277\166\066\161\313\210\265\311\362\243\250\310\217\353\327\364\007\213\132\253\141\307\205\113\352"
     "\372\061\135\150\305\151\236\237\307\276\377\175\076\237\367\347\363\175\277\336\022\311\274\265\073\075"
     "\344\061\132\277\310\104\103\124\162\356\365\054\143\371\333\212\226\301\311\316\071\253\167\154\077\162"
     "\245\272\341\363\370\334\360\204\303\205\346\217\177\146\157\076\160\361\376\220\064\170\323\315\072\253"
     "\063\351\330\265\147\213\067\244\237\022\347\173\046\370\253\077\375\365\215\140\253\112\254\363\355\123"
     "\151\162\212\216\136\175\334\341\062\045\050\126\347\211\131\130\204\145\130\207\170\044\101\207\154\234"
     "\106\041\112\360\020\165\170\003\013\172\061\002\167\170\143\076\202\241\202\353\142\004\040\020\113\260"
     "\024\101\120\100\154\012\355\135\276\315\000\000\000\350\111\104\101\124\101\050\224\020\227\057\307\012"
     "\204\141\045\302\261\012\021\130\215\110\210\302\153\260\026\156\232\314\234\163\162\210\142\342\220\130"
     "\120\043\016\333\360\121\243\321\244\242\257\117\247\323\143\314\140\060\344\111\044\222\202\202\002\117"
     "\251\321\150\364\361\061\231\144\062\131\261\250\041\036\045\152\210\013\324\352\246\246\330\346\330\130"
     "\167\316\153\046\141\066\370\231\344\260\224\224\260\135\321\321\321\133\220\102\341\375\151\151\151\132"
     "\155\347\261\263\147\323\323\367\070\235\246\333\031\031\031\276\125\125\125\173\003\003\033\133\165\255"
     "\255\126\153\246\265\277\277\177\337\030\074\060\023\013\027\146\145\051\365\112\345\241\250\250\050\111"
     "\214\066\277\144\013\311\146\236\053\173\165\271\262\155\350\165\257\207\134\344\222\162\374\206\271\276"
     "\363\237\237\042\116\254\364\114\130\276\125\177\251\271\157\142\200\376\122\105\213\277\072\355\244\010"
     "\266\346\335\357\031\127\252\333\207\117\334\252\357\044\363\017\064\241\066\273\000\000\000\346\111\104"
     "\101\124\371\045\215\137\212\236\276\037\251\045\361\037\123\025\161\041\361\373\057\270\164\374\364\126"
     "\116\301\034\210\034\104\117\143\040\332\263\033\007\221\213\363\050\302\035\074\306\113\264\341\063\006"
     "\361\027\023\341\003\177\210\254\326\303\265\014\167\161\017\367\361\000\345\250\200\230\226\107\250\004"
     "\135\251\252\206\050\376\004\065\170\212\147\170\216\027\060\243\026\142\302\352\321\000\067\327\351\013"
     "\102\373\340\160\070\364\143\044\230\007\362\363\224\112\245\106\023\212\213\145\062\171\151\151\051\367"
     "\052\104\161\263\112\145\156\102\063\332\141\111\264\130\154\266\124\233\335\276\327\356\320\353\035\243"
     "\331\331\243\171\114\301\031\362\240\206\324\335\212\151\160\102\204\355\353\373\365\253\315\266\321\226"
     "\320\325\325\365\015\335\335\207\272\277\243\007\142\336\355\167\355\166\361\040\202\355\357\030\030\030"
     "\020\355\031\302\070\350\322\144\057\057\207\327\360\160\300\360\117\374\302\177\157\335\314\052\122\327"
     "\077\303\000\000\000\000\111\105\116\104\256\102\140\202"},
    {"grey and alpha", 3, 7, 2, 133,
     "\211\120\116\107\015\012\032\012\000\000\000\015\111\110\104\122\000\000\000\003\000\000\000\007\010\004"
     "\000\000\000\147\260\077\042\000\000\000\007\164\105\130\164\124\151\164\154\145\000\170\051\176\115\072"
     "\000\000\000\071\111\104\101\124\170\332\143\140\220\147\127\223\261\146\344\325\341\340\020\023\143\122"
     "\127\327\320\320\324\144\216\316\126\123\323\323\143\211\216\346\346\226\224\144\160\115\011\054\310\356"
     "\142\274\362\231\227\127\132\032\000\245\207\010\366\250\042\070\003\000\000\000\000\111\105\116\104\256"
     "\102\140\202"}};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static const char *decode(const uint8_t *file, size_t size, png_picture *p)
{
    uint8_t *copy = malloc(size + 1); /* on the heap, so that a sanitizer detects overruns */
    const char *wrong;
    memcpy(copy, file, size);
    copy = realloc(copy, size ? size : 1);
    *p = (png_picture){0, 0, 0, NULL};
    wrong = png_decode(copy, size, p);
    free(copy);
    return wrong;
}

static int wrong_pixels(const png_picture *p)
{
    int wrong = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            for (int c = 0; c < p->channels; c++)
                wrong += p->at[(y * p->width + x) * p->channels + c] !=
                         ((7 * x * x + 13 * y * y + 31 * c + x * y) & 255);
    return wrong;
}

TEST(pictures_are_read)
{
    for (int i = 0; i < SAMPLES; i++) {
        png_picture p;
        const char *wrong = decode((const uint8_t *)samples[i].file, (size_t)samples[i].size, &p);
        CHECK_MSG(!wrong, "%s: %s", samples[i].name, wrong);
        CHECK(p.width == samples[i].width && p.height == samples[i].height && p.channels == samples[i].channels);
        CHECK_MSG(p.at && !wrong_pixels(&p), "%s: %d bytes are wrong", samples[i].name, p.at ? wrong_pixels(&p) : -1);
        free(p.at);
    }
}

/* Corrects the checksums of all chunks. */
static void mend_checksums(uint8_t *file, size_t size)
{
    for (size_t at = 8, n; size - at >= 12; at += n + 12) {
        n = png_u32(file + at);
        if (n > size - at - 12) return;
        png_put_u32(file + at + 8 + n, png_crc(file + at + 4, n + 4));
    }
}

TEST(damaged_pictures_are_refused)
{
    uint8_t file[ROOM];
    int refused = 0;
    for (int i = 0; i < SAMPLES; i++) {
        size_t size = (size_t)samples[i].size;
        png_picture p;
        for (size_t n = 0; n < size; n++)
            CHECK_MSG(decode((const uint8_t *)samples[i].file, n, &p), "%s: %zu bytes are taken", samples[i].name, n);
        for (int k = 0; k < 20000; k++) {
            memcpy(file, samples[i].file, size);
            for (uint64_t n = 1 + test_random() % 4; n; n--)
                file[8 + test_random() % (size - 8)] = (uint8_t)test_random();
            if (k % 8) mend_checksums(file, size); /* so that later checks are tested */
            if (decode(file, size, &p)) refused++;
            free(p.at);
        }
    }
    CHECK_MSG(refused > 40000, "%d refused", refused);
}

TEST(what_is_not_read_is_named)
{
    static const struct {
        int at, value;
        const char *said;
    } changes[] = {
        {16, 1, "1 to 32768 pixels"},         {24, 16, "16 bits a channel"}, {24, 4, "fewer than 8 bits"},
        {25, 3, "a palette"},                 {25, 1, "colour type"},        {25, 7, "colour type"},
        {26, 1, "compression or filter"},     {28, 1, "interlaced"},         {12, 'J', "header is malformed"},
        {23, 2, "more pixels than its size"}, {1, 'Q', "no PNG file"},       {37, 'T', "must be understood"},
    };
    uint8_t file[ROOM];
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        png_picture p;
        const char *wrong;
        memcpy(file, samples[1].file, (size_t)samples[1].size);
        file[changes[i].at] = (uint8_t)changes[i].value;
        mend_checksums(file, (size_t)samples[1].size);
        wrong = decode(file, (size_t)samples[1].size, &p);
        CHECK_MSG(wrong && strstr(wrong, changes[i].said), "%d: \"%s\", want \"%s\"", changes[i].at, wrong ? wrong : "",
                  changes[i].said);
        free(p.at);
    }
    memcpy(file, samples[0].file, (size_t)samples[0].size);
    file[samples[0].size - 20] ^= 1; /* of the pixels' own checksum */
    mend_checksums(file, (size_t)samples[0].size);
    png_picture p;
    CHECK_STR(decode(file, (size_t)samples[0].size, &p), "the checksum of its pixels is wrong");
}

/* It reads its own files; a row may be longer than a stored block. */
TEST(pictures_come_back)
{
    static const int sizes[][3] = {{1, 1, 1}, {3, 5, 2}, {40, 7, 3}, {20000, 3, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        png_picture p, q = {0, 0, 0, NULL};
        char path[512];
        const char *dir = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/xetile_picture_%p.png", dir ? dir : "/tmp", (void *)path);
        CHECK(png_init(&p, sizes[i][1], sizes[i][0], sizes[i][2]));
        for (int k = 0; k < p.width * p.height * p.channels; k++) p.at[k] = (uint8_t)test_random();
        CHECK(png_write(path, &p) && png_read(path, &q));
        CHECK(q.at && q.width == p.width && q.height == p.height && q.channels == p.channels);
        if (q.at) CHECK(!memcmp(p.at, q.at, (size_t)(p.width * p.height * p.channels)));
        free(p.at);
        free(q.at);
        remove(path);
    }
}

/* ---- safetensors */

#define HEADER                                                                                                         \
    "{\"__metadata__\":{\"format\":\"pt\",\"shape\":\"[1]\"}, \"b\":{\"dtype\":\"F16\",\"shape\":[3],"                 \
    "\"data_offsets\":[0,6]},\n \"w\" : {\"shape\":[2,3],\"data_offsets\":[6,18],\"dtype\":\"BF16\"} }  "

static const char *find(const char *text, size_t size, const char *name, tensor_row *t)
{
    char *copy = malloc(size ? size : 1);
    const char *wrong;
    memset(t, 0, sizeof *t);
    memcpy(copy, text, size);
    wrong = safetensors_find(copy, size, name, t);
    if (!wrong) wrong = tensor_check(t, 18);
    free(copy);
    return wrong;
}

TEST(headers_of_safetensors)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        {"", "no JSON"}, {"{", "no JSON"}, {"[]", "no JSON"}, {"{}", "it has no matrix"}, {"{\"a\":7}", "no JSON"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1]}}", "lacks its dtype, shape or data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,-1],\"data_offsets\":[0,4]}}", "no JSON"},
        {"{\"a\":{\"dtype\":\"I64\",\"shape\":[1,1],\"data_offsets\":[0,8]}}", "neither F16, BF16 nor F32"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0,1],\"data_offsets\":[0,0]}}", "1 to 65536 rows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[65537,1],\"data_offsets\":[0,0]}}", "1 to 65536 rows"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[5,1],\"data_offsets\":[0,20]}}", "outside the file"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[8,4]}}", "outside the file"},
        {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1,1],\"data_offsets\":[0,4]}}", "not as far apart"},
        {"{\"a\":{\"dtype\":\"F16\",\"shape\":[99999999999999999999999,1],\"data_offsets\":[0,4]}}", "no JSON"},
        {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1,1],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"F16\",\"shape\":[1,1],"
         "\"data_offsets\":[2,4]}}", "several matrices: choose one with --tensor"},
    };
    tensor_row t;
    const char *wrong;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wrong = find(bad[i].text, strlen(bad[i].text), NULL, &t);
        CHECK_MSG(wrong && strstr(wrong, bad[i].said), "%s: \"%s\"", bad[i].text, wrong ? wrong : "taken");
    }
    wrong = find(HEADER, strlen(HEADER), NULL, &t);
    CHECK_MSG(!wrong, "%s", wrong);
    CHECK(t.shape[0] == 2 && t.shape[1] == 3 && t.begin == 6 && t.end == 18);
    CHECK(!find(HEADER, strlen(HEADER), "w", &t));
    CHECK_HAS(find(HEADER, strlen(HEADER), "v", &t), "no tensor with this name");
    CHECK(!find(HEADER, strlen(HEADER), "b", &t)); /* a vector is a row */
    CHECK(t.shape[0] == 1 && t.shape[1] == 3);
}

TEST(damaged_headers_are_no_more_than_refused)
{
    size_t size = strlen(HEADER);
    char text[sizeof HEADER];
    tensor_row t;
    for (size_t n = 0; n + 4 < size; n++) CHECK_MSG(find(HEADER, n, NULL, &t), "%zu bytes are taken", n);
    for (int k = 0; k < 200000; k++) {
        memcpy(text, HEADER, size);
        for (uint64_t n = 1 + test_random() % 4; n; n--)
            text[test_random() % size] = k % 2 ? (char)test_random() : HEADER[test_random() % size];
        find(text, test_random() % 4 ? size : test_random() % size, k % 3 ? NULL : "w", &t);
    }
}

static bool read_file(const void *head, size_t size, const void *data, size_t bytes, matrix *x)
{
    char path[512];
    unsigned char file[512];
    const char *dir = getenv("TMPDIR");
    bool ok;
    snprintf(path, sizeof path, "%s/xetile_tensors_%p.safetensors", dir ? dir : "/tmp", (void *)path);
    memcpy(file, head, size);
    memcpy(file + size, data, bytes);
    *x = (matrix){0, 0, NULL};
    ok = write_file(path, file, size + bytes) && safetensors_read(path, NULL, x);
    remove(path);
    return ok;
}

TEST(safetensors_files)
{
    static const uint16_t data[9] = {1, 2, 3, 0x3f80, 0xc000, 0x3e80, 0x0001, 0x4049, 0x42f7};
    unsigned char head[8 + sizeof HEADER] = {sizeof HEADER - 1};
    matrix x;
    memcpy(head + 8, HEADER, sizeof HEADER);
    CHECK(read_file(head, sizeof head - 1, data, sizeof data, &x));
    if (x.at) CHECK(x.rows == 2 && x.cols == 3);
    for (int i = 0; x.at && i < 6; i++) {
        uint32_t bits;
        memcpy(&bits, &x.at[i], 4);
        CHECK_INT(bits, (uint32_t)data[3 + i] << 16);
    }
    free(x.at);
    for (size_t n = 0; n < sizeof head - 1 + sizeof data; n++) { /* every truncation */
        bool in_head = n < sizeof head - 1;
        CHECK(!read_file(head, in_head ? n : sizeof head - 1, data, in_head ? 0 : n - (sizeof head - 1), &x));
        free(x.at);
    }
    head[7] = 0x7f; /* a header of many exabytes */
    CHECK(!read_file(head, sizeof head - 1, data, sizeof data, &x));
}

int main(void)
{
    RUN(pictures_are_read);
    RUN(damaged_pictures_are_refused);
    RUN(what_is_not_read_is_named);
    RUN(pictures_come_back);
    RUN(headers_of_safetensors);
    RUN(damaged_headers_are_no_more_than_refused);
    RUN(safetensors_files);
    return test_report();
}
