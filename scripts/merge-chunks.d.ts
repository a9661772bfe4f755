import type { Options } from 'tsup';

/** The last step of the build: small files of code become part of others. */
export function mergeChunks(): NonNullable<Options['plugins']>[number];
