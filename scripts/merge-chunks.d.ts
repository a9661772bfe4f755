import type { Options } from 'tsup';

/** The last step of the build: merges small chunks into other files. */
export function mergeChunks(): NonNullable<Options['plugins']>[number];

/** Restores the names of classes for which the bundler wrote `var Name = class _Name`. */
export function withOwnNames(code: string): string;
