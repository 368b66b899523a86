//! From a file's bytes to text, with a position for what is none.

use crate::diagnostic::{Diagnostic, FILE};
use heddle_core::Site;

/// The bytes as text, or the place of the first that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        let byte = rest.first().copied().unwrap_or_default();
        let message = format!("the byte 0x{byte:02X} is not valid UTF-8");
        Diagnostic::new(behind(valid), message, "not text").help("source files are UTF-8 text")
    })
}

/// The place of one character behind these bytes.
fn behind(valid: &[u8]) -> Site {
    let text = String::from_utf8_lossy(valid);
    let lines = text.bytes().filter(|&byte| byte == b'\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default();
    let number =
        |count: usize| u32::try_from(count).map_or(u32::MAX, |count| count.saturating_add(1));
    let (line, column) = (number(lines), number(last.chars().count()));
    Site {
        file: FILE,
        line,
        column,
        end_line: line,
        end_column: column.saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_itself() {
        assert_eq!(decode("// größer\n".as_bytes()), Ok("// größer\n"));
    }

    #[test]
    fn the_first_wrong_byte_has_a_position() {
        let error = decode(b"skip;\n// \xc3\xa4\xff\xfe").expect_err("not UTF-8");
        assert_eq!(error.to_string(), "2:5: the byte 0xFF is not valid UTF-8");
        let error = decode(b"\xc3").expect_err("cut off");
        assert_eq!(error.to_string(), "1:1: the byte 0xC3 is not valid UTF-8");
    }
}
