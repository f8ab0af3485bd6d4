//! `layer`: a number of a layer of the fabric.

use super::super::layer::{LayerNumber, read_layer_number};
use super::super::number::Number;
use super::super::run::FigureRun;
use super::in_cell::OfRun;
use raddle::scenario::reader::Reader;

#[derive(Debug)]
pub(super) struct Layer(LayerNumber);

impl OfRun for Layer {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        read_layer_number(reader).map(Self)
    }

    fn of(&self, run: &FigureRun) -> Option<f64> {
        self.0.of(run)
    }

    fn shown(&self) -> Option<Number> {
        Some(Number::Layer(self.0))
    }
}
