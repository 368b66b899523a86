//! Reads files that people name: suppressions, earlier reports, results.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// No such file is longer. A device may never end.
const LONGEST: u64 = 256 << 20;

/// The text of a file, unless it is longer than any that makes sense.
pub fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        let longest = LONGEST >> 20;
        let message = format!("it has more than {longest} MiB, too much for such a file");
        return Err(io::Error::other(message));
    }
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_never_ends_is_not_read_for_ever() {
        let error = text(Path::new("/dev/zero")).expect_err("it is too long");
        assert!(error.to_string().contains("256 MiB"), "{error}");
    }
}
