import type { Plugin as BundlerPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';

/** Returns whether a file is the door of a wing. */
export function isDoor(file: string): boolean;

/** Returns the text of a module with imports from the files behind the doors that it imports. */
export function seeThroughDoors(text: string, file: string): string;

/** Returns the text of declarations without doors. @param file the path of their source */
export function declarationsBehindDoors(text: string, file: string): string;

/** The plugin for esbuild, and so for tsup. */
export function esbuildDoors(): BundlerPlugin;

/** The plugin for Vite, and so for Vitest. */
export function viteDoors(): Plugin;
