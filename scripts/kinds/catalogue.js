/**
 * The catalogue of facts about the built-in kinds of a release, and what the makers of types and of facts both know.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Reads a file of the catalogue. */
export const read = (name) => JSON.parse(readFileSync(`${folder}catalogue/${name}`, 'utf8'));

/** Reads a file with what the catalogue lacks. */
export const ours = (name) => JSON.parse(readFileSync(`${folder}${name}`, 'utf8'));

/** @throws Error with this message */
export const fail = (message) => {
  throw new Error(message);
};

/** Prefix of the types that all groups share. */
export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Types that the package declares by hand, because every module uses them. */
export const DECLARED_META = new Set(['ObjectMeta', 'ManagedFieldsEntry', 'OwnerReference']);

/** Name of a type with its package, without the packages that all have in common: `core.v1.Pod`. */
export const shortName = (name) => name.split('.').slice(-3).join('.');

/** Name of a type without its package: `Pod`. */
export const localName = (name) => name.slice(name.lastIndexOf('.') + 1);

export const isDeclared = (name) => name.startsWith(META) && DECLARED_META.has(localName(name));

/** Returns the module of a type: `apps-v1`. */
export function moduleOf(name) {
  const [, group, version] =
    /([a-z]+)\.(v[0-9a-z]+)\.[A-Za-z0-9]+$/.exec(name) ?? fail(`${name}: a type without group and version`);
  return `${group}-${version}`;
}

/** Name of the namespace of a module: `appsV1`. */
export const namespaceOf = (module) => module.replace(/-v/, 'V');

/** Returns the object types that are not declared by hand, by module. */
export function modulesOf(types) {
  const modules = new Map();
  for (const row of types.filter(({ name }) => !isDeclared(name))) {
    const name = moduleOf(row.name);
    modules.set(name, [...(modules.get(name) ?? []), row]);
  }
  return modules;
}

/** Returns whether a type is that of a list of objects. */
export const isList = ({ fields }) => fields.some(({ name, ref }) => name === 'metadata' && ref === `${META}ListMeta`);

const { nullLists } = ours('corrections.json');

/**
 * Returns whether JSON writes null for a field without a value. A time or free object that is not a pointer is
 * never omitted. Required lists are empty instead, with exceptions.
 */
export const isNullable = (field, owner) =>
  field.nullable === true ||
  (isNullStruct(field) && field.pointer !== true) ||
  (field.omitempty !== true &&
    isUnset(field) &&
    (field.required !== true || nullLists.includes(`${shortName(owner)}.${field.name}`)));

/** Returns whether a field is of a struct whose empty value is null in JSON. */
export const isNullStruct = ({ type }) => ['time', 'microTime', 'rawExtension'].includes(type);

/** Returns whether JSON writes null for an absent value: for pointers, lists, maps and times. */
const isUnset = ({ type, pointer }) => pointer === true || ['array', 'map', 'time', 'microTime'].includes(type);
