"""Read IFC files with ifcopenshell: products with a body, and their properties."""

import os
import zipfile
from collections.abc import Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import InvalidFile, UnsupportedOption
from ..types.results import Progress
from ..types.steps import in_slices
from .part import PartShape
from .raw_parts import RawPart, RawParts
from .step_text import References, read_references, references

IFC_ENDINGS = (".ifc", ".ifczip")
FINEST, COARSEST = 1e-6, 1e-4
"""Range to which the precision stated in a model is limited [m].

Some models state a nanometre, which neither the digits in the file nor the cutting of walls can preserve. Other models
state a millimetre, which is more than rounding causes.
"""
NO_THINGS = {
    "IfcFeatureElementSubtraction": "opening",
    "IfcSurfaceFeature": "surface feature",
    "IfcSpace": "space",
    "IfcSpatialZone": "space",
    "IfcExternalSpatialStructureElement": "space",
    "IfcAnnotation": "annotation",
    "IfcGrid": "grid",
    "IfcPositioningElement": "positioning element",
    "IfcLinearElement": "positioning element",
    "IfcPort": "port",
    "IfcStructuralItem": "structural analysis element",
    "IfcStructuralActivity": "structural analysis element",
}
"""Names for products without geometry that could collide, by class; subclasses are included."""
RANKS = {"Body-FallBack": 1, "Facetation": 1, "Surface": 2} | dict.fromkeys(
    ("Clearance", "Reference", "Lighting", "CoG", "Box", "Profile", "FootPrint", "Axis", "Annotation", "Plan"), 3
)
"""Ranks of representations, by identifier; those not listed have rank 0. A product is read from its lowest rank."""
NO_SURFACES = (
    "IfcCurve", "IfcSegment", "IfcPoint", "IfcPlacement", "IfcDirection", "IfcVector", "IfcGeometricCurveSet",
    "IfcTextLiteral", "IfcAnnotationFillArea", "IfcCartesianPointList", "IfcEdge", "IfcVertex",
    "IfcLoop", "IfcPath", "IfcLightSource", "IfcStyledItem", "IfcPlanarExtent",
)  # fmt: skip
"""Classes of representation items that have no surface."""
PRODUCTS_AT_ONCE = 100
PARSED = 0.05
"""Approximate share of the time for parsing; the rest is for making shapes."""
PARENTS = (
    ("IfcRelAggregates", "RelatedObjects", "RelatingObject", "IfcObjectDefinition"),
    ("IfcRelNests", "RelatedObjects", "RelatingObject", "IfcObjectDefinition"),
    ("IfcRelContainedInSpatialStructure", "RelatedElements", "RelatingStructure", "IfcProduct"),
    ("IfcRelVoidsElement", "RelatedOpeningElement", "RelatingBuildingElement", "IfcProduct"),
    ("IfcRelFillsElement", "RelatedBuildingElement", "RelatingOpeningElement", "IfcProduct"),
    ("IfcRelProjectsElement", "RelatedFeatureElement", "RelatingElement", "IfcProduct"),
)
"""Relations that form a hierarchy: class, attributes for children and parent, and the class that these must have."""
DEEPEST_HIERARCHY = 100


@dataclass(frozen=True, eq=False)
class Body:
    """A representation that a product is read from.

    Attributes:
        representation: the entity.
        ids: ids of the representation and of the representations that it maps.
        pieces: items that must have triangles: for each item, the ids that ifcopenshell may report for its triangles.
    """

    representation: Any
    ids: frozenset[int]
    pieces: frozenset[frozenset[int]]


