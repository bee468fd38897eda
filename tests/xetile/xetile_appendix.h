/* xetile_appendix.h - the programs of the specification's appendices, verbatim: their loops over i and j inside one
 * work-group (appendix 1: one subgroup), their tiles, types and maps. Errors in the text are corrected: a prefetch uses
 * the prefetch tile, the accumulator is carried, `% 4` counts steps, and 2.2 sums the results of all columns j. (The
 * programs in examples/ have one work-group per tile, and account for registers and local memory of GPUs.) */
#ifndef XETILE_APPENDIX_H
#define XETILE_APPENDIX_H

static xt_map map_bt; /* for 2.2 and 2.3 */

#define PROGRAM(name) XT_KERNEL(name, u64(A), u64(B), u64(C), u64(BIAS), u32(M), u32(N), u32(K))
#define MAP(p, q, r, s) XT_MAP(.sg_layout = {p, q}, .sg_data = {r, s})
#define AT(i, j) .offset = XT_AT(i, j)
#define OF(m, n) .shape = XT_AT(m, n)

/* ---- appendix 1: bf16, tiles of 64 x 32, 32 x 64 and 64 x 64 at subgroup level, B in three ways ---- */

enum { PLAIN, ORDER, TRANSPOSE };

static void first_program(XT_CONTEXT, int way, xt_val A, xt_val B, xt_val C, xt_val M, xt_val N, xt_val K)
{
    XT_FOR (i, 0, M, 64) {
        XT_FOR (j, 0, N, 64) {
            xt_tile tile_c = XT_INIT_TILE(C, bf16, 64, 64, AT(i, j), OF(M, N), .strides = XT_AT(N, 1));
            xt_vec vc = XT_SPLAT(bf16, 64, 64, 0);
            XT_FOR (k, 0, K, 32, &vc) {
                xt_vec va = XT_LOAD_TILE(XT_INIT_TILE(A, bf16, 64, 32, AT(i, k), OF(M, K), .strides = XT_AT(K, 1))), vb;
                if (way == PLAIN)
                    vb = XT_LOAD_TILE(XT_INIT_TILE(B, bf16, 32, 64, AT(k, j), OF(K, N), .strides = XT_AT(N, 1)));
                else if (way == ORDER)
                    vb = XT_LOAD_TILE(
                        XT_INIT_TILE(B, bf16, 32, 64, AT(k, j), OF(K, N), .strides = XT_AT(1, K), .order = {0, 1}));
                else
                    vb = XT_TILE_TRANSPOSE(
                        XT_LOAD_TILE(XT_INIT_TILE(B, bf16, 64, 32, AT(j, k), OF(N, K), .strides = XT_AT(K, 1))));
                vc = XT_TILE_MMA(va, vb, vc);
            }
            XT_STORE_TILE(vc, tile_c);
        }
    }
}

PROGRAM(plain) { (void)BIAS, first_program(XT_SELF, PLAIN, A, B, C, M, N, K); }
PROGRAM(order) { (void)BIAS, first_program(XT_SELF, ORDER, A, B, C, M, N, K); }
PROGRAM(transpose) { (void)BIAS, first_program(XT_SELF, TRANSPOSE, A, B, C, M, N, K); }

/* ---- appendix 2.1: prefetch ---- */

