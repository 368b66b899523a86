//! What only some front ends know: functions, calls and memory.
//!
//! A `.task` program is explained by its source positions alone. A native program has more to say: in which
//! function an access is and who called it, and what the memory is that two tasks met on. These tables
//! stand beside the legend, so that front ends without such knowledge need none.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use heddle_core::{Finding, NameId, SiteId, TaskId};
use serde::Serialize;

use crate::model::Numbered;

/// What is known beyond the legend.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Details {
    /// The function around a site, and the call that led there.
    pub frames: HashMap<SiteId, FrameInfo>,
    /// Sites of writes that give the memory back.
    pub frees: HashSet<SiteId>,
    /// What the name of a place stands for.
    pub objects: HashMap<NameId, Arc<ObjectInfo>>,
    /// How many locations pairs of positions raced on, where findings do not have all of them.
    pub racy: Vec<([SiteId; 2], u64)>,
    /// Where tasks were joined by a call of their own, such as `pthread_join` or `get`.
    pub joins: HashMap<TaskId, SiteId>,
    /// Which of the tasks each is that its creator made at the same place.
    pub numbers: HashMap<TaskId, Numbered>,
    /// What the user asked not to see.
    pub suppressed: Vec<Finding>,
}

/// The function around a site.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FrameInfo {
    /// Its name as the program's author would write it.
    pub function: String,
    /// The site of the call, if it is known: the chain of these is the stack.
    pub caller: Option<SiteId>,
}

/// What the memory behind a name is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ObjectInfo {
    /// What the whole of it is called; places in it may have longer names.
    pub name: String,
    /// What sort.
    pub kind: ObjectKind,
    /// In bytes.
    pub size: Option<u64>,
    /// What places in it are counted in, where they have numbers.
    pub unit: Unit,
    /// Where it was declared or allocated.
    pub site: Option<SiteId>,
    /// Who allocated it.
    pub allocated_by: Option<TaskId>,
}

/// What the number of a place in an object counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Unit {
    /// Bytes: what the object holds is not known.
    #[default]
    Bytes,
    /// The program's own elements.
    Elements,
}

/// A sort of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// A variable that lives as long as the program.
    Global,
    /// Allocated while the program ran.
    Heap,
    /// A data block of event-driven tasks.
    DataBlock,
    /// A local variable, or what else lies on a thread's stack.
    Stack,
    /// A variable of which each thread has its own.
    ThreadLocal,
    /// Nothing is known of it.
    Unknown,
}
