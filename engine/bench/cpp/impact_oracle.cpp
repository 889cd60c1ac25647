// When a moving point first meets a triangle, or an edge an edge: the method that ../impact_oracle.py derives, written
// once more so that 1e7 cases can be asked. Whole numbers of any size (GMP), nothing shared with the engine.
//
// Reads portions from stdin: two int64, a count n and whether these are pairs of edges, then n times 24 float64 (four
// points at time 0, then at 1). Answers with n times two float64: a bracket of the first moment, rounded outwards, NaN
// where they do not meet.
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace {

using Polynomial = std::vector<mpz_class>;  // lowest power first, without leading zeros; empty is zero
struct Vector {
    Polynomial x[3];
};
using Sequence = std::vector<Polynomial>;
constexpr long WIDTH = 60;  // brackets are narrowed to 2^-60
constexpr long FIRST_WIDTH = 16;  // and to 2^-16 before signs are asked for, most of which show then
constexpr size_t LARGE = 4000;  // bits

struct Dyadic {  // number / 2^power
    mpz_class number;
    unsigned long power;
};

void trim(Polynomial& p) {
    while (!p.empty() && p.back() == 0) p.pop_back();
}

Polynomial plus(const Polynomial& p, const Polynomial& q, int factor = 1) {
    Polynomial out(std::max(p.size(), q.size()));
    for (size_t i = 0; i < p.size(); ++i) out[i] = p[i];
    for (size_t i = 0; i < q.size(); ++i) factor > 0 ? out[i] += q[i] : out[i] -= q[i];
    trim(out);
    return out;
}

Polynomial minus(const Polynomial& p, const Polynomial& q) { return plus(p, q, -1); }

Polynomial times(const Polynomial& p, const Polynomial& q) {
    if (p.empty() || q.empty()) return {};
    Polynomial out(p.size() + q.size() - 1);
    for (size_t i = 0; i < p.size(); ++i)
        for (size_t j = 0; j < q.size(); ++j) out[i + j] += p[i] * q[j];
    trim(out);
    return out;
}

Polynomial derivative(const Polynomial& p) {
    Polynomial out;
    for (size_t i = 1; i < p.size(); ++i) out.push_back(p[i] * static_cast<long>(i));
    return out;
}

// Divides by what the coefficients have in common, if they are large: it takes longer than it saves for small ones.
void make_primitive(Polynomial& p) {
    if (p.empty() || mpz_sizeinbase(p.back().get_mpz_t(), 2) < LARGE) return;
    mpz_class content = 0;
    for (const auto& x : p) content = gcd(content, x);
    if (content > 1)
        for (auto& x : p) x /= content;
}

// p modulo q times a positive number.
Polynomial remainder(Polynomial p, const Polynomial& q) {
    const mpz_class scale = abs(q.back());
    while (p.size() >= q.size()) {
        mpz_class head = p.back();
        if (q.back() < 0) head = -head;
        const size_t shift = p.size() - q.size();
        for (auto& x : p) x *= scale;
        for (size_t i = 0; i < q.size(); ++i) p[shift + i] -= head * q[i];
        trim(p);
    }
    make_primitive(p);
    return p;
}

// p / q times a positive number, where q divides p.
Polynomial divided(Polynomial p, const Polynomial& q) {
    Polynomial out;
    const size_t count = p.size() - q.size() + 1;
    for (size_t step = 0; step < count; ++step) {
        const mpz_class scale = abs(q.back());
        for (auto& x : p) x *= scale;
        for (auto& x : out) x *= scale;
        const mpz_class head = p.back() / q.back();
        const size_t shift = p.size() - q.size();
        for (size_t i = 0; i < q.size(); ++i) p[shift + i] -= head * q[i];
        p.pop_back();
        out.insert(out.begin(), head);
    }
    make_primitive(out);
    return out;
}

// p(t) times 2^(t.power * degree), until it is called again; p is not zero.
const mpz_class& value_at(const Polynomial& p, const Dyadic& t) {
    static mpz_class value, term;
    value = p.back();
    for (size_t i = p.size() - 1, shift = t.power; i-- > 0; shift += t.power) {
        value *= t.number;
        mpz_mul_2exp(term.get_mpz_t(), p[i].get_mpz_t(), shift);
        value += term;
    }
    return value;
}

int sign_at(const Polynomial& p, const Dyadic& t) {
    if (p.empty()) return 0;
    return t.number == 0 ? sgn(p[0]) : sgn(value_at(p, t));
}

Sequence sequence_of(Polynomial p, Polynomial q) {
    Sequence out{p};
    while (!q.empty()) {
        out.push_back(q);
        Polynomial next = p.size() >= q.size() ? remainder(std::move(p), q) : p;
        for (auto& x : next) x = -x;
        p = std::move(q);
        q = std::move(next);
    }
    return out;
}

int changes(const Sequence& sequence, const Dyadic& t) {
    int count = 0, last = 0;
    for (const auto& p : sequence) {
        const int s = sign_at(p, t);
        if (s == 0) continue;
        count += last != 0 && s != last;
        last = s;
    }
    return count;
}

Dyadic middle(const Dyadic& a, const Dyadic& b) {
    const unsigned long power = std::max(a.power, b.power);
    return {(a.number << (power - a.power)) + (b.number << (power - b.power)), power + 1};
}

double rounded(const Dyadic& t, bool up) {
    mpz_class number = t.number;
    long power = static_cast<long>(t.power);
    const long extra = static_cast<long>(mpz_sizeinbase(number.get_mpz_t(), 2)) - 53;
    if (number != 0 && extra > 0) {
        const mpz_class whole = number;
        number = whole >> extra;
        if (up && (number << extra) != whole) number += 1;
        power -= extra;
    }
    return std::ldexp(number.get_d(), -power);
}

// The only root of p in (low, high], where p is not zero at low; or low itself.
struct Number {
    Polynomial p;
    Dyadic low, high;
    bool exact;

    int sign_of(const Polynomial& q) const {
        if (q.empty()) return 0;
        if (exact) return sign_at(q, low);
        if (sign_at(p, high) == 0) return sign_at(q, high);
        if (const int s = sign_within(q)) return s;
        const Polynomial product = times(derivative(p), q);
        const Sequence s = sequence_of(p, product.size() >= p.size() ? remainder(product, p) : product);
        return changes(s, low) - changes(s, high);
    }

    // The sign of q in all of [low, high]; 0 if it may change: q moves by at most the sum of i |q_i|, times the width.
    int sign_within(const Polynomial& q) const {
        if (q.size() == 1) return sgn(q[0]);
        mpz_class most = 0;
        for (size_t i = 1; i < q.size(); ++i) most += abs(q[i]) * static_cast<long>(i);
        const unsigned long power = std::max(low.power, high.power);
        const mpz_class from = low.number << (power - low.power), width = (high.number << (power - high.power)) - from;
        const mpz_class &value = value_at(q, {from, power}), moved = (most * width) << (power * (q.size() - 2));
        return abs(value) > moved ? sgn(value) : 0;
    }

    Number refined(long bits = WIDTH) const {
        if (exact) return *this;
        if (sign_at(p, high) == 0) return {p, high, high, true};
        Number out = *this;
        const int side = sign_at(p, low);
        for (;;) {
            const unsigned long power = std::max(out.low.power, out.high.power);
            const mpz_class width = (out.high.number << (power - out.high.power)) - (out.low.number << (power - out.low.power));
            if (width << bits <= mpz_class(1) << power) return out;
            const Dyadic between = middle(out.low, out.high);
            const int s = sign_at(p, between);
            if (s == 0) return {p, between, between, true};
            (s == side ? out.low : out.high) = between;
        }
    }
};

// The roots of p, which is not zero, in [0, 1], from early to late.
std::vector<Number> numbers(Polynomial p) {
    std::vector<Number> out;
    const Dyadic zero{0, 0}, one{1, 0};
    if (p[0] == 0) out.push_back({{}, zero, zero, true});
    size_t low = 0;
    while (p[low] == 0) ++low;
    p.erase(p.begin(), p.begin() + static_cast<long>(low));
    if (p.size() < 2) return out;
    Sequence sequence = sequence_of(p, derivative(p));
    if (sequence.back().size() > 1) {  // a multiple root: the number of roots is right, their signs would not be
        p = divided(p, sequence.back());
        sequence = sequence_of(p, derivative(p));
    }
    std::vector<std::pair<Dyadic, Dyadic>> stack{{zero, one}};
    while (!stack.empty()) {
        const auto [a, b] = stack.back();
        stack.pop_back();
        const int count = changes(sequence, a) - changes(sequence, b);
        if (count == 1) out.push_back({p, a, b, false});
        if (count < 2) continue;
        Dyadic between = middle(a, b);
        while (sign_at(p, between) == 0) between = middle(a, between);
        stack.push_back({between, b});
        stack.push_back({a, between});
    }
    return out;
}

Vector operator-(const Vector& a, const Vector& b) {
    return {{minus(a.x[0], b.x[0]), minus(a.x[1], b.x[1]), minus(a.x[2], b.x[2])}};
}

Vector cross(const Vector& a, const Vector& b) {
    Vector out;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out.x[k] = minus(times(a.x[i], b.x[j]), times(a.x[j], b.x[i]));
    }
    return out;
}

