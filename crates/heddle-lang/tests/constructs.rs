//! Each construct of the language and what it becomes.

use heddle_core::{AccessKind, Features, LockId, Shape, Site, SiteId, TaskKind, TokenId};
use heddle_lang::compile;
use heddle_lang::ir::{
    Binary, Capture, Dependence, Expr, ExprKind, LocalId, Place, ProcId, Program, RegionId,
    SharedId, Spawn, Stmt, StmtKind, Unary,
};

#[track_caller]
fn program(source: &str) -> Program {
    compile("test.task", source).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The only statement of the main task.
#[track_caller]
fn statement(source: &str) -> StmtKind {
    let mut block = program(source).main.block;
    assert_eq!(block.len(), 1, "{block:?}");
    block.remove(0).kind
}

#[track_caller]
fn spawn(statement: &StmtKind) -> &Spawn {
    match statement {
        StmtKind::Spawn(spawn) => spawn,
        other => panic!("no spawn: {other:?}"),
    }
}

/// The source text of a site that lies on one line.
fn text(program: &Program, site: SiteId) -> String {
    let Site {
        line,
        column,
        end_column,
        ..
    } = program.legend.site(site).expect("a known site");
    let source = program.legend.files[0].text.as_ref().expect("the source");
    let line = source.lines().nth(line as usize - 1).expect("a line of it");
    let (from, to) = (column as usize - 1, end_column as usize - 1);
    line.chars().skip(from).take(to - from).collect()
}

/// Every access in the text, in evaluation order, as `r x` or `w x`.
fn accesses(source: &str) -> Vec<String> {
    let program = program(source);
    let described = program.accesses.iter().map(|access| {
        let kind = match access.kind {
            AccessKind::Read => "r",
            AccessKind::Write => "w",
        };
        format!("{kind} {}", text(&program, access.site))
    });
    described.collect()
}

#[test]
fn shared_variables_lie_one_after_the_other() {
    let program = program("shared x = 3, A[4], y = -2 * (1 + 1); shared B[0], z;");
    let layout: Vec<_> = program
        .shared
        .iter()
        .map(|shared| (shared.shape, shared.start.0, shared.len, shared.initial))
        .collect();
    let expected = [
        (Shape::Scalar, 0, 1, 3),
        (Shape::Array, 1, 4, 0),
        (Shape::Scalar, 5, 1, -4),
        (Shape::Array, 6, 0, 0),
        (Shape::Scalar, 6, 1, 0),
    ];
    assert_eq!(layout, expected);
    let names = program
        .shared
        .iter()
        .map(|shared| program.legend.name(shared.name));
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["x", "A", "y", "B", "z"].map(Some)
    );
}

#[test]
fn constant_expressions_wrap_like_the_program_does() {
    let source = "shared x = -9223372036854775808 - 1, y = -9223372036854775808 / -1, \
        z = !0 + !5 + (2 > 1) + (1 && 0) + (1 || 0) + 7 % 4;";
    let initial: Vec<i64> = program(source)
        .shared
        .iter()
        .map(|shared| shared.initial)
        .collect();
    assert_eq!(initial, [i64::MAX, i64::MIN, 6]);
}

#[test]
fn locks_events_and_regions_are_numbered_in_sequence() {
    let program = program("lock L, M; event e, f; region r, s; lock N;");
    let names = |ids: &[heddle_core::NameId]| -> Vec<String> {
        ids.iter()
            .map(|&id| program.legend.name(id).expect("a name").to_owned())
            .collect()
    };
    assert_eq!(names(&program.locks), ["L", "M", "N"]);
    assert_eq!(names(&program.events), ["e", "f"]);
    assert_eq!(names(&program.regions), ["r", "s"]);
}

#[test]
fn atomic_groups_keep_their_members_together() {
    let program = program("atomic (x, y), A; shared x, y, A[2], z; atomic z;");
    let groups = [
        vec![SharedId(0), SharedId(1)],
        vec![SharedId(2)],
        vec![SharedId(3)],
    ];
    assert_eq!(program.atomics, groups);
}

#[test]
fn task_statements_name_their_kind_and_label() {
    let cases = [
        ("async { }", TaskKind::Async, None),
        ("async T { }", TaskKind::Async, Some("T")),
        ("spawn { }", TaskKind::Spawn, None),
        ("future f { return 1; }", TaskKind::Future, Some("f")),
        ("task { }", TaskKind::Dependent, None),
        ("task T { }", TaskKind::Dependent, Some("T")),
        ("region r; post r { }", TaskKind::Post, None),
    ];
    for (source, kind, label) in cases {
        let program = program(source);
        let spawn = spawn(&program.main.block[0].kind);
        assert_eq!(spawn.kind, kind, "{source}");
        let name = spawn.name.and_then(|name| program.legend.name(name));
        assert_eq!(name, label, "{source}");
        assert_eq!(spawn.handle.is_some(), label.is_some(), "{source}");
    }
}

