// Poses in questions: 16 numbers each, row by row.
#pragma once
#include "driver.h"

#include <array>

using Pose = std::array<double, 16>;

inline std::vector<Pose> read_poses(std::istringstream& words) {
  std::vector<Pose> poses;
  Pose pose;
  for (size_t k = 0; words >> pose[k];)
    if (++k == 16) {
      poses.push_back(pose);
      k = 0;
    }
  return poses;
}

// The engine's world coordinates: ((r0 x + r1 y) + r2 z) + t.
inline double placed(const Pose& pose, int axis, const float* point) {
  const double* row = &pose[4 * axis];
  return ((row[0] * point[0] + row[1] * point[1]) + row[2] * point[2]) + row[3];
}