PROGRAM(with_prefetch)
{
    const xt_map mp_a = MAP(8, 4, 32, 32), mp_b = MAP(8, 4, 32, 64), mp_c = MAP(8, 4, 32, 64);
    const xt_map mp_a_pfh = MAP(32, 1, 8, 32), mp_b_pfh = MAP(4, 8, 8, 32);
    (void)BIAS;
    XT_FOR (i, 0, M, 256) {
        XT_FOR (j, 0, N, 256) {
            xt_tile t1 = XT_INIT_TILE(A, f16, 256, 32, AT(i, 0), OF(M, K), .map = mp_a);
            xt_tile t2 = XT_INIT_TILE(B, f16, 32, 256, AT(0, j), OF(K, N), .map = mp_b);
            xt_tile t1p = XT_INIT_TILE(A, f16, 256, 32, AT(i, 96), OF(M, K), .map = mp_a_pfh);
            xt_tile t2p = XT_INIT_TILE(B, f16, 32, 256, AT(96, j), OF(K, N), .map = mp_b_pfh);
            xt_tile t3 = XT_INIT_TILE(C, f32, 256, 256, AT(i, j), OF(M, N), .map = mp_c);
            xt_vec v6 = XT_SPLAT(f32, 256, 256, 0, .map = mp_c);
            XT_FOR (k, 0, K, 32, &t1, &t2, &t1p, &t2p, &v6) {
                xt_vec v4 = XT_LOAD_TILE(t1), v10 = XT_LOAD_TILE(t2);
                XT_PREFETCH_TILE(t1p);
                XT_PREFETCH_TILE(t2p);
                v6 = XT_TILE_MMA(v4, v10, v6, .a_map = mp_a, .b_map = mp_b, .map = mp_c);
                t1 = XT_UPDATE_TILE_OFFSET(t1, 0, 32);
                t2 = XT_UPDATE_TILE_OFFSET(t2, 32, 0);
                t1p = XT_UPDATE_TILE_OFFSET(t1p, 0, 32);
                t2p = XT_UPDATE_TILE_OFFSET(t2p, 32, 0);
            }
            XT_STORE_TILE(v6, t3);
        }
    }
}

/* ---- appendix 2.2: transpose, broadcast, reduction; 2.3: the other map of BT ---- */

PROGRAM(with_reduction)
{
    const xt_map mp_a = MAP(8, 4, 32, 32), mp_a_pfh = MAP(32, 1, 8, 32), mp_b = MAP(8, 4, 32, 64),
                 mp_bt_pfh = MAP(32, 1, 8, 32);
    const xt_map mp_bt = map_bt, mp_c = MAP(8, 4, 32, 64), mp_bcast = MAP(8, 4, 1, 64),
                 mp_reduce = MAP(32, 1, 8, 1);
    const xt_map mp_reduce2 = MAP(32, 1, 8, 256);
    XT_FOR (i, 0, M, 256) {
        xt_tile t3 = XT_INIT_TILE(C, f32, 256, 1, AT(i, 0), OF(M, 1), .map = mp_reduce);
        xt_vec all = XT_SPLAT(f32, 256, 1, 0, .map = mp_reduce);
        XT_FOR (j, 0, N, 256, &all) {
            xt_tile t1 = XT_INIT_TILE(A, f16, 256, 32, AT(i, 0), OF(M, K), .map = mp_a);
            xt_tile t2 = XT_INIT_TILE(B, f16, 256, 32, AT(j, 0), OF(N, K), .map = mp_bt);
            xt_tile t1p = XT_INIT_TILE(A, f16, 256, 32, AT(i, 192), OF(M, K), .map = mp_a_pfh);
            xt_tile t2p = XT_INIT_TILE(B, f16, 256, 32, AT(j, 192), OF(N, K), .map = mp_bt_pfh);
            xt_tile t7 = XT_INIT_TILE(BIAS, f32, 1, 256, AT(0, j), OF(1, N), .map = mp_bcast);
            xt_vec v6 = XT_SPLAT(f32, 256, 256, 0, .map = mp_c), v13, v15, v16;
            XT_FOR (k, 0, K, 32, &t1, &t2, &t1p, &t2p, &v6) {
                xt_vec v4 = XT_LOAD_TILE(t1), v10 = XT_LOAD_TILE(t2);
                xt_vec v5 = XT_TRANSPOSE(v10, .source = mp_bt, .map = mp_b);
                XT_PREFETCH_TILE(t1p);
                XT_PREFETCH_TILE(t2p);
                v6 = XT_TILE_MMA(v4, v5, v6, .a_map = mp_a, .b_map = mp_b, .c_map = mp_c);
                t1 = XT_UPDATE_TILE_OFFSET(t1, 0, 32);
                t2 = XT_UPDATE_TILE_OFFSET(t2, 0, 32);
                t1p = XT_UPDATE_TILE_OFFSET(t1p, 0, 32);
                t2p = XT_UPDATE_TILE_OFFSET(t2p, 0, 32);
            }
            v13 = XT_BROADCAST(XT_LOAD_TILE(t7), 0, 256, .source = mp_bcast, .map = mp_c);
            v15 = XT_TILE_CONV_LAYOUT(XT_ADD(v6, v13), .source = mp_c, .map = mp_reduce2);
            v16 = XT_REDUCTION(add, v15, 1, .source = mp_reduce2, .map = mp_reduce);
            all = XT_ADD(all, v16);
        }
        XT_STORE_TILE(all, t3);
    }
}