@in_slices
def read_ifc(file: Path, _library: ModuleType) -> Generator[Progress, None, RawParts]:
    """Read every physical product that has a body; ifcopenshell converts to metres.

    Raises:
        InvalidFile: ifcopenshell cannot read the file, it is truncated, or its entities refer to each other in a cycle.
    """
    yield Progress(0.0, "parsing")
    graph = _graph(file)
    model, metres = _opened(file)
    _refuse_cycles(file, model, graph)
    found = RawParts(metres=metres, converted=True)
    products = model.by_type("IfcProduct")
    unknown = np.setdiff1d(graph.ids, np.array(model.entity_names(), np.int64))
    found.found = len(products) + len(unknown)
    found.left_out += [(graph.label(k), f"{model.schema_identifier} has no such class") for k in unknown.tolist()]
    to_unknown = np.isin(graph.targets, np.searchsorted(graph.ids, unknown))
    wounded = np.union1d(graph.missing, graph.sources[to_unknown])
    direct, broken = frozenset(graph.ids[wounded].tolist()), graph.reaching(wounded)
    wanted = dict[int, list[Body]]()
    for count, product in enumerate(products):
        if count % PRODUCTS_AT_ONCE == 0:
            yield Progress(PARSED * count / len(products), f"{len(products):,} products")
        kind = _no_thing(product)
        reason = None if kind else _broken(product, direct, broken)
        kind = kind or (None if reason else _shapeless(product))
        bodies = [] if kind or reason else _bodies(product)
        if kind or (bodies == [] and not reason):
            found.no_geometry[kind or "element without a surface"] += 1
        elif bodies:
            wanted[product.id()] = bodies
        else:
            found.left_out.append(
                (_name(product), reason or "the representation does not have the attributes that IFC requires")
            )
    if wanted:
        yield from _read_shapes(found, model, wanted)
    found.parts.sort(key=lambda part: (part.properties.get("GlobalId", ""), part.key))  # threads finish in any order
    return found


def _graph(file: Path) -> References:
    """Return the graph of references between entities of a file; raises InvalidFile if it has cycles or is damaged."""
    try:
        graph = read_references(_text(file))
        graph.refuse_cycles()
        return graph
    except InvalidFile as error:
        raise InvalidFile(f"{file}: {error}") from None


def _text(file: Path) -> bytes:
    """Return the text of a model; raises InvalidFile if a zip archive does not hold exactly one."""
    try:
        if file.suffix.lower() != ".ifczip":
            return file.read_bytes()
        with zipfile.ZipFile(file) as archive:
            models = [name for name in archive.namelist() if Path(name).suffix.lower() in (".ifc", ".ifcxml")]
            if len(models) != 1 or not models[0].lower().endswith(".ifc"):
                raise InvalidFile(f"the archive must contain one .ifc file, not {', '.join(models) or 'none'}")
            return archive.read(models[0])
    except InvalidFile:
        raise
    except Exception as error:  # a damaged archive raises any kind of error
        raise InvalidFile(f"the file is damaged: {str(error) or type(error).__name__}") from error


def _opened(file: Path) -> tuple[Any, float]:
    """Open a file; return the model and the length of its unit in metres; raises InvalidFile."""
    import ifcopenshell
    import ifcopenshell.util.unit

    try:
        model = ifcopenshell.open(str(file))
        return model, float(ifcopenshell.util.unit.calculate_unit_scale(model))
    except Exception as error:  # damaged files raise any kind of error
        raise InvalidFile(f"{file}: ifcopenshell cannot read it: {str(error) or type(error).__name__}") from error


def _refuse_cycles(file: Path, model: Any, graph: References) -> None:
    """Raise InvalidFile if products are parts of each other, or parts of something that is not a product.

    In these cases ifcopenshell loops forever or crashes the process.
    """
    pairs = []
    for name, children, parent_of, kind in PARENTS:
        for relation in model.by_type(name):
            parents = list(_listed(getattr(relation, parent_of)))
            related = list(_listed(getattr(relation, children)))
            for wrong in (item for item in (*parents, *related) if not item.is_a(kind)):
                labels = graph.label(relation.id()), graph.label(wrong.id())
                raise InvalidFile(f"{file}: {labels[0]} refers to {labels[1]}, which is not of the type {kind}")
            pairs += [(child.id(), parent.id()) for parent in parents for child in related]
    if not pairs:
        return
    sources, targets = np.array(pairs, np.int64).T
    try:
        references(np.unique(pairs), sources, targets, graph.label).refuse_cycles(DEEPEST_HIERARCHY)
    except InvalidFile as error:
        raise InvalidFile(f"{file}: the relations of parts are invalid: {error}") from None


