//! A race, executed in both orders: what each run did to the location, and which values differ.
//!
//! The runs of `.task` programs are made by the tool itself, those of Rust programs by the program, which leaves what it did
//! in a file: one [`Replayed`] after the other, as text, one fact in a line, with tabs between its parts.

use crate::{Certainty, Finding, Kind, Position};
use std::collections::HashMap;
use std::fmt::Write;

/// Strands of a schedule that are listed.
const STRANDS: usize = 12;
/// Accesses of a strand that are listed.
const ACCESSES: usize = 6;
/// Values that differ that are listed.
const DIFFERENCES: usize = 6;

/// One access of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The strand: who, in terms that mean the same in every run, and after how many task operations.
    pub strand: (String, u32),
    /// What the task is called.
    pub who: String,
    /// Where in the source.
    pub at: String,
    /// Whether it writes.
    pub is_write: bool,
    /// To what.
    pub location: String,
    /// What was read or written.
    pub value: String,
}

/// One run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Replayed {
    /// The accesses, in the sequence of the run.
    pub touches: Vec<Touched>,
    /// What variables are in the end.
    pub ends: Vec<(String, String)>,
    /// The locations at which the run has the order that was asked for.
    pub shown: Vec<String>,
    /// Why it did not come to its end.
    pub stopped: Option<String>,
}

/// The positions of a race that both orders can be shown of.
pub fn positions(finding: &Finding) -> Option<[&Position; 2]> {
    let is_race = finding.kind == Kind::Race && finding.certainty == Certainty::Certain;
    let [first, second] = &finding.accesses[..] else {
        return None;
    };
    is_race.then_some([first.position.as_ref()?, second.position.as_ref()?])
}

/// Whether a position is the one that is asked for, with its file or without.
pub fn is_at(position: &str, asked: &str) -> bool {
    position == asked || position.ends_with(&format!(":{asked}"))
}

/// Both runs, the first with one access first, the second with the other; `firsts` are who makes that.
pub fn both(runs: [&Replayed; 2], firsts: [&str; 2], location: &str) -> String {
    let mut text = String::new();
    for (number, (run, first)) in (1..).zip(runs.into_iter().zip(firsts)) {
        let _ = writeln!(text, "  schedule {number}, {first} first:");
        strands(run, location, &mut text);
    }
    differences(runs, &mut text);
    text
}

/// The strands that touch the location, with what they read and write.
fn strands(run: &Replayed, location: &str, text: &mut String) {
    let mut strands: Vec<(&Touched, Vec<String>)> = Vec::new();
    let touches = run.touches.iter();
    for touch in touches.filter(|touch| touch.location == location) {
        let verb = if touch.is_write { "sets" } else { "reads" };
        let told = format!("{verb} {location} = {} at {}", touch.value, touch.at);
        match strands.last_mut() {
            Some((last, accesses)) if last.strand == touch.strand => accesses.push(told),
            _ => strands.push((touch, vec![told])),
        }
    }
    for (number, (touch, accesses)) in (1..).zip(strands.iter().take(STRANDS)) {
        let mut told = accesses.iter().take(ACCESSES).cloned().collect::<Vec<_>>();
        if accesses.len() > ACCESSES {
            told.push(format!("and {} more", accesses.len() - ACCESSES));
        }
        let _ = writeln!(text, "    {number}. {} {}", touch.who, told.join(", "));
    }
    if strands.len() > STRANDS {
        let _ = writeln!(text, "    and {} more strands", strands.len() - STRANDS);
    }
    if let Some(why) = &run.stopped {
        let _ = writeln!(text, "    {why}");
    }
}

fn differences([one, other]: [&Replayed; 2], text: &mut String) {
    let mut told = Vec::new();
    let (reads, others) = (reads(one), reads(other));
    let mut both: Vec<_> = reads
        .iter()
        .filter_map(|(key, touch)| Some((key, *touch, *others.get(key)?)))
        .filter(|(_, one, other)| one.value != other.value)
        .collect();
    both.sort_by_key(|(key, ..)| *key);
    for (_, one, other) in both {
        let (at, who) = (&one.at, &one.who);
        let (one, other) = (&one.value, &other.value);
        told.push(format!("the read at {at} by {who} sees {one} or {other}"));
    }
    let ends: HashMap<_, _> = other.ends.iter().map(|(name, end)| (name, end)).collect();
    for (name, one) in &one.ends {
        if let Some(other) = ends.get(name).filter(|other| **other != one) {
            told.push(format!("in the end {name} is {one} or {other}"));
        }
    }
    if told.len() > DIFFERENCES {
        let more = told.len() - DIFFERENCES;
        told.truncate(DIFFERENCES);
        told.push(format!("and {more} more"));
    }
    if told.is_empty() {
        told.push("no value in these two runs".into());
    }
    let _ = writeln!(text, "  differs: {}", told.join("\n           "));
}

