/** Makes the types of the built-in kinds unless they are there. */
export function makeTypes(): Promise<void>;

/** Returns the types as they should be: the text of each file, by its name. */
export function madeTypes(): Promise<ReadonlyMap<string, string>>;
