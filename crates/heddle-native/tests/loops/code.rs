//! Loops as data, and the C text they become: one function each, every access on a line of its own.
//!
//! A function gets two pointers into arrays of the program, `p` and `q`, and two bounds, and knows neither.

use std::fmt::Write;

/// Elements in each array of the program.
pub const LENGTH: i64 = 600;

/// What data decides on: one of these for each index, again and again.
pub const MARKS: [u8; 32] = [
    1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 9, 0, 2, 1, 0, 2, 1, 0, 2, 1, 0,
];

/// The mark that ends a loop.
pub const LAST: u8 = 9;

/// What an array is made of; there is one array of each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Element {
    Byte,
    Short,
    Int,
    Long,
    Float,
    Double,
}

/// The type of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    Short,
    Int,
    Unsigned,
    Long,
}

/// How the index runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Below {
        step: i64,
    },
    UpTo {
        step: i64,
    },
    Until,
    Down {
        step: i64,
    },
    AtLeastOnce,
    Jumps,
    Pointer,
    Drain,
    /// Rows of `width`, `pitch` apart.
    Rows {
        width: i64,
        pitch: i64,
    },
    /// Rows of one, two, three, ...
    Triangle {
        pitch: i64,
    },
}

/// Which of the two pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    P,
    Q,
}

/// `base[stride * i + offset]`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    pub base: Base,
    pub stride: i64,
    pub offset: i64,
}

/// What is done to a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Read,
    Write,
}

#[derive(Clone, Copy, Debug)]
pub enum Action {
    Read(Place),
    Write(Place),
    Clear(Place),
    Update(Place),
    Copy { to: Place, from: Place },
}

/// When a statement is executed.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    Always,
    Marked(u8),
    Fourth(i64),
}

#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub guard: Guard,
    pub action: Action,
}

/// When the innermost loop is left before its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    Never,
    /// So far from the first index.
    After(i64),
    AtTheLastMark,
}

/// Whether the loop is executed under the one lock there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    Free,
    Held,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub p: Element,
    pub q: Element,
    pub counter: Counter,
    pub shape: Shape,
    pub exit: Exit,
    /// Before which statement it is left.
    pub exit_before: usize,
    pub statements: Vec<Statement>,
    pub lock: Lock,
}

/// A call of a function: where its pointers point to, in elements, and its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub function: usize,
    pub p: i64,
    pub q: i64,
    pub from: i64,
    pub to: i64,
}

/// A line of a function's text.
pub struct Line {
    pub text: String,
    /// The statement on it.
    pub statement: Option<usize>,
}

impl Element {
    pub const ALL: [Self; 6] = [
        Self::Byte,
        Self::Short,
        Self::Int,
        Self::Long,
        Self::Float,
        Self::Double,
    ];

    pub fn size(self) -> i64 {
        match self {
            Self::Byte => 1,
            Self::Short => 2,
            Self::Int | Self::Float => 4,
            Self::Long | Self::Double => 8,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Byte => "unsigned char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// The name of its array.
    pub fn array(self) -> &'static str {
        match self {
            Self::Byte => "bytes",
            Self::Short => "shorts",
            Self::Int => "ints",
            Self::Long => "longs",
            Self::Float => "floats",
            Self::Double => "doubles",
        }
    }

    /// What a sum of such elements is kept in, so that it can be vectorised.
    fn sum(self) -> &'static str {
        match self {
            Self::Byte | Self::Short | Self::Int => "unsigned",
            Self::Long => "unsigned long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// The declarations of all arrays.
    pub fn declarations() -> String {
        let mut text = String::new();
        for one in Self::ALL {
            let (name, array) = (one.name(), one.array());
            let _ = writeln!(
                text,
                "{name} {array}[{LENGTH}] __attribute__((aligned(64)));"
            );
        }
        let marks = MARKS.map(|mark| mark.to_string()).join(", ");
        // A constant could be proved impossible, and all that is summed up with it.
        text.push_str("int never = 123457;\n");
        let _ = writeln!(text, "unsigned char marks[32] = {{{marks}}};");
        text
    }
}

impl Counter {
    fn name(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Long => "long",
        }
    }
}

impl Action {
    /// The places that are read and written, in this order.
    pub fn all(self) -> impl Iterator<Item = (Place, Kind)> {
        let (read, written) = match self {
            Self::Read(place) => (Some(place), None),
            Self::Write(place) | Self::Clear(place) => (None, Some(place)),
            Self::Update(place) => (Some(place), Some(place)),
            Self::Copy { to, from } => (Some(from), Some(to)),
        };
        let read = read.map(|place| (place, Kind::Read));
        read.into_iter()
            .chain(written.map(|place| (place, Kind::Write)))
    }
}

impl Function {
    pub fn element(&self, base: Base) -> Element {
        match base {
            Base::P => self.p,
            Base::Q => self.q,
        }
    }

    /// Whether the compiler may execute the statement, or part of it, elsewhere than where it stands: once for
    /// all iterations, one iteration earlier, or together with another.
    pub fn may_move(&self, statement: usize) -> bool {
        let is_guarded = |one: &Statement| !matches!(one.guard, Guard::Always);
        let mut accesses = self.statements[statement].action.all();
        self.statements.iter().any(is_guarded)
            || accesses.any(|(place, _)| place.stride == 0 || self.meets_another(place))
    }

