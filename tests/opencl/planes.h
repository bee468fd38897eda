/* planes.h - for kernels whose results are planes: operation p of element e is r[p * count + e]. */
#define vload1(i, p) (p)[i]
#define vstore1(v, i, p) (p)[i] = (v)
#define PUT(N, plane, v) vstore##N(v, i, r + (plane) * count)
