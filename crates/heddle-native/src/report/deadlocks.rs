//! Deadlocks: those that other schedules can have, and the one that a program hangs in when it is interrupted.

use crate::pthread::waiting;
use crate::report::finish::Ending;
use crate::report::races::{Found, Mentioned};
use crate::report::tables::Tables;
use heddle_core::{Awaited, Finding, Link, Wait};

/// What was found, in the terms of the report.
pub fn findings(
    possible: &[Finding],
    ending: Ending,
    found: &Found<'_>,
    tables: &mut Tables,
    mentioned: &mut Mentioned,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let stuck = stuck(ending);
    if !stuck.is_empty() {
        let waits = stuck.iter().map(|wait| Wait {
            task: mentioned.task(found, tables, wait.task),
            awaited: Awaited::Lock(mentioned.lock(found, tables, wait.lock)),
            site: tables.site(wait.site),
        });
        let waits = waits.collect();
        findings.push(Finding::Deadlock { waits });
    }
    for finding in possible {
        if let Finding::PossibleDeadlock { chain } = finding {
            let links = chain.iter();
            let chain = links.map(|link| renamed(link, found, tables, mentioned));
            findings.push(Finding::PossibleDeadlock {
                chain: chain.collect(),
            });
        }
    }
    findings
}

/// The threads that wait for each other, if the program did not end by itself.
pub fn stuck(ending: Ending) -> Vec<waiting::Waiting> {
    match ending {
        Ending::Early => waiting::in_circles(),
        Ending::Proper => Vec::new(),
    }
}

fn renamed(link: &Link, found: &Found<'_>, tables: &mut Tables, mentioned: &mut Mentioned) -> Link {
    let holds = link.holds.map(|(lock, site)| {
        let lock = mentioned.lock(found, tables, lock);
        (lock, tables.site(site))
    });
    Link {
        task: mentioned.task(found, tables, link.task),
        holds,
        awaited: match link.awaited {
            Awaited::Lock(lock) => Awaited::Lock(mentioned.lock(found, tables, lock)),
            other => other,
        },
        site: tables.site(link.site),
    }
}
