//! Lists of small things for each location, in two allocations for all of them.

/// Items by group, each group in the order in which its items were given.
#[derive(Clone, Debug)]
pub(super) struct Groups<T> {
    /// Where each group begins, and at last where all end.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Groups<T> {
    /// Groups items; the pairs are gone through twice.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (usize, T)> + Clone) -> Groups<T> {
        let mut starts = vec![0u32; count + 1];
        for (group, _) in pairs.clone() {
            starts[group + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let Some((_, first)) = pairs.clone().next() else { return Groups { starts, items: Vec::new() } };
        let mut items = vec![first; starts[count] as usize];
        let mut next = starts.clone();
        for (group, item) in pairs {
            items[next[group] as usize] = item;
            next[group] += 1;
        }
        Groups { starts, items }
    }

    /// The items of a group; none of one that there is not.
    pub(super) fn get(&self, group: usize) -> &[T] {
        match self.starts.get(group..group + 2) {
            Some(&[start, end]) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }
}
