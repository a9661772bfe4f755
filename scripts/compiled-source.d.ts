import type { Plugin } from 'vitest/config';

/** Compiles the source unless it is compiled. @returns the folder, in which each module has its path */
export function compileSource(): Promise<string>;

/** The compiled form of a module. @returns undefined when the path is not that of a module of the source */
export function compiledFile(folder: string, path: string): string | undefined;

/** The plugin for Vitest: imports of the source are imports of what was compiled. */
export function viteCompiledSource(folder: string): Plugin;
