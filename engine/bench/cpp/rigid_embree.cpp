// Embree 3: all contacts of two copies of a mesh, boxes by rtcCollide and a triangle test on float32 world vertices.
// Argument: the mesh. A stays where it is; both trees stand in the world.
#include "embree_scene.h"
#include "poses.h"
#include "triangle_pair.h"

struct Collision {
  const Mesh *a, *b;
  std::vector<std::pair<unsigned, unsigned>> pairs;
};

static void corners_of(const Mesh& mesh, unsigned triangle, Vector* corners) {
  for (int k = 0; k < 3; k++) {
    const float* p = &mesh.vertices[3 * (size_t)mesh.triangles[3 * (size_t)triangle + k]];
    corners[k] = {p[0], p[1], p[2]};
  }
}

static void on_boxes(void* user, RTCCollision* found, unsigned count) {
  auto& collision = *(Collision*)user;
  Vector a[3], b[3];
  for (unsigned k = 0; k < count; k++) {
    corners_of(*collision.a, found[k].primID0, a);
    corners_of(*collision.b, found[k].primID1, b);
    if (triangles_meet(a, b)) collision.pairs.emplace_back(found[k].primID0, found[k].primID1);
  }
}

int main(int, char** arguments) {
  const Mesh mesh = read_mesh(arguments[1]);
  Mesh still = mesh, turned = mesh, moving = mesh;
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene scene_a = scene_of(device, boxes_of(device, still), RTC_BUILD_QUALITY_MEDIUM);
  RTCScene scene_b = nullptr, refitted = nullptr;
  RTCGeometry boxes = nullptr;
  const auto place = [&](const Pose& pose, Mesh& world) {
    for (size_t k = 0; k < mesh.vertices.size(); k += 3)
      for (int axis = 0; axis < 3; axis++) world.vertices[k + axis] = (float)placed(pose, axis, &mesh.vertices[k]);
  };
  const auto count = [&](RTCScene scene, const Mesh& world) {
    Collision collision{&still, &world, {}};
    rtcCollide(scene_a, scene, on_boxes, &collision);
    return (double)collision.pairs.size();
  };
  Answers answers;
  answers["place"] = [&](std::istringstream& words) {  // "place POSE": b is built there, with high quality
    place(read_poses(words).at(0), turned);
    if (scene_b) rtcReleaseScene(scene_b);
    RTCGeometry geometry = boxes_of(device, turned);
    scene_b = scene_of(device, geometry, RTC_BUILD_QUALITY_MEDIUM);
    rtcReleaseGeometry(geometry);
    return std::vector<double>{0};
  };
  answers["pairs"] = [&](std::istringstream& words) {  // "pairs REPEATS"
    int repeats;
    words >> repeats;
    double pairs = 0;
    const double seconds = seconds_of([&] {
      for (int k = 0; k < repeats; k++) pairs = count(scene_b, turned);
    });
    return std::vector<double>{seconds, pairs};
  };
  answers["moving"] = [&](std::istringstream& words) {  // "moving REPEATS POSE...": vertices moved, boxes refitted
    int repeats;
    words >> repeats;
    const std::vector<Pose> poses = read_poses(words);
    if (!boxes) {
      boxes = boxes_of(device, moving);
      rtcSetGeometryBuildQuality(boxes, RTC_BUILD_QUALITY_REFIT);
      refitted = scene_of(device, boxes, RTC_BUILD_QUALITY_LOW);
    }
    double pairs = 0;
    const double seconds = seconds_of([&] {
      for (int k = 0; k < repeats; k++) {
        pairs = 0;
        for (const Pose& pose : poses) {
          place(pose, moving);
          rtcCommitGeometry(boxes);
          rtcCommitScene(refitted);
          pairs += count(refitted, moving);
        }
      }
    });
    return std::vector<double>{seconds, pairs};
  };
  return serve(answers);
}