#[test]
fn dependences_are_tasks_and_events_in_the_order_written() {
    let program = program("event e; async a { } let b = a; task T after a, e, b { }");
    let spawn = spawn(&program.main.block[2].kind);
    let [
        Dependence::Task {
            local: first, site, ..
        },
        Dependence::Event { token, .. },
        Dependence::Task { local: last, .. },
    ] = spawn.after[..]
    else {
        panic!("{:?}", spawn.after);
    };
    assert_eq!(
        (first, token, last),
        (LocalId(0), TokenId::new(0), LocalId(1))
    );
    assert_eq!(text(&program, site), "a");
}

#[test]
fn a_chain_of_tasks_is_made_with_a_copy_of_the_label() {
    let program = program(
        "task first { } let last = first; for i in 1..4 { task T after last { } last = T; }",
    );
    let StmtKind::For { body, .. } = &program.main.block[2].kind else {
        panic!("{:?}", program.main.block);
    };
    let Dependence::Task { local, .. } = spawn(&body[0].kind).after[0] else {
        panic!("{body:?}");
    };
    assert!(matches!(body[1].kind, StmtKind::SetLocal { local: last, .. } if last == local));
}

#[test]
fn posts_name_their_regions() {
    let kind = statement("region r, s; post s passing r { }");
    let spawn = spawn(&kind);
    assert_eq!(
        (spawn.region, spawn.passing),
        (Some(RegionId(1)), Some(RegionId(0)))
    );
}

#[test]
fn simple_statements_become_themselves() {
    assert_eq!(statement("sync;"), StmtKind::Sync);
    assert_eq!(statement("cut;"), StmtKind::Cut);
    assert_eq!(statement("skip;"), StmtKind::Skip);
    assert_eq!(
        statement("event d, e; satisfy e;"),
        StmtKind::Satisfy(TokenId::new(1))
    );
    assert_eq!(
        statement("region r; await r;"),
        StmtKind::Await(RegionId(0))
    );
    assert_eq!(
        statement("region r; ewait r;"),
        StmtKind::AwaitAny(RegionId(0))
    );
    assert_eq!(
        statement("lock L; acquire L;"),
        StmtKind::Acquire(LockId::new(1))
    );
    assert_eq!(
        statement("lock L, M; release M;"),
        StmtKind::Release(LockId::new(2))
    );
    assert_eq!(
        statement("lock L; with L { }"),
        StmtKind::With(LockId::new(1), Vec::new())
    );
    assert_eq!(statement("finish { }"), StmtKind::Finish(Vec::new()));
    assert_eq!(statement("isolated { }"), StmtKind::Isolated(Vec::new()));
}

#[test]
fn else_if_nests_in_the_else_branch() {
    let kind = statement("if (1) { skip; } else if (2) { cut; } else { sync; }");
    let StmtKind::If {
        then, otherwise, ..
    } = kind
    else {
        panic!("{kind:?}");
    };
    assert_eq!(then[0].kind, StmtKind::Skip);
    let StmtKind::If {
        condition,
        then,
        otherwise,
    } = &otherwise[0].kind
    else {
        panic!("{otherwise:?}");
    };
    assert_eq!(condition.kind, ExprKind::Int(2));
    assert_eq!(then[0].kind, StmtKind::Cut);
    assert_eq!(otherwise[0].kind, StmtKind::Sync);
}

#[test]
fn loops_keep_their_bounds_and_bodies() {
    let StmtKind::For {
        local,
        from,
        to,
        body,
    } = statement("for i in 0..3 { print i; }")
    else {
        panic!("no loop");
    };
    assert_eq!((from.kind, to.kind), (ExprKind::Int(0), ExprKind::Int(3)));
    assert!(
        matches!(&body[0].kind, StmtKind::Print(value) if value.kind == ExprKind::Local(local))
    );
    let kind = statement("while (1) { skip; }");
    assert!(matches!(kind, StmtKind::While { body, .. } if body.len() == 1));
}

#[test]
fn procedures_are_called_before_their_declaration_and_by_themselves() {
    let program = program("proc p(a) { return q(a, 1) + p(a); } proc q(a, b) { } p(1);");
    assert_eq!(program.procs.len(), 2);
    assert_eq!((program.procs[0].params, program.procs[1].params), (1, 2));
    let StmtKind::Return(Some(Expr {
        kind: ExprKind::Binary(_, left, right),
        ..
    })) = &program.procs[0].body.block[0].kind
    else {
        panic!("{:?}", program.procs[0]);
    };
    assert!(matches!(&left.kind, ExprKind::Call { proc: ProcId(1), args } if args.len() == 2));
    assert!(matches!(
        &right.kind,
        ExprKind::Call {
            proc: ProcId(0),
            ..
        }
    ));
}

