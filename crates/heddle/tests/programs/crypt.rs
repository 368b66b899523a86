//! Crypt-af and Crypt-f: the IDEA cipher, by async-finish and by futures.
//!
//! After Lai and Massey, *A Proposal for a New Block Encryption Standard* (1990).

use crate::verdict::assert_clean;
use heddle::{SharedVec, finish, par_for};

const BLOCKS: usize = 128;
const PARTS: usize = 16;
const KEY: u128 = 0x0001_0002_0003_0004_0005_0006_0007_0008;

type Block = [u16; 4];

fn multiply(a: u16, b: u16) -> u16 {
    let whole = |word: u16| if word == 0 { 1 << 16 } else { u64::from(word) };
    (whole(a) * whole(b) % 65537) as u16
}

fn subkeys() -> Vec<u16> {
    let subkey = |at: u32| (KEY.rotate_left(25 * (at / 8)) >> (112 - 16 * (at % 8))) as u16;
    (0..52).map(subkey).collect()
}

fn encrypt(key: &[u16], [mut a, mut b, mut c, mut d]: Block) -> Block {
    for k in key.chunks_exact(6) {
        (a, d) = (multiply(a, k[0]), multiply(d, k[3]));
        (b, c) = (b.wrapping_add(k[1]), c.wrapping_add(k[2]));
        let left = multiply(a ^ c, k[4]);
        let right = multiply((b ^ d).wrapping_add(left), k[5]);
        let left = left.wrapping_add(right);
        (a, b, c, d) = (a ^ right, c ^ right, b ^ left, d ^ left);
    }
    let k = &key[48..];
    let (b, c) = (c.wrapping_add(k[1]), b.wrapping_add(k[2]));
    [multiply(a, k[0]), b, c, multiply(d, k[3])]
}

fn plain() -> SharedVec<Block> {
    let block = |n: usize| [0, 1, 2, 3].map(|word| word + 4 * n as u16);
    (0..BLOCKS).map(block).collect()
}

fn assert_encrypted(secret: &SharedVec<Block>) {
    assert_eq!(secret.get(0), [0x11FB, 0xED2B, 0x0198, 0x6DE5]);
    let key = subkeys();
    let expected = plain()
        .iter()
        .map(|block| encrypt(&key, block))
        .collect::<Vec<_>>();
    assert_eq!(secret.to_vec(), expected);
}

fn crypt_by_async_finish() {
    let (key, plain) = (SharedVec::from(subkeys()), plain());
    let secret = SharedVec::from(vec![[0; 4]; BLOCKS]);
    let per_part = BLOCKS / PARTS;
    par_for(0..PARTS, |part| {
        let (key, range) = (key.to_vec(), part * per_part..(part + 1) * per_part);
        for at in range {
            secret.set(at, encrypt(&key, plain.get(at)));
        }
    });
    assert_encrypted(&secret);
}

#[test]
fn crypt_by_async_finish_is_clean() {
    assert_clean(crypt_by_async_finish);
}

/// A future per part for the key's reading, and one that waits for it and encrypts.
fn crypt_by_futures() {
    let (key, plain) = (SharedVec::from(subkeys()), plain());
    let secret = SharedVec::from(vec![[0; 4]; BLOCKS]);
    finish(|s| {
        for (from, to) in plain
            .chunks(BLOCKS / PARTS)
            .zip(secret.chunks(BLOCKS / PARTS))
        {
            let key = s.future(|| key.to_vec());
            s.future(move || {
                let key = key.join();
                (0..from.len()).for_each(|at| to.set(at, encrypt(&key, from.get(at))));
            });
        }
    });
    assert_encrypted(&secret);
}

#[test]
fn crypt_by_futures_is_clean() {
    assert_clean(crypt_by_futures);
}
