// Bullet: building and refitting GIMPACT's quantized box tree of a triangle mesh. Argument: the mesh.
#include "driver.h"

#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletCollisionCommon.h>

int main(int, char** arguments) {
  Mesh mesh = read_mesh(arguments[1]);
  std::vector<btScalar> vertices(mesh.vertices.begin(), mesh.vertices.end());
  btTriangleIndexVertexArray arrays(mesh.triangle_count(), mesh.triangles.data(), 12, mesh.vertex_count(),
                                    vertices.data(), 3 * sizeof(btScalar));
  const auto make = [&] {
    auto* shape = new btGImpactMeshShape(&arrays);
    shape->setMargin(0);  // the default is an absolute 0.01
    shape->updateBound();
    return shape;
  };
  btGImpactMeshShape* kept = nullptr;
  Answers answers;
  answers["build"] = [&](std::istringstream&) {
    btGImpactMeshShape* shape = nullptr;
    const double seconds = seconds_of([&] { shape = make(); });
    delete shape;
    return std::vector<double>{seconds};
  };
  answers["refit"] = [&](std::istringstream&) {
    if (!kept) kept = make();
    for (btScalar& x : vertices) x *= btScalar(1.0001);
    return std::vector<double>{seconds_of([&] {
      kept->postUpdate();
      kept->updateBound();
    })};
  };
  return serve(answers);
}
