// Embree 3: building and refitting a tree of one box per triangle, on one thread. Argument: the mesh.
#include "embree_scene.h"

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
