//! Assembly text as gcc writes it for x86-64, as far as cuts need to know it.

use super::super::cuts::is_check;

/// A line of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line<'a> {
    /// A call of a function, or through a pointer (none).
    Call(Option<&'a str>),
    /// Anything else.
    Other,
}

impl<'a> Line<'a> {
    /// What a line says.
    pub fn read(line: &'a str) -> Self {
        let text = line.split_once("\t#").map_or(line, |(text, _)| text).trim();
        let text = text.strip_prefix("notrack ").unwrap_or(text);
        match text.split_once(['\t', ' ']) {
            Some(("call", operand)) => Self::Call(callee(operand.trim())),
            _ => Self::Other,
        }
    }
}

/// The function that is called by its name: `f`, `f@PLT` or `*f@GOTPCREL(%rip)`.
fn callee(operand: &str) -> Option<&str> {
    match operand.strip_prefix('*') {
        Some(through) => through.strip_suffix("@GOTPCREL(%rip)"),
        None => operand.split('@').next(),
    }
}

/// The text with a cut behind every access.
pub fn behind_accesses(code: &str) -> String {
    let mut text = String::with_capacity(code.len() * 2);
    for line in code.lines() {
        text += line;
        text.push('\n');
        if let Line::Call(Some(name)) = Line::read(line)
            && is_check(name)
        {
            text += "\tcall\t*heddle_cut_by_rule@GOTPCREL(%rip)\n";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        for (line, expected) in [
            ("main:", Line::Other),
            ("\tjmp\t*%rax", Line::Other),
            ("\tcall\tf", Line::Call(Some("f"))),
            ("\tcall\tf@PLT", Line::Call(Some("f"))),
            ("\tcall\t*f@GOTPCREL(%rip)", Line::Call(Some("f"))),
            ("\tcall\t*%rdx", Line::Call(None)),
            ("\tnotrack call\t*%rdx", Line::Call(None)),
            ("\tcall\t*16(%rax)", Line::Call(None)),
            ("\t.long\t.LASF336\t# DW_AT_name: \"call a\"", Line::Other),
            ("", Line::Other),
        ] {
            assert_eq!(Line::read(line), expected, "{line}");
        }
    }

    #[test]
    fn accesses_are_cut_behind_their_check() {
        let check = "\tcall\t*__tsan_write4@GOTPCREL(%rip)\n";
        let text = behind_accesses(&format!("{check}\tcall\t*f@GOTPCREL(%rip)\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains("heddle_cut_by_rule"));
        let other = "\tcall\t*__tsan_init@GOTPCREL(%rip)\n";
        assert_eq!(behind_accesses(other), other);
    }
}
