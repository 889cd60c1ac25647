// Bullet: all contacts of two copies of a mesh, GIMPACT's quantized boxes with the pose in the query, then a triangle
// test. Argument: the mesh.
#include "poses.h"
#include "triangle_pair.h"

#include <BulletCollision/Gimpact/btGImpactQuantizedBvh.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

int main(int, char** arguments) {
  Mesh mesh = read_mesh(arguments[1]);
  std::vector<btScalar> vertices(mesh.vertices.begin(), mesh.vertices.end());
  btTriangleIndexVertexArray arrays(mesh.triangle_count(), mesh.triangles.data(), 12, mesh.vertex_count(),
                                    vertices.data(), 3 * sizeof(btScalar));
  btGImpactMeshShape shape(&arrays);
  shape.setMargin(0);  // the default is an absolute 0.01
  shape.updateBound();
  btGImpactMeshShapePart* part = shape.getMeshPart(0);
  part->lockChildShapes();
  const auto corner = [&](int triangle, int k) { return &mesh.vertices[3 * (size_t)mesh.triangles[3 * (size_t)triangle + k]]; };
  const auto count = [&](const Pose& m) {
    const btTransform still(btMatrix3x3::getIdentity());
    const btTransform turned(btMatrix3x3(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]),
                             btVector3(m[3], m[7], m[11]));
    btPairSet boxes;
    btGImpactQuantizedBvh::find_collision(part->getBoxSet(), still, part->getBoxSet(), turned, boxes);
    std::vector<std::pair<int, int>> pairs;
    for (int n = 0; n < boxes.size(); n++) {
      Vector a[3], b[3];
      for (int k = 0; k < 3; k++) {
        const float *p = corner(boxes[n].m_index1, k), *q = corner(boxes[n].m_index2, k);
        a[k] = {p[0], p[1], p[2]};
        b[k] = {placed(m, 0, q), placed(m, 1, q), placed(m, 2, q)};
      }
      if (triangles_meet(a, b)) pairs.emplace_back(boxes[n].m_index1, boxes[n].m_index2);
    }
    return (double)pairs.size();
  };
  Pose pose{};
  Answers answers;
  answers["place"] = [&](std::istringstream& words) {  // "place POSE"
    pose = read_poses(words).at(0);
    return std::vector<double>{0};
  };
  const auto timed = [&](int repeats, const std::vector<Pose>& poses) {
    double pairs = 0;
    const double seconds = seconds_of([&] {
      for (int k = 0; k < repeats; k++) {
        pairs = 0;
        for (const Pose& each : poses) pairs += count(each);
      }
    });
    return std::vector<double>{seconds, pairs};
  };
  answers["pairs"] = [&](std::istringstream& words) {  // "pairs REPEATS"
    int repeats;
    words >> repeats;
    return timed(repeats, {pose});
  };
  answers["moving"] = [&](std::istringstream& words) {  // "moving REPEATS POSE..."
    int repeats;
    words >> repeats;
    return timed(repeats, read_poses(words));
  };
  answers["growth"] = [&](std::istringstream&) {
    return std::vector<double>{0, growth_of([&] {
      auto* another = new btGImpactMeshShape(&arrays);
      another->updateBound();
    })};
  };
  return serve(answers);
}
