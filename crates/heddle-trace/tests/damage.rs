//! Damaged files: always an error with a position, never a panic, and the readable part is what
//! was recorded.

mod streams;

use heddle_core::*;
use heddle_trace::{Damage, Damaged, Trace, Writer, reseal};
use proptest::prelude::*;
use streams::{Recorded, runs, sample};

/// A file of several short blocks: legend, note, events, events, ..., end.
fn short_blocks(recorded: &Recorded, per_block: usize) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &recorded.features, Some(&recorded.legend));
    writer.note("command", "heddle record");
    for events in recorded.events.chunks(per_block) {
        events.iter().for_each(|event| writer.on(*event));
        writer.flush();
    }
    writer.finish(None).expect("vectors take everything")
}

/// Where each block of an undamaged file starts, and where the last one ends.
fn block_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![16];
    while let Some(len) = bytes
        .get(starts[starts.len() - 1] + 1..)
        .and_then(<[u8]>::first_chunk)
    {
        starts.push(starts[starts.len() - 1] + 9 + u32::from_le_bytes(*len) as usize);
    }
    starts
}

/// Reading fails, and what is readable is a beginning of the original.
fn assert_damaged(bytes: Vec<u8>, recorded: &Recorded) -> Damaged {
    let len = bytes.len() as u64;
    let damaged = Trace::read(bytes).expect_err("damaged");
    assert!(damaged.offset <= len);
    let events: Vec<Event> = damaged.readable.events().collect();
    assert!(recorded.events.starts_with(&events), "{damaged}");
    assert_eq!(events.len() as u64, damaged.readable.event_count());
    damaged
}

#[test]
fn every_change_of_a_single_byte_is_noticed_where_it_happened() {
    let recorded = sample();
    let good = short_blocks(&recorded, 20);
    let starts = block_starts(&good);
    for at in 0..good.len() {
        let block = starts
            .iter()
            .rev()
            .find(|start| **start <= at)
            .copied()
            .unwrap_or(0);
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] ^= flip;
            let damaged = assert_damaged(bytes, &recorded);
            assert_eq!(damaged.offset, block as u64, "byte {at}: {damaged}");
        }
    }
}

#[test]
fn everything_before_the_damaged_block_is_readable() {
    let recorded = sample();
    let good = short_blocks(&recorded, 20);
    let starts = block_starts(&good);
    let (legend_and_note, end) = (2, starts.len() - 2);
    for (block, start) in starts.iter().enumerate().take(end).skip(legend_and_note) {
        let mut bytes = good.clone();
        bytes[start + 12] ^= 4;
        let damaged = assert_damaged(bytes, &recorded);
        assert_eq!(damaged.what, Damage::Checksum);
        assert_eq!(
            damaged.readable.event_count(),
            (block - legend_and_note) as u64 * 20
        );
        assert_eq!(damaged.readable.legend, recorded.legend);
    }
}

#[test]
fn every_truncation_is_noticed() {
    let recorded = sample();
    for good in [short_blocks(&recorded, 20), recorded.bytes()] {
        for len in 0..good.len() {
            let damaged = assert_damaged(good[..len].to_vec(), &recorded);
            let expected = if len == 0 {
                Damage::NotATrace
            } else {
                Damage::Truncated
            };
            assert_eq!(damaged.what, expected, "{len}");
        }
    }
}

#[test]
fn of_a_block_that_is_cut_short_the_events_before_the_cut_are_readable() {
    let recorded = sample();
    let good = recorded.bytes();
    let counts: Vec<u64> = (0..good.len())
        .map(|len| {
            assert_damaged(good[..len].to_vec(), &recorded)
                .readable
                .event_count()
        })
        .collect();
    assert!(counts.is_sorted());
    let all = recorded.events.len() as u64;
    let distinct: std::collections::BTreeSet<u64> = counts.into_iter().collect();
    assert_eq!(distinct, (0..=all).collect());
}

#[test]
fn a_missing_repeated_or_displaced_block_is_noticed() {
    let recorded = sample();
    let good = short_blocks(&recorded, 20);
    let starts = block_starts(&good);
    let block = |n: usize| &good[starts[n]..starts[n + 1]];
    let (before, after) = (&good[..starts[4]], &good[starts[6]..]);
    for (middle, name) in [
        (vec![block(5)], "missing"),
        (vec![block(4), block(4), block(5)], "repeated"),
        (vec![block(5), block(4)], "displaced"),
    ] {
        let damaged = assert_damaged(
            [&[before], &middle[..], &[after]].concat().concat(),
            &recorded,
        );
        assert!(
            !matches!(damaged.what, Damage::Violation(_)),
            "{name}: {damaged}"
        );
    }
    let mut twice = good.clone();
    twice.extend_from_slice(&good);
    let damaged = assert_damaged(twice, &recorded);
    assert_eq!(
        (damaged.offset, damaged.what),
        (good.len() as u64, Damage::TrailingBytes)
    );
    assert_eq!(damaged.readable.event_count(), recorded.events.len() as u64);
}

#[test]
fn other_files_and_other_versions_are_told_apart() {
    let what = |bytes: &[u8]| Trace::read(bytes).expect_err("no trace").what;
    assert_eq!(what(b""), Damage::NotATrace);
    assert_eq!(
        what(b"shared x; finish { async { x = 1; } }"),
        Damage::NotATrace
    );
    assert_eq!(what(&[0; 4096]), Damage::NotATrace);
    let mut later = sample().bytes();
    later[8] = 7;
    let damaged = Trace::read(later).expect_err("unknown version");
    assert_eq!(damaged.what, Damage::UnknownVersion(7));
    let text = "at byte 0: the trace has format version 7; this Heddle reads version 1 only";
    assert_eq!(damaged.to_string(), text);
}

proptest! {
    #[test]
    fn behind_right_checksums_nonsense_never_panics(
        recorded in runs(100),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = short_blocks(&recorded, 30);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        reseal(&mut bytes);
        let trace = match Trace::read(bytes) {
            Ok(trace) => trace,
            Err(damaged) => *damaged.readable,
        };
        prop_assert_eq!(trace.events().count() as u64, trace.event_count());
    }

    #[test]
    fn arbitrary_bytes_are_no_trace(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Trace::read(bytes).is_err());
    }
}
