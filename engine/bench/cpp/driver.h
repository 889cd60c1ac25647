// What the drivers share: reading a mesh, processor time, and answering questions line by line.
//
// A question is one line on standard input, its first word names what to do; the answer is one line of numbers on
// standard output, the first of them the processor seconds that it took.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

struct Mesh {
  std::vector<float> vertices;    // 3 numbers each
  std::vector<int32_t> triangles; // 3 indices each
  int vertex_count() const { return (int)(vertices.size() / 3); }
  int triangle_count() const { return (int)(triangles.size() / 3); }
};

[[noreturn]] inline void fail(const std::string& text) {
  std::cerr << text << std::endl;
  std::exit(1);
}

// Two int64 (vertices, triangles), then float32 coordinates and int32 indices.
inline Mesh read_mesh(const char* path) {
  FILE* file = std::fopen(path, "rb");
  if (!file) fail(std::string("cannot open ") + path);
  int64_t counts[2];
  if (std::fread(counts, 8, 2, file) != 2) fail(std::string("no mesh: ") + path);
  Mesh mesh;
  mesh.vertices.resize(3 * counts[0]);
  mesh.triangles.resize(3 * counts[1]);
  const bool whole = std::fread(mesh.vertices.data(), 4, mesh.vertices.size(), file) == mesh.vertices.size() &&
                     std::fread(mesh.triangles.data(), 4, mesh.triangles.size(), file) == mesh.triangles.size();
  std::fclose(file);
  if (!whole) fail(std::string("the mesh ends too early: ") + path);
  return mesh;
}

inline double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

inline double seconds_of(const std::function<void()>& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

// What a question does: it reads its arguments from the rest of the line.
using Answers = std::map<std::string, std::function<std::vector<double>(std::istringstream&)>>;

// Answer questions until the input ends.
inline int serve(const Answers& answers) {
  std::string line, name;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> name;
    const auto found = answers.find(name);
    if (found == answers.end()) fail("unknown question: " + line);
    const std::vector<double> numbers = found->second(words);
    for (size_t k = 0; k < numbers.size(); k++) std::printf(k ? " %.17g" : "%.17g", numbers[k]);
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
