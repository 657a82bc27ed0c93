//! The variables that may be decided next, the busiest first.

/// A heap of variables by activity.
#[derive(Default)]
pub(super) struct Order {
    heap: Vec<u32>,
    /// One more than the place of a variable in the heap; zero for none.
    place: Vec<u32>,
    activity: Vec<f64>,
    step: f64,
}

/// Activities beyond are made smaller, all of them.
const LARGE: f64 = 1e100;
const DECAY: f64 = 0.95;

impl Order {
    /// Makes room for so many variables.
    pub(super) fn resize(&mut self, variables: usize) {
        self.place.resize(variables, 0);
        self.activity.resize(variables, 0.0);
        self.step = self.step.max(1.0);
    }

    pub(super) fn clear(&mut self) {
        for &var in &self.heap {
            self.place[var as usize] = 0;
        }
        self.heap.clear();
    }

    pub(super) fn insert(&mut self, var: u32) {
        if self.place[var as usize] == 0 {
            self.heap.push(var);
            self.place[var as usize] = self.heap.len() as u32;
            self.up(self.heap.len() - 1);
        }
    }

    pub(super) fn pop(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else {
            self.place[last as usize] = 0;
            return Some(last);
        };
        self.place[first as usize] = 0;
        self.heap[0] = last;
        self.place[last as usize] = 1;
        self.down(0);
        Some(first)
    }

    /// A variable took part in a conflict.
    pub(super) fn bump(&mut self, var: u32) {
        self.activity[var as usize] += self.step;
        if self.activity[var as usize] > LARGE {
            self.activity.iter_mut().for_each(|activity| *activity /= LARGE);
            self.step /= LARGE;
        }
        if let Some(at) = self.place[var as usize].checked_sub(1) {
            self.up(at as usize);
        }
    }

    /// Later conflicts count more.
    pub(super) fn decay(&mut self) {
        self.step /= DECAY;
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn put(&mut self, at: usize, var: u32) {
        self.heap[at] = var;
        self.place[var as usize] = at as u32 + 1;
    }

    fn up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 && self.is_before(var, self.heap[(at - 1) / 2]) {
            self.put(at, self.heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        self.put(at, var);
    }

    fn down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.is_before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.is_before(self.heap[child], var) {
                break;
            }
            self.put(at, self.heap[child]);
            at = child;
        }
        self.put(at, var);
    }
}
