//! Which findings the user asked not to see.
//!
//! A suppression file has one `race:PATTERN` or `atomicity:PATTERN` per line; `#` starts a comment. A pattern is a glob (`*` any
//! characters, `?` one) over the name of a function on either access's stack, with or without its
//! parameters; over a source file's path, or the end of it from a `/` on; or over the variable.

/// The patterns of a suppression file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions {
    patterns: Vec<(Defect, String)>,
}

/// What sort of finding is not to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defect {
    /// A race.
    Race,
    /// A torn region.
    Atomicity,
}

impl Defect {
    const ALL: [(Self, &'static str); 2] = [(Self::Race, "race:"), (Self::Atomicity, "atomicity:")];
}

/// What else a suppression file of ThreadSanitizer can say. None of it is about what is found here, so one
/// file can serve both.
const OTHERS: [&str; 6] = [
    "race_top:",
    "thread:",
    "mutex:",
    "signal:",
    "deadlock:",
    "called_from_lib:",
];

/// What a pattern is tried on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject<'a> {
    /// A function, as shown.
    Function(&'a str),
    /// A source file's path.
    File(&'a str),
    /// A variable or what else the location is called.
    Variable(&'a str),
}

/// A line that is no suppression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLine {
    /// From 1.
    pub number: usize,
    /// What it says.
    pub text: String,
}

impl Suppressions {
    /// The suppressions in this text.
    pub fn parse(text: &str) -> Result<Self, BadLine> {
        let mut patterns = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            let of = |(defect, prefix)| Some((defect, line.strip_prefix(prefix)?.trim()));
            match Defect::ALL.into_iter().find_map(of) {
                _ if line.is_empty() => {}
                None if OTHERS.iter().any(|kind| line.starts_with(kind)) => {}
                Some((defect, pattern)) if !pattern.is_empty() => {
                    patterns.push((defect, pattern.to_owned()));
                }
                _ => {
                    return Err(BadLine {
                        number: index + 1,
                        text: line.to_owned(),
                    });
                }
            }
        }
        Ok(Self { patterns })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether any pattern for such a defect covers this.
    pub fn covers(&self, defect: Defect, subject: Subject<'_>) -> bool {
        let patterns = self.patterns.iter();
        let mut patterns = patterns.filter(|(of, _)| *of == defect);
        patterns.any(|(_, pattern)| subject.matches(pattern))
    }
}

impl Subject<'_> {
    fn matches(self, pattern: &str) -> bool {
        match self {
            Self::Variable(name) => glob(pattern, name),
            Self::Function(name) => glob(pattern, name) || glob(pattern, without_parameters(name)),
            Self::File(path) => {
                let ends = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
                glob(pattern, path) || ends.into_iter().any(|end| glob(pattern, end))
            }
        }
    }
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { number, text } = self;
        write!(
            f,
            "line {number}: `{text}` is no suppression; write race:PATTERN or atomicity:PATTERN"
        )
    }
}

/// Whether the pattern matches the whole text. Linear in both but for the places a `*` may end.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                None => return false,
                // The last star takes one character more.
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    (p, t) = (at + 1, taken + 1);
                }
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The name without parameters: `f` of `f(int)`, `N::g<(int)3>` of `N::g<(int)3>(char)`.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0;
    for (at, c) in name.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 && at > 0 && !name[..at].ends_with("operator") => return &name[..at],
            _ => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(pattern: &str, subject: Subject<'_>) -> bool {
        let parsed = Suppressions::parse(&format!("race:{pattern}"));
        parsed.expect("a pattern").covers(Defect::Race, subject)
    }

    #[test]
    fn globs_match_whole_texts() {
        assert!(glob("*", ""));
        assert!(glob("a*c", "abbbc") && !glob("a*c", "abbbcd"));
        assert!(glob("?b*", "abc") && !glob("?b", "b"));
        assert!(glob("*ab*ab", "xabyabab"));
        assert!(!glob("", "a") && glob("", ""));
    }

    #[test]
    fn functions_match_with_and_without_parameters() {
        let function = Subject::Function("N::work(int)");
        assert!(covers("N::work", function) && covers("N::work(int)", function));
        assert!(covers("*work*", function) && !covers("work", function));
    }

    #[test]
    fn files_match_from_any_directory_on() {
        let file = Subject::File("/home/a/src/sum.c");
        assert!(covers("sum.c", file) && covers("src/sum.c", file) && covers("/home/*", file));
        assert!(!covers("um.c", file));
    }

    #[test]
    fn a_file_of_threadsanitizers_can_be_used() {
        let text = "called_from_lib:libz.so\nmutex:f\nrace:g\nrace_top:h\n";
        let parsed = Suppressions::parse(text).expect("well formed");
        let covers = |name| parsed.covers(Defect::Race, Subject::Function(name));
        assert!(covers("g") && !covers("f") && !covers("h"));
        assert!(Suppressions::parse("rice:g").is_err());
    }

    #[test]
    fn comments_and_empty_lines_say_nothing() {
        let parsed = Suppressions::parse("# all\n\n  race: f  # why\n");
        let parsed = parsed.expect("well formed");
        let covers = |defect, name| parsed.covers(defect, Subject::Function(name));
        assert!(covers(Defect::Race, "f") && !covers(Defect::Race, "g"));
        assert!(!covers(Defect::Atomicity, "f"));
    }

    #[test]
    fn anything_else_is_refused_with_its_line() {
        for text in ["race:f\nrice:x\n", "#\nrace:\n", "\nf\n"] {
            let refused = Suppressions::parse(text).expect_err("not a suppression");
            assert_eq!(refused.number, 2);
        }
    }

    #[test]
    fn parameters_are_cut_but_not_those_of_templates() {
        assert_eq!(without_parameters("f(int, char)"), "f");
        assert_eq!(without_parameters("N::g<(int)3>(char)"), "N::g<(int)3>");
        assert_eq!(without_parameters("A::operator()(int)"), "A::operator()");
        assert_eq!(without_parameters("main"), "main");
    }
}
