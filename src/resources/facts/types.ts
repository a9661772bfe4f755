import type { StructuralSchema } from '../../schema/structural.js';
import { typePackages } from './packages.js';
import { StructuralTypes } from './structural-types.js';

/** The object types of the loaded packages: code, which all servers of a process share. */
const types = new StructuralTypes();
const loading = new Map<string, Promise<void>>();

/** Returns the name of a package: `apps.v1` of the type `apps.v1.Deployment`. */
const packageOf = (type: string): string => type.slice(0, type.lastIndexOf('.'));

async function loadPackage(name: string): Promise<void> {
  const found = typePackages[name];
  if (found === undefined) throw new Error(`there is no package ${name}`);
  types.add(name, (await found.load()).types);
}

const loadOnce = (name: string): Promise<void> => {
  const known = loading.get(name);
  if (known !== undefined) return known;
  // A file that could not be read is tried again.
  const loaded = loadPackage(name).catch((error: unknown) => {
    loading.delete(name);
    throw error;
  });
  loading.set(name, loaded);
  return loaded;
};

/**
 * Loads the package of a type and the packages that it refers to.
 *
 * @param type name with the package: `apps.v1.Deployment`
 */
export async function loadTypes(type: string): Promise<void> {
  const name = packageOf(type);
  await Promise.all([name, ...(typePackages[name]?.uses ?? [])].map(loadOnce));
}

/**
 * Returns the schema of an object type.
 *
 * @throws Error when its package is not loaded
 */
export const structuralType = (type: string): StructuralSchema => types.type(type);
