//! What Python loads as `raddle._raddle`: the library's calls, with scenarios as text, answers as
//! JSON texts and tables by Arrow's C interface. The package in `python/` gives them their shape.

mod compare;
mod errors;
mod run;
mod schemes;
mod table;
mod theory;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _raddle(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BUILD", raddle::study::BUILD)?;
    module.add_class::<run::Run>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(schemes::schemes, module)?)?;
    module.add_function(wrap_pyfunction!(table::explain, module)?)?;
    module.add_function(wrap_pyfunction!(theory::theory, module)?)?;
    Ok(())
}
