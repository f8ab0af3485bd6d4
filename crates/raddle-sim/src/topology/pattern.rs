//! Names of ports and the like of which a part is open.

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|&i| rest.is_char_boundary(i))
                .any(|i| matches(tail, &rest[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names() {
        for (pattern, name, expected) in [
            ("tor0.up*", "tor0.up12", true),
            ("tor0.up*", "tor0.up", true),
            ("tor*.up1", "tor15.up1", true),
            ("*.up*", "agg3.up0", true),
            ("tor0.up", "tor0.up1", false),
            ("tor*.up1", "tor1.up12", false),
            ("*", "host7", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
