//! The table behind array values: persistent, ordered, with one shape per content.
//!
//! An interpreter holds many versions of one array: in variables, in the terms under evaluation, at the tags it
//! remembers. So a version must not cost a copy. This is a treap: a search tree by key that is at the same time a
//! heap by a priority. The priority is a mix of the key's digest, thus the shape depends on the keys alone and
//! not on the order of insertion: equal tables that were built apart still have the same shape, and versions of
//! one table share most nodes, which lets comparison skip them. Whoever owns a node alone changes it in place.
//!
//! The depth is logarithmic unless somebody works against the digest; the loops here have no recursion anyway.

use super::Value;
use super::order::{Digest, mix};
use std::cmp::Ordering;
use std::sync::Arc;

pub(super) type Link = Option<Arc<Node>>;

#[derive(Clone)]
pub(super) struct Node {
    pub(super) key: Value,
    pub(super) value: Value,
    priority: u64,
    pub(super) left: Link,
    pub(super) right: Link,
}

/// A table from values to values.
#[derive(Clone, Default)]
pub(super) struct Map {
    pub(super) root: Link,
    len: usize,
    /// The sum of the entries' digests, which does not depend on their order.
    digest: u64,
}

fn entry_digest(key: &Value, value: &Value) -> u64 {
    mix(key.digest().rotate_left(7) ^ mix(value.digest()))
}

/// The order of the heap; keys break ties, so that it is total.
fn above(priority: u64, key: &Value, node: &Node) -> bool {
    priority > node.priority || (priority == node.priority && *key > node.key)
}

impl Map {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn digest(&self) -> u64 {
        self.digest
    }

    pub(super) fn get(&self, key: &Value) -> Option<&Value> {
        let mut link = &self.root;
        while let Some(node) = link {
            match key.cmp(&node.key) {
                Ordering::Equal => return Some(&node.value),
                Ordering::Less => link = &node.left,
                Ordering::Greater => link = &node.right,
            }
        }
        None
    }

    pub(super) fn insert(&mut self, key: Value, value: Value) {
        match self.get(&key) {
            Some(old) if *old == value => return,
            Some(old) => self.digest = self.digest.wrapping_sub(entry_digest(&key, old)),
            None => self.len += 1,
        }
        self.digest = self.digest.wrapping_add(entry_digest(&key, &value));
        let priority = mix(key.digest());
        let mut link = &mut self.root;
        // The borrow of the slot ends before it is filled, hence the two steps.
        while let Some(node) = link.as_ref().filter(|node| !above(priority, &key, node)) {
            let order = key.cmp(&node.key);
            let Some(node) = link.as_mut().map(Arc::make_mut) else { return };
            match order {
                Ordering::Equal => {
                    node.value = value;
                    return;
                }
                Ordering::Less => link = &mut node.left,
                Ordering::Greater => link = &mut node.right,
            }
        }
        let (left, right) = split(link.take(), &key);
        *link = Some(Arc::new(Node { key, value, priority, left, right }));
    }

    pub(super) fn remove(&mut self, key: &Value) {
        let Some(old) = self.get(key) else { return };
        self.digest = self.digest.wrapping_sub(entry_digest(key, old));
        self.len -= 1;
        let mut link = &mut self.root;
        while let Some(order) = link.as_ref().map(|node| key.cmp(&node.key)).filter(|order| order.is_ne()) {
            let Some(node) = link.as_mut().map(Arc::make_mut) else { return };
            link = if order.is_lt() { &mut node.left } else { &mut node.right };
        }
        if let Some(node) = link.take() {
            let (left, right) = match Arc::try_unwrap(node) {
                Ok(node) => (node.left, node.right),
                Err(node) => (node.left.clone(), node.right.clone()),
            };
            *link = join(left, right);
        }
    }

