import type { Options } from 'tsup';

/** The last step of the build: small files of code become part of others. */
export function mergeChunks(): NonNullable<Options['plugins']>[number];

/** Gives classes their own names, where the bundler made `var Name = class _Name` of them. */
export function withOwnNames(code: string): string;