Polynomial dot(const Vector& a, const Vector& b) {
    return plus(plus(times(a.x[0], b.x[0]), times(a.x[1], b.x[1])), times(a.x[2], b.x[2]));
}

// The points times a power of two that makes all coordinates whole.
std::vector<Vector> points_of(const double* coordinates) {
    int lowest = 1 << 20;
    for (int i = 0; i < 24; ++i) {
        if (coordinates[i] == 0.0) continue;
        int exponent;
        int64_t whole = static_cast<int64_t>(std::ldexp(std::frexp(coordinates[i], &exponent), 53));
        exponent -= 53;
        lowest = std::min(lowest, exponent + __builtin_ctzll(static_cast<uint64_t>(whole)));
    }
    mpz_class whole[24];
    for (int i = 0; i < 24; ++i) {
        if (coordinates[i] == 0.0) continue;
        int exponent;
        whole[i] = std::ldexp(std::frexp(coordinates[i], &exponent), 53);
        const int shift = exponent - 53 - lowest;
        shift >= 0 ? whole[i] <<= shift : whole[i] >>= -shift;
    }
    std::vector<Vector> points(4);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            const mpz_class &a = whole[3 * i + k], &b = whole[12 + 3 * i + k];
            points[i].x[k] = {a, b - a};
            trim(points[i].x[k]);
        }
    return points;
}