#[test]
fn calls_and_gets_stand_as_statements() {
    assert!(matches!(
        statement("proc p() { } p();"),
        StmtKind::Call(Expr {
            kind: ExprKind::Call { .. },
            ..
        })
    ));
    let program = program("future f { } get(f);");
    assert!(matches!(
        program.main.block[1].kind,
        StmtKind::Call(Expr {
            kind: ExprKind::Get(_),
            ..
        })
    ));
}

#[test]
fn spawn_of_a_call_evaluates_the_arguments_first() {
    let program = program("shared x; proc p(a, b) { } spawn p(x, 2);");
    let [first, second, third] = &program.main.block[..] else {
        panic!("{:?}", program.main.block);
    };
    let (StmtKind::SetLocal { local: a, .. }, StmtKind::SetLocal { local: b, .. }) =
        (&first.kind, &second.kind)
    else {
        panic!("{first:?} {second:?}");
    };
    let spawn = spawn(&third.kind);
    let captures = [
        Capture {
            from: *a,
            to: LocalId(0),
        },
        Capture {
            from: *b,
            to: LocalId(1),
        },
    ];
    assert_eq!(spawn.captures, captures);
    assert_eq!((spawn.kind, spawn.body.locals), (TaskKind::Spawn, 2));
    let [
        Stmt {
            kind: StmtKind::Call(call),
            ..
        },
    ] = &spawn.body.block[..]
    else {
        panic!("{:?}", spawn.body);
    };
    assert_eq!(text(&program, call.site), "p(x, 2)");
    assert_eq!(text(&program, third.site), "spawn p(x, 2)");
}

#[test]
fn expressions_bind_as_in_c_and_lean_left() {
    let kind = statement("print 1 + 2 * 3 - 4 < 5 && 6 || !7;");
    let StmtKind::Print(Expr {
        kind: ExprKind::Or(left, right),
        ..
    }) = kind
    else {
        panic!("{kind:?}");
    };
    assert!(matches!(right.kind, ExprKind::Unary(Unary::Not, _)));
    let ExprKind::And(left, _) = left.kind else {
        panic!("{left:?}");
    };
    let ExprKind::Binary(Binary::Less, left, _) = left.kind else {
        panic!("{left:?}");
    };
    let ExprKind::Binary(Binary::Subtract, left, _) = left.kind else {
        panic!("{left:?}");
    };
    let ExprKind::Binary(Binary::Add, _, product) = left.kind else {
        panic!("{left:?}");
    };
    assert!(matches!(
        product.kind,
        ExprKind::Binary(Binary::Multiply, ..)
    ));
}

#[test]
fn every_mention_of_shared_memory_is_an_access_in_evaluation_order() {
    assert_eq!(accesses("shared x, y; x = y + x;"), ["r y", "r x", "w x"]);
    assert_eq!(
        accesses("shared A[3], x; A[x] = A[A[0]];"),
        ["r x", "r A[0]", "r A[A[0]]", "w A[x]"]
    );
    assert_eq!(accesses("shared x; read x; write x;"), ["r x", "w x"]);
    assert_eq!(
        accesses("let q = new[2]; q[0] = q[1];"),
        ["r q[1]", "w q[0]"]
    );
    assert_eq!(accesses("let v = 1; v = v + 1; print v;"), [""; 0]);
}

#[test]
fn heap_elements_name_the_slot_of_their_handle() {
    let program = program("let q = new[2]; q[0] = 1;");
    let StmtKind::Store {
        place: Place::Heap { handle, .. },
        ..
    } = &program.main.block[1].kind
    else {
        panic!("{:?}", program.main.block);
    };
    assert_eq!(*handle, LocalId(0));
}

#[test]
fn a_new_array_is_an_expression_like_any_other() {
    let program = program("proc p(a) { return new[a + 1]; } p(new[2]); let q = p(new[3]);");
    assert!(matches!(
        &program.procs[0].body.block[0].kind,
        StmtKind::Return(Some(Expr {
            kind: ExprKind::New(_),
            ..
        }))
    ));
}

#[test]
fn a_task_captures_only_the_locals_it_mentions() {
    let program = program("let a = 1; let b = 2; async { print b; b = 3; } print b;");
    let spawn = spawn(&program.main.block[2].kind);
    assert_eq!(
        spawn.captures,
        [Capture {
            from: LocalId(1),
            to: LocalId(0)
        }]
    );
    assert_eq!((program.main.locals, spawn.body.locals), (2, 1));
}

