import type { StructuralSchema } from '../../machinery/index.js';
import { startTypes } from './data/start.js';
import { typePackages } from './packages.js';
import { StructuralTypes } from './structural-types.js';

/** The object types of the loaded packages: code, which all servers of a process share. */
const types = new StructuralTypes();
for (const [name, text] of Object.entries(startTypes)) types.add(name, text);
const loading = new Map<string, Promise<void>>();
const loaded = new Set<string>();

/** Returns the name of a package: `apps.v1` of the type `apps.v1.Deployment`. */
const packageOf = (type: string): string => type.slice(0, type.lastIndexOf('.'));

async function loadPackage(name: string): Promise<void> {
  const found = typePackages[name];
  if (found === undefined) throw new Error(`there is no package ${name}`);
  types.add(name, (await found.load()).types);
  loaded.add(name);
}

const loadOnce = (name: string): Promise<void> => {
  const known = loading.get(name);
  if (known !== undefined) return known;
  // A file that could not be read is tried again.
  const promise = loadPackage(name).catch((error: unknown) => {
    loading.delete(name);
    throw error;
  });
  loading.set(name, promise);
  return promise;
};

/**
 * Loads the package of a type and the packages that it refers to.
 *
 * @param type name with the package: `apps.v1.Deployment`
 * @returns undefined when they are loaded
 */
export function loadTypes(type: string): Promise<void> | undefined {
  const name = packageOf(type);
  // The types of the start refer to no others.
  if (!loaded.has(name) && types.has(type)) return undefined;
  const missing = [name, ...(typePackages[name]?.uses ?? [])].filter((one) => !loaded.has(one));
  return missing.length === 0 ? undefined : Promise.all(missing.map(loadOnce)).then(() => undefined);
}

/**
 * Returns the schema of an object type.
 *
 * @throws Error when its package is not loaded
 */
export const structuralType = (type: string): StructuralSchema => types.type(type);
