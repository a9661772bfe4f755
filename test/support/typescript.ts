/**
 * Arguments of Node for a process that runs TypeScript, such as an example. Where the source is compiled for the tests, the
 * process loads that, instead of compiling hundreds of modules again.
 */
export const TYPESCRIPT: readonly string[] = [
  ...['--import', 'tsx'],
  ...(process.env['COMPILED_SOURCE'] === undefined
    ? []
    : ['--import', new URL('../../scripts/compiled-imports.js', import.meta.url).href]),
];