    /// Whether the function uses the pointer elsewhere, too.
    fn meets_another(&self, place: Place) -> bool {
        let all = self.statements.iter().flat_map(|one| one.action.all());
        let mut others = all.map(|(other, _)| other);
        others.any(|other| other.base == place.base && other != place)
    }

    /// Its text, as function `number`.
    pub fn lines(&self, number: usize) -> Vec<Line> {
        let plain = |text: String| Line {
            text,
            statement: None,
        };
        let (p, q, sum) = (self.p.name(), self.q.name(), self.p.sum());
        let mut lines = vec![
            plain(format!(
                "__attribute__((noinline)) void f{number}(void *first, void *second, int from, int to)"
            )),
            plain(format!(
                "{{ {p} *p = first; {q} *q = second; {sum} sum = 0;"
            )),
        ];
        if self.lock == Lock::Held {
            lines.push(plain("#pragma omp critical".into()));
        }
        let (open, close) = self.frame();
        lines.push(plain(format!("    {{ {open}")));
        for (at, statement) in self.statements.iter().enumerate() {
            if at == self.exit_before {
                lines.extend(self.exit().map(plain));
            }
            lines.push(Line {
                text: format!("        {}", self.statement(*statement)),
                statement: Some(at),
            });
        }
        lines.push(plain(format!("    {close} }}")));
        lines.push(plain("    if (sum == never) puts(\"never\");".into()));
        lines.push(plain("}".into()));
        lines
    }

    /// What stands before the body of the loop, and behind it.
    fn frame(&self) -> (String, String) {
        let (t, element) = (self.counter.name(), self.p.name());
        let open = match self.shape {
            Shape::Below { step } => format!("for ({t} i = from; i < ({t})to; i += {step}) {{"),
            Shape::UpTo { step } => format!("for ({t} i = from; i <= ({t})to; i += {step}) {{"),
            Shape::Until => format!("for ({t} i = from; i != ({t})to; i++) {{"),
            Shape::Down { step } => format!("for ({t} i = to; i > ({t})from; i -= {step}) {{"),
            Shape::AtLeastOnce => format!("{t} i = from; do {{"),
            Shape::Jumps => format!("{t} i = from; again: {{"),
            Shape::Pointer => {
                format!("for ({element} *at = p + from; at != p + to; at++) {{ long i = at - p;")
            }
            Shape::Drain => {
                "unsigned n = to - from; while (n-- > 0) { int i = from + (int)n;".into()
            }
            Shape::Rows { width, pitch } => format!(
                "for (int r = 0; r < to - from; r++) for (int j = 0; j < {width}; j++) {{ int i = from + r * {pitch} + j;"
            ),
            Shape::Triangle { pitch } => format!(
                "for (int r = 0; r < to - from; r++) for (int j = 0; j <= r; j++) {{ int i = from + r * {pitch} + j;"
            ),
        };
        let close = match self.shape {
            Shape::AtLeastOnce => format!("}} while (++i < ({t})to);"),
            Shape::Jumps => format!("}} if (++i < ({t})to) goto again;"),
            _ => "}".into(),
        };
        (open, close)
    }

    fn exit(&self) -> Option<String> {
        match self.exit {
            Exit::Never => None,
            Exit::After(count) => Some(format!("        if (i == from + {count}) break;")),
            Exit::AtTheLastMark => Some(format!("        if (marks[i & 31] == {LAST}) break;")),
        }
    }

    fn statement(&self, statement: Statement) -> String {
        let action = match statement.action {
            Action::Read(place) => format!("sum += {};", self.place(place)),
            Action::Write(place) => format!("{} = i + 3;", self.place(place)),
            Action::Clear(place) => format!("{} = 0;", self.place(place)),
            Action::Update(place) => format!("{} += 1;", self.place(place)),
            Action::Copy { to, from } => {
                format!("{} = {} + 1;", self.place(to), self.place(from))
            }
        };
        match statement.guard {
            Guard::Always => action,
            Guard::Marked(mark) => format!("if (marks[i & 31] == {mark}) {action}"),
            Guard::Fourth(rest) => format!("if ((i & 3) == {rest}) {action}"),
        }
    }

    fn place(&self, place: Place) -> String {
        let Place {
            base,
            stride,
            offset,
        } = place;
        match (self.shape, base, stride) {
            (Shape::Pointer, Base::P, 1) => format!("at[{offset}]"),
            (_, Base::P, _) => format!("p[{}]", self.index(stride, offset)),
            (_, Base::Q, _) => format!("q[{}]", self.index(stride, offset)),
        }
    }

    /// An index below zero must not become a large one.
    fn index(&self, stride: i64, offset: i64) -> String {
        let i = match self.counter {
            Counter::Unsigned => "(long)i",
            _ => "i",
        };
        match (stride, offset) {
            (0, _) => offset.to_string(),
            (1, 0) => "i".into(),
            (1, _) => format!("{i} + {offset}"),
            _ => format!("{stride} * {i} + {offset}"),
        }
    }
}
