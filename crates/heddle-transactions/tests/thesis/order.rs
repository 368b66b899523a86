//! What is parallel: futures, events, dependences and scope handles order strands.

use heddle_core::{Decision, SiteId};
use heddle_lang::cuts::Cuts;
use heddle_transactions::{Exact, Options, check};

use crate::{Live, found, options, separations, try_with};

fn replayed(location: &str) -> (String, Decision) {
    (location.into(), Decision::Replayed)
}

#[test]
fn what_a_future_orders_cannot_come_between() {
    let source = "shared x; future f { x = 1; return 0; } let v = get(f); read x; cut; x = v;";
    assert_eq!(found(source), []);
    let source = "shared x; future f { x = 1; return 0; } read x; cut; x = 2; let v = get(f);";
    assert_eq!(found(source), [replayed("x")]);
}

#[test]
fn what_an_event_orders_cannot_come_between() {
    let source = "shared x; event e; finish {
        task A { x = 1; satisfy e; }
        task B after e { read x; cut; x = 2; } }";
    assert_eq!(found(source), []);
    let source = "shared x; event e; finish {
        task A { satisfy e; x = 1; }
        task B after e { read x; cut; x = 2; } }";
    assert_eq!(found(source), [replayed("x")]);
}

#[test]
fn cuts_in_different_strands_of_a_task_are_no_cuts_of_one() {
    let source = "shared x; finish {
        async { read x; finish { async { skip; } } x = 2; }
        async { x = 1; cut; } }";
    assert_eq!(
        found(source),
        [],
        "task operations separate strands, not transactions"
    );
}

#[test]
fn a_strand_in_between_that_must_come_before_another_on_the_way_is_no_way() {
    // The only way from t0 back to t0' leads over B and then over A's end, which precedes B.
    let source = "shared x, y, z; finish {
        async { write x; cut; write y; }
        async { write z; write y; finish { async { skip; } } write x; }
        async { write z; } }";
    let found = found(source);
    assert_eq!(
        found,
        [],
        "x after y: the later strand would have to come first"
    );
}

#[test]
fn two_counters_in_two_transactions_can_be_seen() {
    let source = "shared x, y; finish {
        async { x = x + 1; cut; y = y + 1; }
        async { x = x + 1; cut; y = y + 1; } }";
    assert_eq!(found(source), [replayed("x,y")]);
}

#[test]
fn heap_memory_that_is_used_again_is_not_what_it_was() {
    let source =
        "shared s; finish { for i in 0..3 { async { let q = new[1]; q[0] = 1; cut; q[0] = 2; } } }";
    assert_eq!(found(source), []);
}

#[test]
fn a_branch_that_depends_on_the_schedule_makes_the_finding_possible() {
    // Under the schedule that would show it, the second task does not write.
    let source = "shared x, done; finish {
        async { read x; cut; x = 1; done = 1; }
        async { if (done == 1) { x = 2; } } }";
    let found = found(source);
    let of_x = found.iter().find(|one| one.0 == "x");
    assert_eq!(of_x.map(|one| one.1), Some(Decision::Diverged), "{found:?}");
}

#[test]
fn a_cycle_that_no_schedule_shows_is_refuted_and_counted() {
    use heddle_lang::cuts::Cuts;
    use heddle_transactions::Exact;
    let source = "shared x, y, u, v; finish {
        async { write x; cut; write y; }
        async { finish { async { write v; write y; } } write x; write u; }
        async { write u; write v; } }";
    let (_, checked) =
        crate::try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let counts = checked
        .outcome
        .transactions
        .expect("transactions were checked");
    assert_eq!(
        (counts.confirmed, counts.refuted, counts.undecided),
        (0, 1, 0)
    );
    // Cut in two, the task in the middle lets the cycle through.
    let source = source.replace("write u; write v; }", "write v; cut; write u; }");
    let found = found(&source);
    assert!(found.contains(&replayed("x,y")), "{found:?}");
}

#[test]
fn a_pair_is_found_behind_a_read_of_the_location_it_starts_at() {
    // The last cut shows only from the write of x on: what reads x in between conflicts with less.
    let source = "shared x, y; finish {
        async { x = 1; cut; read x; cut; read y; }
        async { read x; y = 1; finish { skip; } x = 2; } }";
    let locations: Vec<String> = found(source).into_iter().map(|one| one.0).collect();
    assert_eq!(locations, ["x", "x,y"]);
}

#[test]
fn a_wait_for_nobody_ends_the_strand() {
    for wait in ["sync;", "finish { }"] {
        let source = format!(
            "shared x; finish {{ async {{ x = x + 1; {wait} cut; x = x + 1; }} async {{ x = 5; }} }}"
        );
        assert_eq!(found(&source), [], "{wait}");
    }
}

#[test]
fn locations_beyond_a_hundred_at_one_pair_of_positions_are_counted() {
    let source = "shared a[300]; finish {
        async { for i in 0..300 { a[i] = 1; cut; a[i] = 2; } }
        async { for i in 0..300 { a[i] = 3; } } }";
    let (_, checked) = try_with(source, Cuts::Manual, Exact::Quick).expect("nothing is rejected");
    let counts = checked.outcome.transactions.expect("transactions");
    assert_eq!(
        separations(&checked).count() as u64 + counts.unlisted,
        counts.confirmed
    );
    assert!(counts.unlisted >= 200, "{counts:?}");
}

/// Where each finding starts and ends.
fn ends(live: &mut Live, options: &Options) -> Vec<[SiteId; 2]> {
    let checked = check(live, options).expect("nothing is rejected");
    let found = separations(&checked);
    let sites = found.map(|one| one.parted.each_ref().map(|access| access.site));
    sites.collect()
}

#[test]
fn what_two_harmless_pairs_span_is_found() {
    for source in [
        "shared x; finish { async { read x; cut; read x; cut; x = 1; } async { x = 2; } }",
        "shared x, y, z; finish {
            async { x = 1; cut; y = 1; cut; z = 1; }
            async { read x; read y; read z; } }",
    ] {
        let mut live = Live::new(source, Cuts::Manual);
        let mut options = options(Exact::Quick);
        let found = ends(&mut live, &options);
        let pairs = found
            .iter()
            .flat_map(|&one| found.iter().map(move |&two| [one, two]));
        let mut neighbours = pairs.filter(|[one, two]| one[1] == two[0]);
        let [first, second] = neighbours.next().expect("two neighbours");
        options.harmless = [first, second].into_iter().collect();
        let spanned = [first[0], second[1]];
        assert!(!found.contains(&spanned), "{source}");
        let found = ends(&mut live, &options);
        assert!(found.contains(&spanned), "{source}: {found:?}");
    }
}
