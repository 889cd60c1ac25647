// Do two triangles meet? For pairs that a library's boxes leave, in double precision and without tolerances.
//
// Each triangle must reach the plane of the other; then both cut the line in which the planes meet, and the pieces must
// overlap. Coplanar pairs and triangles without area count as apart, which scans and turned copies hardly have.
#pragma once
#include <algorithm>
#include <cmath>

struct Vector {
  double x, y, z;
};

inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Heights of a triangle's corners above a plane through a point; false when all lie strictly on one side.
inline bool reaches_plane(const Vector* corners, Vector point, Vector normal, double* heights) {
  for (int k = 0; k < 3; k++) heights[k] = dot(normal, corners[k] - point);
  return !((heights[0] > 0 && heights[1] > 0 && heights[2] > 0) || (heights[0] < 0 && heights[1] < 0 && heights[2] < 0));
}

struct Span {
  double low = INFINITY, high = -INFINITY;
  void add(double t) {
    low = std::min(low, t);
    high = std::max(high, t);
  }
};

// Where a triangle's edges and corners cut the other's plane, as places along an axis.
inline Span cut_of(const double* places, const double* heights) {
  Span span;
  for (int k = 0; k < 3; k++) {
    const int next = k == 2 ? 0 : k + 1;
    if (heights[k] == 0) span.add(places[k]);
    if ((heights[k] < 0) != (heights[next] < 0) && heights[k] != heights[next])
      span.add(places[k] + (places[next] - places[k]) * (heights[k] / (heights[k] - heights[next])));
  }
  return span;
}

inline bool triangles_meet(const Vector* a, const Vector* b) {
  double above_a[3], above_b[3];
  const Vector normal_a = cross(a[1] - a[0], a[2] - a[0]);
  if (!reaches_plane(b, a[0], normal_a, above_a)) return false;
  const Vector normal_b = cross(b[1] - b[0], b[2] - b[0]);
  if (!reaches_plane(a, b[0], normal_b, above_b)) return false;
  const Vector line = cross(normal_a, normal_b);
  const double x = std::abs(line.x), y = std::abs(line.y), z = std::abs(line.z);
  if (x + y + z == 0) return false;
  double Vector::*axis = x >= y && x >= z ? &Vector::x : y >= z ? &Vector::y : &Vector::z;
  const double places_a[3] = {a[0].*axis, a[1].*axis, a[2].*axis}, places_b[3] = {b[0].*axis, b[1].*axis, b[2].*axis};
  const Span cut_a = cut_of(places_a, above_b), cut_b = cut_of(places_b, above_a);
  return cut_a.low <= cut_b.high && cut_b.low <= cut_a.high;
}
