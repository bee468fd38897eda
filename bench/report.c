/* report.c - makes one page of the output of `make bench`: `report < lines > report.html`. The page is self-contained:
 * plots are inline SVG, designed for a phone's width and stretched on wider screens.
 *
 * It reads the lines `bench ...` (bench.h), `isa ...` (scripts/check_intel.sh), the first `device ...`, and messages
 * that something is not installed, was skipped, left out or failed. A bench line belongs to the first of `sections`
 * whose prefix and form match.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_LINES = 1000, WIDTH = 360, TEXT = 128 };

typedef struct {
    char name[TEXT], unit[TEXT], peer[TEXT];
    double value, peer_value;
    int section;
} figure;

enum { LEVELS = 7 };
static const char *const level_names[LEVELS] = {"registers",  "slm_loads",  "slm_stores", "loads",
                                                "stores",     "prefetches", "from_memory"};

typedef struct {
    char example[TEXT], device[TEXT], limit[16], share[16], level[LEVELS][16]; /* limit: of scripts/machine_bound.awk */
    int dpas, instructions, spill;
} loop_figure;

static struct {
    figure figures[MAX_LINES];
    loop_figure loops[MAX_LINES];
    char notes[MAX_LINES][256], device[256];
    int figure_count, loop_count, note_count;
} page;

typedef enum { BARS, CURVES, ROWS, TABLE } plot_kind; /* ROWS: bars, each row with its own scale; TABLE: no plot */

static const struct {
    const char *prefix, *title, *text;
    plot_kind kind;
} sections[] = {
    {"emit_", "Writing a module",
     "From C macros to SPIR-V words: the GEMM with work-group tiles of 256 x 256, for both kinds of pitch, and for "
     "one; then for a device without matrix instructions. TinyTC compiles the same product from its own language, "
     "which it parses and optimises first, to more words; SPIRV-Tools' assembler makes the same words from text.",
     ROWS},
    {"compile_", "Including the headers",
     "Processor time of gcc, or clang, for <code>gemm.c</code> and <code>hello.c</code>: with the bodies of the "
     "headers, most of which are not optimised, or with declarations only; beside stb_image.h with its implementation.",
     BARS},
    {"edit_", "From an edit to a result",
     "Headers and gemm.c in a folder of their own: <code>cc gemm.c</code>, then run it and check all of a small "
     "product.",
     BARS},
    {"module_load_", "Loading a module",
     "SPIR-V words to a kernel on the device: compiled anew, and found in the cache.", BARS},
    {"gemm_*_#", "Matrix product by size", "M = N = K, whole launches. The peer multiplies floats.", CURVES},
    {"gemm_*_#_", "Matrix product by instruction set",
     "The software device compiles for the CPU's instruction sets, or for fewer on request.", BARS},
    {"gemm_i8_beside_", "", "", TABLE},
    {"f32_peak_of_a_thread_", "The CPU's own bound",
     "One thread that does nothing but multiply and add f32, by instruction set.", BARS},
    {"devices_", "Several devices",
     "One product dealt out to the sub-devices of the software device, threads shared among them.", BARS},
    {"mpi_", "Several ranks",
     "One product by SUMMA over Open MPI on this machine; each rank has a device with one thread.", BARS},
    {"plain_gemm_", "A product without matrix instructions",
     "Lowered to loads, broadcasts and FMA; PoCL runs the same SPIR-V.", ROWS},
    {"opencl_", "Kernels from OpenCL C", "Ordinary kernels, compiled to SPIR-V by another compiler.", ROWS},
    {"", "Other kernels", "Each row has a scale of its own.", ROWS},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- reading */

/* In a pattern, `#` matches a number, `*` a word, and `_` at the end also any further text; otherwise all of the name
 * must match. */
static bool matches(const char *pattern, const char *name)
{
    if (!*pattern) return !*name;
    if (*pattern == '_' && !pattern[1]) return *name == '_' && name[1];
    if (*pattern == '#') {
        size_t digits = strspn(name, "0123456789");
        return digits && matches(pattern + 1, name + digits);
    }
    if (*pattern == '*') {
        size_t word = strcspn(name, "_");
        return word && matches(pattern + 1, name + word);
    }
    return *pattern == *name && matches(pattern + 1, name + 1);
}

static int section_of(const char *name)
{
    int i = 0;
    while (i < SECTIONS - 1 && !matches(sections[i].prefix, name)) i++;
    return i;
}

static void read_figure(const char *line)
{
    figure *f = &page.figures[page.figure_count];
    memset(f, 0, sizeof *f);
    if (sscanf(line, "bench %127s %lf %127s peer=%127s peer_value=%lf", f->name, &f->value, f->unit, f->peer,
               &f->peer_value) < 3)
        return;
    f->section = section_of(f->name);
    page.figure_count++;
}

static void read_loop(const char *line)
{
    loop_figure *l = &page.loops[page.loop_count];
    const char *spill = strstr(line, " spill=");
    memset(l, 0, sizeof *l);
    if (spill && sscanf(spill, " spill=%d", &l->spill) == 1 &&
        sscanf(line, "isa %127s %127s loop_dpas=%d loop_instructions=%d", l->example, l->device, &l->dpas,
               &l->instructions) == 4 &&
        l->instructions > 0)
        page.loop_count++;
}

/* The line about a loop's bound follows the loop's. */
static void read_bound(const char *line)
{
    loop_figure *l = page.loop_count ? &page.loops[page.loop_count - 1] : NULL;
    char example[TEXT], device[TEXT], key[32];
    if (!l || sscanf(line, "bound %127s %127s", example, device) != 2 || strcmp(example, l->example) != 0 ||
        strcmp(device, l->device) != 0)
        return;
    sscanf(line, "bound %*s %*s %15s %15s", l->limit, l->share);
    for (int k = 0; k < LEVELS; k++) {
        snprintf(key, sizeof key, " %s=", level_names[k]);
        const char *at = strstr(line, key);
        if (at) sscanf(at + strlen(key), "%15s", l->level[k]);
    }
}

static bool is_note(const char *line)
{
    static const char *const words[] = {"not installed", "skipped", "left out", "FAILED", "PoCL takes"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i])) return true;
    return false;
}

