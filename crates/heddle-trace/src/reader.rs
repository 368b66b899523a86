//! Reading back: bytes nobody vouches for become a run that keeps all rules, or an error with a
//! position and everything that was good before it.
//!
//! Three passes. The frame: block after block, checksums first; the legend and the notes are
//! taken on the way. Of a block that the file's end cuts short, the events before the cut count. The events: decoded and stepped through a [`Validator`], which by then knows
//! the legend. The close: totals. What is kept is the bytes themselves and where the event blocks
//! lie in them; replay decodes again, so 10^8 events need no more memory than their file.

use std::fmt;
use std::ops::Range;

use heddle_core::{Event, Features, Legend, Listener, Run};

use crate::block::{self, Block, BlockKind, HEADER_LEN};
use crate::code::Decoder;
use crate::damage::{Damage, Damaged, Malformed};
use crate::input::Input;
use crate::legend::read_legend;
use crate::limits::Limits;
use crate::validate::Validator;

/// A recorded run.
#[derive(Clone, PartialEq, Eq)]
pub struct Trace<B = Vec<u8>> {
    /// What the program may do.
    pub features: Features,
    /// What the ids in the events stand for.
    pub legend: Legend,
    /// Free-form notes, in the sequence they were written: key and value.
    pub notes: Vec<(String, String)>,
    bytes: B,
    /// Where the events lie in `bytes`.
    stretches: Vec<Range<usize>>,
    events: u64,
}

impl<B: AsRef<[u8]>> Trace<B> {
    /// Reads a trace, with default [`Limits`]. `bytes` is kept: a `Vec`, a slice, a memory map.
    pub fn read(bytes: B) -> Result<Self, Damaged<B>> {
        Self::read_within(bytes, Limits::default())
    }

    /// Reads a trace. The legend's sizes lower the limits for sites and names.
    pub fn read_within(bytes: B, limits: Limits) -> Result<Self, Damaged<B>> {
        let found = Contents::of(bytes.as_ref(), limits);
        let trace = Self {
            features: found.features,
            legend: found.legend.unwrap_or_default(),
            notes: found.notes,
            bytes,
            stretches: found.stretches,
            events: found.events,
        };
        match found.damage {
            None => Ok(trace),
            Some((offset, what)) => Err(Damaged {
                offset: offset as u64,
                what,
                readable: Box::new(trace),
            }),
        }
    }

    /// How many events there are.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// The events, decoded one by one.
    pub fn events(&self) -> Events<'_> {
        let bytes = self.bytes.as_ref();
        Events {
            bytes,
            stretches: self.stretches.iter(),
            block: Decoder::new(&[]),
        }
    }
}

impl<B: AsRef<[u8]>> Run for Trace<B> {
    fn features(&self) -> Features {
        self.features
    }

    fn run<L: Listener>(&mut self, listener: &mut L) {
        self.events().for_each(|event| listener.on(event));
    }
}

/// Leaves out the bytes, which may be many.
impl<B> fmt::Debug for Trace<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace")
            .field("features", &self.features)
            .field("notes", &self.notes)
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

/// The events of a [`Trace`].
#[derive(Clone, Debug)]
pub struct Events<'a> {
    bytes: &'a [u8],
    stretches: std::slice::Iter<'a, Range<usize>>,
    block: Decoder<'a>,
}

impl Iterator for Events<'_> {
    type Item = Event;

    #[inline]
    fn next(&mut self) -> Option<Event> {
        loop {
            // Every stretch was decoded once when the trace was read, so an error cannot come.
            if let Some(event) = self.block.next_event().ok()? {
                return Some(event);
            }
            let stretch = self.stretches.next()?.clone();
            self.block = Decoder::new(self.bytes.get(stretch)?);
        }
    }
}

/// A position in the file and what is wrong there.
type Located = (usize, Damage);

/// What a file holds, as far as it is good.
#[derive(Default)]
struct Contents {
    features: Features,
    legend: Option<Legend>,
    notes: Vec<(String, String)>,
    stretches: Vec<Range<usize>>,
    events: u64,
    has_cuts: bool,
    damage: Option<Located>,
}

/// The closing block.
struct Totals {
    offset: usize,
    blocks: u64,
    events: u64,
}

impl Contents {
    fn of(bytes: &[u8], limits: Limits) -> Self {
        let mut found = Self::default();
        match block::read_header(bytes) {
            Ok(features) => found.features = features,
            Err(damage) => {
                found.damage = Some((0, damage));
                return found;
            }
        }
        let frame = found.read_blocks(bytes);
        let limits = found.limits(limits, &frame);
        let mut validator = Validator::new(found.features, limits);
        let events = found.read_events(bytes, &mut validator);
        if let (Ok(()), Err((at, Damage::Truncated))) = (&events, &frame) {
            found.read_cut(bytes, *at, &mut validator);
        }
        // The earliest damage counts; events lie before whatever ended the frame.
        found.damage = events
            .and(frame)
            .and_then(|end| found.close(&end, &validator))
            .err();
        // A native program writes first what its run may have, and at its end what it had. A run that
        // has no cut, as far as it can be read, is looked at for races.
        found.features.cuts &= found.damage.is_none() || found.has_cuts;
        found
    }

