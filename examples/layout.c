/* layout.c - shows which work-item of a subgroup holds which element of a cooperative matrix, as a table and as a
 * picture; and which subgroup of a work-group holds which part of a tile under a wg_map. Needs no device.
 *
 *     cc -std=c11 layout.c -lm && ./a.out --rows 4 --cols 15 --svg layout.svg
 *
 * In order: the command line, the check, the table, pictures of a layout, pictures of a map.
 */
#include "xetile.h"

#define EXAMPLE "layout"
#include "example.h"

/* ---- the command line */

static int rows = 4, cols = 15, subgroup = 16, use;
static const char *type_name = "f32", *svg, *tile_text, *layout_text, *data_text; /* NULL: not given */
static const char *const uses[] = {"acc", "a", "b", NULL};

static const example_option options[] = {
    NUMBER("--rows", "of the matrix, a power of two", &rows, 1, 16384),
    NUMBER("--cols", "of the matrix", &cols, 1, 16384),
    TEXT("--type", "TYPE", "of its components: f64 f32 f16 bf16 i8 ...", &type_name),
    CHOICE("--use", "of the matrix", &use, uses),
    NUMBER("--subgroup", "work-items of the subgroup, a power of two", &subgroup, 1, 16384),
    TEXT("--tile", "RxC", "a tile of a work-group instead, under the map of the next two", &tile_text),
    TEXT("--sg-layout", "RxC", "subgroups of the map", &layout_text),
    TEXT("--sg-data", "RxC", "what a subgroup holds in one piece", &data_text),
    TEXT("--svg", "FILE", "draw it into this file too", &svg),
    OPTIONS_END,
};

static void print_options(void)
{
    printf("layout [options]\n"
           "The table has a column per work-item and a row per component of its vector; r,c is an element of the "
           "matrix, -,- is\n"
           "padding. Without options: the two tables of the layout specification.\n");
    for (const example_option *o = options; o->name; o++) print_option(o);
}

static bool parse_pair(const char *name, const char *text, int pair[2])
{
    char rest;
    if (!text || sscanf(text, "%dx%d%c", &pair[0], &pair[1], &rest) != 2)
        return fail("%s %s: write ROWSxCOLUMNS", name, text ? text : "is missing");
    return true;
}

/* ---- the check: every element is in one slot, and every slot except padding holds one element */

static bool check_layout(const cm_layout *l)
{
    int held = 0;
    for (int p = 0; p < l->lanes; p++)
        for (int v = 0; v < l->size_v; v++) {
            cm_slot s = {p, v / l->omega, v % l->omega}, back;
            cm_element e = cm_element_of(l, s);
            if (e.padding) continue;
            back = cm_slot_of(l, e.row, e.col);
            if (back.lane != p || back.component != s.component || back.channel != s.channel)
                return fail("element %d,%d is in two places", e.row, e.col);
            held++;
        }
    return held == l->rows * l->cols || fail("%d of %d elements are held", held, l->rows * l->cols);
}

/* ---- the table */

/* Component names as in the specification: .x .y .z .w, then numbers. */
static void component_name(const cm_layout *l, int v, char *text, size_t size)
{
    if (l->omega > 1)
        snprintf(text, size, ".%d.%d", v / l->omega, v % l->omega);
    else if (l->size_v <= 4)
        snprintf(text, size, ".%c", "xyzw"[v]);
    else
        snprintf(text, size, ".%d", v);
}

static void print_table(const cm_layout *l)
{
    char text[32];
    int width = snprintf(text, sizeof text, "%d,%d", l->rows - 1, l->cols - 1) + 1;
    if (width < 4) width = 4;
    printf("%d x %d %s matrix_%s, subgroup size %d: I %d, J %d, K1 %d, K2 %d, V %d%s%s\n", l->rows, l->cols,
           cm_type_info(l->type)->name, cm_use_name(l->use) + 7, l->lanes, l->size_i, l->size_j, l->size_k1, l->size_k2,
           l->size_v, l->packed ? ", packed" : "", l->needs_mask ? ", padded" : "");
    printf("p    ");
    for (int p = 0; p < l->lanes; p++) printf("%*d", width, p);
    for (int v = 0; v < l->size_v; v++) {
        component_name(l, v, text, sizeof text);
        printf("\n%-5s", text);
        for (int p = 0; p < l->lanes; p++) {
            cm_slot s = {p, v / l->omega, v % l->omega};
            cm_element e = cm_element_of(l, s);
            if (e.padding)
                snprintf(text, sizeof text, "-,-");
            else
                snprintf(text, sizeof text, "%d,%d", e.row, e.col);
            printf("%*s", width, text);
        }
    }
    printf("\n");
}

