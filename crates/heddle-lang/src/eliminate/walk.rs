//! Structured code as a sequence of operations in evaluation order.
//!
//! Every analysis here is forward and walks each statement once. Branches are walked from copies of
//! the state and merged; a loop asks the analysis for a state that holds at the start of *every*
//! iteration, so that no walk is repeated and the cost stays linear in the text however deeply
//! loops nest. Bodies of tasks are not entered: they are other activations, and an analysis that
//! wants them starts again at [`Op::Spawn`].

use crate::ir::{
    AccessId, Binary, Body, Expr, ExprKind, LocalId, Place, ProcId, Program, Spawn, Stmt, StmtKind,
};
use heddle_core::LockId;

/// One thing an activation does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op<'a> {
    /// Reads or writes (or checks) a location; comes after the evaluation of its index and value.
    Access { place: &'a Place, access: AccessId },
    /// Finds the place of a store. Whether a place that does not exist stops the run here or
    /// only at the access, after the value, makes no difference to any analysis.
    Aim(&'a Place),
    /// Needs the value of this expression to be an integer.
    Integer(&'a Expr),
    /// Divides by the value of this expression.
    Divisor(&'a Expr),
    /// Makes a heap array.
    Allocate,
    /// Calls, after the arguments are evaluated.
    Call { proc: ProcId, args: &'a [Expr] },
    /// Sets a local.
    Assign { local: LocalId, value: Assigned<'a> },
    /// Creates a task.
    Spawn(&'a Spawn),
    /// Opens a finish.
    FinishBegin,
    /// Waits at the end of a finish.
    FinishEnd,
    /// Waits for the activation's `spawn` children.
    Sync,
    /// Any other task operation: satisfy, get, await, ewait.
    TaskOperation,
    /// `acquire`.
    Acquire(LockId),
    /// `release`.
    Release(LockId),
    /// Enters the block of a `with` or `isolated`.
    Enter(LockId),
    /// Leaves it.
    Leave(LockId),
    /// Ends a transaction.
    Cut,
    /// Leaves the activation.
    Return(Option<&'a Expr>),
}

/// What a local is set to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Assigned<'a> {
    /// The value of an expression.
    Value(&'a Expr),
    /// The next number of a `for`.
    Counter,
    /// The handle of a new task.
    Task,
}

/// What repeats in a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop<'a> {
    /// The condition of a `while`.
    pub condition: Option<&'a Expr>,
    /// The variable of a `for`.
    pub counter: Option<LocalId>,
    /// The statements.
    pub body: &'a [Stmt],
}

/// A forward analysis.
pub(super) trait Flow<'a> {
    /// What is known at a point of the code.
    type State;

    /// The effect of one operation.
    fn op(&mut self, op: Op<'a>, state: &mut Self::State);

    /// The state with which one arm of a branch, or the inside of a loop, starts.
    fn branch(&mut self, before: &Self::State) -> Self::State;

    /// Turns the state before a branch into the one after it.
    fn merge(&mut self, state: &mut Self::State, arms: [Self::State; 2]);

    /// Weakens the state before a loop until it holds at the start of every iteration.
    fn enter_loop(&mut self, looping: Loop<'a>, state: &mut Self::State);

    /// Turns the state in which the loop is left into the one after it.
    fn exit_loop(&mut self, state: &mut Self::State, inside: Self::State);
}

/// Walks a block.
pub(super) fn block<'a, F: Flow<'a>>(flow: &mut F, stmts: &'a [Stmt], state: &mut F::State) {
    for stmt in stmts {
        statement(flow, stmt, state);
    }
}

fn statement<'a, F: Flow<'a>>(flow: &mut F, stmt: &'a Stmt, state: &mut F::State) {
    match &stmt.kind {
        StmtKind::Spawn(spawn) => create(flow, spawn, state),
        StmtKind::Finish(body) => between(flow, [Op::FinishBegin, Op::FinishEnd], body, state),
        StmtKind::Isolated(body) => held(flow, LockId::ISOLATED, body, state),
        StmtKind::With(lock, body) => held(flow, *lock, body, state),
        StmtKind::Sync => flow.op(Op::Sync, state),
        StmtKind::Satisfy(_) | StmtKind::Await(_) | StmtKind::AwaitAny(_) => {
            flow.op(Op::TaskOperation, state);
        }
        StmtKind::Acquire(lock) => flow.op(Op::Acquire(*lock), state),
        StmtKind::Release(lock) => flow.op(Op::Release(*lock), state),
        StmtKind::Cut => flow.op(Op::Cut, state),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            integer(flow, condition, state);
            let mut arms = [flow.branch(state), flow.branch(state)];
            block(flow, then, &mut arms[0]);
            block(flow, otherwise, &mut arms[1]);
            flow.merge(state, arms);
        }
        StmtKind::While { .. } | StmtKind::For { .. } => repeat(flow, stmt, state),
        _ => simple(flow, stmt, state),
    }
}

fn simple<'a, F: Flow<'a>>(flow: &mut F, stmt: &'a Stmt, state: &mut F::State) {
    match &stmt.kind {
        StmtKind::Store {
            place,
            value,
            access,
        } => {
            index(flow, place, state);
            flow.op(Op::Aim(place), state);
            integer(flow, value, state);
            let access = *access;
            flow.op(Op::Access { place, access }, state);
        }
        StmtKind::Read { place, access }
        | StmtKind::Write { place, access }
        | StmtKind::Check { place, access } => visit_place(flow, place, *access, state),
        StmtKind::SetLocal { local, value, .. } => {
            expression(flow, value, state);
            let (local, value) = (*local, Assigned::Value(value));
            flow.op(Op::Assign { local, value }, state);
        }
        StmtKind::Call(call) => expression(flow, call, state),
        StmtKind::Assert(value) | StmtKind::Print(value) => integer(flow, value, state),
        StmtKind::Return(value) => {
            if let Some(value) = value {
                expression(flow, value, state);
            }
            flow.op(Op::Return(value.as_ref()), state);
        }
        _ => {}
    }
}

fn create<'a, F: Flow<'a>>(flow: &mut F, spawn: &'a Spawn, state: &mut F::State) {
    flow.op(Op::Spawn(spawn), state);
    if let Some(local) = spawn.handle {
        let value = Assigned::Task;
        flow.op(Op::Assign { local, value }, state);
    }
}

fn held<'a, F: Flow<'a>>(flow: &mut F, lock: LockId, body: &'a [Stmt], state: &mut F::State) {
    between(flow, [Op::Enter(lock), Op::Leave(lock)], body, state);
}

fn between<'a, F: Flow<'a>>(
    flow: &mut F,
    [first, last]: [Op<'a>; 2],
    body: &'a [Stmt],
    state: &mut F::State,
) {
    flow.op(first, state);
    block(flow, body, state);
    flow.op(last, state);
}

fn repeat<'a, F: Flow<'a>>(flow: &mut F, stmt: &'a Stmt, state: &mut F::State) {
    if let StmtKind::For { from, to, .. } = &stmt.kind {
        integer(flow, from, state);
        integer(flow, to, state);
    }
    let Some(looping) = Loop::of(stmt) else {
        return;
    };
    flow.enter_loop(looping, state);
    if let Some(condition) = looping.condition {
        integer(flow, condition, state);
    }
    let mut inside = flow.branch(state);
    looping.count(flow, &mut inside);
    block(flow, looping.body, &mut inside);
    flow.exit_loop(state, inside);
}

/// Walks an expression whose value must be an integer.
pub(super) fn integer<'a, F: Flow<'a>>(flow: &mut F, expr: &'a Expr, state: &mut F::State) {
    expression(flow, expr, state);
    flow.op(Op::Integer(expr), state);
}

fn expression<'a, F: Flow<'a>>(flow: &mut F, expr: &'a Expr, state: &mut F::State) {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Local(_) => {}
        ExprKind::Load { place, access } => visit_place(flow, place, *access, state),
        ExprKind::Get(future) => {
            expression(flow, future, state);
            flow.op(Op::TaskOperation, state);
        }
        ExprKind::Call { proc, args } => {
            args.iter().for_each(|arg| expression(flow, arg, state));
            flow.op(Op::Call { proc: *proc, args }, state);
        }
        ExprKind::New(len) => {
            integer(flow, len, state);
            flow.op(Op::Allocate, state);
        }
        ExprKind::Unary(_, operand) => integer(flow, operand, state),
        ExprKind::Binary(operator, left, right) => {
            integer(flow, left, state);
            integer(flow, right, state);
            if matches!(operator, Binary::Divide | Binary::Remainder) {
                flow.op(Op::Divisor(right), state);
            }
        }
        ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            integer(flow, left, state);
            let mut arms = [flow.branch(state), flow.branch(state)];
            integer(flow, right, &mut arms[0]);
            flow.merge(state, arms);
        }
    }
}

fn index<'a, F: Flow<'a>>(flow: &mut F, place: &'a Place, state: &mut F::State) {
    match place {
        Place::Scalar(_) => {}
        Place::Element { index, .. } | Place::Heap { index, .. } => integer(flow, index, state),
    }
}

fn visit_place<'a, F: Flow<'a>>(
    flow: &mut F,
    place: &'a Place,
    access: AccessId,
    state: &mut F::State,
) {
    index(flow, place, state);
    flow.op(Op::Access { place, access }, state);
}

impl<'a> Loop<'a> {
    /// The loop that `stmt` is, if it is one.
    pub(super) fn of(stmt: &'a Stmt) -> Option<Self> {
        match &stmt.kind {
            StmtKind::While { condition, body } => Some(Self {
                condition: Some(condition),
                counter: None,
                body,
            }),
            StmtKind::For { local, body, .. } => Some(Self {
                condition: None,
                counter: Some(*local),
                body,
            }),
            _ => None,
        }
    }

    /// Walks one iteration. The state is the same for the condition and for the body.
    pub(super) fn iteration<F: Flow<'a>>(&self, flow: &mut F, state: &mut F::State) {
        if let Some(condition) = self.condition {
            integer(flow, condition, state);
        }
        self.count(flow, state);
        block(flow, self.body, state);
    }

    fn count<F: Flow<'a>>(&self, flow: &mut F, state: &mut F::State) {
        if let Some(local) = self.counter {
            let value = Assigned::Counter;
            flow.op(Op::Assign { local, value }, state);
        }
    }

    /// Visits everything an iteration may do.
    pub(super) fn each_op(&self, visit: impl FnMut(Op<'a>)) {
        self.iteration(&mut Scan(visit), &mut ());
    }
}

/// Visits everything a block may do, tasks it creates excepted.
pub(super) fn each_op<'a>(stmts: &'a [Stmt], visit: impl FnMut(Op<'a>)) {
    block(&mut Scan(visit), stmts, &mut ());
}

/// Visits everything the evaluation of an expression may do.
pub(super) fn each_op_of_value<'a>(expr: &'a Expr, visit: impl FnMut(Op<'a>)) {
    integer(&mut Scan(visit), expr, &mut ());
}

/// Visits every body of the program: main task, procedures and all tasks.
pub(super) fn each_body<'a>(program: &'a Program, visit: &mut impl FnMut(&'a Body)) {
    nested(&program.main, visit);
    for proc in &program.procs {
        nested(&proc.body, visit);
    }
}

/// Visits a body and those of the tasks it creates.
pub(super) fn nested<'a>(body: &'a Body, visit: &mut impl FnMut(&'a Body)) {
    visit(body);
    let mut tasks = Vec::new();
    each_op(&body.block, |op| {
        if let Op::Spawn(spawn) = op {
            tasks.push(&spawn.body);
        }
    });
    for task in tasks {
        nested(task, visit);
    }
}

/// A walk that only looks.
struct Scan<V>(V);

impl<'a, V: FnMut(Op<'a>)> Flow<'a> for Scan<V> {
    type State = ();

    fn op(&mut self, op: Op<'a>, (): &mut ()) {
        (self.0)(op);
    }

    fn branch(&mut self, (): &()) {}

    fn merge(&mut self, (): &mut (), _arms: [(); 2]) {}

    fn enter_loop(&mut self, _looping: Loop<'a>, (): &mut ()) {}

    fn exit_loop(&mut self, (): &mut (), (): ()) {}
}
