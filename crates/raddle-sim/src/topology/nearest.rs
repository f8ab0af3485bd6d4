//! The known names closest to a mistyped one.

/// Up to three of `known` that are few edits away from `name`, nearest first.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<String> {
    // Fewer edits than the name has characters: else any short name would be near.
    let limit = (name.chars().count() / 3 + 1).min(name.chars().count().saturating_sub(1));
    let close = |known: &'a str| Some((edits(name, known), known)).filter(|(d, _)| *d <= limit);
    let mut candidates: Vec<(usize, &str)> = known.filter_map(close).collect();
    candidates.sort_by_key(|&(distance, _)| distance);
    candidates.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Insertions, deletions and replacements that turn `a` into `b` (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("tor0.up1", "tor0.up1"), 0);
    }

    #[test]
    fn the_nearest_come_first_and_far_ones_not_at_all() {
        let known = ["tor0.up0", "tor0.up1", "tor1.up1", "core0.down0"];
        assert_eq!(nearest("tor0.pu1", known.into_iter())[0], "tor0.up1");
        assert!(nearest("spine", known.into_iter()).is_empty());
        assert!(nearest("t", ["a"].into_iter()).is_empty());
    }
}
