//! Small functions, before and after.

use super::combined;

/// A loop over `%0` whose block has these lines besides its counter, which goes up by `step` to 96.
fn counted(step: u32, lines: &str) -> String {
    format!(
        "define void @f(ptr %0, ptr %1) {{
  br label %3

3:                                                ; preds = %3, %2
  %4 = phi i64 [ 0, %2 ], [ %99, %3 ]
{lines}
  %99 = add nuw i64 %4, {step}
  %100 = icmp eq i64 %99, 96
  br i1 %100, label %101, label %3, !dbg !7

101:
  ret void
}}
!5 = !DILocation(line: 4, column: 2, scope: !1)
!6 = !DILocation(line: 5, column: 2, scope: !1)
"
    )
}

/// Calls of hooks, in the order of the text.
fn calls(code: &str) -> Vec<&str> {
    let calls = code.lines().filter(|line| line.contains("call void @"));
    calls.map(str::trim).collect()
}

/// Whether a check stands in the loop itself.
fn is_in_loop(code: &str, check: &str) -> bool {
    let (_, from) = code.split_once("\n3:").expect("the loop is there");
    from.contains(check)
}

#[test]
fn what_a_loop_reads_is_checked_before_it() {
    let code = combined(&counted(
        1,
        "  %5 = getelementptr double, ptr %0, i64 %4
  call void @__tsan_read8(ptr %5), !dbg !5
  %6 = load double, ptr %5, align 8",
    ));
    assert!(code.contains("  br label %heddle.1\n"), "{code}");
    assert!(
        code.contains("phi i64 [ 0, %heddle.1 ], [ %99, %3 ]"),
        "{code}"
    );
    let [call] = calls(&code)[..] else {
        panic!("{code}")
    };
    assert!(call.starts_with("notail call void @heddle_run_read(ptr %heddle.1."));
    assert!(call.ends_with(", i64 8) nomerge, !dbg !5"), "{call}");
    assert!(!is_in_loop(&code, "heddle_run"), "{code}");
}

#[test]
fn copies_of_an_access_are_one_run_if_nothing_is_left_between_them() {
    let pair = |second: u32, place: u32| {
        format!(
            "  %5 = getelementptr double, ptr %0, i64 %4
  %6 = getelementptr i8, ptr %5, i64 {second}
  call void @__tsan_write16(ptr %5), !dbg !5
  call void @__tsan_write16(ptr %6), !dbg !{place}"
        )
    };
    let code = combined(&counted(4, &pair(16, 5)));
    assert_eq!(calls(&code).len(), 1, "{code}");
    assert!(code.contains("mul i64 %heddle.1.3, 32"), "{code}");
    for (second, place) in [(24, 5), (8, 5), (16, 6)] {
        let code = combined(&counted(4, &pair(second, place)));
        assert_eq!(calls(&code).len(), 2, "{code}");
        assert!(is_in_loop(&code, "__tsan_write16"), "{code}");
    }
}

#[test]
fn what_stays_the_same_is_checked_twice_if_the_loop_goes_round() {
    let code = combined(&counted(1, "  call void @__tsan_write8(ptr %1), !dbg !5"));
    assert_eq!(calls(&code).len(), 2, "{code}");
    assert!(
        code.contains("label %heddle.1.more, label %heddle.1.in"),
        "{code}"
    );
    assert!(
        code.contains("phi i64 [ 0, %heddle.1.in ], [ %99, %3 ]"),
        "{code}"
    );
    assert!(!is_in_loop(&code, "__tsan"), "{code}");
}

#[test]
fn loops_that_give_control_away_stay_as_they_are() {
    let access = "  %5 = getelementptr double, ptr %0, i64 %4\n  call void @__tsan_read8(ptr %5)";
    for other in [
        "  call void @lock(ptr %1)",
        "  call void @__tsan_memcpy(ptr %1, ptr %0, i64 8)",
        "  %7 = call i32 @__tsan_atomic32_load(ptr %1, i32 0)",
        "  call void asm sideeffect \"pause\", \"\"()",
        "  fence seq_cst",
        "  call void @llvm.memcpy.p0.p0.i64(ptr %1, ptr %0, i64 8, i1 false)",
    ] {
        let code = counted(1, &format!("{access}\n{other}"));
        assert_eq!(combined(&code), code, "{other}");
    }
    let sum = "  %7 = call double @llvm.fmuladd.f64(double 1.0, double 1.0, double 1.0)";
    let code = counted(1, &format!("{access}\n{sum}"));
    assert_ne!(combined(&code), code);
}

