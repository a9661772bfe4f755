import { defineConfig } from 'tsup';
import { entries } from './scripts/entries.js';
import { esbuildDoors } from './scripts/doors.js';
import { makeTypes } from './scripts/make-types.js';
import { mergeChunks } from './scripts/merge-chunks.js';

await makeTypes();

export default defineConfig({
  entry: entries,
  format: ['esm'],
  target: 'node20',
  platform: 'neutral',
  tsconfig: 'tsconfig.build.json',
  splitting: true,
  clean: true,
  sourcemap: true,
  removeNodeProtocol: false,
  // Dependencies stay dependencies, but for parts of two that every import of the package needs (THIRD_PARTY_NOTICES.md).
  // Of zod that in which our own kinds are written: loaded whole, with every language of its messages, it takes longer than
  // all the rest of the package. A kind that a user writes with a zod of their own works as well: both speak zod's protocol,
  // and our types are zod's. Of @noble/hashes one hash: to find it, file by file, takes a tenth of the import.
  noExternal: ['zod', /^@noble\/hashes\//],
  external: [/^node:/],
  esbuildPlugins: [esbuildDoors()],
  plugins: [mergeChunks()],
});
