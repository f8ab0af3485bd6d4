//! Random numbers: one small generator, many named streams, values that never change.
//!
//! No generator is shared. Each host, flow, switch and port draws from the stream named after it,
//! so what one draws never depends on when another did: results are the same for every number of
//! threads, and a scheme can be changed without moving the traffic of a run.

use serde::Serialize;

/// Mixes 64 bits so that every input bit moves every output bit (the finaliser of SplitMix64).
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// What [`mix`] makes `x` of: each of its steps can be undone.
const fn unmix(mut x: u64) -> u64 {
    x = (x ^ (x >> 31) ^ (x >> 62)).wrapping_mul(0x3196_42b2_d24d_8ec3);
    x = (x ^ (x >> 27) ^ (x >> 54)).wrapping_mul(0x96de_1b17_3f11_9089);
    x ^ (x >> 30) ^ (x >> 60)
}

/// 2^64 over the golden ratio: multiples of it lie evenly apart.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The key of a named stream: where its generator starts, and what its coins are hashed with.
///
/// `name` is a kind of thing (`"flow"`, `"switch"`), `index` which one.
pub const fn stream(seed: u64, name: &str, index: u64) -> u64 {
    let bytes = name.as_bytes();
    let mut key = mix(seed.wrapping_add(GOLDEN));
    let mut i = 0;
    while i < bytes.len() {
        key = mix(key ^ bytes[i] as u64).wrapping_add(GOLDEN);
        i += 1;
    }
    mix(key ^ mix(index.wrapping_add(GOLDEN)))
}

/// A coin for one event: uniform 32 bits that depend on the stream and the event's number alone.
///
/// Used where many packets share a place (a port): the event is the picosecond at which the frame
/// starts on the wire, which no other frame of that port shares.
#[inline]
pub const fn coin(stream: u64, event: u64) -> u32 {
    (mix(stream ^ event.wrapping_mul(GOLDEN)) >> 32) as u32
}

/// SplitMix64 (Steele, Lea, Flood 2014): eight bytes of state, so that every flow can own one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The generator of stream `name` number `index` of a run with `seed`.
    pub const fn new(seed: u64, name: &str, index: u64) -> Self {
        Self { state: stream(seed, name, index) }
    }

    /// The generator whose next 64 bits are these.
    pub const fn that_draws(bits: u64) -> Self {
        Self { state: unmix(bits).wrapping_sub(GOLDEN) }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A uniform draw from `0..n` (by multiplication; its bias is below `n` / 2^64).
    ///
    /// # Panics
    /// If `n` is zero (debug builds).
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        debug_assert!(n > 0);
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Several draws for the price of one.
    #[inline]
    pub fn draws(&mut self) -> Draws {
        Draws { fraction: self.next_u64() }
    }

    /// A uniform draw from [0, 1), of 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An exponential draw with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.unit())
    }

    /// Puts `items` into a uniformly random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }
}

/// Independent draws out of one of 64 bits: the digits of a fraction, each to a base of its own.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Draws {
    fraction: u64,
}

impl Draws {
    /// A uniform draw from `0..n`; its bias is below the product of this and all earlier `n` / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        let digit = u128::from(self.fraction) * u128::from(n);
        self.fraction = digit as u64;
        (digit >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published tables depend on these values: they never change.
    #[test]
    fn values_are_pinned() {
        let mut rng = Rng::new(1, "flow", 7);
        assert_eq!([(); 3].map(|()| rng.next_u64()), VALUES);
        assert_eq!(coin(stream(1, "port", 0), 83_200), COIN);
    }
    const VALUES: [u64; 3] =
        [15_860_387_308_263_189_730, 6_041_210_882_225_723_052, 2_892_587_375_856_867_850];
    const COIN: u32 = 4_189_560_330;

    #[test]
    fn a_generator_is_found_again_by_what_it_draws() {
        let mut rng = Rng::new(1, "flow", 7);
        for _ in 0..100 {
            let (mut before, drawn) = (rng.clone(), rng.next_u64());
            assert_eq!(Rng::that_draws(drawn), before);
            assert_eq!(before.next_u64(), drawn);
        }
    }

    #[test]
    fn draws_are_uniform() {
        let mut rng = Rng::new(3, "test", 0);
        let mut bins = [0u32; 10];
        for _ in 0..100_000 {
            bins[rng.below(10) as usize] += 1;
        }
        assert!(bins.iter().all(|&b| (9_600..10_400).contains(&b)), "{bins:?}");
        let heads = (0..100_000u64).filter(|&t| coin(stream(3, "port", 1), t * 83_200) < 1 << 30);
        assert!((24_500..25_500).contains(&heads.count()));
        let mean = (0..100_000).map(|_| rng.exponential(2.0)).sum::<f64>() / 1e5;
        assert!((1.97..2.03).contains(&mean), "{mean}");
    }

    #[test]
    fn draws_out_of_one_are_uniform_and_independent() {
        let mut rng = Rng::new(1, "test", 0);
        let mut counts = [[0_i32; 4]; 3];
        for _ in 0..12_000 {
            let mut draws = rng.draws();
            counts[draws.below(3) as usize][draws.below(4) as usize] += 1;
        }
        assert!(counts.iter().flatten().all(|count| (880..1120).contains(count)), "{counts:?}");
    }
}
