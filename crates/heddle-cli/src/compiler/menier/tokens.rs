//! The tokens of a source text of C or C++, as far as statements need to know them.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A keyword, a name or a number.
    Word,
    /// Text or a letter in quotes.
    Quoted,
    /// A sign; `::` is one, all others have one letter.
    Sign,
    /// A line of the preprocessor's, with the lines that continue it.
    Directive,
}

/// A token and where it is, in bytes.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a [u8],
    pub start: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.kind != Kind::Quoted && self.text == text.as_bytes()
    }

    pub fn is_any(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it is a word that does not begin with a digit.
    pub fn is_name(&self) -> bool {
        self.kind == Kind::Word && !self.text[0].is_ascii_digit()
    }
}

/// The tokens of a part of the text.
pub fn tokens(text: &[u8], part: Range<usize>) -> Vec<Token<'_>> {
    let mut reader = Reader {
        text: &text[..part.end],
        at: part.start,
        begins_line: true,
    };
    std::iter::from_fn(|| reader.next()).collect()
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether nothing but space stands before this on the line.
    begins_line: bool,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let start = self.at;
        let first = *self.text.get(start)?;
        let begins_line = std::mem::take(&mut self.begins_line);
        let kind = match first {
            b'#' if begins_line => {
                self.skip_directive();
                Kind::Directive
            }
            b'"' | b'\'' => {
                self.skip_quoted(first);
                Kind::Quoted
            }
            _ if is_word(first) => self.word(),
            _ => {
                let length = if self.text[start..].starts_with(b"::") {
                    2
                } else {
                    1
                };
                self.at += length;
                Kind::Sign
            }
        };
        Some(Token {
            kind,
            text: &self.text[start..self.at],
            start,
        })
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.text[self.at..].starts_with(text)
    }

    fn skip_space(&mut self) {
        while let Some(&letter) = self.text.get(self.at) {
            match letter {
                b'\n' => {
                    self.begins_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.continues() => self.skip_continuation(),
                b'/' if self.starts_with(b"//") => self.skip_line(),
                b'/' if self.starts_with(b"/*") => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// Whether the line goes on behind the backslash here.
    fn continues(&self) -> bool {
        let rest = &self.text[self.at + 1..];
        rest.starts_with(b"\n") || rest.starts_with(b"\r\n")
    }

    fn skip_continuation(&mut self) {
        while self.text[self.at] != b'\n' {
            self.at += 1;
        }
        self.at += 1;
    }

    fn skip_comment(&mut self) {
        let inside = &self.text[self.at + 2..];
        let end = inside.windows(2).position(|two| two == b"*/");
        self.at = end.map_or(self.text.len(), |end| self.at + end + 4);
    }

    /// To the end of the line or of the lines that continue it.
    fn skip_line(&mut self) {
        while let Some(&letter) = self.text.get(self.at) {
            match letter {
                b'\n' => return,
                b'\\' if self.continues() => self.skip_continuation(),
                _ => self.at += 1,
            }
        }
    }

    /// The same, but a comment may have lines of its own.
    fn skip_directive(&mut self) {
        while let Some(&letter) = self.text.get(self.at) {
            match letter {
                b'\n' => return,
                b'\\' if self.continues() => self.skip_continuation(),
                b'/' if self.starts_with(b"//") => self.skip_line(),
                b'/' if self.starts_with(b"/*") => self.skip_comment(),
                b'"' => self.skip_quoted(b'"'),
                _ => self.at += 1,
            }
        }
    }

    /// To the closing quote; an open one ends with its line.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&letter) = self.text.get(self.at) {
            match letter {
                b'\n' => return,
                b'\\' if self.continues() => self.skip_continuation(),
                b'\\' => self.at = self.text.len().min(self.at + 2),
                _ => {
                    self.at += 1;
                    if letter == quote {
                        return;
                    }
                }
            }
        }
    }

    fn word(&mut self) -> Kind {
        let start = self.at;
        let is_number = self.text[start].is_ascii_digit();
        while let Some(&letter) = self.text.get(self.at) {
            let next = self.text.get(self.at + 1).copied().unwrap_or(0);
            let separates = is_number && (letter == b'.' || letter == b'\'' && is_word(next));
            if !is_word(letter) && !separates {
                break;
            }
            self.at += 1;
        }
        let is_raw = [&b"R"[..], b"u8R", b"uR", b"UR", b"LR"].contains(&&self.text[start..self.at]);
        if is_raw && self.text.get(self.at) == Some(&b'"') {
            self.skip_raw();
            return Kind::Quoted;
        }
        Kind::Word
    }

    /// `"delimiter(...)delimiter"`.
    fn skip_raw(&mut self) {
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|letter| *letter == b'(').unwrap_or(0);
        let close = [b")", &rest[..length], b"\""].concat();
        let end = rest
            .windows(close.len())
            .position(|letters| letters == close);
        self.at = end.map_or(self.text.len(), |end| self.at + 1 + end + close.len());
    }
}

fn is_word(letter: u8) -> bool {
    letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'$' || letter >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<&str> {
        let tokens = tokens(text.as_bytes(), 0..text.len());
        let texts = tokens.iter().map(|token| std::str::from_utf8(token.text));
        texts.map(|text| text.expect("all is ASCII")).collect()
    }

    #[test]
    fn comments_quotes_and_numbers_do_not_hide_what_follows() {
        let text =
            "a::b /* { */ + \"}\\\"\" // }\n'\\'' 1'000.5 R\"x(\")\" )x\" u8R\"(a\nb)\" c \\\n d";
        let expected = [
            "a",
            "::",
            "b",
            "+",
            "\"}\\\"\"",
            "'\\''",
            "1'000.5",
            "R\"x(\")\" )x\"",
            "u8R\"(a\nb)\"",
            "c",
            "d",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_directive_is_one_token_with_the_lines_that_continue_it() {
        let text = "# 1 \"a.c\"\n#define A(x) \\\n  x /* and\n so */ + 1 // on\nint a; # b\n";
        let found = read(text);
        assert_eq!(found[0], "# 1 \"a.c\"");
        assert_eq!(found[1], "#define A(x) \\\n  x /* and\n so */ + 1 // on");
        assert_eq!(found[2..], ["int", "a", ";", "#", "b"]);
    }

    #[test]
    fn what_does_not_end_ends_with_the_text() {
        for text in ["/* a", "\"a", "R\"(a", "'\\", "#define \"\\", "a \\"] {
            assert!(!read(text).is_empty() || text.starts_with('/'), "{text}");
        }
        assert_eq!(read("don't\nb"), ["don", "'t", "b"]);
    }
}
