/**
 * Checks of the built package that a consumer would trip over: every subpath leads to a file and can be imported, and
 * importing it loads nothing that was not asked for.
 *
 *     node scripts/check-package.js      after `npm run build`
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { entries } from './entries.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = `${root}dist/`;
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Packages that may be loaded on import. All others come when they are needed, or belong to the user. */
const EAGER = new Set(['@noble/hashes', 'fast-json-patch', 'json-merge-patch']);

/** Built files that may use modules of Node. */
const ON_NODE = new Set(['node', 'express', 'fastify', 'client-node', 'kubeconfig', 'cli/main']);

const problems = [...missingFiles(), ...Object.keys(entries).flatMap(bleeding), ...programProblems()];
for (const problem of problems) console.error(problem);
console.log(`${Object.keys(entries).length} built entries, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Files that package.json points to and that are not there. */
function missingFiles() {
  const targets = Object.values(manifest.exports).flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)));
  return [...targets, ...Object.values(manifest.bin)].filter((target) => !existsSync(root + target)).map((target) => `package.json names ${target}, which the build did not make`);
}

/** What an entry loads on import, and should not. */
function bleeding(entry) {
  const { loaded, failure } = importsOf(`${dist}${entry}.js`);
  if (failure !== undefined) return [`${entry}: cannot be imported: ${failure}`];
  return [...loaded].flatMap((specifier) => {
    if (specifier.startsWith('node:')) return ON_NODE.has(entry) ? [] : [`${entry}: loads ${specifier}, and must run without Node`];
    return EAGER.has(packageOf(specifier)) ? [] : [`${entry}: loads ${specifier} on import`];
  });
}

/** Bare specifiers that our files import when one of them is loaded, told by the module loader itself. */
function importsOf(file) {
  const hook = `
    import { writeSync } from 'node:fs';
    const OURS = ${JSON.stringify(new URL('../dist/', import.meta.url).href)};
    export async function resolve(specifier, context, next) {
      if (context.parentURL?.startsWith(OURS) && !specifier.startsWith('.')) writeSync(1, '@ ' + specifier + '\\n');
      return next(specifier, context);
    }`;
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));
    await import(${JSON.stringify(file)});`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const loaded = stdout.split('\n').filter((line) => line.startsWith('@ ')).map((line) => line.slice(2));
  return { loaded: new Set(loaded), failure: status === 0 ? undefined : stderr.trim().split('\n').slice(-3).join(' ') };
}

function packageOf(specifier) {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The program can be started by its file. */
function programProblems() {
  return Object.values(manifest.bin).flatMap((file) => {
    if (!existsSync(root + file)) return [];
    const found = [];
    if (!readFileSync(root + file, 'utf8').startsWith('#!/usr/bin/env node\n')) found.push(`${file}: does not begin with #!/usr/bin/env node`);
    try {
      accessSync(root + file, constants.X_OK);
    } catch {
      found.push(`${file}: is not executable`);
    }
    return found;
  });
}
