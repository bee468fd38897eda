/* C++ for OpenCL: templates, lambdas with captures, classes that derive, references, constants computed by the compiler.
 * CLC++. build: O0 1.4 */
template <typename T, int N> struct row {
    T v[N];
    T &operator[](int i) { return v[i]; }
    const T &operator[](int i) const { return v[i]; }
    row operator+(const row &other) const
    {
        row sum;
        for (int i = 0; i < N; i++) sum[i] = v[i] + other[i];
        return sum;
    }
    template <typename F> void each(F f)
    {
        for (int i = 0; i < N; i++) f(v[i], i);
    }
};

struct shape {
    int kind;
    float a, b;
    float area() const { return kind ? a * b : a * a * 3.0f; }
};

struct base {
    int id;
    base(int i) : id(i) {}
    ~base() { id = 0; }
};

struct derived : base {
    long extra[2];
    derived(int i) : base(i * 2)
    {
        extra[0] = i;
        extra[1] = -i;
    }
    long total() const { return id + extra[0] * 3 + extra[1]; }
};

namespace deep
{
template <typename T> T between(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
enum class mode : uchar { off, on = 7, most = 255 };
} // namespace deep

constexpr int squares(int n) { return n == 0 ? 0 : n * n + squares(n - 1); }
__constant const int sums[4] = {squares(1), squares(2), squares(3), squares(4)};

__kernel void cplusplus(__global const int *x, __global int *r, int n)
{
    size_t i = get_global_id(0);
    int mine = x[i], s = 0;
    row<int, 5> a, b;
    a.each([&](int &v, int k) { v = mine * k + n; });
    b.each([=](int &v, int k) { v = k - mine; });
    auto c = a + b;
    c.each([&s](int &v, int k) { s += v << k; });
    derived d(mine);
    derived *p = &d;
    base &q = *p;
    q.id += 1;
    shape sh{mine & 1, (float)(mine & 7), 2.0f};
    auto m = mine % 3 == 0 ? deep::mode::on : mine % 3 == 1 ? deep::mode::most : deep::mode::off;
    r[i] = s + (int)d.total() + (int)sh.area() + deep::between(mine, -5, 50) + static_cast<int>(m) + sums[mine & 3];
}
