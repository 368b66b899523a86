//! MolDyn: particles in a periodic box that attract and repel each other after Lennard and Jones.
//!
//! One task per block of particles. Each step of the simulation has two phases with a finish between
//! them: every task moves its own particles, then every task reads all positions and works out the
//! forces on its own particles.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{SharedVec, par_chunks};
use std::ops::Range;

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "MolDyn",
    defect: "action and reaction are both added to shared forces",
    file: file!(),
    source: include_str!("moldyn.rs"),
    small: 2,
    full: 7,
    run: |side, variant| Digest::of_floats(&run(side, variant)),
    reference: |side| Digest::of_floats(&reference(side)),
};

const BLOCKS: usize = 8;
const STEPS: usize = 8;
const TIME: f64 = 0.002;
const DENSITY: f64 = 0.83;
const CUTOFF: f64 = 2.5;

type Vector = [f64; 3];
type Vectors = SharedVec<Vector>;

/// The particles: where they are, how fast, and what acts on them.
struct Particles {
    box_side: f64,
    positions: Vectors,
    velocities: Vectors,
    forces: Vectors,
    /// Of each particle with all others.
    energies: SharedVec<f64>,
}

/// `side` cubed cells of four particles each; positions, velocities and energies after `STEPS`.
pub fn run(side: usize, variant: Variant) -> Vec<f64> {
    let (positions, velocities) = lattice(side);
    let count = positions.len();
    let particles = Particles {
        box_side: box_side(side),
        positions: positions.into(),
        velocities: velocities.into(),
        forces: vec![[0.0; 3]; count].into(),
        energies: vec![0.0; count].into(),
    };
    for _ in 0..STEPS {
        let block = count.div_ceil(BLOCKS);
        par_chunks(0..count, block, |own| particles.drift(own));
        match variant {
            Variant::Sound => par_chunks(0..count, block, |own| particles.attract(own)),
            Variant::Seeded => par_chunks(0..count, block, |own| particles.react(own)),
        }
        par_chunks(0..count, block, |own| particles.kick(own));
    }
    particles.state()
}

/// The same on vectors, without tasks.
pub fn reference(side: usize) -> Vec<f64> {
    let (mut positions, mut velocities) = lattice(side);
    let box_side = box_side(side);
    let mut forces = vec![[0.0; 3]; positions.len()];
    let mut energies = vec![0.0; positions.len()];
    for _ in 0..STEPS {
        for ((position, velocity), force) in positions.iter_mut().zip(&mut velocities).zip(&forces)
        {
            accelerate(velocity, force);
            advance(position, velocity, box_side);
        }
        for one in 0..positions.len() {
            (forces[one], energies[one]) = total(one, &positions, box_side);
            accelerate(&mut velocities[one], &forces[one]);
        }
    }
    let vectors = [positions, velocities].concat().concat();
    [vectors, energies].concat()
}

impl Particles {
    /// Half a step of velocity, then a step of position.
    fn drift(&self, own: Range<usize>) {
        let forces = self.forces.slice(own.clone()).to_vec();
        let mut velocities = self.velocities.slice(own.clone()).to_vec();
        let mut positions = self.positions.slice(own.clone()).to_vec();
        for ((position, velocity), force) in positions.iter_mut().zip(&mut velocities).zip(&forces)
        {
            accelerate(velocity, force);
            advance(position, velocity, self.box_side);
        }
        self.velocities.write_from(own.clone(), &velocities);
        self.positions.write_from(own.clone(), &positions);
        self.forces.fill(own, [0.0; 3]);
    }

    /// The forces on the block's own particles.
    fn attract(&self, own: Range<usize>) {
        let positions = self.positions.to_vec();
        let on = |one| total(one, &positions, self.box_side);
        let (forces, energies): (Vec<_>, Vec<_>) = own.clone().map(on).unzip();
        self.forces.write_from(own.clone(), &forces);
        self.energies.write_from(own, &energies);
    }

