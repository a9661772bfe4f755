/**
 * Makes the TypeScript types of the built-in kinds (`src/kinds/types`, which is not in the repository) from the catalogue
 * of facts about a release (`scripts/kinds/catalogue`) and from the descriptions (`src/kinds/facts/descriptions`).
 *
 *     npm run prepare
 *
 * npm runs it at the end of `npm ci`; the build, the tests, the linter and `npm run types` run it first. It does nothing
 * while the types are those of the current facts.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'src/kinds/types');
const DESCRIPTIONS = 'src/kinds/facts/descriptions';

/** All files that decide what the types are. */
const inputs = () => [
  ...['types.json', 'kinds.json'].map((name) => `scripts/kinds/catalogue/${name}`),
  ...['corrections.json', 'catalogue.js', 'type-modules.js'].map((name) => `scripts/kinds/${name}`),
  'scripts/make-types.js',
  `${DESCRIPTIONS}.ts`,
  ...readdirSync(join(root, DESCRIPTIONS))
    .sort()
    .map((name) => `${DESCRIPTIONS}/${name}`),
];

function digestOfInputs() {
  const hash = createHash('sha256');
  for (const path of inputs())
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Loads the module with the descriptions, which is TypeScript. */
async function loadDescriptions() {
  const { buildSync } = await import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: [join(root, `${DESCRIPTIONS}.ts`)],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Returns the types as they should be: the text of each file, by its name. */
export async function madeTypes() {
  const [{ typeModules }, descriptions] = await Promise.all([import('./kinds/type-modules.js'), loadDescriptions()]);
  const head = `// Made by scripts/make-types.js from the facts ${digestOfInputs()}. Do not edit.\n\n`;
  return new Map([...typeModules(descriptions)].map(([name, text]) => [name, head + text]));
}

/** Returns whether the types are those of the current facts. The index is written last, so it speaks for all. */
function areCurrent() {
  const index = join(target, 'index.ts');
  return existsSync(index) && readFileSync(index, 'utf8').split('\n', 1)[0].includes(` ${digestOfInputs()}.`);
}

/** Makes the types unless they are there. */
export async function makeTypes() {
  if (areCurrent()) return;
  const texts = await madeTypes();
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target)) if (!texts.has(name)) rmSync(join(target, name), { recursive: true });
  const files = [...texts].sort(([one], [other]) => Number(one === 'index.ts') - Number(other === 'index.ts'));
  for (const [name, text] of files) writeFileSync(join(target, name), text);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await makeTypes();
