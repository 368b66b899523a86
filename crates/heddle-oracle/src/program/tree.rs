//! The tree a random program is printed from.
//!
//! It says less than the text: where a number names something that is not there, or a construct
//! stands where the language forbids it, the printer takes the nearest valid thing instead.
//! Blocks shrink to [`Block::Plain`], which leaves the statements and drops what surrounds them.

/// A whole program. Locks `L`, `M`, events `e0`, `e1` and regions `r0`, `r1` are always declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// How many shared scalars there are, at least one.
    pub scalars: u8,
    /// How many shared arrays there are.
    pub arrays: u8,
    /// Which constructs spawn tasks.
    pub style: Style,
    /// Procedures; each calls only itself and earlier ones.
    pub procs: Vec<Proc>,
    /// The main task.
    pub main: Vec<Stmt>,
}

/// Which of `async` and `spawn` the program uses. Both at once make scope handles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `async` stands for both.
    Async,
    /// `spawn` stands for both.
    Cilk,
    /// Each stands for itself.
    Mixed,
}

/// A procedure. Its first parameter counts down in recursive calls; the others are given here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// What the further parameters hold.
    pub params: Vec<Sort>,
    /// What it returns.
    pub result: Sort,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// What a local holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// An integer.
    Integer,
    /// A heap array.
    Array,
    /// The handle of a task with an integer value.
    Handle,
    /// The handle of a future whose value is a heap array.
    ArrayHandle,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// `skip;`
    Skip,
    /// `read x;`
    Read(Place),
    /// `write x;`
    Write(Place),
    /// `x = e;`
    Store(Place, Expr),
    /// `let v = e;`
    Let(Expr),
    /// The same, under a name of an outer block.
    Shadow(Expr),
    /// `v = e;`
    Assign(u8, Expr),
    /// `let q = new[2];`
    New,
    /// `let v = w;` for any sort of local.
    Copy(u8),
    /// `let q = get(f);` for a future that returns an array.
    GetArray(u8),
    /// Statements inside a construct.
    Block(Block, Vec<Stmt>),
    /// `if (e) { } else { }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `sync;`
    Sync,
    /// `satisfy e;`
    Satisfy(u8),
    /// `await r;`
    Await(u8),
    /// `ewait r;`
    AwaitAny(u8),
    /// `p(1);`
    Call(u8, u8),
    /// `spawn p(1);`
    SpawnCall(u8, u8),
    /// `return e;`
    Return(Expr),
    /// `assert e;`
    Assert(Expr),
    /// `print e;`
    Print(Expr),
}

/// What surrounds the statements of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// Nothing.
    Plain,
    /// `finish { }`
    Finish,
    /// `async { }`, with a label or without.
    Async(Label),
    /// `spawn { }`
    Spawn,
    /// `future f { }` with a value of this sort.
    Future(Sort),
    /// `task T after a, b { }`
    Task(Vec<u8>),
    /// `post r { }` or `post r passing s { }`
    Post(u8, Option<u8>),
    /// `isolated { }`
    Isolated,
    /// `with L { }`
    With(u8),
    /// `acquire L; ... release L;`
    Hold(u8),
    /// `for i in 0..n { }`
    For(Bound),
    /// `while (n > 0 && e) { }`
    While(u8, Expr),
}

/// Whether an `async` gets a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// No.
    Absent,
    /// Yes.
    Present,
}

/// How often a `for` runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// This often.
    Constant(u8),
    /// As often as a shared variable says, at most twice.
    Load(Place),
}

/// Something to access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A shared scalar.
    Scalar(u8),
    /// An element of a shared array.
    Element(u8, Index),
    /// An element of a heap array.
    Heap(u8, Index),
}

/// Which element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// This one.
    Constant(u8),
    /// The one a loop variable says.
    Counter(u8),
    /// The one a shared scalar says.
    Load(u8),
}

/// An expression with an integer value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A constant.
    Int(i8),
    /// A local.
    Local(u8),
    /// A read of shared or heap memory.
    Load(Place),
    /// `get(f)`
    Get(u8),
    /// `p(1)`
    Call(u8, u8),
    /// `-e`
    Negate(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// Two operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// Written like this between its operands.
    Plain(&'static str),
    /// Written like this; the right operand is made non-zero.
    Dividing(&'static str),
}
