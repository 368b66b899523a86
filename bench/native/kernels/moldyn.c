// MolDyn: particles in a periodic box that attract and repel each other after Lennard and Jones.
//
// One team does all steps. Each step has three loops with barriers between them: move the particles,
// work out the forces on each from the positions of all, and turn forces into speed.
// Seeded defect: action and reaction are both added, though the other particle may be another's.

#include "kernel.h"

enum { STEPS = 8 };
static const double TIME = 0.002, DENSITY = 0.83, CUTOFF = 2.5;

typedef struct {
  double x, y, z;
} Vector;

typedef struct {
  size_t count;
  double side;
  Vector *positions, *velocities, *forces;
  double *energies;
} Particles;

static inline void add(Vector *to, Vector v, double scale) {
  to->x += v.x * scale; // racy
  to->y += v.y * scale; // racy
  to->z += v.z * scale; // racy
}

static inline double wrapped(double at, double side) {
  return at < 0.0 ? at + side : at >= side ? at - side : at;
}

static inline double nearest(double distance, double side) {
  return distance > side / 2 ? distance - side : distance < -side / 2 ? distance + side : distance;
}

// Half a step of velocity, then a step of position.
static void drift(Particles *p, size_t i) {
  Vector *at = &p->positions[i];
  add(&p->velocities[i], p->forces[i], TIME / 2);
  add(at, p->velocities[i], TIME);
  *at = (Vector){wrapped(at->x, p->side), wrapped(at->y, p->side), wrapped(at->z, p->side)};
  p->forces[i] = (Vector){0.0, 0.0, 0.0};
}

// The force of the other on the one; `*energy` is that between their nearest images.
static inline Vector pull(const Particles *p, size_t one, size_t other, double *energy) {
  Vector a = p->positions[one], b = p->positions[other];
  Vector d = {nearest(a.x - b.x, p->side), nearest(a.y - b.y, p->side),
              nearest(a.z - b.z, p->side)};
  double square = d.x * d.x + d.y * d.y + d.z * d.z;
  *energy = 0.0;
  if (square > CUTOFF * CUTOFF) {
    return (Vector){0.0, 0.0, 0.0};
  }
  double sixth = 1.0 / (square * square * square);
  double strength = 48.0 * (sixth * sixth - 0.5 * sixth) / square;
  *energy = 4.0 * (sixth * sixth - sixth);
  return (Vector){d.x * strength, d.y * strength, d.z * strength};
}

static void attract(Particles *p, size_t one) {
#ifdef RACY
  for (size_t other = one + 1; other < p->count; other++) {
    double energy;
    Vector force = pull(p, one, other, &energy);
    add(&p->forces[one], force, 1.0);
    add(&p->forces[other], force, -1.0);
    p->energies[one] += energy;
  }
#else
  p->energies[one] = 0.0;
  for (size_t other = 0; other < p->count; other++) {
    double energy;
    if (other != one) {
      add(&p->forces[one], pull(p, one, other, &energy), 1.0);
      p->energies[one] += energy;
    }
  }
#endif
}

static void step(Particles *p) {
#pragma omp for schedule(static)
  for (size_t i = 0; i < p->count; i++) {
    drift(p, i);
  }
#pragma omp for schedule(dynamic, 16)
  for (size_t i = 0; i < p->count; i++) {
    attract(p, i);
  }
#pragma omp for schedule(static)
  for (size_t i = 0; i < p->count; i++) {
    add(&p->velocities[i], p->forces[i], TIME / 2);
  }
}

// Positions on a face-centred cubic lattice, and small random velocities.
static Particles lattice(size_t cells) {
  static const Vector CORNERS[4] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  size_t count = 4 * cells * cells * cells;
  double side = cbrt((double)count / DENSITY), cell = side / (double)cells;
  Particles p = {count, side, room(count, sizeof(Vector)), room(count, sizeof(Vector)),
                 room(count, sizeof(Vector)), room(count, sizeof(double))};
  Random random = random_of(13);
  for (size_t i = 0; i < count; i++) {
    size_t n = i / 4;
    Vector corner = CORNERS[i % 4];
    p.positions[i] = (Vector){((double)(n % cells) + corner.x) * cell,
                              ((double)(n / cells % cells) + corner.y) * cell,
                              ((double)(n / cells / cells) + corner.z) * cell};
    double vx = random_gaussian(&random), vy = random_gaussian(&random);
    p.velocities[i] = (Vector){vx, vy, random_gaussian(&random)};
  }
  return p;
}

int main(int count, char **words) {
  Particles p = lattice(size_argument(count, words));
#pragma omp parallel
  for (int i = 0; i < STEPS; i++) {
    step(&p);
  }
  Digest digest = EMPTY_DIGEST;
  digest_floats(&digest, (double *)p.positions, 3 * p.count);
  digest_floats(&digest, (double *)p.velocities, 3 * p.count);
  digest_floats(&digest, p.energies, p.count);
  free(p.positions), free(p.velocities), free(p.forces), free(p.energies);
  return print_digest(digest);
}