/* Several benches report the same notes. */
static bool is_noted(const char *line)
{
    for (int i = 0; i < page.note_count; i++)
        if (!strncmp(page.notes[i], line, sizeof page.notes[i] - 1)) return true;
    return false;
}

static void read_lines(FILE *from)
{
    char line[512];
    while (fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "bench ", 6) && page.figure_count < MAX_LINES) read_figure(line);
        else if (!strncmp(line, "isa ", 4) && page.loop_count < MAX_LINES) read_loop(line);
        else if (!strncmp(line, "bound ", 6)) read_bound(line);
        else if (!strncmp(line, "device ", 7) && !page.device[0])
            snprintf(page.device, sizeof page.device, "%.200s", line + 6 + strspn(line + 6, " "));
        else if (is_note(line) && page.note_count < MAX_LINES && !is_noted(line))
            snprintf(page.notes[page.note_count++], sizeof *page.notes, "%.255s", line);
    }
}

/* ---- writing */

static void print_letter(char c) /* as HTML */
{
    if (c == '<') printf("&lt;");
    else if (c == '>') printf("&gt;");
    else if (c == '&') printf("&amp;");
    else putchar(c);
}

static void print_text(const char *text)
{
    while (*text) print_letter(*text++);
}

static void print_words(const char *name) /* a bench's name with spaces for underscores */
{
    for (; *name; name++) print_letter(*name == '_' ? ' ' : *name);
}

