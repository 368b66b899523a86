//! What the baseline of atomicity sees in the order that was observed, beside what can happen in any.

use std::time::Duration;

use heddle_core::atomicity::Velodrome as Observed;
use heddle_core::{Legend, Place};
use serde::Serialize;

use crate::details::Details;
use crate::model::{Kind, Report};
use crate::report::{Grouping, Settings, Subject};

/// Names in a line of text.
const SHOWN: usize = 12;

/// Velodrome's verdict beside ours.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Velodrome {
    /// What is torn in the order that ran.
    pub torn: Vec<String>,
    /// What only the analysis of all schedules finds.
    pub only_other_schedules: Vec<String>,
    /// What only the observed order shows: cycles over several units.
    pub only_observed: Vec<String>,
    /// Regions that accessed something.
    pub regions: u64,
    /// Edges between regions.
    pub edges: u64,
    /// How long it took.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl Velodrome {
    /// Compares what was observed with the locations of [`Report::torn`].
    pub fn new(
        observed: &Observed,
        legend: &Legend,
        mut ours: Vec<String>,
        elapsed: Duration,
    ) -> Self {
        let torn = observed.torn.iter();
        let torn: Vec<String> = torn.map(|(places, _)| names(places, legend)).collect();
        ours.sort();
        ours.dedup();
        let without = |one: &[String], other: &[String]| {
            let left = one.iter().filter(|name| !other.contains(name));
            left.cloned().collect()
        };
        Self {
            only_other_schedules: without(&ours, &torn),
            only_observed: without(&torn, &ours),
            torn,
            regions: observed.regions,
            edges: observed.edges,
            elapsed,
        }
    }

    /// The comparison in lines.
    pub fn text(&self) -> String {
        format!(
            "velodrome: torn in the order that ran: {}\n           \
             only in other schedules: {}\n           \
             only in the order that ran: {}\n           \
             {} regions, {} edges{}\n\n",
            list(&self.torn),
            list(&self.only_other_schedules),
            list(&self.only_observed),
            self.regions,
            self.edges,
            // While the program runs, the time is the program's.
            match self.elapsed {
                Duration::ZERO => String::new(),
                elapsed => format!(", {elapsed:.1?}"),
            }
        )
    }

    /// What was observed, without a comparison.
    pub fn text_alone(&self) -> String {
        format!(
            "velodrome: torn in the order that ran: {}\n           {} regions, {} edges\n\n",
            list(&self.torn),
            self.regions,
            self.edges
        )
    }

    /// The same as one JSON object, in a line.
    pub fn json(&self) -> String {
        let object = serde_json::json!({ "velodrome": self });
        format!("{object}\n")
    }
}

impl Report {
    /// Everything in which an atomicity violation was found, by name.
    pub fn torn(subject: Subject<'_>, details: Option<&Details>) -> Vec<String> {
        let settings = Settings {
            grouping: Grouping::Locations,
            ..Settings::default()
        };
        let findings = Self::build(subject, details, settings).findings;
        let torn = findings
            .into_iter()
            .filter(|finding| finding.kind == Kind::Atomicity);
        torn.filter_map(|finding| finding.location).collect()
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "nothing".to_owned(),
        _ if names.len() <= SHOWN => names.join("; "),
        _ => format!(
            "{}; and {} more",
            names[..SHOWN].join("; "),
            names.len() - SHOWN
        ),
    }
}

fn names(places: &[Place], legend: &Legend) -> String {
    let names = places.iter().map(|place| {
        let name = place.name.and_then(|name| legend.name(name));
        match (name, place.index) {
            (None, _) => format!("unnamed location {}", place.location),
            (Some(name), None) => name.to_owned(),
            (Some(name), Some(index)) => format!("{name}[{index}]"),
        }
    });
    names.collect::<Vec<_>>().join(",")
}
