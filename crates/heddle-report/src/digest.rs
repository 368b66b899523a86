//! Where the findings are when there are many of them: a line per variable and per file.

use std::collections::HashMap;
use std::fmt::Write;

use serde::Serialize;

use crate::model::Finding;
use crate::printable::printable;
use crate::text::grouped;

/// From so many findings on there is a digest.
const MANY: usize = 10;

/// Lines of text for variables, and for files.
const LISTED: usize = 8;

/// The findings on one variable, or in one file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Share {
    /// The variable, without index, or the path.
    pub name: String,
    /// How many findings there are.
    pub findings: u64,
    /// On how many locations, together.
    #[serde(skip_serializing_if = "is_zero")]
    pub locations: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Those of each variable, most first; nothing if there are few.
pub fn by_variable(findings: &[Finding]) -> Vec<Share> {
    let variable = |finding: &Finding| {
        let location = finding.location.as_deref()?;
        let end = location.find('[').filter(|&end| end > 0);
        Some(location[..end.unwrap_or(location.len())].to_owned())
    };
    shares(findings, variable, |finding| finding.locations.max(1))
}

/// Those whose first position is in each file.
pub fn by_file(findings: &[Finding]) -> Vec<Share> {
    let file = |finding: &Finding| Some(finding.position.as_ref()?.file.path().to_owned());
    shares(findings, file, |_| 0)
}

fn shares(
    findings: &[Finding],
    name: impl Fn(&Finding) -> Option<String>,
    locations: impl Fn(&Finding) -> u64,
) -> Vec<Share> {
    if findings.len() < MANY {
        return Vec::new();
    }
    let mut rows: HashMap<String, Share> = HashMap::new();
    for finding in findings {
        let Some(name) = name(finding) else { continue };
        let share = rows.entry(name.clone()).or_insert(Share {
            name,
            findings: 0,
            locations: 0,
        });
        share.findings += 1;
        share.locations += locations(finding);
    }
    let mut shares: Vec<Share> = rows.into_values().collect();
    shares.sort_by(|a, b| (b.findings, &a.name).cmp(&(a.findings, &b.name)));
    shares
}

/// Both as text; where there is one file only, that goes without saying.
pub fn text(variables: &[Share], files: &[Share]) -> String {
    let mut text = String::new();
    table(&mut text, variables, "on");
    if files.len() > 1 {
        table(&mut text, files, "in");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn table(text: &mut String, shares: &[Share], preposition: &str) {
    for share in shares.iter().take(LISTED) {
        let noun = if share.findings == 1 { "" } else { "s" };
        let _ = write!(
            text,
            "{:>6} finding{noun:<1} {preposition} {}",
            grouped(share.findings),
            printable(&share.name)
        );
        if share.locations > share.findings {
            let _ = write!(text, ", at {} locations", grouped(share.locations));
        }
        text.push('\n');
    }
    let rest = &shares[shares.len().min(LISTED)..];
    if !rest.is_empty() {
        let findings: u64 = rest.iter().map(|share| share.findings).sum();
        let noun = if findings == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "{:>6} finding{noun:<1} {preposition} {} others",
            grouped(findings),
            rest.len()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::blank;
    use crate::model::Kind;

    fn on(location: &str, locations: u64) -> Finding {
        Finding {
            location: Some(location.to_owned()),
            locations,
            ..blank(Kind::Race)
        }
    }

    #[test]
    fn elements_and_members_count_for_their_variable() {
        let mut findings = vec![on("grid[3][4]", 100), on("grid[0]", 1), on("st.samples", 1)];
        assert!(by_variable(&findings).is_empty());
        findings.extend((0..7).map(|_| on("sum", 1)));
        let shares = by_variable(&findings);
        let rows = shares.iter().map(|share| (&*share.name, share.findings));
        let rows: Vec<_> = rows.collect();
        assert_eq!(rows, [("sum", 7), ("grid", 2), ("st.samples", 1)]);
        assert_eq!(
            text(&shares, &[]),
            "     7 findings on sum\n     2 findings on grid, at 101 locations\n     1 finding  on st.samples\n\n"
        );
    }

    #[test]
    fn every_finding_is_in_one_line() {
        let names = (0..30).map(|number| format!("v{}", number % 15));
        let findings: Vec<_> = names.map(|name| on(&name, 1)).collect();
        let shares = by_variable(&findings);
        let text = text(&shares, &[]);
        let first = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok();
        assert_eq!(text.lines().filter_map(first).sum::<u64>(), 30);
        assert!(text.contains("    14 findings on 7 others"));
    }
}
