/**
 * The fields of objects that name other objects, for both sides: the server that looks for them, and the page that links
 * them.
 *
 * @module
 */

/** An object that another one names. */
export interface Reference {
  readonly kind: string;
  /** The API group; undefined for a kind that the server itself has. */
  readonly group: string | undefined;
  readonly name: string;
  /** Undefined for the namespace of the object that names it. */
  readonly namespace: string | undefined;
}

/** A field that may name an object. */
export interface NamingField {
  /** The name of the field that the map is in, or the list that it is an item of. */
  readonly holder: string;
  /** The map that has the field. */
  readonly map: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly value: unknown;
}

/** Fields whose value is a name, and the kinds that they name. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['serviceAccountName', 'ServiceAccount'],
  ['nodeName', 'Node'],
  ['secretName', 'Secret'],
  ['claimName', 'PersistentVolumeClaim'],
  ['volumeName', 'PersistentVolume'],
  ['storageClassName', 'StorageClass'],
  ['ingressClassName', 'IngressClass'],
  ['priorityClassName', 'PriorityClass'],
  ['runtimeClassName', 'RuntimeClass'],
  ['serviceName', 'Service'],
  ['namespace', 'Namespace'],
]);

/** Maps whose member `name` is a name, and the kinds that they name. */
const HOLDERS: ReadonlyMap<string, string> = new Map([
  ['configMap', 'ConfigMap'],
  ['configMapRef', 'ConfigMap'],
  ['configMapKeyRef', 'ConfigMap'],
  ['secret', 'Secret'],
  ['secretRef', 'Secret'],
  ['secretKeyRef', 'Secret'],
  ['imagePullSecrets', 'Secret'],
  ['secrets', 'Secret'],
  ['service', 'Service'],
]);

/** Maps whose members are chosen by users. */
const FREE: ReadonlySet<string> = new Set([
  'data',
  'stringData',
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
]);

/** Returns the object that a field names; undefined for a field that names none. */
export function referenceIn({ holder, map, key, value }: NamingField): Reference | undefined {
  if (typeof value !== 'string' || value === '' || FREE.has(holder)) return undefined;
  const field = FIELDS.get(key);
  if (field !== undefined) return { kind: field, group: undefined, name: value, namespace: undefined };
  // An object does not refer to itself by its own name.
  if (key !== 'name' || holder === '' || holder === 'metadata') return undefined;
  const namespace = textOf(map['namespace']);
  const kind = textOf(map['kind']);
  if (kind !== undefined) return { kind, group: groupIn(map), name: value, namespace };
  const held = HOLDERS.get(holder);
  return held === undefined ? undefined : { kind: held, group: undefined, name: value, namespace };
}

/** Returns the group that a reference names, by `apiGroup` or `apiVersion`; undefined where it names none. */
function groupIn(map: Readonly<Record<string, unknown>>): string | undefined {
  const version = textOf(map['apiVersion']);
  if (version !== undefined) return version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
  return textOf(map['apiGroup']);
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A field of an object that names another one. */
export interface NamedObject extends Reference {
  /** The path of the field, such as `spec.volumes[0].secret.secretName`. */
  readonly field: string;
}

/** Parts of objects whose names do not refer to others: what an Event is about is told among the events of that object. */
const NOT_NAMING: ReadonlySet<string> = new Set(['metadata', 'status', 'involvedObject', 'regarding', 'related']);

/** The deepest values that are looked at: the server refuses deeper ones. */
const DEEPEST = 1000;

/**
 * Yields the objects that an object names, in its specification and data. Its owners are not among them, nor is its
 * namespace.
 */
export function* namedIn(object: Readonly<Record<string, unknown>>): Generator<NamedObject> {
  for (const [key, value] of Object.entries(object)) if (!NOT_NAMING.has(key)) yield* namedBelow(value, key, key, 0);
}

function* namedBelow(value: unknown, holder: string, path: string, depth: number): Generator<NamedObject> {
  if (typeof value !== 'object' || value === null || FREE.has(holder) || depth > DEEPEST) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* namedBelow(item, holder, `${path}[${index}]`, depth + 1);
    return;
  }
  const map: Readonly<Record<string, unknown>> = { ...value };
  for (const [key, member] of Object.entries(map)) {
    const field = `${path}.${key}`;
    const found = key === 'namespace' ? undefined : referenceIn({ holder, map, key, value: member });
    if (found === undefined) yield* namedBelow(member, key, field, depth + 1);
    else yield { ...found, field };
  }
}
