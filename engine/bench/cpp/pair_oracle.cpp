// Exact kinds of triangle pairs by separating axes in integers of fixed width: the method that ../oracle.py derives,
// written once more so that 1e8 pairs can be asked. Nothing is shared with the engine, and no float is ever rounded.
//
// Reads portions from stdin: an int64 count n, then n times 18 float64 (three corners of a, three of b). Answers with n
// bytes: 0 apart, 1 crossing, 2 coplanar, 3 touching, 255 where the coordinates of a pair need more than WIDEST bits.
//
// A pair is multiplied by the power of two that makes its numbers integers of B bits. Differences have B + 1 bits, a
// cross product 2 B + 4, a cross product with one of those 3 B + 7, projections 4 B + 11 with their sign.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int APART = 0, CROSSING = 1, COPLANAR = 2, TOUCHING = 3, TOO_WIDE = 255;

// Two's complement numbers of N words: sums and products are right modulo 2^(64 N), and nothing here gets that large.
template <int N>
struct Wide {
    uint64_t word[N];
    Wide() = default;
    Wide(int64_t value) {
        word[0] = static_cast<uint64_t>(value);
        for (int i = 1; i < N; ++i) word[i] = value < 0 ? ~uint64_t{0} : 0;
    }
    Wide operator+(const Wide& other) const {
        Wide sum;
        unsigned __int128 carry = 0;
        for (int i = 0; i < N; ++i) {
            carry += static_cast<unsigned __int128>(word[i]) + other.word[i];
            sum.word[i] = static_cast<uint64_t>(carry);
            carry >>= 64;
        }
        return sum;
    }
    Wide operator-(const Wide& other) const {
        Wide difference;
        unsigned __int128 carry = 1;
        for (int i = 0; i < N; ++i) {
            carry += static_cast<unsigned __int128>(word[i]) + ~other.word[i];
            difference.word[i] = static_cast<uint64_t>(carry);
            carry >>= 64;
        }
        return difference;
    }
    Wide operator*(const Wide& other) const {
        Wide product(0);
        for (int i = 0; i < N; ++i) {
            if (word[i] == 0) continue;
            unsigned __int128 carry = 0;
            for (int j = 0; i + j < N; ++j) {
                carry += static_cast<unsigned __int128>(word[i]) * other.word[j] + product.word[i + j];
                product.word[i + j] = static_cast<uint64_t>(carry);
                carry >>= 64;
            }
        }
        return product;
    }
    Wide operator<<(int bits) const {
        Wide shifted;
        const int words = bits / 64, rest = bits % 64;
        for (int i = N - 1; i >= 0; --i) {
            uint64_t value = i >= words ? word[i - words] << rest : 0;
            if (rest && i > words) value |= word[i - words - 1] >> (64 - rest);
            shifted.word[i] = value;
        }
        return shifted;
    }
    int sign() const {
        if (static_cast<int64_t>(word[N - 1]) < 0) return -1;
        for (int i = 0; i < N; ++i)
            if (word[i]) return 1;
        return 0;
    }
};

inline int sign(__int128 x) { return (x > 0) - (x < 0); }
template <int N>
int sign(const Wide<N>& x) { return x.sign(); }
template <class Int>
bool less(const Int& x, const Int& y) { return sign(x - y) < 0; }

