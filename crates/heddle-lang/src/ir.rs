//! The intermediate form: a resolved, structured program.
//!
//! Names are gone: locals are frame slots, shared variables, locks, events, regions and
//! procedures are indices. What is left of the text is in the [`Legend`]. Every access to shared
//! memory has an [`AccessId`]; check elimination marks rows of [`Program::accesses`] and may
//! insert [`StmtKind::Check`], nothing else. The machine compiles this form to code.

use heddle_core::{
    AccessKind, Features, Legend, Location, LockId, NameId, Shape, SiteId, TaskKind, TokenId,
};

/// A slot in a body's frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocalId(pub u32);

/// A row of [`Program::shared`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SharedId(pub u32);

/// A row of [`Program::regions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(pub u32);

/// A row of [`Program::procs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcId(pub u32);

/// A row of [`Program::accesses`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessId(pub u32);

/// A whole program, checked and ready to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Source text, positions and names.
    pub legend: Legend,
    /// What the program may do.
    pub features: Features,
    /// Shared variables and arrays, laid out one after the other from location 0.
    pub shared: Vec<Shared>,
    /// Names of locks; row `n` is `LockId` `n + 1`.
    pub locks: Vec<NameId>,
    /// Names of events; row `n` is `TokenId` `n`.
    pub events: Vec<NameId>,
    /// Names of regions.
    pub regions: Vec<NameId>,
    /// The `atomic` declarations: each a group of variables with one history.
    pub atomics: Vec<Vec<SharedId>>,
    /// Procedures.
    pub procs: Vec<Proc>,
    /// The main task.
    pub main: Body,
    /// Every access to shared or heap memory in the text.
    pub accesses: Vec<AccessInfo>,
}

/// A shared variable or array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shared {
    /// Its name.
    pub name: NameId,
    /// Scalar or array.
    pub shape: Shape,
    /// Location of the (first) element.
    pub start: Location,
    /// Number of elements.
    pub len: u64,
    /// Value at the start (scalars; arrays are zero).
    pub initial: i64,
}

/// A procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: NameId,
    /// How many leading locals are parameters.
    pub params: u32,
    /// What it does.
    pub body: Body,
}

/// Code with a frame of its own: the main task, a procedure, a task.
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    /// Number of local slots; all are integers zero at entry unless captured or passed.
    pub locals: u32,
    /// The statements.
    pub block: Vec<Stmt>,
    /// The closing brace, or the end of the file for the main task.
    pub end: SiteId,
}

/// One access in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessInfo {
    /// The mention of the location.
    pub site: SiteId,
    /// Read or write.
    pub kind: AccessKind,
    /// Set when the check at this access is superfluous.
    pub eliminated: Option<Elimination>,
}

/// The five static check eliminations of Raman et al., section 6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Elimination {
    /// 6.1: sequential code of the main task.
    MainTask,
    /// 6.2: locations no parallel code writes.
    ReadOnly,
    /// 6.3: objects that never leave their task.
    Escape,
    /// 6.4: moved in front of the loop.
    LoopInvariant,
    /// 6.5: covered by another access of the same strand.
    ReadWrite,
}

/// A statement with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands (for a block statement, its head).
    pub site: SiteId,
}

