//! Mandelbrot: the set as a bitmap of one bit per point, eight points in a byte.
//!
//! One task per row. Rows begin at a byte, so that no byte belongs to two tasks.

use crate::kernel::{Digest, Kernel, Variant};
use heddle::{SharedVec, par_for};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Mandelbrot",
    defect: "rows follow each other bit by bit, so that neighbours share a byte",
    file: file!(),
    source: include_str!("mandelbrot.rs"),
    small: 20,
    full: 900,
    run: |size, variant| Digest::of_bytes(&run(size, variant)),
    reference: |size| Digest::of_bytes(&reference(size)),
};

const ITERATIONS: u32 = 50;

/// The bitmap, rows padded to whole bytes.
pub fn run(size: usize, variant: Variant) -> Vec<u8> {
    let bytes = size.div_ceil(8);
    let bitmap = SharedVec::from(vec![0u8; size * bytes]);
    par_for(0..size, |y| match variant {
        Variant::Sound => bitmap.write_from(y * bytes..(y + 1) * bytes, &row(size, y)),
        Variant::Seeded => draw_packed(&bitmap, size, y),
    });
    bitmap.into_vec()
}

/// The same on a vector, without tasks.
pub fn reference(size: usize) -> Vec<u8> {
    let bytes = size.div_ceil(8);
    let mut bitmap = vec![0; size * bytes];
    for y in 0..size {
        for x in 0..size {
            if inside(size, x, y) {
                bitmap[y * bytes + x / 8] |= 0x80 >> (x % 8);
            }
        }
    }
    bitmap
}

fn row(size: usize, y: usize) -> Vec<u8> {
    let bit = |byte: usize, at: usize| match byte * 8 + at {
        x if x < size && inside(size, x, y) => 0x80 >> at,
        _ => 0,
    };
    let byte = |byte: usize| (0..8).fold(0u8, |bits, at| bits | bit(byte, at));
    (0..size.div_ceil(8)).map(byte).collect()
}

/// Wrong where `size` is no multiple of eight.
fn draw_packed(bitmap: &SharedVec<u8>, size: usize, y: usize) {
    for x in (0..size).filter(|&x| inside(size, x, y)) {
        let bit = y * size + x;
        bitmap.update(bit / 8, |byte| byte | 0x80 >> (bit % 8)); // racy
    }
}

fn inside(size: usize, x: usize, y: usize) -> bool {
    let scale = 2.0 / size as f64;
    let (real, imaginary) = (x as f64 * scale - 1.5, y as f64 * scale - 1.0);
    let (mut r, mut i) = (0.0f64, 0.0f64);
    for _ in 0..ITERATIONS {
        (r, i) = (r * r - i * i + real, 2.0 * r * i + imaginary);
        if r * r + i * i > 4.0 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_inside_and_the_corner_is_not() {
        assert!(inside(8, 6, 4));
        assert!(!inside(8, 0, 0));
    }
}
