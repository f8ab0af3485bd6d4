//! Every figure there is.

use super::Figure;

macro_rules! figure {
    ($name:literal) => {
        Figure {
            name: $name,
            scenario: Some(include_str!(concat!("../../../../figures/", $name, "/scenario.toml"))),
            ..figure!($name, model)
        }
    };
    ($name:literal, model) => {
        Figure {
            name: $name,
            scenario: None,
            claims: include_str!(concat!("../../../../figures/", $name, "/claims.toml")),
            result: include_str!(concat!("../../../../figures/", $name, "/result.json")),
        }
    };
}

/// Every figure, in the order in which they are run and shown.
pub const FIGURES: &[Figure] = &[
    figure!("reps/reference_case"),
    figure!("reps/reference_adaptive"),
    figure!("reps/reference_uet"),
    figure!("reps/thresholds"),
    figure!("reps/freezing_mode"),
    figure!("reps/fig2"),
    figure!("reps/fig3"),
    figure!("reps/fig4"),
    figure!("reps/fig5"),
    figure!("reps/fig6"),
    figure!("reps/fig7"),
    figure!("reps/fig8"),
    figure!("reps/fig8_permutation"),
    figure!("reps/fig9"),
    figure!("reps/fig10", model),
    figure!("reps/fig11"),
    figure!("reps/fig11b"),
    figure!("reps/fig12"),
    figure!("reps/fig13"),
    figure!("reps/fig14", model),
    figure!("reps/fig15"),
    figure!("reps/fig15_right"),
    figure!("reps/fig16"),
    figure!("reps/fig17", model),
    figure!("reps/fig18", model),
    figure!("reps/theorem_5_1", model),
    figure!("reps/state", model),
    figure!("reps/fig19"),
    figure!("reps/fig20", model),
    figure!("reps/fig21"),
    figure!("reps/fig22"),
    figure!("reps/fig23"),
    figure!("lb_study/fig1"),
    figure!("lb_study/fig1_random_order"),
    figure!("lb_study/fig3"),
    figure!("lb_study/fig4"),
    figure!("lb_study/fig4_all_to_all"),
    figure!("lb_study/fig5"),
    figure!("lb_study/fig5_all_to_all"),
    figure!("lb_study/fig5_all_to_all_slower"),
    figure!("lb_study/fig6"),
    figure!("lb_study/fig7"),
    figure!("lb_study/fig8"),
    figure!("lb_study/fig8_all_to_all"),
    figure!("lb_study/fig8_all_to_all_large"),
    figure!("lb_study/fig9"),
    figure!("lb_study/fig10"),
    figure!("lb_study/fig10_all_to_all"),
    figure!("lb_study/fig11"),
    figure!("lb_study/fig12"),
    figure!("lb_study/fig13"),
    figure!("lb_study/fig14"),
    figure!("lb_study/fig14_hashed_acks"),
    figure!("lb_study/equation_21", model),
    figure!("lb_study/pointers", model),
    figure!("lb_study/fig16", model),
    figure!("lb_study/fig16_simulated"),
    figure!("lb_study/fig17"),
    figure!("lb_study/fig18"),
    figure!("lb_study/fig19"),
    figure!("lb_study/ofan_variants"),
];
