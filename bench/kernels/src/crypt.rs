//! Crypt: the IDEA cipher over a long text, there and back.
//!
//! After Lai and Massey, *A Proposal for a New Block Encryption Standard* (1990): eight rounds and a
//! half on blocks of four 16-bit words. One task per part of the text; a task reads the key and its
//! part, and writes the same part of the result.

use crate::kernel::{Digest, Kernel, Variant};
use crate::random::Random;
use heddle::{SharedVec, par_chunks};

/// This kernel.
pub const KERNEL: Kernel = Kernel {
    name: "Crypt",
    defect: "every task takes one block more than its part",
    file: file!(),
    source: include_str!("crypt.rs"),
    small: 200,
    full: 3_000_000,
    run: |len, variant| Digest::of_bytes(&run(len, variant)),
    reference: |len| Digest::of_bytes(&reference(len)),
};

const BLOCK: usize = 8;
const BLOCKS_PER_TASK: usize = 2048;
const SUBKEYS: usize = 52;
const SECRET: u128 = 0x0001_0002_0003_0004_0005_0006_0007_0008;

type Subkeys = [u16; SUBKEYS];

/// A text of `len` bytes, rounded up to blocks: encrypted, then decrypted again.
pub fn run(len: usize, variant: Variant) -> Vec<u8> {
    let plain = SharedVec::from(text(len));
    let [secret, restored] = [(); 2].map(|()| SharedVec::from(vec![0; plain.len()]));
    let key = SharedVec::from(encryption_key(SECRET).to_vec());
    cipher(&key, [&plain, &secret], variant);
    let key = SharedVec::from(decryption_key(&encryption_key(SECRET)).to_vec());
    cipher(&key, [&secret, &restored], variant);
    [secret.into_vec(), restored.into_vec()].concat()
}

/// The same on vectors, without tasks.
pub fn reference(len: usize) -> Vec<u8> {
    let key = encryption_key(SECRET);
    let mut secret = text(len);
    convert(&key, &mut secret);
    let mut restored = secret.clone();
    convert(&decryption_key(&key), &mut restored);
    [secret, restored].concat()
}

fn text(len: usize) -> Vec<u8> {
    let mut random = Random::new(5);
    let len = len.next_multiple_of(BLOCK);
    (0..len).map(|_| random.bits() as u8).collect()
}

fn cipher(key: &SharedVec<u16>, [from, to]: [&SharedVec<u8>; 2], variant: Variant) {
    let blocks = from.len() / BLOCK;
    // At least two tasks, however short the text.
    let per_task = BLOCKS_PER_TASK.min(blocks.div_ceil(2));
    par_chunks(0..blocks, per_task, |own| {
        let extra = usize::from(variant == Variant::Seeded);
        let part = own.start * BLOCK..blocks.min(own.end + extra) * BLOCK;
        let mut subkeys = [0; SUBKEYS];
        key.read_into(0..SUBKEYS, &mut subkeys);
        let mut bytes = from.slice(part.clone()).to_vec();
        convert(&subkeys, &mut bytes);
        to.write_from(part, &bytes); // racy
    });
}

fn convert(key: &Subkeys, bytes: &mut [u8]) {
    for block in bytes.chunks_exact_mut(BLOCK) {
        let word = |at: usize| u16::from_be_bytes([block[2 * at], block[2 * at + 1]]);
        let words = encrypt(key, [word(0), word(1), word(2), word(3)]);
        for (pair, word) in block.chunks_exact_mut(2).zip(words) {
            pair.copy_from_slice(&word.to_be_bytes());
        }
    }
}

fn encrypt(key: &Subkeys, [mut a, mut b, mut c, mut d]: [u16; 4]) -> [u16; 4] {
    for k in key.chunks_exact(6) {
        (a, d) = (multiply(a, k[0]), multiply(d, k[3]));
        (b, c) = (b.wrapping_add(k[1]), c.wrapping_add(k[2]));
        let left = multiply(a ^ c, k[4]);
        let right = multiply((b ^ d).wrapping_add(left), k[5]);
        let left = left.wrapping_add(right);
        (a, d) = (a ^ right, d ^ left);
        (b, c) = (c ^ right, b ^ left);
    }
    let k = &key[SUBKEYS - 4..];
    let (second, third) = (c.wrapping_add(k[1]), b.wrapping_add(k[2]));
    [multiply(a, k[0]), second, third, multiply(d, k[3])]
}

/// Multiplication modulo 2^16 + 1, where 0 stands for 2^16.
fn multiply(a: u16, b: u16) -> u16 {
    let whole = |word: u16| if word == 0 { 1 << 16 } else { u64::from(word) };
    (whole(a) * whole(b) % 65537) as u16
}

/// The inverse for [`multiply`]: the modulus is prime, so it is the power 2^16 - 1.
fn inverse(a: u16) -> u16 {
    (1..65535).fold(a, |power, _| multiply(power, a))
}

fn encryption_key(secret: u128) -> Subkeys {
    std::array::from_fn(|at| {
        let turned = secret.rotate_left(25 * (at / 8) as u32);
        (turned >> (112 - 16 * (at % 8))) as u16
    })
}

/// The subkeys in reverse sequence, each inverted for the operation it takes part in.
fn decryption_key(key: &Subkeys) -> Subkeys {
    let mut inverted = [0; SUBKEYS];
    for round in 0..9 {
        let from = &key[6 * (8 - round)..];
        let to = &mut inverted[6 * round..];
        (to[0], to[3]) = (inverse(from[0]), inverse(from[3]));
        // The middle words have changed places, except at the two ends.
        let (second, third) = if round % 8 == 0 { (1, 2) } else { (2, 1) };
        (to[1], to[2]) = (from[second].wrapping_neg(), from[third].wrapping_neg());
        if round < 8 {
            let from = &key[6 * (7 - round)..];
            (to[4], to[5]) = (from[4], from[5]);
        }
    }
    inverted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_block_is_encrypted_as_published() {
        let words = encrypt(&encryption_key(SECRET), [0, 1, 2, 3]);
        assert_eq!(words, [0x11FB, 0xED2B, 0x0198, 0x6DE5]);
    }

    #[test]
    fn decryption_restores_the_text() {
        let both = reference(100);
        assert_eq!(both[both.len() / 2..], text(100));
    }
}
