/** Prefix of the keys of all objects in a store. All other keys are internal to its servers. */
export const OBJECT_KEYS = '/registry/';

/** Returns whether a key is that of an object, not of an internal record. */
export const isObjectKey = (key: string): boolean => key.startsWith(OBJECT_KEYS);
