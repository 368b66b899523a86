//! `--suggest-cuts`: as many cuts of a rule as cannot be seen, printed as an edit.
//!
//! The program is run once with a cut in front of every statement where the rule wants one. More cuts only
//! allow more schedules, so a set found right stays right when cuts are taken away; cuts are tried in
//! source order, many at a time, and a cut stays if the set with it is right. The result is maximal: no
//! further cut of the rule can be added.

use std::collections::BTreeMap;
use std::fmt::Write;

use heddle_core::{Event, Features, Finding, Listener, Run, Site, SiteId};
use heddle_lang::Program;
use heddle_lang::cuts::{Candidate, Cuts, with_candidates};
use heddle_lang::machine::Code;
use heddle_transactions::{Exact, Options, Rejected, check};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// What can be suggested.
pub struct Suggestion {
    /// The cuts that cannot be seen.
    pub cuts: Vec<Candidate>,
    /// Cuts of the rule that the run came by.
    pub tried: usize,
    /// What the program is without them.
    pub own: Own,
}

/// What a program is as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    /// No cut can be seen.
    Right,
    /// One can.
    Seen,
    /// It holds a lock where a transaction ends.
    Refused(Rejected),
    /// The run does not come to its end, so not all of it is known.
    Stopped,
}

/// A run that is kept, to be judged with different cuts.
struct Kept {
    events: Vec<Event>,
    features: Features,
}

impl Run for Kept {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        for &event in &self.events {
            listener.on(event);
        }
    }
}

/// Finds a maximal set of cuts.
pub fn suggest(program: &Program, rule: Cuts, exact: Exact) -> Suggestion {
    let (program, candidates) = with_candidates(program, rule);
    let mut events = Vec::new();
    Code::new(&program).run(&mut events, &mut |_| {});
    let mut search = Search {
        run: Kept {
            events,
            features: program.features,
        },
        exact,
        chosen: Vec::new(),
    };
    let met = search.cuts();
    let is_candidate = |site: SiteId| candidates.iter().any(|one| one.site == site);
    search.chosen = met
        .iter()
        .copied()
        .filter(|&site| !is_candidate(site))
        .collect();
    let mut tried: Vec<Candidate> = candidates.clone();
    tried.retain(|one| met.contains(&one.site));
    tried.sort_by_key(|one| (one.before.line, one.before.column));
    let own = search.own();
    let mut cuts = Vec::new();
    if own == Own::Right {
        search.add(&tried, &mut cuts);
    }
    Suggestion {
        cuts,
        tried: tried.len(),
        own,
    }
}

struct Search {
    run: Kept,
    exact: Exact,
    /// The cuts that stay.
    chosen: Vec<SiteId>,
}

