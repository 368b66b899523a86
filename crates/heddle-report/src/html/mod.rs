//! One HTML page: findings with a filter, source, and the task graph. It needs nothing but itself.
//!
//! The page carries its data as JSON and a script that lays it out; nothing is loaded and nothing is sent. Of the sources only
//! lines near something that a finding speaks of are in it, and of a large graph only what findings have part in, so that the page
//! stays small however large the run was.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::graph::{Graph, Layout};
use crate::printable::printable;
use crate::saved::{Saved, SavedFinding, SavedPosition};
use heddle_core::Legend;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const APP: &str = include_str!("app.js");

/// Lines shown before and after a place.
const AROUND: u32 = 14;
/// Characters of a line that are shown.
const LONGEST: usize = 400;

/// What a page shows.
#[derive(Debug, Default)]
pub struct Page<'a> {
    /// The reports.
    pub reports: &'a [Saved],
    /// The graph of each report's run, if there is one.
    pub graphs: &'a [Option<Value>],
}

impl Page<'_> {
    /// The page; `source` says what a file has in it.
    pub fn render(&self, mut source: impl FnMut(&str) -> Option<String>) -> String {
        let mut sources = BTreeMap::new();
        for (file, lines) in self.places() {
            if let Some(text) = source(&file) {
                sources.insert(file, chunks(&text, &lines));
            }
        }
        let data = json!({
            "reports": self.reports,
            "graphs": self.graphs,
            "sources": sources,
        });
        // Inside a script element nothing but its end is special.
        let data = data.to_string().replace('<', "\\u003c");
        PAGE.replace("/*STYLE*/", STYLE)
            .replace("/*APP*/", APP)
            .replace("/*DATA*/", &data)
    }

    /// The files and lines that findings speak of.
    fn places(&self) -> BTreeMap<String, BTreeSet<u32>> {
        let mut places: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let findings = self.reports.iter().flat_map(|report| &report.findings);
        for position in findings.flat_map(positions) {
            let lines = places.entry(position.file.clone()).or_default();
            lines.insert(position.line);
        }
        places
    }
}

fn positions(finding: &SavedFinding) -> impl Iterator<Item = &SavedPosition> {
    let accesses = finding.accesses.iter().map(|access| &access.position);
    let waits = finding.waits.iter().map(|wait| &wait.position);
    let steps = finding.schedule.iter().map(|step| &step.position);
    let all = accesses.chain(waits).chain(steps);
    all.chain([&finding.position]).flatten()
}

/// Stretches of a text around these lines: the number of the first line, and the lines.
fn chunks(text: &str, lines: &BTreeSet<u32>) -> Vec<(u32, Vec<String>)> {
    let all: Vec<&str> = text.lines().collect();
    let mut chunks: Vec<(u32, Vec<String>)> = Vec::new();
    for &line in lines {
        let first = line.saturating_sub(AROUND).max(1);
        let last = line.saturating_add(AROUND).min(all.len() as u32);
        let next = chunks
            .last()
            .map_or(0, |(start, lines)| start + lines.len() as u32);
        let is_near = !chunks.is_empty() && first <= next;
        let from = if is_near { next } else { first };
        let shown = (from..=last).filter_map(|line| all.get(line as usize - 1));
        let shown = shown.map(|line| printable(&cut(line)).into_owned());
        match chunks.last_mut().filter(|_| is_near) {
            Some((_, lines)) => lines.extend(shown),
            None => chunks.push((first, shown.collect())),
        }
    }
    chunks
}

fn cut(line: &str) -> String {
    line.chars().take(LONGEST).collect()
}

/// A graph as the page's script takes it.
pub fn graph(graph: &Graph, legend: &Legend) -> Value {
    let layout = Layout::new(graph);
    let lanes = graph.lanes.iter().map(|lane| {
        let parent = lane.parent.map_or(-1, |parent| parent as i64);
        json!([printable(&lane.name), parent, lane.task.index()])
    });
    let strands = graph.strands.iter().zip(&layout.rows).map(|(strand, row)| {
        let spots = strand.accesses.iter().filter_map(|(_, site)| {
            let site = legend.site(*site)?;
            Some(format!("{}:{}", site.line, site.column))
        });
        let spots: BTreeSet<String> = spots.take(64).collect();
        json!([strand.lane, row, strand.labels, strand.is_found, spots])
    });
    let edges = graph.edges.iter();
    let edges = edges.map(|edge| json!([edge.from, edge.to, edge.kind.name()]));
    json!({
        "lanes": lanes.collect::<Vec<_>>(),
        "columns": layout.columns,
        "strands": strands.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "folded": graph.left_out,
    })
}
