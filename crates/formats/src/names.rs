//! Names of variables: files may give the same one to thousands.

use rustc_hash::FxHashMap;

/// Makes names different. The store of terms does so too, but by trying one number after the other.
#[derive(Default)]
pub(crate) struct Names {
    /// How often a name was wished for.
    times: FxHashMap<String, u32>,
}

impl Names {
    /// The name, with a number behind it from the second time on.
    pub(crate) fn unique(&mut self, name: String) -> String {
        let times = self.times.entry(name.clone()).or_default();
        *times += 1;
        if *times > 1 { format!("{name}.{}", *times - 1) } else { name }
    }
}
