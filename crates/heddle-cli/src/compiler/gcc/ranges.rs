//! Where a function ends that is always inlined and lies in several pieces of the code.
//!
//! Gcc puts what is to be done on an exception between other code, so that such a function has pieces without it. Control
//! leaves the function for its caller where it runs off the end of a piece. A piece that another one's code
//! interrupts ends with a jump, and so does what leaves by an exception: a cut right behind a jump is never
//! executed, so that every end may have one. The exception are labels at the very end of a piece: what jumps there
//! from inside of the function returns from it.

use std::collections::HashMap;
use std::ops::Range;

/// Lines of the text, where its labels are, and the jumps to them.
pub struct Text<'a> {
    lines: Vec<&'a str>,
    labels: HashMap<&'a str, usize>,
    jumps: HashMap<&'a str, Vec<usize>>,
}

/// Where a cut belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End<'a> {
    /// Before this label.
    Label(&'a str),
    /// Behind this line.
    Behind(usize),
}

impl<'a> Text<'a> {
    /// The text, taken apart.
    pub fn new(code: &'a str) -> Self {
        let lines: Vec<&str> = code.lines().collect();
        let label = |(at, line): (usize, &&'a str)| Some((line.strip_suffix(':')?, at));
        let labels = lines.iter().enumerate().filter_map(label).collect();
        let mut jumps: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            if let Some(target) = target(line) {
                jumps.entry(target).or_default().push(at);
            }
        }
        Self {
            lines,
            labels,
            jumps,
        }
    }

    /// Where control leaves the pieces that the list at `list` names.
    pub fn ends(&self, list: &str) -> Vec<End<'a>> {
        let pieces = self.pieces(list);
        let lines: Vec<Range<usize>> = pieces
            .iter()
            .filter_map(|piece| self.lines(piece))
            .collect();
        let end = |(piece, lines_of): (&[&'a str; 2], &Range<usize>)| {
            self.end(piece[1], lines_of, &lines)
        };
        match lines.len() == pieces.len() {
            true => pieces.iter().zip(&lines).filter_map(end).collect(),
            false => Vec::new(),
        }
    }

    fn end(&self, label: &'a str, piece: &Range<usize>, all: &[Range<usize>]) -> Option<End<'a>> {
        let is_inside = |line: usize| all.iter().any(|piece| piece.contains(&line));
        let following = (piece.end..self.lines.len()).find(|&line| self.is_instruction(line));
        if following.is_some_and(is_inside) {
            return None;
        }
        let last = piece
            .clone()
            .rev()
            .find(|&line| self.is_instruction(line))?;
        let labels = (last..piece.end).filter_map(|line| self.lines[line].strip_suffix(':'));
        let mut jumps = labels.flat_map(|label| self.jumps.get(label).into_iter().flatten());
        let is_return = |&jump: &usize| is_inside(jump);
        match jumps.next() {
            Some(first) if is_return(first) && jumps.all(is_return) => Some(End::Label(label)),
            _ => Some(End::Behind(last)),
        }
    }

    /// The labels where the pieces of a list begin and end.
    fn pieces(&self, list: &str) -> Vec<[&'a str; 2]> {
        let Some(&start) = self.labels.get(list) else {
            return Vec::new();
        };
        let rows = self.lines[start + 1..].iter();
        let rows = rows.take_while(|line| !line.contains("DW_RLE_end_of_list"));
        let mut pieces = Vec::new();
        let mut begin = None;
        for row in rows {
            let Some((value, comment)) = row.split_once("\t# Range ") else {
                continue;
            };
            let value = value.trim().split_once([' ', '\t']);
            let label = value.and_then(|(_, value)| value.trim().split('-').next());
            match comment.starts_with("begin") {
                true => begin = label,
                // The end, or a length that is said as the difference to the beginning.
                false => pieces.extend(begin.take().zip(label).map(|(one, other)| [one, other])),
            }
        }
        pieces
    }

    fn lines(&self, &[begin, end]: &[&str; 2]) -> Option<Range<usize>> {
        Some(*self.labels.get(begin)?..*self.labels.get(end)?)
    }

    fn is_instruction(&self, line: usize) -> bool {
        let text = self.lines[line].strip_prefix('\t');
        text.is_some_and(|text| text.starts_with(|first: char| first.is_ascii_alphabetic()))
    }
}

/// Where the jump in this line leads, if it is one.
fn target(line: &str) -> Option<&str> {
    let (name, target) = line.strip_prefix('\t')?.split_once(['\t', ' '])?;
    let target = target.split(['\t', ' ']).next();
    target.filter(|_| name.starts_with('j'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function in two pieces: it returns at the end of the first (`RETURNS`), and what is done on an exception lies
    /// behind a jump of the caller's.
    const CODE: &str = "\
.LBB1:
	testl	%eax, %eax
	je	.L2
	nop
RETURNS.LBE1:
	jmp	.L9
.L5:
.LBB2:
	call	cleanup
	jmp	.L6
.L9:
.LBE2:
	nop
.LLRL0:
	.byte	0x4	# DW_RLE_offset_pair (*.LLRL0)
	.uleb128 .LBB1-.Ltext0	# Range begin address (*.LLRL0)
	.uleb128 .LBE1-.Ltext0	# Range end address (*.LLRL0)
	.byte	0x7	# DW_RLE_start_length (*.LLRL0)
	.quad	.LBB2	# Range begin address (*.LLRL0)
	.uleb128 .LBE2-.LBB2	# Range length (*.LLRL0)
	.byte	0	# DW_RLE_end_of_list (*.LLRL0)
	.uleb128 .LBB7-.Ltext0	# Range begin address (*.LLRL1)
";

    #[test]
    fn control_leaves_where_it_runs_off_a_piece() {
        let code = CODE.replace("RETURNS", "");
        let ends = Text::new(&code).ends(".LLRL0");
        assert_eq!(ends, [End::Behind(3), End::Behind(9)]);
    }

    #[test]
    fn a_jump_to_the_very_end_returns() {
        let code = CODE.replace("RETURNS", ".L2:\n");
        let ends = Text::new(&code).ends(".LLRL0");
        assert_eq!(ends, [End::Label(".LBE1"), End::Behind(10)]);
    }

    #[test]
    fn a_piece_that_goes_on_in_another_has_no_end() {
        let code = CODE.replace("RETURNS", "").replace("\tjmp\t.L9\n", "");
        let ends = Text::new(&code).ends(".LLRL0");
        assert_eq!(ends, [End::Behind(8)]);
    }

    #[test]
    fn of_a_list_that_is_not_there_nothing_is_said() {
        assert_eq!(Text::new(CODE).ends(".LLRL8"), []);
        let half = CODE.replace(".LBE2:\n", "");
        assert_eq!(Text::new(&half).ends(".LLRL0"), []);
    }
}
