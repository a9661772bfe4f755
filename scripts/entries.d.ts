/** The subpaths of the package and the source file of each. */
export const subpaths: Readonly<Record<string, string>>;
/** Name of a built file, without its extension. */
export function outputOf(subpath: string): string;
/** Entry points of the bundler: source files by the name of the built file. */
export const entries: Readonly<Record<string, string>>;
/** Entries with another source where there is no Node. */
export const webSubpaths: Readonly<Record<string, string>>;
/** Name of the built file of an entry where there is no Node, without its extension. */
export function webOutputOf(subpath: string): string;
