//! Text from the checked program, made safe to show.
//!
//! Source lines, paths and names come from files anyone may have written. Shown raw, an escape
//! sequence in them could repaint the terminal and a bidirectional override could make code read
//! as something else. Every such character is replaced by exactly one visible character, so that
//! columns stay what they were.

use std::borrow::Cow;

/// `text` with every control and reordering character replaced. Tabs become spaces.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| visible(c) != c) {
        Cow::Owned(text.chars().map(visible).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether the character must not reach a terminal as it is.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control() || is_reordering(c)
}

fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        c if is_harmful(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Bidirectional controls and the invisible line and paragraph separators.
fn is_reordering(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_kept_as_it_is() {
        assert!(matches!(printable("x = größer; // 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_characters_become_pictures_one_for_one() {
        let shown = printable("a\u{1b}[31m\u{7f}\u{9b}\u{202e}\tb\r\n");
        assert_eq!(shown, "a␛[31m␡\u{fffd}\u{fffd} b␍␊");
        assert!(!shown.chars().any(is_harmful));
    }
}
