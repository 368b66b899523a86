//! RayTracer: a picture of sixty-four shining spheres.
//!
//! One task per row of the picture. The scene is read by all, each row is written by one, and the
//! checksum of the picture is added up in isolated sections.

use crate::kernel::{Digest, Kernel, Variant};
use heddle::{Shared, SharedVec, isolated, par_for};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "RayTracer",
    defect: "the checksum is added up outside of isolated sections",
    file: file!(),
    source: include_str!("raytracer.rs"),
    small: 8,
    full: 400,
    run: |size, variant| digest(&run(size, variant)),
    reference: |size| digest(&reference(size)),
};

const PER_AXIS: usize = 4;
const DEPTH: usize = 4;
const LIGHTS: [Vector; 3] = [[9.0, 9.0, -9.0], [-9.0, 9.0, -9.0], [0.0, 12.0, 4.0]];

type Vector = [f64; 3];

/// Centre and radius. A plain array, so that it can be shared.
type Sphere = [f64; 4];

/// A square picture: the brightness of its points, and their sum.
pub struct Picture {
    points: Vec<u32>,
    checksum: u64,
}

/// The picture with `size` rows.
pub fn run(size: usize, variant: Variant) -> Picture {
    let scene = SharedVec::from(scene());
    let points = SharedVec::from(vec![0u32; size * size]);
    let checksum = Shared::new(0u64);
    par_for(0..size, |y| {
        let scene = scene.to_vec();
        let row: Vec<u32> = (0..size).map(|x| brightness(&scene, size, x, y)).collect();
        points.write_from(y * size..(y + 1) * size, &row);
        let sum = row.iter().map(|&point| u64::from(point)).sum::<u64>();
        match variant {
            Variant::Sound => isolated(|| checksum.set(checksum.get() + sum)),
            Variant::Seeded => checksum.set(checksum.get() + sum), // racy
        }
    });
    Picture {
        points: points.into_vec(),
        checksum: checksum.into_inner(),
    }
}

/// The same on vectors, without tasks.
pub fn reference(size: usize) -> Picture {
    let scene = scene();
    let mut points = Vec::with_capacity(size * size);
    for y in 0..size {
        for x in 0..size {
            points.push(brightness(&scene, size, x, y));
        }
    }
    let checksum = points.iter().map(|&point| u64::from(point)).sum();
    Picture { points, checksum }
}

fn digest(picture: &Picture) -> Digest {
    let points = picture.points.iter().map(|&point| u64::from(point));
    Digest::of_integers(points.chain([picture.checksum]))
}

fn scene() -> Vec<Sphere> {
    let at = |step: usize| 2.0 * step as f64 - (PER_AXIS - 1) as f64;
    let sphere = |n: usize| {
        let steps = [
            n % PER_AXIS,
            n / PER_AXIS % PER_AXIS,
            n / PER_AXIS / PER_AXIS,
        ];
        let [x, y, z] = steps.map(at);
        [x, y, z + 8.0, 0.8]
    };
    (0..PER_AXIS.pow(3)).map(sphere).collect()
}

/// From 0 to 255, of the point in column `x` and row `y`.
fn brightness(scene: &[Sphere], size: usize, x: usize, y: usize) -> u32 {
    let onto = |at: usize| 2.0 * (at as f64 + 0.5) / size as f64 - 1.0;
    let ray = Ray {
        from: [0.0, 0.0, -6.0],
        along: unit([onto(x), -onto(y), 1.5]),
    };
    (trace(scene, &ray, DEPTH) * 255.0).min(255.0) as u32
}

struct Ray {
    from: Vector,
    along: Vector,
}

impl Ray {
    fn point(&self, distance: f64) -> Vector {
        sum(self.from, scaled(self.along, distance))
    }

    /// How far away the ray meets the sphere, if it does.
    fn meets(&self, sphere: &Sphere) -> Option<f64> {
        let [x, y, z, radius] = *sphere;
        let to_centre = difference([x, y, z], self.from);
        let middle = dot(to_centre, self.along);
        let inside = radius * radius - dot(to_centre, to_centre) + middle * middle;
        let distance = middle - inside.max(0.0).sqrt();
        (inside > 0.0 && distance > 1e-6).then_some(distance)
    }
}

fn nearest<'a>(scene: &'a [Sphere], ray: &Ray) -> Option<(f64, &'a Sphere)> {
    scene
        .iter()
        .filter_map(|sphere| Some((ray.meets(sphere)?, sphere)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The light that comes from where the ray goes, seen over at most `depth` mirrors.
fn trace(scene: &[Sphere], ray: &Ray, depth: usize) -> f64 {
    let Some((distance, &[x, y, z, _])) = nearest(scene, ray) else {
        return 0.05;
    };
    let point = ray.point(distance);
    let normal = unit(difference(point, [x, y, z]));
    let lit: f64 = LIGHTS
        .iter()
        .map(|&light| shine(scene, point, normal, light))
        .sum();
    if depth == 0 {
        return lit;
    }
    let turned = scaled(normal, -2.0 * dot(normal, ray.along));
    let mirrored = Ray {
        from: point,
        along: unit(sum(ray.along, turned)),
    };
    lit + 0.3 * trace(scene, &mirrored, depth - 1)
}

/// What one light adds at a point; nothing in the shadow.
fn shine(scene: &[Sphere], point: Vector, normal: Vector, light: Vector) -> f64 {
    let along = unit(difference(light, point));
    let angle = dot(normal, along);
    let ray = Ray { from: point, along };
    if angle <= 0.0 || scene.iter().any(|sphere| ray.meets(sphere).is_some()) {
        return 0.0;
    }
    0.4 * angle
}

fn sum(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn scaled(a: Vector, factor: f64) -> Vector {
    a.map(|x| x * factor)
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn unit(a: Vector) -> Vector {
    scaled(a, dot(a, a).sqrt().recip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_what_lies_ahead_and_nothing_else() {
        let ray = Ray {
            from: [0.0; 3],
            along: [0.0, 0.0, 1.0],
        };
        assert_eq!(ray.meets(&[0.0, 0.0, 5.0, 1.0]), Some(4.0));
        assert_eq!(ray.meets(&[0.0, 0.0, -5.0, 1.0]), None);
        assert_eq!(ray.meets(&[0.0, 2.0, 5.0, 1.0]), None);
    }
}
