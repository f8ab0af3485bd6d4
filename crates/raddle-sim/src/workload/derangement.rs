//! Permutations that leave none to itself.

use raddle_schemes::rng::Rng;

/// One of two or more, each as likely: whole permutations are drawn until one leaves none to itself,
/// which one in e does.
pub(super) fn derangement(count: u32, rng: &mut Rng) -> Vec<u32> {
    let mut to: Vec<u32> = (0..count).collect();
    while to.iter().zip(0..).any(|(&to, from)| to == from) {
        rng.shuffle(&mut to);
    }
    to
}
