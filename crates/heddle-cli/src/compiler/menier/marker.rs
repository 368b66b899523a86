//! Line markers: what a resolved source text says of where its lines come from.

/// `# 7 "a.c" 3`, or `#line 7`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marker<'a> {
    /// The number of the line that follows.
    pub line: usize,
    /// The file, in quotes; none if it is the same as before.
    pub file: Option<&'a [u8]>,
    /// Whether it is a system header.
    pub is_system: bool,
}

impl<'a> Marker<'a> {
    /// The marker that a line is, if it is one.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"#")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"line").unwrap_or(rest);
        let rest = rest.trim_ascii();
        let digits = rest.iter().position(|letter| !letter.is_ascii_digit());
        let (number, rest) = rest.split_at(digits.unwrap_or(rest.len()));
        let quote = |letter: &u8| *letter == b'"';
        let (start, end) = (rest.iter().position(quote), rest.iter().rposition(quote));
        let flags = &rest[end.map_or(0, |end| end + 1)..];
        Some(Self {
            line: std::str::from_utf8(number).ok()?.parse().ok()?,
            file: start.zip(end).map(|(start, end)| &rest[start..=end]),
            is_system: flags
                .split(|letter| *letter == b' ')
                .any(|flag| flag == b"3"),
        })
    }

    /// The file's name, without quotes.
    pub fn name(&self) -> Option<String> {
        let file = self.file?;
        let name = String::from_utf8_lossy(file.get(1..file.len() - 1)?);
        Some(name.replace("\\\\", "\\").replace("\\\"", "\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_name_a_line_and_mostly_a_file() {
        let marker = |line: &'static str| Marker::read(line.as_bytes());
        let of = marker("# 7 \"a 3.c\" 1 3 4\n").expect("it is one");
        assert_eq!(
            (of.line, of.name().as_deref(), of.is_system),
            (7, Some("a 3.c"), true)
        );
        let of = marker("#line 12").expect("it is one");
        assert_eq!((of.line, of.name(), of.is_system), (12, None, false));
        assert!(!marker("# 3 \"a.c\" 2").expect("it is one").is_system);
        for other in ["#pragma omp for", "#define A 3", "int a;", "# \"a.c\""] {
            assert_eq!(marker(other), None, "{other}");
        }
    }
}