class Pair {
public:
    Pair(const std::vector<Vector>& points, bool edges) : points_(points), edges_(edges) {
        const Vector &p = points[0], &q = points[1], &r = points[2], &s = points[3];
        if (edges)
            d_ = r - p, u_ = q - p, v_ = s - r;
        else
            d_ = p - q, u_ = r - q, v_ = s - q;
        n_ = cross(u_, v_);
        f_ = dot(d_, n_);
    }

    // Writes a bracket of the first moment of contact.
    void first(double* bracket) {
        bracket[0] = bracket[1] = std::numeric_limits<double>::quiet_NaN();
        if (!f_.empty()) {
            for (const Number& root : numbers(f_)) {
                const Number t = root.refined(FIRST_WIDTH);
                if (meets_at(t)) return write(t.refined(), bracket);
            }
            return;
        }
        prepare_sides();
        prepare_ends();
        Sequence deciding{square_};
        deciding.insert(deciding.end(), sides_.begin(), sides_.end());
        for (const End& end : ends_) deciding.push_back(end.in_line), deciding.push_back(end.beyond);
        std::vector<Number> moments{{{}, {0, 0}, {0, 0}, true}};
        for (const Polynomial& p : deciding)
            if (!p.empty())
                for (const Number& t : numbers(p)) moments.push_back(t.refined(FIRST_WIDTH));
        const auto start = [](const Number& t) { return rounded(t.low, false); };
        std::sort(moments.begin(), moments.end(), [&](const auto& s, const auto& t) { return start(s) < start(t); });
        for (const Number& t : moments) {
            if (start(t) >= bracket[0]) break;  // all that are left are later than what is known already
            const Number narrow = t.refined();
            if (!(start(narrow) >= bracket[0]) && meets_at(t)) write(narrow, bracket);
        }
    }

private:
    struct End {
        Polynomial in_line, beyond;
    };

    static void write(const Number& t, double* bracket) {
        bracket[0] = rounded(t.low, false);
        bracket[1] = rounded(t.high, true);
    }

    void add_end(const Vector& e, const Vector& g, const Vector& h) {
        const Vector c = cross(e - g, h - g);
        ends_.push_back({dot(c, c), dot(e - g, e - h)});
    }

    void prepare_ends() {
        if (!ends_.empty()) return;
        const Vector &p = points_[0], &q = points_[1], &r = points_[2], &s = points_[3];
        if (edges_)
            add_end(r, p, q), add_end(s, p, q), add_end(p, r, s), add_end(q, r, s);
        else
            add_end(p, q, r), add_end(p, r, s), add_end(p, s, q);
    }

    void prepare_sides() {
        if (!sides_.empty()) return;
        square_ = dot(n_, n_);
        const Polynomial first = dot(n_, cross(d_, v_)), second = dot(n_, cross(d_, u_));
        if (edges_)
            sides_ = {first, second, minus(square_, first), minus(square_, second)};
        else
            sides_ = {first, minus({}, second), plus(minus(square_, first), second)};
    }

    bool meets_at(const Number& t) {
        prepare_sides();
        if (t.sign_of(square_)) {
            for (const Polynomial& side : sides_)
                if (t.sign_of(side) < 0) return false;
            return true;
        }
        prepare_ends();
        for (const End& end : ends_)
            if (t.sign_of(end.in_line) == 0 && t.sign_of(end.beyond) <= 0) return true;
        return false;
    }

    const std::vector<Vector>& points_;
    bool edges_;
    Vector d_, u_, v_, n_;
    Polynomial f_, square_;
    Sequence sides_;
    std::vector<End> ends_;
};

void answer(const double* coordinates, bool edges, double* bracket) {
    const std::vector<Vector> points = points_of(coordinates);
    Pair(points, edges).first(bracket);
}

}  // namespace

int main() {
    int64_t head[2];
    std::vector<double> coordinates, brackets;
    while (std::fread(head, sizeof head, 1, stdin) == 1) {
        coordinates.resize(24 * head[0]);
        brackets.resize(2 * head[0]);
        if (std::fread(coordinates.data(), 24 * sizeof(double), head[0], stdin) != static_cast<size_t>(head[0])) return 1;
        for (int64_t i = 0; i < head[0]; ++i) answer(&coordinates[24 * i], head[1] != 0, &brackets[2 * i]);
        std::fwrite(brackets.data(), 2 * sizeof(double), head[0], stdout);
        std::fflush(stdout);
    }
    return 0;
}
