import type { Plugin } from 'esbuild';
import type { GetModuleInfo } from 'rollup';

/** Returns the path of every module of the source, from the root of the project. */
export function sourceModules(): string[];

/** Returns the path of every door. */
export function sourceDoors(): string[];

/** The plugin for esbuild that keeps modules apart. */
export function modulesApart(): Plugin;

/** Returns the modules that load with a module: all that it imports other than by `import()`. */
export function loadedBy(start: string, getModuleInfo: GetModuleInfo): Set<string>;

/** Restores the names of classes for which the compiler wrote `var Name = class _Name`. */
export function withOwnNames(code: string): string;
