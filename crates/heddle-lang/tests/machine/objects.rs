//! Heap arrays: locations, names, values.

use super::{check, check_output};

#[test]
fn an_array_is_named_by_the_first_local_it_is_bound_to() {
    check(
        "shared x; let q = new[2]; let p = q; p[1] = q[0];",
        "alloc 1+2, bind 1 q, read q[0], write q[1], end T0",
    );
}

#[test]
fn an_array_returned_from_a_procedure_is_named_where_it_is_bound() {
    check(
        "proc make(n) { return new[n]; }
         proc fill(a) { a[0] = 1; let b = a; b[0] = 2; }
         let q = make(1); fill(q); fill(make(1));",
        "alloc 0+1, bind 0 q, write q[0], write q[0],
         alloc 1+1, write ?[0], bind 1 b, write b[0], end T0",
    );
}

#[test]
fn arrays_have_locations_of_their_own_even_without_elements() {
    check(
        "let a = new[0]; let b = new[1]; let c = new[0]; let d = new[2];",
        "alloc 0+0, bind 0 a, alloc 1+1, bind 1 b, alloc 2+0, bind 2 c, alloc 3+2, bind 3 d,
         end T0",
    );
}

#[test]
fn tasks_share_an_array_through_captured_handles() {
    check_output(
        "let q = new[3];
         finish { for i in 0..3 { async { q[i] = q[i] + i * i; } } }
         print q[0] + q[1] + q[2];
         future f { return q; }
         let p = get(f);
         print p[2];",
        &[5, 4],
    );
}

#[test]
fn arrays_that_can_be_reached_survive_any_number_of_others() {
    check_output(
        "event e;
         proc deep(n, a) { if (n > 0) { deep(n - 1, new[1]); } else { churn(); } assert a[0] == 0; }
         proc churn() { for i in 0..40 { let t = new[50000]; t[0] = 1; } }
         let kept = new[1]; kept[0] = 7;
         future f { let r = new[1]; r[0] = 8; return r; }
         let waiting = new[1]; waiting[0] = 9;
         task t after e { print waiting[0]; }
         waiting = 0;
         deep(100, new[1]);
         finish { async { churn(); } }
         print kept[0];
         let r = get(f);
         print r[0];
         satisfy e;",
        &[7, 8, 9],
    );
}