template <class Int>
struct Vector {
    Int x, y, z;
};
template <class Int>
Vector<Int> minus(const Vector<Int>& p, const Vector<Int>& q) { return {p.x - q.x, p.y - q.y, p.z - q.z}; }
template <class Int>
Int dot(const Vector<Int>& p, const Vector<Int>& q) { return p.x * q.x + p.y * q.y + p.z * q.z; }
template <class Int>
Vector<Int> cross(const Vector<Int>& p, const Vector<Int>& q) {
    return {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
}
template <class Int>
bool is_zero(const Vector<Int>& p) { return sign(p.x) == 0 && sign(p.y) == 0 && sign(p.z) == 0; }

// The sign of the gap between the projections of a (one corner at 0) and of b: negative where they overlap.
template <class Int>
int gap(const Vector<Int>& axis, const Vector<Int>* a, const Vector<Int>* b) {
    Int low_a(0), high_a(0), low_b = dot(axis, b[0]), high_b = low_b;
    for (int i = 0; i < 2; ++i) {
        const Int at = dot(axis, a[i]);
        if (less(at, low_a)) low_a = at;
        if (less(high_a, at)) high_a = at;
    }
    for (int i = 1; i < 3; ++i) {
        const Int at = dot(axis, b[i]);
        if (less(at, low_b)) low_b = at;
        if (less(high_b, at)) high_b = at;
    }
    const int before = sign(low_b - high_a), after = sign(low_a - high_b);
    return before > after ? before : after;
}

template <class Int>
int kind_of(const Vector<Int>* corners) {
    Vector<Int> a[2], b[3], edges[6], crosses[11], axes[11];
    for (int i = 0; i < 2; ++i) a[i] = minus(corners[i + 1], corners[0]);
    for (int i = 0; i < 3; ++i) b[i] = minus(corners[i + 3], corners[0]);
    edges[0] = a[0], edges[1] = minus(a[1], a[0]), edges[2] = a[1];
    edges[3] = minus(b[1], b[0]), edges[4] = minus(b[2], b[1]), edges[5] = minus(b[2], b[0]);
    const Vector<Int> normal_a = cross(a[0], a[1]), normal_b = cross(edges[3], edges[5]);
    int cross_count = 0;
    const auto keep = [&](const Vector<Int>& n) {
        if (!is_zero(n)) crosses[cross_count++] = n;
    };
    keep(normal_a), keep(normal_b);
    for (int i = 0; i < 3; ++i)
        for (int j = 3; j < 6; ++j) keep(cross(edges[i], edges[j]));
    int axis_count = 0;
    bool flat = cross_count > 0;  // whether all edges lie in one plane
    for (int i = 0; i < 6 && flat; ++i) flat = sign(dot(crosses[0], edges[i])) == 0;
    if (flat) {
        if (sign(dot(crosses[0], b[0])) != 0) return APART;
        for (const auto& edge : edges)
            if (!is_zero(edge)) axes[axis_count++] = cross(crosses[0], edge);
    } else if (cross_count > 0) {
        for (; axis_count < cross_count; ++axis_count) axes[axis_count] = crosses[axis_count];
    } else {  // all edges are parallel, or there is none
        int along = 0;
        while (along < 6 && is_zero(edges[along])) ++along;
        if (along == 6) return is_zero(b[0]) ? TOUCHING : APART;
        if (!is_zero(cross(b[0], edges[along]))) return APART;
        axes[axis_count++] = edges[along];
    }
    bool touching = axis_count == 0;
    for (int i = 0; i < axis_count; ++i) {
        const int side = gap(axes[i], a, b);
        if (side > 0) return APART;
        touching = touching || side == 0;
    }
    if (touching || is_zero(normal_a) || is_zero(normal_b)) return TOUCHING;
    return flat ? COPLANAR : CROSSING;
}

template <class Int>
int kind_in(const int64_t* mantissa, const int* shift) {
    Vector<Int> corners[6];
    for (int i = 0; i < 6; ++i) {
        Int value[3];
        for (int k = 0; k < 3; ++k) value[k] = Int(mantissa[3 * i + k]) << shift[3 * i + k];
        corners[i] = {value[0], value[1], value[2]};
    }
    return kind_of(corners);
}

int kind_of_pair(const double* numbers) {
    int64_t mantissa[18];
    int exponent[18], shift[18], lowest = 4000, bits = 0;
    for (int i = 0; i < 18; ++i) {
        mantissa[i] = static_cast<int64_t>(std::ldexp(std::frexp(numbers[i], &exponent[i]), 53));
        if (mantissa[i] == 0) continue;
        const int zeros = __builtin_ctzll(static_cast<uint64_t>(mantissa[i]));
        mantissa[i] >>= zeros;
        exponent[i] += zeros;
        if (exponent[i] < lowest) lowest = exponent[i];
    }
    for (int i = 0; i < 18; ++i) {
        shift[i] = mantissa[i] ? exponent[i] - lowest : 0;
        const uint64_t size = static_cast<uint64_t>(mantissa[i] < 0 ? -mantissa[i] : mantissa[i]);
        const int length = size ? 64 - __builtin_clzll(size) + shift[i] : 0;
        if (length > bits) bits = length;
    }
    const int needed = 4 * bits + 11;
    if (needed <= 127) return kind_in<__int128>(mantissa, shift);
    if (needed <= 255) return kind_in<Wide<4>>(mantissa, shift);
    if (needed <= 511) return kind_in<Wide<8>>(mantissa, shift);
    return needed <= 1023 ? kind_in<Wide<16>>(mantissa, shift) : TOO_WIDE;
}

}  // namespace

int main() {
    int64_t count;
    std::vector<double> numbers;
    std::vector<unsigned char> kinds;
    while (std::fread(&count, sizeof count, 1, stdin) == 1) {
        numbers.resize(18 * count);
        kinds.resize(count);
        if (std::fread(numbers.data(), sizeof(double), numbers.size(), stdin) != numbers.size()) return 1;
        for (int64_t i = 0; i < count; ++i) kinds[i] = static_cast<unsigned char>(kind_of_pair(&numbers[18 * i]));
        if (std::fwrite(kinds.data(), 1, kinds.size(), stdout) != kinds.size() || std::fflush(stdout)) return 1;
    }
    return 0;
}
