//! What a file says must be found in it: `expect:` and `explore:` lines in its leading comments.

use crate::diagnostic::{Diagnostic, Diagnostics, FILE};
use crate::lexer::shortened;
use crate::spelling::nearest;
use heddle_core::{Certainty, Site};

/// The kind of an expected finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A data race.
    Race,
    /// A torn atomic region.
    Atomicity,
    /// A cut in the wrong place.
    Transaction,
    /// A failed assertion.
    Assertion,
    /// Tasks that wait forever.
    Deadlock,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Race,
        Self::Atomicity,
        Self::Transaction,
        Self::Assertion,
        Self::Deadlock,
    ];

    /// As written in an expectation and in reports.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Atomicity => "atomicity",
            Self::Transaction => "transaction",
            Self::Assertion => "assertion",
            Self::Deadlock => "deadlock",
        }
    }
}

/// One finding that must be there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// Certain, unless the line says `possible`.
    pub certainty: Certainty,
    /// Its kind.
    pub kind: Kind,
    /// The location as reports write it; `None` if the line names none.
    pub location: Option<String>,
    /// The words of the line.
    pub site: Site,
}

/// What a file says about itself. `None`: it says nothing. An empty list: clean.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expectations {
    /// What one run must find (`expect:`).
    pub check: Option<Vec<Expectation>>,
    /// What exploration must find (`explore:`).
    pub explore: Option<Vec<Expectation>>,
}

/// Reads the comments before the first statement or declaration.
pub fn expectations(source: &str) -> Result<Expectations, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    for (line, number) in leading_comments(source) {
        reader.line(line, number);
    }
    if reader.diagnostics.is_empty() {
        Ok(reader.found)
    } else {
        Err(reader.diagnostics.into_sorted())
    }
}

/// The lines up to the first that holds neither a comment nor nothing, with their numbers.
fn leading_comments(source: &str) -> impl Iterator<Item = (&str, u32)> {
    source.split('\n').zip(1..).take_while(|(line, _)| {
        let text = line.trim_matches(is_blank);
        text.is_empty() || text.starts_with("//")
    })
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{feff}')
}

#[derive(Default)]
struct Reader {
    found: Expectations,
    diagnostics: Diagnostics,
}

impl Reader {
    fn line(&mut self, line: &str, number: u32) {
        let text = line.trim_matches(is_blank).trim_start_matches('/');
        let text = text.trim_matches(is_blank);
        if let Some(rest) = text.strip_prefix("expect:") {
            let parsed = parse(rest, site(line, rest, number));
            add(&mut self.found.check, parsed, &mut self.diagnostics);
        } else if let Some(rest) = text.strip_prefix("explore:") {
            let parsed = parse(rest, site(line, rest, number));
            add(&mut self.found.explore, parsed, &mut self.diagnostics);
        }
    }
}

/// Where `rest`, the end of `line` up to trailing blanks, stands without its own leading blanks.
fn site(line: &str, rest: &str, number: u32) -> Site {
    let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    let end_column = count(line.trim_end_matches(is_blank)).saturating_add(1);
    Site {
        file: FILE,
        line: number,
        column: end_column.saturating_sub(count(rest.trim_start_matches(is_blank))),
        end_line: number,
        end_column,
    }
}

enum Line {
    Clean(Site),
    Finding(Expectation),
}

fn parse(text: &str, site: Site) -> Result<Line, Diagnostic> {
    let text = text.trim_matches(is_blank);
    let (first, rest) = split_word(text);
    if first == "clean" && rest.is_empty() {
        return Ok(Line::Clean(site));
    }
    let (certainty, word, rest) = match first {
        "possible" => {
            let (second, rest) = split_word(rest);
            (Certainty::Possible, second, rest)
        }
        _ => (Certainty::Certain, first, rest),
    };
    let kind = Kind::ALL.into_iter().find(|kind| kind.text() == word);
    Ok(Line::Finding(Expectation {
        certainty,
        kind: kind.ok_or_else(|| unknown_kind(word, site))?,
        location: (!rest.is_empty()).then(|| rest.to_owned()),
        site,
    }))
}

fn split_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(is_blank).unwrap_or((text, ""));
    (word, rest.trim_matches(is_blank))
}

fn unknown_kind(word: &str, site: Site) -> Diagnostic {
    let kinds = Kind::ALL.map(Kind::text);
    let message = match word {
        "" => "an expectation without a finding".to_owned(),
        "clean" => "`clean` stands alone".to_owned(),
        _ => format!("`{}` is no kind of finding", shortened(word)),
    };
    let help = match nearest(word, kinds.into_iter().chain(["clean"])) {
        Some(meant) if meant != word => format!("did you mean `{meant}`?"),
        _ => format!(
            "write `clean`, or one of {} and a location",
            kinds.join(", ")
        ),
    };
    Diagnostic::new(site, message, "not understood").help(help)
}

fn add(
    list: &mut Option<Vec<Expectation>>,
    line: Result<Line, Diagnostic>,
    diagnostics: &mut Diagnostics,
) {
    let contradiction = |site| {
        Diagnostic::new(
            site,
            "`clean` and findings are both expected",
            "contradicts another line",
        )
        .help("`clean` means that nothing at all is found")
    };
    match (line, list) {
        (Err(diagnostic), _) => diagnostics.push(diagnostic),
        (Ok(Line::Clean(_)), list @ None) => *list = Some(Vec::new()),
        (Ok(Line::Finding(one)), list @ None) => *list = Some(vec![one]),
        (Ok(Line::Clean(site)), Some(_)) => diagnostics.push(contradiction(site)),
        (Ok(Line::Finding(one)), Some(list)) if list.is_empty() => {
            diagnostics.push(contradiction(one.site));
        }
        (Ok(Line::Finding(one)), Some(list)) => list.push(one),
    }
}
