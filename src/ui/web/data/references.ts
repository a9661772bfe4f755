import { textOf } from './guards.js';
import { isBuiltIn, type PageKind } from './kinds.js';

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

/** Returns the kind of a reference; undefined if the server does not list it. @param suffix see `Api.suffix` */
export const kindOf = ({ kind, group }: Reference, kinds: readonly PageKind[], suffix: string): PageKind | undefined =>
  kinds.find((each) => each.kind === kind && (group === undefined ? isBuiltIn(each, suffix) : each.group === group));