static const char *number(double v) /* three digits, never 1e+03; valid for the next three calls */
{
    static char text[4][32];
    static int turn;
    char *to = text[turn++ % 4];
    snprintf(to, sizeof text[0], "%.*f", v >= 100 || v == floor(v) ? 0 : v >= 10 ? 1 : 2, v);
    return to;
}

static void svg_begin(int height, const char *what)
{
    printf("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, height);
    print_text(what);
    printf("\">\n");
}

static void bar(const char *class_name, double y, double length, double height)
{
    printf("<rect class=\"%s\" x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"1.5\"/>\n", class_name, y,
           fmax(length, 1), height);
}

static bool is_time(const figure *f)
{
    return !strcmp(f->unit, "us") || !strcmp(f->unit, "ms") || !strcmp(f->unit, "s");
}

/* The next of 1, 2, 5, 10, 20 ... */
static double round_up(double v)
{
    double power = pow(10, floor(log10(v)));
    return power * (v <= power ? 1 : v <= 2 * power ? 2 : v <= 5 * power ? 5 : 10);
}

/* Labels for the ends and the middle of the bar's range. */
static void scale_below(const figure *f, double y, double most)
{
    printf("<path class=\"grid\" d=\"M0.5 %.1fv4M%d %.1fv4M%.1f %.1fv4\"/>", y, WIDTH / 2, y, WIDTH - 0.5, y);
    printf(
        "<text class=\"small\" x=\"0\" y=\"%.1f\">0</text><text class=\"small middle\" x=\"%d\" y=\"%.1f\">%s</text>",
        y + 14, WIDTH / 2, y + 14, number(most / 2));
    printf("<text class=\"small end\" x=\"%d\" y=\"%.1f\">%s ", WIDTH, y + 14, number(most));
    print_text(f->unit);
    printf("</text>\n");
}

enum { ROW_HEIGHT = 50, PAIR_HEIGHT = 56 };

/* Name and value, a bar, and below it the peer's bar and text, or without a peer the scale. Returns the y below the
 * row. */
static double row(const figure *f, double y, double most)
{
    double scale = WIDTH / most;
    printf("<text x=\"0\" y=\"%.1f\">", y + 11);
    print_words(f->name);
    printf("</text><text class=\"end\" x=\"%d\" y=\"%.1f\">%s ", WIDTH, y + 11, number(f->value));
    print_text(f->unit);
    printf("</text>\n");
    bar("own", y + 16, f->value * scale, 7);
    if (f->peer_value <= 0) {
        scale_below(f, y + 24, most);
        return y + ROW_HEIGHT;
    }
    bar("peer", y + 25, f->peer_value * scale, 7);
    printf("<text class=\"small\" x=\"0\" y=\"%.1f\">", y + 43);
    print_words(f->peer);
    printf(" %s ", number(f->peer_value));
    print_text(f->unit);
    printf("</text><text class=\"small end\" x=\"%d\" y=\"%.1f\">", WIDTH, y + 43);
    if (is_time(f)) printf("%s times as fast</text>\n", number(f->peer_value / f->value));
    else printf("%s times the peer</text>\n", number(f->value / f->peer_value));
    return y + PAIR_HEIGHT;
}

static bool has_figures(int section)
{
    for (int i = 0; i < page.figure_count; i++)
        if (page.figures[i].section == section) return true;
    return false;
}

/* The largest value in a section with this unit. */
static double most_of(int section, const char *unit)
{
    double most = 0;
    for (int i = 0; i < page.figure_count; i++)
        if (page.figures[i].section == section && strcmp(page.figures[i].unit, unit) == 0)
            most = fmax(most, fmax(page.figures[i].value, page.figures[i].peer_value));
    return most;
}

static bool counts_allocations(const figure *f) { return strcmp(f->unit, "allocations") == 0; }

/* The full width's value: for ROWS with a peer, the larger of both; otherwise a round number, which the bars of a
 * section and unit share. */
static double room_of(const figure *f)
{
    bool alone = sections[f->section].kind == ROWS;
    if (f->peer_value > 0) return alone ? fmax(f->value, f->peer_value) : round_up(most_of(f->section, f->unit));
    return round_up(alone ? f->value : most_of(f->section, f->unit));
}

static void plot_bars(int section)
{
    double height = 4, y = 0;
    for (int i = 0; i < page.figure_count; i++)
        if (page.figures[i].section == section && !counts_allocations(&page.figures[i]))
            height += page.figures[i].peer_value > 0 ? PAIR_HEIGHT : ROW_HEIGHT;
    svg_begin((int)height, sections[section].title);
    for (int i = 0; i < page.figure_count; i++) {
        const figure *f = &page.figures[i];
        if (f->section == section && !counts_allocations(f))
            y = row(f, y, room_of(f));
    }
    printf("</svg>\n");
    for (int i = 0; i < page.figure_count; i++) {
        const figure *f = &page.figures[i];
        if (f->section != section || !counts_allocations(f)) continue;
        printf("<p class=\"small\">");
        print_words(f->name);
        printf(": %s allocations</p>\n", number(f->value));
    }
}

/* ---- curves: gemm_<type>_<size>, with a curve for the peer */

enum { LEFT = 34, TOP = 8, LEGEND_WIDTH = 160, PLOT_WIDTH = WIDTH - LEFT - 8, PLOT_HEIGHT = 190 };
enum { MAX_CURVES = 6, SMALLEST = 6, LARGEST = 12 };

typedef struct {
    char name[TEXT];
    double at[LARGEST + 1]; /* by log2 of the size; 0: not measured */
} curve;

static void add_point(curve *all, int *count, const char *name, int size, double value)
{
    int c = 0, i = 0;
    while (1 << i < size && i < LARGEST) i++;
    while (c < *count && strcmp(all[c].name, name) != 0) c++;
    if (c == MAX_CURVES) return;
    if (c == *count) snprintf(all[(*count)++].name, TEXT, "%s", name);
    all[c].at[i] = value;
}

static int gather_curves(int section, curve *all)
{
    int count = 0;
    for (int i = 0; i < page.figure_count; i++) {
        const figure *f = &page.figures[i];
        char type[TEXT];
        int size;
        if (f->section != section || sscanf(f->name, "gemm_%127[a-z0-9]_%d", type, &size) != 2) continue;
        add_point(all, &count, type, size, f->value);
        if (f->peer_value > 0) add_point(all, &count, f->peer, size, f->peer_value);
    }
    return count;
}

static double x_of(int log_size) { return LEFT + (double)PLOT_WIDTH * (log_size - SMALLEST) / (LARGEST - SMALLEST); }
static double y_of(double value, double most) { return TOP + PLOT_HEIGHT * (1 - value / most); }

static double round_step(double most) /* for about four grid lines */
{
    double step = pow(10, floor(log10(most / 4)));
    return most / step > 20 ? step * 5 : most / step > 8 ? step * 2 : step;
}

static void plot_axes(double most)
{
    double step = round_step(most);
    for (double v = 0; v <= most; v += step) {
        printf("<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y_of(v, most), LEFT + PLOT_WIDTH);
        printf("<text class=\"small end\" x=\"%d\" y=\"%.1f\">%.0f</text>\n", LEFT - 5, y_of(v, most) + 4, v);
    }
    printf("<text class=\"small\" x=\"%d\" y=\"%d\">GFLOP/s</text>\n", LEFT + 4, TOP + 10); /* lines end on the right */
    for (int i = SMALLEST; i <= LARGEST; i++)
        printf("<text class=\"small middle\" x=\"%.1f\" y=\"%d\">%d</text>\n", i == LARGEST ? x_of(i) - 6 : x_of(i),
               TOP + PLOT_HEIGHT + 16, 1 << i);
}

static void plot_curves(int section)
{
    curve all[MAX_CURVES];
    double most = most_of(section, "GFLOP/s") * 1.05;
    int count, x, y;
    memset(all, 0, sizeof all);
    count = gather_curves(section, all);
    svg_begin(TOP + PLOT_HEIGHT + 26 + 16 * ((count + 1) / 2), sections[section].title);
    plot_axes(most);
    for (int c = 0; c < count; c++) {
        char letter = 'M';
        printf("<path class=\"curve c%d\" d=\"", c);
        for (int i = SMALLEST; i <= LARGEST; i++) {
            if (all[c].at[i] <= 0) continue;
            printf("%c%.1f %.1f", letter, x_of(i), y_of(all[c].at[i], most));
            letter = 'L';
        }
        printf("\"/>\n");
        for (int i = SMALLEST; i <= LARGEST; i++)
            if (all[c].at[i] > 0)
                printf("<circle class=\"dot c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>", c, x_of(i),
                       y_of(all[c].at[i], most));
        x = LEFT + c % 2 * LEGEND_WIDTH;
        y = TOP + PLOT_HEIGHT + 27 + c / 2 * 16;
        printf("<rect class=\"dot c%d\" x=\"%d\" y=\"%d\" width=\"9\" height=\"9\" rx=\"2\"/>", c, x, y);
        printf("<text x=\"%d\" y=\"%d\">", x + 13, y + 9);
        print_words(all[c].name);
        printf("</text>\n");
    }
    printf("</svg>\n<p class=\"small\">GFLOP/s over M = N = K.</p>\n");
}

/* ---- Intel's compiler */

static void plot_loops(void)
{
    printf("<section><h2>The inner loop on Intel's GPUs</h2><p>Instructions of the loop that holds most dpas, as "
           "Intel's own compiler "
           "writes it. Blue: the share of dpas.</p>\n");
    svg_begin(page.loop_count * 26 + 4, "instructions of the inner loops");
    for (int i = 0; i < page.loop_count; i++) {
        const loop_figure *l = &page.loops[i];
        double y = i * 26;
        printf("<text x=\"0\" y=\"%.0f\">", y + 11);
        print_words(l->example);
        printf(", %s</text><text class=\"end\" x=\"%d\" y=\"%.0f\">%d dpas of %d%s</text>\n", l->device, WIDTH, y + 11,
               l->dpas, l->instructions, l->spill ? ", spills" : "");
        bar("peer", y + 15, WIDTH, 6);
        bar("own", y + 15, (double)WIDTH * l->dpas / fmax(l->instructions, 1), 6);
    }
    printf("</svg></section>\n");
}

static void print_cell(const char *text)
{
    printf("<td>");
    print_words(*text ? text : "-");
}

static void plot_bounds(void)
{
    printf(
        "<section class=\"long\"><h2>What limits them</h2><p>Of one round of the loop: the busiest pipe, the share of "
        "the matrix pipe's peak that is left at most, bytes by level, and how much of what comes from beyond L1 may "
        "come from memory (docs/machine-code.md).</p>\n<div class=\"table\"><table><tr><th>loop<th>device<th>limit"
        "<th>at most");
    for (int k = 0; k < LEVELS; k++) {
        printf("<th>");
        print_words(level_names[k]);
    }
    printf("</tr>\n");
    for (int i = 0; i < page.loop_count; i++) {
        const loop_figure *l = &page.loops[i];
        if (!l->limit[0]) continue;
        printf("<tr>");
        print_cell(l->example);
        print_cell(l->device);
        print_cell(l->limit);
        print_cell(l->share);
        for (int k = 0; k < LEVELS; k++) print_cell(l->level[k]);
        printf("</tr>\n");
    }
    printf("</table></div></section>\n");
}

/* ---- the page */

static const char style[] =
    ":root{--ink:#1a1c20;--soft:#5b616b;--paper:#fff;--line:#dfe2e7;--own:#0b63c4;--peer:#b6bcc6;--b:#d9541e;"
    "--c:#1d8a50;--d:#6b7280}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#a2a8b3;--paper:#15171b;--line:#33373f;--own:#5aa5f5;"
    "--peer:#565c67;--b:#ff8a58;--c:#4fc98a;--d:#a2a8b3}}*{box-sizing:border-box}"
    "body{margin:0 auto;padding:16px;max-width:1160px;background:var(--paper);color:var(--ink);"
    "font:16px/1.45 system-ui,sans-serif}h1{font-size:26px;margin:8px 0}h2,p{break-after:avoid}"
    "h2{font-size:18px;margin:0 0 4px}p{margin:4px 0 10px;color:var(--soft)}main{columns:2 440px;column-gap:44px}"
    "section{break-inside:avoid;margin:0 0 26px}section.long{break-inside:auto}"
    "svg{display:block;width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}"
    "svg .small{font-size:11px;fill:var(--soft)}.end{text-anchor:end}.middle{text-anchor:middle}.own{fill:var(--own)}"
    ".peer{fill:var(--peer)}.grid{stroke:var(--line)}.curve{fill:none;stroke-width:2}.curve.c0{stroke:var(--own)}"
    ".curve.c1{stroke:var(--d);stroke-dasharray:5 3}.curve.c2{stroke:var(--b)}.curve.c3{stroke:var(--c)}"
    ".dot.c0{fill:var(--own)}.dot.c1{fill:var(--d)}.dot.c2{fill:var(--b)}.dot.c3{fill:var(--c)}"
    "p.small{font-size:13px;margin:2px 0}li{overflow-wrap:anywhere}.table{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:13px}"
    "td,th{text-align:left;padding:3px 14px 3px 0;border-bottom:1px solid var(--line);white-space:nowrap}"
    "summary{cursor:pointer}";

static void print_head(void)
{
    char date[64];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    printf("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
           "content=\"width=device-width,initial-scale=1\">\n"
           "<title>xetile: measurements</title>\n<style>%s</style>\n<h1>xetile: measurements</h1>\n<p>%s, on ",
           style, date);
    print_text(page.device[0] ? page.device : "this machine");
    printf(". Medians. Blue is ours, grey a peer.</p>\n");
}

static void print_notes(void)
{
    printf("<section><h2>What was not measured</h2>\n");
    if (!page.note_count) printf("<p>All peers were there.</p>");
    printf("<ul>");
    for (int i = 0; i < page.note_count; i++) {
        printf("<li>");
        print_text(page.notes[i]);
        printf("</li>\n");
    }
    printf("</ul></section>\n");
}

static void print_table(void)
{
    printf("<details><summary>All figures</summary><div "
           "class=\"table\"><table><tr><th>name<th>value<th>peer<th>ratio</tr>\n");
    for (int i = 0; i < page.figure_count; i++) {
        const figure *f = &page.figures[i];
        printf("<tr><td>");
        print_text(f->name);
        printf("<td>%s ", number(f->value));
        print_text(f->unit);
        printf("<td>");
        print_text(f->peer);
        if (f->peer_value > 0) printf(" %s<td>%s", number(f->peer_value), number(f->value / f->peer_value));
        printf("</tr>\n");
    }
    printf("</table></div></details>\n");
}

int main(void)
{
    read_lines(stdin);
    print_head();
    printf("<main>\n");
    for (int s = 0; s < SECTIONS; s++) {
        if (!has_figures(s) || sections[s].kind == TABLE) continue;
        printf("<section%s><h2>%s</h2><p>%s</p>\n", s >= SECTIONS - 2 ? " class=\"long\"" : "", sections[s].title,
               sections[s].text);
        if (sections[s].kind == CURVES) plot_curves(s);
        else plot_bars(s);
        printf("</section>\n");
    }
    if (page.loop_count) plot_loops(), plot_bounds();
    print_notes();
    printf("</main>\n");
    print_table();
    printf("</html>\n");
    return ferror(stdout) || page.figure_count == 0;
}
