import { defineConfig } from 'tsup';
import { entries } from './scripts/entries.js';

export default defineConfig({
  entry: entries,
  format: ['esm'],
  target: 'node20',
  platform: 'neutral',
  tsconfig: 'tsconfig.build.json',
  splitting: true,
  treeshake: true,
  dts: true,
  clean: true,
  sourcemap: true,
  removeNodeProtocol: false,
  // Dependencies stay dependencies, but for the part of zod that our own kinds are written in: loaded whole, with every
  // language of its messages, it takes longer than all the rest of the package (THIRD_PARTY_NOTICES.md). A kind that a
  // user writes with a zod of their own works as well: both speak zod's protocol, and our types are zod's.
  noExternal: ['zod'],
  external: [/^node:/],
});
