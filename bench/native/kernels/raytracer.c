// RayTracer: a picture of sixty-four shining spheres.
//
// Rows of the picture are handed out one by one. The scene is read by all, each row is written by one,
// and the checksum of the picture is added up in a critical section.
// Seeded defect: the checksum is added up outside of the critical section.

#include "kernel.h"

enum { PER_AXIS = 4, SPHERES = PER_AXIS * PER_AXIS * PER_AXIS, DEPTH = 4, LIGHTS = 3 };

typedef struct {
  double x, y, z;
} Vector;

typedef struct {
  Vector centre;
  double radius;
} Sphere;

typedef struct {
  Vector from, along;
} Ray;

static const Vector LIGHT[LIGHTS] = {{9, 9, -9}, {-9, 9, -9}, {0, 12, 4}};

static inline Vector sum(Vector a, Vector b) { return (Vector){a.x + b.x, a.y + b.y, a.z + b.z}; }

static inline Vector scaled(Vector a, double by) { return (Vector){a.x * by, a.y * by, a.z * by}; }

static inline Vector difference(Vector a, Vector b) { return sum(a, scaled(b, -1.0)); }

static inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline Vector unit(Vector a) { return scaled(a, 1.0 / sqrt(dot(a, a))); }

// How far away the ray meets the sphere; 0 if it does not.
static double meets(const Ray *ray, const Sphere *sphere) {
  Vector to_centre = difference(sphere->centre, ray->from);
  double middle = dot(to_centre, ray->along);
  double inside = sphere->radius * sphere->radius - dot(to_centre, to_centre) + middle * middle;
  if (inside <= 0.0) {
    return 0.0;
  }
  double distance = middle - sqrt(inside);
  return distance > 1e-6 ? distance : 0.0;
}

static const Sphere *nearest(const Sphere *scene, const Ray *ray, double *distance) {
  const Sphere *best = NULL;
  for (int i = 0; i < SPHERES; i++) {
    double away = meets(ray, &scene[i]);
    if (away > 0.0 && (best == NULL || away < *distance)) {
      best = &scene[i];
      *distance = away;
    }
  }
  return best;
}

// What one light adds at a point; nothing in the shadow.
static double shine(const Sphere *scene, Vector point, Vector normal, Vector light) {
  Ray ray = {point, unit(difference(light, point))};
  double angle = dot(normal, ray.along);
  for (int i = 0; angle > 0.0 && i < SPHERES; i++) {
    if (meets(&ray, &scene[i]) > 0.0) {
      return 0.0;
    }
  }
  return angle > 0.0 ? 0.4 * angle : 0.0;
}

// The light that comes from where the ray goes, seen over at most `depth` mirrors.
static double trace(const Sphere *scene, const Ray *ray, int depth) {
  double distance, lit = 0.0;
  const Sphere *sphere = nearest(scene, ray, &distance);
  if (sphere == NULL) {
    return 0.05;
  }
  Vector point = sum(ray->from, scaled(ray->along, distance));
  Vector normal = unit(difference(point, sphere->centre));
  for (int i = 0; i < LIGHTS; i++) {
    lit += shine(scene, point, normal, LIGHT[i]);
  }
  if (depth == 0) {
    return lit;
  }
  Vector turned = scaled(normal, -2.0 * dot(normal, ray->along));
  Ray mirrored = {point, unit(sum(ray->along, turned))};
  return lit + 0.3 * trace(scene, &mirrored, depth - 1);
}

// From 0 to 255.
static uint32_t brightness(const Sphere *scene, size_t size, size_t x, size_t y) {
  double across = 2.0 * ((double)x + 0.5) / (double)size - 1.0;
  double down = 2.0 * ((double)y + 0.5) / (double)size - 1.0;
  Ray ray = {{0.0, 0.0, -6.0}, unit((Vector){across, -down, 1.5})};
  double light = trace(scene, &ray, DEPTH) * 255.0;
  return light > 255.0 ? 255 : (uint32_t)light;
}

static uint64_t draw(const Sphere *scene, uint32_t *points, size_t size) {
  uint64_t checksum = 0;
#pragma omp parallel for schedule(dynamic)
  for (size_t y = 0; y < size; y++) {
    uint64_t row = 0;
    for (size_t x = 0; x < size; x++) {
      points[y * size + x] = brightness(scene, size, x, y);
      row += points[y * size + x];
    }
#ifndef RACY
#pragma omp critical
#endif
    checksum += row; // racy
  }
  return checksum;
}

int main(int count, char **words) {
  size_t size = size_argument(count, words);
  uint32_t *points = room(size * size, sizeof *points);
  Sphere scene[SPHERES];
  for (int i = 0; i < SPHERES; i++) {
    int x = i % PER_AXIS, y = i / PER_AXIS % PER_AXIS, z = i / PER_AXIS / PER_AXIS;
    scene[i] = (Sphere){{2.0 * x - 3.0, 2.0 * y - 3.0, 2.0 * z + 5.0}, 0.8};
  }
  SHARED(scene, SPHERES);
  Digest digest = EMPTY_DIGEST;
  digest_add(&digest, draw(scene, points, size));
  digest_bytes(&digest, (uint8_t *)points, size * size * sizeof *points);
  free(points);
  return print_digest(digest);
}
