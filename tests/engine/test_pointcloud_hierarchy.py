"""What the point hierarchy promises, checked without its own kernels."""

import meshclash as mc
import numpy as np
from clouds import awkward_clouds, plane, sphere, torus
from hypothesis import given, settings
from meshclash.lab.clouds.covering import covering_radii


def leaves_of(tree):
    return np.flatnonzero(tree.count)


def below(tree, node):
    """Leaves below a node."""
    stack, found = [node], []
    while stack:
        node = stack.pop()
        if tree.count[node]:
            found.append(node)
        else:
            stack += [tree.first[node], tree.first[node] + 1]
    return found


def patch(tree, leaf):
    """Places of a leaf's own points and its border."""
    own = np.arange(tree.first[leaf], tree.first[leaf] + tree.count[leaf])
    return np.concatenate([own, tree.border[tree.border_start[leaf] : tree.border_start[leaf + 1]]])


@given(awkward_clouds())
@settings(max_examples=25)
def test_the_tree_is_well_formed(points):
    cloud = mc.clouds.PointCloud(points)
    built = cloud.built
    tree = built.tree
    assert np.array_equal(np.sort(built.order), np.arange(len(points)))
    assert np.array_equal(tree.points, points[built.order])
    leaves = leaves_of(tree)
    starts = np.sort(tree.first[leaves])
    assert starts[0] == 0
    assert np.array_equal(np.sort(tree.first[leaves] + tree.count[leaves]), np.append(starts[1:], len(points)))
    children = tree.first[tree.count == 0]
    assert np.array_equal(np.sort(np.concatenate([children, children + 1])), np.arange(1, len(tree.first)))
    assert (children > np.flatnonzero(tree.count == 0)).all()
    assert built.largest_patch == max(len(patch(tree, leaf)) for leaf in leaves)
    for leaf in leaves:
        own = slice(tree.first[leaf], tree.first[leaf] + tree.count[leaf])
        for local in (tree.points[own] - tree.origin, tree.corrected[own]):
            assert (local >= tree.boxes[leaf, :3]).all()
            assert (local <= tree.boxes[leaf, 3:]).all()
    for node in np.flatnonzero(tree.count == 0):
        for child in (tree.first[node], tree.first[node] + 1):
            assert (tree.boxes[child, :3] >= tree.boxes[node, :3]).all()
            assert (tree.boxes[child, 3:] <= tree.boxes[node, 3:]).all()
        assert tree.totals[node] == tree.totals[tree.first[node]] + tree.totals[tree.first[node] + 1]


@given(awkward_clouds())
@settings(max_examples=15)
def test_borders_hold_everything_within_horizon_and_margin(points):
    """So a patch gives the cloud's own surface wherever its leaf is asked about: in its box with the margin."""
    cloud = mc.clouds.PointCloud(points)
    tree, margin = cloud.built.tree, cloud.lengths.margin
    local = tree.corrected
    for leaf in leaves_of(tree)[::7]:
        low, high = tree.boxes[leaf, :3] - margin, tree.boxes[leaf, 3:] + margin
        gap = np.maximum(np.maximum(low - local, local - high), 0.0)
        outside = np.sqrt((gap * gap).sum(axis=1)) <= cloud.horizon
        outside[tree.first[leaf] : tree.first[leaf] + tree.count[leaf]] = False
        border = tree.border[tree.border_start[leaf] : tree.border_start[leaf + 1]]
        assert len(np.unique(border)) == len(border)
        assert set(np.flatnonzero(outside)) <= set(border.tolist())
        assert not set(border.tolist()) & set(range(tree.first[leaf], tree.first[leaf] + tree.count[leaf]))


def hull_points(rng, tree, node, count):
    """Random points of the hulls of the leaves below a node: half near corners, half inside."""
    groups = [patch(tree, leaf) for leaf in below(tree, node)]
    which = rng.integers(0, len(groups), count)
    sizes = np.array([len(g) for g in groups])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    flat = np.concatenate(groups)
    picks = flat[starts[which][:, None] + (rng.random((count, 4)) * sizes[which][:, None]).astype(int)]
    weights = rng.dirichlet(np.ones(4), count // 2)
    corners = rng.dirichlet(np.full(4, 0.1), count - count // 2)
    return np.einsum("ij,ijk->ik", np.concatenate([weights, corners]), tree.corrected[picks])


def uncovered(tree, radii, node, at):
    samples = tree.samples[node]
    centres = tree.corrected[samples[samples >= 0]]
    nearest = np.full(len(at), np.inf)
    for centre in centres:
        nearest = np.minimum(nearest, ((at - centre) ** 2).sum(axis=1))
    return int((nearest > float(radii[node]) ** 2).sum())


def test_the_papers_spheres_can_miss_and_hardly_do():
    rng = np.random.default_rng(3)
    cloud = mc.clouds.PointCloud(torus(rng, 6000, noise=0.01)[0])
    tree, radii = cloud.built.tree, covering_radii(cloud)
    nodes = range(0, len(tree.first), 5)
    missed = sum(uncovered(tree, radii, node, hull_points(rng, tree, node, 2000)) for node in nodes)
    assert 0 < missed < 0.2 * 2000 * len(nodes)


def test_samples_are_points_of_their_node_without_repetition():
    tree = mc.clouds.PointCloud(sphere(np.random.default_rng(4), 5000)[0]).built.tree
    for node in range(len(tree.first)):
        samples = tree.samples[node][tree.samples[node] >= 0]
        assert len(np.unique(samples)) == len(samples) == min(15, tree.totals[node])
        leaves = below(tree, node)
        assert samples.min() >= min(tree.first[leaf] for leaf in leaves)
        assert samples.max() < max(tree.first[leaf] + tree.count[leaf] for leaf in leaves)


def test_planes_bound_their_points():
    tree = mc.clouds.PointCloud(torus(np.random.default_rng(5), 5000, noise=0.01)[0]).built.tree
    for node in range(0, len(tree.first), 3):
        members = np.concatenate([np.arange(tree.first[x], tree.first[x] + tree.count[x]) for x in below(tree, node)])
        if tree.count[node]:
            members = patch(tree, node)
        offset = tree.corrected[members] @ tree.planes[node, :3].astype(float)
        assert tree.planes[node, 3] <= offset.min()
        assert offset.max() <= tree.planes[node, 4]


def test_very_different_densities_do_not_blow_memory_up():
    """A spot ten times denser along every line: leaves stay as large as the horizon, so borders stay short."""
    rng = np.random.default_rng(6)
    points = np.concatenate([plane(rng, 20000)[0], plane(rng, 20000, size=0.1)[0]])
    cloud = mc.clouds.PointCloud(points)
    assert len(cloud.built.tree.border) < 20 * len(points)
    assert cloud.nbytes < 150 * len(points)
    assert cloud.evaluate(points[::100])[2].all()