#[test]
fn loops_of_unknown_extent_stay_as_they_are() {
    let plain = counted(
        1,
        "  %5 = getelementptr double, ptr %0, i64 %4\n  call void @__tsan_read8(ptr %5)",
    );
    for (from, to) in [
        // Ends by what is read.
        ("icmp eq i64 %99, 96", "icmp eq i64 %6, 96"),
        ("%99 = add nuw i64 %4, 1", "%99 = load i64, ptr %5"),
        // The address does not grow by the same.
        ("ptr %0, i64 %4", "ptr %0, i64 %77"),
        ("getelementptr double", "getelementptr %opaque"),
        // Entered from elsewhere, too.
        ("label %101, label %3, !dbg", "label %3, label %3, !dbg"),
        (
            "101:\n",
            "101:\n  br i1 true, label %3, label %102\n\n102:\n",
        ),
        // Jumps over its end by running out of bits.
        ("%99 = add nuw i64 %4, 1", "%99 = add i64 %4, 8"),
    ] {
        let mut code = plain.replace(from, to);
        if to.contains(", 8") {
            code = code
                .replace("icmp eq", "icmp uge")
                .replace("double", "[8 x double]");
        }
        if to.contains("%77") {
            code = code.replace("  %5 =", "  %77 = load i64, ptr %1\n  %5 =");
        }
        code = code.replace("  %99 =", "  %6 = load i64, ptr %5\n  %99 =");
        assert_ne!(code, plain);
        assert_eq!(combined(&code), code, "{to}");
    }
}

#[test]
fn loops_that_count_down_begin_at_their_last_element() {
    let code = combined(
        "define void @f(ptr %0, i64 %1) {
  br label %3

3:
  %4 = phi i64 [ %1, %2 ], [ %6, %3 ]
  %5 = getelementptr i32, ptr %0, i64 %4
  call void @__tsan_write4(ptr %5)
  %6 = add nsw i64 %4, -1
  %7 = icmp sgt i64 %4, 0
  br i1 %7, label %3, label %8

8:
  ret void
}
",
    );
    assert!(code.contains("select i1"), "{code}");
    assert!(code.contains("sub i64 4, %heddle.1."), "{code}");
    assert!(!is_in_loop(&code, "__tsan"), "{code}");
}

#[test]
fn neighbours_in_a_row_are_checked_at_the_first() {
    let access = |at: u32| {
        format!(
            "  %{at} = getelementptr i8, ptr %0, i64 {at}\n  call void @__tsan_read16(ptr %{at}), !dbg !5\n"
        )
    };
    let four = |between: &str| {
        format!(
            "define void @f(ptr %0) {{\n{}{}{between}{}{}  ret void\n}}\n!5 = !DILocation(line: 4, column: 2)\n",
            access(16),
            access(32),
            access(64),
            access(48)
        )
    };
    let code = combined(&four(""));
    let [call] = calls(&code)[..] else {
        panic!("{code}")
    };
    assert!(
        call.contains("heddle_run_read(ptr %heddle.0.0.0.0, i64 64, i64 16)"),
        "{call}"
    );
    let code = four("  call void @unlock()\n");
    assert_eq!(combined(&code), code);
}

#[test]
fn a_read_and_a_write_in_one_line_are_one_update() {
    let code = |place: u32| {
        combined(&format!(
            "define void @f(ptr %0) {{
  call void @__tsan_unaligned_read4(ptr %0), !dbg !5
  %2 = load float, ptr %0, align 1, !dbg !5
  %3 = fadd float %2, 1.0
  call void @__tsan_unaligned_write4(ptr %0), !dbg !{place}
  store float %3, ptr %0, align 1
  ret void
}}
!5 = !DILocation(line: 4, column: 2)
!6 = !DILocation(line: 4, column: 9)
!7 = !DILocation(line: 5, column: 2)
"
        ))
    };
    assert_eq!(
        calls(&code(6)),
        ["call void @__tsan_unaligned_read_write4(ptr %0), !dbg !6"]
    );
    assert_eq!(calls(&code(7)).len(), 2);
}

#[test]
fn any_text_is_taken() {
    for text in [
        "",
        "\n",
        "define ",
        "define {\n:\n}",
        "define {\nbr i1 , label , label \n",
        "}\n%",
    ] {
        combined(text);
    }
}
