//! Broken rules of a runtime, in the terms of the report.

use crate::ocr::{self, Told};
use crate::report::races::{Found, Mentioned};
use crate::report::tables::Tables;
use heddle_core::Finding;

/// What was found.
pub fn findings(found: &Found<'_>, tables: &mut Tables, mentioned: &mut Mentioned) -> Vec<Finding> {
    let told = ocr::findings().into_iter();
    told.map(|told| finding(told, found, tables, mentioned))
        .collect()
}

fn finding(
    told: Told,
    found: &Found<'_>,
    tables: &mut Tables,
    mentioned: &mut Mentioned,
) -> Finding {
    let related = told.related.map(|(text, site)| {
        let text = tables.name(text);
        (text, tables.site(site))
    });
    Finding::Misuse {
        what: tables.name(&told.message),
        help: tables.name(told.help),
        site: tables.site(told.site),
        task: mentioned.task(found, tables, told.task),
        related,
        count: told.count,
    }
}
