//! Folders for tests that write files.

use std::path::PathBuf;

/// A folder that is removed at the end of a test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Makes an empty folder. The name has to be one that no other test has.
    #[must_use]
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("svarog-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        Folder(folder)
    }

    /// Writes a file in the folder.
    pub fn write(&self, name: &str, text: &[u8]) -> PathBuf {
        let file = self.0.join(name);
        std::fs::write(&file, text).expect("a file in a folder for temporary files");
        file
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left in a folder for temporary files is no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
