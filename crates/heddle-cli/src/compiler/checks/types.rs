//! How much memory a value takes, from the text of its type.

use std::collections::HashMap;

/// The structures of a module, by name.
#[derive(Default)]
pub struct Types<'a> {
    named: HashMap<&'a str, &'a str>,
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Layout {
    size: i64,
    align: i64,
}

/// Types nest at most so deep.
const DEPTH: u32 = 16;

impl<'a> Types<'a> {
    /// Those that a module defines.
    pub fn of(code: &'a str) -> Self {
        let named = code.lines().filter(|line| line.starts_with('%'));
        let named = named.filter_map(|line| line.split_once(" = type "));
        Self {
            named: named.collect(),
        }
    }

    /// The size of a type, with what lies between two of them in an array.
    pub fn size(&self, ty: &'a str) -> Option<i64> {
        self.layout(ty, DEPTH).map(|layout| layout.size)
    }

    /// The type of a part, and where it lies; of an array or vector, of its first part.
    pub fn part(&self, ty: &'a str, number: i64) -> Option<(&'a str, i64)> {
        let ty = self.named.get(ty).copied().unwrap_or(ty);
        if let Some((_, part)) = repeated(ty) {
            return Some((part, 0));
        }
        let (fields, packed) = fields(ty)?;
        let number = usize::try_from(number).ok()?;
        let (_, start) = self.place(&fields[..=number.min(fields.len() - 1)], packed, DEPTH)?;
        Some((fields.get(number)?, start))
    }

    fn layout(&self, ty: &'a str, depth: u32) -> Option<Layout> {
        let depth = depth.checked_sub(1)?;
        let ty = self.named.get(ty).copied().unwrap_or(ty);
        if let Some((count, part)) = repeated(ty) {
            let part = self.layout(part, depth)?;
            let size = part.size.checked_mul(count)?;
            return match ty.starts_with('[') {
                true => Some(Layout { size, ..part }),
                // Bits lie closer in a vector than in an array.
                false if inner_bits(ty) => None,
                false => natural(u64::try_from(size).ok()?.next_power_of_two()),
            };
        }
        if let Some((fields, packed)) = fields(ty) {
            let (whole, _) = self.place(&fields, packed, depth)?;
            return Some(whole);
        }
        match ty {
            "half" | "bfloat" => natural(2),
            "float" => natural(4),
            "double" | "ptr" => natural(8),
            "x86_fp80" | "fp128" => natural(16),
            _ => {
                let bits: u64 = ty.strip_prefix('i')?.parse().ok()?;
                natural(bits.div_ceil(8).next_power_of_two()).filter(|_| bits <= 128)
            }
        }
    }

    /// These one after the other: the whole, and where the last lies.
    fn place(&self, fields: &[&'a str], packed: bool, depth: u32) -> Option<(Layout, i64)> {
        let (mut end, mut start, mut align) = (0i64, 0, 1);
        for field in fields {
            let own = self.layout(field, depth)?;
            let own_align = if packed { 1 } else { own.align };
            align = align.max(own_align);
            start = rounded(end, own_align)?;
            end = start.checked_add(own.size)?;
        }
        let size = rounded(end, align)?;
        Some((Layout { size, align }, start))
    }
}

fn natural(size: u64) -> Option<Layout> {
    let size = i64::try_from(size).ok()?;
    Some(Layout { size, align: size })
}

fn rounded(size: i64, align: i64) -> Option<i64> {
    Some(size.checked_add(align - 1)? / align * align)
}

/// `[4 x i32]` or `<4 x i32>`: how many, of what.
fn repeated(ty: &str) -> Option<(i64, &str)> {
    let inner = ty.strip_prefix('[').and_then(|ty| ty.strip_suffix(']'));
    let inner = inner.or_else(|| ty.strip_prefix('<').and_then(|ty| ty.strip_suffix('>')))?;
    let (count, part) = inner.split_once(" x ")?;
    Some((count.parse().ok()?, part))
}

fn inner_bits(ty: &str) -> bool {
    ty.ends_with(" i1>")
}

/// `{ i32, ptr }` or, packed, `<{ i32, ptr }>`: its fields, and whether it is packed.
fn fields(ty: &str) -> Option<(Vec<&str>, bool)> {
    let packed = ty.strip_prefix("<{").and_then(|ty| ty.strip_suffix("}>"));
    let plain = || ty.strip_prefix('{').and_then(|ty| ty.strip_suffix('}'));
    let inner = packed.or_else(plain)?.trim();
    let fields: Vec<&str> = super::block::parts(inner).collect();
    (!inner.is_empty()).then_some((fields, packed.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_as_large_as_the_compiler_makes_them() {
        let types = Types::of(
            "%struct.V = type { double, i8, float }\n%class.P = type <{ i8, %struct.V }>\n",
        );
        for (ty, size) in [
            ("i1", 1),
            ("i8", 1),
            ("i33", 8),
            ("i128", 16),
            ("ptr", 8),
            ("x86_fp80", 16),
            ("[3 x i16]", 6),
            ("<3 x float>", 16),
            ("[2 x [5 x double]]", 80),
            ("{ i8, i64 }", 16),
            ("%struct.V", 16),
            ("%class.P", 17),
            ("[2 x %struct.V]", 32),
        ] {
            assert_eq!(types.size(ty), Some(size), "{ty}");
        }
        for unknown in [
            "<8 x i1>",
            "%opaque",
            "opaque",
            "target(\"x\")",
            "i999",
            "",
            "{}",
        ] {
            assert_eq!(types.size(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn parts_are_found_where_they_lie() {
        let types = Types::of("%struct.V = type { double, i8, [2 x float] }\n");
        assert_eq!(types.part("%struct.V", 2), Some(("[2 x float]", 12)));
        assert_eq!(types.part("[2 x float]", 7), Some(("float", 0)));
        assert_eq!(types.part("%struct.V", 3), None);
        assert_eq!(types.part("i32", 0), None);
    }
}