/* ---- appendix 2.4: through local memory. Its buffers take 128 KiB; half of M and N makes them 64 KiB, and a quarter,
 * for devices with less, 32. ---- */

static int local_edge = 128, local_subgroups = 8;

PROGRAM(through_local_memory)
{
    const int edge = local_edge, n = local_subgroups;
    const xt_map mp_a = MAP(n, n, 16, 32), mp_a_cop = MAP(n * n, 1, edge / n / n, 32), mp_b = MAP(n, n, 32, 16),
                 mp_b_cop = MAP(n, n, 32 / n, 16);
    const xt_map mp_c = MAP(n, n, 16, 16);
    xt_val slm_a = XT_LOCAL(f16, edge * 128), slm_b = XT_LOCAL(f16, 128 * edge);
    (void)BIAS;
    XT_FOR (i, 0, M, edge) {
        XT_FOR (j, 0, N, edge) {
            xt_tile a_glb = XT_INIT_TILE(A, f16, edge, 32, AT(i, 0), OF(M, K), .map = mp_a_cop);
            xt_tile b_glb = XT_INIT_TILE(B, f16, 32, edge, AT(0, j), OF(K, N), .map = mp_b_cop);
            xt_tile a_slm = XT_INIT_TILE(slm_a, f16, edge, 32, OF(edge, 128), .map = mp_a_cop);
            xt_tile b_slm = XT_INIT_TILE(slm_b, f16, 32, edge, OF(128, edge), .map = mp_b_cop);
            xt_tile a_load = XT_INIT_TILE(slm_a, f16, edge, 32, OF(edge, 128), .map = mp_a);
            xt_tile b_load = XT_INIT_TILE(slm_b, f16, 32, edge, OF(128, edge), .map = mp_b);
            xt_vec c_r = XT_SPLAT(f32, edge, edge, 0, .map = mp_c);
            xt_vec a_r[3], b_r[3];
            xt_val slm_offset = XT_CAST(i32, 0);
            for (int s = 0; s < 3; s++) {
                a_r[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a_glb, 0, 32 * s));
                b_r[s] = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b_glb, 32 * s, 0));
            }
            XT_BARRIER();
            for (int s = 0; s < 3; s++) {
                XT_STORE_TILE(a_r[s], XT_UPDATE_TILE_OFFSET(a_slm, 0, 32 * s));
                XT_STORE_TILE(b_r[s], XT_UPDATE_TILE_OFFSET(b_slm, 32 * s, 0));
            }
            a_glb = XT_UPDATE_TILE_OFFSET(a_glb, 0, 96);
            b_glb = XT_UPDATE_TILE_OFFSET(b_glb, 96, 0);
            XT_BARRIER();
            XT_FOR (k, 0, K, 32, &a_glb, &b_glb, &slm_offset, &c_r) {
                xt_vec a4 = XT_LOAD_TILE(a_glb), b4 = XT_LOAD_TILE(b_glb); /* cooperative load from global */
                xt_vec a1 = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(a_load, 0, slm_offset));
                xt_vec b1 = XT_LOAD_TILE(XT_UPDATE_TILE_OFFSET(b_load, slm_offset, 0));
                xt_val to = XT_MOD(XT_ADD(slm_offset, 96), 128);
                slm_offset = XT_MOD(XT_ADD(slm_offset, 32), 128);
                a_glb = XT_UPDATE_TILE_OFFSET(a_glb, 0, 32);
                b_glb = XT_UPDATE_TILE_OFFSET(b_glb, 32, 0);
                c_r = XT_TILE_MMA(a1, b1, c_r);
                XT_BARRIER();
                XT_STORE_TILE(a4, XT_UPDATE_TILE_OFFSET(a_slm, 0, to)); /* cooperative store to local memory */
                XT_STORE_TILE(b4, XT_UPDATE_TILE_OFFSET(b_slm, to, 0));
            }
            XT_STORE_TILE(c_r, XT_INIT_TILE(C, f32, edge, edge, AT(i, j), OF(M, N), .map = mp_c));
            XT_BARRIER();
        }
    }
}

