// Embree 3 scenes of one box per triangle: what the Embree drivers share.
#pragma once
#include "driver.h"

#include <algorithm>
#include <embree3/rtcore.h>

inline void box_of_triangle(const RTCBoundsFunctionArguments* asked) {
  const Mesh& mesh = *(const Mesh*)asked->geometryUserPtr;
  const int32_t* t = &mesh.triangles[3 * (size_t)asked->primID];
  const float *p = &mesh.vertices[3 * t[0]], *q = &mesh.vertices[3 * t[1]], *r = &mesh.vertices[3 * t[2]];
  RTCBounds& box = *asked->bounds_o;
  box.lower_x = std::min({p[0], q[0], r[0]});
  box.lower_y = std::min({p[1], q[1], r[1]});
  box.lower_z = std::min({p[2], q[2], r[2]});
  box.upper_x = std::max({p[0], q[0], r[0]});
  box.upper_y = std::max({p[1], q[1], r[1]});
  box.upper_z = std::max({p[2], q[2], r[2]});
}

inline RTCGeometry boxes_of(RTCDevice device, Mesh& mesh) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, mesh.triangle_count());
  rtcSetGeometryUserData(geometry, &mesh);
  rtcSetGeometryBoundsFunction(geometry, box_of_triangle, nullptr);
  rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments*) {});
  rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
  return geometry;
}

inline RTCScene scene_of(RTCDevice device, RTCGeometry geometry, RTCBuildQuality quality) {
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneBuildQuality(scene, quality);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  return scene;
}