/* ---- pictures */

/* Pale colours far apart; neighbours also differ in lightness, so that they can be distinguished in print. */
static void colour_of(int i, int n, char text[8])
{
    double hue = 6.0 * i / n, light = i % 2 ? 0.9 : 0.77, chroma = (1 - light) * 1.7, rgb[3];
    for (int k = 0; k < 3; k++) {
        double d = fabs(fmod(hue + 2.0 * (3 - k), 6.0) - 3) - 1; /* a wave a primary colour, a third of a turn apart */
        rgb[k] = light - chroma / 2 + chroma * fmin(fmax(d, 0), 1);
    }
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)(rgb[0] * 255) & 255, (unsigned)(rgb[1] * 255) & 255,
             (unsigned)(rgb[2] * 255) & 255);
}

static FILE *svg_begin(const char *path, int width, int height)
{
    FILE *f = fopen(path, "w");
    if (f)
        fprintf(f,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"10\" text-anchor=\"middle\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                width, height, width, height);
    return f;
}

static bool svg_end(FILE *f, const char *path)
{
    bool ok = f != NULL;
    if (f) ok = fprintf(f, "</svg>\n") > 0;
    if (f && fclose(f) != 0) ok = false;
    return ok || fail("%s: cannot write it", path);
}

static void svg_cell(FILE *f, int x, int y, int w, int h, const char *colour, const char *label)
{
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#555\" stroke-width=\".6\"/>",
            x, y, w, h, colour);
    fprintf(f, "<text x=\"%g\" y=\"%g\">%s</text>\n", x + w / 2.0, y + h / 2.0 + 3.5, label);
}

static void svg_text(FILE *f, double x, double y, const char *format, ...)
{
    va_list args;
    fprintf(f, "<text x=\"%g\" y=\"%g\" fill=\"#333\">", x, y);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fprintf(f, "</text>\n");
}

enum { MARGIN = 40, CELL = 22 };

/* Labels the numbers at the picture's top and left. */
static void svg_axes(FILE *f, double across, double down, const char *below, const char *beside)
{
    svg_text(f, across, 12, "%s", below);
    fprintf(f, "<text transform=\"translate(12 %g) rotate(-90)\" fill=\"#333\">%s</text>\n", down, beside);
}

/* Draws a row of cells below the picture that explains the colours. */
static void svg_legend(FILE *f, const char *what, int n, int left, int y, int per_row)
{
    svg_text(f, left + per_row * CELL / 2.0, y - 5, "%s", what);
    for (int i = 0; i < n; i++) {
        char colour[8], label[16];
        colour_of(i, n, colour);
        snprintf(label, sizeof label, "%d", i);
        svg_cell(f, left + i % per_row * CELL, y + i / per_row * CELL, CELL, CELL, colour, label);
    }
}

/* Draws a cell per element, coloured by work-item and labelled with its component. */
static bool draw_layout(const cm_layout *l, const char *path)
{
    int cell = l->omega > 1 || l->size_v > 99 ? CELL + 8 : CELL, across = l->cols * cell;
    int per_row = l->lanes < 16 ? l->lanes : 16, legend = (l->lanes + per_row - 1) / per_row * CELL;
    int width = MARGIN * 2 + (across > per_row * CELL ? across : per_row * CELL),
        height = MARGIN * 2 + l->rows * CELL + 22 + legend;
    FILE *f = svg_begin(path, width, height);
    for (int r = 0; f && r < l->rows; r++)
        for (int c = 0; c < l->cols; c++) {
            cm_slot s = cm_slot_of(l, r, c);
            char colour[8], name[32];
            colour_of(s.lane, l->lanes, colour);
            component_name(l, s.component * l->omega + s.channel, name, sizeof name);
            svg_cell(f, MARGIN + c * cell, MARGIN + r * CELL, cell, CELL, colour, name);
        }
    for (int r = 0; f && r < l->rows; r++) svg_text(f, MARGIN - 14, MARGIN + r * CELL + CELL / 2.0 + 3.5, "%d", r);
    for (int c = 0; f && c < l->cols; c++) svg_text(f, MARGIN + (c + 0.5) * cell, MARGIN - 6, "%d", c);
    if (f) svg_axes(f, MARGIN + across / 2.0, MARGIN + l->rows * CELL / 2.0, "column", "row");
    if (f) svg_legend(f, "work-item", l->lanes, MARGIN, MARGIN + l->rows * CELL + 26, per_row);
    return svg_end(f, path);
}

/* ---- a tile under a map */

