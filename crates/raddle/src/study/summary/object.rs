//! JSON objects as they are read.

use serde_json::Value;

/// A JSON object whose missing or wrong members are named in errors.
pub(super) struct Object<'a>(pub(super) &'a Value);

impl<'a> Object<'a> {
    pub(super) fn get<T>(
        &self,
        key: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, String> {
        self.0
            .get(key)
            .and_then(read)
            .ok_or_else(|| format!("`{key}` is missing or of the wrong type"))
    }

    pub(super) fn object(&self, key: &str) -> Result<Object<'a>, String> {
        self.get(key, |v| v.is_object().then_some(v)).map(Object)
    }

    pub(super) fn count(&self, key: &str) -> Result<u64, String> {
        self.get(key, Value::as_u64)
    }

    pub(super) fn text(&self, key: &str) -> Result<String, String> {
        self.get(key, |v| v.as_str().map(str::to_string))
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, String> {
        self.get(key, |v| if v.is_null() { Some(None) } else { v.as_f64().map(Some) })
    }
}
