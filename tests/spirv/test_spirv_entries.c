/* Entry points of modules with many kernels and functions: their interfaces against a search of the graph of calls, and
 * sizes that only a linear spe_finish completes: 2,000 kernels that each call the last of 2,000 functions in a chain
 * took longer than ten minutes.
 */
#include "test.h"

#include "spirv_emit.h"

enum { MOST = 40 };

static struct {
    int functions, kernels, variables;
    bool calls[MOST][MOST], uses[MOST][MOST]; /* of function or kernel i */
    spe_id variable[MOST], function[MOST];
} graph;

static int between(int low, int high) { return low + (int)(test_uniform() * (high - low + 1)); }

/* A graph in which function i calls some of those before it, and each uses some variables; more or less densely. */
static void choose_graph(void)
{
    int density = between(1, 6);
    memset(&graph, 0, sizeof graph);
    graph.functions = between(0, 25);
    graph.kernels = between(1, 8);
    graph.variables = between(0, 12);
    for (int i = 0; i < graph.functions + graph.kernels; i++) {
        for (int j = 0; j < i && j < graph.functions; j++)
            graph.calls[i][j] = between(0, 9) < density && between(0, 2) == 0;
        for (int v = 0; v < graph.variables; v++) graph.uses[i][v] = between(0, 19) < density;
    }
}

static void write_body(spe_module *m, int i)
{
    for (int j = 0; j < graph.functions; j++)
        if (graph.calls[i][j]) spe_call(m, graph.function[j], 0, NULL);
    for (int v = 0; v < graph.variables; v++) {
        if (graph.uses[i][v]) spe_store(m, graph.variable[v], spe_u32(m, (uint32_t)i), 0);
    }
}

static void write_graph(spe_module *m)
{
    for (int v = 0; v < graph.variables; v++)
        graph.variable[v] = spe_global_var(m, SPE_StorageClassWorkgroup, spe_int(m, 32), 0);
    for (int i = 0; i < graph.functions; i++) {
        graph.function[i] = spe_function_begin(m, "f", spe_void(m), 0, NULL);
        write_body(m, i);
        spe_return(m);
        spe_function_end(m);
    }
    for (int i = 0; i < graph.kernels; i++) {
        char name[24];
        spe_kernel k = {.name = name};
        snprintf(name, sizeof name, "kernel_%d", i);
        spe_kernel_begin(m, &k);
        write_body(m, graph.functions + i);
        spe_kernel_end(m);
    }
}

/* What i reaches, by following every call. */
static void reach(int i, bool *reached)
{
    for (int v = 0; v < graph.variables; v++) reached[v] = reached[v] || graph.uses[i][v];
    for (int j = 0; j < graph.functions; j++)
        if (graph.calls[i][j]) reach(j, reached);
}

/* The interface of kernel number `kernel`: how often each variable is in it. */
static int interface_of(spe_words w, int kernel, int *times)
{
    for (size_t at = 5; at < w.count; at += w.data[at] >> 16) {
        if ((w.data[at] & 0xffff) != SPE_OpEntryPoint || kernel--) continue;
        size_t end = at + (w.data[at] >> 16), id = at + 3;
        while (w.data[id] >> 24) id++; /* the name's last word ends with a zero */
        for (id++; id < end; id++) {
            int v = 0;
            while (v < graph.variables && graph.variable[v] != w.data[id]) v++;
            if (v == graph.variables) return -1;
            times[v]++;
        }
        return 0;
    }
    return -1;
}

TEST(interfaces_are_what_kernels_reach)
{
    for (int round = 0; round < 300; round++) {
        spe_module m;
        spe_options o = {.version = round % 2 ? SPE_VERSION(1, 4) : SPE_VERSION(1, 3)};
        choose_graph();
        spe_begin(&m, &o);
        write_graph(&m);
        spe_words w = spe_finish(&m);
        CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
        for (int i = 0; w.data && i < graph.kernels; i++) {
            bool reached[MOST] = {false};
            int times[MOST] = {0};
            reach(graph.functions + i, reached);
            CHECK(interface_of(w, i, times) == 0);
            for (int v = 0; v < graph.variables; v++) CHECK_INT(times[v], o.version == SPE_VERSION(1, 4) && reached[v]);
        }
        if (round < 8) test_save_spv("test_spirv_entries", w.data, 4 * w.count);
        spe_free(&m);
    }
}