/// What reads saw: by task, place, location, and how often it had read there before.
fn reads(run: &Replayed) -> HashMap<(&str, &str, &str, u32), &Touched> {
    let mut seen: HashMap<(&str, &str, &str), u32> = HashMap::new();
    let mut reads = HashMap::new();
    for touch in run.touches.iter().filter(|touch| !touch.is_write) {
        let (task, at, location) = (&*touch.strand.0, &*touch.at, &*touch.location);
        let count = seen.entry((task, at, location)).or_default();
        reads.insert((task, at, location, *count), touch);
        *count += 1;
    }
    reads
}

impl Replayed {
    /// As text, for [`read`].
    pub fn to_text(&self) -> String {
        let mut text = String::from("run\n");
        for touch in &self.touches {
            let Touched {
                strand: (task, segment),
                who,
                at,
                location,
                value,
                ..
            } = touch;
            let verb = if touch.is_write { "write" } else { "read" };
            let segment = segment.to_string();
            line(&mut text, &[verb, task, &segment, who, at, location, value]);
        }
        for (name, value) in &self.ends {
            line(&mut text, &["end", name, value]);
        }
        for name in &self.shown {
            line(&mut text, &["shown", name]);
        }
        if let Some(why) = &self.stopped {
            line(&mut text, &["stopped", why]);
        }
        text
    }
}

fn line(text: &mut String, parts: &[&str]) {
    let clean = parts.iter().map(|part| part.replace(['\t', '\n'], " "));
    let _ = writeln!(text, "{}", clean.collect::<Vec<_>>().join("\t"));
}

/// All runs that a file has; lines that say nothing are passed over.
pub fn read(text: &str) -> Vec<Replayed> {
    let mut runs: Vec<Replayed> = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        if parts == ["run"] {
            runs.push(Replayed::default());
        }
        let Some(run) = runs.last_mut() else { continue };
        match parts[..] {
            [
                verb @ ("read" | "write"),
                task,
                segment,
                who,
                at,
                location,
                value,
            ] => {
                run.touches.push(Touched {
                    strand: (task.to_owned(), segment.parse().unwrap_or(0)),
                    who: who.to_owned(),
                    at: at.to_owned(),
                    is_write: verb == "write",
                    location: location.to_owned(),
                    value: value.to_owned(),
                });
            }
            ["end", name, value] => run.ends.push((name.to_owned(), value.to_owned())),
            ["shown", name] => run.shown.push(name.to_owned()),
            ["stopped", why] => run.stopped = Some(why.to_owned()),
            _ => {}
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(task: &str, is_write: bool, value: &str) -> Touched {
        Touched {
            strand: (task.to_owned(), 3),
            who: format!("task {task}"),
            at: if is_write { "4:5" } else { "7:9" }.to_owned(),
            is_write,
            location: "x".to_owned(),
            value: value.to_owned(),
        }
    }

    fn run(touches: Vec<Touched>, end: &str) -> Replayed {
        Replayed {
            touches,
            ends: vec![("x".to_owned(), end.to_owned())],
            shown: vec!["x".to_owned()],
            stopped: None,
        }
    }

    #[test]
    fn what_differs_is_said_of_reads_and_of_ends() {
        let one = run(vec![touched("1", true, "5"), touched("2", false, "5")], "5");
        let other = run(vec![touched("2", false, "0"), touched("1", true, "5")], "6");
        let text = both([&one, &other], ["task 1", "task 2"], "x");
        assert_eq!(
            text,
            "  schedule 1, task 1 first:\n\
             \u{20}   1. task 1 sets x = 5 at 4:5\n\
             \u{20}   2. task 2 reads x = 5 at 7:9\n\
             \u{20} schedule 2, task 2 first:\n\
             \u{20}   1. task 2 reads x = 0 at 7:9\n\
             \u{20}   2. task 1 sets x = 5 at 4:5\n\
             \u{20} differs: the read at 7:9 by task 2 sees 5 or 0\n\
             \u{20}          in the end x is 5 or 6\n"
        );
    }

    #[test]
    fn runs_come_back_from_their_text() {
        let mut one = run(vec![touched("1", true, "5")], "5");
        let two = run(vec![touched("2", false, "0")], "");
        one.stopped = Some("a task panics".to_owned());
        let text = format!("{}{}", one.to_text(), two.to_text());
        assert_eq!(read(&text), [one, two]);
        assert_eq!(read("noise\nrun\nmore\tnoise"), [Replayed::default()]);
    }
}
