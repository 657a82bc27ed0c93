//! Graphs whose nodes are numbers.

/// Groups of nodes that reach each other, each after all groups that it has edges into. Nodes that nothing
/// forces apart stay in their order. This is Tarjan's algorithm with an explicit stack.
#[must_use]
pub fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let (mut index, mut low, mut on_stack) = (vec![NEW; count], vec![0; count], vec![false; count]);
    let (mut next, mut stack, mut groups) = (0, Vec::new(), Vec::new());
    for root in 0..count {
        if index[root] != NEW {
            continue;
        }
        // A node and how many of its edges were followed.
        let mut path = vec![(root, 0)];
        while let Some(&mut (node, ref mut followed)) = path.last_mut() {
            if *followed == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(*followed) {
                *followed += 1;
                if index[to] == NEW {
                    path.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut group = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    group.push(member);
                    if member == node {
                        break;
                    }
                }
                group.sort_unstable();
                groups.push(group);
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn what_is_reached_comes_first() {
        assert_eq!(components(&[vec![], vec![]]), [vec![0], vec![1]]);
        assert_eq!(components(&[vec![1, 2], vec![2], vec![]]), [vec![2], vec![1], vec![0]]);
        assert_eq!(components(&[vec![1], vec![2, 0], vec![2], vec![0]]), [vec![2], vec![0, 1], vec![3]]);
        let chain: Vec<Vec<usize>> =
            (0..200_000).map(|i| if i == 0 { vec![] } else { vec![i - 1] }).collect();
        assert_eq!(components(&chain).len(), 200_000);
    }
}
