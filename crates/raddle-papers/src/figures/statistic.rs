//! What is taken of several values.

raddle_schemes::words! {
    /// What is taken of the values of several seeds.
    pub enum Statistic {
        /// Their mean.
        Mean = "mean",
        /// The middle one, or the mean of the two in the middle.
        Median = "median",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
    }
}

raddle_schemes::words! {
    /// What is taken of the values of several ports.
    pub enum Across {
        /// Their mean.
        Mean = "mean",
        /// The least.
        Min = "min",
        /// The greatest.
        Max = "max",
    }
}

impl Statistic {
    /// The statistic of `values`; `None` if there are none.
    pub(in crate::figures) fn of(self, mut values: Vec<f64>) -> Option<f64> {
        let n = values.len();
        values.sort_unstable_by(f64::total_cmp);
        match self {
            Self::Mean => Across::Mean.of(values),
            Self::Min => values.first().copied(),
            Self::Max => values.last().copied(),
            Self::Median if n == 0 => None,
            Self::Median => Some((values[(n - 1) / 2] + values[n / 2]) / 2.0),
        }
    }
}

impl Across {
    pub(in crate::figures) fn of(self, values: Vec<f64>) -> Option<f64> {
        match self {
            Self::Mean if values.is_empty() => None,
            Self::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
            Self::Min => values.into_iter().min_by(f64::total_cmp),
            Self::Max => values.into_iter().max_by(f64::total_cmp),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_what_they_say() {
        let values = || vec![4.0, 1.0, 3.0, 2.0];
        assert_eq!(Statistic::Mean.of(values()), Some(2.5));
        assert_eq!(Statistic::Median.of(values()), Some(2.5));
        assert_eq!(Statistic::Median.of(vec![3.0, 9.0, 1.0]), Some(3.0));
        assert_eq!(Statistic::Min.of(values()), Some(1.0));
        assert_eq!(Statistic::Max.of(values()), Some(4.0));
        assert_eq!(Statistic::Median.of(Vec::new()), None);
        assert_eq!(Statistic::Mean.of(Vec::new()), None);
    }
}
