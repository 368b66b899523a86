//! "Did you mean": the known word nearest to a misspelt one.

/// Words longer than this are not compared; the cost is quadratic in the length.
const LONGEST: usize = 64;

/// The candidate that takes the fewest edits to become `word`, if it takes few.
/// Of equally near ones the alphabetically first, so that the answer is stable.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let tolerance = (word.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| comparable(word, candidate))
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(edits, _)| edits <= tolerance)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A one-letter word is near to every other one: only its other case is worth suggesting.
fn comparable(word: &str, candidate: &str) -> bool {
    let shortest = word.len().min(candidate.len());
    let longest = word.len().max(candidate.len());
    longest <= LONGEST && (shortest > 1 || word.eq_ignore_ascii_case(candidate))
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let substituted = above[j] + usize::from(a[i] != b[j]);
            let mut best = substituted.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_each_kind_of_edit_once() {
        assert_eq!(distance("async", "async"), 0);
        assert_eq!(distance("asnyc", "async"), 1);
        assert_eq!(distance("async", "asyn"), 1);
        assert_eq!(distance("sync", "async"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nearest_is_the_closest_then_the_first() {
        assert_eq!(nearest("cuont", ["count", "amount"]), Some("count"));
        assert_eq!(nearest("ab", ["ac", "aa"]), Some("aa"));
        assert_eq!(nearest("total", ["x", "y"]), None);
    }

    #[test]
    fn single_letters_match_only_in_the_other_case() {
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("x", ["X"]), Some("X"));
    }
}