/// What a statement does.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Create a task.
    Spawn(Box<Spawn>),
    /// Run the block, then wait for every task spawned inside.
    Finish(Vec<Stmt>),
    /// Wait for the current procedure's (or task body's) `spawn` children.
    Sync,
    /// Satisfy an event.
    Satisfy(TokenId),
    /// Wait for all of the task's tasks in the region.
    Await(RegionId),
    /// Wait for any one of them.
    AwaitAny(RegionId),
    /// Run the block in isolation.
    Isolated(Vec<Stmt>),
    /// Take a lock.
    Acquire(LockId),
    /// Give it back.
    Release(LockId),
    /// Run the block with the lock held.
    With(LockId, Vec<Stmt>),
    /// End the transaction.
    Cut,
    /// `place = value`: the place's index is evaluated first, then the value.
    Store {
        place: Place,
        value: Expr,
        access: AccessId,
    },
    /// `let v = value` or `v = value`. Names a heap array that has no name yet.
    SetLocal {
        local: LocalId,
        name: NameId,
        value: Expr,
    },
    /// `read place`.
    Read { place: Place, access: AccessId },
    /// `write place`: the value stays.
    Write { place: Place, access: AccessId },
    /// A check moved here from inside a loop. The place's index is a constant or a local.
    Check { place: Place, access: AccessId },
    /// Branch.
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// Loop while the condition is not zero.
    While { condition: Expr, body: Vec<Stmt> },
    /// Count `local` from `from` up to, not including, `to`; both evaluated once.
    For {
        local: LocalId,
        from: Expr,
        to: Expr,
        body: Vec<Stmt>,
    },
    /// A call or `get` for its effects.
    Call(Expr),
    /// Leave the procedure or task body.
    Return(Option<Expr>),
    /// Report an assertion failure if zero.
    Assert(Expr),
    /// Print a value.
    Print(Expr),
    /// Nothing.
    Skip,
}

/// The creation of a task.
#[derive(Clone, PartialEq, Debug)]
pub struct Spawn {
    /// Which construct. `Dependent` for `task`, with or without `after`.
    pub kind: TaskKind,
    /// The label, for reports.
    pub name: Option<NameId>,
    /// The slot of the creating body that receives the task's handle.
    pub handle: Option<LocalId>,
    /// What is copied from the creating frame into the task's frame, after the handle's slot was
    /// set: a task that captures its own label knows itself.
    pub captures: Vec<Capture>,
    /// What must have ended or been satisfied before the task starts.
    pub after: Vec<Dependence>,
    /// The region it is posted into.
    pub region: Option<RegionId>,
    /// The region whose tasks pass from the creator to the new task.
    pub passing: Option<RegionId>,
    /// What the task does.
    pub body: Body,
}

/// One captured local.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capture {
    /// Slot in the creating frame.
    pub from: LocalId,
    /// Slot in the task's frame.
    pub to: LocalId,
}

/// What a task waits for before it starts.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// The task whose handle is in this slot of the creating frame, mentioned here.
    Task {
        local: LocalId,
        name: NameId,
        site: SiteId,
    },
    /// An event, mentioned here.
    Event { token: TokenId, site: SiteId },
}

/// Something that can be read and written.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    /// A shared scalar.
    Scalar(SharedId),
    /// An element of a shared array.
    Element { array: SharedId, index: Box<Expr> },
    /// An element of the heap array whose handle is in the slot.
    Heap { handle: LocalId, index: Box<Expr> },
}

/// An expression with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Where it stands.
    pub site: SiteId,
}

/// What an expression computes.
#[allow(missing_docs, reason = "the variants' sentences name their fields")]
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A constant.
    Int(i64),
    /// A local value: integer, future or heap array.
    Local(LocalId),
    /// A read of shared or heap memory.
    Load { place: Place, access: AccessId },
    /// The value of a future, waiting for its end.
    Get(Box<Expr>),
    /// A call; without `return e` its value is 0.
    Call { proc: ProcId, args: Vec<Expr> },
    /// A fresh zeroed heap array of this length.
    New(Box<Expr>),
    /// `-e`, `!e`.
    Unary(Unary, Box<Expr>),
    /// Both sides evaluated, left to right.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Short-circuit and: 0 or 1.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit or: 0 or 1.
    Or(Box<Expr>, Box<Expr>),
}

/// One-operand operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// Wrapping negation.
    Negate,
    /// 1 for zero, else 0.
    Not,
}

/// Two-operand operators; arithmetic wraps, comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Binary {
    /// The value of the operation; `None` for a division by zero.
    #[inline]
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        Some(match self {
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide if right == 0 => return None,
            Self::Divide => left.wrapping_div(right),
            Self::Remainder if right == 0 => return None,
            Self::Remainder => left.wrapping_rem(right),
            Self::Equal => i64::from(left == right),
            Self::NotEqual => i64::from(left != right),
            Self::Less => i64::from(left < right),
            Self::LessEqual => i64::from(left <= right),
            Self::Greater => i64::from(left > right),
            Self::GreaterEqual => i64::from(left >= right),
        })
    }
}