TEST(chains_of_calls_cost_what_they_write)
{
    enum { LONG = 2000 };
    spe_module m;
    spe_begin(&m, NULL);
    spe_id u32 = spe_int(&m, 32), last = 0;
    spe_id first = spe_global_var(&m, SPE_StorageClassWorkgroup, u32, 0),
           second = spe_global_var(&m, SPE_StorageClassWorkgroup, u32, 0);
    for (int i = 0; i < LONG; i++) {
        spe_id f = spe_function_begin(&m, "f", spe_void(&m), 0, NULL);
        if (last) spe_call(&m, last, 0, NULL);
        if (i == 0 || i == LONG / 2) spe_store(&m, i ? second : first, spe_u32(&m, 1), 0);
        spe_return(&m);
        spe_function_end(&m);
        last = f;
    }
    for (int i = 0; i < LONG; i++) {
        char name[24];
        spe_kernel k = {.name = name};
        snprintf(name, sizeof name, "kernel_%d", i);
        spe_kernel_begin(&m, &k);
        spe_call(&m, last, 0, NULL);
        spe_kernel_end(&m);
    }
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data, "%s", spe_get_error(&m)->text);
    graph.variables = 2;
    graph.variable[0] = first;
    graph.variable[1] = second;
    for (int i = 0; w.data && i < LONG; i += 97) {
        int times[MOST] = {0};
        CHECK(interface_of(w, i, times) == 0);
        CHECK_INT(times[0], 1);
        CHECK_INT(times[1], 1);
    }
    spe_free(&m);
}

TEST(each_kernel_has_a_name_of_its_own)
{
    enum { MANY = 16000 };
    spe_module m;
    char name[24];
    spe_kernel k = {.name = name};
    spe_begin(&m, NULL);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "k%d", i * 37);
        spe_kernel_begin(&m, &k);
        spe_kernel_end(&m);
    }
    CHECK(spe_ok(&m));
    snprintf(name, sizeof name, "k%d", 37 * 12345);
    CHECK(!spe_kernel_begin(&m, &k));
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_NAME);
    CHECK_HAS(spe_get_error(&m)->text, name);
    spe_free(&m);
}

/* Each with a number of its own: tens of thousands of constants in order once took time by the square. */
static void write_kernels(spe_module *m, uint32_t count)
{
    spe_id u32 = spe_int(m, 32), local = spe_shared_var(m, u32);
    char name[24];
    spe_kernel k = {.name = name};
    for (uint32_t i = 0; i < count && spe_ok(m); i++) {
        snprintf(name, sizeof name, "k%u", i);
        spe_kernel_begin(m, &k);
        spe_store(m, local, spe_u32(m, i), 0);
        spe_kernel_end(m);
    }
}

TEST(modules_have_65535_kernels_at_most)
{
    enum { MOST_KERNELS = 65535 };
    spe_module m;
    uint32_t entries = 0, at;
    spe_begin(&m, NULL);
    write_kernels(&m, MOST_KERNELS);
    spe_words w = spe_finish(&m);
    CHECK_MSG(w.data != NULL, "%s", spe_get_error(&m)->text);
    for (at = 5; at < w.count; at += w.data[at] >> 16) entries += (w.data[at] & 0xffff) == SPE_OpEntryPoint;
    CHECK_INT(entries, MOST_KERNELS);
    spe_free(&m);
    spe_begin(&m, NULL);
    write_kernels(&m, MOST_KERNELS + 1);
    CHECK_INT(spe_get_error(&m)->id, SPE_ERR_LIMIT);
    CHECK_HAS(spe_get_error(&m)->text, "more than 65535 functions");
    spe_free(&m);
}

int main(void)
{
    RUN(interfaces_are_what_kernels_reach);
    RUN(chains_of_calls_cost_what_they_write);
    RUN(each_kernel_has_a_name_of_its_own);
    RUN(modules_have_65535_kernels_at_most);
    return test_report();
}