def _listed(value: Any) -> Iterable[Any]:
    """Return the entities of an attribute that holds one, several or none."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _no_thing(product: Any) -> str | None:
    """Return a description of a product whose class has no geometry that could collide; None for other classes."""
    return next((kind for name, kind in NO_THINGS.items() if product.is_a(name)), None)


def _shapeless(product: Any) -> str | None:
    """Return a name for a product without a representation; None if the product has one."""
    if product.Representation is not None:
        return None
    if product.is_a("IfcElement"):
        return "assembly" if getattr(product, "IsDecomposedBy", ()) else "element without a shape"
    spatial = product.is_a("IfcSpatialStructureElement") or product.is_a("IfcSpatialElement")
    return "spatial structure element" if spatial else "product without a shape"


def _broken(product: Any, direct: frozenset[int], broken: frozenset[int]) -> str | None:
    """Return why a product cannot be read, if its placement or shape refers to a missing entity; otherwise None.

    Args:
        product: the entity.
        direct, broken: ids of entities that refer to a missing entity: directly; directly or through others.
    """
    for attribute, what in (("ObjectPlacement", "place"), ("Representation", "shape")):
        value = getattr(product, attribute)
        if (value is None and product.id() in direct) or (value is not None and value.id() in broken):
            return f"the {what} refers to a missing entity"
    return None


def _bodies(product: Any) -> list[Body] | None:
    """Return the representations to read of a product: [] if the product has no surfaces, None if they violate the
    schema.
    """
    try:
        made = [_body(item) for item in product.Representation.Representations]
    except (AttributeError, TypeError):
        return None
    found = [body for body in made if body.pieces]
    least = min((_rank(body) for body in found), default=0)
    found = [body for body in found if _rank(body) == least]
    views = [body for body in found if _view(body) == "MODEL_VIEW"]
    viewed = {body.representation.RepresentationIdentifier for body in views}
    return [body for body in found if body in views or body.representation.RepresentationIdentifier not in viewed]


def _rank(body: Body) -> int:
    return RANKS.get(body.representation.RepresentationIdentifier, 0)


def _view(body: Body) -> str | None:
    return getattr(body.representation.ContextOfItems, "TargetView", None)


def _body(representation: Any) -> Body:
    """Return the items of a representation; raises AttributeError or TypeError if it violates the IFC schema."""
    ids, pieces = {representation.id()}, set[frozenset[int]]()
    left, seen = list(representation.Items), set[int]()
    while left:
        item = left.pop()
        if item.id() in seen:
            continue
        seen.add(item.id())
        if item.is_a("IfcMappedItem"):
            source = item.MappingSource.MappedRepresentation
            ids.add(source.id())
            left += source.Items
        elif item.is_a("IfcShellBasedSurfaceModel"):
            pieces |= {frozenset((item.id(), shell.id())) for shell in item.SbsmBoundary}
        elif item.is_a("IfcFaceBasedSurfaceModel"):
            pieces |= {frozenset((item.id(), faces.id())) for faces in item.FbsmFaces}
        elif item.is_a("IfcGeometricSet") and not item.is_a("IfcGeometricCurveSet"):
            left += item.Elements
        elif not any(item.is_a(name) for name in NO_SURFACES):
            pieces.add(_operands(item))
    return Body(representation, frozenset(ids), frozenset(pieces))


def _operands(item: Any) -> frozenset[int]:
    """Return the ids of an item and of its operands, because ifcopenshell reports one of these ids for each
    triangle.
    """
    left, ids = [item], set[int]()
    while left:
        item = left.pop()
        if item.id() in ids:
            continue
        ids.add(item.id())
        if item.is_a("IfcBooleanResult"):
            left += [item.FirstOperand, item.SecondOperand]
        elif item.is_a("IfcCsgSolid"):
            left.append(item.TreeRootExpression)
    return frozenset(ids)


def _read_shapes(found: RawParts, model: Any, wanted: dict[int, list[Body]]) -> Generator[Progress, None, None]:
    """Add the parts of products; record products that ifcopenshell makes no shape of."""
    import ifcopenshell.geom

    settings = ifcopenshell.geom.settings()
    resolution = _resolution(model, found.metres or 1.0)
    left = {(number, body): body for number, bodies in wanted.items() for body in bodies}
    contexts = {context.id() for body in left.values() if (context := body.representation.ContextOfItems) is not None}
    settings.set("context-ids", sorted(contexts))  # by default, the iterator passes over contexts of some types
    found.found += len(left) - len(wanted)  # a product may have several bodies
    total, shapes = len(left), Shapes(settings, found.metres or 1.0)
    for number, body in [*left]:
        product = model.by_id(number)
        if (items := _moved_copies(product, body)) and (made := shapes.of_copies(body, items)) is not None:
            yield _making(total - len(left) + 1, total)
            del left[number, body]
            placement = ifcopenshell.geom.create_shape(settings, product.ObjectPlacement)
            _add(found, product, body, made, _matrix(placement), resolution)
    if left:
        products = [model.by_id(number) for number in dict.fromkeys(number for number, _ in left)]
        iterator = ifcopenshell.geom.iterator(settings, model, os.cpu_count() or 1, include=products)
        yield _making(total - len(left), total)
        more, count = iterator.initialize(), total - len(left)
        while more:
            count += 1
            yield _making(count, total)
            shape = iterator.get()
            made_of = int(shape.geometry.id.partition("-")[0])
            known = next((item for item in wanted[shape.id] if made_of in item.ids and (shape.id, item) in left), None)
            if known is not None:
                del left[shape.id, known]
                product, made = model.by_id(shape.id), shapes.of(shape.geometry)
                _add(found, product, known, made, _matrix(shape.transformation), resolution)
            more = iterator.next()
    for count, (number, body) in enumerate(left, total - len(left) + 1):
        yield _making(count, total)
        product = model.by_id(number)
        try:  # the iterator skips representations that others map
            shape = ifcopenshell.geom.create_shape(settings, product, body.representation)
        except RuntimeError:
            found.left_out.append((_name(product), "ifcopenshell makes no shape of it"))
        else:
            _add(found, product, body, shapes.of(shape.geometry), _matrix(shape.transformation), resolution)


def _making(count: int, total: int) -> Progress:
    """Return the progress when one of all shapes is made."""
    return Progress(PARSED + (1.0 - PARSED) * min(1.0, count / total), f"{count:,} of {total:,} shapes")


@dataclass(frozen=True, eq=False)
class Made:
    """The triangles that ifcopenshell makes of a representation.

    Attributes:
        key: the same for the same triangles.
        vertices, triangles: (n, 3) float64 [m], (m, 3) int32.
        items: ids of the items that have triangles.
    """

    key: str
    vertices: np.ndarray
    triangles: np.ndarray
    items: frozenset[int]


class Shapes:
    """The shapes of a model; each is converted once.

    Args:
        settings: of ifcopenshell.
        metres: length of the model's unit [m].
    """

    def __init__(self, settings: Any, metres: float) -> None:
        self._settings, self._metres = settings, metres
        self._made = dict[str, Made]()
        self._mapped = dict[int, Made | None]()

    def of(self, geometry: Any) -> Made:
        """Return the triangles of a geometry of ifcopenshell."""
        key = geometry.id
        if key not in self._made:
            vertices = np.array(geometry.verts, np.float64).reshape(-1, 3)
            faces = np.array(geometry.faces, np.int32).reshape(-1, 3)
            self._made[key] = Made(key, vertices, faces, frozenset(geometry.item_ids))
        return self._made[key]

    def of_copies(self, body: Body, items: list[Any]) -> Made | None:
        """Return the triangles of a body whose items are moved copies of representations.

        Each of these representations is made once, while ifcopenshell makes each copy. The result is None if
        ifcopenshell makes no triangles of one of them.
        """
        key = str(body.representation.id())
        if key in self._made:
            return self._made[key]
        sources = [self._of_map(item.MappingSource) for item in items]
        made = [source for source in sources if source is not None]
        if len(made) < len(items):
            return None
        moves = [np.array(item.MappingTarget.LocalOrigin.Coordinates) * self._metres for item in items]
        starts = np.cumsum([0, *(len(source.vertices) for source in made[:-1])]).astype(np.int32)
        self._made[key] = Made(
            key,
            np.concatenate([source.vertices + move for source, move in zip(made, moves, strict=True)]),
            np.concatenate([source.triangles + start for source, start in zip(made, starts, strict=True)]),
            frozenset[int]().union(*(source.items for source in made)),
        )
        return self._made[key]

    def _of_map(self, mapping: Any) -> Made | None:
        """Return the triangles of a representation map at its origin; None if ifcopenshell makes none."""
        import ifcopenshell.geom

        if mapping.id() not in self._mapped:
            try:
                source = self.of(ifcopenshell.geom.create_shape(self._settings, mapping.MappedRepresentation))
                origin = _matrix(ifcopenshell.geom.create_shape(self._settings, mapping.MappingOrigin))
            except RuntimeError:
                self._mapped[mapping.id()] = None
            else:
                vertices = source.vertices @ origin[:3, :3].T + origin[:3, 3]
                placed = replace(source, vertices=vertices)
                self._mapped[mapping.id()] = placed if len(placed.triangles) else None
        return self._mapped[mapping.id()]


def _moved_copies(product: Any, body: Body) -> list[Any]:
    """Return the items of a body that consists of several moved copies of representations; [] for other bodies, and
    for products that may have openings.
    """
    items = list(body.representation.Items)
    placement = product.ObjectPlacement
    if len(items) < 2 or placement is None or not placement.is_a("IfcLocalPlacement"):
        return []
    return items if all(_only_moves(item) for item in items) and not _has_openings(product) else []


def _only_moves(item: Any) -> bool:
    """Return whether an item of a representation is a copy of another representation that is only moved."""
    if not item.is_a("IfcMappedItem"):
        return False
    target, origin = item.MappingTarget, item.MappingSource.MappingOrigin
    return (
        target is not None
        and target.is_a() == "IfcCartesianTransformationOperator3D"
        and target.Axis1 is target.Axis2 is target.Axis3 is None
        and target.Scale in (None, 1.0)
        and target.LocalOrigin.is_a("IfcCartesianPoint")
        and len(target.LocalOrigin.Coordinates) == 3
        and origin is not None
        and origin.is_a("IfcAxis2Placement3D")
    )


def _has_openings(product: Any) -> bool:
    """Return whether a product, or an assembly that it is a part of, has openings."""
    import ifcopenshell.util.element as elements

    while product is not None:
        if getattr(product, "HasOpenings", ()):
            return True
        product = elements.get_aggregate(product) or elements.get_nest(product)
    return False


def _matrix(transformation: Any) -> np.ndarray:
    """Return a transformation of ifcopenshell as a (4, 4) matrix; lengths in metres."""
    return np.array(transformation.matrix, np.float64).reshape(4, 4).T


def _add(found: RawParts, product: Any, body: Body, made: Made, matrix: np.ndarray, resolution: float) -> None:
    """Add one part; record items of its body without triangles as left out."""
    if not len(made.triangles):
        found.left_out.append((_name(product), "ifcopenshell makes no triangles of it"))
        return
    if made.key not in found.shapes:
        found.shapes[made.key] = PartShape(made.vertices, made.triangles, resolution=resolution)
    properties = described(product)
    groups = tuple(properties[name] for name in ("storey", "class") if properties.get(name))
    found.parts.append(RawPart(_name(product), made.key, matrix, properties, groups))
    for piece in sorted(min(ids) for ids in body.pieces if not ids & made.items):
        found.found += 1
        found.left_out.append((f"{_name(product)} #{piece}", "ifcopenshell makes no triangles of this item"))


def _name(product: Any) -> str:
    return str(product.Name or product.is_a())


class Selection:
    """Find elements of a file with selectors of IfcOpenShell; the file is opened once.

    Raises:
        InvalidFile: ifcopenshell cannot read the file.
    """

    def __init__(self, file: Path) -> None:
        self._model, _ = _opened(file)

    def keys(self, selector: str) -> frozenset[str]:
        """Return the GlobalIds of the elements that match a selector.

        Raises:
            UnsupportedOption: the selector is invalid.
        """
        import ifcopenshell.util.selector

        try:
            found = ifcopenshell.util.selector.filter_elements(self._model, selector)
            return frozenset(item.GlobalId for item in found)
        except Exception as error:  # syntax errors, and errors of values that do not fit
            raise UnsupportedOption(
                f"'{selector}' is not a valid selector for IfcOpenShell: {str(error).splitlines()[0]:.120}"
            ) from error


def described(element: Any) -> dict[str, str]:
    """Return GlobalId, class, type, storey, system and material of an element, as far as the model states them."""
    import ifcopenshell.util.element as elements
    import ifcopenshell.util.system as systems

    kind = elements.get_type(element)
    storey = elements.get_container(element, ifc_class="IfcBuildingStorey")
    materials = {material.Name for material in elements.get_materials(element) if getattr(material, "Name", None)}
    named = [system.Name for system in systems.get_element_systems(element) if system.Name]
    told = {
        "GlobalId": element.GlobalId,
        "class": element.is_a(),
        "type": (kind.Name if kind is not None else None) or element.ObjectType,
        "storey": storey.Name if storey is not None else None,
        "system": ", ".join(sorted(named)),
        "material": ", ".join(sorted(materials)),
    }
    return {name: str(value) for name, value in told.items() if value}


def _resolution(model: Any, metres: float) -> float:
    """Return the resolution of a model's coordinates [m], from the precision that its contexts state."""
    contexts = model.by_type("IfcGeometricRepresentationContext", include_subtypes=False)
    told = [float(context.Precision) * metres for context in contexts if context.Precision]
    return min(max([0.5 * FINEST, *told]), 0.5 * COARSEST)
