//! The reading side of the codec: the mirror image of `encode`, trusting nothing.

use heddle_core::{
    Awaited, CutBy, Event, Extent, FaultKind, FinishId, FinishKind, GroupId, Location, LockId,
    LockMode, NameId, Shape, SiteId, TaskId, TokenId,
};

use super::{Context, tag};
use crate::damage::Malformed;
use crate::input::Input;

type Decoded<T> = Result<T, Malformed>;

/// Decodes the events of one block, one after the other.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    input: Input<'a>,
    context: Context,
}

impl<'a> Decoder<'a> {
    /// A decoder at the start of a block's events.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            input: Input::new(bytes),
            context: Context::new(),
        }
    }

    /// How many bytes the events so far took.
    pub fn taken(&self) -> usize {
        self.input.taken()
    }

    /// The next event; `None` at the end of the block. Makes no sense after an error.
    #[inline]
    pub fn next_event(&mut self) -> Decoded<Option<Event>> {
        if self.input.is_empty() {
            return Ok(None);
        }
        let tag = self.input.byte()?;
        if !tag::is_known(tag) {
            return Err(Malformed::UnknownTag(tag));
        }
        self.event(tag).map(Some)
    }

    fn event(&mut self, tag: u8) -> Decoded<Event> {
        Ok(match tag & tag::KIND_MASK {
            tag::READ => {
                let (extent, site) = self.access(tag)?;
                Event::Read { extent, site }
            }
            tag::WRITE => {
                let (extent, site) = self.access(tag)?;
                Event::Write { extent, site }
            }
            tag::FREE => {
                let (extent, site) = self.access(tag)?;
                Event::Free { extent, site }
            }
            tag::BEGIN => {
                let task = self.task(tag, self.context.spawned)?;
                self.context.switch(task);
                Event::Begin { task }
            }
            tag::RESUME => {
                let task = self.task(tag, self.context.before)?;
                self.context.switch(task);
                Event::Resume { task }
            }
            tag::END => Event::End {
                task: self.task(tag, self.context.running)?,
            },
            tag::SPAWN => self.spawn(tag)?,
            tag::FINISH_BEGIN | tag::FINISH_BEGIN_OTHER => self.finish_begin(tag)?,
            tag::FINISH_END => {
                self.context.finish = self.id(self.context.finish)?;
                Event::FinishEnd {
                    finish: FinishId::new(self.context.finish),
                }
            }
            tag::ALLOC => self.alloc(tag)?,
            tag::DECLARE | tag::DECLARE_LOCK | tag::DECLARE_TOKEN | tag::BIND => {
                self.naming(tag)?
            }
            tag::ATOMIC => self.atomic(tag)?,
            _ => self.rare_event(tag)?,
        })
    }

    /// The kinds that give names and have no site.
    fn naming(&mut self, tag: u8) -> Decoded<Event> {
        Ok(match tag & tag::KIND_MASK {
            tag::DECLARE_LOCK => {
                let lock = self.lock()?;
                Event::DeclareLock {
                    lock,
                    name: self.name()?,
                }
            }
            tag::DECLARE_TOKEN => {
                let token = self.token()?;
                Event::DeclareToken {
                    token,
                    name: self.name()?,
                }
            }
            tag::BIND => {
                let start = self.location(self.context.allocated)?;
                Event::Bind {
                    start,
                    name: self.name()?,
                }
            }
            _ => self.declare(tag)?,
        })
    }

    /// The other kinds: they start with a site.
    fn rare_event(&mut self, tag: u8) -> Decoded<Event> {
        let site = self.site(tag)?;
        Ok(match tag & tag::KIND_MASK {
            tag::JOIN => Event::Join {
                task: TaskId::new(self.input.small()?),
                site,
            },
            tag::SIGNAL => Event::Signal {
                token: self.token()?,
                site,
            },
            tag::WAIT => Event::Wait {
                token: self.token()?,
                site,
            },
            tag::ACQUIRE => Event::Acquire {
                lock: self.lock()?,
                mode: match tag & tag::FLAG {
                    0 => LockMode::Exclusive,
                    _ => LockMode::Shared,
                },
                site,
            },
            tag::RELEASE => Event::Release {
                lock: self.lock()?,
                site,
            },
            tag::CUT => Event::Cut {
                by: match tag & tag::FLAG {
                    0 => CutBy::Hand,
                    _ => CutBy::Rule,
                },
                site,
            },
            tag::ATOMIC_BEGIN => Event::AtomicBegin { site },
            tag::ATOMIC_END => Event::AtomicEnd { site },
            tag::ASSERTION_FAILED => Event::AssertionFailed { site },
            tag::STUCK => {
                let task = TaskId::new(self.input.small()?);
                Event::Stuck {
                    task,
                    awaited: self.awaited()?,
                    site,
                }
            }
            tag::FAULT => Event::Fault {
                site,
                message: self.fault()?,
            },
            _ => return Err(Malformed::UnknownTag(tag)),
        })
    }

    fn site(&mut self, tag: u8) -> Decoded<SiteId> {
        let last = self.context.site;
        let site = match tag & tag::SITE_MASK {
            tag::SITE_SAME => last,
            tag::SITE_NEXT => last.checked_add(1).ok_or(Malformed::NumberTooLarge)?,
            tag::SITE_USUAL => self.context.usual_site(),
            _ => self.id(last)?,
        };
        self.context.visit(site);
        Ok(SiteId::new(site))
    }

    fn access(&mut self, tag: u8) -> Decoded<(Extent, SiteId)> {
        let site = self.site(tag)?;
        let last = *self.context.last_access(site);
        let start = self.location(last.start.0)?;
        let len = match tag & tag::FLAG {
            0 => self.input.number()?,
            _ => last.len,
        };
        let extent = Extent::new(start, len);
        *self.context.last_access(site) = extent;
        Ok((extent, site))
    }

    fn task(&mut self, tag: u8, predicted: u32) -> Decoded<TaskId> {
        match tag & tag::FLAG {
            0 => self.id(predicted).map(TaskId::new),
            _ => Ok(TaskId::new(predicted)),
        }
    }

    fn spawn(&mut self, tag: u8) -> Decoded<Event> {
        let site = self.site(tag)?;
        let form = self.input.byte()?;
        if form & tag::SPAWN_UNUSED != 0 {
            return Err(Malformed::UnknownVariant(form));
        }
        let kind = tag::spawn_kind(form)?;
        let task = match form & tag::SPAWN_NEXT_TASK {
            0 => self.id(self.context.spawned)?,
            _ => self.context.next_spawned(),
        };
        let finish = match form & tag::SPAWN_SAME_FINISH {
            0 => self.id(self.context.finish)?,
            _ => self.context.finish,
        };
        let name = match form & tag::SPAWN_NAMED {
            0 => None,
            _ => Some(self.name()?),
        };
        self.context.spawned = task;
        self.context.finish = finish;
        let (task, finish) = (TaskId::new(task), FinishId::new(finish));
        Ok(Event::Spawn {
            task,
            finish,
            kind,
            site,
            name,
        })
    }

    fn finish_begin(&mut self, tag: u8) -> Decoded<Event> {
        let site = self.site(tag)?;
        let kind = match (tag & tag::KIND_MASK, tag & tag::FLAG) {
            (tag::FINISH_BEGIN_OTHER, _) => tag::other_finish_kind(self.input.byte()?)?,
            (_, 0) => FinishKind::Finish,
            _ => FinishKind::SyncBlock,
        };
        let finish = self.id(self.context.opened)?;
        self.context.opened = finish;
        self.context.finish = finish;
        Ok(Event::FinishBegin {
            finish: FinishId::new(finish),
            kind,
            site,
        })
    }

    fn declare(&mut self, tag: u8) -> Decoded<Event> {
        let shape = match tag & tag::FLAG {
            0 => Shape::Scalar,
            _ => Shape::Array,
        };
        let start = Location(self.input.number()?);
        let extent = Extent::new(start, self.input.number()?);
        Ok(Event::Declare {
            extent,
            name: self.name()?,
            shape,
        })
    }

    fn atomic(&mut self, tag: u8) -> Decoded<Event> {
        let start = Location(self.input.number()?);
        let extent = Extent::new(start, self.input.number()?);
        let group = match tag & tag::FLAG {
            0 => None,
            _ => Some(GroupId::new(self.input.small()?)),
        };
        Ok(Event::Atomic { extent, group })
    }

    fn alloc(&mut self, tag: u8) -> Decoded<Event> {
        let site = self.site(tag)?;
        let start = self.location(self.context.allocated)?;
        let extent = Extent::new(start, self.input.number()?);
        let name = match tag & tag::FLAG {
            0 => None,
            _ => Some(self.name()?),
        };
        self.context.allocated = start.0;
        Ok(Event::Alloc { extent, name, site })
    }

    fn awaited(&mut self) -> Decoded<Awaited> {
        let variant = self.input.byte()?;
        let number = self.input.small()?;
        Ok(match variant {
            tag::AWAITED_FINISH => Awaited::Finish(FinishId::new(number)),
            tag::AWAITED_TASK => Awaited::Task(TaskId::new(number)),
            tag::AWAITED_TOKEN => Awaited::Token(TokenId::new(number)),
            tag::AWAITED_LOCK => Awaited::Lock(LockId::new(number)),
            tag::AWAITED_REGION => Awaited::Region(NameId::new(number)),
            _ => return Err(Malformed::UnknownVariant(variant)),
        })
    }

    fn fault(&mut self) -> Decoded<FaultKind> {
        let variant = self.input.byte()?;
        Ok(match variant {
            tag::FAULT_DIVISION_BY_ZERO => FaultKind::DivisionByZero,
            tag::FAULT_INDEX_OUT_OF_RANGE => {
                let index = self.input.signed()?;
                FaultKind::IndexOutOfRange {
                    index,
                    len: self.input.number()?,
                }
            }
            tag::FAULT_BAD_LENGTH => FaultKind::BadLength {
                len: self.input.signed()?,
            },
            tag::FAULT_LOCK_ALREADY_HELD => FaultKind::LockAlreadyHeld { lock: self.lock()? },
            tag::FAULT_LOCK_NOT_HELD => FaultKind::LockNotHeld { lock: self.lock()? },
            tag::FAULT_LOCK_HELD_AT_END => FaultKind::LockHeldAtEnd { lock: self.lock()? },
            tag::FAULT_ALREADY_SATISFIED => FaultKind::AlreadySatisfied {
                token: self.token()?,
            },
            tag::FAULT_TASK_OPERATION_IN_ISOLATED => FaultKind::TaskOperationInIsolated,
            tag::FAULT_WRONG_VALUE => {
                FaultKind::WrongValue(tag::value_problem(self.input.byte()?)?)
            }
            tag::FAULT_NO_SUCH_TASK => FaultKind::NoSuchTask { name: self.name()? },
            tag::FAULT_LIMIT_REACHED => FaultKind::LimitReached,
            _ => return Err(Malformed::UnknownVariant(variant)),
        })
    }

    fn lock(&mut self) -> Decoded<LockId> {
        self.input.small().map(LockId::new)
    }

    fn token(&mut self) -> Decoded<TokenId> {
        self.input.small().map(TokenId::new)
    }

    fn name(&mut self) -> Decoded<NameId> {
        self.input.small().map(NameId::new)
    }

    fn id(&mut self, base: u32) -> Decoded<u32> {
        let id = i64::from(base).checked_add(self.input.signed()?);
        id.and_then(|id| u32::try_from(id).ok())
            .ok_or(Malformed::NumberTooLarge)
    }

    fn location(&mut self, base: u64) -> Decoded<Location> {
        Ok(Location(base.wrapping_add_signed(self.input.signed()?)))
    }
}
