//! What the last writes of a granule held, and the reads in sections since: what hand-offs follow from.

use super::{Blocks, CROWD, LOOKS, LastId, LastLink, MANY, Mark, Mask, Reader, States};
use crate::exclusion::Hold;

impl States {
    /// What the last writes held, after one more of these bytes that holds `hold`.
    pub(crate) fn overwrite(
        &self,
        blocks: &mut Blocks,
        last: LastId,
        mask: Mask,
        hold: Hold,
    ) -> Option<LastId> {
        if last == LastId::NOTHING && hold == Hold::NOTHING {
            return Some(last);
        }
        let before: Vec<LastLink> = self.lasts_of(last).collect();
        let kept = before.into_iter().filter(|link| link.mask & !mask != 0);
        let kept: Vec<LastLink> = kept.collect();
        let rest = kept
            .into_iter()
            .rev()
            .try_fold(LastId::NOTHING, |rest, link| {
                let mask = link.mask & !mask;
                self.push_last(blocks, LastLink { mask, rest, ..link })
            })?;
        if hold == Hold::NOTHING {
            return Some(rest);
        }
        let link = LastLink {
            hold,
            mask,
            reader: 0,
            rest,
        };
        self.push_last(blocks, link)
    }

    /// The same, after a read in a section. When there are many, the oldest are drawn together: those whose reader and
    /// sections are `of` the same, and when there are even more, all of them.
    pub(crate) fn look<K: PartialEq>(
        &self,
        blocks: &mut Blocks,
        last: LastId,
        now: Mark,
        of: impl Fn(u32, Hold) -> K,
    ) -> Option<LastId> {
        let looks = self.lasts_of(last).filter(LastLink::is_look).count();
        let rest = match looks {
            CROWD.. => self.drawn_together(blocks, last, |_| None::<K>)?,
            _ if looks >= 2 * LOOKS && looks.is_power_of_two() => {
                self.drawn_together(blocks, last, |link| match link.reader {
                    MANY => None,
                    reader => Some(of(reader, link.hold)),
                })?
            }
            _ => last,
        };
        let link = LastLink {
            hold: now.hold,
            mask: now.mask,
            reader: now.strand,
            rest,
        };
        self.push_last(blocks, link)
    }

    /// The latest reads as they are, and one for all others `of` the same: what came after the first of these, up to the
    /// release of the last. Those of nobody are a crowd.
    fn drawn_together<K: PartialEq>(
        &self,
        blocks: &mut Blocks,
        last: LastId,
        of: impl Fn(LastLink) -> Option<K>,
    ) -> Option<LastId> {
        let mut looks = 0;
        let mut kept: Vec<LastLink> = Vec::new();
        let mut sorts = Vec::new();
        for link in self.lasts_of(last) {
            looks += usize::from(link.is_look());
            if !link.is_look() || looks <= LOOKS {
                kept.push(link);
                continue;
            }
            let sort = (of(link), link.mask);
            let link = match sort.0 {
                Some(_) => link,
                None => LastLink {
                    reader: MANY,
                    hold: Hold::NOTHING,
                    ..link
                },
            };
            match sorts.iter().position(|(other, _)| *other == sort) {
                Some(known) => {
                    let at: usize = sorts[known].1;
                    kept[at].reader = link.reader;
                }
                None => {
                    sorts.push((sort, kept.len()));
                    kept.push(link);
                }
            }
        }
        let mut kept = kept.into_iter().rev();
        kept.try_fold(LastId::NOTHING, |rest, link| {
            self.push_last(blocks, LastLink { rest, ..link })
        })
    }

    fn push_last(&self, blocks: &mut Blocks, link: LastLink) -> Option<LastId> {
        self.lasts.push_in(&mut blocks.lasts, link).map(LastId)
    }

    /// The reads of these bytes in sections since they were last written.
    pub(crate) fn read_at(&self, last: LastId, mask: Mask) -> impl Iterator<Item = Reader> {
        let read = move |link: &LastLink| link.mask & mask != 0 && link.is_look();
        let reader = |link: LastLink| match link.reader {
            MANY => Reader::Crowd,
            strand => Reader::Strand(strand, link.hold),
        };
        self.lasts_of(last).filter(read).map(reader)
    }

    /// What the last writes of these bytes held.
    pub(crate) fn held_at(&self, last: LastId, mask: Mask) -> impl Iterator<Item = Hold> + '_ {
        let touched = self
            .lasts_of(last)
            .filter(move |link| link.mask & mask != 0 && !link.is_look());
        touched.map(|link| link.hold)
    }

    fn lasts_of(&self, last: LastId) -> impl Iterator<Item = LastLink> + '_ {
        let mut at = last;
        std::iter::from_fn(move || {
            let link = (at != LastId::NOTHING).then(|| self.lasts.get(at.0))?;
            at = link.rest;
            Some(link)
        })
    }
}

impl LastLink {
    fn is_look(&self) -> bool {
        self.reader != 0
    }
}