#[test]
fn captures_pass_through_the_tasks_in_between() {
    let program = program("let a = 1; async { let c = 0; async { print a; } }");
    let outer = spawn(&program.main.block[1].kind);
    assert_eq!(
        outer.captures,
        [Capture {
            from: LocalId(0),
            to: LocalId(1)
        }]
    );
    let inner = spawn(&outer.body.block[1].kind);
    assert_eq!(
        inner.captures,
        [Capture {
            from: LocalId(1),
            to: LocalId(0)
        }]
    );
}

#[test]
fn a_task_may_mention_its_own_label() {
    let program = program("future f { return get(f); }");
    let spawn = spawn(&program.main.block[0].kind);
    let own = spawn.handle.expect("a label");
    assert_eq!(
        spawn.captures,
        [Capture {
            from: own,
            to: LocalId(0)
        }]
    );
}

#[test]
fn inner_blocks_shadow_and_the_outer_name_comes_back() {
    let program = program("let v = 1; finish { let v = 2; print v; } print v;");
    let StmtKind::Finish(inner) = &program.main.block[1].kind else {
        panic!("no finish");
    };
    let printed = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Print(Expr {
            kind: ExprKind::Local(local),
            ..
        }) => *local,
        other => panic!("{other:?}"),
    };
    assert_eq!(printed(&inner[1]), LocalId(1));
    assert_eq!(printed(&program.main.block[2]), LocalId(0));
}

#[test]
fn statements_stand_at_their_head() {
    let source = "shared x; lock L; region r;\nasync T { }\nfinish { }\nif (x == 1) { }\n\
        for i in 0..3 { }\nwith L { }\npost r passing r { }\nx = 3;\nassert x > 2;\ntask U after T { }";
    let program = program(source);
    let heads = program
        .main
        .block
        .iter()
        .map(|stmt| text(&program, stmt.site));
    let expected = [
        "async T",
        "finish",
        "if (x == 1)",
        "for i in 0..3",
        "with L",
        "post r passing r",
        "x = 3",
        "assert x > 2",
        "task U after T",
    ];
    assert_eq!(heads.collect::<Vec<_>>(), expected);
}

#[test]
fn bodies_end_at_their_brace_and_the_program_after_its_last_token() {
    let program = program("async { skip; }\n// the end\n");
    let spawn = spawn(&program.main.block[0].kind);
    assert_eq!(text(&program, spawn.body.end), "}");
    let end = program.legend.site(program.main.end).expect("a site");
    assert_eq!((end.line, end.column, end.end_column), (1, 16, 16));
}

#[test]
fn an_empty_file_is_a_program() {
    let program = program("");
    assert_eq!(program.main.block, []);
    assert_eq!(program.legend.files[0].path, "test.task");
}

#[test]
fn carriage_returns_tabs_and_a_byte_order_mark_are_blanks() {
    assert_eq!(accesses("\u{feff}shared x;\r\n\tx = 1;\r\n"), ["w x"]);
}

fn features(source: &str) -> Features {
    program(source).features
}

#[test]
fn features_tell_what_the_events_can_show() {
    let none = Features::default();
    let extra_edges = Features {
        extra_edges: true,
        ..none
    };
    let cases = [
        ("finish { async { } }", none),
        ("spawn { } sync;", none),
        ("event e; region r; lock L;", none),
        (
            "shared x; atomic x;",
            Features {
                atomics: true,
                ..none
            },
        ),
        ("future f { }", extra_edges),
        ("task { }", extra_edges),
        ("event e; satisfy e;", extra_edges),
        ("region r; post r { }", extra_edges),
        ("region r; await r;", extra_edges),
        ("proc p(f) { return get(f); }", extra_edges),
        (
            "region r; ewait r;",
            Features {
                choices: true,
                ..extra_edges
            },
        ),
        (
            "isolated { }",
            Features {
                isolated: true,
                ..none
            },
        ),
        (
            "lock L; acquire L;",
            Features {
                locks: true,
                ..none
            },
        ),
        (
            "lock L; with L { }",
            Features {
                locks: true,
                ..none
            },
        ),
        ("cut;", Features { cuts: true, ..none }),
        (
            "spawn { } async { }",
            Features {
                scope_handles: true,
                ..none
            },
        ),
        (
            "spawn { task { } }",
            Features {
                scope_handles: true,
                ..extra_edges
            },
        ),
        ("finish { spawn { } sync; }", extra_edges),
        ("finish { spawn { sync; } }", none),
        ("proc p() { sync; } finish { p(); }", none),
    ];
    for (source, expected) in cases {
        assert_eq!(features(source), expected, "{source}");
    }
}