    /// The frame, up to the closing block or the first damage.
    fn read_blocks(&mut self, bytes: &[u8]) -> Result<Totals, Located> {
        let mut at = HEADER_LEN;
        let mut blocks = 0;
        loop {
            let block = block::block_at(bytes, at).map_err(|damage| (at, damage))?;
            let end = block.payload.end;
            let totals = self
                .take_block(bytes, at, block)
                .map_err(|damage| (at, damage))?;
            match totals {
                Some(totals) if totals.blocks != blocks => return Err((at, Damage::WrongTotals)),
                Some(_) if end < bytes.len() => return Err((end, Damage::TrailingBytes)),
                Some(totals) => return Ok(totals),
                None => (at, blocks) = (end, blocks + 1),
            }
        }
    }

    fn take_block(
        &mut self,
        bytes: &[u8],
        offset: usize,
        Block { kind, payload }: Block,
    ) -> Result<Option<Totals>, Damage> {
        let mut input = Input::new(&bytes[payload.clone()]);
        match kind {
            BlockKind::Events => self.stretches.push(payload),
            BlockKind::Legend => self.legend = Some(read_legend(&bytes[payload])?),
            BlockKind::Note => {
                self.notes.push((input.text()?, input.text()?));
                ensure_empty(&input)?;
            }
            BlockKind::End => {
                let totals = Totals {
                    offset,
                    blocks: input.number()?,
                    events: input.number()?,
                };
                ensure_empty(&input)?;
                return Ok(Some(totals));
            }
        }
        Ok(None)
    }

    /// Of a whole file the legend must cover the events. If the end is lost, the legend that was
    /// lost with it may have been larger.
    fn limits(&self, limits: Limits, frame: &Result<Totals, Located>) -> Limits {
        match &self.legend {
            Some(legend) if frame.is_ok() => limits.covered_by(legend),
            _ => limits,
        }
    }

    /// Decodes and validates. On damage, keeps the stretches before it.
    fn read_events(&mut self, bytes: &[u8], validator: &mut Validator) -> Result<(), Located> {
        let blocks = std::mem::take(&mut self.stretches);
        blocks
            .into_iter()
            .try_for_each(|block| self.read_stretch(bytes, block, validator))
    }

    /// The events of the block at `at` that come before the cut. Its checksum is lost, but a cut
    /// changes nothing before it; whatever is wrong there is put down to the cut.
    fn read_cut(&mut self, bytes: &[u8], at: usize, validator: &mut Validator) {
        if let Some(rest) = block::cut_events(bytes, at) {
            let _cut = self.read_stretch(bytes, rest, validator);
        }
    }

    fn read_stretch(
        &mut self,
        bytes: &[u8],
        payload: Range<usize>,
        validator: &mut Validator,
    ) -> Result<(), Located> {
        let mut input = Input::new(&bytes[payload.clone()]);
        let first = input
            .number()
            .map_err(|malformed| (payload.start, malformed.into()))?;
        if first != self.events {
            return Err((payload.start, Damage::OutOfSequence(first)));
        }
        let start = payload.start + input.taken();
        let mut decoder = Decoder::new(&bytes[start..payload.end]);
        let (end, result) = loop {
            let at = start + decoder.taken();
            match next_valid(&mut decoder, validator) {
                Ok(Some(event)) => {
                    self.events += 1;
                    self.has_cuts |= matches!(event, Event::Cut { .. });
                }
                Ok(None) => break (at, Ok(())),
                Err(damage) => break (at, Err((at, damage))),
            }
        };
        self.stretches.push(start..end);
        result
    }

    fn close(&self, end: &Totals, validator: &Validator) -> Result<(), Located> {
        if end.events != self.events {
            return Err((end.offset, Damage::WrongTotals));
        }
        validator
            .finish()
            .map_err(|violation| (end.offset, violation.into()))
    }
}

/// The next event, if there is another, and a good one.
fn next_valid(
    decoder: &mut Decoder<'_>,
    validator: &mut Validator,
) -> Result<Option<Event>, Damage> {
    let event = decoder.next_event()?;
    if let Some(event) = event {
        validator.step(event)?;
    }
    Ok(event)
}

fn ensure_empty(input: &Input<'_>) -> Result<(), Malformed> {
    if input.is_empty() {
        Ok(())
    } else {
        Err(Malformed::LeftOver)
    }
}
