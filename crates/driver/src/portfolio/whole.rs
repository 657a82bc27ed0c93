//! Back to the whole program, when a smaller one turns out to be of no use.

use super::{Role, Search};

impl Search<'_> {
    /// From now on engines look at the whole program; those that look at a smaller one begin again.
    pub(super) fn look_at_all(&mut self) {
        self.job.preprocess = false;
        for at in (0..self.active.len()).rev() {
            let Role::Search { order, head_start: false, .. } = self.active[at].role else { continue };
            if self.active[at].reduced {
                let active = self.active.remove(at);
                self.workers.kill(active.worker);
                self.begin_again(order);
            }
        }
    }

    /// Puts an engine in front of those that wait.
    pub(super) fn begin_again(&mut self, order: usize) {
        if let Some(&info) = self.engines.get(order) {
            self.waiting.push_front((order, info));
        }
    }
}
