//! Numbers and text as bytes, and a cursor that takes them back without trusting them.
//!
//! Numbers are little-endian base 128 (LEB128); signed ones are folded first (zigzag), so that
//! small differences of either sign take one byte.

use crate::damage::Malformed;

/// Appends an unsigned number: 7 bits a byte, the top bit says that more follow.
#[inline]
pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number.
#[inline]
pub fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends a text: its length in bytes, then the bytes.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// A cursor over untrusted bytes.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    /// A cursor at the first of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were taken.
    pub fn taken(&self) -> usize {
        self.at
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Takes one byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let byte = *self.bytes.get(self.at).ok_or(Malformed::CutShort)?;
        self.at += 1;
        Ok(byte)
    }

    /// Takes `len` bytes.
    pub fn take(&mut self, len: u64) -> Result<&'a [u8], Malformed> {
        let len = usize::try_from(len).map_err(|_| Malformed::CutShort)?;
        let end = self.at.checked_add(len).ok_or(Malformed::CutShort)?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed::CutShort)?;
        self.at = end;
        Ok(taken)
    }

    /// Takes an unsigned number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Malformed> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        self.long_number(first)
    }

    /// Takes an unsigned number of 32 bits.
    pub fn small(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.number()?).map_err(|_| Malformed::NumberTooLarge)
    }

    /// Takes a signed number.
    #[inline]
    pub fn signed(&mut self) -> Result<i64, Malformed> {
        let folded = self.number()?;
        Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
    }

    /// Takes a text.
    pub fn text(&mut self) -> Result<String, Malformed> {
        let len = self.number()?;
        let bytes = self.take(len)?;
        let text = std::str::from_utf8(bytes).map_err(|_| Malformed::NotUtf8)?;
        Ok(text.to_owned())
    }

    /// The rest of a number whose first byte says that more follow. A number has one spelling:
    /// a last byte of zero is refused, as are bits past the 64th.
    fn long_number(&mut self, first: u8) -> Result<u64, Malformed> {
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(Malformed::NumberTooLarge);
            }
            value |= bits << shift;
            match byte {
                0 => return Err(Malformed::NumberPadded),
                0x80.. => {}
                _ => return Ok(value),
            }
        }
        Err(Malformed::NumberTooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8]) -> Result<u64, Malformed> {
        Input::new(bytes).number()
    }

    #[test]
    fn numbers_come_back_at_every_length() {
        for shift in 0..64 {
            for value in [1 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut out = Vec::new();
                put(&mut out, value);
                assert_eq!(number(&out), Ok(value));
            }
        }
    }

    #[test]
    fn signed_numbers_come_back_and_small_ones_take_a_byte() {
        for value in [0, 1, -1, 63, -64, 64, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            put_signed(&mut out, value);
            assert_eq!(Input::new(&out).signed(), Ok(value));
            assert_eq!(out.len() == 1, (-64..64).contains(&value));
        }
    }

    #[test]
    fn a_number_has_one_spelling_and_64_bits() {
        assert_eq!(number(&[0x80, 0]), Err(Malformed::NumberPadded));
        assert_eq!(number(&[0x80]), Err(Malformed::CutShort));
        let mut ten = [0xff; 10];
        ten[9] = 1;
        assert_eq!(number(&ten), Ok(u64::MAX));
        ten[9] = 2;
        assert_eq!(number(&ten), Err(Malformed::NumberTooLarge));
        ten[9] = 0x81;
        assert_eq!(number(&ten), Err(Malformed::NumberTooLarge));
    }

    #[test]
    fn a_text_longer_than_what_is_left_is_refused_without_allocating() {
        let mut out = Vec::new();
        put(&mut out, u64::MAX);
        assert_eq!(Input::new(&out).text(), Err(Malformed::CutShort));
    }
}
