//! A list of numbers as a source of decisions.

/// What is left of the list.
pub(super) struct Choices<'a> {
    left: std::slice::Iter<'a, u32>,
}

impl<'a> Choices<'a> {
    pub(super) fn new(numbers: &'a [u32]) -> Self {
        Self { left: numbers.iter() }
    }

    /// A number below `n`; 0 once the list has ended.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.left.next().map_or(0, |number| number % n)
    }

    /// A number of the range, ends included; the lowest once the list has ended.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// One of the options.
    pub(super) fn pick<T: Clone>(&mut self, options: &[T]) -> T {
        options[self.below(options.len() as u32) as usize].clone()
    }
}