impl Search {
    /// The sites of the cuts that the run made.
    fn cuts(&self) -> Vec<SiteId> {
        let cuts = self.run.events.iter().filter_map(|event| match event {
            Event::Cut { site, .. } => Some(*site),
            _ => None,
        });
        let mut cuts: Vec<SiteId> = cuts.collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    /// The program without further cuts.
    fn own(&mut self) -> Own {
        let stops = |event: &Event| matches!(event, Event::Fault { .. } | Event::Stuck { .. });
        match self.check(&[]) {
            _ if self.run.events.iter().any(stops) => Own::Stopped,
            Ok(true) => Own::Right,
            Ok(false) => Own::Seen,
            Err(rejected) => Own::Refused(rejected),
        }
    }

    /// Adds what can be added, all at once where possible.
    fn add(&mut self, candidates: &[Candidate], kept: &mut Vec<Candidate>) {
        if candidates.is_empty() {
            return;
        }
        if self.is_right(candidates) {
            self.chosen.extend(candidates.iter().map(|one| one.site));
            kept.extend(candidates);
        } else if let [_, _, ..] = candidates {
            let (left, right) = candidates.split_at(candidates.len() / 2);
            self.add(left, kept);
            self.add(right, kept);
        }
    }

    /// Whether these can be added.
    fn is_right(&mut self, more: &[Candidate]) -> bool {
        self.check(more).unwrap_or(false)
    }

    /// Whether no cut can be seen if these are added. What is not decided counts as seen.
    fn check(&mut self, more: &[Candidate]) -> Result<bool, Rejected> {
        let mut cuts = self.chosen.clone();
        cuts.extend(more.iter().map(|one| one.site));
        let options = Options {
            exact: self.exact,
            cuts: Some(cuts),
            ..Options::default()
        };
        let is_separation = |finding: &Finding| matches!(finding, Finding::Transaction(_));
        let checked = check(&mut self.run, &options)?;
        Ok(!checked.outcome.findings.iter().any(is_separation))
    }
}

/// The edit as a unified diff; nothing if there is none.
pub fn edit(path: &str, text: &str, cuts: &[Candidate]) -> String {
    let mut by_line: BTreeMap<usize, Vec<Site>> = BTreeMap::new();
    for cut in cuts {
        let row = (cut.before.line as usize).saturating_sub(1);
        by_line.entry(row).or_default().push(cut.before);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut diff = String::new();
    let mut shift = 0;
    for hunk in hunks(by_line.keys().copied()) {
        let first = hunk[0].saturating_sub(CONTEXT);
        let last = (hunk[hunk.len() - 1] + CONTEXT + 1).min(lines.len());
        let mut body = String::new();
        let mut added = 0;
        for (row, line) in lines.iter().enumerate().take(last).skip(first) {
            match by_line.get(&row) {
                None => push(&mut body, ' ', line),
                Some(sites) => added += changed(line, sites, &mut body),
            }
        }
        let (old, new) = (last - first, last - first + added);
        let _ = writeln!(
            diff,
            "@@ -{},{old} +{},{new} @@",
            first + 1,
            first + 1 + shift
        );
        diff += &body;
        shift += added;
    }
    match diff.is_empty() {
        true => diff,
        false => format!("--- {path}\n+++ {path}\n{diff}"),
    }
}

/// Writes one line with its own ending.
fn push(body: &mut String, kind: char, line: &str) {
    body.push(kind);
    body.push_str(line);
    if !line.ends_with('\n') {
        body.push_str("\n\\ No newline at end of file\n");
    }
}

/// Rows that are shown together.
fn hunks(rows: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut hunks: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        match hunks.last_mut() {
            Some(hunk) if row - hunk[hunk.len() - 1] <= 2 * CONTEXT => hunk.push(row),
            _ => hunks.push(vec![row]),
        }
    }
    hunks
}

/// A line with cuts put in; how many lines are added.
fn changed(line: &str, sites: &[Site], body: &mut String) -> usize {
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let is_front = |site: &Site| site.column as usize == indent.chars().count() + 1;
    if sites.iter().all(is_front) {
        let ending = match line.ends_with("\r\n") {
            true => "\r\n",
            false => "\n",
        };
        push(body, '+', &format!("{indent}cut;{ending}"));
        push(body, ' ', line);
        return 1;
    }
    let mut edited = String::new();
    for (row, character) in line.chars().enumerate() {
        if sites.iter().any(|site| site.column as usize == row + 1) {
            edited += "cut; ";
        }
        edited.push(character);
    }
    push(body, '-', line);
    push(body, '+', &edited);
    0
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
shared head, next[2], data[2];
proc list_insert(k) {
  data[k] = k;
  next[k] = head;
  head = k + 1;
}
spawn list_insert(0);
spawn list_insert(1);
sync;
read head;
";

    fn suggestion(source: &str, rule: Cuts) -> Suggestion {
        let program = heddle_lang::compile("a.task", source).expect("the program is right");
        suggest(&program, rule, Exact::Quick)
    }

    #[test]
    fn the_accesses_to_head_stay_together_and_the_rest_is_cut() {
        let found = suggestion(LIST, Cuts::Access);
        let lines: Vec<u32> = found.cuts.iter().map(|cut| cut.before.line).collect();
        assert!(lines.contains(&4), "{lines:?}");
        assert!(!lines.contains(&5), "{lines:?}");
    }

    #[test]
    fn the_edit_is_a_unified_diff() {
        let found = suggestion(LIST, Cuts::Access);
        let edit = edit("a.task", LIST, &found.cuts[..1]);
        let expected = "\
--- a.task
+++ a.task
@@ -1,7 +1,8 @@
 shared head, next[2], data[2];
 proc list_insert(k) {
   data[k] = k;
+  cut;
   next[k] = head;
   head = k + 1;
 }
 spawn list_insert(0);
";
        assert_eq!(edit, expected);
    }

    #[test]
    fn a_cut_inside_a_line_changes_the_line() {
        let source = "shared x, y; finish { async { x = 1; y = 1; } async { x = 2; } }";
        let found = suggestion(source, Cuts::Access);
        let edit = edit("a.task", source, &found.cuts);
        assert!(edit.contains("x = 1; cut; y = 1;"), "{edit}");
    }

    #[test]
    fn of_a_program_that_is_wrong_already_nothing_is_suggested() {
        let source = "shared x; finish { async { read x; cut; x = 1; } async { x = 2; } }";
        let found = suggestion(source, Cuts::Access);
        assert!(found.own == Own::Seen && found.cuts.is_empty());
    }

    #[test]
    fn of_a_run_that_stops_or_is_refused_nothing_is_suggested() {
        let stops = "shared x; finish { async { x = 1; x = 2 / 0; } async { x = 3; } }";
        assert_eq!(suggestion(stops, Cuts::Access).own, Own::Stopped);
        let waits = "shared x; event e; x = 1; finish { task A after e { x = 2; } }";
        assert_eq!(suggestion(waits, Cuts::Access).own, Own::Stopped);
        let across = "shared x; lock L; with L { finish { async { x = 1; x = 2; } } }";
        let found = suggestion(across, Cuts::Access);
        assert!(matches!(found.own, Own::Refused(_)) && found.cuts.is_empty());
    }
}
