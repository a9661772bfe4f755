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
  // Everything from the registry stays a dependency: nothing of others is in our bundle.
  skipNodeModulesBundle: true,
  external: [/^node:/],
});
