//! The legend as bytes: files, source positions, names, and nothing that is not checked on the
//! way back.
//!
//! Positions are differences to the position before, so that one takes five or six bytes. Tables
//! grow as their rows are read, never by an announced count: memory stays in proportion to the
//! file.

use heddle_core::{FileId, Legend, Site, SourceFile};

use crate::damage::Malformed;
use crate::input::{Input, put, put_signed, put_text};

/// Appends a legend.
pub fn put_legend(out: &mut Vec<u8>, legend: &Legend) {
    put(out, legend.files.len() as u64);
    legend.files.iter().for_each(|file| put_file(out, file));
    put(out, legend.sites.len() as u64);
    let mut line = 0;
    for site in &legend.sites {
        put_site(out, site, line);
        line = site.line;
    }
    put(out, legend.names.len() as u64);
    legend.names.iter().for_each(|name| put_text(out, name));
}

/// Reads a legend that takes up all of `bytes`.
pub fn read_legend(bytes: &[u8]) -> Result<Legend, Malformed> {
    let mut input = Input::new(bytes);
    let files = rows(&mut input, file)?;
    let mut line = 0;
    let sites = rows(&mut input, |input| {
        let site = site(input, line, files.len())?;
        line = site.line;
        Ok(site)
    })?;
    let names = rows(&mut input, |input| input.text())?;
    if !input.is_empty() {
        return Err(Malformed::LeftOver);
    }
    Ok(Legend {
        files,
        sites,
        names,
    })
}

fn put_file(out: &mut Vec<u8>, file: &SourceFile) {
    put_text(out, &file.path);
    put(out, u64::from(file.text.is_some()));
    if let Some(text) = &file.text {
        put_text(out, text);
    }
}

fn put_site(out: &mut Vec<u8>, site: &Site, line_before: u32) {
    put(out, u64::from(site.file.raw()));
    put_signed(out, i64::from(site.line) - i64::from(line_before));
    put(out, u64::from(site.column));
    put_signed(out, i64::from(site.end_line) - i64::from(site.line));
    put_signed(out, i64::from(site.end_column) - i64::from(site.column));
}

fn rows<T>(
    input: &mut Input<'_>,
    mut row: impl FnMut(&mut Input<'_>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let count = input.number()?;
    let mut rows = Vec::new();
    for _ in 0..count {
        rows.push(row(input)?);
    }
    Ok(rows)
}

fn file(input: &mut Input<'_>) -> Result<SourceFile, Malformed> {
    let path = input.text()?;
    let text = match input.byte()? {
        0 => None,
        1 => Some(input.text()?),
        other => return Err(Malformed::UnknownVariant(other)),
    };
    Ok(SourceFile { path, text })
}

fn site(input: &mut Input<'_>, line_before: u32, files: usize) -> Result<Site, Malformed> {
    let file = FileId::new(input.small()?);
    let line = offset(input, line_before)?;
    let column = input.small()?;
    let end_line = offset(input, line)?;
    let end_column = offset(input, column)?;
    let counts_from_one = line > 0 && column > 0 && end_column > 0;
    if file.index() >= files || !counts_from_one || (end_line, end_column) < (line, column) {
        return Err(Malformed::BadSite);
    }
    Ok(Site {
        file,
        line,
        column,
        end_line,
        end_column,
    })
}

fn offset(input: &mut Input<'_>, base: u32) -> Result<u32, Malformed> {
    let value = i64::from(base)
        .checked_add(input.signed()?)
        .ok_or(Malformed::NumberTooLarge)?;
    u32::try_from(value).map_err(|_| Malformed::NumberTooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Legend {
        let site = |line, column, end_line, end_column| Site {
            file: FileId::new(1),
            line,
            column,
            end_line,
            end_column,
        };
        Legend {
            files: vec![
                SourceFile {
                    path: "a.task".into(),
                    text: Some("shared x;\n".into()),
                },
                SourceFile {
                    path: "<stdin>".into(),
                    text: None,
                },
            ],
            sites: vec![site(1, 8, 1, 9), site(7, 3, 9, 2), site(2, 1, 2, u32::MAX)],
            names: vec!["x".into(), String::new(), "größe".into()],
        }
    }

    fn bytes(legend: &Legend) -> Vec<u8> {
        let mut out = Vec::new();
        put_legend(&mut out, legend);
        out
    }

    #[test]
    fn a_legend_comes_back() {
        assert_eq!(read_legend(&bytes(&sample())), Ok(sample()));
        assert_eq!(
            read_legend(&bytes(&Legend::default())),
            Ok(Legend::default())
        );
    }

    #[test]
    fn every_truncation_and_every_addition_is_refused() {
        let mut bytes = bytes(&sample());
        for len in 0..bytes.len() {
            assert!(read_legend(&bytes[..len]).is_err());
        }
        bytes.push(0);
        assert_eq!(read_legend(&bytes), Err(Malformed::LeftOver));
    }

    #[test]
    fn positions_that_make_no_sense_are_refused() {
        let changes: [fn(&mut Site); 4] = [
            |site| site.file = FileId::new(2),
            |site| site.line = 0,
            |site| site.column = 0,
            |site| site.end_line = 1,
        ];
        for change in changes {
            let mut legend = sample();
            change(&mut legend.sites[1]);
            assert_eq!(read_legend(&bytes(&legend)), Err(Malformed::BadSite));
        }
    }

    #[test]
    fn an_announced_count_allocates_nothing() {
        let mut out = Vec::new();
        put(&mut out, u64::MAX);
        assert_eq!(read_legend(&out), Err(Malformed::CutShort));
    }
}
