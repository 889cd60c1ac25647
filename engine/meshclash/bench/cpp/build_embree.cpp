// Embree 3: building and refitting a tree of one box per triangle, on one thread. Argument: the mesh.
#include "driver.h"

#include <algorithm>
#include <embree3/rtcore.h>

static void box_of_triangle(const RTCBoundsFunctionArguments* asked) {
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

static RTCGeometry boxes_of(RTCDevice device, Mesh& mesh) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(geometry, mesh.triangle_count());
  rtcSetGeometryUserData(geometry, &mesh);
  rtcSetGeometryBoundsFunction(geometry, box_of_triangle, nullptr);
  rtcSetGeometryIntersectFunction(geometry, [](const RTCIntersectFunctionNArguments*) {});
  rtcSetGeometryOccludedFunction(geometry, [](const RTCOccludedFunctionNArguments*) {});
  return geometry;
}

static RTCScene scene_of(RTCDevice device, RTCGeometry geometry, RTCBuildQuality quality) {
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneBuildQuality(scene, quality);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_DYNAMIC);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene, geometry);
  rtcCommitScene(scene);
  return scene;
}

int main(int, char** arguments) {
  Mesh mesh = read_mesh(arguments[1]);
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene kept = nullptr;
  RTCGeometry moving = nullptr;
  Answers answers;
  answers["build"] = [&](std::istringstream& words) {  // "build low" or "build medium"
    std::string quality;
    words >> quality;
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
    const double seconds = seconds_of([&] {
      geometry = boxes_of(device, mesh);
      scene = scene_of(device, geometry, quality == "low" ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM);
    });
    rtcReleaseGeometry(geometry);
    rtcReleaseScene(scene);
    return std::vector<double>{seconds};
  };
  answers["refit"] = [&](std::istringstream&) {
    if (!kept) {
      moving = boxes_of(device, mesh);
      rtcSetGeometryBuildQuality(moving, RTC_BUILD_QUALITY_REFIT);
      kept = scene_of(device, moving, RTC_BUILD_QUALITY_LOW);
    }
    for (float& x : mesh.vertices) x *= 1.0001f;
    return std::vector<double>{seconds_of([&] {
      rtcCommitGeometry(moving);
      rtcCommitScene(kept);
    })};
  };
  return serve(answers);
}
