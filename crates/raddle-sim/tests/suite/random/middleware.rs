//! Middleware of ToRs.

use super::choices::Choices;
use crate::outside::juggler;
use raddle_schemes::Need;
use raddle_schemes::tor;
use raddle_schemes::units::Span;

/// Listed middleware, but for that which keeps bulk data of circuits.
pub(super) fn hooks_of_any_fabric() -> impl Iterator<Item = tor::Config> {
    let any = tor::SCHEMES.iter().filter(|own| !own.card.needs.contains(&Need::Bulk));
    any.filter_map(|scheme| tor::Config::named(scheme.card.name))
}

pub(super) fn middleware(choices: &mut Choices<'_>) -> Option<tor::Config> {
    let outside = [juggler::plugin()].map(tor::Config::Custom);
    let hooks: Vec<_> = hooks_of_any_fabric().chain(outside).collect();
    let has_any = choices.below(6) == 1;
    Some(hook(choices, &hooks)).filter(|_| has_any)
}

pub(super) fn hook(choices: &mut Choices<'_>, hooks: &[tor::Config]) -> tor::Config {
    let mut config = choices.pick(hooks);
    match &mut config {
        tor::Config::NackFilter(filter) => filter.pass = choices.pick(&[0.5, 0.0, 0.9]),
        tor::Config::Themis(themis) => {
            (themis.window, themis.ooo_threshold) = choices.pick(&[(512, 448), (16, 12), (4, 3)]);
            themis.avoidance_window = choices.pick(&[2_000_000, 3]);
            themis.recirculation = choices.pick(&[Span(0), Span::us(1), Span(77_777)]);
            themis.same_path = choices.below(4) > 0;
            themis.lazy_drop = choices.below(4) > 0;
            themis.reroute = choices.below(4) > 0;
            themis.failure_handling = choices.below(4) > 0;
        }
        tor::Config::Conga(conga) => {
            conga.timeout = choices.pick(&[Span::us(500), Span::us(1), Span(0)]);
            conga.time_constant = choices.pick(&[Span::us(160), Span::us(3)]);
            conga.alpha = choices.pick(&[0.2, 1.0, 0.05]);
            conga.bits = choices.pick(&[3, 1, 8]);
            conga.aging = choices.pick(&[Span::ms(10), Span::us(5)]);
        }
        tor::Config::ConWeave(conweave) => {
            conweave.reply_extra = choices.pick(&[Span::us(4), Span(0), Span::ns(300)]);
            conweave.path_busy = choices.pick(&[Span::us(16), Span::us(1)]);
            conweave.notify = choices.below(4) > 0;
            conweave.inactive = choices.pick(&[Span::us(300), Span::us(2), Span::us(20)]);
            conweave.resume_extra = choices.pick(&[Span::us(16), Span(0), Span::ns(777)]);
            conweave.resume_default = choices.pick(&[Span::us(200), Span(0), Span::us(3)]);
        }
        tor::Config::RotorLb(own) => own.backlog = choices.pick(&[2.0, 0.0, 0.3, 100.0]),
        _ => {}
    }
    config
}
