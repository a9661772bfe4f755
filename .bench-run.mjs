import { build } from 'esbuild';
await build({ entryPoints: ['test/bench/fairness.ts'], outdir: '/tmp/fb', bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error',
 alias: { 'orch-apiserver': './src/index.ts' }, splitting: true, external: ['re2', 're2js'], banner: {js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);"}});
