//! What Python loads as `raddle._raddle`: the library's calls, with scenarios as text, answers as
//! JSON texts and tables by Arrow's C interface. The package in `python/` gives them their shape.

mod advise;
mod bounds;
mod columns;
mod command;
mod compare;
mod errors;
mod export;
mod figures;
mod inventory;
mod kept;
mod run;
mod scheme;
mod schemes;
mod state;
mod sweep;
mod table;
mod theory;
mod throughput;
mod train;
mod values;
mod work;

use pyo3::prelude::*;

/// The extension module. It needs no lock of the interpreter's: its classes are frozen, what changes
/// while they live is behind locks of its own, and it has no static that changes.
#[pymodule(gil_used = false)]
fn _raddle(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BUILD", raddle::study::BUILD)?;
    module.add_class::<run::Run>()?;
    module.add_class::<columns::Table>()?;
    module.add_class::<compare::Compared>()?;
    module.add_class::<sweep::Grid>()?;
    module.add_class::<advise::Question>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::page_of, module)?)?;
    module.add_function(wrap_pyfunction!(run::read_text, module)?)?;
    module.add_function(wrap_pyfunction!(command::main, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(schemes::schemes, module)?)?;
    module.add_function(wrap_pyfunction!(table::explain, module)?)?;
    module.add_function(wrap_pyfunction!(export::export, module)?)?;
    module.add_function(wrap_pyfunction!(theory::theory, module)?)?;
    module.add_function(wrap_pyfunction!(bounds::bounds, module)?)?;
    module.add_function(wrap_pyfunction!(inventory::inventory, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(throughput::throughput, module)?)?;
    module.add_function(wrap_pyfunction!(throughput::throughput_grid, module)?)?;
    module.add_function(wrap_pyfunction!(throughput::designs, module)?)?;
    module.add_function(wrap_pyfunction!(figures::reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(figures::figures, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::check_summary, module)?)?;
    Ok(())
}
