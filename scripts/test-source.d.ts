import type { Plugin } from 'vitest/config';

/** Returns the compiled file of a file of the source. @param file its absolute path, ending in `.ts` or `.js` */
export function compiledFile(file: string): string;

/** Compiles the files of the source that have changed since the last time. */
export function compileSource(): Promise<void>;

/** The plugin for Vitest: imports of the source become imports of the compiled files. */
export function compiledSource(): Plugin;
