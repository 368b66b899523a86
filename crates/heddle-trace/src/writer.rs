//! Recording: a listener that writes events as they come, in blocks, and holds one block in memory.

use std::io;

use heddle_core::{Event, Features, Legend, Listener};

use crate::block::{self, BlockKind};
use crate::code::{Context, encode};
use crate::input::{put, put_text};
use crate::legend::put_legend;

/// A block is written once its events take this many bytes, or as many as were written before it if those are
/// fewer: if a run is killed, little of a short recording is lost, too.
const BLOCK_LEN: usize = 64 * 1024;

/// But no sooner than at this length.
const SHORTEST_BLOCK: usize = 64;

/// Writes a run to `W` while it happens.
///
/// Errors of `W` do not disturb the run: the first one is kept, nothing more is written, and
/// [`Writer::finish`] returns it. A writer that is dropped without `finish` leaves a file that its
/// reader will call cut short; of the events, up to one block is lost, which is at most half of them beyond the
/// first few (see [`Writer::flush`]).
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    error: Option<io::Error>,
    /// The block being filled, its header reserved; empty between blocks.
    block: Vec<u8>,
    context: Context,
    /// Bytes handed to the sink.
    written: usize,
    blocks: u64,
    events: u64,
}

impl<W: io::Write> Writer<W> {
    /// Starts a trace. A front end that knows its legend before the run gives it here, so that
    /// positions are known even if the end of the file is lost.
    pub fn new(sink: W, features: &Features, legend: Option<&Legend>) -> Self {
        let mut writer = Self {
            sink,
            error: None,
            block: Vec::new(),
            context: Context::new(),
            written: 0,
            blocks: 0,
            events: 0,
        };
        writer.write(&block::header(features));
        legend.into_iter().for_each(|legend| writer.legend(legend));
        writer
    }

    /// Adds a note for people who meet the file later, such as the command line.
    pub fn note(&mut self, key: &str, value: &str) {
        self.whole_block(BlockKind::Note, |out| {
            put_text(out, key);
            put_text(out, value);
        });
    }

    /// Writes the legend as far as it is known. The last one written counts.
    pub fn legend(&mut self, legend: &Legend) {
        self.whole_block(BlockKind::Legend, |out| put_legend(out, legend));
    }

    /// Hands all events so far to `W`, in a block that may be short.
    pub fn flush(&mut self) {
        if !self.block.is_empty() {
            let mut block = std::mem::take(&mut self.block);
            self.close_block(&mut block, BlockKind::Events);
            block.clear();
            self.block = block;
        }
    }

    /// Ends the trace: writes what is left, the legend if it is new or has grown, and the totals.
    /// Returns the first error there was.
    pub fn finish(mut self, legend: Option<&Legend>) -> io::Result<W> {
        legend.into_iter().for_each(|legend| self.legend(legend));
        self.flush();
        let (blocks, events) = (self.blocks, self.events);
        self.whole_block(BlockKind::End, |out| {
            put(out, blocks);
            put(out, events);
        });
        self.attempt(|sink| sink.flush());
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.sink),
        }
    }

    /// A block that is not events, with what is pending before it.
    fn whole_block(&mut self, kind: BlockKind, fill: impl FnOnce(&mut Vec<u8>)) {
        self.flush();
        let mut block = Vec::new();
        block::open(&mut block);
        fill(&mut block);
        self.close_block(&mut block, kind);
    }

    fn open_events(&mut self) {
        self.block.reserve(BLOCK_LEN + BLOCK_LEN / 64);
        block::open(&mut self.block);
        put(&mut self.block, self.events);
        self.context = Context::new();
    }

    fn close_block(&mut self, block: &mut [u8], kind: BlockKind) {
        match block::close(block, kind) {
            Some(()) => self.write(block),
            None => self.fail(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a legend or note of 4 GiB or more does not fit in a trace",
            )),
        }
        self.blocks += 1;
    }

    fn write(&mut self, bytes: &[u8]) {
        self.written = self.written.saturating_add(bytes.len());
        self.attempt(|sink| sink.write_all(bytes));
    }

    fn attempt(&mut self, action: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.error.is_none()
            && let Err(error) = action(&mut self.sink)
        {
            self.fail(error);
        }
    }

    fn fail(&mut self, error: io::Error) {
        self.error.get_or_insert(error);
    }
}

impl<W: io::Write> Listener for Writer<W> {
    fn on(&mut self, event: Event) {
        if self.block.is_empty() {
            self.open_events();
        }
        encode(&mut self.context, event, &mut self.block);
        self.events += 1;
        if self.block.len() >= self.written.clamp(SHORTEST_BLOCK, BLOCK_LEN) {
            self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;
    use heddle_core::{Extent, Location, SiteId, TaskId};

    /// Takes so many bytes, then fails.
    struct Full(usize);

    impl io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_writer_that_is_never_finished_has_written_about_half_of_its_events() {
        for events in [100, 1_000, 10_000] {
            let mut written = Vec::new();
            let mut writer = Writer::new(&mut written, &Features::default(), None);
            let extent = Extent::one(Location(0));
            let site = SiteId::new(0);
            (0..events).for_each(|_| writer.on(Event::Write { extent, site }));
            drop(writer);
            let damaged = Trace::read(written).expect_err("it has no end");
            let read = damaged.readable.event_count();
            assert!(read * 5 > events * 2, "{read} of {events}");
        }
    }

    #[test]
    fn an_error_of_the_sink_waits_for_finish() {
        for room in [0, 16, 100, BLOCK_LEN] {
            let mut writer = Writer::new(Full(room), &Features::default(), None);
            for _ in 0..BLOCK_LEN {
                writer.on(Event::Resume { task: TaskId::MAIN });
            }
            let error = writer.finish(None).err().expect("there was no room");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
