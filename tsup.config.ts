import { defineConfig } from 'tsup';
import { drawChunks } from './scripts/chunks.js';
import { esbuildDoors } from './scripts/doors.js';
import { makeTypes } from './scripts/make-types.js';
import { modulesApart, sourceModules } from './scripts/modules.js';

await makeTypes();

// Compiles each module by itself; `drawChunks` puts them together in dist. Dependencies stay dependencies, but for parts
// of two that every import of the package needs (THIRD_PARTY_NOTICES.md). Of zod that in which our own kinds are written:
// loaded whole, with every language of its messages, it takes longer than all the rest of the package. A kind that a user
// writes with a zod of their own works as well: both speak zod's protocol, and our types are zod's. Of @noble/hashes one
// hash: to find it, file by file, takes a tenth of the import.
export default defineConfig({
  entry: sourceModules(),
  outDir: 'node_modules/.cache/orch-apiserver/modules',
  format: ['esm'],
  target: 'node20',
  platform: 'neutral',
  tsconfig: 'tsconfig.build.json',
  splitting: false,
  clean: true,
  sourcemap: true,
  silent: true,
  removeNodeProtocol: false,
  // `modulesApart` decides.
  noExternal: [/.*/],
  esbuildOptions: (options) => {
    options.outbase = 'src';
  },
  esbuildPlugins: [esbuildDoors(), modulesApart()],
  plugins: [drawChunks()],
});
