/* Imported by link_library.cl. build: plain */
float deep(float x, global int *calls)
{
    float y = x;
    while (y < 10) y = y * y + 1; /* lanes leave it one by one */
    atomic_inc(calls);
    return y;
}