    /// Wrong: saves half of the work, but the other particle may belong to another task.
    fn react(&self, own: Range<usize>) {
        let positions = self.positions.to_vec();
        for one in own {
            for other in one + 1..positions.len() {
                let (force, _) = pull(&positions[one], &positions[other], self.box_side);
                self.forces.update(one, |sum| add(sum, force)); // racy
                self.forces.update(other, |sum| add(sum, force.map(|f| -f))); // racy
            }
        }
    }

    /// The second half of the step of velocity.
    fn kick(&self, own: Range<usize>) {
        let forces = self.forces.slice(own.clone()).to_vec();
        let mut velocities = self.velocities.slice(own.clone()).to_vec();
        for (velocity, force) in velocities.iter_mut().zip(&forces) {
            accelerate(velocity, force);
        }
        self.velocities.write_from(own, &velocities);
    }

    fn state(self) -> Vec<f64> {
        let vectors = [self.positions.into_vec(), self.velocities.into_vec()].concat();
        [vectors.concat(), self.energies.into_vec()].concat()
    }
}

fn box_side(side: usize) -> f64 {
    (4.0 * side.pow(3) as f64 / DENSITY).cbrt()
}

/// Positions on a face-centred cubic lattice, and small random velocities.
fn lattice(side: usize) -> (Vec<Vector>, Vec<Vector>) {
    const CORNERS: [Vector; 4] = [
        [0.0, 0.0, 0.0],
        [0.5, 0.5, 0.0],
        [0.5, 0.0, 0.5],
        [0.0, 0.5, 0.5],
    ];
    let cell = box_side(side) / side as f64;
    let mut random = Random::new(13);
    let place = |number: usize, corner: &Vector| {
        let at = [number % side, number / side % side, number / side / side];
        std::array::from_fn(|axis| (at[axis] as f64 + corner[axis]) * cell)
    };
    let cells = 0..side.pow(3);
    let positions: Vec<Vector> = cells
        .flat_map(|number| CORNERS.map(|corner| place(number, &corner)))
        .collect();
    let velocities = positions
        .iter()
        .map(|_| [0.0; 3].map(|_: f64| random.gaussian()));
    let velocities = velocities.collect();
    (positions, velocities)
}

fn accelerate(velocity: &mut Vector, force: &Vector) {
    *velocity = add(*velocity, force.map(|f| f * TIME / 2.0));
}

fn advance(position: &mut Vector, velocity: &Vector, box_side: f64) {
    let moved = add(*position, velocity.map(|v| v * TIME));
    *position = moved.map(|x| x.rem_euclid(box_side));
}

fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The force of all others on particle `one`, and the energy.
fn total(one: usize, positions: &[Vector], box_side: f64) -> (Vector, f64) {
    let (mut force, mut energy) = ([0.0; 3], 0.0);
    for (number, other) in positions.iter().enumerate() {
        if number != one {
            let (pull, share) = pull(&positions[one], other, box_side);
            force = add(force, pull);
            energy += share;
        }
    }
    (force, energy)
}

/// The force of `other` on `one` and the energy between the nearest images of the two.
fn pull(one: &Vector, other: &Vector, box_side: f64) -> (Vector, f64) {
    let half = box_side / 2.0;
    let distance: Vector = std::array::from_fn(|axis| match one[axis] - other[axis] {
        d if d > half => d - box_side,
        d if d < -half => d + box_side,
        d => d,
    });
    let square: f64 = distance.iter().map(|d| d * d).sum();
    if square > CUTOFF * CUTOFF {
        return ([0.0; 3], 0.0);
    }
    let sixth = square.recip().powi(3);
    let strength = 48.0 * (sixth * sixth - 0.5 * sixth) / square;
    (
        distance.map(|d| d * strength),
        4.0 * (sixth * sixth - sixth),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_equals_reaction() {
        let (a, b) = ([0.1, 0.2, 0.3], [1.0, 0.7, 3.9]);
        let (there, back) = (pull(&a, &b, 4.0), pull(&b, &a, 4.0));
        assert_eq!(there, (back.0.map(|f| -f), back.1));
        assert_ne!(there.1, 0.0);
    }
}