    /// The entries in the order of their keys.
    pub(super) fn iter(&self) -> Iter<'_> {
        let mut iter = Iter { path: Vec::new() };
        iter.descend(&self.root);
        iter
    }

    /// Moves the values that hold values out of the nodes that nobody else looks at.
    pub(super) fn take_apart(&mut self, parts: &mut Vec<Value>) {
        let mut nodes: Vec<Arc<Node>> = self.root.take().into_iter().collect();
        while let Some(mut node) = nodes.pop() {
            if let Some(node) = Arc::get_mut(&mut node) {
                nodes.extend(node.left.take());
                nodes.extend(node.right.take());
                for value in [&mut node.key, &mut node.value] {
                    if value.is_container() {
                        parts.push(super::data::take(value));
                    }
                }
            }
        }
        *self = Map::default();
    }
}

/// The nodes with smaller and with greater keys. `key` itself is not in the tree.
fn split(mut tree: Link, key: &Value) -> (Link, Link) {
    let (mut less, mut greater) = (None, None);
    let (mut less_end, mut greater_end) = (&mut less, &mut greater);
    while let Some(mut node) = tree {
        let inner = Arc::make_mut(&mut node);
        if inner.key < *key {
            tree = inner.right.take();
            less_end = &mut Arc::make_mut(less_end.insert(node)).right;
        } else {
            tree = inner.left.take();
            greater_end = &mut Arc::make_mut(greater_end.insert(node)).left;
        }
    }
    (less, greater)
}

/// One tree from two, all keys of the first being smaller.
fn join(mut less: Link, mut greater: Link) -> Link {
    let mut tree = None;
    let mut end = &mut tree;
    loop {
        match (less, greater) {
            (None, rest) | (rest, None) => {
                *end = rest;
                return tree;
            }
            (Some(mut a), Some(mut b)) => {
                if above(a.priority, &a.key, &b) {
                    less = Arc::make_mut(&mut a).right.take();
                    greater = Some(b);
                    end = &mut Arc::make_mut(end.insert(a)).right;
                } else {
                    greater = Arc::make_mut(&mut b).left.take();
                    less = Some(a);
                    end = &mut Arc::make_mut(end.insert(b)).left;
                }
            }
        }
    }
}

/// The entries of a [`Map`] in the order of their keys.
#[derive(Clone)]
pub(super) struct Iter<'a> {
    path: Vec<&'a Node>,
}

impl<'a> Iter<'a> {
    fn descend(&mut self, mut link: &'a Link) {
        while let Some(node) = link {
            self.path.push(node);
            link = &node.left;
        }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Value, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.path.pop()?;
        self.descend(&node.right);
        Some((&node.key, &node.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn shape(link: &Link) -> Vec<(Value, Value, usize)> {
        let (mut out, mut todo) = (Vec::new(), vec![(link, 0)]);
        while let Some((link, depth)) = todo.pop() {
            if let Some(node) = link {
                out.push((node.key.clone(), node.value.clone(), depth));
                todo.extend([(&node.right, depth + 1), (&node.left, depth + 1)]);
            }
        }
        out
    }

    #[test]
    fn agrees_with_the_standard_map_and_has_one_shape() {
        let (mut map, mut model, mut seed) = (Map::default(), BTreeMap::new(), 7u64);
        let mut old: Vec<(Map, Vec<(Value, Value)>)> = Vec::new();
        for step in 0..4000 {
            seed = mix(seed.wrapping_add(step));
            let (key, value) = (Value::int(seed % 300), Value::int(seed >> 60));
            if seed & 0x300 == 0 {
                map.remove(&key);
                model.remove(&key);
            } else {
                map.insert(key.clone(), value.clone());
                model.insert(key, value);
            }
            assert_eq!(map.len(), model.len());
            if step % 200 == 0 {
                let content = model.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                old.push((map.clone(), content));
            }
        }
        for (map, content) in old {
            let found: Vec<_> = map.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            assert!(found == content);
            let mut again = Map::default();
            for (key, value) in content.into_iter().rev() {
                again.insert(key, value);
            }
            assert_eq!(again.digest(), map.digest());
            assert!(shape(&again.root) == shape(&map.root));
            let depth = shape(&map.root).iter().map(|n| n.2).max();
            assert!(depth < Some(40), "{depth:?}");
        }
    }
}