/* ---- appendix 2.5: two cache levels ---- */

PROGRAM(two_levels)
{
    const xt_map mp_a = MAP(8, 4, 64, 32), mp_b = MAP(8, 4, 32, 64), mp_c = MAP(8, 4, 64, 64);
    const xt_map mp_a_copl2 = MAP(32, 1, 16, 128), mp_b_copl2 = MAP(16, 2, 8, 128);
    const xt_map mp_a_copl1 = MAP(32, 1, 16, 32), mp_b_copl1 = MAP(4, 8, 8, 32);
    (void)BIAS;
    XT_FOR (i, 0, M, 512) {
        XT_FOR (j, 0, N, 256) {
            xt_tile a_l2 = XT_INIT_TILE(A, f16, 512, 128, AT(i, 0), OF(M, K), .map = mp_a_copl2);
            xt_tile b_l2 = XT_INIT_TILE(B, f16, 128, 256, AT(0, j), OF(K, N), .map = mp_b_copl2);
            xt_tile a_l1 = XT_INIT_TILE(A, f16, 512, 32, AT(i, 0), OF(M, K), .map = mp_a_copl1);
            xt_tile b_l1 = XT_INIT_TILE(B, f16, 32, 256, AT(0, j), OF(K, N), .map = mp_b_copl1);
            xt_tile a_load = XT_INIT_TILE(A, f16, 512, 32, AT(i, 0), OF(M, K), .map = mp_a);
            xt_tile b_load = XT_INIT_TILE(B, f16, 32, 256, AT(0, j), OF(K, N), .map = mp_b);
            xt_vec v6 = XT_SPLAT(f32, 512, 256, 0, .map = mp_c);
            for (int s = 0; s < 2; s++) {
                XT_PREFETCH_TILE(XT_UPDATE_TILE_OFFSET(a_l2, 0, 128 * s), .locality = 2);
                XT_PREFETCH_TILE(XT_UPDATE_TILE_OFFSET(b_l2, 128 * s, 0), .locality = 2);
            }
            for (int s = 0; s < 4; s++) {
                XT_PREFETCH_TILE(XT_UPDATE_TILE_OFFSET(a_l1, 0, 32 * s), .locality = 3);
                XT_PREFETCH_TILE(XT_UPDATE_TILE_OFFSET(b_l1, 32 * s, 0), .locality = 3);
            }
            a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 256);
            b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 256, 0);
            a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 128);
            b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 128, 0);
            XT_FOR (k, 0, K, 32, &a_load, &b_load, &a_l2, &b_l2, &a_l1, &b_l1, &v6) {
                xt_vec a1_r = XT_LOAD_TILE(a_load), b1_r = XT_LOAD_TILE(b_load);
                XT_IF (XT_EQ(XT_MOD(XT_DIV(k, 32), 4), 0), &a_l2, &b_l2) {
                    XT_BARRIER();
                    XT_PREFETCH_TILE(a_l2, .locality = 2);
                    XT_PREFETCH_TILE(b_l2, .locality = 2);
                    a_l2 = XT_UPDATE_TILE_OFFSET(a_l2, 0, 128);
                    b_l2 = XT_UPDATE_TILE_OFFSET(b_l2, 128, 0);
                }
                XT_PREFETCH_TILE(a_l1, .locality = 3);
                XT_PREFETCH_TILE(b_l1, .locality = 3);
                a_l1 = XT_UPDATE_TILE_OFFSET(a_l1, 0, 32);
                b_l1 = XT_UPDATE_TILE_OFFSET(b_l1, 32, 0);
                a_load = XT_UPDATE_TILE_OFFSET(a_load, 0, 32);
                b_load = XT_UPDATE_TILE_OFFSET(b_load, 32, 0);
                v6 = XT_TILE_MMA(a1_r, b1_r, v6, .a_map = mp_a, .b_map = mp_b, .map = mp_c);
            }
            XT_STORE_TILE(v6, XT_INIT_TILE(C, f32, 512, 256, AT(i, j), OF(M, N), .map = mp_c));
        }
    }
}

#endif
