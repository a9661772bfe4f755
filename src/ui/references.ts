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

/**
 * Yields the objects that an object names, in its specification and data. Its owners are not among them, nor is its
 * namespace.
 */
export function* namedIn(object: Readonly<Record<string, unknown>>): Generator<NamedObject> {
  for (const named of valuesIn(object)) if (named !== undefined) yield named;
}

/** A map or list that is being looked at. */
interface Opened {
  /** Its map; undefined for a list. */
  readonly map: Readonly<Record<string, unknown>> | undefined;
  readonly holder: string;
  readonly path: string;
  /** The keys of a map. */
  readonly keys: readonly string[];
  /** The items of a list. */
  readonly items: readonly unknown[];
  next: number;
}

/**
 * Does what {@link namedIn} does, and yields undefined for each value that names nothing, so that the caller can pause
 * between any two: an object may have hundreds of thousands, at any depth.
 */
export function* valuesIn(object: Readonly<Record<string, unknown>>): Generator<NamedObject | undefined> {
  const keys = Object.keys(object).filter((key) => !NOT_NAMING.has(key));
  const opened: Opened[] = [{ map: object, holder: '', path: '', keys, items: [], next: 0 }];
  for (let last = opened.at(-1); last !== undefined; last = opened.at(-1)) {
    const { map, holder, path, items } = last;
    const at = last.next;
    last.next += 1;
    const key = last.keys[at];
    if (map === undefined ? at >= items.length : key === undefined) {
      opened.pop();
      continue;
    }
    const value = map === undefined || key === undefined ? items[at] : map[key];
    const field = key === undefined ? `${path}[${at}]` : path === '' ? key : `${path}.${key}`;
    const isField = map !== undefined && key !== undefined && path !== '' && key !== 'namespace';
    const found = isField ? referenceIn({ holder, map, key, value }) : undefined;
    const inner = found === undefined ? openedOf(value, key ?? holder, field) : undefined;
    if (inner !== undefined) opened.push(inner);
    yield found === undefined ? undefined : { ...found, field };
  }
}

function openedOf(value: unknown, holder: string, path: string): Opened | undefined {
  if (typeof value !== 'object' || value === null || FREE.has(holder)) return undefined;
  if (Array.isArray(value)) return { map: undefined, holder, path, keys: [], items: value, next: 0 };
  const map: Readonly<Record<string, unknown>> = { ...value };
  return { map, holder, path, keys: Object.keys(map), items: [], next: 0 };
}