/* Draws a cell per piece of sg_data, coloured by its first owner and labelled with all subgroups that own it. */
static bool draw_map(const xt_dist *d, const char *path)
{
    int w = d->data[1] >= d->data[0] * 2 ? 76 : 46, h = d->data[0] >= d->data[1] * 2 ? 60 : 38;
    int top = MARGIN + 4, left = MARGIN + 12;
    FILE *f = svg_begin(path, left + d->count[1] * w + 12, top + d->count[0] * h + 12);
    for (int i = 0; f && i < d->count[0]; i++)
        for (int j = 0; j < d->count[1]; j++) {
            char colour[8] = "#ffffff", names[64] = "";
            size_t used = 0;
            for (int s = 0; s < d->subgroups; s++) {
                if (!xt_dist_owns(d, s, i * d->data[0], j * d->data[1])) continue;
                if (!used) colour_of(s, d->subgroups, colour);
                if (used + 8 < sizeof names)
                    used += (size_t)snprintf(names + used, sizeof names - used, used ? " %d" : "%d", s);
            }
            svg_cell(f, left + j * w, top + i * h, w, h, colour, names);
        }
    for (int i = 0; f && i <= d->count[0]; i++) svg_text(f, left - 16, top + i * h + 3.5, "%d", i * d->data[0]);
    for (int j = 0; f && j <= d->count[1]; j++) svg_text(f, left + j * w, top - 7, "%d", j * d->data[1]);
    if (f)
        svg_axes(f, left + d->count[1] * w / 2.0, top + d->count[0] * h / 2.0, "column of the tile", "row of the tile");
    return svg_end(f, path);
}

static bool show_map(void)
{
    xt_map map;
    xt_dist d;
    int tile[2], owners, error;
    memset(&map, 0, sizeof map);
    if (!parse_pair("--tile", tile_text, tile) || !parse_pair("--sg-layout", layout_text, map.sg_layout) ||
        !parse_pair("--sg-data", data_text, map.sg_data))
        return false;
    error = xt_dist_init(&d, tile[0], tile[1], &map);
    if (error) return fail("%s", xt_error_text(error));
    printf("tile %d x %d, sg_layout [%d, %d], sg_data [%d, %d]: %d subgroups, %d pieces each\n", tile[0], tile[1],
           map.sg_layout[0], map.sg_layout[1], map.sg_data[0], map.sg_data[1], d.subgroups, xt_dist_pieces(&d));
    for (int i = 0; i < d.count[0]; i++) {
        for (int j = 0; j < d.count[1]; j++) {
            owners = 0;
            for (int s = 0; s < d.subgroups; s++)
                if (xt_dist_owns(&d, s, i * d.data[0], j * d.data[1])) printf(owners++ ? ",%d" : "%4d", s);
            if (!owners) return fail("nobody owns the piece at %d,%d", i * d.data[0], j * d.data[1]);
        }
        printf("\n");
    }
    if (svg && !draw_map(&d, svg)) return false;
    printf("ok layout tile %d x %d\n", tile[0], tile[1]);
    return true;
}

/* ---- a matrix */

static bool no_such_type(void)
{
    char names[256] = "";
    for (int t = 0; t < CM_TYPE_COUNT; t++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, " %s", cm_type_info((cm_type)t)->name);
    }
    return fail("--type %s: the types are%s", type_name, names);
}

static bool show_matrix(int m, int n)
{
    cm_layout l;
    int type = 0, error;
    while (type < CM_TYPE_COUNT && strcmp(cm_type_info((cm_type)type)->name, type_name) != 0) type++;
    if (type == CM_TYPE_COUNT) return no_such_type();
    error = cm_layout_init(&l, m, n, (cm_type)type, (cm_use)use, subgroup);
    if (error) return fail("%d x %d: %s", m, n, cm_error_text(error));
    print_table(&l);
    if (!check_layout(&l) || (svg && !draw_layout(&l, svg))) return false;
    printf("ok layout %d x %d\n", m, n);
    return true;
}

int main(int argc, char **argv)
{
    bool ok = true;
    atexit(flush_output);
    for (int i = 1; argv[i] && ok; i++) {
        bool found = false;
        if (!strcmp(argv[i], "--help")) return print_options(), 0;
        ok = take_option(options, argv, &i, &found);
        if (ok && !found) ok = fail("%s: no such option; layout --help lists them", argv[i]);
    }
    if (ok && tile_text)
        ok = show_map();
    else if (ok)
        ok = show_matrix(rows, cols) && (argc > 1 || show_matrix(1, 17));
    return ok ? 0 : 1;
}
